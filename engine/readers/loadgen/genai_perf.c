/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads summaries of GenAI-Perf and AIPerf: one run of a load generator as means and percentiles.
 * Both programs write the same metrics, as a JSON object or as CSV: a table of statistics, a table
 * of single values, and tables of telemetry, which are not read, with blank lines between them. The
 * table that they print is read as well. A log with several of them is one run, with the load in
 * the names of figures (load_join.h).
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/genai_console.h"
#include "engine/readers/loadgen/genai_metrics.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/parts/wholejson.h"
#include "engine/readers/readers.h"

#define EXPECTED "request_latency, time_to_first_token, request_throughput or the like"

/* Conditions of the run, as either program names them. Other keys may hold secrets. */
static const struct weir_client_label labels[] = {
	{"input_config/formatted_model_name", "model"},
	{"input_config/model", "model"},
	{"input_config/backend", "backend"},
	{"input_config/service_kind", "service_kind"},
	{"input_config/endpoint/service_kind", "service_kind"},
	{"input_config/endpoint_type", "endpoint_type"},
	{"input_config/concurrency", "concurrency"},
	{"input_config/request_rate", "request_rate"},
	{"input_config/streaming", "streaming"},
	{"input_config/endpoint/type", "endpoint_type"},
	{"input_config/endpoint/streaming", "streaming"},
	{"input_config/loadgen/concurrency", "concurrency"},
	{"input_config/loadgen/request_rate", "request_rate"},
	{"was_cancelled", "was_cancelled"},
	/* targets of a good request, in ms or tokens per second */
	{"input_config/slos/time_to_first_token", "target_ttft_ms"},
	{"input_config/slos/inter_token_latency", "target_tpot_ms"},
	{"input_config/slos/request_latency", "target_e2el_ms"},
	{"input_config/slos/output_token_throughput_per_user", "target_output_speed"},
	{"input_config/input/goodput/time_to_first_token", "target_ttft_ms"},
	{"input_config/input/goodput/inter_token_latency", "target_tpot_ms"},
	{"input_config/input/goodput/request_latency", "target_e2el_ms"},
	{0},
};

/* A concurrency that is null or a list is unknown. */
static const struct weir_client_row conditions[] = {
	WEIR_CLIENT_NUMBER(max_concurrency, "input_config/concurrency"),
	WEIR_CLIENT_NUMBER(max_concurrency, "input_config/loadgen/concurrency"),
	{0},
};

/* ---- JSON ---- */

/* Returns the unit of {"unit": "ms", "avg": 1.5}; it may come last. */
static struct weir_slice find_unit(struct weir_slice object)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(object);
	struct weir_slice key, value, unit = {"", 0};

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return unit;
	while (weir_jsoncursor_key(&cursor, &key)) {
		value = weir_jsoncursor_scalar(&cursor);
		if (weir_slice_equals(key, "unit"))
			unit = value;
	}
	return unit;
}

static enum weir_status take_metric(struct weir_genai_reading *reading,
                                    const struct weir_genai_metric *metric,
                                    const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_genai_statistic statistic = {
		.metric = metric, .unit = find_unit(item->text), .at = item->at};

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return WEIR_OK; /* null: not measured */
	while (weir_jsoncursor_key(&cursor, &statistic.name)) {
		struct weir_jsonleaf leaf = {.quoted = weir_jsoncursor_peek(&cursor) == '"'};
		bool odd = false;

		leaf.text = weir_jsoncursor_scalar(&cursor);
		if (!weir_genai_is_statistic(statistic.name))
			continue;
		statistic.value = weir_jsonleaf_number(&leaf, &odd);
		if (odd)
			weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, item->at,
			                "a statistic");
		weir_genai_take_statistic(reading, &statistic);
	}
	if (cursor.bad)
		return weir_fail(err, WEIR_E_FORMAT, "no valid JSON in \"%.*s\"",
		                 (int)item->key.length, item->key.data);
	return WEIR_OK;
}

/* Sums up the kinds of failures: [{"error_details": {...}, "count": 3}]. */
static void take_errors(struct weir_genai_reading *reading, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;
	double sum = 0;

	if (!weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor)) {
		if (!weir_jsoncursor_enter(&cursor, '{'))
			continue;
		while (weir_jsoncursor_key(&cursor, &key)) {
			struct weir_jsonleaf leaf = {.text = weir_jsoncursor_scalar(&cursor)};

			if (weir_slice_equals(key, "count"))
				sum += fmax(0, weir_jsonleaf_number(&leaf, NULL));
		}
	}
	if (sum > 0)
		reading->summary.failed = fmax(reading->summary.failed, sum);
}

static enum weir_status take_label(void *context, const struct weir_jsonleaf *leaf,
                                   struct weir_error *err)
{
	struct weir_genai_reading *reading = context;

	(void)err;
	if (!weir_slice_equals(leaf->text, "false"))
		weir_client_summary_label(reading->input->run, labels, leaf);
	weir_client_summary_take(&reading->summary, conditions, leaf, NULL);
	return WEIR_OK;
}

static enum weir_status take_member(void *context, const struct weir_jsonscan_item *item,
                                    struct weir_error *err)
{
	struct weir_genai_reading *reading = context;
	const struct weir_jsonleaves leaves = {.leaf = take_label, .context = reading};
	const struct weir_genai_metric *metric = weir_genai_metric_find(item->key);

	if (metric)
		return take_metric(reading, metric, item, err);
	if (weir_slice_equals(item->key, "error_summary"))
		take_errors(reading, item);
	else if (weir_slice_equals(item->key, "input_config") ||
	         weir_slice_equals(item->key, "was_cancelled"))
		return weir_jsonleaves_walk(&leaves, item->key, item->text, item->at, err);
	return WEIR_OK;
}

