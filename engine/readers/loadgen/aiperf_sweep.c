/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the table (CSV) that AIPerf writes of a sweep: a row for each load, with its parameters,
 * and for each metric the mean over the trials of that load, its spread and its extremes:
 *
 *	concurrency,request_latency_mean,request_latency_std,request_latency_min,...
 *	16,2334.77,0.00,2334.77,...
 *
 * The metrics are means of all requests in the units of AIPerf's other files (genai_metrics.h);
 * names such as "request_latency_p99_mean" are percentiles. Tables below the first one, behind a
 * blank line, repeat its best rows and are left out. All rows are one run, with the load in the
 * names of its figures (load_join.h).
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/loadgen/genai_metrics.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/readers.h"

#define MAX_COLUMNS 512
#define MAX_NAME    64
#define MIN_METRICS 3 /* known metrics that make a table of this format */

static const struct weir_csv_options options = {.separator = ',', .quotes = true, .trim = true};

struct column {
	const struct weir_genai_metric *metric; /* NULL: a condition, or not read */
	char statistic[WEIR_GENAI_COLUMN_NAME]; /* of the requests: "avg", "p99" */
	char condition[MAX_NAME];               /* name of its label; "": none */
};

struct sweep {
	struct weir_input *input;
	struct column columns[MAX_COLUMNS];
	size_t count;
	bool ended; /* a blank line came behind rows */
	struct weir_load_join join;
};

/* Removes an ending from a name. Returns false if the name lacks it. */
static bool remove_ending(struct weir_slice *name, const char *ending)
{
	if (!weir_slice_ends(*name, ending))
		return false;
	name->length -= strlen(ending);
	return true;
}

/* True for the name of a statistic over the trials other than their mean. */
static bool is_spread(struct weir_slice name)
{
	static const char *const endings[] = {"_std", "_min",    "_max",    "_cv",
	                                      "_se",  "_ci_low", "_ci_high"};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (weir_slice_ends(name, endings[i]))
			return true;
	return false;
}

/* Finds the metric of "request_latency" or "request_latency_p99", and the statistic. */
static void find_metric(struct weir_slice name, struct column *column)
{
	static const char *const statistics[] = {"avg", "p50", "p75", "p90", "p95", "p99"};

	column->metric = weir_genai_metric_find(name);
	memcpy(column->statistic, "avg", sizeof("avg"));
	for (size_t i = 0; !column->metric && i < sizeof(statistics) / sizeof(*statistics); i++) {
		struct weir_slice rest = name;

		if (!remove_ending(&rest, statistics[i]) || !remove_ending(&rest, "_"))
			continue;
		column->metric = weir_genai_metric_find(rest);
		memcpy(column->statistic, statistics[i], sizeof("avg"));
	}
}

static struct column describe(struct weir_slice name)
{
	struct column column = {.metric = NULL};

	if (remove_ending(&name, "_mean"))
		find_metric(name, &column);
	else if (!is_spread(name) && name.length && name.length < MAX_NAME)
		memcpy(column.condition, name.data, name.length);
	return column;
}

/* Returns 8 for each byte of the known columns; 0: it is no such table. */
static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[MAX_COLUMNS];
	size_t count = 0, found = 0;
	int bits = 0;
	bool has_spread = false;

	while (!count && weir_csv_take_line(&rest, &line))
		count = weir_csv_split(line, &options, cells, MAX_COLUMNS);
	for (size_t i = 0; i < count; i++) {
		has_spread |= weir_slice_ends(cells[i], "_cv");
		if (!describe(cells[i]).metric)
			continue;
		bits += 8 * (int)cells[i].length;
		found++;
	}
	return found >= MIN_METRICS && has_spread ? bits : 0;
}

/* ---- rows ---- */

