/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests between two groups of runs, with one number per run. A positive t means that the candidate
 * is larger. Results are NAN if the data do not suffice: fewer than two values for a variance, or
 * no scatter (0/0).
 */
#ifndef WEIR_STATS_STUDENT_H
#define WEIR_STATS_STUDENT_H

#include <stddef.h>

struct weir_group {
	const double *values;
	size_t count;
};

struct weir_t_test {
	double change; /* mean of the candidate minus mean of the baseline */
	double t, df;
	double p_greater, p_less, p_two;
};

/* With pooled variance; df = B + C - 2. */
struct weir_t_test weir_student_test(struct weir_group baseline, struct weir_group candidate);

/* B. L. Welch, Biometrika 34, 1947. For description only: a gate based on it raises false alarms in
 * 20 to 26 % of cases with 3 candidate and 20 baseline runs. */
struct weir_t_test weir_welch_test(struct weir_group baseline, struct weir_group candidate);

/* Tests one new run against earlier ones: t = (y - mean) / (s sqrt(1 + 1/B)), df = B - 1. */
struct weir_t_test weir_prediction_test(struct weir_group baseline, double candidate);
/* Returns the value that a new run exceeds with probability alpha. */
double weir_prediction_limit(struct weir_group baseline, double alpha);

#endif
