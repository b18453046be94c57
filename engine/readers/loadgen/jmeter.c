/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the list of results of JMeter (a JTL file in CSV, as -l writes it): a row per sample.
 *
 *	timeStamp,elapsed,label,responseCode,...,success,...,Latency,IdleTime,Connect
 *	1700000000123,245,POST /v1/completions,200,...,true,...,240,0,3
 *
 * timeStamp is the start. Times are milliseconds; Latency ends with the first part of the response
 * and includes Connect. A request consists of "connect", "wait_for_response" and
 * "receive_response". The times of each of several labels are a stage as well. Rows of transaction
 * controllers repeat the time of their requests: they count only in a file that holds nothing else.
 */
#include <string.h>

#include "engine/base/names.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_LABELS  64u                /* with a stage; requests of others have none */
#define MAX_LABEL   200u               /* bytes; longer labels are cut */
#define MOST_TIMES  (1u << 17)         /* of a label */
#define MS          6                  /* places of a millisecond */
#define UNDATED_NS  (INT64_C(1) << 50) /* stands for the first date, which lacks a time zone */
#define TRANSACTION "Number of samples in transaction"

static const struct weir_mark marks[] = {
	{.first = "t",
         .cells = {{"timeStamp", "elapsed", "label", "success", "Latency"}, .all = 4}},
	{.first = "t",
         .cells = {{"timeStamp", "elapsed", "label", "responseCode"}, .all = 4},
         .refusal = "it is a list of results of JMeter without the column success, which tells "
                    "failed requests from others: set jmeter.save.saveservice.successful=true and "
                    "run the test again"},
	{.first = "<",
         .texts = {{"<testResults", "<httpSample ", "<sample ", "<sampleResult "},
                   .all = 1,
                   .any = 3},
         .refusal = "it is a list of results of JMeter in XML: run jmeter with "
                    "-Jjmeter.save.saveservice.output_format=csv -l FILE and pass that file"},
	{.first = "L",
         .cells = {{"Label", "# Samples", "Average", "Min", "Max"}, .all = 5},
         .refusal = "it is a table of JMeter with means and percentiles of each label: pass the "
                    "list of results that jmeter -l FILE writes, which holds each request"},
	{.first = "",
         .texts = {{"summary ", " in ", "Avg: ", "Min: ", "Max: ", "Err: "}, .all = 6},
         .refusal = "it is what JMeter prints while it runs: pass the list of results that "
                    "jmeter -l FILE writes, which holds each request"},
	{0},
};

enum column { TIME, ELAPSED, LABEL, SUCCESS, MESSAGE, LATENCY, CONNECT, COLUMNS };

static const char *const names[COLUMNS] = {
	[TIME] = "timeStamp",  [ELAPSED] = "elapsed",         [LABEL] = "label",
	[SUCCESS] = "success", [MESSAGE] = "responseMessage", [LATENCY] = "Latency",
	[CONNECT] = "Connect",
};

/* The requests of a label. */
struct label {
	struct weir_thin times;
	uint64_t completed, failed;
};

/* Rows of requests, or of transactions. */
struct rows {
	struct weir_client_requests client;
	struct weir_names *names;
	struct label labels[MAX_LABELS]; /* by id of `names`, from 1 */
	size_t label_count;
};

struct reading {
	struct weir_input *input;
	size_t columns[COLUMNS], width;
	struct rows requests, transactions;
	int64_t first_date_ns; /* WEIR_CLIENT_UNKNOWN: none was read */
};

/* ---- rows ---- */

static void init_rows(struct rows *rows, struct weir_input *input)
{
	*rows = (struct rows){.names = weir_names_new()};
	weir_client_requests_init(&rows->client, input);
}

/* Releases the rows, and their requests unless the input has them. */
static void release_rows(struct rows *rows, const struct weir_input *input)
{
	if (input->requests != rows->client.requests)
		weir_requests_free(rows->client.requests);
	weir_client_requests_release(&rows->client);
	weir_names_free(rows->names);
	for (size_t i = 0; i < rows->label_count; i++)
		weir_thin_release(&rows->labels[i].times);
}

/* Finds or adds a label; NULL beyond the limit. */
static struct label *find_label(struct rows *rows, struct weir_slice text)
{
	uint32_t id;

	if (text.length > MAX_LABEL) {
		text.length = MAX_LABEL;
		while (text.length && ((unsigned char)text.data[text.length] & 0xc0) == 0x80)
			text.length--;
	}
	if (!text.length || memchr(text.data, '\0', text.length))
		return NULL;
	id = weir_names_find(rows->names, text.data, text.length);
	if (id == UINT32_MAX && rows->label_count == MAX_LABELS)
		return NULL;
	if (id == UINT32_MAX) {
		id = weir_names_add(rows->names, text.data, text.length);
		weir_thin_init(&rows->labels[rows->label_count++].times, MOST_TIMES);
	}
	return &rows->labels[id - 1];
}