/* The units of AIPerf's files, which the table does not repeat. */
static struct weir_slice unit_of(const struct weir_genai_metric *metric)
{
	switch (metric->kind) {
	case WEIR_GENAI_TIMES:
		return weir_slice_of("ms");
	case WEIR_GENAI_SECONDS:
		return weir_slice_of("sec");
	case WEIR_GENAI_RATE:
		return weir_slice_of("/s");
	case WEIR_GENAI_COUNT:
	case WEIR_GENAI_SIGNED:
		break;
	}
	return weir_slice_of("");
}

static void take_cell(struct weir_genai_reading *reading, const struct column *column,
                      struct weir_slice cell, struct weir_run *run, uint64_t at)
{
	struct weir_genai_statistic statistic = {
		.metric = column->metric, .name = weir_slice_of(column->statistic), .at = at};
	bool odd;

	if (*column->condition)
		weir_figure_label(run, column->condition, cell);
	if (!column->metric)
		return;
	statistic.unit = unit_of(column->metric);
	statistic.value = weir_genai_parse_number(cell, &odd);
	if (odd)
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	else
		weir_genai_take_statistic(reading, &statistic);
}

static enum weir_status take_row(struct sweep *sweep, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct weir_genai_reading reading = {.input = sweep->input};
	struct weir_run *run;

	if (row->cut || row->count != sweep->count) {
		weir_input_warn(sweep->input, row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW,
		                row->at, NULL);
		if (row->count != sweep->count)
			return WEIR_OK;
	}
	run = weir_run_new();
	weir_client_summary_init(&reading.summary);
	reading.summary.tpot_by_request = true;
	reading.summary.rounding = WEIR_GENAI_ROUNDING;
	/* The last number of a row without an end may be cut. */
	for (size_t i = 0; i + row->cut < row->count; i++)
		take_cell(&reading, &sweep->columns[i], row->cells[i], run, row->at);
	return weir_load_join_end(&sweep->join, &reading.summary, run, sweep->input, err);
}

/* Takes the header, or a row of the first table. */
static enum weir_status take_line(struct sweep *sweep, const struct weir_csv_row *row,
                                  struct weir_error *err)
{
	if (!row->count) {
		sweep->ended = sweep->count > 0;
		return WEIR_OK;
	}
	if (sweep->ended)
		return WEIR_OK;
	if (sweep->count)
		return take_row(sweep, row, err);
	if (row->count > MAX_COLUMNS)
		return weir_fail(err, WEIR_E_LIMIT, "more than %d columns", MAX_COLUMNS);
	sweep->count = row->count;
	for (size_t i = 0; i < row->count; i++)
		sweep->columns[i] = describe(row->cells[i]);
	return WEIR_OK;
}

static enum weir_status conclude(struct sweep *sweep, struct weir_error *err)
{
	if (!sweep->join.count && !sweep->join.empty)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no load in this table: expected rows with numbers under "
		                 "request_latency_mean, request_throughput_mean and the like");
	sweep->join.all_labels = true;
	return weir_load_join_finish_figures(&sweep->join, sweep->input, err);
}

static enum weir_status read_sweep(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct sweep *sweep = weir_alloc(sizeof(*sweep));
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_skipped *skipped = weir_csv_skipped(csv);
	const struct weir_csv_row *row;
	enum weir_status status = WEIR_OK;

	sweep->input = input;
	while (!status && !(status = weir_csv_next(csv, &row, err)) && row)
		status = take_line(sweep, row, err);
	if (skipped->count)
		weir_input_warn(input, WEIR_WARN_RAGGED_ROW, skipped->first_at, "too long");
	weir_damage_of_source(input, source);
	weir_csv_free(csv);
	if (!status)
		status = conclude(sweep, err);
	weir_load_join_release(&sweep->join);
	free(sweep);
	return status;
}

const struct weir_reader weir_reader_aiperf_sweep = {
	.name = "aiperf-sweep",
	.title = "the table (CSV) of a sweep of AIPerf, one run of several loads",
	.gives = "native run",
	.tool = "AIPerf",
	.whole_run = true,
	.sniff = sniff,
	.read = read_sweep,
};
