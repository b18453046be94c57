/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/guidellm_csv.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"

#define HEADERS     3 /* rows: group, name, unit or statistic */
#define PERCENTILES "Percentiles"

enum kind {
	VALUE,      /* a number or a text */
	STATISTICS, /* four columns: mean, median, deviation, list of percentiles */
	OBJECT,     /* JSON, whose members are below the path */
	LOAD,       /* JSON with lists: a number for each load point */
};

/* Columns, and where the JSON report holds their values. */
static const struct column {
	const char *group, *name, *path;
	enum kind kind;
} columns[] = {
	{"Run Info", "Profile", "config/strategy", LOAD},
	{"Run Info", "Backend", "config/backend", OBJECT},
	{"Benchmark", "Strategy", "config/strategy/type_", VALUE},
	{"Timings", "Duration", "duration", VALUE},
	{"Timings", "Warmup", "warmup_duration", VALUE},
	{"Timings", "Cooldown", "cooldown_duration", VALUE},
	{"Request Counts", "Successful", "metrics/request_totals/successful", VALUE},
	{"Request Counts", "Incomplete", "metrics/request_totals/incomplete", VALUE},
	{"Request Counts", "Errored", "metrics/request_totals/errored", VALUE},
	{"Request Counts", "Total", "metrics/request_totals/total", VALUE},
	{"Request Latency", "Successful Sec", "metrics/request_latency/successful", STATISTICS},
	{"Time to First Token", "Successful ms", "metrics/time_to_first_token_ms/successful",
         STATISTICS},
	{"Time per Output Token", "Successful ms", "metrics/time_per_output_token_ms/successful",
         STATISTICS},
	{"Inter Token Latency", "Successful ms", "metrics/inter_token_latency_ms/successful",
         STATISTICS},
	{"Server Throughput", "Successful Requests/Sec", "metrics/requests_per_second/successful",
         STATISTICS},
	{"Token Metrics", "Successful Input Tokens", "metrics/prompt_token_count/successful",
         STATISTICS},
	{"Token Metrics", "Successful Output Tokens", "metrics/output_token_count/successful",
         STATISTICS},
	{"Token Throughput", "Successful Input Tokens/Sec",
         "metrics/prompt_tokens_per_second/successful", STATISTICS},
	{"Token Throughput", "Successful Output Tokens/Sec",
         "metrics/output_tokens_per_second/successful", STATISTICS},
	{"Token Throughput", "Successful Total Tokens/Sec", "metrics/tokens_per_second/successful",
         STATISTICS},
	{"Scheduler Metrics", "Request Targeted Start Delay Avg",
         "scheduler_metrics/request_targeted_start_delay_avg", VALUE},
	{"Runtime Info", "Metadata", "metadata", OBJECT},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* Statistics that the report names, and their keys there. */
static const struct {
	const char *name, *key;
} statistics[] = {{"Mean", "mean"}, {"Median", "median"}};

/* Keys of a list of percentiles, in its order. */
static const char *const percentiles[] = {"p001", "p01", "p05", "p10", "p25", "p50",
                                          "p75",  "p90", "p95", "p99", "p999"};

/* A column of the file that is read. */
struct mapped {
	const struct column *column;
	const char *statistic; /* key of it; PERCENTILES: a list of them; NULL: a value alone */
};

struct table {
	const struct weir_guidellm_rows *rows;
	struct weir_input *input;
	struct weir_text groups, names; /* the first two rows as they were written */
	struct mapped *mapped;          /* one for each column of the file */
	size_t count, capacity;
	size_t headers; /* rows of the header that were read */
	size_t points;
	struct weir_text cell; /* a cell with readable bytes behind it */
};

static const struct weir_csv_options csv_options = {.separator = ',', .quotes = true};

/* ---- header ---- */

static const struct column *find_column(struct weir_slice group, struct weir_slice name)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (weir_slice_equals(group, columns[i].group) &&
		    weir_slice_equals(name, columns[i].name))
			return &columns[i];
	return NULL;
}

static const char *find_statistic(struct weir_slice unit)
{
	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++)
		if (weir_slice_equals(unit, statistics[i].name))
			return statistics[i].key;
	return weir_slice_equals(unit, PERCENTILES) ? PERCENTILES : NULL;
}

static void map_columns(struct table *table, const struct weir_csv_row *units)
{
	struct weir_slice *cells = weir_alloc(2 * (units->count + 1) * sizeof(*cells));
	struct weir_slice *names = cells + units->count;
	struct weir_slice lines[] = {{table->groups.data, table->groups.length},
	                             {table->names.data, table->names.length}};
	size_t count = weir_csv_split(lines[0], &csv_options, cells, units->count);
	size_t named = weir_csv_split(lines[1], &csv_options, names, units->count);

	count = named < count ? named : count;
	table->mapped =
		weir_grow(table->mapped, &table->capacity, count + 1, sizeof(*table->mapped));
	table->count = count;
	for (size_t i = 0; i < count; i++) {
		struct mapped *mapped = &table->mapped[i];

		*mapped = (struct mapped){.column = find_column(cells[i], names[i])};
		if (!mapped->column || mapped->column->kind != STATISTICS)
			continue;
		mapped->statistic = find_statistic(units->cells[i]);
		if (!mapped->statistic)
			mapped->column = NULL;
	}
	free(cells);
}

static void take_header(struct table *table, const struct weir_csv_row *row)
{
	struct weir_text *kept = table->headers ? &table->names : &table->groups;

	if (++table->headers < HEADERS)
		weir_text_add(kept, row->line.data, row->line.length);
	else
		map_columns(table, row);
}

