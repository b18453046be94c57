/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variance components of runs that were measured in sessions (jobs). The value of run r of session
 * i on side s is a nested random-effects model (S. R. Searle, G. Casella and C. E. McCulloch,
 * Variance Components, 1992, chapter 3):
 *
 *     y = mean(s) + a(i) + e(i, r)         a, e: independent, variances A and E
 *
 * There are two designs. In both, the caller owns all arrays, values are natural logs, and NAN is
 * an absent run.
 *
 * Blocks: at least one session holds runs of both sides. The effect of each session is removed as a
 * fixed effect (intra-block analysis; F. Yates, Annals of Eugenics 10, 1940), so that A does not
 * matter. With b(i) and c(i) runs of the two sides in session i:
 *
 *     change = sum w(i) d(i) / sum w(i)    w(i) = b(i) c(i) / (b(i) + c(i)), d(i): difference of
 * means variance of the change = E / sum w(i), N - (sessions) - 1 degrees of freedom
 *
 * Nested: no session holds both sides. The mean of a session is the unit:
 *
 *     change = mean of the candidate's session means - mean of the baseline's
 *     S = pooled variance of session means, K - 2 degrees of freedom, K sessions in all
 *     E[S] = A + E q                       q = sum over sessions of (1 - 1/k(s)) / n(i) / (K - 2)
 *     variance of the change = h S + max(0, g - h q) E
 *     h = sum over sides 1/k(s),  g = sum over sessions of 1 / (k(s)^2 n(i))
 *
 * With equal numbers of runs g = h q, and the t test on session means is exact. Else the sum
 * has the degrees of freedom of F. E. Satterthwaite (Biometrics Bulletin 2, 1946). A negative
 * difference is not used: the variance is then a little too large.
 */
#ifndef WEIR_STATS_SESSIONS_H
#define WEIR_STATS_SESSIONS_H

#include <stddef.h>

/* Runs and the session of each. Baseline runs come first. */
struct weir_session_layout {
	size_t runs, baseline_runs;
	size_t sessions;
	const size_t *session; /* [runs]: below `sessions` */
};

/* ---- blocks ---- */

struct weir_block_fit {
	double width; /* 1 / sum w: the variance of the change is E x width; NAN: no shared block */
	size_t lost;  /* degrees of freedom that the effects of sessions take: sessions - 1 */
};

/* Writes y without the effects of its sessions to `aligned`: the difference of the means of both
 * sides is then the change above, and the sum of squares around them belongs to the fit. Without a
 * session that holds both sides, `aligned` is all NAN. */
void weir_block_align(const struct weir_session_layout *layout, const double *y, double *aligned,
                      struct weir_block_fit *fit);

/* ---- nested ---- */

/* Variance of a run around the mean of its session, and its share of the change. */
struct weir_session_error {
	double variance; /* E; NAN: no session has two runs */
	double df;
	double excess; /* max(0, g - h q) */
};

/* Writes the mean of each session to means[layout->sessions], NAN without a run. Sessions of the
 * baseline are numbered before those of the candidate. */
void weir_session_reduce(const struct weir_session_layout *layout, const double *y, double *means,
                         struct weir_session_error *error);

/* Adds the excess of the runs to the variance of a session mean, and sets the degrees of freedom of
 * the sum. width is h. */
void weir_session_combine(const struct weir_session_error *error, double width, double *variance,
                          double *df);

#endif
