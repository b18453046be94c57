/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds changes of level or spread in a history of runs: E-divisive (D. S. Matteson and N. A.
 * James, JASA 109, 2014), with energy distance of exponent 1, hierarchical bisection, and a
 * permutation test of each cut within the segments found so far. For display only: successive runs
 * are autocorrelated, so that it finds too many cuts.
 */
#ifndef WEIR_STATS_CHANGEPOINT_H
#define WEIR_STATS_CHANGEPOINT_H

#include <stddef.h>
#include <stdint.h>

struct weir_changepoint_rule {
	size_t least_segment; /* least number of values on each side of a cut, at least 2 */
	size_t permutations;
	double alpha; /* a cut needs p <= alpha */
	uint64_t seed;
};

struct weir_changepoint {
	size_t at;   /* first value of the new segment */
	double size; /* scaled energy distance */
	double p;    /* (1 + permutations at least as large) / (1 + permutations) */
};

/* Finds at most `most` cuts, in order of the series; returns their number. Values must not be NAN.
 * The time is proportional to n log n x permutations for each cut. */
size_t weir_changepoints(const double *values, size_t count,
                         const struct weir_changepoint_rule *rule, struct weir_changepoint *out,
                         size_t most);

#endif
