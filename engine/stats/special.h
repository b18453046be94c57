/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Student's t and the trigamma function. Results are NAN if an argument is NAN or outside the
 * domain. Degrees of freedom need not be integers; above 1e6, and for INFINITY, the normal
 * distribution is used. Tails are computed directly, never as 1 - P, so that p-values such as
 * 1e-189 are exact.
 */
#ifndef WEIR_STATS_SPECIAL_H
#define WEIR_STATS_SPECIAL_H

/* Disables the error handler of GSL, which would abort the program. Idempotent; every function here
 * that may fail calls it. */
void weir_stats_init(void);

/* P(T > t). */
double weir_t_upper(double t, double df);
/* Computes both tails: the larger one as 1 minus the smaller one, which loses no precision. */
void weir_t_tails(double t, double df, double *upper, double *lower);
/* Returns the t with P(T > t) = p. */
double weir_t_quantile_upper(double p, double df);

/* P(F > f), for f >= 0 and degrees of freedom above 0. */
double weir_f_upper(double f, double numerator_df, double denominator_df);

/* P(Z > z) of the standard normal distribution, and the z with P(Z > z) = p for 0 < p < 1. */
double weir_normal_upper(double z);
double weir_normal_quantile_upper(double p);

/* psi(x) and its derivative, for x > 0. */
double weir_digamma(double x);
double weir_trigamma(double x);
/* Returns the y > 0 with trigamma(y) = x, for x > 0 (G. K. Smyth, Statistical Applications in
 * Genetics and Molecular Biology 3(1), 2004, appendix: Newton's method on 1/trigamma, monotone). */
double weir_trigamma_inverse(double x);

#endif
