/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of TensorRT's trtexec: JSON with the times of queries (--exportTimes), JSON with
 * the times of layers (--exportProfile), and the log (trtexec_log.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/keyindex.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/trtexec_log.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

enum { TIMES, LAYERS, LOG, PASTED, MEANS, ENDED };

static const struct weir_mark marks[] = {
	[TIMES] = {.first = "[", .keys = {{"computeMs", "latencyMs"}, .all = 2}},
	/* The first object may hold only the number of iterations. */
	[LAYERS] = {.first = "[",
                    .keys = {{"count", "name", "timeMs", "averageMs"}, .any = 4},
                    .texts = {{"\"averageMs\"", "\"timeMs\""}, .all = 2}},
	[LOG] = {.first = "",
                 .texts = {{"[I] === Performance summary ===", "[I] === Trace details ===",
                            "[I] TensorRT version:", "[I] GPU Compute Time: ", "[I] Throughput: ",
                            "[I] === Profile (", "&&&& RUNNING TensorRT.trtexec",
                            "[I] Host Latency", "[I] GPU Compute"},
                           .any = 9}},
	/* Without the date and the level of each line, as people paste it. */
	[PASTED] = {.first = "",
                    .texts = {{"=== Performance summary ===", "Throughput: ", " qps",
                               "GPU Compute Time: ", "H2D Latency: "},
                              .all = 3,
                              .any = 2}},
	/* TensorRT 4 to 6, and giexec. */
	[MEANS] = {.first = "",
                   .texts = {{"Average over ", " runs is ", " ms (host walltime is ",
                              "percentile time is "},
                             .all = 3,
                             .any = 1}},
	/* The last line, if the head of the log is missing. */
	[ENDED] = {.first = "",
                   .texts = {{"&&&& FAILED TensorRT.trtexec", "&&&& PASSED TensorRT.trtexec"},
                             .any = 2}},
	{.first = "{[",
         .keys = {{"Layers", "Bindings"}, .all = 1}, /* "Bindings" stands behind all layers */
         .refusal = "it lists the layers of a TensorRT engine, which have no times: pass what "
                    "trtexec writes with --exportProfile or --exportTimes"},
	{0},
};

/* ---- times of layers ---- */

struct layer {
	struct weir_text name;
	double average_ms;
	int64_t iterations; /* of the first object; 0: not stated */
};

static double number(struct weir_slice text)
{
	double value;

	return text.length && weir_parse_double(text.data, text.length, &value) ? value : NAN;
}

static void read_layer(struct weir_jsoncursor *cursor, struct weir_text *scratch,
                       struct layer *layer)
{
	struct weir_slice key;

	weir_text_clear(&layer->name);
	layer->average_ms = NAN;
	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice text = weir_jsoncursor_scalar(cursor);

		if (weir_slice_equals(key, "name")) {
			text = weir_jsoncursor_decode(text, scratch, NULL);
			weir_text_add(&layer->name, text.data, text.length);
		} else if (weir_slice_equals(key, "averageMs")) {
			layer->average_ms = number(text);
		} else if (weir_slice_equals(key, "count")) {
			if (!weir_parse_i64(text.data, text.length, &layer->iterations))
				layer->iterations = 0;
		}
	}
}

static enum weir_status read_layers(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct weir_text scratch = {0};
	struct layer layer = {0};
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, input, &records, err);

	if (status)
		return status;
	input->run = weir_run_new();
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(record.text);

		read_layer(&cursor, &scratch, &layer);
		weir_records_done(records, &cursor);
		if (cursor.bad || !layer.name.length) /* the number of iterations */
			continue;
		input->events++;
		weir_trtexec_add_layer(input,
		                       (struct weir_slice){layer.name.data, layer.name.length},
		                       layer.average_ms, record.at);
	}
	if (!status)
		weir_records_finish(records);
	weir_records_free(records);
	if (layer.iterations > 0) {
		char digits[24];

		snprintf(digits, sizeof(digits), "%lld", (long long)layer.iterations);
		weir_run_set_label(input->run, "iterations", digits);
	}
	weir_text_release(&layer.name);
	weir_text_release(&scratch);
	if (!status && !input->run->operators.count)
		return weir_fail(
			err, WEIR_E_EMPTY,
			"no layer has a time: expected objects with \"name\" and \"averageMs\"");
	return status;
}

