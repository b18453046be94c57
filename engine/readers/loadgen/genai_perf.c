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
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
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

#define EXPECTED "request_latency, time_to_first_token, request_throughput or the like"

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

/* Returns a character of a name as it is in the key: in lower case, "_" for a blank. */
static char fold(char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		return (char)(letter - 'A' + 'a');
	return letter == ' ' ? '_' : letter;
}

/* True if the name is the key of a metric, with blanks for "_" and in any case. */
static bool is_name(struct weir_slice name, const char *key)
{
	size_t at = 0;

	while (at < name.length && key[at] && fold(name.data[at]) == key[at])
		at++;
	return at == name.length && !key[at];
}

/* Finds a metric by its name in JSON ("request_latency") or in a table ("Request Latency"). NULL:
 * it is not one that is read. */
static const struct metric *find_metric(struct weir_slice name)
{
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		if (is_name(name, metrics[i].name))
			return &metrics[i];
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

/*
 * ---- the printed table ----
 *
 * The columns are separated by lines or, where those were lost, by blanks. A name that is too long
 * for its column goes on in the next row, whose other cells are blank:
 *
 *	┃            Statistic ┃    avg ┃    min ┃    max ┃    p99 ┃    p90 ┃    p75 ┃
 *	│  Time To First Token │  80.88 │  50.25 │ 124.29 │ 123.21 │ 113.50 │  97.31 │
 *	│                 (ms) │        │        │        │        │        │        │
 *
 * The programs print behind it which files they write; their path states the load.
 */

static const struct weir_csv_options whole_lines = {.separator = '\0'};
static const struct weir_csv_options by_blanks = {.separator = ' '};

struct console {
	struct reading reading;
	struct weir_load_join join;
	struct table table;
	bool lines;            /* columns are separated by lines */
	struct weir_text name; /* of the row that is not taken yet; empty: none */
	double values[MAX_COLUMNS];
	bool odd;    /* one of its values is malformed */
	uint64_t at; /* byte of that row */
};

/* Returns the bytes of a line between columns at the start of the text, 0 for other text. */
static size_t bar_length(const char *text, size_t length)
{
	if (length && *text == '|')
		return 1;
	return length >= 3 && (!memcmp(text, "\xe2\x94\x82", 3) || !memcmp(text, "\xe2\x94\x83", 3))
	               ? 3
	               : 0;
}

/* Gives the cells of a row between lines. Returns their number; 0: the row has no lines. */
static size_t split_at_bars(struct weir_slice line, struct weir_slice *cells)
{
	size_t count = 0, start = 0, bar;
	bool open = false;

	for (size_t i = 0; i < line.length; i += bar ? bar : 1) {
		bar = bar_length(line.data + i, line.length - i);
		if (!bar)
			continue;
		if (open && count < MAX_COLUMNS)
			cells[count++] =
				weir_slice_trim((struct weir_slice){line.data + start, i - start});
		open = true;
		start = i + bar;
	}
	return count;
}

/* Gives the cells of a row of which all but the first are single words. Returns their number; 0:
 * it has fewer words. */
static size_t split_at_blanks(struct weir_slice line, size_t columns, struct weir_slice *cells)
{
	struct weir_slice words[MAX_COLUMNS];
	size_t count = weir_csv_split(line, &by_blanks, words, MAX_COLUMNS), first;

	if (!columns || count < columns || count == MAX_COLUMNS)
		return 0;
	first = count - columns; /* last word of the name */
	cells[0] = (struct weir_slice){
		words[0].data, (size_t)(words[first].data + words[first].length - words[0].data)};
	for (size_t i = 1; i < columns; i++)
		cells[i] = words[first + i];
	return columns;
}

/* Reads the header of a printed table. Returns false if the line is not one. */
static bool read_console_header(struct weir_slice line, struct table *table, bool *lines)
{
	struct weir_slice cells[MAX_COLUMNS];
	size_t count = split_at_bars(line, cells), found = 0;
	bool mean = false;

	*lines = count > 0;
	if (!count)
		count = weir_csv_split(line, &by_blanks, cells, MAX_COLUMNS);
	if (count < 4 ||
	    (!weir_slice_equals(cells[0], "Statistic") && !weir_slice_equals(cells[0], "Metric")))
		return false;
	*table = (struct table){.columns = count};
	for (size_t i = 1; i < count; i++) {
		if (!is_statistic(cells[i]) || cells[i].length >= COLUMN_NAME)
			continue;
		memcpy(table->statistics[i], cells[i].data, cells[i].length);
		mean |= weir_slice_equals(cells[i], "avg");
		found++;
	}
	return mean && found >= 3;
}

/* Ends the result that is being read, if it has a figure. */
static enum weir_status end_result(struct console *console, struct weir_error *err)
{
	struct weir_client_summary *summary = &console->reading.summary;
	struct weir_run *run = weir_run_new();
	enum weir_status status = WEIR_OK;

	weir_client_summary_add(summary, "", run);
	if (run->metrics.count) {
		status = weir_client_summary_check(summary, console->reading.input, err);
		weir_run_free(run);
		run = weir_run_new();
		weir_client_summary_add(summary, "", run);
		weir_client_summary_label_totals(summary, run);
	}
	weir_client_summary_init(summary);
	summary->tpot_by_request = true;
	summary->rounding = CSV_ROUNDING;
	if (!status && run->metrics.count)
		return weir_load_join_add(&console->join, run, err);
	weir_run_free(run);
	return status;
}

/* Returns true if the summary has a statistic of the metric. */
static bool has_metric(const struct weir_client_summary *summary, const struct metric *metric)
{
	size_t size =
		metric->kind == KIND_TIMES ? sizeof(struct weir_client_times) : sizeof(double);

	for (size_t at = metric->slot; at < metric->slot + size; at += sizeof(double))
		if (!isnan(*(const double *)(const void *)((const char *)summary + at)))
			return true;
	return false;
}

/* Takes the row whose name is complete. A metric that the result has already begins the next one.
 */
static enum weir_status take_console_row(struct console *console, struct weir_error *err)
{
	struct weir_slice name = {console->name.data, console->name.length};
	struct statistic statistic = {.at = console->at};
	enum weir_status status = WEIR_OK;

	if (!name.length)
		return WEIR_OK;
	statistic.unit = split_unit(&name);
	statistic.metric = find_metric(name);
	if (statistic.metric && has_metric(&console->reading.summary, statistic.metric))
		status = end_result(console, err);
	if (statistic.metric && console->odd)
		weir_input_warn(console->reading.input, WEIR_WARN_BAD_NUMBER, console->at, NULL);
	for (size_t i = 1; statistic.metric && i < console->table.columns; i++) {
		statistic.value = console->values[i];
		statistic.name = weir_slice_of(console->table.statistics[i]);
		take_statistic(&console->reading, &statistic);
	}
	weir_text_clear(&console->name);
	return status;
}

/* True for the rest of a name: a row without a value. */
static bool is_rest_of_name(const struct weir_slice *cells, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (cells[i].length)
			return false;
	return cells[0].length > 0;
}

/* Begins a row; its name may go on in the next one. */
static void begin_console_row(struct console *console, const struct weir_slice *cells, uint64_t at)
{
	bool odd;

	console->odd = false;
	weir_text_add(&console->name, cells[0].data, cells[0].length);
	for (size_t i = 1; i < console->table.columns; i++) {
		console->values[i] = parse_number(cells[i], &odd);
		console->odd |= odd;
	}
	console->at = at;
}

/* Labels the results with the load that a path states: "…-concurrency10/profile_export". */
static void take_load(struct console *console, struct weir_slice line)
{
	static const struct {
		const char *text, *label;
	} loads[] = {{"-concurrency", "concurrency"}, {"-request_rate", "request_rate"}};
	struct weir_load_join *join = &console->join;

	for (size_t i = 0; join->count && i < sizeof(loads) / sizeof(loads[0]); i++) {
		const char *at = weir_slice_find(line, loads[i].text), *end;

		if (!at || !weir_slice_holds(line, "profile_export"))
			continue;
		at += strlen(loads[i].text);
		for (end = at;
		     end < line.data + line.length && strchr("0123456789.", *end) && *end;)
			end++;
		if (end > at && !weir_run_label(join->runs[join->count - 1], loads[i].label))
			weir_figure_label(join->runs[join->count - 1], loads[i].label,
			                  (struct weir_slice){at, (size_t)(end - at)});
	}
}

static enum weir_status take_console_line(struct console *console, const struct weir_csv_row *row,
                                          struct weir_error *err)
{
	struct weir_slice cells[MAX_COLUMNS];
	struct table table;
	bool lines;
	size_t columns = console->table.columns, count;
	enum weir_status status;

	if (read_console_header(row->line, &table, &lines)) {
		status = take_console_row(console, err);
		console->table = table;
		console->lines = lines;
		return status;
	}
	count = console->lines ? split_at_bars(row->line, cells)
	                       : split_at_blanks(row->line, columns, cells);
	if (!columns || count < columns) {
		status = take_console_row(console, err);
		if (columns && row->cut && count)
			weir_input_warn(console->reading.input, WEIR_WARN_TRUNCATED, row->at, NULL);
		if (!status && weir_slice_holds(row->line, "profile_export")) {
			status = end_result(console, err);
			take_load(console, row->line);
		}
		return status;
	}
	if (console->lines && console->name.length && is_rest_of_name(cells, columns)) {
		weir_text_puts(&console->name, " ");
		weir_text_add(&console->name, cells[0].data, cells[0].length);
		return WEIR_OK;
	}
	status = take_console_row(console, err);
	if (row->cut && !console->lines)
		weir_input_warn(console->reading.input, WEIR_WARN_TRUNCATED, row->at, NULL);
	else
		begin_console_row(console, cells, row->at);
	return status;
}

/* Numbers the results if the load of one of them is unknown: they are no repeats of one load. */
static void number_results(const struct weir_load_join *join)
{
	bool known = true;

	for (size_t i = 0; i < join->count; i++)
		known &= weir_run_label(join->runs[i], "concurrency") ||
		         weir_run_label(join->runs[i], "request_rate");
	for (size_t i = 0; !known && join->count > 1 && i < join->count; i++) {
		struct weir_text number = {0};

		weir_text_printf(&number, "%zu", i + 1);
		weir_run_set_label(join->runs[i], "table", number.data);
		weir_text_release(&number);
	}
}

static enum weir_status conclude_console(struct console *console, struct weir_error *err)
{
	struct weir_input *input = console->reading.input;
	enum weir_status status;

	if (!console->join.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no timing in this table: expected a row such as "
		                 "Request Latency (ms) with a number: pass "
		                 "profile_export_genai_perf.json or "
		                 "profile_export_aiperf.json");
	number_results(&console->join);
	status = weir_load_join_finish(&console->join, input, err);
	if (status)
		return status;
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	input->events = input->run->metrics.count;
	return WEIR_OK;
}

static enum weir_status read_console(struct weir_input *input, struct weir_source *source,
                                     struct weir_error *err)
{
	struct console console = {.reading = {.input = input}};
	struct weir_csv *csv = weir_csv_new(source, &whole_lines);
	const struct weir_csv_row *row;
	enum weir_status status;

	weir_client_summary_init(&console.reading.summary);
	console.reading.summary.tpot_by_request = true;
	console.reading.summary.rounding = CSV_ROUNDING;
	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = take_console_line(&console, row, err);
		if (status)
			break;
	}
	if (!status)
		status = take_console_row(&console, err);
	if (!status)
		status = end_result(&console, err);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude_console(&console, err);
	weir_load_join_release(&console.join);
	weir_text_release(&console.name);
	return status;
}

