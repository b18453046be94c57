/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the reports of artillery: the JSON of artillery run --output FILE, of version 2 and of
 * version 1, and the text at the end of a test:
 *
 *	{"aggregate": {                                       {"aggregate": {
 *	  "counters": {"http.requests": 100,                    "requestsCompleted": 98,
 *	               "http.responses": 98,                    "latency": {"median": 40, ...},
 *	               "http.codes.200": 95},                   "rps": {"count": 100},
 *	  "summaries": {"http.response_time":                   "errors": {"ETIMEDOUT": 2},
 *	                {"mean": 45.2, "p95": 90.9}}},          "codes": {"200": 95}},
 *	 "intermediate": [...]}                                "intermediate": [...]}
 *
 *	Summary report @ 14:45:27(+0000)
 *	http.codes.200: ................................................................ 95
 *	http.response_time:
 *	  mean: ........................................................................ 45.2
 *
 * Times are milliseconds. A request without a response failed; so did a response with a status of
 * failure, and its time is among the others. A response that did not have the expected content is
 * an error of artillery, but completed. The stated rate counts requests that were sent. That of
 * version 2 is rounded: the rate is computed from when the test began and ended, which the text
 * does not state.
 */
#include <math.h>

#include "engine/readers/loadgen/http_json.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define EXPECTED "\"http.response_time\" in the summary report or \"aggregate\""

enum section { PERIOD, SUMMARY, TIMES };

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"aggregate", "intermediate"}, .all = 1},
         .within = "aggregate",
         .inside = {{"counters", "rates", "firstCounterAt", "summaries"}, .all = 2}},
	{.first = "{",
         .keys = {{"aggregate", "intermediate"}, .all = 1},
         .within = "aggregate",
         .inside = {{"scenariosCreated", "requestsCompleted", "latency", "codes"}, .all = 3}},
	{0},
};

/* ---- counts ---- */

/* Counts an error, which may be of a request without a response. */
static void take_error(struct weir_http_report *report, struct weir_slice name, double count,
                       uint64_t at)
{
	if (weir_slice_equals(name, "ETIMEDOUT") || weir_slice_equals(name, "ESOCKETTIMEDOUT"))
		weir_http_report_count(report, WEIR_HTTP_TIMEOUTS, count, at);
}

/* Computes the rate and how many requests got no response, of which some are timeouts. */
static void settle(struct weir_http_report *report)
{
	double sent = report->value[WEIR_HTTP_SENT];
	double lost = sent - report->value[WEIR_HTTP_REQUESTS];
	double timeouts = weir_http_report_counted(report, WEIR_HTTP_TIMEOUTS);
	double duration_ms = report->value[WEIR_HTTP_END_MS] - report->value[WEIR_HTTP_BEGIN_MS];

	if (duration_ms > 0) {
		report->value[WEIR_HTTP_RATE] = NAN;
		report->value[WEIR_HTTP_DURATION_MS] = duration_ms;
	} else if (report->value[WEIR_HTTP_RATE] > 0) {
		report->value[WEIR_HTTP_DURATION_S] = sent / report->value[WEIR_HTTP_RATE];
	}
	if (isnan(report->completed) && sent > 0 && isnan(report->value[WEIR_HTTP_REQUESTS])) {
		lost = sent;
		report->completed = 0;
	} else if (isnan(report->completed)) {
		report->completed = report->value[WEIR_HTTP_REQUESTS];
	}
	report->value[WEIR_HTTP_TIMEOUTS] = lost > 0 ? fmin(timeouts, lost) : NAN;
	if (lost > timeouts)
		report->value[WEIR_HTTP_EXCEPTIONS] = lost - timeouts;
}

/* ---- JSON ---- */

#define V2 "aggregate/summaries/http.response_time/"
#define V1 "aggregate/latency/"

static const struct weir_http_number numbers[] = {
	{V2 "min", WEIR_HTTP_MIN, WEIR_HTTP_PLAIN},
	{V2 "max", WEIR_HTTP_MAX, WEIR_HTTP_PLAIN},
	{V2 "mean", WEIR_HTTP_MEAN, WEIR_HTTP_PLAIN},
	{V2 "median", WEIR_HTTP_MEDIAN, WEIR_HTTP_PLAIN},
	{V2 "p50", WEIR_HTTP_MEDIAN, WEIR_HTTP_PLAIN},
	{V2 "p90", WEIR_HTTP_P90, WEIR_HTTP_PLAIN},
	{V2 "p95", WEIR_HTTP_P95, WEIR_HTTP_PLAIN},
	{V2 "p99", WEIR_HTTP_P99, WEIR_HTTP_PLAIN},
	{"aggregate/counters/http.requests", WEIR_HTTP_SENT, WEIR_HTTP_PLAIN},
	{"aggregate/counters/http.responses", WEIR_HTTP_REQUESTS, WEIR_HTTP_PLAIN},
	{"aggregate/rates/http.request_rate", WEIR_HTTP_RATE, WEIR_HTTP_PLAIN},
	{"aggregate/firstMetricAt", WEIR_HTTP_BEGIN_MS, WEIR_HTTP_PLAIN},
	{"aggregate/lastMetricAt", WEIR_HTTP_END_MS, WEIR_HTTP_PLAIN},
	{V1 "min", WEIR_HTTP_MIN, WEIR_HTTP_PLAIN},
	{V1 "max", WEIR_HTTP_MAX, WEIR_HTTP_PLAIN},
	{V1 "median", WEIR_HTTP_MEDIAN, WEIR_HTTP_PLAIN},
	{V1 "p95", WEIR_HTTP_P95, WEIR_HTTP_PLAIN},
	{V1 "p99", WEIR_HTTP_P99, WEIR_HTTP_PLAIN},
	{"aggregate/requestsCompleted", WEIR_HTTP_REQUESTS, WEIR_HTTP_PLAIN},
	{"aggregate/rps/count", WEIR_HTTP_SENT, WEIR_HTTP_PLAIN},
	{"aggregate/rps/mean", WEIR_HTTP_RATE, WEIR_HTTP_PLAIN},
	{0},
};

