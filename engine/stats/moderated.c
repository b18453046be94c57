/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/moderated.h"
#include "engine/stats/moments.h"
#include "engine/stats/quantile.h"
#include "engine/stats/special.h"

/* Variances below this share of their median are raised to it: their logs would dominate the fit of
 * the prior. */
#define LEAST_SHARE 1e-5

/* The mean and variance of the log of a variance with df degrees of freedom: psi(d/2) - log(d/2)
 * and psi1(d/2). Kept because most subjects have the same df. */
struct log_moments {
	double df, offset, spread;
};

static void moments_of(double df, struct log_moments *of)
{
	if (of->df == df)
		return;
	of->df = df;
	of->offset = weir_digamma(df / 2) - log(df / 2);
	of->spread = weir_trigamma(df / 2);
}

/* Fits the prior by Smyth 2004, section 6.2, with the mean of psi1(d/2) if degrees of freedom
 * differ. */
static enum weir_status fit_prior(const double *logs, double spread, size_t count,
                                  struct weir_shrinkage *out, struct weir_error *err)
{
	double mean = weir_mean(logs, count);
	double excess = weir_variance(logs, count) - spread;

	out->prior_df = INFINITY;
	if (excess > 0) {
		out->prior_df = 2 * weir_trigamma_inverse(excess);
		out->prior_variance =
			exp(mean + weir_digamma(out->prior_df / 2) - log(out->prior_df / 2));
	}
	if (isnan(excess) || isnan(out->prior_df) || isnan(out->prior_variance))
		return weir_fail(err, WEIR_E_INTERNAL, "the prior of the variances has no value");
	return WEIR_OK;
}

static double pull(double variance, double df, const struct weir_shrinkage *prior)
{
	double d0 = prior->prior_df;

	if (isinf(d0))
		return prior->prior_variance;
	return (d0 * prior->prior_variance + df * variance) / (d0 + df);
}

enum weir_status weir_shrink(const struct weir_variances *in, double ceiling, double *shrunken,
                             struct weir_shrinkage *out, struct weir_error *err)
{
	double median = weir_median(in->variances, in->count);
	double least = LEAST_SHARE * (median > 0 ? median : 1);
	double *logs = weir_alloc((in->count + 1) * sizeof(*logs));
	struct log_moments of = {.df = NAN};
	enum weir_status status;
	double spread = 0;
	double sum = 0;

	for (size_t i = 0; i < in->count; i++) {
		double variance = in->variances[i];

		variance = variance < least ? least : variance; /* keeps a NAN */
		moments_of(in->df[i], &of);
		logs[i] = log(variance) - of.offset;
		spread += of.spread / (double)in->count;
		sum += variance;
	}
	out->prior_variance = sum / (double)in->count;
	status = fit_prior(logs, spread, in->count, out, err);
	free(logs);
	if (status)
		return status;
	out->prior_df = fmin(out->prior_df, ceiling);
	for (size_t i = 0; i < in->count; i++)
		shrunken[i] = pull(in->variances[i], in->df[i], out);
	return WEIR_OK;
}
