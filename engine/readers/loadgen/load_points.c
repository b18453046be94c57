/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads tables of load generators with one row per load point: the means and percentiles under a
 * number of concurrent requests, a request rate or a configuration. These are the latency report of
 * perf_analyzer (-f) and the results of Triton's Model Analyzer. All rows together are one run,
 * because they are compared as one. Each figure becomes a metric with its load point in its name,
 * "concurrency@4/p95_latency_ms". A table of one row has its load point in labels instead. Several
 * tables in one file are one run as well; rows of one load point in different tables join.
 *
 * Utilisation and power of the devices are not read: neither more nor less of them is better.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/perf_console.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_KEYS     8
#define MAX_ORDINALS 64  /* distinct texts of one key column */
#define KEY_TEXT     128 /* bytes; a longer text of a key is cut */
#define PERCENTILE   8   /* bytes of "p99.9" */
#define MOST_IDLE    3   /* figures of an idle server that an error states */

enum cells {
	CELL_NUMBER,         /* or "421.0, [184.5,236.5]": the total of several models, and each */
	CELL_MAX_OF_DEVICES, /* "id:value;id:value;" */
};

/* A column of figures. */
struct figure {
	const char *header; /* compared without regard to case */
	const char *metric, *unit;
	double divisor; /* from the table's unit to ours */
	bool higher_is_better;
	enum cells cells;
};

/* A column that names a condition of the row. */
struct key {
	const char *header;
	const char *name;  /* "concurrency" for "concurrency@4/"; NULL: the text alone */
	const char *label; /* for tables of one row; NULL: none */
	bool ordinal;      /* numbers texts in order of appearance: ids of hosts are private */
};

/* The lists of keys and figures end with a NULL header. */
struct table {
	const struct key *keys;
	const struct figure *figures;
	const char *percentile;    /* what follows "p99" in headers: " latency" */
	double percentile_divisor; /* to milliseconds */
	const char *throughput;    /* header of the column that is 0 if nothing completed */
	const char *expected;      /* for the error that finds no figure */
};

static const struct weir_csv_options csv_options = {.separator = ',', .quotes = true, .trim = true};

/* A column of the file that is read; without figure and percentile it is not wanted. */
struct column {
	const struct figure *figure;
	char percentile[PERCENTILE]; /* "p99" */
};

struct reader {
	const struct table *table;
	struct weir_input *input;
	struct column *columns; /* of the table that is being read */
	size_t column_count;
	size_t key_columns[MAX_KEYS];
	size_t throughput;
	char *ordinals[MAX_ORDINALS];
	size_t ordinal_count;
	struct weir_text prefix, name;
	struct weir_text keys[MAX_KEYS]; /* texts of the last row that was kept */
	size_t prefix_length;            /* of the same row */
	size_t points, idle;             /* load points kept; rows without an answer */
};

static bool is_text(struct weir_slice cell, const char *text)
{
	return cell.length == strlen(text) && !strncasecmp(cell.data, text, cell.length);
}

static size_t find_column(const struct weir_csv_row *header, const char *text)
{
	for (size_t i = 0; i < header->count; i++)
		if (is_text(header->cells[i], text))
			return i;
	return WEIR_CSV_NO_COLUMN;
}

/* Recognises "p99 latency". */
static void match_percentile(const struct table *table, struct weir_slice cell,
                             struct column *column)
{
	size_t tail = strlen(table->percentile), length = cell.length - tail;
	double value;

	if (cell.length <= tail + 1 || length >= PERCENTILE || *cell.data != 'p' ||
	    strncasecmp(cell.data + length, table->percentile, tail) != 0 ||
	    !weir_parse_double(cell.data + 1, length - 1, &value) || !(value > 0 && value < 100))
		return;
	memcpy(column->percentile, cell.data, length);
}

static void read_header(struct reader *reader, const struct weir_csv_row *header)
{
	const struct table *table = reader->table;

	free(reader->columns);
	reader->column_count = header->count;
	reader->columns = weir_alloc(header->count * sizeof *reader->columns);
	for (size_t i = 0; i < header->count; i++) {
		const struct figure *figure = table->figures;

		while (figure->header && !is_text(header->cells[i], figure->header))
			figure++;
		if (figure->header)
			reader->columns[i].figure = figure;
		else
			match_percentile(table, header->cells[i], &reader->columns[i]);
	}
	for (size_t i = 0; table->keys[i].header; i++)
		reader->key_columns[i] = find_column(header, table->keys[i].header);
	reader->throughput = find_column(header, table->throughput);
}

