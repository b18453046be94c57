/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the records of AIPerf, one request per line (profile_export.jsonl). A record has metadata,
 * metrics of the form {"value": ..., "unit": "ms"}, and an error. A request ends after its latency,
 * as in AIPerf's own figures. The end in the metadata is later: it includes the client's work after
 * the last token.
 */
#include "engine/base/text.h"
#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define UNKNOWN WEIR_CLIENT_UNKNOWN

enum metric_id {
	METRIC_FIRST_TOKEN,
	METRIC_LATENCY,
	METRIC_GAPS,
	METRIC_INPUT,
	METRIC_OUTPUT,
	METRIC_GENERATED, /* without reasoning; for writers that do not state the whole output */
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

/* Texts as written, borrowed from the record. */
struct metric {
	struct weir_slice value, unit;
	bool given;
};

struct record {
	struct weir_slice start, end, phase;
	bool cancelled, failed;
	struct metric metrics[METRICS];
	unsigned twice; /* repeated keys */
	struct weir_input *input;
	uint64_t at;
};

static const struct {
	const char *name;
	int places; /* to nanoseconds, as a power of ten */
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

/* Returns a metric, or UNKNOWN. Malformed values are counted as warnings. */
static int64_t value_of(const struct record *record, enum metric_id id)
{
	const struct metric *metric = &record->metrics[id];
	struct weir_slice text = metric->value;
	int64_t value;

	if (!metric->given || is_null(text))
		return UNKNOWN;
	if (metrics[id].is_time ? parse_time(text, metric->unit, &value)
	                        : weir_parse_scaled(text.data, text.length, 0, &value) &&
	                                  value >= 0 && value <= WEIR_CLIENT_MAX_TOKENS)
		return value;
	weir_input_warn(record->input, WEIR_WARN_BAD_NUMBER, record->at, NULL);
	return UNKNOWN;
}

/* Returns an instant in ns, or UNKNOWN. Malformed values are counted as warnings. */
static int64_t instant_of(const struct record *record, struct weir_slice text)
{
	int64_t value;

	if (is_null(text))
		return UNKNOWN;
	if (weir_parse_scaled(text.data, text.length, 0, &value) && value >= 0)
		return value;
	weir_input_warn(record->input, WEIR_WARN_BAD_NUMBER, record->at, NULL);
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

/* The first of repeated metrics counts: the format's documentation repeats one in this way. */
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

static void take_members(struct record *record, struct weir_jsoncursor *cursor)
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

static void add_gaps(const struct record *record, struct weir_client_requests *client)
{
	const struct metric *metric = &record->metrics[METRIC_GAPS];
	struct weir_jsoncursor cursor;

	if (!metric->value.length || *metric->value.data != '[')
		return;
	cursor = weir_jsoncursor_on(metric->value);
	weir_jsoncursor_enter(&cursor, '[');
	while (weir_jsoncursor_item(&cursor)) {
		struct weir_slice text = weir_jsoncursor_scalar(&cursor);
		int64_t ns;

		if (parse_time(text, metric->unit, &ns))
			weir_client_requests_gap(client, ns);
		else
			weir_input_warn(record->input, WEIR_WARN_BAD_NUMBER, record->at, NULL);
	}
}

/* Returns the instant `duration_ns` later; UNKNOWN if one of both is, or on overflow. */
static int64_t later(int64_t instant_ns, int64_t duration_ns)
{
	if (instant_ns == UNKNOWN || duration_ns == UNKNOWN || instant_ns > INT64_MAX - duration_ns)
		return UNKNOWN;
	return instant_ns + duration_ns;
}

/* Fills start and end; false if one of them is unknown. */
static bool find_times(const struct record *record, struct weir_client_request *request)
{
	int64_t latency_ns = value_of(record, METRIC_LATENCY), end_ns;

	request->sent_ns = instant_of(record, record->start);
	request->end_ns = instant_of(record, record->end);
	end_ns = later(request->sent_ns, latency_ns);
	if (end_ns != UNKNOWN)
		request->end_ns = end_ns;
	return request->sent_ns != UNKNOWN && request->end_ns != UNKNOWN;
}

static void add_request(const struct record *record, struct weir_client_requests *client)
{
	struct weir_client_request request = weir_client_request_unknown();

	if (!is_null(record->phase) && !weir_slice_equals(record->phase, "profiling"))
		return; /* warm-up */
	if (record->failed || record->cancelled) {
		weir_client_requests_fail(client, record->at);
		return;
	}
	if (!find_times(record, &request)) {
		weir_input_warn(record->input, WEIR_WARN_UNFINISHED, record->at, NULL);
		return;
	}
	request.first_token_ns = later(request.sent_ns, value_of(record, METRIC_FIRST_TOKEN));
	request.input_tokens = value_of(record, METRIC_INPUT);
	request.output_tokens = value_of(record, METRIC_OUTPUT);
	if (request.output_tokens == UNKNOWN)
		request.output_tokens = value_of(record, METRIC_GENERATED);
	if (weir_client_requests_add(client, &request, record->at))
		add_gaps(record, client);
}

static void take_record(struct weir_client_reading *reading, struct weir_jsoncursor *cursor,
                        uint64_t at)
{
	struct record record = {.input = reading->client.input, .at = at};

	take_members(&record, cursor);
	if (cursor->bad)
		return;
	record.input->events++;
	if (record.twice)
		weir_input_warn(record.input, WEIR_WARN_DUPLICATE, at, NULL);
	add_request(&record, &reading->client);
}

static enum weir_status read_aiperf(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_client_format format = {.record = take_record};

	return weir_client_records_read(&format, source, input, err);
}

/* The outermost keys are also those of other formats; the key inside is AIPerf's. A damaged line
 * may come first. */
static const struct weir_mark marks[] = {
	{.first = "",
         .keys = {{"metadata", "metrics", "error"}, .all = 1},
         .texts = {{"\"request_start_ns\""}, .all = 1}},
	{.first = "{",
         .keys = {{"telemetry_data", "timestamp_ns", "gpu_uuid", "dcgm_url"}, .all = 2},
         .refusal = "it is AIPerf's GPU telemetry: pass profile_export.jsonl for the requests, and "
                    "a log of nvidia-smi or dcgmi dmon for the device"},
	{0},
};

const struct weir_reader weir_reader_aiperf = {
	.name = "aiperf",
	.title = "records of AIPerf (profile_export.jsonl), one request per line",
	.gives = "requests",
	.marks = marks,
	.read = read_aiperf,
};
