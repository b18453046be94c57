/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/cli/history_series.h"
#include "engine/pipeline/history_changes.h"
#include "engine/report/plain/escape.h"

#define BAR_COLUMNS 30
#define SHORT_ID    12

bool weir_history_series_init(struct weir_history_series *series, const char *label,
                              const struct weir_baseline *baseline, const struct weir_drift *drift)
{
	bool any = false;
	size_t length;

	*series = (struct weir_history_series){.label = label, .baseline = baseline};
	weir_history_parse(label, &series->metric);
	series->values = weir_alloc((baseline->count + 1) * sizeof(*series->values));
	for (size_t i = 0; i < baseline->count; i++) {
		series->values[i] = weir_history_value(baseline->runs[i].run, &series->metric);
		any = any || !isnan(series->values[i]);
	}
	series->cut_count =
		weir_history_cuts(series->values, baseline->count, series->cuts, WEIR_HISTORY_CUTS);
	length = (size_t)(series->metric.name - label) + series->metric.name_length;
	for (size_t i = 0; i < drift->count; i++)
		if (drift->figures[i].cell.drifts && strlen(drift->figures[i].scope) == length &&
		    strncmp(drift->figures[i].scope, label, length) == 0)
			series->drift = &drift->figures[i];
	return any;
}

void weir_history_series_release(struct weir_history_series *series)
{
	free(series->values);
	*series = (struct weir_history_series){0};
}

static bool is_cut(const struct weir_history_series *series, size_t run)
{
	for (size_t i = 0; i < series->cut_count; i++)
		if (series->cuts[i] == run)
			return true;
	return false;
}

static void range_of(const struct weir_history_series *series, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (size_t i = 0; i < series->baseline->count; i++)
		if (!isnan(series->values[i])) {
			*least = fmin(*least, series->values[i]);
			*most = fmax(*most, series->values[i]);
		}
}

void weir_history_value_text(struct weir_text *text, const struct weir_history_series *series,
                             double value)
{
	if (isnan(value))
		weir_text_puts(text, "-");
	else if (series->metric.metric == WEIR_METRIC_VALUE)
		weir_text_printf(text, "%.4g", value);
	else
		weir_text_duration(text, value);
}

double weir_history_step(const struct weir_history_series *series, size_t run)
{
	return weir_history_step_at(series->values, series->baseline->count, series->cuts,
	                            series->cut_count, run);
}

void weir_history_title(struct weir_text *text, const struct weir_history_series *series)
{
	weir_text_add(text, series->label,
	              (size_t)(series->metric.name - series->label) + series->metric.name_length);
	weir_text_printf(text, " %s", weir_metric_name(series->metric.metric));
}

void weir_history_place(struct weir_text *text, const struct weir_baseline_run *run)
{
	const struct weir_run_label **labels = weir_run_labels_sorted(run->run);
	const char *commit = weir_history_commit(run->run);

	weir_text_printf(text, "run %.*s, %.10s %.5s", SHORT_ID, run->id ? run->id : "-",
	                 run->recorded, run->recorded + 11);
	if (commit) {
		weir_text_puts(text, ", commit ");
		weir_escape_plain(text, commit);
	}
	for (size_t i = 0; i < run->run->label_count; i++) {
		if (labels[i]->value == commit || weir_run_label_is_derived(labels[i]))
			continue;
		weir_text_puts(text, ", ");
		weir_escape_plain(text, labels[i]->key);
		weir_text_puts(text, " ");
		weir_escape_plain(text, labels[i]->value);
	}
	free(labels);
}

void weir_history_changed(struct weir_text *text, const char *prefix,
                          const struct weir_history_series *series, size_t run)
{
	struct weir_changes changes;

	weir_changes_find(&changes, series->baseline, series->cuts, series->cut_count, run);
	weir_changes_text(&changes, prefix, text);
	weir_changes_release(&changes);
}

/* Appends "  2026-11-20 14:00   0.572 ms  ······●      <- +4.7 %". */
static void add_run(struct weir_text *text, const struct weir_history_series *series, size_t run,
                    double least, double most)
{
	double value = series->values[run];
	struct weir_text number = {0};
	size_t at = most > least
	                    ? (size_t)lround((value - least) / (most - least) * (BAR_COLUMNS - 1))
	                    : 0;

	weir_history_value_text(&number, series, value);
	weir_text_printf(text, "  %.10s %.5s  %10s  ", series->baseline->runs[run].recorded,
	                 series->baseline->runs[run].recorded + 11, number.data);
	weir_text_release(&number);
	if (!isnan(value)) {
		weir_text_repeat(text, "·", at);
		weir_text_puts(text, "●");
	}
	if (is_cut(series, run) && run > 0) {
		weir_text_repeat(text, " ", BAR_COLUMNS - at);
		weir_text_printf(text, "<- %+.1f %%", 100 * weir_history_step(series, run));
	}
	weir_text_puts(text, "\n");
}

