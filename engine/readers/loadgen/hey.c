/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the report of hey (HTTP) and of ghz (gRPC), whose texts have one form, and the JSON of ghz:
 *
 *	Summary:
 *	  Count:        4000
 *	  Total:        1.25 s
 *	  Slowest:      45.10 ms
 *	  Average:      3.05 ms
 *	  Requests/sec: 3200.00
 *
 *	Latency distribution:
 *	  50 % in 2.81 ms
 *
 *	Status code distribution:
 *	  [OK]          3990 responses
 *	  [Unavailable] 10 responses
 *
 * Times and the rate of requests are figures. A request failed if it has an error, a status of
 * failure (from 400 on), or one other than OK. The rates of both tools count failed requests too:
 * with failures, the rate is computed from requests that succeeded and the time of the test.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/jsoncursor.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define FIRST_FAILURE 400 /* least status of HTTP that is a failure */
#define NS_PER_MS     1e6

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"count", "average", "fastest", "slowest", "rps", "latencyDistribution"},
                  .all = 5}},
	{0},
};

enum key { COUNT, TOTAL, SLOWEST, FASTEST, AVERAGE, RATE, KEYS };

/* Names in the text and in the JSON, and of the figure; NULL: none. */
static const struct {
	const char *text, *json, *figure;
} keys[KEYS] = {
	[COUNT] = {"Count", "count", NULL},
	[TOTAL] = {"Total", "total", NULL},
	[SLOWEST] = {"Slowest", "slowest", "max_latency_ms"},
	[FASTEST] = {"Fastest", "fastest", "min_latency_ms"},
	[AVERAGE] = {"Average", "average", "mean_latency_ms"},
	[RATE] = {"Requests/sec", "rps", NULL},
};

enum section { NO_SECTION, STATUSES, ERRORS };

struct hey {
	struct weir_input *input;
	double value[KEYS]; /* numbers, 1/s and ms; NAN: not stated */
	double completed, failed, errors;
	bool has_statuses, is_grpc;
	enum section section; /* of the text */
	bool ended;           /* a further report has begun */
};

/* ---- figures ---- */

