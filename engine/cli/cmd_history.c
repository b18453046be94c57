/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/store.h"
#include "engine/base/arena.h"
#include "engine/base/jsonout.h"
#include "engine/cli/command.h"
#include "engine/cli/history_explain.h"
#include "engine/cli/history_series.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/gating.h"

#define NEWEST 10 /* runs that --fail looks at */

static const char *const formats[] = {"text", "json", "html", NULL};

static const struct weir_option options[] = {
	{.name = "fail",
         .help = "exit with 1 if a change point of at least the margin lies in the newest runs, or "
                 "if they drifted away from the oldest ones"},
	{.name = "newest",
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "number of runs that --fail and the test for drift take for new (default 10)"},
	{.name = "explain",
         .help = "show the share of the variance that each label explains, instead of the runs"},
	WEIR_DB_OPTION,
	WEIR_CONFIG_OPTION,
	{.name = "format",
         .letter = 'f',
         .kind = WEIR_OPTION_CHOICE,
         .value = "FORMAT",
         .choices = formats,
         .help = "text (default), json or html (a page with charts)"},
	{.name = NULL},
};

/* Output in one of the formats, and what --fail looks for. */
struct sink {
	struct weir_text text;
	struct weir_jsonout json;
	enum { AS_TEXT, AS_JSON, AS_HTML } form;
	const struct weir_baseline *baseline;
	const struct weir_compare_policy *policy;
	const struct weir_drift *drift;
	size_t newest; /* runs that --fail looks at */
	size_t charts; /* on the page so far */
	bool explains; /* shows labels instead of runs */
	bool moved;    /* a change point lies in them, or they drifted */
};

/* Returns true if a level begins in the newest runs that differs by the margin. */
static bool has_moved(const struct sink *sink, const struct weir_history_series *series)
{
	struct weir_text scope = {0};
	double margin;
	bool moved = series->drift != NULL;

	weir_text_add(&scope, series->label,
	              (size_t)(series->metric.name - series->label) + series->metric.name_length);
	margin = sink->policy->margin(sink->policy->context, scope.data, series->metric.metric);
	for (size_t i = 0; i < series->cut_count; i++)
		if (series->cuts[i] + sink->newest >= sink->baseline->count &&
		    fabs(weir_history_step(series, series->cuts[i])) >= margin)
			moved = true;
	weir_text_release(&scope);
	return moved;
}

/* Returns false if no run has the figure. */
static bool show(struct sink *sink, const char *label)
{
	struct weir_history_series series;
	bool known = weir_history_series_init(&series, label, sink->baseline, sink->drift);

	if (known) {
		sink->moved = sink->moved || has_moved(sink, &series);
		if (sink->explains && sink->form == AS_JSON)
			weir_history_explain_json(&sink->json, &series);
		else if (sink->explains)
			weir_history_explain_text(&sink->text, &series);
		else if (sink->form == AS_JSON)
			weir_history_json(&sink->json, &series);
		else if (sink->form == AS_HTML)
			weir_history_html(&sink->text, &series, sink->charts++);
		else
			weir_history_text(&sink->text, &series);
	}
	weir_history_series_release(&series);
	return known;
}

/* Names of the series of all kinds in the newest run: "stage:decode". The caller frees the list and
 * its texts. */
static char **labels_of(const struct weir_run *run, bool shown_alone)
{
	static const struct {
		enum weir_run_table table;
		enum weir_scope_kind kind;
		bool shown; /* without METRIC */
	} parts[] = {{WEIR_RUN_STAGES, WEIR_SCOPE_STAGE, true},
	             {WEIR_RUN_METRICS, WEIR_SCOPE_METRIC, true},
	             {WEIR_RUN_DEVICE, WEIR_SCOPE_DEVICE, false},
	             {WEIR_RUN_OPERATORS, WEIR_SCOPE_OPERATOR, false}};
	char **labels = NULL;
	size_t count = 0, capacity = 0;

	for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
		const struct weir_series_table *table = weir_run_table_of(run, parts[p].table);

		for (size_t i = 0; i < table->count && (parts[p].shown || !shown_alone); i++) {
			struct weir_text label = {0};

			weir_text_printf(&label, "%s%s", weir_scope_word(parts[p].kind),
			                 table->items[i].name);
			labels = weir_grow(labels, &capacity, count + 2, sizeof(*labels));
			labels[count++] = weir_alloc_text(label.data);
			weir_text_release(&label);
		}
	}
	labels = weir_grow(labels, &capacity, count + 1, sizeof(*labels));
	labels[count] = NULL;
	return labels;
}

