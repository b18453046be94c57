/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads summaries of GenAI-Perf and AIPerf: one run of a load generator as means and percentiles.
 * Both programs write the same metrics, as a JSON object or as CSV: a table of statistics, a table
 * of single values, and tables of telemetry, which are not read, with blank lines between them.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/parts/wholejson.h"
#include "engine/readers/readers.h"

#define MAX_COLUMNS 64
#define COLUMN_NAME 8
#define MAX_NUMBER  64

enum kind {
	KIND_TIMES,   /* all statistics, in ms */
	KIND_SECONDS, /* the mean, in s */
	KIND_RATE,    /* the mean, per second */
	KIND_COUNT,   /* the mean */
};

/* Both programs call the time per output token after the first "inter token latency"; other load
 * generators call it tpot. The gaps between outputs are AIPerf's "inter chunk latency". */
static const struct metric {
	const char *name;
	enum kind kind;
	size_t slot; /* in the summary */
} metrics[] = {
	{"request_latency", KIND_TIMES, WEIR_CLIENT_SLOT(e2e)},
	{"time_to_first_token", KIND_TIMES, WEIR_CLIENT_SLOT(ttft)},
	{"time_to_second_token", KIND_TIMES, WEIR_CLIENT_SLOT(ttst)},
	{"inter_token_latency", KIND_TIMES, WEIR_CLIENT_SLOT(tpot)},
	{"inter_chunk_latency", KIND_TIMES, WEIR_CLIENT_SLOT(itl)},
	{"request_throughput", KIND_RATE, WEIR_CLIENT_SLOT(request_throughput)},
	{"request_goodput", KIND_RATE, WEIR_CLIENT_SLOT(request_goodput)},
	{"goodput", KIND_RATE, WEIR_CLIENT_SLOT(request_goodput)},
	{"output_token_throughput", KIND_RATE, WEIR_CLIENT_SLOT(output_throughput)},
	{"total_token_throughput", KIND_RATE, WEIR_CLIENT_SLOT(total_throughput)},
	{"output_token_throughput_per_user", KIND_RATE,
         WEIR_CLIENT_SLOT(output_throughput_per_user)},
	{"output_sequence_length", KIND_COUNT, WEIR_CLIENT_SLOT(output_tokens)},
	{"request_count", KIND_COUNT, WEIR_CLIENT_SLOT(completed)},
	{"error_request_count", KIND_COUNT, WEIR_CLIENT_SLOT(failed)},
	/* of AIPerf, for the checks of its totals */
	{"good_request_count", KIND_COUNT, WEIR_CLIENT_SLOT(good)},
	{"benchmark_duration", KIND_SECONDS, WEIR_CLIENT_SLOT(duration_s)},
	{"total_isl", KIND_COUNT, WEIR_CLIENT_SLOT(total_input_tokens)},
	{"total_input_sequence_length", KIND_COUNT, WEIR_CLIENT_SLOT(total_input_tokens)},
	{"total_osl", KIND_COUNT, WEIR_CLIENT_SLOT(total_output_tokens)},
	{"total_output_sequence_length", KIND_COUNT, WEIR_CLIENT_SLOT(total_output_tokens)},
};

static const struct {
	const char *unit;
	double multiplier, divisor; /* to ms; both, because powers of ten below 1 are not exact */
} time_units[] = {
	{"ns", 1, 1e6},           {"nanoseconds", 1, 1e6},
	{"us", 1, 1e3},           {"\xc2\xb5s", 1, 1e3},
	{"microseconds", 1, 1e3}, {"ms", 1, 1},
	{"milliseconds", 1, 1},   {"s", 1e3, 1},
	{"sec", 1e3, 1},          {"seconds", 1e3, 1},
};

#define CSV_ROUNDING 0.005 /* tables have two decimals */

/* Conditions of the run, as either program names them. Other keys may hold secrets. */
static const struct weir_client_label labels[] = {
	{"input_config/formatted_model_name", "model"},
	{"input_config/model", "model"},
	{"input_config/backend", "backend"},
	{"input_config/endpoint_type", "endpoint_type"},
	{"input_config/concurrency", "concurrency"},
	{"input_config/request_rate", "request_rate"},
	{"input_config/streaming", "streaming"},
	{"input_config/endpoint/type", "endpoint_type"},
	{"input_config/endpoint/streaming", "streaming"},
	{"input_config/loadgen/concurrency", "concurrency"},
	{"input_config/loadgen/request_rate", "request_rate"},
	{"was_cancelled", "was_cancelled"},
	{0},
};

/* A concurrency that is null or a list is unknown. */
static const struct weir_client_row conditions[] = {
	WEIR_CLIENT_NUMBER(max_concurrency, "input_config/concurrency"),
	WEIR_CLIENT_NUMBER(max_concurrency, "input_config/loadgen/concurrency"),
	{0},
};

struct reading {
	struct weir_input *input;
	struct weir_client_summary summary;
};

/* Finds a metric by its name in JSON ("request_latency") or in a table ("Request Latency"). NULL:
 * it is not one that is read. */
