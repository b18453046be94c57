/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of AIPerf, one request a line (profile_export.jsonl). Each has metadata, metrics that are
 * { "value": ..., "unit": "ms" } and an error. A request ends where its latency says, as AIPerf's
 * own figures do: the end in the metadata is later by what the client did behind the last token.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define UNKNOWN WEIR_CLIENT_UNKNOWN

/* Metrics that are read. */
enum metric_id {
	METRIC_FIRST_TOKEN,
	METRIC_LATENCY,
	METRIC_GAPS,
	METRIC_INPUT,
	METRIC_OUTPUT,
	METRIC_GENERATED, /* without reasoning; of writers that do not give the whole output */
	METRICS
};

static const struct {
	const char *key;
	bool is_time;
} metrics[METRICS] = {
	[METRIC_FIRST_TOKEN] = {"time_to_first_token", true},
	[METRIC_LATENCY] = {"request_latency", true},
	[METRIC_GAPS] = {"inter_chunk_latency", true},
	[METRIC_INPUT] = {"input_sequence_length", false},
	[METRIC_OUTPUT] = {"output_sequence_length", false},
	[METRIC_GENERATED] = {"output_token_count", false},
};

/* As written; borrowed from the record. */
struct metric {
	struct weir_slice value, unit;
	bool given;
};

struct record {
	struct weir_slice start, end, phase;
	bool cancelled, failed;
	struct metric metrics[METRICS];
	unsigned twice; /* keys given before */
	uint64_t at;
};

struct aiperf_reader {
	struct weir_input *input;
	struct weir_client_requests client;
	struct record record;
};

static const struct {
	const char *name;
	int places; /* from it to nanoseconds, as powers of ten */
} units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}, {"sec", 9}, {"seconds", 9}};

static bool parse_time(struct weir_slice text, struct weir_slice unit, int64_t *ns)
{
	for (size_t i = 0; text.length && i < sizeof units / sizeof units[0]; i++)
		if (weir_slice_equals(unit, units[i].name))
			return weir_parse_scaled(text.data, text.length, units[i].places, ns) &&
			       *ns >= 0 && *ns <= WEIR_CLIENT_MAX_NS;
	return false;
}

static bool is_null(struct weir_slice text)
{
	return !text.length || weir_slice_equals(text, "null");
}

/* UNKNOWN where it is not given, or no number, which is counted. */
static int64_t value_of(struct aiperf_reader *reader, enum metric_id id)
{
	const struct metric *metric = &reader->record.metrics[id];
	struct weir_slice text = metric->value;
	int64_t value;

	if (!metric->given || is_null(text))
		return UNKNOWN;
	if (metrics[id].is_time ? parse_time(text, metric->unit, &value)
	                        : weir_parse_scaled(text.data, text.length, 0, &value) &&
	                                  value >= 0 && value <= WEIR_CLIENT_MAX_TOKENS)
		return value;
	weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, reader->record.at, NULL);
	return UNKNOWN;
}

/* An instant; UNKNOWN alike. */
static int64_t instant_of(struct aiperf_reader *reader, struct weir_slice text)
{
	int64_t value;

	if (is_null(text))
		return UNKNOWN;
	if (weir_parse_scaled(text.data, text.length, 0, &value) && value >= 0)
		return value;
	weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, reader->record.at, NULL);
	return UNKNOWN;
}

static void take_metadata(struct record *record, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice value = weir_jsoncursor_scalar(cursor);

		if (weir_slice_equals(key, "request_start_ns"))
			record->start = value;
		else if (weir_slice_equals(key, "request_end_ns"))
			record->end = value;
		else if (weir_slice_equals(key, "benchmark_phase"))
			record->phase = value;
		else if (weir_slice_equals(key, "was_cancelled"))
			record->cancelled = weir_slice_equals(value, "true");
	}
}

static void take_metric(struct metric *metric, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	metric->given = true;
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice value = weir_jsoncursor_take(cursor);

		if (weir_slice_equals(key, "value"))
			metric->value = value;
		else if (weir_slice_equals(key, "unit"))
			metric->unit = value;
	}
}

/* Of a metric given twice the first counts: documentation of the format repeats one that way. */
static void take_metrics(struct record *record, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		size_t id = 0;

		while (id < METRICS && !weir_slice_equals(key, metrics[id].key))
			id++;
		if (id < METRICS && !record->metrics[id].given) {
			take_metric(&record->metrics[id], cursor);
			continue;
		}
		record->twice += id < METRICS;
		weir_jsoncursor_take(cursor);
	}
}

static void take_record(struct record *record, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "metadata"))
			take_metadata(record, cursor);
		else if (weir_slice_equals(key, "metrics"))
			take_metrics(record, cursor);
		else if (weir_slice_equals(key, "error"))
			record->failed = !is_null(weir_jsoncursor_take(cursor));
		else
			weir_jsoncursor_take(cursor);
	}
}