/* Returns the number of a text in order of appearance, MAX_ORDINALS for all beyond the limit. */
static size_t ordinal_of(struct reader *reader, struct weir_slice text)
{
	char *copy;

	for (size_t i = 0; i < reader->ordinal_count; i++)
		if (weir_slice_equals(text, reader->ordinals[i]))
			return i;
	if (reader->ordinal_count == MAX_ORDINALS)
		return MAX_ORDINALS;
	copy = weir_alloc(text.length + 1);
	memcpy(copy, text.data, text.length);
	reader->ordinals[reader->ordinal_count] = copy;
	return reader->ordinal_count++;
}

static void add_key(struct reader *reader, const struct key *key, struct weir_slice text)
{
	if (key->name)
		weir_text_printf(&reader->prefix, "%s@", key->name);
	if (key->ordinal)
		weir_text_printf(&reader->prefix, "%zu", ordinal_of(reader, text));
	for (size_t i = 0; i < text.length && i < KEY_TEXT && !key->ordinal; i++)
		weir_text_add(&reader->prefix,
		              (unsigned char)text.data[i] < ' ' ? "?" : &text.data[i], 1);
	weir_text_puts(&reader->prefix, "/");
}

/* Builds the prefix that names the load point of the row. */
static void read_keys(struct reader *reader, const struct weir_csv_row *row)
{
	const struct key *key = reader->table->keys;

	weir_text_clear(&reader->prefix);
	weir_text_puts(&reader->prefix, "");
	for (size_t i = 0; key->header; i++, key++) {
		struct weir_slice text = weir_csv_cell(row, reader->key_columns[i]);

		if (text.length)
			add_key(reader, key, text);
	}
}

static void keep_keys(struct reader *reader, const struct weir_csv_row *row)
{
	for (size_t i = 0; reader->table->keys[i].header; i++) {
		struct weir_slice text = weir_csv_cell(row, reader->key_columns[i]);

		weir_text_clear(&reader->keys[i]);
		weir_text_add(&reader->keys[i], text.data, text.length);
	}
	reader->prefix_length = reader->prefix.length;
}

/* True for the header of a further table, as `cat` joins them: its cells are names of columns, and
 * one of them is of a figure. Its columns may be others than those of the table before. */
static bool is_header_again(const struct reader *reader, const struct weir_csv_row *row)
{
	const struct table *table = reader->table;
	size_t keys = 0;

	if (is_text(weir_csv_cell(row, reader->throughput), table->throughput))
		return true;
	for (const struct key *key = table->keys; key->header; key++)
		keys += find_column(row, key->header) != WEIR_CSV_NO_COLUMN;
	for (const struct figure *figure = table->figures; keys && figure->header; figure++)
		if (find_column(row, figure->header) != WEIR_CSV_NO_COLUMN)
			return true;
	return false;
}

/* Parses "GPU-1:57.7;GPU-2:43.7;" into the largest value. */
static bool parse_devices(struct weir_slice cell, double *out)
{
	double value;

	*out = -INFINITY;
	while (cell.length) {
		const char *end = memchr(cell.data, ';', cell.length);
		size_t length = end ? (size_t)(end - cell.data) : cell.length, colon = length;

		while (colon && cell.data[colon - 1] != ':')
			colon--;
		if (!colon || !weir_parse_double(cell.data + colon, length - colon, &value))
			return false;
		*out = fmax(*out, value);
		cell.data += length + (end != NULL);
		cell.length -= length + (end != NULL);
	}
	return true;
}

/* Parses "57.7", or the total at the start of "57.7, [20.1,37.6]". */
static bool parse_total(struct weir_slice cell, double *out)
{
	const char *comma = memchr(cell.data, ',', cell.length);
	size_t length = comma ? (size_t)(comma - cell.data) : cell.length, rest = length;

	while (rest < cell.length && (cell.data[rest] == ',' || cell.data[rest] == ' '))
		rest++;
	if (comma &&
	    (rest == cell.length || cell.data[rest] != '[' || cell.data[cell.length - 1] != ']'))
		return false;
	return weir_parse_double(cell.data, length, out);
}

/* Returns NAN for an empty cell, and, with a warning, for a malformed one. */
static double read_cell(struct reader *reader, const struct column *column, struct weir_slice cell,
                        const struct weir_csv_row *row)
{
	enum cells cells = column->figure ? column->figure->cells : CELL_NUMBER;
	double value;
	bool good;

	if (!cell.length)
		return NAN;
	good = cells == CELL_NUMBER ? parse_total(cell, &value) : parse_devices(cell, &value);
	if (good && value >= 0)
		return value;
	weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, row->at,
	                column->figure ? column->figure->header : column->percentile);
	return NAN;
}