static const struct metric *find_metric(struct weir_slice name)
{
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
		size_t at = 0;

		while (at < name.length && metrics[i].name[at] &&
		       (name.data[at] == ' ' ? '_' : tolower((unsigned char)name.data[at])) ==
		               metrics[i].name[at])
			at++;
		if (at == name.length && !metrics[i].name[at])
			return &metrics[i];
	}
	return NULL;
}

/* True for the name of a statistic, also of those that are not read: low percentiles do not tell
 * about waiting, and a spread is neither better nor worse. */
static bool is_statistic(struct weir_slice name)
{
	static const char *const others[] = {"min", "max", "std", "sum",   "p1",
	                                     "p5",  "p10", "p25", "count", NULL};

	for (size_t i = 0; others[i]; i++)
		if (weir_slice_equals(name, others[i]))
			return true;
	return weir_client_is_statistic(name);
}

/* One number of the summary. */
struct statistic {
	const struct metric *metric;
	struct weir_slice name, unit; /* "p99", "ms" */
	double value;                 /* NAN: unknown */
	uint64_t at;                  /* byte after decompression */
};

/* Returns the value in the unit of the summary, NAN if the unit does not measure the metric. */
static double convert(const struct statistic *statistic)
{
	struct weir_slice unit = statistic->unit;

	if (statistic->metric->kind == KIND_RATE)
		return weir_slice_holds(unit, "sec") || weir_slice_holds(unit, "/s")
		               ? statistic->value
		               : NAN;
	if (statistic->metric->kind == KIND_COUNT)
		return statistic->value;
	for (size_t i = 0; i < sizeof time_units / sizeof *time_units; i++)
		if (weir_slice_equals(unit, time_units[i].unit))
			return statistic->value * time_units[i].multiplier / time_units[i].divisor /
			       (statistic->metric->kind == KIND_SECONDS ? 1e3 : 1);
	return NAN;
}

static void warn(struct reading *reading, enum weir_warning_code code,
                 const struct statistic *statistic, const char *fault)
{
	struct weir_text detail = {0};

	weir_text_printf(&detail, "%s%s", statistic->metric->name, fault);
	weir_input_warn(reading->input, code, statistic->at, detail.data);
	weir_text_release(&detail);
}

/* Both programs print a goodput of -1 if its targets made no sense. */
static void take_statistic(struct reading *reading, const struct statistic *statistic)
{
	const struct metric *metric = statistic->metric;
	double value = convert(statistic);
	bool is_new;

	if (isnan(statistic->value) || !weir_client_is_statistic(statistic->name) ||
	    (metric->kind != KIND_TIMES && !weir_slice_equals(statistic->name, "avg")))
		return;
	if (!(value >= 0)) {
		warn(reading, WEIR_WARN_BAD_NUMBER, statistic,
		     isnan(value) ? ": unknown unit" : ": below 0");
		return;
	}
	if (metric->slot == WEIR_CLIENT_SLOT(failed)) { /* beside "error_summary" */
		reading->summary.failed = fmax(reading->summary.failed, value);
		return;
	}
	is_new = metric->kind == KIND_TIMES
	                 ? weir_client_summary_set_statistic(&reading->summary, metric->slot,
	                                                     statistic->name, value)
	                 : weir_client_summary_set(&reading->summary, metric->slot, value);
	if (!is_new)
		warn(reading, WEIR_WARN_DUPLICATE, statistic, "");
}

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

static enum weir_status take_metric(struct reading *reading, const struct metric *metric,
                                    const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct statistic statistic = {
		.metric = metric, .unit = find_unit(item->text), .at = item->at};

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return WEIR_OK; /* null: not measured */
	while (weir_jsoncursor_key(&cursor, &statistic.name)) {
		struct weir_jsonleaf leaf = {.quoted = weir_jsoncursor_peek(&cursor) == '"'};
		bool odd = false;

		leaf.text = weir_jsoncursor_scalar(&cursor);
		if (!is_statistic(statistic.name))
			continue;
		statistic.value = weir_jsonleaf_number(&leaf, &odd);
		if (odd)
			weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, item->at,
			                "a statistic");
		take_statistic(reading, &statistic);
	}
	if (cursor.bad)
		return weir_fail(err, WEIR_E_FORMAT, "no valid JSON in \"%.*s\"",
		                 (int)item->key.length, item->key.data);
	return WEIR_OK;
}

/* Sums up the kinds of failures: [{"error_details": {...}, "count": 3}]. */
static void take_errors(struct reading *reading, const struct weir_jsonscan_item *item)
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
	struct reading *reading = context;

	(void)err;
	if (!weir_slice_equals(leaf->text, "false"))
		weir_client_summary_label(reading->input->run, labels, leaf);
	weir_client_summary_take(&reading->summary, conditions, leaf, NULL);
	return WEIR_OK;
}

