/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a history of runs changes its level or spread: E-divisive (D. S. Matteson and N. A. James,
 * JASA 109, 2014), energy distance with exponent 1, hierarchical bisection, each cut tested by
 * permutation within the segments found so far. For display: runs in a row are alike, and under
 * autocorrelation it cuts too often.
 */
#ifndef WEIR_STATS_CHANGEPOINT_H
#define WEIR_STATS_CHANGEPOINT_H

#include <stddef.h>
#include <stdint.h>

/* Longer series are refused (none found): time grows with the square. */
#define WEIR_CHANGEPOINT_MOST 1000

struct weir_changepoint_rule {
	size_t least_segment; /* values on each side of a cut, at least 2 */
	size_t permutations;
	double alpha; /* a cut needs p <= alpha */
	uint64_t seed;
};

struct weir_changepoint {
	size_t at;   /* first value of the new segment */
	double size; /* the scaled energy distance */
	double p;    /* (1 + permutations at least as large) / (1 + permutations) */
};

/* At most `most` cuts, in order of the series; returns their number. Values must not be NAN. */
size_t weir_changepoints(const double *values, size_t count,
                         const struct weir_changepoint_rule *rule, struct weir_changepoint *out,
                         size_t most);

#endif
