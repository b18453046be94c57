/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run (or a few) against one: no variance between runs can be had, so that each operator is
 * held against the spread of all operators. z = (log ratio - median) / scale, with
 *
 *     scale^2 = max(MAD^2, tau^2 + error^2) + floor^2
 *
 * MAD scaled to a standard deviation (1.4826); error is the within-run standard error of the ratio,
 * tau^2 = max(0, MAD^2 - median error^2) what it does not explain; floor^2 holds quantisation and
 * the 0.2 % between runs that is always there. p comes from t with 4 degrees of freedom for one run
 * against one, else 8: heavy tails stand for the spread not known. Sees one operator that moves
 * alone, never a shift of all.
 */
#ifndef WEIR_STATS_OUTLIER_H
#define WEIR_STATS_OUTLIER_H

#include <stddef.h>

#define WEIR_OUTLIER_DF_ONE 4.0 /* one run against one */
#define WEIR_OUTLIER_DF_FEW 8.0
/* The level at which the false alarms and powers of docs/statistics.md, 7.8, were measured. */
#define WEIR_OUTLIER_ALPHA 0.05

struct weir_outlier_input {
	const double *ratio; /* [operator]: log of candidate over baseline */
	const double *error; /* [operator]; NAN: not known. NULL: none known */
	const double *floor; /* [operator]: variance that is always added */
	size_t count;
	double df;
};

struct weir_outlier_cell {
	double relative; /* ratio less the median */
	double scale;    /* its standard deviation */
	double p, p_faster;
};

/* Fills out[count]; no cells for no operators. */
void weir_outlier_test(const struct weir_outlier_input *in, struct weir_outlier_cell *out);

/* Standard error of the log of a run's quantile, from consecutive batches of its samples, so that
 * autocorrelation is in it. NAN for fewer than 2 batches of 2 samples, or values of 0 and below. */
double weir_outlier_batch_error(const double *values, size_t count, double prob, size_t batches);

#endif