/* Returns 8 for each byte of the header of a printed table and of the first name of a metric behind
 * it; 0: there is no such table. */
static int sniff_console(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[MAX_COLUMNS];
	struct table table = {0};
	bool lines = false;
	int bits = 0;

	while (weir_csv_take_line(&rest, &line)) {
		if (read_console_header(line, &table, &lines)) {
			bits = 0;
			for (size_t i = 1; i < table.columns; i++)
				bits += 8 * (int)strlen(table.statistics[i]);
			continue;
		}
		if (!bits || (lines ? split_at_bars(line, cells)
		                    : split_at_blanks(line, table.columns, cells)) < table.columns)
			continue;
		split_unit(&cells[0]);
		if (find_metric(cells[0]))
			return bits + 8 * (int)cells[0].length;
	}
	return 0;
}

/* ---- the reader ---- */

static int sniff_table(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[MAX_COLUMNS];
	size_t count = 0, found = 0;
	int bits;

	while (!count && weir_csv_take_line(&rest, &line))
		count = weir_csv_split(line, &csv_options, cells, MAX_COLUMNS);
	if (!count || !weir_slice_equals(cells[0], "Metric"))
		return sniff_console(head, len);
	bits = 8 * (int)cells[0].length;
	for (size_t i = 1; i < count; i++) {
		if (!is_statistic(cells[i]))
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
	struct reading reading = {.input = input};
	const struct weir_wholejson document = {
		.member = take_member, .context = &reading, .expected = "one object"};
	enum weir_status status;

	weir_client_summary_init(&reading.summary);
	reading.summary.tpot_by_request = true;
	input->run = weir_run_new();
	if (!is_json)
		reading.summary.rounding = CSV_ROUNDING;
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
	if (sniff_console(head, len))
		return read_console(input, source, err);
	return read_one(source, input, weir_sniff_is_json(head, len), err);
}

const struct weir_reader weir_reader_genai_perf = {
	.name = "genai_perf",
	.title = "summaries of GenAI-Perf and AIPerf (JSON, CSV, the printed table)",
	.gives = "native run",
	.marks = marks,
	.sniff = sniff_table,
	.read = read_summary,
};
