/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shrinks the variances of many subjects, each with few degrees of freedom, towards their common
 * value (empirical Bayes; G. K. Smyth, Linear models and empirical Bayes methods for assessing
 * differential expression in microarray experiments, Statistical Applications in Genetics and
 * Molecular Biology 3(1), 2004; numbers equal to those of limma 3.54.1). The common mode of the
 * runs must be removed before, since it makes all variances alike.
 */
#ifndef WEIR_STATS_MODERATED_H
#define WEIR_STATS_MODERATED_H

#include <stddef.h>

#include "engine/base/error.h"

/* Largest number of prior degrees of freedom in the gate. */
#define WEIR_SHRINK_MOST_PRIOR_DF 50.0

struct weir_variances {
	const double *variances; /* [count] */
	const double *df;        /* [count], above 0: degrees of freedom of each */
	size_t count;            /* at least 2 */
};

struct weir_shrinkage {
	double prior_df;       /* d0 after the ceiling; INFINITY: all variances are equal */
	double prior_variance; /* s0 */
};

/*
 * Writes the shrunken variances to `shrunken`, which may be the input array. The degrees of freedom
 * of a test are then df[i] + prior_df. A ceiling of INFINITY does not limit. WEIR_E_INTERNAL: a
 * special function failed.
 */
enum weir_status weir_shrink(const struct weir_variances *in, double ceiling, double *shrunken,
                             struct weir_shrinkage *out, struct weir_error *err);

#endif
