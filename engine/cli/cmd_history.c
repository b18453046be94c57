/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/store.h"
#include "engine/analysis/compare/history.h"
#include "engine/base/arena.h"
#include "engine/base/jsonout.h"
#include "engine/cli/command.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"

#define MAX_CUTS    64
#define BAR_COLUMNS 30

static const char *const formats[] = {"text", "json", NULL};

static const struct weir_option options[] = {
	WEIR_DB_OPTION,
	{.name = "format",
         .letter = 'f',
         .kind = WEIR_OPTION_CHOICE,
         .value = "FORMAT",
         .choices = formats,
         .help = "text (default) or json"},
	{.name = NULL},
};

/* Values of one metric over the runs of a baseline, and its change points. */
struct series {
	const char *label; /* "stage:decode" */
	struct weir_history_metric metric;
	const struct weir_baseline *baseline;
	double *values;        /* one per run; NAN: the run lacks the metric */
	size_t cuts[MAX_CUTS]; /* runs at which a new level begins */
	size_t cut_count;
};

static void series_init(struct series *series, const struct weir_baseline *baseline)
{
	series->baseline = baseline;
	series->values = weir_alloc((baseline->count + 1) * sizeof(*series->values));
	for (size_t i = 0; i < baseline->count; i++)
		series->values[i] = weir_history_value(baseline->runs[i].run, &series->metric);
	series->cut_count =
		weir_history_cuts(series->values, baseline->count, series->cuts, MAX_CUTS);
}

static bool is_cut(const struct series *series, size_t run)
{
	for (size_t i = 0; i < series->cut_count; i++)
		if (series->cuts[i] == run)
			return true;
	return false;
}

static void range_of(const struct series *series, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (size_t i = 0; i < series->baseline->count; i++)
		if (!isnan(series->values[i])) {
			*least = fmin(*least, series->values[i]);
			*most = fmax(*most, series->values[i]);
		}
}

static void add_value(struct weir_text *text, const struct series *series, double value)
{
	if (isnan(value))
		weir_text_puts(text, "-");
	else if (series->metric.metric == WEIR_METRIC_VALUE)
		weir_text_printf(text, "%.4g", value);
	else
		weir_text_duration(text, value);
}

/* Returns the mean of the level that contains a run, between two change points. */
static double level_of(const struct series *series, size_t run)
{
	size_t first = 0, end = series->baseline->count, known = 0;
	double sum = 0;

	for (size_t i = 0; i < series->cut_count; i++) {
		if (series->cuts[i] <= run)
			first = series->cuts[i];
		else if (series->cuts[i] < end)
			end = series->cuts[i];
	}
	for (size_t i = first; i < end; i++)
		if (!isnan(series->values[i])) {
			sum += series->values[i];
			known++;
		}
	return known ? sum / (double)known : NAN;
}

/* Appends "  2026-11-20 14:00   0.572 ms  ······●      <- +4.7 %". */
static void add_run(struct weir_text *text, const struct series *series, size_t run, double least,
                    double most)
{
	double value = series->values[run];
	struct weir_text number = {0};
	size_t at = most > least
	                    ? (size_t)lround((value - least) / (most - least) * (BAR_COLUMNS - 1))
	                    : 0;

	add_value(&number, series, value);
	weir_text_printf(text, "  %.10s %.5s  %10s  ", series->baseline->runs[run].recorded,
	                 series->baseline->runs[run].recorded + 11, number.data);
	weir_text_release(&number);
	if (!isnan(value)) {
		weir_text_repeat(text, "·", at);
		weir_text_puts(text, "●");
	}
	if (is_cut(series, run) && run > 0) {
		weir_text_repeat(text, " ", BAR_COLUMNS - at);
		weir_text_printf(text, "<- %+.1f %%",
		                 100 * (level_of(series, run) / level_of(series, run - 1) - 1));
	}
	weir_text_puts(text, "\n");
}

static void add_series(struct weir_text *text, const struct series *series)
{
	double least, most;

	range_of(series, &least, &most);
	weir_text_add(text, series->label,
	              (size_t)(series->metric.name - series->label) + series->metric.name_length);
	weir_text_printf(text, " %s over %zu runs: ", weir_metric_name(series->metric.metric),
	                 series->baseline->count);
	if (!(most >= least)) {
		weir_text_puts(text, "no run has this metric\n");
		return;
	}
	add_value(text, series, least);
	weir_text_puts(text, " to ");
	add_value(text, series, most);
	weir_text_printf(text, ", %zu change point%s\n", series->cut_count,
	                 series->cut_count == 1 ? "" : "s");
	for (size_t i = 0; i < series->baseline->count; i++)
		add_run(text, series, i, least, most);
}

