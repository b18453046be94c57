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

/*
 * Moderates the variances of runs or session means over the subjects of a row, which few of them
 * need, although the subjects may move together: weir_shrink() with a ceiling of half of (m - 1) K'
 * prior degrees of freedom. One variance has K', and m is the number of subjects that are
 * independent in effect:
 *
 *     m = subjects / (1 + (subjects - 1) c)
 *
 * c is the mean squared correlation of the deviations of two subjects, less the 1 / K' that
 * independent subjects have by chance. Subjects that all move together (c = 1) give no
 * prior at all. A variance is never lowered. deviations is [subject][columns] around the means of
 * the sides; NAN: absent. docs/statistics.md has the rates of false alarms, also of subjects whose
 * sd differ sixfold.
 */
struct weir_variance_pool {
	const double *deviations;
	size_t subjects, columns;
	double *variances; /* [subject]: replaced; NAN: not in the pool */
	double *df;        /* [subject]: replaced */
};

void weir_pool_moderate(const struct weir_variance_pool *pool);

/* Returns the number of subjects that are independent in effect, at least 1. */
double weir_pool_independent(const struct weir_variance_pool *pool);

#endif
