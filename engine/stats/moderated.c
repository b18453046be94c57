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

/* ---- few subjects that may move together ---- */

/* Returns the squared correlation of two subjects over the columns that both have; NAN: one of them
 * does not scatter. */
static double squared_correlation(const struct weir_variance_pool *pool, size_t a, size_t b)
{
	const double *left = pool->deviations + a * pool->columns;
	const double *right = pool->deviations + b * pool->columns;
	double both = 0, of_left = 0, of_right = 0;

	for (size_t i = 0; i < pool->columns; i++) {
		if (isnan(left[i]) || isnan(right[i]))
			continue;
		both += left[i] * right[i];
		of_left += left[i] * left[i];
		of_right += right[i] * right[i];
	}
	return both * both / (of_left * of_right);
}

static bool in_pool(const struct weir_variance_pool *pool, size_t subject)
{
	return pool->variances[subject] > 0;
}

/* Returns the mean degrees of freedom of the variances in the pool, and sets their number. */
static double mean_df(const struct weir_variance_pool *pool, size_t *count)
{
	double sum = 0;

	*count = 0;
	for (size_t i = 0; i < pool->subjects; i++)
		if (in_pool(pool, i)) {
			sum += pool->df[i];
			++*count;
		}
	return sum / (double)*count;
}

#define MOST_COMPARED 50 /* subjects whose pairs are compared, to bound the time */

double weir_pool_independent(const struct weir_variance_pool *pool)
{
	size_t count, compared = 0, pairs = 0, chosen[MOST_COMPARED];
	double df = mean_df(pool, &count), sum = 0, chance, c;

	for (size_t i = 0; i < pool->subjects && compared < MOST_COMPARED; i++)
		if (in_pool(pool, i))
			chosen[compared++] = i;
	for (size_t a = 1; a < compared; a++)
		for (size_t b = 0; b < a; b++) {
			double square = squared_correlation(pool, chosen[a], chosen[b]);

			sum += isnan(square) ? 1 : square;
			pairs++;
		}
	if (pairs == 0 || !(df > 1))
		return 1;
	chance = 1 / df;
	c = fmax(0, (sum / (double)pairs - chance) / (1 - chance));
	return (double)count / (1 + (double)(count - 1) * fmin(c, 1));
}

void weir_pool_moderate(const struct weir_variance_pool *pool)
{
	size_t count, at = 0;
	double df = mean_df(pool, &count);
	double ceiling =
		fmin(WEIR_SHRINK_MOST_PRIOR_DF, 0.5 * (weir_pool_independent(pool) - 1) * df);
	double *variances = weir_alloc((2 * count + 1) * sizeof(*variances));
	struct weir_variances in = {variances, variances + count, count};
	struct weir_shrinkage prior;

	for (size_t i = 0; i < pool->subjects; i++)
		if (in_pool(pool, i)) {
			variances[at] = pool->variances[i];
			variances[count + at++] = pool->df[i];
		}
	at = 0;
	/* Without a prior each variance stands for itself. */
	if (count > 1 && ceiling > 0 && !weir_shrink(&in, ceiling, variances, &prior, NULL))
		for (size_t i = 0; i < pool->subjects; i++)
			if (in_pool(pool, i)) {
				pool->variances[i] = fmax(pool->variances[i], variances[at++]);
				pool->df[i] += prior.prior_df;
			}
	free(variances);
}