static void labels_free(char **labels)
{
	for (size_t i = 0; labels[i]; i++)
		free(labels[i]);
	free(labels);
}

static enum weir_status fail_unknown(const struct weir_baseline *baseline, const char *label,
                                     struct weir_error *err)
{
	char **labels = labels_of(baseline->runs[baseline->count - 1].run, false);
	struct weir_history_metric metric;
	struct weir_text scope = {0};
	const char *nearest;

	weir_history_parse(label, &metric);
	weir_text_add(&scope, label, (size_t)(metric.name - label) + metric.name_length);
	nearest = weir_text_nearest(scope.data, (const char *const *)labels);
	if (!nearest)
		nearest = labels[0];
	weir_fail(err, WEIR_E_USAGE, "no run of %s has \"%.200s\"%s%.200s%s", baseline->name,
	          scope.data, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
	          nearest ? "\"?" : "");
	weir_text_release(&scope);
	labels_free(labels);
	return err->status;
}

static enum weir_status show_chosen(struct sink *sink, const char *label, struct weir_error *err)
{
	const struct weir_baseline *baseline = sink->baseline;
	char **labels;

	if (label)
		return show(sink, label) ? WEIR_OK : fail_unknown(baseline, label, err);
	labels = labels_of(baseline->runs[baseline->count - 1].run, true);
	for (size_t i = 0; labels[i]; i++)
		show(sink, labels[i]);
	labels_free(labels);
	return WEIR_OK;
}

static enum weir_status load(const struct weir_arguments *arguments, struct weir_baseline **out,
                             struct weir_error *err)
{
	const struct weir_store_query query = {.name = weir_arguments_at(arguments, 0),
	                                       .history = true};

	return weir_store_load_from(weir_db_path(arguments), &query, out, err);
}

static enum weir_status check(const struct weir_arguments *arguments, struct weir_error *err)
{
	const char *label = weir_arguments_at(arguments, 1);
	const char *format = weir_option_text(arguments, "format");
	struct weir_history_metric metric;

	if (weir_option_given(arguments, "explain") && format && strcmp(format, "html") == 0)
		return weir_fail(err, WEIR_E_USAGE,
		                 "--explain has no html page; expected --format text or json");
	if (!label || weir_history_parse(label, &metric))
		return WEIR_OK;
	return weir_fail(
		err, WEIR_E_USAGE,
		"\"%s\" is not a metric; expected stage:NAME, stage:NAME:p95, device:STAGE, "
		"operator:STAGE/NAME or metric:NAME",
		label);
}

/* Tests the current runs for drift; what a promotion replaced is another level on purpose. */
static void find_drift(const struct sink *sink, struct weir_drift *drift)
{
	const struct weir_baseline *baseline = sink->baseline;
	const struct weir_run **runs = weir_alloc((baseline->count + 1) * sizeof(*runs));
	bool *pinned = weir_alloc((baseline->count + 1) * sizeof(*pinned));
	size_t count = 0, skipped = 0;

	for (size_t i = 0; i < baseline->count; i++) {
		if (baseline->runs[i].history) {
			skipped++;
		} else {
			pinned[count] = baseline->runs[i].pinned;
			runs[count++] = baseline->runs[i].run;
		}
	}
	weir_drift_find(runs, pinned, count, sink->newest, sink->policy, drift);
	/* The oldest come first, and runs that a promotion replaced may lie between. */
	for (size_t f = 0; skipped > 0 && f < drift->count; f++)
		for (size_t c = 0; c < drift->figures[f].carrier_count; c++) {
			size_t left = drift->figures[f].carriers[c], at = 0;

			while (baseline->runs[at].history || left > 0)
				left -= baseline->runs[at++].history ? 0 : 1;
			drift->figures[f].carriers[c] = at;
		}
	free(pinned);
	free(runs);
}

