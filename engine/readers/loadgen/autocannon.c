/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the reports of autocannon, as text and as JSON (-j):
 *
 *	Running 4s test @ http://127.0.0.1:8000/generate
 *	8 connections
 *	│ Stat    │ 2.5% │ 50%  │ 97.5% │ 99%   │ Avg     │ Stdev   │ Max   │
 *	│ Latency │ 2 ms │ 7 ms │ 12 ms │ 13 ms │ 6.64 ms │ 3.54 ms │ 54 ms │
 *	│ Stat      │ 1%     │ 2.5%   │ 50%    │ 97.5%  │ Avg      │ Stdev   │ Min    │
 *	│ Req/Sec   │ 1,066  │ 1,066  │ 1,080  │ 1,180  │ 1,119.75 │ 47.98   │ 1,066  │
 *	4296 2xx responses, 226 non 2xx responses
 *	5k requests in 4.02s, 940 kB read
 *	20 errors (12 timeouts)
 *
 * The text rounds the number of requests that were sent, and states that of the responses only if
 * one has a status other than 2xx; else it is unknown. The JSON tells 3xx from failures. The rate
 * is the mean over the seconds of the test. Percentiles from the median on are taken. Requests that
 * were sent, but got neither an answer nor an error, are a warning: autocannon sends them again and
 * counts the whole time as latency.
 */
#include <math.h>
#include <stdio.h>

#include "engine/readers/loadgen/http_json.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define BAR      "\xe2\x94\x82" /* of the tables */
#define EXPECTED "the row \"Latency\" below \"Stat\", or the object \"latency\""

enum section { LATENCIES = 1, RATES, PERCENTILES, UPPER };

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"connections", "pipelining", "duration", "latency", "requests", "throughput",
                   "non2xx"},
                  .all = 6}},
	{0},
};

/* ---- text ---- */

static const struct weir_http_line lines[] = {
	{.pattern = "# connections", .slots = {WEIR_HTTP_CONCURRENCY}, .begins = true},
	{.pattern = "# connections with ...", .slots = {WEIR_HTTP_CONCURRENCY}, .begins = true},
	{.pattern = BAR " Stat " BAR " 2.5% " BAR " 50% " BAR " 97.5% " BAR " 99% " BAR " Avg " BAR
                        " Stdev " BAR " Max " BAR,
         .enter = LATENCIES},
	{.pattern = BAR " Stat " BAR " 1% " BAR " 2.5% " BAR " 50% " BAR " 97.5% " BAR " Avg " BAR
                        " Stdev " BAR " Min " BAR,
         .enter = RATES},
	{.pattern = BAR " Percentile " BAR " Latency (ms) " BAR, .enter = PERCENTILES},
	{.pattern = BAR " Latency " BAR " # ms " BAR " # ms " BAR " # ms " BAR " # ms " BAR
                        " # ms " BAR " # ms " BAR " # ms " BAR,
         .slots = {WEIR_HTTP_NOTHING, WEIR_HTTP_MEDIAN, WEIR_HTTP_P97_5, WEIR_HTTP_P99,
                   WEIR_HTTP_MEAN, WEIR_HTTP_STDEV, WEIR_HTTP_MAX},
         .in = LATENCIES},
	{.pattern = BAR " Req/Sec " BAR " # " BAR " # " BAR " # " BAR " # " BAR " # " BAR " # " BAR
                        " # " BAR,
         .slots = {WEIR_HTTP_NOTHING, WEIR_HTTP_NOTHING, WEIR_HTTP_NOTHING, WEIR_HTTP_NOTHING,
                   WEIR_HTTP_RATE},
         .in = RATES},
	{.pattern = BAR " 25 " BAR " # " BAR, .in = PERCENTILES, .enter = UPPER},
	{.pattern = BAR " # " BAR " # " BAR,
         .slots = {WEIR_HTTP_AT_PERCENT, WEIR_HTTP_AT_TIME},
         .in = UPPER},
	/* until version 2 */
	{.pattern = "Latency (ms) # # #",
         .slots = {WEIR_HTTP_MEAN, WEIR_HTTP_STDEV, WEIR_HTTP_MAX}},
	{.pattern = "Req/Sec # # #", .slots = {WEIR_HTTP_RATE}},
	/* all versions */
	{.pattern = "# 2xx responses, # non 2xx responses",
         .slots = {WEIR_HTTP_REQUESTS, WEIR_HTTP_BAD_STATUS}},
	{.pattern = "* requests in @ ...", .slots = {WEIR_HTTP_DURATION_MS}},
	{.pattern = "# errors # timeouts)", .slots = {WEIR_HTTP_EXCEPTIONS, WEIR_HTTP_TIMEOUTS}},
	{0},
};

/* Counts timeouts once: autocannon has them among the errors. Requests are those with a status of
 * success. */