/* ---- CSV ---- */

static const struct weir_csv_options csv_options = {.separator = ',', .quotes = true, .trim = true};

static void read_header(struct weir_genai_table *table, const struct weir_csv_row *row)
{
	struct weir_slice second = weir_csv_cell(row, 1);

	*table = (struct weir_genai_table){0};
	if (row->count > WEIR_GENAI_COLUMNS || !weir_slice_equals(row->cells[0], "Metric") ||
	    (!weir_slice_equals(second, "Value") && !weir_genai_is_statistic(second)))
		return;
	table->columns = row->count;
	for (size_t i = 1; i < row->count; i++) {
		struct weir_slice cell = row->cells[i];

		if (weir_slice_equals(cell, "Value"))
			cell = weir_slice_of("avg");
		if (weir_genai_is_statistic(cell) && cell.length < WEIR_GENAI_COLUMN_NAME)
			memcpy(table->statistics[i], cell.data, cell.length);
	}
}

static void read_row(struct weir_genai_reading *reading, const struct weir_genai_table *table,
                     const struct weir_csv_row *row)
{
	struct weir_slice name = row->cells[0];
	struct weir_genai_statistic statistic = {.at = row->at,
	                                         .unit = weir_genai_split_unit(&name)};

	statistic.metric = weir_genai_metric_find(name);
	if (!statistic.metric)
		return;
	if (row->count < table->columns) {
		weir_input_warn(reading->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		return;
	}
	for (size_t i = 1; i < table->columns; i++) {
		bool odd;

		statistic.value = weir_genai_parse_number(row->cells[i], &odd);
		statistic.name = weir_slice_of(table->statistics[i]);
		if (odd)
			weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
		else
			weir_genai_take_statistic(reading, &statistic);
	}
}

static enum weir_status read_csv(struct weir_genai_reading *reading, struct weir_source *source,
                                 struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &csv_options);
	const struct weir_csv_skipped *skipped = weir_csv_skipped(csv);
	const struct weir_csv_row *row;
	struct weir_genai_table table = {0};
	bool between = true;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (row->cut && weir_source_damage(source))
			continue;
		if (row->count && between)
			read_header(&table, row);
		else if (row->count && table.columns)
			read_row(reading, &table, row);
		between = !row->count;
	}
	if (skipped->count)
		weir_input_warn(reading->input, WEIR_WARN_RAGGED_ROW, skipped->first_at,
		                "too long");
	weir_damage_of_source(reading->input, source);
	weir_csv_free(csv);
	return status;
}

/* ---- the reader ---- */

static int sniff_table(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[WEIR_GENAI_COLUMNS];
	size_t count = 0, found = 0;
	int bits;

	while (!count && weir_csv_take_line(&rest, &line))
		count = weir_csv_split(line, &csv_options, cells, WEIR_GENAI_COLUMNS);
	if (!count || !weir_slice_equals(cells[0], "Metric"))
		return weir_genai_console_sniff(head, len);
	bits = 8 * (int)cells[0].length;
	for (size_t i = 1; i < count; i++) {
		if (!weir_genai_is_statistic(cells[i]))
			continue;
		bits += 8 * (int)(cells[i].length + 1);
		found++;
	}
	return found >= 3 ? bits : 0;
}

/* Reads a document in JSON, or CSV. */
static enum weir_status read_one(struct weir_source *source, struct weir_input *input, bool is_json,
                                 struct weir_error *err)
{
	struct weir_genai_reading reading = {.input = input};
	const struct weir_wholejson document = {
		.member = take_member, .context = &reading, .expected = "one object"};
	enum weir_status status;

	weir_client_summary_init(&reading.summary);
	reading.summary.tpot_by_request = true;
	input->run = weir_run_new();
	if (!is_json)
		reading.summary.rounding = WEIR_GENAI_ROUNDING;
	status = is_json ? weir_wholejson_read(&document, source, err)
	                 : read_csv(&reading, source, err);
	return status ? status
	              : weir_client_summary_conclude(&reading.summary, input, EXPECTED, err);
}

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"request_latency", "request_throughput", "request_count", "time_to_first_token",
                   "output_token_throughput", "inter_token_latency", "input_config"},
                  .all = 1,
                  .any = 6}},
	{.first = "",
         .cells = {{"Config Name", "Concurrency", "ISL", "OSL", "Num Prompts"}, .all = 1, .any = 4},
         .texts = {{" Latency (ms)"}, .all = 1},
         .refusal = "it is the table of GenAI-Perf's subcommand analyze, one line for each "
                    "configuration: pass profile_export_genai_perf.json of each run"},
	{.first = "#",
         .texts = {{"# AIPerf Server Metrics Export"}, .all = 1},
         .refusal = "it is AIPerf's table of the server's metrics: pass profile_export_aiperf.csv "
                    "beside it, and pages of the server's /metrics"},
	{0},
};

static enum weir_status read_summary(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	if (weir_genai_console_sniff(head, len))
		return weir_genai_console_read(input, source, err);
	return read_one(source, input, weir_sniff_is_json(head, len), err);
}

const struct weir_reader weir_reader_genai_perf = {
	.name = "genai_perf",
	.title = "summaries of GenAI-Perf and AIPerf (JSON, CSV, the printed table)",
	.gives = "native run",
	.tool = "GenAI-Perf or AIPerf",
	.marks = marks,
	.sniff = sniff_table,
	.read = read_summary,
};
