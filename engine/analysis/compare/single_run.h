/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits the suspects of a single candidate run, for any number of rows and any shape of their
 * noise. Student's prediction interval of each row assumes normal runs; with hundreds of rows its
 * extreme tail is used, where that is wrong by orders of magnitude. Therefore the whole run is also
 * compared with the baseline's own runs: every run is held against all the others, its most
 * deviating row gives one number z, and the candidate's z must exceed the prediction interval of
 * the baseline's z at WEIR_SINGLE_RUN_ALPHA:
 *
 *     t(r, row) = (y(r) - mean of the other runs) / (s of the other runs x sqrt(1 + 1/B))
 *     z(r)      = normal quantile of the smallest one-sided p of t(r, row), B - 1 degrees
 *     z(candidate) - mean z > t(1 - alpha, B - 1) s(z) sqrt(1 + 1/B)
 *
 * This is the externally studentised residual (R. D. Cook and S. Weisberg, Residuals and Influence
 * in Regression, 1982, section 2.2.1), under no change the same for every run. p95 and p99 have a
 * separate z, as they scatter more. Limit: the runs of the baseline must show the noise; a slow
 * mode that none of them shows looks like a change.
 */
#ifndef WEIR_ANALYSIS_COMPARE_SINGLE_RUN_H
#define WEIR_ANALYSIS_COMPARE_SINGLE_RUN_H

#include "engine/analysis/compare/compared.h"

/* Levels of the two groups of rows, together below one gate of twenty. The z of a lumpy tail is far
 * from normal, therefore its level is a tenth. */
#define WEIR_SINGLE_RUN_ALPHA       0.02
#define WEIR_SINGLE_RUN_ALPHA_TAILS 0.002

/*
 * Least change, in margins, of p50, p90, shift and figures. One run shows the drift between two
 * sessions in full, and the baseline's runs need not contain it: a drift of sd 2 % passes one
 * margin of 3 % in 7 gates of 100, two in 0.2.
 */
#define WEIR_SINGLE_RUN_MARGINS 2.0

/* Removes regressions that the candidate run as a whole does not support. Call it after the cells
 * are decided and have their power. Without effect unless there is exactly one candidate run and a
 * test of it. */
void weir_single_run_limit(struct weir_comparing *comparing);

#endif
