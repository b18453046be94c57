/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the statistics of Locust (--csv PREFIX, the file PREFIX_stats.csv): a row per request and
 * one over all ("Aggregated", "Total" before 2020). The row over all gives figures without a
 * prefix; the others have the request in their names ("request@POST /generate/p95_latency_ms"),
 * unless there is only one. Times include those of failed requests, which is a warning.
 *
 * Scripts may report events beside requests, such as the time to the first token of an answer, with
 * a type that is no method of HTTP. Events of the same requests make the row over all a sum over
 * several times of each request: it is left out (label "aggregated_events"), and the requests are
 * the rows with a method.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_NAME   160 /* bytes of a request's name; the rest is cut */
#define PERCENTILE 8   /* bytes of "99.99" and its NUL */
#define MIN_COUNT  2   /* requests of two rows whose equal number is no chance */

#define PASS_STATS "pass PREFIX_stats.csv of the same run (locust --csv PREFIX)"

static const struct weir_mark marks[] = {
	{.first = "",
         .cells = {{"Type", "Name", "Request Count", "Failure Count", "Requests/s"}, .all = 5}},
	{.first = "",
         .cells = {{"Name", "# requests", "# failures", "Requests/s", "Type", "Method"},
                   .all = 4,
                   .any = 2}},
	{.first = "",
         .cells = {{"User Count", "Requests/s", "Failures/s", "Total Request Count"}, .all = 4},
         .refusal = "it is the history of a run of Locust: " PASS_STATS},
	{.first = "",
         .cells = {{"Method", "Name", "Error", "Occurrences"}, .all = 4},
         .refusal = "it is Locust's list of failures, without times: " PASS_STATS},
	{.first = "",
         .cells = {{"Count", "Message", "Traceback", "Nodes"}, .all = 4},
         .refusal = "it is Locust's list of exceptions, without times: " PASS_STATS},
	{.first = "[",
         .keys = {{"num_none_requests", "response_times"}, .all = 2},
         .refusal = "it is what locust --json prints: " PASS_STATS},
	{0},
};

/* Columns of figures; the headers are compared without regard to case. */
static const struct figure {
	const char *header, *name, *unit;
	bool higher_is_better;
} figures[] = {
	{"Average Response Time", "mean_latency_ms", "ms", false},
	{"Median Response Time", "median_latency_ms", "ms", false},
	{"Min Response Time", "min_latency_ms", "ms", false},
	{"Max Response Time", "max_latency_ms", "ms", false},
	{"Requests/s", "request_throughput", "1/s", true},
	{"Failures/s", "failures_per_s", "1/s", false},
	{"Requests Failed/s", "failures_per_s", "1/s", false},
};

/* A column that is read; without figure and percentile it is not. */
struct column {
	const struct figure *figure;
	char percentile[PERCENTILE]; /* "99.9" */
};

/* A row of requests or events. */
struct kind {
	bool by_http;
	double requests, failures, per_s; /* NAN: not stated */
};

struct table {
	struct weir_input *input;
	struct column *columns;
	size_t column_count, column_capacity;
	size_t type, name, requests, failures; /* columns */
	struct weir_run *parts;                /* figures of single requests */
	size_t part_count;
	bool has_all;         /* the row over all requests was read */
	size_t failed;        /* rows without a request that succeeded */
	struct weir_run *all; /* figures of the row over all */
	uint64_t all_at;      /* its byte */
	double all_requests, all_failures;
	struct kind *kinds; /* of the other rows */
	size_t kind_count, kind_capacity;
	struct weir_text prefix, figure;
};

/* ---- header ---- */

static bool is_text(struct weir_slice cell, const char *text)
{
	return cell.length == strlen(text) && !strncasecmp(cell.data, text, cell.length);
}

/* Returns the column with one of two names; WEIR_CSV_NO_COLUMN if there is no such column. */
static size_t find_column(const struct weir_csv_row *header, const char *one, const char *other)
{
	for (size_t i = 0; i < header->count; i++)
		if (is_text(header->cells[i], one) || is_text(header->cells[i], other))
			return i;
	return WEIR_CSV_NO_COLUMN;
}