/* Builds the name of the figure in a column. Returns false if the column is not read. */
static bool name_figure(struct reader *reader, const struct column *column)
{
	if (!column->figure && !column->percentile[0])
		return false;
	weir_text_clear(&reader->name);
	if (column->figure)
		weir_text_printf(&reader->name, "%s%s", reader->prefix.data,
		                 column->figure->metric);
	else
		weir_text_printf(&reader->name, "%s%s_latency_ms", reader->prefix.data,
		                 column->percentile);
	return true;
}

/* Adds the figures of a row. A time of 0 is one below the table's resolution of 1 us, or below its
 * noise. It is kept, because a figure that is missing in some runs cannot be compared. */
static void add_figures(struct reader *reader, const struct weir_csv_row *row)
{
	for (size_t i = 0; i < reader->column_count; i++) {
		const struct column *column = &reader->columns[i];
		const struct figure *figure = column->figure;

		if (!name_figure(reader, column))
			continue;
		weir_figure_add(
			reader->input->run, reader->name.data, figure ? figure->unit : "ms",
			figure && figure->higher_is_better,
			read_cell(reader, column, row->cells[i], row) /
				(figure ? figure->divisor : reader->table->percentile_divisor));
	}
}

/* True if the run has figures of this load point. */
static bool is_known_point(const struct reader *reader)
{
	const struct weir_series_table *metrics = &reader->input->run->metrics;

	for (size_t i = 0; i < metrics->count; i++) {
		const char *name = metrics->items[i].name;

		if (!strncmp(name, reader->prefix.data, reader->prefix.length) &&
		    !strchr(name + reader->prefix.length, '/'))
			return true;
	}
	return false;
}

/* True if the run has one of the row's figures: a further table may add others to the same load. */
static bool is_repeated(struct reader *reader)
{
	for (size_t i = 0; i < reader->column_count; i++)
		if (name_figure(reader, &reader->columns[i]) &&
		    weir_series_find(&reader->input->run->metrics, reader->name.data))
			return true;
	return false;
}

/* True unless the row is as long as the header; an empty cell after the last one is allowed. */
static bool is_ragged(const struct reader *reader, const struct weir_csv_row *row)
{
	if (row->count < reader->column_count || row->excess)
		return true;
	for (size_t i = reader->column_count; i < row->count; i++)
		if (row->cells[i].length)
			return true;
	return false;
}

static bool is_idle(const struct reader *reader, const struct weir_csv_row *row)
{
	struct weir_slice cell = weir_csv_cell(row, reader->throughput);
	double value;

	return cell.length && parse_total(cell, &value) && !(value > 0);
}

static enum weir_status read_row(struct reader *reader, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	bool known;

	if (is_ragged(reader, row)) {
		weir_input_warn(reader->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		return WEIR_OK;
	}
	if (is_idle(reader, row)) {
		reader->idle++;
		weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, row->at,
		                "a load under which no request completed");
		return WEIR_OK;
	}
	if (reader->input->run->metrics.count + reader->column_count > WEIR_FIGURE_MAX)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "line %llu: more than %d figures, the limit of one run: split the "
		                 "table",
		                 (unsigned long long)row->number, WEIR_FIGURE_MAX);
	read_keys(reader, row);
	known = is_known_point(reader);
	if (known && is_repeated(reader)) {
		weir_input_warn(reader->input, WEIR_WARN_DUPLICATE, row->at, reader->prefix.data);
		return WEIR_OK;
	}
	add_figures(reader, row);
	keep_keys(reader, row);
	reader->points += !known;
	return WEIR_OK;
}

static enum weir_status read_rows(struct reader *reader, struct weir_csv *csv,
                                  struct weir_source *source, struct weir_error *err)
{
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (!row->count || (row->cut && weir_source_damage(source)))
			continue;
		reader->input->events++;
		if (!reader->columns || is_header_again(reader, row))
			read_header(reader, row);
		else
			status = read_row(reader, row, err);
		if (status)
			break;
	}
	return status;
}

/* Moves the only load point from the names of the figures to labels. */
static void name_by_labels(struct reader *reader)
{
	const struct key *key = reader->table->keys;
	struct weir_series_table *metrics = &reader->input->run->metrics;

	for (size_t i = 0; key->header; i++, key++)
		if (key->label)
			weir_figure_label(
				reader->input->run, key->label,
				(struct weir_slice){reader->keys[i].data, reader->keys[i].length});
	for (size_t i = 0; i < metrics->count; i++) {
		char *name = metrics->items[i].name;

		memmove(name, name + reader->prefix_length,
		        strlen(name + reader->prefix_length) + 1);
	}
	weir_series_index(metrics);
}