/*
 * ---- times of queries ----
 *
 * Times are milliseconds since the first query, printed with six digits: after some minutes only
 * the durations are exact. A query consists of its copies and its computation, end to end.
 */

#define WARM_UP_NS INT64_C(200000000) /* the default of --warmUp */
#define MAX_NS     (INT64_C(1) << 50) /* 13 days; longer times are damage */

enum field {
	FIELD_START_ENQUEUE,
	FIELD_END_ENQUEUE,
	FIELD_START_UPLOAD,
	FIELD_END_UPLOAD,
	FIELD_START_COMPUTE,
	FIELD_UPLOAD,
	FIELD_COMPUTE,
	FIELD_DOWNLOAD,
	FIELD_END_TO_END, /* up to TensorRT 8.2 */
	FIELDS
};

static const struct weir_keyindex_entry names[] = {
	{"startEnqMs", FIELD_START_ENQUEUE},
	{"endEnqMs", FIELD_END_ENQUEUE},
	{"startH2dMs", FIELD_START_UPLOAD},
	{"endH2dMs", FIELD_END_UPLOAD},
	{"startInMs", FIELD_START_UPLOAD},
	{"endInMs", FIELD_END_UPLOAD},
	{"startComputeMs", FIELD_START_COMPUTE},
	{"h2dMs", FIELD_UPLOAD},
	{"inMs", FIELD_UPLOAD},
	{"computeMs", FIELD_COMPUTE},
	{"d2hMs", FIELD_DOWNLOAD},
	{"outMs", FIELD_DOWNLOAD},
	{"endToEndMs", FIELD_END_TO_END},
	{0},
};

struct query {
	uint64_t present; /* a bit for each field */
	int64_t ns[FIELDS];
	bool old_names; /* has "inMs", as written up to TensorRT 7.2 */
	uint64_t at;
};

struct times {
	struct weir_input *input;
	struct weir_keyindex fields;
	struct query *queries;
	size_t count, capacity;
};

static bool has(const struct query *query, enum field field)
{
	return query->present >> field & 1;
}

static void take_field(struct times *times, struct query *query, enum field field,
                       struct weir_slice text)
{
	int64_t ns;

	if (!text.length || !weir_parse_scaled(text.data, text.length, 6, &ns) || ns < 0 ||
	    ns > MAX_NS) {
		weir_input_warn(times->input, WEIR_WARN_BAD_NUMBER, query->at, NULL);
		return;
	}
	query->ns[field] = ns;
	query->present |= (uint64_t)1 << field;
}

/* Swaps the times of the input copy and of the enqueue call, which TensorRT 7.1 and 7.2 write under
 * each other's names. */
static void swap_mislabelled(struct query *query)
{
	if (!query->old_names || !has(query, FIELD_START_ENQUEUE))
		return;
	for (int end = 0; end < 2; end++) {
		int64_t ns = query->ns[FIELD_START_ENQUEUE + end];

		query->ns[FIELD_START_ENQUEUE + end] = query->ns[FIELD_START_UPLOAD + end];
		query->ns[FIELD_START_UPLOAD + end] = ns;
	}
}

static bool read_query(struct times *times, struct weir_records *records,
                       const struct weir_record *record)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(record->text);
	struct query query = {.at = record->at};
	struct weir_slice key;

	if (weir_jsoncursor_enter(&cursor, '{'))
		while (weir_jsoncursor_key(&cursor, &key)) {
			int field = weir_keyindex_find(&times->fields, key);
			struct weir_slice text = weir_jsoncursor_scalar(&cursor);

			query.old_names |= weir_slice_equals(key, "inMs");
			if (field >= 0)
				take_field(times, &query, (enum field)field, text);
		}
	weir_records_done(records, &cursor);
	if (cursor.bad || !has(&query, FIELD_COMPUTE))
		return false;
	swap_mislabelled(&query);
	times->queries = weir_grow(times->queries, &times->capacity, times->count + 1,
	                           sizeof(*times->queries));
	times->queries[times->count++] = query;
	return true;
}