static struct column describe(struct weir_slice header)
{
	struct column column = {0};
	double percent;

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (is_text(header, figures[i].header))
			column.figure = &figures[i];
	if (header.length > 1 && header.length <= PERCENTILE &&
	    header.data[header.length - 1] == '%' &&
	    weir_parse_double(header.data, header.length - 1, &percent) && percent > 0 &&
	    percent < 100) /* 100 % is the maximum, rounded */
		memcpy(column.percentile, header.data, header.length - 1);
	return column;
}

static bool is_header(const struct weir_csv_row *row)
{
	return find_column(row, "Name", "Name") != WEIR_CSV_NO_COLUMN &&
	       find_column(row, "Requests/s", "Requests/s") != WEIR_CSV_NO_COLUMN;
}

static void read_header(struct table *table, const struct weir_csv_row *row)
{
	table->column_count = 0;
	for (size_t i = 0; i < row->count; i++) {
		table->columns = weir_grow(table->columns, &table->column_capacity,
		                           table->column_count + 1, sizeof(*table->columns));
		table->columns[table->column_count++] = describe(row->cells[i]);
	}
	table->type = find_column(row, "Type", "Method");
	table->name = find_column(row, "Name", "Name");
	table->requests = find_column(row, "Request Count", "# requests");
	table->failures = find_column(row, "Failure Count", "# failures");
}

/* ---- rows ---- */

/* Returns the number in a cell; NAN for "N/A", an empty cell and any other text. */
static double number_of(struct table *table, const struct weir_csv_row *row, size_t column)
{
	struct weir_slice cell = weir_csv_cell(row, column);
	double value;

	if (weir_parse_double(cell.data, cell.length, &value) && isfinite(value) && value >= 0)
		return value;
	if (cell.length && !weir_slice_equals(cell, "N/A"))
		weir_input_warn(table->input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
	return NAN;
}

static bool is_of_all(const struct table *table, const struct weir_csv_row *row)
{
	struct weir_slice type = weir_csv_cell(row, table->type);
	struct weir_slice name = weir_csv_cell(row, table->name);

	return (!type.length || weir_slice_equals(type, "None")) &&
	       (weir_slice_equals(name, "Aggregated") || weir_slice_equals(name, "Total"));
}

static void add_printable(struct weir_text *text, struct weir_slice part)
{
	for (size_t i = 0; i < part.length && text->length < MAX_NAME; i++)
		weir_text_add(text, (unsigned char)part.data[i] < ' ' ? "?" : &part.data[i], 1);
}

/* Sets the prefix of the row's figures: "request@POST /generate/". */
static void name_row(struct table *table, const struct weir_csv_row *row)
{
	struct weir_slice type = weir_csv_cell(row, table->type);

	weir_text_clear(&table->prefix);
	weir_text_puts(&table->prefix, "request@");
	add_printable(&table->prefix, type);
	weir_text_puts(&table->prefix, type.length ? " " : "");
	add_printable(&table->prefix, weir_csv_cell(row, table->name));
	weir_text_puts(&table->prefix, "/");
}

static void add_figures(struct table *table, struct weir_run *run, const struct weir_csv_row *row)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		const struct figure *figure = column->figure;

		if (!figure && !column->percentile[0])
			continue;
		weir_text_clear(&table->figure);
		if (figure)
			weir_text_printf(&table->figure, "%s%s", table->prefix.data, figure->name);
		else
			weir_text_printf(&table->figure, "%sp%s_latency_ms", table->prefix.data,
			                 column->percentile);
		weir_figure_add(run, table->figure.data, figure ? figure->unit : "ms",
		                figure && figure->higher_is_better, number_of(table, row, i));
	}
}

/* True for the type of requests by HTTP. */
static bool is_http(struct weir_slice type)
{
	static const char *const methods[] = {"GET",  "POST",    "PUT",   "PATCH",  "DELETE",
	                                      "HEAD", "OPTIONS", "TRACE", "CONNECT"};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (is_text(type, methods[i]))
			return true;
	return false;
}