/* Parses a time in milliseconds; unknown if the file lacks the column. */
static int64_t time_of(struct reading *reading, const struct weir_csv_row *row, enum column column)
{
	struct weir_slice text = weir_csv_cell(row, reading->columns[column]);

	return reading->columns[column] == WEIR_CSV_NO_COLUMN
	               ? WEIR_CLIENT_UNKNOWN
	               : weir_client_time(reading->input, text, MS, row->at);
}

/* Parses the start: milliseconds since 1970, or a date without a time zone, "2026/01/31 10:00:00",
 * which tells only how far apart two rows are. */
static int64_t start_of(struct reading *reading, const struct weir_csv_row *row)
{
	struct weir_slice text = weir_csv_cell(row, reading->columns[TIME]);
	char date[40];
	int64_t ns;

	if (weir_parse_scaled(text.data, text.length, MS, &ns))
		return ns < 0 ? WEIR_CLIENT_UNKNOWN : ns;
	for (size_t i = 0; i < text.length && i < sizeof date; i++)
		date[i] = (char)(text.data[i] == '/' ? '-' : text.data[i]);
	if (text.length >= sizeof date || !weir_parse_iso_ns(date, text.length, &ns)) {
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
		return WEIR_CLIENT_UNKNOWN;
	}
	if (reading->first_date_ns == WEIR_CLIENT_UNKNOWN)
		reading->first_date_ns = ns;
	if (__builtin_sub_overflow(ns, reading->first_date_ns, &ns) || ns < -UNDATED_NS ||
	    ns > WEIR_CLIENT_MAX_NS)
		return WEIR_CLIENT_UNKNOWN;
	return ns + UNDATED_NS;
}

static void add_part(struct weir_requests *requests, const char *name, int64_t ns)
{
	weir_requests_add_part(requests, weir_requests_stage(requests, name, strlen(name)), ns);
}

/* Adds the parts of a request, unless its times contradict each other. A connection that was kept
 * takes no time. */
static void add_parts(struct reading *reading, struct weir_requests *requests, int64_t elapsed_ns,
                      const struct weir_csv_row *row)
{
	int64_t latency_ns = time_of(reading, row, LATENCY);
	int64_t connect_ns = time_of(reading, row, CONNECT);

	if (connect_ns == WEIR_CLIENT_UNKNOWN)
		connect_ns = 0;
	if (latency_ns <= 0) /* not measured */
		return;
	if (latency_ns > elapsed_ns || connect_ns > latency_ns) {
		weir_input_warn(reading->input, WEIR_WARN_INCONSISTENT, row->at,
		                "Latency and Connect beside elapsed");
		return;
	}
	if (connect_ns > 0)
		add_part(requests, "connect", connect_ns);
	add_part(requests, "wait_for_response", latency_ns - connect_ns);
	add_part(requests, "receive_response", elapsed_ns - latency_ns);
}

static void take_completed(struct reading *reading, struct rows *rows, struct label *label,
                           const struct weir_csv_row *row)
{
	struct weir_client_request request = weir_client_request_unknown();
	int64_t elapsed_ns = time_of(reading, row, ELAPSED);

	request.sent_ns = start_of(reading, row);
	if (elapsed_ns != WEIR_CLIENT_UNKNOWN && elapsed_ns <= WEIR_CLIENT_MAX_NS &&
	    request.sent_ns != WEIR_CLIENT_UNKNOWN &&
	    request.sent_ns <= INT64_MAX - WEIR_CLIENT_MAX_NS) {
		request.end_ns = request.sent_ns + elapsed_ns;
		add_parts(reading, rows->client.requests, elapsed_ns, row);
	}
	if (!weir_client_requests_add(&rows->client, &request, row->at)) {
		weir_requests_drop_parts(rows->client.requests);
		return;
	}
	if (label) {
		label->completed++;
		if (elapsed_ns > 0)
			weir_thin_add(&label->times, elapsed_ns);
	}
}

