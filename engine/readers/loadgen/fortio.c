/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the reports of fortio load (HTTP, gRPC, TCP and UDP), as text and as JSON (-json FILE):
 *
 *	Fortio 1.60.3 running at 0 queries per second, 4->4 procs, for 20 calls: http://127.0.0.1
 *	Starting at max qps with 2 thread(s) [gomax 4] for exactly 20 calls (10 per thread + 0)
 *	Ended after 54.647154ms : 20 calls. qps=365.98
 *	Aggregated Function Time : count 20 avg 0.0053 +/- 0.0033 min 0.0003 max 0.0155 sum 0.1071
 *	# target 50% 0.00466667
 *	Error cases : count 2 avg 0.00096 +/- 0.00064 min 0.00032 max 0.0016 sum 0.0019
 *	# target 50% 0.000326236
 *	Code 200 : 18 (90.0 %)
 *	Code 503 : 2 (10.0 %)
 *	All done 20 calls (plus 0 warmup) 5.358 ms avg, 366.0 qps
 *
 * Times are seconds and include those of failed requests, which "Error cases" and
 * "ErrorsDurationHistogram" state again: these are passed over. A code of -1 is a request without a
 * response; gRPC states SERVING, TCP and UDP OK. The threads are the concurrency.
 */
#include <math.h>

#include "engine/base/jsoncursor.h"
#include "engine/readers/loadgen/http_json.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define EXPECTED "\"Aggregated Function Time : count 20 avg 0.0053 ...\" or \"DurationHistogram\""

enum section { FUNCTION = 1, OTHER };

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"RunType", "ActualQPS", "ActualDuration", "NumThreads", "DurationHistogram"},
                  .all = 3}},
	{0},
};

static const struct weir_http_line lines[] = {
	{.pattern = "Fortio * running at # queries per second, ...", .begins = true},
	{.pattern = "Starting at max qps with # thread(s) ...", .slots = {WEIR_HTTP_CONCURRENCY}},
	{.pattern = "Starting at # qps with # thread(s) ...",
         .slots = {WEIR_HTTP_NOTHING, WEIR_HTTP_CONCURRENCY}},
	{.pattern = "Ended after @ : # calls. ...", .slots = {WEIR_HTTP_DURATION_MS}},
	{.pattern = "Aggregated Function Time : count # avg $ +/- $ min $ max $ sum $",
         .slots = {WEIR_HTTP_REQUESTS, WEIR_HTTP_MEAN, WEIR_HTTP_STDEV, WEIR_HTTP_MIN,
                   WEIR_HTTP_MAX},
         .enter = FUNCTION},
	{.pattern = "Error cases : ...", .enter = OTHER},
	{.pattern = "\\# target % $",
         .slots = {WEIR_HTTP_AT_PERCENT, WEIR_HTTP_AT_TIME},
         .in = FUNCTION},
	{.pattern = "All done # calls (plus * warmup) # ms avg, # qps",
         .slots = {WEIR_HTTP_NOTHING, WEIR_HTTP_NOTHING, WEIR_HTTP_RATE}},
	{0},
};

static const struct weir_http_number numbers[] = {
	{"NumThreads", WEIR_HTTP_CONCURRENCY, WEIR_HTTP_PLAIN},
	{"ActualDuration", WEIR_HTTP_DURATION_MS, WEIR_HTTP_NS},
	{"ActualQPS", WEIR_HTTP_RATE, WEIR_HTTP_PLAIN},
	{"DurationHistogram/Count", WEIR_HTTP_REQUESTS, WEIR_HTTP_PLAIN},
	{"DurationHistogram/Avg", WEIR_HTTP_MEAN, WEIR_HTTP_SECONDS},
	{"DurationHistogram/StdDev", WEIR_HTTP_STDEV, WEIR_HTTP_SECONDS},
	{"DurationHistogram/Min", WEIR_HTTP_MIN, WEIR_HTTP_SECONDS},
	{"DurationHistogram/Max", WEIR_HTTP_MAX, WEIR_HTTP_SECONDS},
	{0},
};

