/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The mean without the fifth of the values at each end, and its one-sided t test against 0 with
 * the winsorized variance (J. W. Tukey and D. H. McLaughlin, Less vulnerable confidence and
 * significance procedures for location based on a single sample, Sankhya A 25, 1963). A few
 * values, however far off, move neither.
 */
#ifndef WEIR_STATS_TRIMMED_H
#define WEIR_STATS_TRIMMED_H

#include <stddef.h>

struct weir_trimmed {
	double mean; /* NAN without values */
	double p;    /* of a mean as large, if the true one is 0; 1 for fewer than two values */
};

/* Reorders the values, which must not be NAN. */
struct weir_trimmed weir_trimmed_test(double *values, size_t count);

#endif
