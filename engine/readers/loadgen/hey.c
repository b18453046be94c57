/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the reports of hey (HTTP), oha (HTTP) and ghz (gRPC), whose texts have one form, and the
 * JSON of oha and ghz:
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
 * failure (from 400 on), or one other than OK. The rates of these tools count failed requests too:
 * with failures, the rate is computed from requests that succeeded and the time of the test.
 * Requests that oha gave up when its time was over are among its errors, but did not fail. Times in
 * the JSON of ghz are nanoseconds, in that of oha seconds.
 */
#include <math.h>
#include <string.h>

#include "engine/base/jsoncursor.h"
#include "engine/readers/loadgen/http_report.h"
#include "engine/readers/parts/jsonleaves.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define NS_PER_MS 1e6
#define EXPECTED  "\"Average: 0.0013 secs\" below \"Summary:\", of hey, oha or ghz"

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"count", "average", "fastest", "slowest", "rps", "latencyDistribution"},
                  .all = 5}},
	{.first = "{",
         .keys = {{"summary", "responseTimeHistogram", "latencyPercentiles", "rps",
                   "statusCodeDistribution"},
                  .all = 3},
         .within = "summary",
         .inside = {{"successRate", "requestsPerSec"}, .all = 2}},
	{0},
};

/* Names in the text and in both kinds of JSON. */
static const struct key {
	const char *text, *ghz, *oha;
	enum weir_http_slot slot;
	bool is_time;
} keys[] = {
	{"Count", "count", NULL, WEIR_HTTP_REQUESTS, false},
	{"Total", "total", "summary/total", WEIR_HTTP_DURATION_MS, true},
	{"Slowest", "slowest", "summary/slowest", WEIR_HTTP_MAX, true},
	{"Fastest", "fastest", "summary/fastest", WEIR_HTTP_MIN, true},
	{"Average", "average", "summary/average", WEIR_HTTP_MEAN, true},
	{"Requests/sec", "rps", "summary/requestsPerSec", WEIR_HTTP_RATE, false},
	{NULL, NULL, "details/firstByte/average", WEIR_HTTP_MEAN_FIRST_BYTE, true},
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

enum section { NO_SECTION, STATUSES, ERRORS };

/* ---- figures ---- */

/* Counts the responses with a status: a number of HTTP, or a word of gRPC. */
static void take_status(struct weir_http_report *report, struct weir_slice status, double count,
                        uint64_t at)
{
	int64_t code;
	bool http = weir_parse_i64(status.data, status.length, &code);

	report->of_variant |= !http;
	if (!http)
		code = weir_slice_equals(status, "OK") ? 200 : 0;
	weir_http_report_status(report, code, count, at);
}

/* Counts requests with an error. Those that the end of the test cut off did not fail. */
static void take_error(struct weir_http_report *report, struct weir_slice error, double count,
                       uint64_t at)
{
	weir_http_report_count(report,
	                       weir_slice_equals(error, "aborted due to deadline")
	                               ? WEIR_HTTP_UNFINISHED
	                               : WEIR_HTTP_EXCEPTIONS,
	                       count, at);
}

/* Settles how many requests succeeded and failed, without the reasons. gRPC's errors are among its
 * statuses. */
static void settle(struct weir_http_report *report)
{
	double failed = weir_http_report_counted(report, WEIR_HTTP_BAD_STATUS);
	double count = report->value[WEIR_HTTP_REQUESTS];
	double completed = report->completed > 0 ? report->completed : 0;

	if (!report->of_variant)
		failed += weir_http_report_counted(report, WEIR_HTTP_EXCEPTIONS);
	else if (count > completed + failed)
		failed = count - completed;
	if (isnan(report->completed) && failed > 0)
		report->completed = 0;
	else if (isnan(report->completed))
		report->completed = count;
	report->value[WEIR_HTTP_EXCEPTIONS] = NAN;
	report->value[WEIR_HTTP_BAD_STATUS] = NAN;
	report->value[WEIR_HTTP_OTHER_FAILURES] = failed;
}

/* ---- text ---- */

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
static bool take_key_line(struct weir_http_report *report, struct weir_slice line,
                          const struct weir_csv_row *row)
{
	struct weir_slice name;
	size_t key = 0;

	if (!take_before(&line, ":", &name))
		return false;
	while (key < KEYS && !(keys[key].text && weir_slice_equals(name, keys[key].text)))
		key++;
	if (key == KEYS)
		return false;
	if (row->cut && !keys[key].is_time) /* a number that is cut is another number */
		weir_input_warn(report->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	else
		weir_http_report_set(report, keys[key].slot,
		                     keys[key].is_time ? weir_http_parse_ms(line)
		                                       : weir_http_parse_number(line),
		                     row->at);
	return true;
}

/* Takes "50 % in 6.43 ms". Returns false for other lines. */
static bool take_percentile_line(struct weir_http_report *report, struct weir_slice line,
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
	weir_http_report_percentile(report, WEIR_HTTP_LATENCY, percent,
	                            weir_http_parse_ms(weir_slice_trim(line)), row->at);
	return true;
}

/* Takes "[200] 46318 responses", or "[3] an error" with the number of its requests. */
static void take_bracket_line(struct weir_http_report *report, struct weir_slice line,
                              const struct weir_csv_row *row)
{
	struct weir_slice name, number;
	double count;

	if (report->section == NO_SECTION || !weir_slice_take(&line, "[") ||
	    !take_before(&line, "]", &name))
		return;
	if (report->section == STATUSES && take_before(&line, "response", &number))
		take_status(report, name,
		            weir_parse_double(number.data, number.length, &count) ? count : NAN,
		            row->at);
	else if (report->section == ERRORS && weir_parse_double(name.data, name.length, &count))
		take_error(report, line, count, row->at);
	else
		weir_input_warn(report->input,
		                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_BAD_NUMBER, row->at,
		                NULL);
}

/* Takes a line, which may have several words before a colon, unless the table has it. */
static bool take_line(struct weir_http_report *report, const struct weir_csv_row *row)
{
	struct weir_slice line = weir_slice_trim(row->line);

	if (!weir_slice_starts(line, "["))
		return take_percentile_line(report, line, row) || take_key_line(report, line, row);
	take_bracket_line(report, line, row);
	return true;
}

static const struct weir_http_line lines[] = {
	{.pattern = "Summary:", .begins = true},
	{.pattern = "Status code distribution:", .enter = STATUSES},
	{.pattern = "Error distribution:", .enter = ERRORS},
	{0},
};

/* ---- JSON ---- */

struct document {
	struct weir_http_report report;
	double success_rate; /* of oha: of the requests that had time to end; NAN: not stated */
};

/* Takes [{"percentage": 50, "latency": 6430000}, ...]. */
static void take_distribution(struct weir_http_report *report, const struct weir_jsonleaf *leaf)
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
		weir_http_report_percentile(report, WEIR_HTTP_LATENCY, percent, ns / NS_PER_MS,
		                            leaf->at);
	}
}