static void settle(struct weir_http_report *report)
{
	double errors = weir_http_report_counted(report, WEIR_HTTP_EXCEPTIONS);
	double timeouts = weir_http_report_counted(report, WEIR_HTTP_TIMEOUTS);

	report->value[WEIR_HTTP_EXCEPTIONS] = fmax(0, errors - timeouts);
	if (isnan(report->completed))
		report->completed = report->value[WEIR_HTTP_REQUESTS];
	if (isnan(report->completed) && errors > 0)
		snprintf(report->remark, sizeof(report->remark),
		         "%.0f requests failed, of an unknown number", errors);
}

/* ---- JSON ---- */

static const struct weir_http_number numbers[] = {
	{"connections", WEIR_HTTP_CONCURRENCY, WEIR_HTTP_PLAIN},
	{"pipelining", WEIR_HTTP_PIPELINE, WEIR_HTTP_PLAIN},
	{"duration", WEIR_HTTP_DURATION_S, WEIR_HTTP_PLAIN},
	{"errors", WEIR_HTTP_EXCEPTIONS, WEIR_HTTP_PLAIN},
	{"timeouts", WEIR_HTTP_TIMEOUTS, WEIR_HTTP_PLAIN},
	{"latency/min", WEIR_HTTP_MIN, WEIR_HTTP_PLAIN},
	{"latency/average", WEIR_HTTP_MEAN, WEIR_HTTP_PLAIN},
	{"latency/stddev", WEIR_HTTP_STDEV, WEIR_HTTP_PLAIN},
	{"latency/max", WEIR_HTTP_MAX, WEIR_HTTP_PLAIN},
	{"requests/average", WEIR_HTTP_RATE, WEIR_HTTP_PLAIN},
	{"requests/sent", WEIR_HTTP_SENT, WEIR_HTTP_PLAIN},
	{0},
};

/* Takes "latency/p99_9", a percentile whose point is written "_". */
static void take_percentile(struct weir_http_report *report, struct weir_slice name,
                            const struct weir_jsonleaf *leaf)
{
	char text[16];
	double percent, ms = weir_http_json_number(leaf, WEIR_HTTP_PLAIN);

	if (name.length >= sizeof(text) || isnan(ms))
		return;
	for (size_t i = 0; i < name.length; i++)
		text[i] = name.data[i] == '_' ? '.' : name.data[i];
	if (weir_parse_double(text, name.length, &percent) && percent >= 50)
		weir_http_report_percentile(report, WEIR_HTTP_LATENCY, percent, ms, leaf->at);
}

static void take(struct weir_http_report *report, const struct weir_jsonleaf *leaf)
{
	static const char *const classes[] = {"1xx", "2xx", "3xx", "4xx", "5xx"};
	struct weir_slice path = weir_slice_of(leaf->path);
	double number = weir_http_json_number(leaf, WEIR_HTTP_PLAIN);

	for (int64_t i = 0; i < 5; i++)
		if (weir_slice_equals(path, classes[i]))
			weir_http_report_status(report, 100 * (i + 1), number, leaf->at);
	if (weir_slice_take(&path, "latency/p"))
		take_percentile(report, path, leaf);
}

/* Warns of requests that were sent, but neither answered nor among the errors, beyond those that
 * may be under way at the end. */
static void settle_json(struct weir_http_report *report)
{
	double errors = weir_http_report_counted(report, WEIR_HTTP_EXCEPTIONS);
	double answered =
		report->completed + weir_http_report_counted(report, WEIR_HTTP_BAD_STATUS);
	double under_way = report->value[WEIR_HTTP_PIPELINE] * report->value[WEIR_HTTP_CONCURRENCY];
	double lost = report->value[WEIR_HTTP_SENT] - answered - errors - under_way;

	settle(report);
	if (lost > 0)
		snprintf(report->remark, sizeof(report->remark), "%.0f more got no answer", lost);
}

/* ---- the reader ---- */

static enum weir_status read_autocannon(struct weir_source *source, struct weir_input *input,
                                        struct weir_error *err)
{
	static const struct weir_http_text text = {
		.lines = lines, .settle = settle, .expected = EXPECTED};
	static const struct weir_http_json json = {
		.numbers = numbers, .take = take, .settle = settle_json, .expected = EXPECTED};

	return weir_http_json_or_text_read(&json, &text, source, input, err);
}

/* Recognises both forms of the table. */
static int sniff(const char *head, size_t len)
{
	static const char *const tables[] = {BAR " Stat ", BAR " Latency ", BAR " Req/Sec ", NULL};
	static const char *const rows[] = {"Running ",      " test @ ", " connections",
	                                   "Latency (ms) ", "Req/Sec ", NULL};
	int bits = weir_http_text_sniff(head, len, tables);

	return bits ? bits : weir_http_text_sniff(head, len, rows);
}

const struct weir_reader weir_reader_autocannon = {
	.name = "autocannon",
	.title = "reports of autocannon (text, JSON)",
	.gives = "native run",
	.tool = "autocannon",
	.whole_run = true,
	.marks = marks,
	.sniff = sniff,
	.read = read_autocannon,
};
