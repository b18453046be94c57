/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the reports of vegeta, as text and as JSON (vegeta report -type=json), and its results, one
 * request a line (vegeta encode --to json):
 *
 *	Requests      [total, rate, throughput]         3000, 100.03, 96.81
 *	Duration      [total, attack, wait]             30.001s, 29.99s, 11.3ms
 *	Latencies     [min, mean, 50, 90, 95, 99, max]  2.1ms, 14.2ms, 11ms, 25ms, 31ms, 1.3s, 1.3s
 *	Success       [ratio]                           96.83%
 *	Status Codes  [code:count]                      0:5  200:2905  503:90
 *
 * Status 0 is a request without a response. Responses from 400 on failed; vegeta's throughput does
 * not count them, but its latencies do. The rate counts requests that were sent: a label. The texts
 * below "Error Set:" say why requests have no response, each once.
 * Times of the JSON are nanoseconds; its "duration" ends when the last request was sent, and the
 * last wait adds to it.
 */
#include <math.h>

#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/loadgen/http_report.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define NS_PER_MS 1e6
#define EXPECTED  "\"Latencies [min, mean, 50, 90, 95, 99, max]\" or the object \"latencies\""

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"latencies", "bytes_in", "bytes_out", "status_codes", "requests", "success"},
                  .all = 4}},
	{0},
};

/* ---- text ---- */

enum { ERRORS = 1 }; /* section of a report */

/* The names in brackets differ between versions. */
static const struct weir_http_line lines[] = {
	{.pattern = "Requests [total, rate, throughput] # # #",
         .slots = {WEIR_HTTP_REQUESTS, WEIR_HTTP_SENT_RATE, WEIR_HTTP_RATE},
         .begins = true},
	{.pattern = "Requests [total, rate] # #",
         .slots = {WEIR_HTTP_REQUESTS, WEIR_HTTP_SENT_RATE},
         .begins = true},
	{.pattern = "Requests [total] #", .slots = {WEIR_HTTP_REQUESTS}, .begins = true},
	{.pattern = "Duration [total, attack, wait] @ ...", .slots = {WEIR_HTTP_DURATION_MS}},
	{.pattern = "Latencies [min, mean, 50, 90, 95, 99, max] @ @ @ @ @ @ @",
         .slots = {WEIR_HTTP_MIN, WEIR_HTTP_MEAN, WEIR_HTTP_MEDIAN, WEIR_HTTP_P90, WEIR_HTTP_P95,
                   WEIR_HTTP_P99, WEIR_HTTP_MAX}},
	{.pattern = "Latencies [mean, 50, 90, 95, 99, max] @ @ @ @ @ @",
         .slots = {WEIR_HTTP_MEAN, WEIR_HTTP_MEDIAN, WEIR_HTTP_P90, WEIR_HTTP_P95, WEIR_HTTP_P99,
                   WEIR_HTTP_MAX}},
	{.pattern = "Latencies [mean, 50, 95, 99, max] @ @ @ @ @",
         .slots = {WEIR_HTTP_MEAN, WEIR_HTTP_MEDIAN, WEIR_HTTP_P95, WEIR_HTTP_P99, WEIR_HTTP_MAX}},
	{0},
};

/* Counts requests with a status. 0 stands for no answer. */
static void take_count(struct weir_http_report *report, int64_t status, double count, uint64_t at)
{
	if (status)
		weir_http_report_status(report, status, count, at);
	else
		weir_http_report_unanswered(report, count, at);
}

/* Takes "0:5", a status and the number of its requests. */
static void take_status(struct weir_http_report *report, struct weir_slice cell, uint64_t at)
{
	const char *colon = weir_slice_find(cell, ":");
	size_t length = colon ? (size_t)(colon - cell.data) : 0;
	double count = NAN;
	int64_t status;

	if (colon && weir_parse_i64(cell.data, length, &status) &&
	    weir_parse_double(colon + 1, cell.length - length - 1, &count))
		take_count(report, status, count, at);
	else
		weir_input_warn(report->input, WEIR_WARN_BAD_NUMBER, at, NULL);
}

/* Takes a line below "Error Set:", where `section` is set. */
static bool take_error(struct weir_http_report *report, const struct weir_csv_row *row)
{
	if (row->count >= 2 && weir_slice_equals(row->cells[0], "Error") &&
	    weir_slice_equals(row->cells[1], "Set:"))
		report->section = ERRORS;
	else if (report->section == ERRORS && row->count &&
	         !weir_slice_equals(row->cells[0], "Requests"))
		weir_http_report_error(report, row->line);
	else
		return false;
	return true;
}

