/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One figure over the runs of a baseline, for `weir history`: its values, change points and drift,
 * and the forms in which they are shown. */
#ifndef WEIR_CLI_HISTORY_SERIES_H
#define WEIR_CLI_HISTORY_SERIES_H

#include "baselines/store.h"
#include "engine/analysis/compare/drift.h"
#include "engine/analysis/compare/history.h"
#include "engine/base/jsonout.h"
#include "engine/base/text.h"

#define WEIR_HISTORY_CUTS 64

struct weir_history_series {
	const char *label; /* borrowed: "stage:decode" */
	struct weir_history_metric metric;
	const struct weir_baseline *baseline; /* borrowed */
	double *values;                 /* owned; one per run; NAN: the run lacks the metric */
	size_t cuts[WEIR_HISTORY_CUTS]; /* runs at which a new level begins */
	size_t cut_count;
	const struct weir_drift_figure *drift; /* borrowed; NULL: no drift */
};

/* Computes the series; false: no run has the figure. Release it with
 * weir_history_series_release(), also after false. drift: of the whole baseline. */
bool weir_history_series_init(struct weir_history_series *series, const char *label,
                              const struct weir_baseline *baseline, const struct weir_drift *drift);
void weir_history_series_release(struct weir_history_series *series);

/* Returns the relative change of the level at a change point. */
double weir_history_step(const struct weir_history_series *series, size_t run);
/* Appends a value with its unit. */
void weir_history_value_text(struct weir_text *text, const struct weir_history_series *series,
                             double value);
/* Appends "stage:decode p50", without a metric in the label twice. */
void weir_history_title(struct weir_text *text, const struct weir_history_series *series);
/* Appends run id, time, commit and labels of a change point: "run 775861cfac23, 2026-11-20 14:00,
 * commit 1a2b3c, variant slow5". */
void weir_history_place(struct weir_text *text, const struct weir_baseline_run *run);

/* Appends `prefix` and the labels that change at a change point, or nothing; see history_changes.h.
 */
void weir_history_changed(struct weir_text *text, const char *prefix,
                          const struct weir_history_series *series, size_t run);

/* Appends "slow drift: +5.1 % against the oldest runs", or "in all: ..." behind change points,
 * which explain it. There must be a drift. */
void weir_history_drift(struct weir_text *text, const struct weir_history_series *series);

void weir_history_text(struct weir_text *text, const struct weir_history_series *series);
void weir_history_json(struct weir_jsonout *json, const struct weir_history_series *series);
/* Appends a card with one chart, the n-th of the page from 0; weir_history_html_begin() and _end()
 * make a page of several. */
void weir_history_html(struct weir_text *text, const struct weir_history_series *series,
                       size_t index);
void weir_history_html_begin(struct weir_text *text, const char *name);
void weir_history_html_end(struct weir_text *text);

#endif
