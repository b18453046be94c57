/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two groups of runs, one number a run. Positive t: the candidate is larger. NAN where the data do
 * not suffice: fewer than two values where a variance is needed, or no scatter at all (0/0).
 */
#ifndef WEIR_STATS_STUDENT_H
#define WEIR_STATS_STUDENT_H

#include <stddef.h>

struct weir_group {
	const double *values;
	size_t count;
};

struct weir_t_test {
	double change; /* mean of the candidate less mean of the baseline */
	double t, df;
	double p_greater, p_less, p_two;
};

/* Pooled variance, df = B + C - 2. */
struct weir_t_test weir_student_test(struct weir_group baseline, struct weir_group candidate);

/* B. L. Welch, Biometrika 34, 1947. For description only: with 3 candidate and 20 baseline runs a
 * gate built on it is false in 20 to 26 %. */
struct weir_t_test weir_welch_test(struct weir_group baseline, struct weir_group candidate);

/* One new run against those before it: t = (y - mean) / (s sqrt(1 + 1/B)), df = B - 1. */
struct weir_t_test weir_prediction_test(struct weir_group baseline, double candidate);
/* The value that one new run exceeds with probability alpha. */
double weir_prediction_limit(struct weir_group baseline, double alpha);

#endif