static enum weir_status take_member(void *context, const struct weir_jsonscan_item *item,
                                    struct weir_error *err)
{
	struct reading *reading = context;
	const struct weir_jsonleaves leaves = {.leaf = take_label, .context = reading};
	const struct metric *metric = find_metric(item->key);

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

/* The table that is being read; no columns: no table yet, or one that is not wanted. */
struct table {
	char statistics[MAX_COLUMNS][COLUMN_NAME]; /* "": not wanted, and the metric's column */
	size_t columns;
};

static void read_header(struct table *table, const struct weir_csv_row *row)
{
	struct weir_slice second = weir_csv_cell(row, 1);

	*table = (struct table){0};
	if (row->count > MAX_COLUMNS || !weir_slice_equals(row->cells[0], "Metric") ||
	    (!weir_slice_equals(second, "Value") && !is_statistic(second)))
		return;
	table->columns = row->count;
	for (size_t i = 1; i < row->count; i++) {
		struct weir_slice cell = row->cells[i];

		if (weir_slice_equals(cell, "Value"))
			cell = weir_slice_of("avg");
		if (is_statistic(cell) && cell.length < COLUMN_NAME)
			memcpy(table->statistics[i], cell.data, cell.length);
	}
}

/* Parses "1,234.56". NAN if the cell says that there is no value; *odd: it is malformed. */
static double parse_number(struct weir_slice cell, bool *odd)
{
	static const char *const none[] = {"", "None", "N/A", "n/a", "nan", "NaN", "-", NULL};
	char digits[MAX_NUMBER];
	size_t length = 0;
	double value;

	*odd = false;
	for (size_t i = 0; none[i]; i++)
		if (weir_slice_equals(cell, none[i]))
			return NAN;
	for (size_t i = 0; i < cell.length && length < MAX_NUMBER; i++)
		if (cell.data[i] != ',')
			digits[length++] = cell.data[i];
	if (length < MAX_NUMBER && weir_parse_double(digits, length, &value) && isfinite(value))
		return value;
	*odd = true;
	return NAN;
}

/* Removes and returns the unit of "Request Latency (ms)"; empty: no unit. */
static struct weir_slice split_unit(struct weir_slice *name)
{
	struct weir_slice unit = {"", 0};
	size_t open = name->length;

	if (!name->length || name->data[name->length - 1] != ')')
		return unit;
	while (open && name->data[open - 1] != '(')
		open--;
	if (!open)
		return unit;
	unit = (struct weir_slice){name->data + open, name->length - open - 1};
	name->length = open - 1;
	while (name->length && name->data[name->length - 1] == ' ')
		name->length--;
	return unit;
}

static void read_row(struct reading *reading, const struct table *table,
                     const struct weir_csv_row *row)
{
	struct weir_slice name = row->cells[0];
	struct statistic statistic = {.at = row->at, .unit = split_unit(&name)};

	statistic.metric = find_metric(name);
	if (!statistic.metric)
		return;
	if (row->count < table->columns) {
		weir_input_warn(reading->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		return;
	}
	for (size_t i = 1; i < table->columns; i++) {
		bool odd;

		statistic.value = parse_number(row->cells[i], &odd);
		statistic.name = weir_slice_of(table->statistics[i]);
		if (odd)
			weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
		else
			take_statistic(reading, &statistic);
	}
}

static enum weir_status read_csv(struct reading *reading, struct weir_source *source,
                                 struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &csv_options);
	const struct weir_csv_skipped *skipped = weir_csv_skipped(csv);
	const struct weir_csv_row *row;
	struct table table = {0};
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

static int sniff_csv(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[MAX_COLUMNS];
	size_t count = 0, found = 0;
	int bits;

	while (!count && weir_csv_take_line(&rest, &line))
		count = weir_csv_split(line, &csv_options, cells, MAX_COLUMNS);
	if (!count || !weir_slice_equals(cells[0], "Metric"))
		return 0;
	bits = 8 * (int)cells[0].length;
	for (size_t i = 1; i < count; i++) {
		if (!is_statistic(cells[i]))
			continue;
		bits += 8 * (int)(cells[i].length + 1);
		found++;
	}
	return found >= 3 ? bits : 0;
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
	struct reading reading = {.input = input};
	const struct weir_wholejson document = {
		.member = take_member, .context = &reading, .expected = "one object"};
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	if (status)
		return status;
	weir_client_summary_init(&reading.summary);
	reading.summary.tpot_by_request = true;
	input->run = weir_run_new();
	if (first != '{' && first != '[')
		reading.summary.rounding = CSV_ROUNDING;
	status = first == '{' || first == '[' ? weir_wholejson_read(&document, source, err)
	                                      : read_csv(&reading, source, err);
	return status ? status
	              : weir_client_summary_conclude(&reading.summary, input,
	                                             "request_latency, time_to_first_token, "
	                                             "request_throughput or the like",
	                                             err);
}

const struct weir_reader weir_reader_genai_perf = {
	.name = "genai_perf",
	.title = "summaries of GenAI-Perf and AIPerf (JSON, CSV)",
	.gives = "native run",
	.marks = marks,
	.sniff = sniff_csv,
	.read = read_summary,
};
