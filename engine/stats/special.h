/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Student's t and the trigamma function. All are NAN where an argument is NAN or outside the
 * domain. Degrees of freedom need not be whole; above 1e6, and for INFINITY, the normal is used.
 * Tails are computed as such, never as 1 - P, so that 1e-189 is a p-value.
 */
#ifndef WEIR_STATS_SPECIAL_H
#define WEIR_STATS_SPECIAL_H

/* Switches the error handler of GSL off, which would end the program. Idempotent; whatever here
 * may fail calls it, so that nobody has to remember it. */
void weir_stats_init(void);

/* P(T > t) and P(T <= t). */
double weir_t_upper(double t, double df);
double weir_t_lower(double t, double df);
/* Both at once: the larger is 1 less the smaller, which loses nothing. */
void weir_t_tails(double t, double df, double *upper, double *lower);
/* The t with P(T > t) = p. */
double weir_t_quantile_upper(double p, double df);

/* psi(x) and its derivative, for x > 0. */
double weir_digamma(double x);
double weir_trigamma(double x);
/* The y > 0 with trigamma(y) = x, for x > 0 (G. K. Smyth, Statistical Applications in Genetics and
 * Molecular Biology 3(1), 2004, appendix: Newton's method on 1/trigamma, monotone). */
double weir_trigamma_inverse(double x);

#endif