static bool is_possible(struct hey *hey, double value, uint64_t at)
{
	if (isfinite(value) && value >= 0)
		return true;
	weir_input_warn(hey->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	return false;
}

static void take_key(struct hey *hey, enum key key, double value, uint64_t at)
{
	if (!is_possible(hey, value, at))
		return;
	hey->value[key] = value;
	if (keys[key].figure)
		weir_figure_add(hey->input->run, keys[key].figure, "ms", false, value);
}

static void take_percentile(struct hey *hey, double percent, double ms, uint64_t at)
{
	struct weir_text name = {0};

	if (!(percent > 0) || !(percent < 100) || !is_possible(hey, ms, at))
		return;
	if (percent == 50)
		weir_text_puts(&name, "median");
	else
		weir_text_printf(&name, "p%.6g", percent);
	weir_text_puts(&name, "_latency_ms");
	weir_figure_add(hey->input->run, name.data, "ms", false, ms);
	weir_text_release(&name);
}

/* Counts the responses with a status: a number of HTTP, or a word of gRPC. */
static void take_status(struct hey *hey, struct weir_slice status, double count, uint64_t at)
{
	int64_t code;
	bool http = weir_parse_i64(status.data, status.length, &code);

	if (!is_possible(hey, count, at))
		return;
	hey->has_statuses = true;
	hey->is_grpc |= !http;
	if (http ? code < FIRST_FAILURE : weir_slice_equals(status, "OK"))
		hey->completed += count;
	else
		hey->failed += count;
}

/* ---- text ---- */

/* Parses "8.45 ms" or "0.0013 secs" into ms; NAN: it is another text. */
static double parse_time(struct weir_slice text)
{
	static const struct {
		const char *unit;
		int places; /* power of ten from the unit to nanoseconds */
	} units[] = {{"ms", 6},        {"secs", 9},      {"s", 9}, {"us", 3},
	             {"\xc2\xb5s", 3}, {"\xce\xbcs", 3}, {"ns", 0}};
	struct weir_slice unit;
	size_t length = 0;
	int64_t ns;

	while (length < text.length && text.data[length] &&
	       strchr("0123456789.", text.data[length]))
		length++;
	unit = weir_slice_trim((struct weir_slice){text.data + length, text.length - length});
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (weir_slice_equals(unit, units[i].unit) &&
		    weir_parse_scaled(text.data, length, units[i].places, &ns))
			return (double)ns / NS_PER_MS;
	return NAN;
}

/* Takes the text before a mark, and the mark, off a line. */
static bool take_before(struct weir_slice *line, const char *mark, struct weir_slice *out)
{
	const char *found = weir_slice_find(*line, mark);
	size_t length = found ? (size_t)(found - line->data) : 0;

	if (!found)
		return false;
	*out = weir_slice_trim((struct weir_slice){line->data, length});
	*line = weir_slice_trim(
		(struct weir_slice){found + strlen(mark), line->length - length - strlen(mark)});
	return true;
}

/* Takes "Slowest: 0.0719 secs". Returns false for other lines. */
static bool take_key_line(struct hey *hey, struct weir_slice line, const struct weir_csv_row *row)
{
	struct weir_slice name;
	size_t key = 0;
	double value;

	if (!take_before(&line, ":", &name))
		return false;
	while (key < KEYS && !weir_slice_equals(name, keys[key].text))
		key++;
	if (key == KEYS)
		return false;
	if (!isnan(hey->value[key])) {
		weir_input_warn(hey->input, WEIR_WARN_DUPLICATE, row->at,
		                "a further report; the first is read");
		hey->ended = true;
		return true;
	}
	if (key != COUNT && key != RATE)
		take_key(hey, (enum key)key, parse_time(line), row->at);
	else if (row->cut)
		weir_input_warn(hey->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	else
		take_key(hey, (enum key)key,
		         weir_parse_double(line.data, line.length, &value) ? value : NAN, row->at);
	return true;
}

/* Takes "50 % in 6.43 ms". Returns false for other lines. */
static bool take_percentile_line(struct hey *hey, struct weir_slice line,
                                 const struct weir_csv_row *row)
{
	struct weir_slice number;
	double percent;

	if (!take_before(&line, "%", &number) ||
	    !weir_parse_double(number.data, number.length, &percent))
		return false;
	weir_slice_take(&line, "% "); /* some versions of hey print "50%% in" */
	if (!weir_slice_take(&line, "in "))
		return false;
	take_percentile(hey, percent, parse_time(weir_slice_trim(line)), row->at);
	return true;
}

/* Takes "[200] 46318 responses", or "[3] an error" with the number of its requests. */
static void take_bracket_line(struct hey *hey, struct weir_slice line,
                              const struct weir_csv_row *row)
{
	struct weir_slice name, number;
	double count;

	if (hey->section == NO_SECTION || !weir_slice_take(&line, "[") ||
	    !take_before(&line, "]", &name))
		return;
	if (hey->section == STATUSES && take_before(&line, "response", &number))
		take_status(hey, name,
		            weir_parse_double(number.data, number.length, &count) ? count : NAN,
		            row->at);
	else if (hey->section == ERRORS && weir_parse_double(name.data, name.length, &count) &&
	         is_possible(hey, count, row->at))
		hey->errors += count;
	else
		weir_input_warn(hey->input, row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_BAD_NUMBER,
		                row->at, NULL);
}

static void take_line(struct hey *hey, const struct weir_csv_row *row)
{
	struct weir_slice line = weir_slice_trim(row->line);

	if (weir_slice_equals(line, "Status code distribution:"))
		hey->section = STATUSES;
	else if (weir_slice_equals(line, "Error distribution:"))
		hey->section = ERRORS;
	else if (weir_slice_starts(line, "["))
		take_bracket_line(hey, line, row);
	else if (!take_percentile_line(hey, line, row))
		take_key_line(hey, line, row);
}

static enum weir_status read_lines(struct hey *hey, struct weir_source *source,
                                   struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\n'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row && !hey->ended)
		if (row->line.length)
			take_line(hey, row);
	weir_csv_free(csv);
	weir_damage_of_source(hey->input, source);
	return status;
}

/* ---- JSON ---- */

/* Takes [{"percentage": 50, "latency": 6430000}, ...]. */
static void take_distribution(struct hey *hey, const struct weir_jsonleaf *leaf)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(leaf->text);
	struct weir_slice key, word;

	if (!weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor) && weir_jsoncursor_enter(&cursor, '{')) {
		double percent = NAN, ns = NAN;

		while (weir_jsoncursor_key(&cursor, &key)) {
			word = weir_jsoncursor_take(&cursor);
			if (weir_slice_equals(key, "percentage"))
				weir_parse_double(word.data, word.length, &percent);
			else if (weir_slice_equals(key, "latency"))
				weir_parse_double(word.data, word.length, &ns);
		}
		take_percentile(hey, percent, ns / NS_PER_MS, leaf->at);
	}
}

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct hey *hey = context;
	struct weir_slice path = weir_slice_of(leaf->path);
	double value;

	(void)err;
	if (weir_slice_equals(path, "latencyDistribution"))
		take_distribution(hey, leaf);
	if (weir_slice_take(&path, "statusCodeDistribution/"))
		take_status(hey, path, weir_jsonleaf_number(leaf, NULL), leaf->at);
	for (size_t i = 0; i < KEYS; i++)
		if (weir_slice_equals(path, keys[i].json)) {
			value = weir_jsonleaf_number(leaf, NULL);
			take_key(hey, (enum key)i,
			         i == COUNT || i == RATE ? value : value / NS_PER_MS, leaf->at);
		}
	return WEIR_OK;
}