static void put_series(struct weir_jsonout *json, const struct series *series)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "scope", series->label);
	weir_jsonout_text(json, "metric", weir_metric_name(series->metric.metric));
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

/* Output, as text or as JSON. */
struct sink {
	struct weir_text text;
	struct weir_jsonout json;
	bool as_json;
};

static void show(struct sink *sink, const struct weir_baseline *baseline, const char *label)
{
	struct series series = {.label = label};

	weir_history_parse(label, &series.metric);
	series_init(&series, baseline);
	if (sink->as_json)
		put_series(&sink->json, &series);
	else
		add_series(&sink->text, &series);
	free(series.values);
}

/* Shows the p50 of every stage of the newest run, and its per-run metrics. */
static void show_all(struct sink *sink, const struct weir_baseline *baseline)
{
	const struct weir_run *newest = baseline->runs[baseline->count - 1].run;
	struct weir_text label = {0};

	for (size_t i = 0; i < newest->stages.count; i++) {
		weir_text_clear(&label);
		weir_text_printf(&label, "stage:%s", newest->stages.items[i].name);
		show(sink, baseline, label.data);
	}
	for (size_t i = 0; i < newest->metrics.count; i++) {
		weir_text_clear(&label);
		weir_text_printf(&label, "metric:%s", newest->metrics.items[i].name);
		show(sink, baseline, label.data);
	}
	weir_text_release(&label);
}

static enum weir_status load(const struct weir_arguments *arguments, struct weir_baseline **out,
                             struct weir_error *err)
{
	const struct weir_store_query query = {.name = weir_arguments_at(arguments, 0),
	                                       .history = true};

	return weir_store_load_from(weir_db_path(arguments), &query, out, err);
}

static enum weir_status check_metric(const char *label, struct weir_error *err)
{
	struct weir_history_metric metric;

	if (!label || weir_history_parse(label, &metric))
		return WEIR_OK;
	return weir_fail(
		err, WEIR_E_USAGE,
		"\"%s\" is not a metric; expected stage:NAME, stage:NAME:p95, device:STAGE, "
		"operator:STAGE/NAME or metric:NAME",
		label);
}

static enum weir_status history(const struct weir_arguments *arguments, struct weir_error *err)
{
	const char *format = weir_option_text(arguments, "format");
	struct sink sink = {.as_json = format && strcmp(format, "json") == 0};
	const char *label = weir_arguments_at(arguments, 1);
	struct weir_baseline *baseline;
	enum weir_status status = check_metric(label, err);

	if (!status)
		status = load(arguments, &baseline, err);
	if (status)
		return status;
	weir_jsonout_init(&sink.json, &sink.text, true);
	if (sink.as_json)
		weir_jsonout_begin_array(&sink.json, NULL);
	if (label)
		show(&sink, baseline, label);
	else
		show_all(&sink, baseline);
	if (sink.as_json) {
		weir_jsonout_end(&sink.json);
		weir_text_puts(&sink.text, "\n");
	}
	status = weir_output_write(NULL, &sink.text, err);
	weir_text_release(&sink.text);
	weir_baseline_free(baseline);
	return status;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	size_t count = weir_arguments_count(arguments);

	if (count < 1 || count > 2)
		return weir_exit_of(
			weir_fail(err, WEIR_E_USAGE, "usage: weir history NAME [METRIC]"));
	return weir_exit_of(history(arguments, err));
}

const struct weir_command weir_command_history = {
	.name = "history",
	.summary = "show a metric over the recorded runs, with change points",
	.arguments = "NAME [METRIC]",
	.description = "Shows one metric of every run that the baseline ever held, in order of "
		       "recording, and marks the runs at which its level changes (E-divisive with "
		       "a permutation test at 1 %).\n\n"
		       "METRIC is stage:NAME, device:STAGE, operator:STAGE/NAME or metric:NAME, "
		       "and may end with :p50, :p90, :p95, :p99 or :shift. Without METRIC, history "
		       "shows the p50 of every stage and every per-run metric.",
	.options = options,
	.exits = WEIR_ENDS(WEIR_EXIT_NO_BASELINE) | WEIR_ENDS(WEIR_EXIT_STORE),
	.example = "weir history main-h200 stage:decode:p95",
	.example_shows = "shows the p95 of the stage decode over all recorded runs",
	.run = run,
};