/* ---- rows ---- */

/* Gives the text as the leaf "PATH/KEY", or "PATH" without a key. */
static enum weir_status give_leaf(struct table *table, const char *path, const char *key,
                                  struct weir_jsonleaf leaf, struct weir_error *err)
{
	struct weir_text full = {0};
	enum weir_status status;

	weir_text_printf(&full, "%s%s%s", path, key ? "/" : "", key ? key : "");
	leaf.path = full.data;
	status = table->rows->leaf(table->rows->context, &leaf, err);
	weir_text_release(&full);
	return status;
}

static enum weir_status give_percentiles(struct table *table, const struct column *column,
                                         struct weir_slice list, uint64_t at,
                                         struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(list);
	enum weir_status status = WEIR_OK;
	struct weir_text key = {0};

	if (!weir_jsoncursor_enter(&cursor, '['))
		return WEIR_OK;
	for (size_t i = 0; !status && i < sizeof(percentiles) / sizeof(percentiles[0]) &&
	                   weir_jsoncursor_item(&cursor);
	     i++) {
		weir_text_clear(&key);
		weir_text_printf(&key, "percentiles/%s", percentiles[i]);
		status = give_leaf(
			table, column->path, key.data,
			(struct weir_jsonleaf){.text = weir_jsoncursor_scalar(&cursor), .at = at},
			err);
	}
	weir_text_release(&key);
	return status;
}

/* Takes a member of the profile. A list has a number for each load point: the leaf is the one of
 * this row. */
static enum weir_status take_load(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct table *table = context;
	struct weir_jsoncursor cursor = weir_jsoncursor_on(leaf->text);
	struct weir_jsonleaf own = *leaf;

	if (leaf->quoted || !weir_jsoncursor_enter(&cursor, '['))
		return WEIR_OK;
	for (size_t i = 0; i < table->points; i++) {
		if (!weir_jsoncursor_item(&cursor))
			return WEIR_OK;
		own.text = weir_jsoncursor_scalar(&cursor);
	}
	return table->rows->leaf(table->rows->context, &own, err);
}

/* Gives the members of a cell that holds a JSON object. The figures are in other cells, so that one
 * that is damaged is a warning. */
static void give_members(struct table *table, const struct column *column, struct weir_slice text,
                         uint64_t at)
{
	const struct weir_jsonleaves leaves = {
		.leaf = column->kind == LOAD ? take_load : table->rows->leaf,
		.context = column->kind == LOAD ? table : table->rows->context,
		.lists = column->kind == LOAD,
	};

	if (weir_jsonleaves_walk(&leaves, weir_slice_of(column->path), text, at, NULL))
		weir_input_warn(table->input, WEIR_WARN_SKIPPED_EVENT, at, column->name);
}

static enum weir_status take_cell(struct table *table, const struct mapped *mapped,
                                  struct weir_slice text, uint64_t at, struct weir_error *err)
{
	static const char padding[WEIR_JSONSCAN_PADDING];
	const struct column *column = mapped->column;
	struct weir_jsonleaf leaf = {.quoted = column->kind == VALUE, .at = at};
	size_t length = text.length;
	double number;

	if (!length)
		return WEIR_OK;
	weir_text_clear(&table->cell);
	weir_text_add(&table->cell, text.data, length);
	weir_text_add(&table->cell, padding, sizeof(padding));
	leaf.text = (struct weir_slice){table->cell.data, length};
	leaf.quoted &= !weir_parse_double(leaf.text.data, length, &number);
	if (column->kind == OBJECT || column->kind == LOAD) {
		give_members(table, column, leaf.text, at);
		return WEIR_OK;
	}
	if (mapped->statistic && strcmp(mapped->statistic, PERCENTILES) == 0)
		return give_percentiles(table, column, leaf.text, at, err);
	return give_leaf(table, column->path, mapped->statistic, leaf, err);
}

static enum weir_status take_row(struct table *table, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	enum weir_status status = table->rows->begin(table->rows->context, err);

	table->points++;
	for (size_t i = 0; !status && i < table->count; i++)
		if (table->mapped[i].column)
			status = take_cell(table, &table->mapped[i], weir_csv_cell(row, i), row->at,
			                   err);
	return status;
}

enum weir_status weir_guidellm_csv_read(const struct weir_guidellm_rows *rows,
                                        struct weir_source *source, struct weir_input *input,
                                        struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &csv_options);
	struct table table = {.rows = rows, .input = input};
	const struct weir_csv_row *row;
	enum weir_status status = WEIR_OK;

	while (!status && !(status = weir_csv_next(csv, &row, err)) && row) {
		if (!row->count)
			continue;
		if (table.headers < HEADERS)
			take_header(&table, row);
		else if (row->cut || row->count < table.count)
			weir_input_warn(input, WEIR_WARN_TRUNCATED, row->at,
			                "a load point without all of its columns");
		else
			status = take_row(&table, row, err);
	}
	if (!status)
		weir_damage_of_source(input, source);
	if (!status && !table.points)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "GuideLLM's table without a whole row of a load point: expected "
		                   "one below three rows of headers; pass benchmarks.csv or "
		                   "benchmarks.json of a run that ended");
	weir_csv_free(csv);
	weir_text_release(&table.groups);
	weir_text_release(&table.names);
	weir_text_release(&table.cell);
	free(table.mapped);
	return status;
}
