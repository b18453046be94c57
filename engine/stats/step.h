/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Locates one step in a sequence of levels from noisy samples, some of them at a few positions
 * only. The first position lies before the step, the last one behind it.
 *
 * The samples before and behind the step have one normal distribution each, with a common variance,
 * and neither means nor variance are known. With flat priors for the means, Jeffreys' prior for the
 * deviation and the same prior probability for each place of the step (A. F. M. Smith, A Bayesian
 * approach to inference about a change-point in a sequence of random variables, Biometrika 62,
 * 1975), the probability of a place is proportional to
 *
 *     (before x behind)^(-1/2) x R^(-(n - 2) / 2)
 *
 * R is the sum of squares around both means, plus the square of WEIR_STEP_FLOOR, the deviation that
 * the gate assumes at least: equal samples are luck or rounding.
 */
#ifndef WEIR_STATS_STEP_H
#define WEIR_STATS_STEP_H

#include <stddef.h>

#define WEIR_STEP_FLOOR 0.002

struct weir_step_sample {
	size_t position;
	double value; /* natural logarithm of a figure */
};

/* Fills probability[k] for 1 <= k < positions: the step lies between position k - 1 and k.
 * probability[0] becomes 0. Needs samples at the first and the last position. */
void weir_step_locate(const struct weir_step_sample *samples, size_t count, size_t positions,
                      double *probability);

/* Computes the means on both sides of a step. */
void weir_step_levels(const struct weir_step_sample *samples, size_t count, size_t step,
                      double *before, double *behind);

#endif