/* Counts requests by a code of HTTP or a word. */
static void take_code(struct weir_http_report *report, struct weir_slice code, double count,
                      uint64_t at)
{
	int64_t status = 0;

	if (weir_slice_equals(code, "OK") || weir_slice_equals(code, "SERVING"))
		status = 200;
	else if (!weir_parse_i64(code.data, code.length, &status))
		status = 0;
	weir_http_report_status(report, status, count, at);
}

/* Takes [{"Percentile": 50, "Value": 0.0025}, ...]. */
static void take_percentiles(struct weir_http_report *report, const struct weir_jsonleaf *leaf)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(leaf->text);
	struct weir_slice key, word;

	if (!weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor) && weir_jsoncursor_enter(&cursor, '{')) {
		double percent = NAN, ms = NAN;

		while (weir_jsoncursor_key(&cursor, &key)) {
			word = weir_jsoncursor_take(&cursor);
			if (weir_slice_equals(key, "Percentile"))
				weir_parse_double(word.data, word.length, &percent);
			else if (weir_slice_equals(key, "Value"))
				ms = weir_http_parse_seconds(word);
		}
		weir_http_report_percentile(report, WEIR_HTTP_LATENCY, percent, ms, leaf->at);
	}
}

static void take_leaf(struct weir_http_report *report, const struct weir_jsonleaf *leaf)
{
	struct weir_slice path = weir_slice_of(leaf->path);

	if (weir_slice_equals(path, "DurationHistogram/Percentiles"))
		take_percentiles(report, leaf);
	else if (weir_slice_take(&path, "RetCodes/"))
		take_code(report, path, weir_http_json_number(leaf, WEIR_HTTP_PLAIN), leaf->at);
}

/* Takes "Code 503 : 2 (10.0 %)", "tcp short read : 3 (...)" or "Health SERVING : 20". A line
 * without the share may be cut. */
static bool take_line(struct weir_http_report *report, const struct weir_csv_row *row)
{
	static const char *const first[] = {"Code", "tcp", "udp", "Health"};
	size_t kind = 0, colon = 1;

	while (kind < 4 && !weir_slice_equals(row->cells[0], first[kind]))
		kind++;
	while (colon < row->count && !weir_slice_equals(row->cells[colon], ":"))
		colon++;
	if (kind == 4 || colon < 2 || colon + 1 >= row->count)
		return false;
	if (row->cut && colon + 2 == row->count)
		weir_input_warn(report->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	else
		take_code(report, colon == 2 ? row->cells[1] : (struct weir_slice){"", 0},
		          weir_http_parse_number(row->cells[colon + 1]), row->at);
	return true;
}

/* Takes all requests as completed if the report states no codes. */
static void settle(struct weir_http_report *report)
{
	if (isnan(report->completed))
		report->completed = report->value[WEIR_HTTP_REQUESTS];
}

static enum weir_status read_fortio(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_http_text text = {
		.lines = lines, .take = take_line, .settle = settle, .expected = EXPECTED};
	static const struct weir_http_json json = {.numbers = numbers,
	                                           .take = take_leaf,
	                                           .settle = settle,
	                                           .expected = EXPECTED,
	                                           .lists = true};

	return weir_http_json_or_text_read(&json, &text, source, input, err);
}

static int sniff(const char *head, size_t len)
{
	static const char *const forms[][4] = {
		{"Aggregated Function Time : ", "# target ", " calls", NULL},
		{"Fortio ", " running at ", " queries per second, ", NULL},
	};
	int bits = weir_http_text_sniff(head, len, forms[0]);

	return bits ? bits : weir_http_text_sniff(head, len, forms[1]);
}

const struct weir_reader weir_reader_fortio = {
	.name = "fortio",
	.title = "reports of fortio load (text, JSON)",
	.gives = "native run",
	.tool = "fortio",
	.whole_run = true,
	.marks = marks,
	.sniff = sniff,
	.read = read_fortio,
};
