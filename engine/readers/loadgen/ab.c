/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the report of ApacheBench (ab), with times in whole milliseconds, and the table of its
 * percentiles (-e FILE), with three decimals:
 *
 *	Concurrency Level:      8                       Percentage served,Time in ms
 *	Time taken for tests:   2.181 seconds           0,2.104
 *	Complete requests:      300                     1,5.012
 *	Failed requests:        297
 *	   (Connect: 0, Receive: 0, Length: 297, Exceptions: 0)
 *	Non-2xx responses:      15
 *	Requests per second:    137.54 [#/sec] (mean)
 *
 *	Connection Times (ms)
 *	              min  mean[+/-sd] median   max
 *	Total:          0   35 148.0     17    1309
 *
 *	Percentage of the requests served within a certain time (ms)
 *	  50%     17
 *	 100%   1309 (longest request)
 *
 * ab counts an answer of another length than the first as failed. Answers of a model differ in
 * length, so that these count as completed here, with a warning. Responses with a status of failure
 * are among its complete requests, and so are those that broke off; refused connections are not.
 * The table has a row for each percentile, without the numbers of requests: those are taken that
 * the report states as well, so that both have figures of the same names.
 */
#include <math.h>
#include <stdio.h>

#include "engine/readers/loadgen/http_report.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

enum section { TIMES = 1, PERCENTILES };

#define PERCENTILES_TITLE "Percentage of the requests served within a certain time (ms)"

static const struct weir_mark marks[] = {
	{.first = "P", .cells = {{"Percentage served", "Time in ms"}, .all = 2}},
	{0},
};

static const struct weir_http_line lines[] = {
	{.pattern = "Concurrency Level: #", .slots = {WEIR_HTTP_CONCURRENCY}, .begins = true},
	{.pattern = "Time taken for tests: # seconds", .slots = {WEIR_HTTP_DURATION_S}},
	{.pattern = "Complete requests: #", .slots = {WEIR_HTTP_REQUESTS}},
	{.pattern = "Failed requests: #", .slots = {WEIR_HTTP_STATED_FAILURES}},
	{.pattern = "(Connect: # Receive: # Length: # Exceptions: #",
         .slots = {WEIR_HTTP_CONNECT_ERRORS, WEIR_HTTP_READ_ERRORS, WEIR_HTTP_ODD_LENGTHS,
                   WEIR_HTTP_EXCEPTIONS}},
	{.pattern = "(Connect: # Length: # Exceptions: #", /* until version 2.2 */
         .slots = {WEIR_HTTP_CONNECT_ERRORS, WEIR_HTTP_ODD_LENGTHS, WEIR_HTTP_EXCEPTIONS}},
	{.pattern = "Write errors: #", .slots = {WEIR_HTTP_WRITE_ERRORS}},
	{.pattern = "Non-2xx responses: #", .slots = {WEIR_HTTP_BAD_STATUS}},
	{.pattern = "Requests per second: # ...", .slots = {WEIR_HTTP_RATE}},
	{.pattern = "Connection Times (ms)", .enter = TIMES},
	{.pattern = "Connect: # # # # #",
         .slots = {WEIR_HTTP_NOTHING, WEIR_HTTP_MEAN_CONNECT, WEIR_HTTP_NOTHING,
                   WEIR_HTTP_MEDIAN_CONNECT},
         .in = TIMES},
	{.pattern = "Connect: # # #", /* ab -S: minimum, mean and maximum */
         .slots = {WEIR_HTTP_NOTHING, WEIR_HTTP_MEAN_CONNECT},
         .in = TIMES},
	{.pattern = "Waiting: # # # # #",
         .slots = {WEIR_HTTP_NOTHING, WEIR_HTTP_MEAN_WAITING, WEIR_HTTP_NOTHING,
                   WEIR_HTTP_MEDIAN_WAITING},
         .in = TIMES},
	{.pattern = "Waiting: # # #",
         .slots = {WEIR_HTTP_NOTHING, WEIR_HTTP_MEAN_WAITING},
         .in = TIMES},
	{.pattern = "Total: # # # # #",
         .slots = {WEIR_HTTP_MIN, WEIR_HTTP_MEAN, WEIR_HTTP_STDEV, WEIR_HTTP_MEDIAN, WEIR_HTTP_MAX},
         .in = TIMES},
	{.pattern = "Total: # # #",
         .slots = {WEIR_HTTP_MIN, WEIR_HTTP_MEAN, WEIR_HTTP_MAX},
         .in = TIMES},
	{.pattern = PERCENTILES_TITLE, .enter = PERCENTILES},
	{.pattern = "% # ...",
         .slots = {WEIR_HTTP_AT_PERCENT, WEIR_HTTP_AT_TIME},
         .in = PERCENTILES},
	{0},
};

/* ---- the report ---- */

static void settle(struct weir_http_report *report)
{
	double odd = weir_http_report_counted(report, WEIR_HTTP_ODD_LENGTHS);
	double stated = weir_http_report_counted(report, WEIR_HTTP_STATED_FAILURES);
	double not_completed = weir_http_report_counted(report, WEIR_HTTP_BAD_STATUS) +
	                       weir_http_report_counted(report, WEIR_HTTP_READ_ERRORS);

	if (isnan(report->value[WEIR_HTTP_CONNECT_ERRORS]) && stated > 0) { /* without reasons */
		report->value[WEIR_HTTP_OTHER_FAILURES] = stated;
		not_completed += stated;
	}
	if (!isnan(report->value[WEIR_HTTP_REQUESTS]))
		report->completed = fmax(0, report->value[WEIR_HTTP_REQUESTS] - not_completed);
	if (odd > 0)
		snprintf(report->remark, sizeof(report->remark),
		         "%.0f answers of another length count as completed", odd);
}

static enum weir_status read_text(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	static const struct weir_http_text text = {
		.lines = lines,
		.settle = settle,
		.expected = "\"Total: 1 5 2.9 4 14\" below \"Connection Times (ms)\"",
	};

	return weir_http_text_read(&text, source, input, err);
}

/* ---- the table ---- */

static void take_percentile(struct weir_http_report *report, double percent, double ms, uint64_t at)
{
	static const double taken[] = {50, 66, 75, 80, 90, 95, 98, 99};

	if (percent == 0)
		weir_http_report_set(report, WEIR_HTTP_MIN, ms, at);
	if (percent == 100)
		weir_http_report_set(report, WEIR_HTTP_MAX, ms, at);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (percent == taken[i])
			weir_http_report_percentile(report, WEIR_HTTP_LATENCY, percent, ms, at);
}

static void take_row(struct weir_http_report *report, const struct weir_csv_row *row)
{
	struct weir_slice first = weir_csv_cell(row, 0), second = weir_csv_cell(row, 1);
	double percent, ms;

	if (weir_slice_equals(first, "Percentage served"))
		return;
	if (row->cut || row->count != 2) {
		weir_input_warn(report->input,
		                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW, row->at,
		                NULL);
	} else if (!weir_parse_double(first.data, first.length, &percent) ||
	           !weir_parse_double(second.data, second.length, &ms)) {
		weir_input_warn(report->input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
	} else {
		take_percentile(report, percent, ms, row->at);
	}
}

static enum weir_status read_table(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = ',', .trim = true};
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct weir_http_report report;
	const struct weir_csv_row *row;
	enum weir_status status;

	weir_http_report_init(&report, input);
	while (!(status = weir_csv_next(csv, &row, err)) && row)
		if (row->count)
			take_row(&report, row);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = weir_http_report_conclude(
			&report, "\"50,4.213\" below \"Percentage served,Time in ms\"", err);
	weir_http_report_release(&report);
	return status;
}

/* ---- the reader ---- */

static enum weir_status read_ab(struct weir_source *source, struct weir_input *input,
                                struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	return weir_mark_bits(&marks[0], head, len) ? read_table(source, input, err)
	                                            : read_text(source, input, err);
}

/* A report is recognised by its numbers or, if its start is missing, by its percentiles. */
static int sniff(const char *head, size_t len)
{
	static const char *const numbers[] = {
		"Concurrency Level:", "Time taken for tests:", "Complete requests:", NULL};
	static const char *const percentiles[] = {PERCENTILES_TITLE, NULL};
	int bits = weir_http_text_sniff(head, len, numbers);

	return bits ? bits : weir_http_text_sniff(head, len, percentiles);
}

const struct weir_reader weir_reader_ab = {
	.name = "ab",
	.title = "reports of ApacheBench (ab; text, -e FILE)",
	.gives = "native run",
	.tool = "ApacheBench",
	.whole_run = true,
	.marks = marks,
	.sniff = sniff,
	.read = read_ab,
};
