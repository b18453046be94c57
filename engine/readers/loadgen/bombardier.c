/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the reports of bombardier, as text and as JSON (-o json), which it prints below its first
 * lines:
 *
 *	Bombarding http://127.0.0.1:8000/generate for 10s using 125 connection(s)
 *	Statistics        Avg      Stdev        Max
 *	  Reqs/sec     12345.67    1234.56   15000.00
 *	  Latency       10.12ms     2.31ms   120.33ms
 *	  Latency Distribution (Total)
 *	     50%     9.81ms
 *	  HTTP codes:
 *	    1xx - 0, 2xx - 123000, 3xx - 0, 4xx - 0, 5xx - 450
 *	    others - 6
 *
 * Times include those of failed requests; the distribution of those with a status 2xx is passed
 * over. "others" got no response. Times in the JSON are microseconds.
 */
#include <math.h>

#include "engine/readers/loadgen/http_json.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define CLASSES  ((size_t)5) /* of statuses: from 1xx on */
#define EXPECTED "\"Latency 10.12ms 2.31ms 120.33ms\" below \"Statistics\", or \"result\""

enum section { ALL = 1, SOME };

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"spec", "result"}, .all = 2},
         .within = "result",
         .inside = {{"bytesRead", "timeTakenSeconds", "req2xx", "others"}, .all = 2}},
	{.first = "{",
         .keys = {{"spec", "result"}, .all = 2},
         .within = "spec",
         .inside = {{"numberOfConnections", "testType", "timeoutSeconds"}, .all = 2}},
	{0},
};

static const struct weir_http_line lines[] = {
	{.pattern = "Bombarding * for @ using # connection(s)",
         .slots = {WEIR_HTTP_DURATION_MS, WEIR_HTTP_CONCURRENCY},
         .begins = true},
	{.pattern = "Bombarding * with # request(s) using # connection(s)",
         .slots = {WEIR_HTTP_NOTHING, WEIR_HTTP_CONCURRENCY},
         .begins = true},
	{.pattern = "Reqs/sec # # #", .slots = {WEIR_HTTP_RATE}},
	{.pattern = "Latency @ @ @", .slots = {WEIR_HTTP_MEAN, WEIR_HTTP_STDEV, WEIR_HTTP_MAX}},
	{.pattern = "Latency Distribution", .enter = ALL},
	{.pattern = "Latency Distribution (Total)", .enter = ALL},
	{.pattern = "Latency Distribution ...", .enter = SOME},
	{.pattern = "% @", .slots = {WEIR_HTTP_AT_PERCENT, WEIR_HTTP_AT_TIME}, .in = ALL},
	{.pattern = "others - #", .slots = {WEIR_HTTP_EXCEPTIONS}},
	{0},
};

static const struct weir_http_number numbers[] = {
	{"spec/numberOfConnections", WEIR_HTTP_CONCURRENCY, WEIR_HTTP_PLAIN},
	{"result/timeTakenSeconds", WEIR_HTTP_DURATION_S, WEIR_HTTP_PLAIN},
	{"result/others", WEIR_HTTP_EXCEPTIONS, WEIR_HTTP_PLAIN},
	{"result/latency/mean", WEIR_HTTP_MEAN, WEIR_HTTP_US},
	{"result/latency/stddev", WEIR_HTTP_STDEV, WEIR_HTTP_US},
	{"result/latency/max", WEIR_HTTP_MAX, WEIR_HTTP_US},
	{"result/rps/mean", WEIR_HTTP_RATE, WEIR_HTTP_PLAIN},
	{0},
};

/* Takes the requests of a class of statuses and a percentile of the JSON. */
static void take_leaf(struct weir_http_report *report, const struct weir_jsonleaf *leaf)
{
	static const char *const classes[CLASSES] = {"result/req1xx", "result/req2xx",
	                                             "result/req3xx", "result/req4xx",
	                                             "result/req5xx"};
	struct weir_slice path = weir_slice_of(leaf->path);
	double percent;

	for (int64_t i = 0; i < (int64_t)CLASSES; i++)
		if (weir_slice_equals(path, classes[i]))
			weir_http_report_status(report, 100 * (i + 1),
			                        weir_http_json_number(leaf, WEIR_HTTP_PLAIN),
			                        leaf->at);
	if (weir_slice_take(&path, "result/latency/percentiles/") &&
	    weir_parse_double(path.data, path.length, &percent))
		weir_http_report_percentile(report, WEIR_HTTP_LATENCY, percent,
		                            weir_http_json_number(leaf, WEIR_HTTP_US), leaf->at);
}

/* Sets the number of completed requests to 0 if none got a response. */
static void settle(struct weir_http_report *report)
{
	if (isnan(report->completed) && weir_http_report_counted(report, WEIR_HTTP_EXCEPTIONS) > 0)
		report->completed = 0;
}

static const struct weir_http_json json = {
	.numbers = numbers, .take = take_leaf, .settle = settle, .expected = EXPECTED};

/* Takes "1xx - 0, 2xx - 60, ...", or the JSON. A line whose last number may be cut is left out. */
static bool take_line(struct weir_http_report *report, const struct weir_csv_row *row)
{
	if (!weir_slice_equals(row->cells[0], "1xx"))
		return weir_http_json_line(&json, report, row);
	if (row->cut && row->count <= 3 * CLASSES) {
		weir_input_warn(report->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return true;
	}
	for (size_t i = 0; i < CLASSES; i++)
		weir_http_report_status(report, 100 * ((int64_t)i + 1),
		                        weir_http_parse_number(weir_csv_cell(row, 3 * i + 2)),
		                        row->at);
	return true;
}

static enum weir_status read_bombardier(struct weir_source *source, struct weir_input *input,
                                        struct weir_error *err)
{
	static const struct weir_http_text text = {
		.lines = lines, .take = take_line, .settle = settle, .expected = EXPECTED};

	return weir_http_json_or_text_read(&json, &text, source, input, err);
}

/* Recognises the first line and the table or the JSON below it, or the table alone. */
static int sniff(const char *head, size_t len)
{
	static const char *const forms[][5] = {
		{"Bombarding ", " using ", " connection(s)", NULL},
		{"Statistics ", "Reqs/sec ", "Latency ", "HTTP codes:", NULL},
	};
	int bits = weir_http_text_sniff(head, len, forms[0]);

	return bits ? bits : weir_http_text_sniff(head, len, forms[1]);
}

const struct weir_reader weir_reader_bombardier = {
	.name = "bombardier",
	.title = "reports of bombardier (text, JSON)",
	.gives = "native run",
	.tool = "bombardier",
	.whole_run = true,
	.marks = marks,
	.sniff = sniff,
	.read = read_bombardier,
};