/* Takes a counter of both versions: of responses with a status, or of errors. Returns false for
 * others. */
static bool take_counter(struct weir_http_report *report, struct weir_slice name, double count,
                         uint64_t at)
{
	int64_t status;

	if (weir_slice_take(&name, "http.codes.") || weir_slice_take(&name, "codes/")) {
		if (weir_parse_i64(name.data, name.length, &status))
			weir_http_report_status(report, status, count, at);
		return true;
	}
	if (!weir_slice_take(&name, "errors.") && !weir_slice_take(&name, "errors/"))
		return false;
	take_error(report, name, count, at);
	return true;
}

static void take_leaf(struct weir_http_report *report, const struct weir_jsonleaf *leaf)
{
	struct weir_slice path = weir_slice_of(leaf->path);
	double number = weir_http_json_number(leaf, WEIR_HTTP_PLAIN);

	if (!weir_slice_take(&path, "aggregate/"))
		return;
	if (weir_slice_equals(path, "summaries/http.response_time/p75") && !isnan(number))
		weir_http_report_percentile(report, WEIR_HTTP_LATENCY, 75, number, leaf->at);
	if (weir_slice_equals(path, "summaries/http.response_time/p999") && !isnan(number))
		weir_http_report_percentile(report, WEIR_HTTP_LATENCY, 99.9, number, leaf->at);
	weir_slice_take(&path, "counters/");
	take_counter(report, path, number, leaf->at);
}

/* ---- text ---- */

static const struct weir_http_line lines[] = {
	{.pattern = "Summary report \\@ ...", .begins = true, .enter = SUMMARY},
	{.pattern = "http.response_time:", .enter = TIMES},
	{.pattern = "*", .enter = SUMMARY},
	{.pattern = "http.requests: * #", .slots = {WEIR_HTTP_SENT}},
	{.pattern = "http.responses: * #", .slots = {WEIR_HTTP_REQUESTS}},
	{.pattern = "min: * #", .slots = {WEIR_HTTP_MIN}, .in = TIMES},
	{.pattern = "max: * #", .slots = {WEIR_HTTP_MAX}, .in = TIMES},
	{.pattern = "mean: * #", .slots = {WEIR_HTTP_MEAN}, .in = TIMES},
	{.pattern = "median: * #", .slots = {WEIR_HTTP_MEDIAN}, .in = TIMES},
	{.pattern = "p95: * #", .slots = {WEIR_HTTP_P95}, .in = TIMES},
	{.pattern = "p99: * #", .slots = {WEIR_HTTP_P99}, .in = TIMES},
	{0},
};

/* Passes over the reports of single periods, and takes the counters of the summary report. */
static bool take_line(struct weir_http_report *report, const struct weir_csv_row *row)
{
	struct weir_slice name = row->cells[0];

	if (report->section == PERIOD)
		return !weir_slice_equals(name, "Summary");
	if (row->count != 3 || !weir_slice_ends(name, ":"))
		return false;
	name.length--;
	if (!row->cut)
		return take_counter(report, name, weir_http_parse_number(row->cells[2]), row->at);
	weir_input_warn(report->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	return true;
}

/* ---- the reader ---- */

static enum weir_status read_artillery(struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err)
{
	static const struct weir_http_text text = {
		.lines = lines, .take = take_line, .settle = settle, .expected = EXPECTED};
	static const struct weir_http_json json = {
		.numbers = numbers, .take = take_leaf, .settle = settle, .expected = EXPECTED};

	return weir_http_json_or_text_read(&json, &text, source, input, err);
}

/* Recognises a report of a period or of the whole test. */
static int sniff(const char *head, size_t len)
{
	static const char *const names[] = {"http.response_time:", "http.requests: ....",
	                                    "vusers.created", NULL};

	return weir_http_text_sniff(head, len, names);
}

const struct weir_reader weir_reader_artillery = {
	.name = "artillery",
	.title = "reports of artillery (JSON, text)",
	.gives = "native run",
	.tool = "artillery",
	.whole_run = true,
	.marks = marks,
	.sniff = sniff,
	.read = read_artillery,
};
