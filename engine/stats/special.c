/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_psi.h>

#include "engine/stats/special.h"

#define NORMAL_FROM_DF 1e6
/* Between these, GSL expands the tail of t with relative errors up to 3e-7. */
#define EXPANSION_FROM_DF 30
#define EXPANSION_TO_DF   1000

void weir_stats_init(void)
{
	gsl_set_error_handler_off();
}

static bool is_df(double df)
{
	return df > 0; /* false for NAN */
}

/* Returns the value, or NAN if the function failed; callers see it in their results. */
static double value_of(int status, const gsl_sf_result *result)
{
	return status == GSL_SUCCESS || status == GSL_EUNDRFLW ? result->val : NAN;
}

/* Returns the tail for t > 0 by the incomplete beta function, on the side where it is small. */
static double upper_by_beta(double t, double df)
{
	gsl_sf_result result;
	double sum = df + t * t;

	if (t > 1)
		return value_of(gsl_sf_beta_inc_e(df / 2, 0.5, df / sum, &result), &result) / 2;
	return 0.5 - value_of(gsl_sf_beta_inc_e(0.5, df / 2, t * t / sum, &result), &result) / 2;
}

double weir_t_upper(double t, double df)
{
	weir_stats_init();
	if (isnan(t) || !is_df(df))
		return NAN;
	if (isinf(t))
		return t > 0 ? 0 : 1;
	if (df > NORMAL_FROM_DF)
		return gsl_cdf_ugaussian_Q(t);
	if (df < EXPANSION_FROM_DF || df > EXPANSION_TO_DF)
		return gsl_cdf_tdist_Q(t, df);
	return t > 0 ? upper_by_beta(t, df) : 1 - upper_by_beta(-t, df);
}

void weir_t_tails(double t, double df, double *upper, double *lower)
{
	double small = weir_t_upper(fabs(t), df);

	*upper = t > 0 ? small : 1 - small;
	*lower = t > 0 ? 1 - small : small;
}

double weir_t_quantile_upper(double p, double df)
{
	weir_stats_init();
	if (!(p >= 0 && p <= 1) || !is_df(df))
		return NAN;
	return df > NORMAL_FROM_DF ? gsl_cdf_ugaussian_Qinv(p) : gsl_cdf_tdist_Qinv(p, df);
}

double weir_f_upper(double f, double numerator_df, double denominator_df)
{
	return gsl_cdf_fdist_Q(f, numerator_df, denominator_df);
}

double weir_normal_upper(double z)
{
	weir_stats_init();
	return gsl_cdf_ugaussian_Q(z);
}

double weir_normal_quantile_upper(double p)
{
	weir_stats_init();
	return gsl_cdf_ugaussian_Qinv(p);
}

double weir_digamma(double x)
{
	gsl_sf_result result;

	weir_stats_init();
	if (!(x > 0))
		return NAN;
	return value_of(gsl_sf_psi_e(x, &result), &result);
}

double weir_trigamma(double x)
{
	gsl_sf_result result;

	weir_stats_init();
	if (!(x > 0))
		return NAN;
	return value_of(gsl_sf_psi_1_e(x, &result), &result);
}

static double tetragamma(double x)
{
	gsl_sf_result result;

	return value_of(gsl_sf_psi_n_e(2, x, &result), &result);
}

double weir_trigamma_inverse(double x)
{
	double y;

	if (!(x > 0))
		return NAN;
	if (x > 1e7) /* at both ends, the leading term of the series is exact to rounding */
		return 1 / sqrt(x);
	if (x < 1e-6)
		return 1 / x;
	y = 0.5 + 1 / x;
	for (int i = 0; i < 50; i++) {
		double trigamma = weir_trigamma(y);
		double step = trigamma * (1 - trigamma / x) / tetragamma(y);

		y += step;
		if (!(fabs(step / y) >= 1e-8)) /* a NAN also ends the loop */
			break;
	}
	return y;
}
