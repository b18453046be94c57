/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Estimates the ratio of the scatter of the candidate's runs to that of the baseline's.
 *
 * Student's test takes both sides for equally noisy. If the fewer runs of the candidate scatter
 * more, the standard error is too small: with three times the deviation, 8 against 3 runs of four
 * unchanged stages were red in 8 % of gates. Welch's test would lose too many degrees of freedom
 * with three runs; but the noise of a machine is common to all subjects, so that they estimate one
 * ratio together.
 */
#ifndef WEIR_STATS_NOISE_H
#define WEIR_STATS_NOISE_H

#include <stdbool.h>
#include <stddef.h>

/* All arrays are borrowed. */
struct weir_noise_pool {
	const double *deviations; /* [subject][columns]: logarithms around the
	                                  means of the sides; NAN: absent */
	const bool *used;         /* [subject] */
	size_t subjects, columns;
	size_t baselines;   /* the columns of the baseline, which come first */
	double least;       /* variance that is assumed at least */
	double independent; /* number of subjects that are independent in effect */
};

/*
 * Returns the ratio of the variances, candidate over baseline, if it is significantly above 1, else
 * 1. It is the F statistic of the sums of squares of all subjects, each in units of the subject's
 * pooled variance, and is tested at 5 % with the degrees of freedom of the independent subjects.
 */
double weir_noise_ratio(const struct weir_noise_pool *pool);

#endif
