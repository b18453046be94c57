/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cmocka 1.1.5 lacks: doubles compared with both values in sight, and numbers that look random
 * but are not. */
#ifndef WEIR_TESTS_NEAR_H
#define WEIR_TESTS_NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Equal within `relative` of the expected value; a NAN is near a NAN only. Named like its kin in
 * cmocka. */
/* NOLINTNEXTLINE(readability-identifier-naming) */
#define assert_near(actual, expected, relative)                                                    \
	near_or_fail((actual), (expected), (relative), #actual, __FILE__, __LINE__)

static inline void near_or_fail(double actual, double expected, double relative, const char *what,
                                const char *file, int line)
{
	if (isnan(actual) && isnan(expected))
		return;
	if (fabs(actual - expected) <= relative * fabs(expected))
		return;
	print_error("%s is %.17g, expected %.17g\n", what, actual, expected);
	_fail(file, line);
}

/* SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014); the state is any seed. */
static inline uint64_t next_number(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

#endif
