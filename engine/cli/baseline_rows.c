/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/jsonout.h"
#include "engine/cli/baseline_rows.h"
#include "engine/model/comparison.h"
#include "engine/pipeline/history_changes.h"
#include "engine/stats/moments.h"
#include "engine/stats/quantile.h"

#define QUANTILES 4 /* the first metrics of enum weir_metric */

enum column {
	RUN,
	RECORDED,
	COMMIT,
	LABELS,
	SCOPE,
	METRIC,
	UNIT,
	N,
	P50,
	P90,
	P95,
	P99,
	MEAN,
	VALUE,
	COLUMNS
};

static const char *const names[COLUMNS] = {"run",    "recorded", "commit", "labels", "scope",
                                           "metric", "unit",     "n",      "p50",    "p90",
                                           "p95",    "p99",      "mean",   "value"};

/* Tables in the order of the rows. A metric is named by its series. */
static const struct {
	enum weir_run_table table;
	enum weir_scope_kind kind;
	const char *metric, *unit; /* NULL: of the series */
	bool is_time;
} tables[] = {
	{WEIR_RUN_STAGES, WEIR_SCOPE_STAGE, "time", "ns", true},
	{WEIR_RUN_DEVICE, WEIR_SCOPE_DEVICE, "time", "ns", true},
	{WEIR_RUN_OPERATORS, WEIR_SCOPE_OPERATOR, "time", "ns", true},
	{WEIR_RUN_CALLS, WEIR_SCOPE_OPERATOR, "calls", "1", false},
	{WEIR_RUN_METRICS, WEIR_SCOPE_METRIC, NULL, NULL, false},
};

/* One row: a text or a number for each column. */
struct row {
	const char *texts[COLUMNS]; /* NULL: unknown; labels are JSON */
	double numbers[COLUMNS];
};

bool weir_rows_form_parse(const char *name, enum weir_rows_form *out)
{
	*out = strcmp(name, "csv") == 0 ? WEIR_ROWS_CSV : WEIR_ROWS_JSONL;
	return *out == WEIR_ROWS_CSV || strcmp(name, "jsonl") == 0;
}

/* ---- writing ---- */

/* Appends a field; quotes it if it holds a comma, a quote or an end of line. */
static void add_field(struct weir_text *text, const char *field)
{
	if (!strpbrk(field, ",\"\r\n")) {
		weir_text_puts(text, field);
		return;
	}
	weir_text_puts(text, "\"");
	for (const char *at = field; *at; at++) {
		weir_text_puts(text, *at == '"' ? "\"" : "");
		weir_text_add(text, at, 1);
	}
	weir_text_puts(text, "\"");
}

static void add_csv(const struct row *row, struct weir_text *text)
{
	for (unsigned c = 0; c < COLUMNS; c++) {
		struct weir_jsonout number;

		weir_text_puts(text, c ? "," : "");
		weir_jsonout_init(&number, text, false);
		if (c < N)
			add_field(text, row->texts[c] ? row->texts[c] : "");
		else if (!isnan(row->numbers[c]))
			weir_jsonout_double(&number, NULL, row->numbers[c]);
	}
	weir_text_puts(text, "\n");
}

static void add_labels(struct weir_jsonout *json, const char *key, const struct weir_run *run)
{
	const struct weir_run_label **labels = weir_run_labels_sorted(run);

	weir_jsonout_begin_object_inline(json, key);
	for (size_t i = 0; i < run->label_count; i++)
		weir_jsonout_text(json, labels[i]->key, labels[i]->value);
	weir_jsonout_end(json);
	free(labels);
}

static void add_json(const struct row *row, const struct weir_run *run, struct weir_text *text)
{
	struct weir_jsonout json;

	weir_jsonout_init(&json, text, false);
	weir_jsonout_begin_object(&json, NULL);
	for (unsigned c = 0; c < COLUMNS; c++) {
		if (c == LABELS)
			add_labels(&json, names[c], run);
		else if (c < N)
			weir_jsonout_text(&json, names[c], row->texts[c]);
		else
			weir_jsonout_double(&json, names[c], row->numbers[c]);
	}
	weir_jsonout_end(&json);
	weir_text_puts(text, "\n");
}

void weir_rows_begin(enum weir_rows_form form, struct weir_text *text)
{
	for (unsigned c = 0; form == WEIR_ROWS_CSV && c < COLUMNS; c++)
		weir_text_printf(text, "%s%s", names[c], c + 1 < COLUMNS ? "," : "\n");
}

/* ---- figures ---- */

/* Fills the figures of a series from its samples. */
static void measure(const struct weir_series *series, bool is_time, struct row *row)
{
	static const double probs[QUANTILES] = {.5, .9, .95, .99};

	row->numbers[N] = (double)series->count;
	row->numbers[MEAN] = weir_mean(series->value, series->count);
	if (!is_time) {
		row->numbers[VALUE] = weir_median(series->value, series->count);
		return;
	}
	weir_quantiles(series->value, series->count, probs, QUANTILES, &row->numbers[P50]);
}

/* Fills the figures of a series whose samples were dropped. */
static void recall(const struct weir_series *series, bool is_time, struct row *row)
{
	row->numbers[N] = (double)series->dropped;
	if (!is_time)
		row->numbers[VALUE] = series->quantiles[WEIR_METRIC_VALUE];
	for (unsigned q = 0; is_time && q < QUANTILES; q++)
		row->numbers[P50 + q] = series->quantiles[q];
}

static void add_series(enum weir_rows_form form, const struct weir_run *run, struct row *row,
                       size_t table, const struct weir_series *series, struct weir_text *text)
{
	bool is_time = tables[table].is_time;
	struct weir_text scope = {0};

	for (unsigned c = N; c < COLUMNS; c++)
		row->numbers[c] = NAN;
	weir_text_printf(&scope, "%s%s", weir_scope_word(tables[table].kind), series->name);
	row->texts[SCOPE] = scope.data;
	row->texts[METRIC] = tables[table].metric ? tables[table].metric : series->name;
	row->texts[UNIT] = tables[table].unit ? tables[table].unit : series->unit;
	if (series->quantiles)
		recall(series, is_time, row);
	else
		measure(series, is_time, row);
	if (form == WEIR_ROWS_CSV)
		add_csv(row, text);
	else
		add_json(row, run, text);
	weir_text_release(&scope);
}

void weir_rows_add(enum weir_rows_form form, const struct weir_baseline_run *run,
                   struct weir_text *text)
{
	struct row row = {.texts = {[RUN] = run->id, [RECORDED] = run->recorded}};
	struct weir_text labels = {0};
	struct weir_jsonout json;

	weir_jsonout_init(&json, &labels, false);
	add_labels(&json, NULL, run->run);
	row.texts[LABELS] = labels.data;
	row.texts[COMMIT] = weir_history_commit(run->run);
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
		const struct weir_series_table *table =
			weir_run_table_of(run->run, tables[t].table);
		const struct weir_series **sorted = weir_series_sorted(table);

		for (size_t i = 0; i < table->count; i++)
			add_series(form, run->run, &row, t, sorted[i], text);
		free(sorted);
	}
	weir_text_release(&labels);
}