static void keep_kind(struct table *table, const struct weir_csv_row *row, double requests,
                      double failures)
{
	struct kind kind = {
		.by_http = is_http(weir_csv_cell(row, table->type)),
		.requests = requests,
		.failures = isnan(failures) ? 0 : failures,
		.per_s = NAN,
	};

	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].figure &&
		    strcmp(table->columns[i].figure->name, "request_throughput") == 0)
			kind.per_s = number_of(table, row, i);
	table->kinds = weir_grow(table->kinds, &table->kind_capacity, table->kind_count + 1,
	                         sizeof(*table->kinds));
	table->kinds[table->kind_count++] = kind;
}

/* True if a row of events, which have no method of HTTP, has the count of a row of another type:
 * they are events of the same requests. */
static bool has_events(const struct table *table)
{
	for (size_t i = 0; i < table->kind_count; i++)
		for (size_t j = 0; j < table->kind_count; j++)
			if (table->kinds[i].by_http && !table->kinds[j].by_http &&
			    table->kinds[i].requests >= MIN_COUNT &&
			    table->kinds[i].requests == table->kinds[j].requests)
				return true;
	return false;
}

/* Sets labels for the requests of a row that succeeded and that failed: "completed" and "failed",
 * of one kind of request "request@GET //completed". Counts follow the duration of the load, so they
 * are no figures. */
static void label_counts(struct table *table, double requests, double failures)
{
	struct weir_text key = {0};
	char value[32];

	if (table->input->run->label_count + 2 > WEIR_FIGURE_MAX_LABELS)
		return;
	weir_text_printf(&key, "%s" WEIR_LOAD_COMPLETED, table->prefix.data);
	snprintf(value, sizeof(value), "%.0f", requests - failures);
	weir_run_set_label(table->input->run, key.data, value);
	weir_text_clear(&key);
	weir_text_printf(&key, "%s" WEIR_LOAD_FAILED, table->prefix.data);
	snprintf(value, sizeof(value), "%.0f", failures);
	if (failures > 0)
		weir_run_set_label(table->input->run, key.data, value);
	weir_text_release(&key);
}

static void warn_of_failures(struct table *table, double failures, double requests)
{
	struct weir_text text = {0};

	if (!(failures > 0))
		return;
	weir_text_printf(&text, "%.0f of %.0f requests failed, and their times are counted",
	                 failures, requests);
	weir_input_warn(table->input, WEIR_WARN_FAILED_COUNTED, table->all_at, text.data);
	weir_text_release(&text);
}

/* Counts a row of requests that all failed, and labels their number: their times are not those of
 * the service. */
static void skip_failed(struct table *table, const struct weir_csv_row *row, double requests)
{
	struct weir_text text = {0};

	if (requests > 0) {
		weir_text_printf(&text, "all %.0f requests of \"", requests);
		add_printable(&text, weir_csv_cell(row, table->name));
		weir_text_puts(&text, "\" failed");
		if (!is_of_all(table, row)) {
			name_row(table, row);
			label_counts(table, requests, requests);
		}
	} else {
		weir_text_puts(&text, "a row without a request that succeeded");
	}
	weir_input_warn(table->input, WEIR_WARN_SKIPPED_EVENT, row->at, text.data);
	table->failed++;
	weir_text_release(&text);
}

static enum weir_status fail_too_many(const struct weir_csv_row *row, struct weir_error *err)
{
	return weir_fail(err, WEIR_E_LIMIT,
	                 "line %llu: more than %d figures, the limit of one run: group requests by "
	                 "name in Locust",
	                 (unsigned long long)row->number, WEIR_FIGURE_MAX);
}