/* Takes a percentile of oha: "p99.9" behind the name of its object, in seconds. */
static void take_oha_percentile(struct weir_http_report *report, struct weir_slice path,
                                const struct weir_jsonleaf *leaf)
{
	static const struct {
		const char *path, *of;
	} objects[] = {{"latencyPercentiles/p", WEIR_HTTP_LATENCY},
	               {"firstBytePercentiles/p", "first_byte"}};
	double percent;

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		struct weir_slice name = path;
		double ms = weir_http_parse_seconds(leaf->text);

		if (!isnan(ms) && weir_slice_take(&name, objects[i].path) &&
		    weir_parse_double(name.data, name.length, &percent))
			weir_http_report_percentile(report, objects[i].of, percent, ms, leaf->at);
	}
}

static void take_key(struct weir_http_report *report, struct weir_slice path,
                     const struct weir_jsonleaf *leaf)
{
	for (size_t i = 0; i < KEYS; i++) {
		bool of_oha = keys[i].oha && weir_slice_equals(path, keys[i].oha);
		double value = weir_jsonleaf_number(leaf, NULL);

		if (!of_oha && !(keys[i].ghz && weir_slice_equals(path, keys[i].ghz)))
			continue;
		if (keys[i].is_time)
			value = of_oha ? weir_http_parse_seconds(leaf->text) : value / NS_PER_MS;
		weir_http_report_set(report, keys[i].slot, value, leaf->at);
	}
}

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct document *document = context;
	struct weir_http_report *report = &document->report;
	struct weir_slice path = weir_slice_of(leaf->path);

	(void)err;
	take_key(report, path, leaf);
	take_oha_percentile(report, path, leaf);
	if (weir_slice_equals(path, "latencyDistribution"))
		take_distribution(report, leaf);
	else if (weir_slice_equals(path, "summary/successRate"))
		document->success_rate = weir_jsonleaf_number(leaf, NULL);
	else if (weir_slice_take(&path, "statusCodeDistribution/"))
		take_status(report, path, weir_jsonleaf_number(leaf, NULL), leaf->at);
	else if (weir_slice_take(&path, "errorDistribution/"))
		take_error(report, path, weir_jsonleaf_number(leaf, NULL), leaf->at);
	return WEIR_OK;
}

/* Computes the number of errors by the rate of success: their names may be too long to be read. */
static void count_errors(struct document *document)
{
	struct weir_http_report *report = &document->report;
	double completed = report->completed > 0 ? report->completed : 0;
	double responses = completed + weir_http_report_counted(report, WEIR_HTTP_BAD_STATUS);

	if (document->success_rate > 0 && document->success_rate < 1 &&
	    !(weir_http_report_counted(report, WEIR_HTTP_EXCEPTIONS) > 0))
		report->value[WEIR_HTTP_EXCEPTIONS] =
			round(responses * (1 / document->success_rate - 1));
}

static enum weir_status read_json(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	struct document document = {.success_rate = NAN};
	const struct weir_jsonleaves leaves = {
		.leaf = take_leaf, .context = &document, .lists = true};
	enum weir_status status;

	weir_http_report_init(&document.report, input);
	status = weir_jsonleaves_read(&leaves, source, err);
	if (!status) {
		count_errors(&document);
		settle(&document.report);
		status = weir_http_report_conclude(&document.report, EXPECTED, err);
	}
	weir_http_report_release(&document.report);
	return status;
}

/* ---- the reader ---- */

static enum weir_status read_hey(struct weir_source *source, struct weir_input *input,
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

/* Recognises the text by its keys. */
static int sniff(const char *head, size_t len)
{
	static const char *const names[] = {
		"Slowest:", "Fastest:", "Average:", "Requests/sec:", NULL};

	return weir_http_text_sniff(head, len, names);
}

const struct weir_reader weir_reader_hey = {
	.name = "hey",
	.title = "reports of hey (text), oha and ghz (text, JSON)",
	.gives = "native run",
	.whole_run = true,
	.marks = marks,
	.sniff = sniff,
	.read = read_hey,
};