void weir_history_drift(struct weir_text *text, const struct weir_history_series *series)
{
	const struct weir_drift_cell *cell = &series->drift->cell;
	double sign = series->drift->higher_is_better ? -1 : 1;

	weir_text_printf(text, "%s%+.1f %% against the oldest runs (adjusted p %.2g)",
	                 series->cut_count > 0 ? "in all: " : "slow drift: ",
	                 100 * expm1(sign * cell->change), cell->p_adjusted);
}

/* Appends one line per change point, and one for drift. */
static void add_places(struct weir_text *text, const struct weir_history_series *series)
{
	for (size_t i = 0; i < series->cut_count; i++) {
		weir_text_printf(text, "  %+.1f %% at ",
		                 100 * weir_history_step(series, series->cuts[i]));
		weir_history_place(text, &series->baseline->runs[series->cuts[i]]);
		weir_history_changed(text, "\n    labels that change there: ", series,
		                     series->cuts[i]);
		weir_text_puts(text, "\n");
	}
	if (!series->drift)
		return;
	weir_text_puts(text, "  ");
	weir_history_drift(text, series);
	weir_text_puts(text, "\n");
}

void weir_history_text(struct weir_text *text, const struct weir_history_series *series)
{
	double least, most;

	range_of(series, &least, &most);
	weir_history_title(text, series);
	weir_text_printf(text, " over %zu runs: ", series->baseline->count);
	if (!(most >= least)) {
		weir_text_puts(text, "no run has this metric\n");
		return;
	}
	weir_history_value_text(text, series, least);
	weir_text_puts(text, " to ");
	weir_history_value_text(text, series, most);
	weir_text_printf(text, ", %zu change point%s\n", series->cut_count,
	                 series->cut_count == 1 ? "" : "s");
	add_places(text, series);
	for (size_t i = 0; i < series->baseline->count; i++)
		add_run(text, series, i, least, most);
}

static void put_change_point(struct weir_jsonout *json, const struct weir_history_series *series,
                             size_t run)
{
	const struct weir_baseline_run *entry = &series->baseline->runs[run];
	const struct weir_run_label **labels = weir_run_labels_sorted(entry->run);
	struct weir_changes changes;

	weir_jsonout_begin_object_inline(json, NULL);
	weir_jsonout_int(json, "run", (int64_t)run);
	weir_jsonout_text(json, "id", entry->id);
	weir_jsonout_text(json, "recorded", entry->recorded);
	weir_jsonout_text(json, "commit", weir_history_commit(entry->run));
	weir_jsonout_share(json, "change", weir_history_step(series, run));
	weir_jsonout_begin_object_inline(json, "labels");
	for (size_t i = 0; i < entry->run->label_count; i++)
		if (!weir_run_label_is_derived(labels[i]))
			weir_jsonout_text(json, labels[i]->key, labels[i]->value);
	weir_jsonout_end(json);
	weir_changes_find(&changes, series->baseline, series->cuts, series->cut_count, run);
	weir_changes_json(&changes, json);
	weir_changes_release(&changes);
	weir_jsonout_end(json);
	free(labels);
}

static void put_drift(struct weir_jsonout *json, const struct weir_history_series *series)
{
	const struct weir_drift_figure *drift = series->drift;

	if (!drift) {
		weir_jsonout_null(json, "drift");
		return;
	}
	weir_jsonout_begin_object(json, "drift");
	weir_jsonout_share(json, "change",
	                   expm1(drift->cell.change * (drift->higher_is_better ? -1 : 1)));
	weir_jsonout_double(json, "p_adjusted", drift->cell.p_adjusted);
	weir_jsonout_begin_array(json, "runs");
	for (size_t i = 0; i < drift->carrier_count; i++)
		weir_jsonout_text(json, NULL, series->baseline->runs[drift->carriers[i]].id);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

void weir_history_json(struct weir_jsonout *json, const struct weir_history_series *series)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "scope", series->label);
	weir_jsonout_text(json, "metric", weir_metric_name(series->metric.metric));
	weir_jsonout_begin_array(json, "change_points");
	for (size_t i = 0; i < series->cut_count; i++)
		put_change_point(json, series, series->cuts[i]);
	weir_jsonout_end(json);
	put_drift(json, series);
	weir_jsonout_begin_array(json, "runs");
	for (size_t i = 0; i < series->baseline->count; i++) {
		weir_jsonout_begin_object_inline(json, NULL);
		weir_jsonout_text(json, "recorded", series->baseline->runs[i].recorded);
		weir_jsonout_double(json, "value", series->values[i]);
		weir_jsonout_bool(json, "change_point", is_cut(series, i));
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}