static void take_row(struct reading *reading, const struct weir_csv_row *row)
{
	struct weir_slice success = weir_csv_cell(row, reading->columns[SUCCESS]);
	bool transaction =
		weir_slice_starts(weir_csv_cell(row, reading->columns[MESSAGE]), TRANSACTION);
	struct rows *rows = transaction ? &reading->transactions : &reading->requests;
	struct label *label;

	if (row->count != reading->width) {
		weir_input_warn(reading->input,
		                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW, row->at,
		                NULL);
		return;
	}
	label = find_label(rows, weir_csv_cell(row, reading->columns[LABEL]));
	if (weir_slice_equals(success, "true")) {
		take_completed(reading, rows, label, row);
	} else if (weir_slice_equals(success, "false")) {
		rows->client.requests->failed++;
		if (label)
			label->failed++;
	} else {
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT, row->at, NULL);
		return;
	}
	reading->input->events++;
}

static enum weir_status take_header(struct reading *reading, const struct weir_csv_row *row,
                                    struct weir_error *err)
{
	for (size_t i = 0; i < COLUMNS; i++)
		reading->columns[i] = weir_csv_find(row, names[i]);
	reading->width = row->count;
	for (size_t i = 0; i <= SUCCESS; i++)
		if (reading->columns[i] == WEIR_CSV_NO_COLUMN)
			return weir_fail(err, WEIR_E_FORMAT, "line %llu: expected the column %s",
			                 (unsigned long long)row->number, names[i]);
	return WEIR_OK;
}

/* Reads all rows. JMeter appends to a file that exists, and may repeat the header. */
static enum weir_status read_rows(struct reading *reading, struct weir_csv *csv,
                                  struct weir_error *err)
{
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (!row->count)
			continue;
		if (!reading->width || weir_slice_equals(row->cells[0], names[TIME]))
			status = take_header(reading, row, err);
		else
			take_row(reading, row);
		if (status)
			return status;
	}
	if (weir_csv_skipped(csv)->count)
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT,
		                weir_csv_skipped(csv)->first_at, NULL);
	return status;
}

/* ---- the result ---- */

static void label_count(struct weir_run *run, const char *label, const char *what, uint64_t count)
{
	struct weir_text key = {0}, value = {0};

	weir_text_printf(&key, "request@%s/%s", label, what);
	weir_text_printf(&value, "%llu", (unsigned long long)count);
	weir_run_set_label(run, key.data, value.data);
	weir_text_release(&key);
	weir_text_release(&value);
}

/* Adds the times of each of several labels as a stage, and the numbers of their requests. */
static void add_labels(struct weir_input *input, struct rows *rows)
{
	struct weir_text stage = {0};

	if (rows->label_count < 2)
		return;
	input->run = weir_run_new();
	for (size_t i = 0; i < rows->label_count; i++) {
		const char *name = weir_names_text(rows->names, (uint32_t)i + 1);
		struct label *label = &rows->labels[i];

		label_count(input->run, name, WEIR_LOAD_COMPLETED, label->completed);
		if (label->failed)
			label_count(input->run, name, WEIR_LOAD_FAILED, label->failed);
		if (!label->times.seen)
			continue;
		weir_text_clear(&stage);
		weir_text_printf(&stage, "request@%s", name);
		weir_thin_finish(&label->times, weir_series_get(&input->run->stages, stage.data));
		if (weir_thin_dropped(&label->times))
			weir_input_warn(input, WEIR_WARN_THINNED, UINT64_MAX, "times of requests");
	}
	weir_text_release(&stage);
}

static enum weir_status conclude(struct reading *reading, struct weir_error *err)
{
	const struct weir_requests *requests = reading->requests.client.requests;
	struct rows *rows =
		requests->count || requests->failed ? &reading->requests : &reading->transactions;
	enum weir_status status = weir_client_requests_finish(&rows->client, err);

	if (status)
		return status;
	reading->input->requests = rows->client.requests;
	weir_client_summary_warn(reading->input, WEIR_WARN_FAILED_REQUEST,
	                         (double)rows->client.requests->failed);
	add_labels(reading->input, rows);
	return WEIR_OK;
}

static enum weir_status read(struct weir_source *source, struct weir_input *input,
                             struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = ',', .quotes = true};
	struct reading reading = {.input = input, .first_date_ns = WEIR_CLIENT_UNKNOWN};
	struct weir_csv *csv = weir_csv_new(source, &options);
	enum weir_status status;

	init_rows(&reading.requests, input);
	init_rows(&reading.transactions, input);
	status = read_rows(&reading, csv, err);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude(&reading, err);
	release_rows(&reading.requests, input);
	release_rows(&reading.transactions, input);
	return status;
}

const struct weir_reader weir_reader_jmeter = {
	.name = "jmeter",
	.title = "lists of results of JMeter (JTL in CSV)",
	.gives = "requests",
	.whole_run = true,
	.marks = marks,
	.read = read,
};
