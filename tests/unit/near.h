/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Additions to cmocka 1.1.5: a comparison of doubles that prints both values, and pseudo-random
 * numbers. */
#ifndef WEIR_TESTS_UNIT_NEAR_H
#define WEIR_TESTS_UNIT_NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Equal within `relative` of the expected value; only NAN is near NAN. Named like the assertions
 * of cmocka. */
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

/* SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014); any state is a seed. */
static inline uint64_t next_number(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

#endif
