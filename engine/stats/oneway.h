/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One-way analysis of variance: the share of the variance of values that lies between groups. The F
 * test assumes independent, normal values with one variance. Runs that follow each other are not
 * independent, so that a p-value here explains and does not decide.
 */
#ifndef WEIR_STATS_ONEWAY_H
#define WEIR_STATS_ONEWAY_H

#include <stddef.h>

struct weir_oneway {
	/* Estimate of the share of the variance between groups, adjusted for their number: omega
	 * squared = (SSB - (k - 1) MSW) / (SST + MSW) (W. L. Hays, Statistics, 1963); below 0 it
	 * is 0. NAN if it is not tested. */
	double share;
	double f; /* MSB / MSW; INFINITY if values differ between groups only */
	double p; /* P(F(k - 1, n - k) >= f) */
};

/* Tests values[0..count), each in the group of the same index; groups are numbered 0..groups - 1
 * and none is empty. All results are NAN for fewer than two groups, for as many groups as values,
 * and if all values are equal. Values must be finite. */
struct weir_oneway weir_oneway(const double *values, const size_t *group, size_t count,
                               size_t groups);

#endif
