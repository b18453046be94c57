/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the report of siege, as text and as JSON (-j), also below the lines of its requests:
 *
 *	** Preparing 8 concurrent users for battle.           {	"transactions":	 2109,
 *	Transactions:		        2109 hits              	"availability":	 100.00,
 *	Availability:		      100.00 %                 	"elapsed_time":	 2.56,
 *	Elapsed time:		        2.56 secs              	"response_time": 0.01,
 *	Response time:		        0.01 secs              	"transaction_rate": 823.83,
 *	Transaction rate:	      823.83 trans/sec         	"concurrency":	 7.95,
 *	Concurrency:		        7.95                   	...
 *	Successful transactions:        2109                   }
 *	Failed transactions:	           0
 *	Longest transaction:	        0.13
 *
 * "Response time" is the mean, in steps of 10 ms. "Concurrency" is the time of all requests over
 * that of the test, so that these and the number of requests give the same mean more precisely: it
 * is taken if it agrees with the stated one. The shortest time, mostly 0.00, is passed over. A
 * transaction that was not successful had a status of failure; failed ones are not among them.
 */
#include <math.h>

#include "engine/readers/loadgen/http_json.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define STEP     0.005 /* half of the last digit of all numbers */
#define S_TO_MS  1e3
#define EXPECTED "\"Response time: 0.25 secs\" or \"response_time\", of the report at the end"

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"transactions", "availability", "response_time", "transaction_rate",
                   "longest_transaction"},
                  .all = 4}},
	{0},
};

static const struct weir_http_line lines[] = {
	{.pattern = "** Preparing # concurrent users for battle.",
         .slots = {WEIR_HTTP_CONCURRENCY},
         .begins = true},
	{.pattern = "Transactions: # hits", .slots = {WEIR_HTTP_REQUESTS}, .again = true},
	{.pattern = "Elapsed time: # secs", .slots = {WEIR_HTTP_DURATION_S}},
	{.pattern = "Response time: $ secs", .slots = {WEIR_HTTP_ROUNDED_MEAN}},
	{.pattern = "Response time: # ms", .slots = {WEIR_HTTP_MEAN}},
	{.pattern = "Transaction rate: # trans/sec", .slots = {WEIR_HTTP_RATE}},
	{.pattern = "Concurrency: #", .slots = {WEIR_HTTP_IN_FLIGHT}},
	{.pattern = "Successful transactions: #", .slots = {WEIR_HTTP_SUCCESSES}},
	{.pattern = "Failed transactions: #", .slots = {WEIR_HTTP_OTHER_FAILURES}},
	{.pattern = "Longest transaction: $", .slots = {WEIR_HTTP_MAX}},
	{.pattern = "Longest transaction: $ secs", .slots = {WEIR_HTTP_MAX}},
	{.pattern = "Longest transaction: # ms", .slots = {WEIR_HTTP_MAX}},
	/* JSON, of which siege prints a key in each line */
	{.pattern = "{ \"transactions\": #", .slots = {WEIR_HTTP_REQUESTS}, .again = true},
	{.pattern = "\"transactions\": #", .slots = {WEIR_HTTP_REQUESTS}, .again = true},
	{.pattern = "\"elapsed_time\": #", .slots = {WEIR_HTTP_DURATION_S}},
	{.pattern = "\"response_time\": $", .slots = {WEIR_HTTP_ROUNDED_MEAN}},
	{.pattern = "\"transaction_rate\": #", .slots = {WEIR_HTTP_RATE}},
	{.pattern = "\"concurrency\": #", .slots = {WEIR_HTTP_IN_FLIGHT}},
	{.pattern = "\"successful_transactions\": #", .slots = {WEIR_HTTP_SUCCESSES}},
	{.pattern = "\"failed_transactions\": #", .slots = {WEIR_HTTP_OTHER_FAILURES}},
	{.pattern = "\"longest_transaction\": $", .slots = {WEIR_HTTP_MAX}},
	{0},
};

/* The JSON in one line. */
static const struct weir_http_number numbers[] = {
	{"transactions", WEIR_HTTP_REQUESTS, WEIR_HTTP_PLAIN},
	{"elapsed_time", WEIR_HTTP_DURATION_S, WEIR_HTTP_PLAIN},
	{"response_time", WEIR_HTTP_ROUNDED_MEAN, WEIR_HTTP_SECONDS},
	{"transaction_rate", WEIR_HTTP_RATE, WEIR_HTTP_PLAIN},
	{"concurrency", WEIR_HTTP_IN_FLIGHT, WEIR_HTTP_PLAIN},
	{"successful_transactions", WEIR_HTTP_SUCCESSES, WEIR_HTTP_PLAIN},
	{"failed_transactions", WEIR_HTTP_OTHER_FAILURES, WEIR_HTTP_PLAIN},
	{"longest_transaction", WEIR_HTTP_MAX, WEIR_HTTP_SECONDS},
	{0},
};

/* Returns the mean in ms by the time of all requests; the stated one if that is not known,
 * contradicts it or is less precise. */
static double find_mean(const struct weir_http_report *report)
{
	double stated = report->value[WEIR_HTTP_ROUNDED_MEAN];
	double in_flight = report->value[WEIR_HTTP_IN_FLIGHT];
	double elapsed = report->value[WEIR_HTTP_DURATION_S];
	double mean = S_TO_MS * in_flight * elapsed / report->value[WEIR_HTTP_REQUESTS];
	double error = mean * (STEP / in_flight + STEP / elapsed);

	if (error < STEP * S_TO_MS && fabs(mean - stated) <= STEP * S_TO_MS + error)
		return mean;
	return stated;
}

static void settle(struct weir_http_report *report)
{
	double requests = report->value[WEIR_HTTP_REQUESTS];
	double successes = report->value[WEIR_HTTP_SUCCESSES];
	double mean = find_mean(report);

	if (!isnan(mean))
		weir_http_report_set(report, WEIR_HTTP_MEAN, mean, UINT64_MAX);
	report->completed = isnan(successes) ? requests : fmin(requests, successes);
	if (requests > successes)
		report->value[WEIR_HTTP_BAD_STATUS] = requests - successes;
}

/* Takes the JSON of a line that holds all of it. */
static bool take(struct weir_http_report *report, const struct weir_csv_row *row)
{
	static const struct weir_http_json json = {.numbers = numbers};

	return weir_slice_starts(weir_slice_trim(row->line), "{\"") &&
	       weir_http_json_line(&json, report, row);
}

static enum weir_status read_siege(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	static const struct weir_http_text text = {
		.lines = lines, .take = take, .settle = settle, .expected = EXPECTED};

	return weir_http_text_read(&text, source, input, err);
}

/* Recognises the report, or the first lines of siege, which may print a line for each request. */
static int sniff(const char *head, size_t len)
{
	static const char *const forms[][5] = {
		{"Transactions:", "Availability:", "Response time:", "Transaction rate:", NULL},
		{"\"transactions\":", "\"availability\":", "\"response_time\":",
	         "\"transaction_rate\":", NULL},
		{"** SIEGE ", "** Preparing ", " concurrent users for battle.", NULL},
		{"HTTP/1.1 ", " secs:", " bytes ==> ", NULL},
	};
	int bits = 0;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && !bits; i++)
		bits = weir_http_text_sniff(head, len, forms[i]);
	return bits;
}

const struct weir_reader weir_reader_siege = {
	.name = "siege",
	.title = "reports of siege (text, JSON)",
	.gives = "native run",
	.tool = "siege",
	.whole_run = true,
	.marks = marks,
	.sniff = sniff,
	.read = read_siege,
};