/* Takes the line of the status codes, or an error. A last cell that may be cut is left out. */
static bool take_line(struct weir_http_report *report, const struct weir_csv_row *row)
{
	size_t end = row->cut ? row->count - 1 : row->count;

	if (take_error(report, row))
		return true;
	if (row->count < 3 || !weir_slice_equals(row->cells[0], "Status") ||
	    !weir_slice_equals(row->cells[1], "Codes"))
		return false;
	for (size_t i = 3; i < end; i++)
		take_status(report, row->cells[i], row->at);
	if (row->cut)
		weir_input_warn(report->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	return true;
}

/* Requests that have no status in a report that was cut may have failed or not. */
static void settle(struct weir_http_report *report)
{
	if (isnan(report->completed) && report->value[WEIR_HTTP_REQUESTS] <= 0)
		report->completed = 0;
}

/* ---- JSON ---- */

struct number {
	const char *path;
	enum weir_http_slot slot;
	double divisor;
};

static const struct number numbers[] = {
	{"latencies/min", WEIR_HTTP_MIN, NS_PER_MS},
	{"latencies/mean", WEIR_HTTP_MEAN, NS_PER_MS},
	{"latencies/50th", WEIR_HTTP_MEDIAN, NS_PER_MS},
	{"latencies/90th", WEIR_HTTP_P90, NS_PER_MS},
	{"latencies/95th", WEIR_HTTP_P95, NS_PER_MS},
	{"latencies/99th", WEIR_HTTP_P99, NS_PER_MS},
	{"latencies/max", WEIR_HTTP_MAX, NS_PER_MS},
	{"requests", WEIR_HTTP_REQUESTS, 1},
	{"throughput", WEIR_HTTP_RATE, 1},
	{"rate", WEIR_HTTP_SENT_RATE, 1},
};

struct document {
	struct weir_http_report report;
	double attack_ns, wait_ns;
};

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct document *document = context;
	struct weir_slice path = weir_slice_of(leaf->path);
	double value = weir_jsonleaf_number(leaf, NULL);
	int64_t status;

	(void)err;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (weir_slice_equals(path, numbers[i].path))
			weir_http_report_set(&document->report, numbers[i].slot,
			                     value / numbers[i].divisor, leaf->at);
	if (weir_slice_equals(path, "duration"))
		document->attack_ns = value;
	else if (weir_slice_equals(path, "wait"))
		document->wait_ns = value;
	else if (weir_slice_equals(path, "errors"))
		weir_http_report_error(&document->report, leaf->text);
	else if (weir_slice_take(&path, "status_codes/") &&
	         weir_parse_i64(path.data, path.length, &status))
		take_count(&document->report, status, value, leaf->at);
	return WEIR_OK;
}

static enum weir_status read_json(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	struct document document = {.attack_ns = NAN};
	const struct weir_jsonleaves leaves = {
		.leaf = take_leaf, .context = &document, .lists = true};
	enum weir_status status;

	weir_http_report_init(&document.report, input);
	status = weir_jsonleaves_read(&leaves, source, err);
	if (!isnan(document.attack_ns))
		weir_http_report_set(&document.report, WEIR_HTTP_DURATION_MS,
		                     (document.attack_ns + document.wait_ns) / NS_PER_MS,
		                     UINT64_MAX);
	settle(&document.report);
	if (!status)
		status = weir_http_report_conclude(&document.report, EXPECTED, err);
	weir_http_report_release(&document.report);
	return status;
}

/* ---- the reader of reports ---- */

static enum weir_status read_vegeta(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_http_text text = {
		.lines = lines, .take = take_line, .settle = settle, .expected = EXPECTED};
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	if (status)
		return status;
	return first == '{' ? read_json(source, input, err)
	                    : weir_http_text_read(&text, source, input, err);
}

static int sniff(const char *head, size_t len)
{
	static const char *const texts[] = {"Requests", "[total", "Latencies", ", max]", NULL};

	return weir_http_text_sniff(head, len, texts);
}

const struct weir_reader weir_reader_vegeta = {
	.name = "vegeta",
	.title = "reports of vegeta (text, JSON)",
	.gives = "native run",
	.tool = "vegeta",
	.whole_run = true,
	.marks = marks,
	.sniff = sniff,
	.read = read_vegeta,
};

/* ---- results ---- */

static const struct weir_mark results_marks[] = {
	{.first = "{",
         .keys = {{"attack", "seq", "code", "timestamp", "latency", "bytes_in", "bytes_out"},
                  .all = 5}},
	{0},
};

/* Texts of a result, borrowed from the record. */
struct result {
	struct weir_slice code, timestamp, latency;
};

static void add_result(const struct result *result, struct weir_client_requests *client,
                       uint64_t at)
{
	struct weir_client_request request = weir_client_request_unknown();
	int64_t code = 0, sent_ns, latency_ns;

	if (!weir_parse_i64(result->code.data, result->code.length, &code)) {
		weir_input_warn(client->input, WEIR_WARN_BAD_NUMBER, at, NULL);
		return;
	}
	if (code <= 0 || code >= WEIR_HTTP_FIRST_FAILURE) {
		weir_client_requests_fail(client, at);
		return;
	}
	latency_ns = weir_client_time(client->input, result->latency, 0, at);
	if (!weir_parse_iso_ns(result->timestamp.data, result->timestamp.length, &sent_ns)) {
		weir_input_warn(client->input, WEIR_WARN_NO_TIME, at, NULL);
		return;
	}
	request.sent_ns = sent_ns;
	if (latency_ns != WEIR_CLIENT_UNKNOWN && latency_ns <= WEIR_CLIENT_MAX_NS)
		request.end_ns = sent_ns + latency_ns;
	weir_client_requests_add(client, &request, at);
}

static void take_result(struct weir_client_reading *reading, struct weir_jsoncursor *cursor,
                        uint64_t at)
{
	struct result result = {{"", 0}, {"", 0}, {"", 0}};
	struct weir_slice key;

	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice value = weir_jsoncursor_take(cursor);

		if (weir_slice_equals(key, "code"))
			result.code = value;
		else if (weir_slice_equals(key, "timestamp"))
			result.timestamp = value;
		else if (weir_slice_equals(key, "latency"))
			result.latency = value;
	}
	if (cursor->bad)
		return;
	reading->client.input->events++;
	add_result(&result, &reading->client, at);
}

static enum weir_status read_results(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	static const struct weir_client_format format = {.record = take_result};

	return weir_client_records_read(&format, source, input, err);
}

const struct weir_reader weir_reader_vegeta_results = {
	.name = "vegeta-results",
	.title = "results of vegeta, one request per line (vegeta encode --to json)",
	.gives = "requests",
	.marks = results_marks,
	.read = read_results,
};