/* Returns the number of warm-up queries at the beginning. Versions before 8.5 write them, but only
 * versions up to 8.2 can be recognised, by "endToEndMs". */
static size_t skip_warm_up(const struct times *times)
{
	size_t first = 0;

	while (first < times->count && has(&times->queries[first], FIELD_END_TO_END) &&
	       times->queries[first].ns[FIELD_START_COMPUTE] < WARM_UP_NS)
		first++;
	if (first == times->count)
		return 0;
	if (first) {
		weir_input_warn(times->input, WEIR_WARN_MERGED_STEPS, UINT64_MAX,
		                "queries of the first 200 ms, the warm-up");
		times->input->warnings[WEIR_WARN_MERGED_STEPS].count = first;
	}
	return first;
}

static void add_query(struct times *times, const struct query *query)
{
	static const struct {
		enum field field;
		const char *stage;
	} parts[] = {{FIELD_UPLOAD, "h2d"}, {FIELD_COMPUTE, "compute"}, {FIELD_DOWNLOAD, "d2h"}};
	struct weir_requests *requests = times->input->requests;
	struct weir_request request = weir_request_unknown();

	request.start_ns = has(query, FIELD_START_UPLOAD) ? query->ns[FIELD_START_UPLOAD]
	                                                  : query->ns[FIELD_START_COMPUTE];
	request.end_ns = request.start_ns;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int64_t ns = query->ns[parts[i].field];

		weir_requests_add_part(
			requests,
			weir_requests_stage(requests, parts[i].stage, strlen(parts[i].stage)), ns);
		request.end_ns += ns;
	}
	weir_requests_add(requests, &request);
	if (has(query, FIELD_START_ENQUEUE) && has(query, FIELD_END_ENQUEUE) &&
	    query->ns[FIELD_END_ENQUEUE] > query->ns[FIELD_START_ENQUEUE])
		weir_series_push(
			weir_series_get(&times->input->run->stages, "enqueue"),
			(double)(query->ns[FIELD_END_ENQUEUE] - query->ns[FIELD_START_ENQUEUE]));
}

static enum weir_status finish_times(struct times *times, struct weir_error *err)
{
	struct weir_input *input = times->input;
	size_t first = skip_warm_up(times);

	if (!times->count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no query: expected objects with \"computeMs\"");
	input->requests = weir_requests_new();
	input->requests->time_base = WEIR_TIME_MONOTONIC;
	input->run = weir_run_new();
	for (size_t i = first; i < times->count; i++)
		add_query(times, &times->queries[i]);
	weir_requests_finish(input->requests);
	return WEIR_OK;
}

static enum weir_status read_times(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct times times = {.input = input};
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, input, &records, err);

	if (status)
		return status;
	weir_keyindex_init(&times.fields, names);
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		input->events++;
		if (!read_query(&times, records, &record))
			weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, record.at,
			                "a query without \"computeMs\"");
	}
	if (!status) {
		weir_records_finish(records);
		status = finish_times(&times, err);
	}
	weir_records_free(records);
	free(times.queries);
	return status;
}

/* ---- any of the three ---- */

static enum weir_status read_trtexec(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	if (weir_mark_bits(&marks[TIMES], head, len)) {
		input->gives = "requests, native run";
		return read_times(source, input, err);
	}
	if (weir_sniff_is_json(head, len))
		return read_layers(source, input, err);
	return weir_trtexec_read_log(source, input, err);
}

const struct weir_reader weir_reader_trtexec = {
	.name = "trtexec",
	.title = "results of TensorRT's trtexec: times of queries, of layers, its log",
	.gives = "native run",
	.tool = "trtexec",
	.marks = marks,
	.read = read_trtexec,
};
