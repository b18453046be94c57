/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows one figure over the recorded runs, in order of recording, and finds its change points.
 * Also draws random trials of unchanged runs. */
#ifndef WEIR_ANALYSIS_COMPARE_HISTORY_H
#define WEIR_ANALYSIS_COMPARE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/model/comparison.h"
#include "engine/model/run.h"

/* The figure to follow: "stage:decode" at p50, "operator:decode/aten::mm" at p95,
 * "metric:tokens_per_s". */
struct weir_history_metric {
	enum weir_scope_kind kind;
	const char *name; /* borrowed from the parsed text */
	size_t name_length;
	enum weir_metric metric;
};

/* Parses SCOPE or SCOPE:METRIC; returns false if there is no scope. The default is p50, or the
 * value of a per-run figure. */
bool weir_history_parse(const char *text, struct weir_history_metric *out);

/* Returns the figure of one run: a quantile in ns, the geometric mean of the deciles for shift, or
 * the per-run figure; NAN: the run lacks it. */
double weir_history_value(const struct weir_run *run, const struct weir_history_metric *metric);

/* Finds the indices at which a new level begins, ascending, at most `most`. Values must be
 * positive; NAN is skipped. */
size_t weir_history_cuts(const double *values, size_t count, size_t *cuts, size_t most);

/* Returns the relative change of the level at run `at`, which begins one: the mean of the values up
 * to the next cut over the mean of those since the cut before, minus 1. NAN is skipped. */
double weir_history_step_at(const double *values, size_t count, const size_t *cuts,
                            size_t cut_count, size_t at);

/* ---- trials: random draws of unchanged runs, which measure the false-alarm rate of a gate ---- */

/*
 * Shuffles 0 .. count-1 into `order` (Fisher and Yates), reproducibly for the same seed and draw:
 * the first runs of a draw act as the baseline, the next as the candidate.
 */
void weir_trial_draw(uint64_t seed, uint64_t draw, size_t count, size_t *order);

/* Computes the 95 % interval of a rate that was measured in `trials` independent trials (E. B.
 * Wilson, JASA 22, 1927); NAN without trials. */
void weir_trial_interval(double rate, double trials, double *low, double *high);

/*
 * Returns the number of independent trials that `draws` random draws of `degree` units out of
 * `units` are worth. Draws share units, and their mean is a U-statistic, whose variance is at most
 * degree / units of that of one draw (W. Hoeffding, Annals of Mathematical Statistics 19, 1948,
 * theorem 5.2). To that comes the chance of the draws:
 *
 *     1 / (degree / units + 1 / draws)
 */
double weir_trial_independent(size_t units, size_t degree, size_t draws);

#endif
