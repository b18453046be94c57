/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests one run (or a few) against one. There is no variance between runs, so that each operator is
 * compared with the spread of all operators: z = (log ratio - median) / scale, with
 *
 *     scale^2 = max(MAD^2, tau^2 + error^2) + floor^2
 *
 * MAD is scaled to a standard deviation (1.4826); error is the within-run standard error of the
 * ratio; tau^2 = max(0, MAD^2 - median error^2) is the spread that it does not explain; floor^2
 * contains quantisation and the 0.2 % between runs that always exist. p comes from the t
 * distribution with 4 degrees of freedom for one run against one, else 8: heavy tails account for
 * the unknown spread. The test sees one operator that moves alone, never a shift of all.
 */
#ifndef WEIR_STATS_OUTLIER_H
#define WEIR_STATS_OUTLIER_H

#include <stddef.h>

#define WEIR_OUTLIER_DF_ONE 4.0 /* one run against one */
#define WEIR_OUTLIER_DF_FEW 8.0
/* The level at which the rates of false alarms and the power in docs/statistics.md, 7.8, were
 * measured. */
#define WEIR_OUTLIER_ALPHA 0.05

struct weir_outlier_input {
	const double *ratio; /* [operator]: log of candidate over baseline */
	const double *error; /* [operator]; NAN: not known. NULL: none is known */
	const double *floor; /* [operator]: variance that is always added */
	size_t count;
	double df;
};

struct weir_outlier_cell {
	double relative; /* ratio minus the median */
	double scale;    /* standard deviation of `relative` */
	double p, p_faster;
};

/* Fills out[count]. */
void weir_outlier_test(const struct weir_outlier_input *in, struct weir_outlier_cell *out);

/*
 * Returns the standard error of the log of a run's quantile, from consecutive batches of its
 * samples, which includes autocorrelation. NAN for fewer than 2 batches of 2 samples, or if a
 * quantile is not positive.
 */
double weir_outlier_batch_error(const double *values, size_t count, double prob, size_t batches);

#endif
