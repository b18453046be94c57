/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the report of wrk and of wrk2, which has its lines and more:
 *
 *	Running 30s test @ http://127.0.0.1:8000/generate
 *	  4 threads and 64 connections
 *	  Thread Stats   Avg      Stdev     Max   +/- Stdev
 *	    Latency    59.87ms    9.72ms  79.93ms   77.20%
 *	    Req/Sec    39.24     15.72    80.00     66.25%
 *	  Latency Distribution
 *	     50%   60.01ms
 *	  314 requests in 4.00s, 45.36KB read
 *	  Socket errors: connect 0, read 5, write 0, timeout 7
 *	  Non-2xx or 3xx responses: 11
 *	Requests/sec:     78.45
 *
 * Req/Sec counts the requests of one thread and is passed over. A response that came too late
 * is a timeout for wrk: it is among the requests, but not among the latencies. A connection that
 * cannot be opened is no request. wrk2 counts requests that are late at the end of an interval,
 * beside the requests that completed. Its latencies count from when a request was due; those from
 * when it was sent are "uncorrected_latency". Of its spectrum, in ms, p95 is taken, which its
 * distribution lacks.
 */
#include <math.h>
#include <stdio.h>

#include "engine/readers/loadgen/http_report.h"
#include "engine/readers/readers.h"

enum section { DISTRIBUTION = 1, UNCORRECTED, SPECTRUM };

#define UNCORRECTED_TITLE "Latency Distribution (HdrHistogram - Uncorrected Latency ..."

static const struct weir_http_line lines[] = {
	{.pattern = "# threads and # connections",
         .slots = {WEIR_HTTP_THREADS, WEIR_HTTP_CONCURRENCY},
         .begins = true},
	{.pattern = "Latency @ @ @ ...", .slots = {WEIR_HTTP_MEAN, WEIR_HTTP_STDEV, WEIR_HTTP_MAX}},
	{.pattern = UNCORRECTED_TITLE, .enter = UNCORRECTED},
	{.pattern = "Latency Distribution ...", .enter = DISTRIBUTION},
	{.pattern = "Detailed Percentile spectrum:", .in = DISTRIBUTION, .enter = SPECTRUM},
	{.pattern = "% @", .slots = {WEIR_HTTP_AT_PERCENT, WEIR_HTTP_AT_TIME}, .in = DISTRIBUTION},
	{.pattern = "% @",
         .slots = {WEIR_HTTP_AT_PERCENT, WEIR_HTTP_AT_TIME},
         .in = UNCORRECTED,
         .of = "uncorrected_latency"},
	{.pattern = "# # # ...", .slots = {WEIR_HTTP_AT_TIME, WEIR_HTTP_AT_SHARE}, .in = SPECTRUM},
	{.pattern = "# requests in @ ...", .slots = {WEIR_HTTP_REQUESTS, WEIR_HTTP_DURATION_MS}},
	{.pattern = "Socket errors: connect # read # write # timeout #",
         .slots = {WEIR_HTTP_CONNECT_ERRORS, WEIR_HTTP_READ_ERRORS, WEIR_HTTP_WRITE_ERRORS,
                   WEIR_HTTP_TIMEOUTS}},
	{.pattern = "Non-2xx or 3xx responses: #", .slots = {WEIR_HTTP_BAD_STATUS}},
	{.pattern = "Requests/sec: #", .slots = {WEIR_HTTP_RATE}},
	{0},
};

/* Recognises a line of wrk2 alone. */
static bool take(struct weir_http_report *report, const struct weir_csv_row *row)
{
	if (!weir_slice_equals(weir_csv_cell(row, 0), "Thread") ||
	    !weir_slice_equals(weir_csv_cell(row, 1), "calibration:"))
		return false;
	report->of_variant = true;
	return true;
}

static void settle(struct weir_http_report *report)
{
	double late = weir_http_report_counted(report, WEIR_HTTP_TIMEOUTS);
	double bad = weir_http_report_counted(report, WEIR_HTTP_BAD_STATUS);
	double unopened = weir_http_report_counted(report, WEIR_HTTP_CONNECT_ERRORS);

	if (report->of_variant)
		late = 0;
	if (unopened > 0) {
		report->value[WEIR_HTTP_CONNECT_ERRORS] = NAN;
		snprintf(report->remark, sizeof(report->remark),
		         "connections were not opened %.0f times", unopened);
	}
	if (!isnan(report->value[WEIR_HTTP_REQUESTS]))
		report->completed = fmax(0, report->value[WEIR_HTTP_REQUESTS] - bad - late);
}

static enum weir_status read_wrk(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	static const struct weir_http_text text = {
		.lines = lines,
		.take = take,
		.settle = settle,
		.expected = "\"Latency 7.40ms 14.98ms 220.99ms 98.72%\" below \"Thread Stats\"",
	};

	return weir_http_text_read(&text, source, input, err);
}

static int sniff(const char *head, size_t len)
{
	static const char *const texts[] = {"Thread Stats", " threads and ", " connections", NULL};

	return weir_http_text_sniff(head, len, texts);
}

const struct weir_reader weir_reader_wrk = {
	.name = "wrk",
	.title = "reports of wrk and wrk2 (text)",
	.gives = "native run",
	.tool = "wrk",
	.whole_run = true,
	.sniff = sniff,
	.read = read_wrk,
};