/* ---- the reader ---- */

/* Settles how many requests succeeded and failed. gRPC's errors are among its statuses. */
static void settle(struct hey *hey)
{
	if (hey->is_grpc && hey->value[COUNT] > hey->completed + hey->failed)
		hey->failed = hey->value[COUNT] - hey->completed;
	else if (!hey->is_grpc)
		hey->failed += hey->errors;
	if (!hey->has_statuses && !(hey->failed > 0))
		hey->completed = hey->value[COUNT];
	if (hey->failed > 0)
		hey->value[RATE] =
			hey->value[TOTAL] > 0 ? hey->completed / (hey->value[TOTAL] / 1e3) : NAN;
}

static void label_number(struct weir_run *run, const char *key, double number)
{
	char value[32];

	snprintf(value, sizeof(value), "%.10g", number);
	if (isfinite(number))
		weir_run_set_label(run, key, value);
}

static void note_failures(struct hey *hey)
{
	double all = hey->completed + hey->failed;
	struct weir_text text = {0};

	weir_figure_add(hey->input->run, "failed_pct", "%", false, 100 * hey->failed / all);
	label_number(hey->input->run, WEIR_LOAD_FAILED, hey->failed);
	weir_text_printf(&text, "%.0f of %.0f requests failed; their times may be among the others",
	                 hey->failed, all);
	weir_input_warn(hey->input, WEIR_WARN_OF_TOOL, UINT64_MAX, text.data);
	weir_text_release(&text);
}

static enum weir_status conclude(struct hey *hey, struct weir_error *err)
{
	struct weir_run *run = hey->input->run;

	settle(hey);
	if (hey->completed <= 0 && (hey->failed > 0 || hey->value[COUNT] <= 0))
		return weir_client_fail_none_completed(err);
	weir_figure_add(run, "request_throughput", "1/s", true, hey->value[RATE]);
	if (!run->metrics.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no times and no rate in this report of hey or ghz: expected "
		                 "\"Average: 0.0013 secs\" below \"Summary:\"");
	if (hey->completed > 0)
		label_number(run, WEIR_LOAD_COMPLETED, hey->completed);
	label_number(run, WEIR_LOAD_DURATION, hey->value[TOTAL] / 1e3);
	if (hey->failed > 0)
		note_failures(hey);
	hey->input->events = run->metrics.count;
	weir_input_warn(hey->input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

static enum weir_status read_hey(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	struct hey hey = {.input = input};
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &hey, .lists = true};
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	for (size_t i = 0; i < KEYS; i++)
		hey.value[i] = NAN;
	input->run = weir_run_new();
	if (!status)
		status = first == '{' ? weir_jsonleaves_read(&leaves, source, err)
		                      : read_lines(&hey, source, err);
	return status ? status : conclude(&hey, err);
}

/* Recognises the text by its keys. The report of oha has them as well, and a rate of success. */
static int sniff(const char *head, size_t len)
{
	static const char *const names[] = {"Slowest:", "Fastest:", "Average:", "Requests/sec:"};
	int bits = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!weir_sniff_contains(head, len, names[i]))
			return 0;
		bits += 8 * (int)strlen(names[i]);
	}
	return weir_sniff_is_json(head, len) || weir_sniff_contains(head, len, "Success rate:")
	               ? 0
	               : bits;
}

const struct weir_reader weir_reader_hey = {
	.name = "hey",
	.title = "reports of hey (text) and ghz (text, JSON)",
	.gives = "native run",
	.whole_run = true,
	.marks = marks,
	.sniff = sniff,
	.read = read_hey,
};