static enum weir_status take_row(struct table *table, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	double requests = number_of(table, row, table->requests);
	double failures = number_of(table, row, table->failures);
	bool of_all = is_of_all(table, row);

	if (row->count != table->column_count || row->cut) {
		weir_input_warn(table->input, row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW,
		                row->at, NULL);
		return WEIR_OK;
	}
	if (!(requests > 0) || failures >= requests) {
		skip_failed(table, row, requests);
		return WEIR_OK;
	}
	weir_text_clear(&table->prefix);
	weir_text_puts(&table->prefix, "");
	if (!of_all)
		name_row(table, row);
	if (table->parts->metrics.count + 2 * table->column_count > WEIR_FIGURE_MAX)
		return fail_too_many(row, err);
	add_figures(table, of_all ? table->all : table->parts, row);
	table->has_all |= of_all;
	table->part_count += !of_all;
	if (!of_all) {
		label_counts(table, requests, isnan(failures) ? 0 : failures);
		keep_kind(table, row, requests, failures);
		return WEIR_OK;
	}
	table->all_at = row->at;
	table->all_requests = requests;
	table->all_failures = isnan(failures) ? 0 : failures;
	return WEIR_OK;
}

static enum weir_status read_rows(struct table *table, struct weir_csv *csv, struct weir_error *err)
{
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (!row->count)
			continue;
		if (is_header(row))
			read_header(table, row);
		else if (table->column_count)
			status = take_row(table, row, err);
		if (status)
			return status;
	}
	return status;
}

static void copy_figures(struct weir_run *run, const struct weir_series_table *from)
{
	for (size_t i = 0; i < from->count; i++)
		weir_figure_add(run, from->items[i].name, from->items[i].unit,
		                from->items[i].higher_is_better, from->items[i].value[0]);
}

/* Gives the run the rate and the number of the requests, without the events beside them, in place
 * of the row over all. */
static void take_requests_alone(struct table *table)
{
	double requests = 0, failures = 0, per_s = 0;
	char all[32];

	for (size_t i = 0; i < table->kind_count; i++) {
		if (!table->kinds[i].by_http)
			continue;
		requests += table->kinds[i].requests;
		failures += table->kinds[i].failures;
		per_s += table->kinds[i].per_s;
	}
	weir_figure_add(table->input->run, "request_throughput", "1/s", true, per_s);
	weir_text_clear(&table->prefix);
	weir_text_puts(&table->prefix, "");
	label_counts(table, requests, failures);
	snprintf(all, sizeof(all), "%.0f", table->all_requests);
	weir_run_set_label(table->input->run, "aggregated_events", all);
}

/* Adds the figures of the row over all and of single requests, unless both say the same. */
static enum weir_status conclude(struct table *table, struct weir_error *err)
{
	struct weir_input *input = table->input;

	if (table->has_all && has_events(table)) {
		take_requests_alone(table);
	} else if (table->has_all) {
		copy_figures(input->run, &table->all->metrics);
		weir_text_clear(&table->prefix);
		weir_text_puts(&table->prefix, "");
		label_counts(table, table->all_requests, table->all_failures);
		warn_of_failures(table, table->all_failures, table->all_requests);
	}
	if (!table->has_all || table->part_count != 1)
		copy_figures(input->run, &table->parts->metrics);
	input->events = input->run->metrics.count;
	if (!input->events && table->failed)
		return weir_client_fail_none_completed(err);
	if (!input->events)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no request in these statistics of Locust: expected a row with "
		                 "the name Aggregated");
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

static enum weir_status read_locust(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_csv_options options = {
		.separator = ',', .quotes = true, .trim = true};
	struct table table = {.input = input, .parts = weir_run_new(), .all = weir_run_new()};
	struct weir_csv *csv = weir_csv_new(source, &options);
	enum weir_status status;

	input->run = weir_run_new();
	status = read_rows(&table, csv, err);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude(&table, err);
	weir_run_free(table.parts);
	weir_run_free(table.all);
	free(table.kinds);
	free(table.columns);
	weir_text_release(&table.prefix);
	weir_text_release(&table.figure);
	return status;
}

const struct weir_reader weir_reader_locust = {
	.name = "locust",
	.title = "statistics of Locust (--csv PREFIX: PREFIX_stats.csv)",
	.gives = "native run",
	.tool = "Locust",
	.whole_run = true,
	.marks = marks,
	.read = read_locust,
};