static void add_gaps(struct aiperf_reader *reader)
{
	const struct metric *metric = &reader->record.metrics[METRIC_GAPS];
	struct weir_jsoncursor cursor;

	if (!metric->value.length || *metric->value.data != '[')
		return;
	cursor = weir_jsoncursor_on(metric->value);
	weir_jsoncursor_enter(&cursor, '[');
	while (weir_jsoncursor_item(&cursor)) {
		struct weir_slice text = weir_jsoncursor_scalar(&cursor);
		int64_t ns;

		if (parse_time(text, metric->unit, &ns))
			weir_client_requests_gap(&reader->client, ns);
		else
			weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, reader->record.at,
			                NULL);
	}
}

/* `duration_ns` behind `instant_ns`, UNKNOWN where either is or no clock gets there. */
static int64_t behind(int64_t instant_ns, int64_t duration_ns)
{
	if (instant_ns == UNKNOWN || duration_ns == UNKNOWN || instant_ns > INT64_MAX - duration_ns)
		return UNKNOWN;
	return instant_ns + duration_ns;
}

/* From start to end, both known; else the request is unfinished. */
static bool find_times(struct aiperf_reader *reader, struct weir_client_request *request)
{
	int64_t latency_ns = value_of(reader, METRIC_LATENCY), end_ns;

	request->sent_ns = instant_of(reader, reader->record.start);
	request->end_ns = instant_of(reader, reader->record.end);
	end_ns = behind(request->sent_ns, latency_ns);
	if (end_ns != UNKNOWN)
		request->end_ns = end_ns;
	return request->sent_ns != UNKNOWN && request->end_ns != UNKNOWN;
}

static void add_request(struct aiperf_reader *reader)
{
	const struct record *record = &reader->record;
	struct weir_client_request request = weir_client_request_unknown();

	/* Requests that warm the server up are of no interest. */
	if (!is_null(record->phase) && !weir_slice_equals(record->phase, "profiling"))
		return;
	if (record->failed || record->cancelled) {
		weir_client_requests_fail(&reader->client, record->at);
		return;
	}
	if (!find_times(reader, &request)) {
		weir_input_warn(reader->input, WEIR_WARN_UNFINISHED, record->at, NULL);
		return;
	}
	request.first_token_ns = behind(request.sent_ns, value_of(reader, METRIC_FIRST_TOKEN));
	request.input_tokens = value_of(reader, METRIC_INPUT);
	request.output_tokens = value_of(reader, METRIC_OUTPUT);
	if (request.output_tokens == UNKNOWN)
		request.output_tokens = value_of(reader, METRIC_GENERATED);
	if (weir_client_requests_add(&reader->client, &request, record->at))
		add_gaps(reader);
}

static enum weir_status read_records(struct aiperf_reader *reader, struct weir_records *records,
                                     struct weir_error *err)
{
	struct weir_input *input = reader->input;
	struct weir_record text;
	enum weir_status status;

	while (!(status = weir_records_next(records, &text, err)) && text.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(text.text);

		reader->record = (struct record){.at = text.at};
		take_record(&reader->record, &cursor);
		if (!cursor.bad) {
			input->events++;
			if (reader->record.twice)
				weir_input_warn(input, WEIR_WARN_DUPLICATE, text.at, NULL);
			add_request(reader);
		}
		weir_records_done(records, &cursor);
	}
	return status;
}

static enum weir_status read_aiperf(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct aiperf_reader reader = {.input = input};
	struct weir_records *records;
	enum weir_status status = weir_records_new(source, input, &records, err);

	if (status)
		return status;
	weir_client_requests_init(&reader.client, input);
	input->requests = reader.client.requests;
	status = read_records(&reader, records, err);
	if (!status) {
		weir_records_finish(records);
		status = weir_client_requests_finish(&reader.client, err);
	}
	weir_client_requests_release(&reader.client);
	weir_records_free(records);
	return status;
}

static const char *const keys[] = {"metadata", "metrics", "error", NULL};

/* Two keys that others have too, and one inside them that they have not. */
static int sniff(const char *head, size_t len)
{
	static const char start[] = "\"request_start_ns\"";
	unsigned found = weir_sniff_keys(head, len, keys);

	if (!(found & 1) || !weir_sniff_contains(head, len, start))
		return 0;
	return weir_sniff_bits(found, keys) + 8 * (int)(sizeof start - 3);
}

const struct weir_reader weir_reader_aiperf = {
	.name = "aiperf",
	.title = "records of AIPerf (profile_export.jsonl), one request a line",
	.gives = "requests",
	.sniff = sniff,
	.read = read_aiperf,
};