static enum weir_status conclude(struct reader *reader, struct weir_error *err)
{
	struct weir_run *run = reader->input->run;

	if (!run->metrics.count && reader->idle)
		return weir_fail(
			err, WEIR_E_FORMAT,
			"no request completed under any load, so the figures mean nothing: "
			"read what the server said, then measure again");
	if (!run->metrics.count)
		return weir_fail(err, WEIR_E_EMPTY, "no figure in this table: expected %s",
		                 reader->table->expected);
	if (reader->points == 1)
		name_by_labels(reader);
	weir_input_warn(reader->input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

static enum weir_status read_table(const struct table *table, struct weir_source *source,
                                   struct weir_input *input, struct weir_error *err)
{
	struct reader reader = {.table = table, .input = input};
	struct weir_csv *csv = weir_csv_new(source, &csv_options);
	const struct weir_csv_skipped *skipped = weir_csv_skipped(csv);
	enum weir_status status;

	input->run = weir_run_new();
	status = read_rows(&reader, csv, source, err);
	if (skipped->count) {
		weir_input_warn(input, WEIR_WARN_RAGGED_ROW, skipped->first_at, "too long");
		input->warnings[WEIR_WARN_RAGGED_ROW].count += skipped->count - 1;
	}
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude(&reader, err);
	weir_csv_free(csv);
	free(reader.columns);
	for (size_t i = 0; i < reader.ordinal_count; i++)
		free(reader.ordinals[i]);
	for (size_t i = 0; i < MAX_KEYS; i++)
		weir_text_release(&reader.keys[i]);
	weir_text_release(&reader.prefix);
	weir_text_release(&reader.name);
	return status;
}

/* ---- perf_analyzer -f ---- */

#define US(header, metric)                                                                         \
	{                                                                                          \
		header, metric, "ms", 1e3, false, CELL_NUMBER                                      \
	}

/* Whole microseconds. Server columns are means of the server's statistics. Network is the rest of
 * the waiting at the client, 0 if noise makes it negative. */
static const struct figure perf_figures[] = {
	{"Inferences/Second", "inference_throughput", "inferences/s", 1, true, CELL_NUMBER},
	{"Response Throughput", "response_throughput", "responses/s", 1, true, CELL_NUMBER},
	US("Client Send", "mean_client_send_ms"),
	US("Network+Server Send/Recv", "mean_network_ms"),
	US("Server Queue", "mean_queue_ms"),
	US("Server Compute Input", "mean_h2d_ms"),
	US("Server Compute Infer", "mean_compute_ms"),
	US("Server Compute", "mean_compute_ms"), /* perf_client: copies included */
	US("Server Compute Output", "mean_d2h_ms"),
	US("Server Cache Hit", "mean_cache_hit_ms"),
	US("Server Cache Miss", "mean_cache_miss_ms"),
	US("Client Recv", "mean_client_recv_ms"),
	US("Avg latency", "mean_latency_ms"),
	US("request/response", "mean_request_response_ms"),
	US("response wait", "mean_response_wait_ms"),
	{"Max GPU Memory Usage", "max_gpu_memory_bytes", "B", 1, false, CELL_MAX_OF_DEVICES},
	{0},
};

static const struct key perf_keys[] = {
	{"Concurrency", "concurrency", "concurrency", false},
	{"Request Rate", "request_rate", "request_rate", false},
	{0},
};

static const struct table perf_table = {
	.keys = perf_keys,
	.figures = perf_figures,
	.percentile = " latency",
	.percentile_divisor = 1e3,
	.throughput = "Inferences/Second",
	.expected = "Inferences/Second, Server Queue, p95 latency and the like",
};

static const struct weir_mark perf_marks[] = {
	{.first = "",
         .cells = {{"Inferences/Second", "Concurrency", "Request Rate"}, .all = 1, .any = 2}},
	{0},
};

/* Returns the bits of the text that the program prints: the same figures in blocks. */
static int sniff_perf(const char *head, size_t len)
{
	return weir_mark_bits(&weir_perf_console_mark, head, len);
}

static enum weir_status read_perf(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	return sniff_perf(head, len) ? weir_perf_console_read(source, input, err)
	                             : read_table(&perf_table, source, input, err);
}

const struct weir_reader weir_reader_perf_analyzer_csv = {
	.name = "perf_analyzer_csv",
	.title = "latency reports of perf_analyzer (-f FILE, or its text), one or more loads",
	.gives = "native run",
	.tool = "perf_analyzer",
	.marks = perf_marks,
	.sniff = sniff_perf,
	.read = read_perf,
};

/* ---- Model Analyzer ---- */

#define MS(header, metric)                                                                         \
	{                                                                                          \
		header, metric, "ms", 1, false, CELL_NUMBER                                        \
	}

/* A row stands for a configuration of a model and a load, in the table of devices also for a
 * device. One search is one run. Rows are sorted by the objective of the search, best first. The
 * first of several rows with the same keys counts: the models of a composition share them. */
static const struct figure analyzer_figures[] = {
	{"Throughput (infer/sec)", "inference_throughput", "inferences/s", 1, true, CELL_NUMBER},
	MS("Avg Latency (ms)", "mean_latency_ms"),
	MS("Request/Response (ms)", "mean_request_response_ms"),
	MS("Response Wait Time (ms)", "mean_response_wait_ms"),
	MS("Server Queue time (ms)", "mean_queue_ms"),
	MS("Server Compute Input time (ms)", "mean_h2d_ms"),
	MS("Server Compute Infer time (ms)", "mean_compute_ms"),
	MS("Server Compute Output time (ms)", "mean_d2h_ms"),
	{"GPU Memory Usage (MB)", "gpu_memory_mb", "MB", 1, false, CELL_NUMBER},
	{"GPU Utilization (%)", "gpu_utilization_pct", "%", 1, true, CELL_NUMBER},
	{"GPU Power Usage (W)", "gpu_power_w", "W", 1, false, CELL_NUMBER},
	{"RAM Usage (MB)", "host_memory_mb", "MB", 1, false, CELL_NUMBER},
	{0},
};

static const struct key analyzer_keys[] = {
	{"Model", NULL, "model", false},
	{"Model Config Path", NULL, "model_config", false},
	{"Batch", "batch", "batch_size", false},
	{"Concurrency", "concurrency", "concurrency", false},
	{"Request Rate", "request_rate", "request_rate", false},
	{"GPU UUID", "gpu", NULL, true},
	{"GPU ID", "gpu", NULL, true}, /* of early versions, instead of the UUID */
	{0},
};

static const struct table analyzer_table = {
	.keys = analyzer_keys,
	.figures = analyzer_figures,
	.percentile = " Latency (ms)",
	.percentile_divisor = 1,
	.throughput = "Throughput (infer/sec)",
	.expected = "Throughput (infer/sec), p99 Latency (ms), GPU Memory Usage (MB) and the like",
};

static const struct weir_mark analyzer_marks[] = {
	{.first = "", .cells = {{"Model", "Model Config Path", "GPU UUID"}, .all = 1, .any = 2}},
	{0},
};

#define SERVER_ALONE "triton-server" /* the model of the row before any model is loaded */

/* Returns true if all rows are of the server before any model: metrics-server-only.csv. */
static bool is_server_alone(const struct weir_run *run)
{
	const char *model = weir_run_label(run, "model"); /* of a table with one row */

	if (model)
		return strcmp(model, SERVER_ALONE) == 0;
	for (size_t i = 0; i < run->metrics.count; i++)
		if (!weir_slice_starts(weir_slice_of(run->metrics.items[i].name), SERVER_ALONE "/"))
			return false;
	return true;
}

/* Fails because of the table of the server alone, and says its first figures. */
static enum weir_status fail_as_idle(const struct weir_run *run, struct weir_error *err)
{
	struct weir_text figures = {0};

	for (size_t i = 0; i < run->metrics.count && i < MOST_IDLE; i++)
		weir_text_printf(&figures, "%s%s %.4g", i ? ", " : "", run->metrics.items[i].name,
		                 run->metrics.items[i].value[0]);
	weir_fail(err, WEIR_E_FORMAT,
	          "it is Model Analyzer's metrics-server-only.csv: the idle server before any "
	          "model, without a request (%s); pass metrics-model-inference.csv of the same "
	          "search",
	          figures.data);
	weir_text_release(&figures);
	return WEIR_E_FORMAT;
}

static enum weir_status read_analyzer(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	enum weir_status status = read_table(&analyzer_table, source, input, err);

	return !status && is_server_alone(input->run) ? fail_as_idle(input->run, err) : status;
}

const struct weir_reader weir_reader_model_analyzer = {
	.name = "model_analyzer",
	.title = "results of Triton's Model Analyzer (CSV), one run of many configurations",
	.gives = "native run",
	.tool = "Triton's Model Analyzer",
	.marks = analyzer_marks,
	.read = read_analyzer,
};