static enum weir_status write_all(struct sink *sink, const char *label, struct weir_error *err)
{
	enum weir_status status;

	weir_jsonout_init(&sink->json, &sink->text, true);
	if (sink->form == AS_JSON)
		weir_jsonout_begin_array(&sink->json, NULL);
	if (sink->form == AS_HTML)
		weir_history_html_begin(&sink->text, sink->baseline->name);
	status = show_chosen(sink, label, err);
	if (sink->form == AS_HTML)
		weir_history_html_end(&sink->text);
	if (!status && sink->form == AS_JSON) {
		weir_jsonout_end(&sink->json);
		weir_text_puts(&sink->text, "\n");
	}
	return status ? status : weir_output_write(NULL, &sink->text, err);
}

static enum weir_status history(const struct weir_arguments *arguments, bool *moved,
                                struct weir_error *err)
{
	const char *format = weir_option_text(arguments, "format");
	struct sink sink = {.newest = weir_option_count(arguments, "newest", NEWEST),
	                    .explains = weir_option_given(arguments, "explain")};
	const char *label = weir_arguments_at(arguments, 1);
	struct weir_compare_policy compared;
	struct weir_baseline *baseline;
	struct weir_policy *policy;
	struct weir_drift drift;
	enum weir_status status = check(arguments, err);

	if (!status)
		status = weir_policy_today(weir_option_text(arguments, "config"), &policy, err);
	if (status)
		return status;
	status = load(arguments, &baseline, err);
	if (!status) {
		compared = weir_gating_policy(policy);
		sink.baseline = baseline;
		sink.policy = &compared;
		sink.drift = &drift;
		if (format)
			sink.form = strcmp(format, "json") == 0   ? AS_JSON
			            : strcmp(format, "html") == 0 ? AS_HTML
			                                          : AS_TEXT;
		find_drift(&sink, &drift);
		status = write_all(&sink, label, err);
		*moved = sink.moved;
		weir_drift_release(&drift);
		weir_text_release(&sink.text);
		weir_baseline_free(baseline);
	}
	weir_policy_free(policy);
	return status;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	size_t count = weir_arguments_count(arguments);
	bool moved = false;
	enum weir_status status;

	if (count < 1 || count > 2)
		return weir_exit_of(
			weir_fail(err, WEIR_E_USAGE, "usage: weir history NAME [METRIC]"));
	status = history(arguments, &moved, err);
	if (!status && moved && weir_option_given(arguments, "fail"))
		return WEIR_EXIT_REGRESSION;
	return weir_exit_of(status);
}

/* Offers nothing for METRIC. */
static enum weir_completion complete(const char *word, size_t index)
{
	(void)word;
	(void)index;
	return WEIR_COMPLETES_NOTHING;
}

const struct weir_command weir_command_history = {
	.name = "history",
	.summary = "show a metric over the recorded runs, with change points",
	.arguments = "NAME [METRIC]",
	.completes = WEIR_COMPLETES_BASELINES,
	.completes_after = complete,
	.description = "Shows one metric of every run that the baseline ever held, in order of "
		       "recording, and marks the runs at which its level changes (E-divisive with "
		       "a permutation test at 1 %), with run id, commit and labels. The newest "
		       "current runs are tested for slow drift away from the oldest ones.\n\n"
		       "METRIC is stage:NAME, device:STAGE, operator:STAGE/NAME or metric:NAME, "
		       "and may end with :p50, :p90, :p95, :p99 or :shift. Without METRIC, history "
		       "shows the p50 of every stage and every per-run metric.\n\n"
		       "--explain tells which labels go together with the figure (driver, host, "
		       "torch and the like): the share of the variance of its logarithm between "
		       "the values of each label, adjusted for their number, with the p-value of "
		       "an F test adjusted over the labels. It proves no cause: weir history "
		       "main stage:decode --explain",
	.options = options,
	.exits = WEIR_ENDS(WEIR_EXIT_REGRESSION) | WEIR_ENDS(WEIR_EXIT_NO_BASELINE) |
                 WEIR_ENDS(WEIR_EXIT_STORE),
	.example = "weir history main-h200 stage:prefill:p95",
	.example_shows = "shows the p95 of the stage prefill over all recorded runs",
	.run = run,
};
