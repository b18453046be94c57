/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads trace files of Triton Inference Server, trace_mode triton: one array of fragments, which
 * differ by their keys. The server does not escape names and ids, and closes the array only when it
 * ends normally. It traces one of `rate` requests, so the file is a sample.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/requests/triton.h"

static const struct weir_mark marks[] = {
	{.first = "[",
         .keys = {{"id", "model_name", "timestamps", "activity", "model_version"},
                  .all = 1,
                  .any = 3}},
	{0},
};

#define MAX_TRACES (1u << 23)

/* A timestamp of a fragment. */
struct stamp {
	int64_t at_ns;
	int name; /* row of stamp_names */
};

/* ---- traces by id ---- */

/*
 * If a name repeats (a model that answers one request in several parts sends several times), the
 * first start and the last end count. WAITREAD_START is the time when the server began to wait for
 * any request, so it is not a time of this one.
 */
static const struct {
	const char *name;
	int time;  /* enum triton_time; TRITON_TIMES: ignored */
	bool last; /* the last of several counts, else the first */
	bool repeats;
	uint32_t flags;
} stamp_names[] = {
	{"REQUEST_START", TRITON_REQUEST_START, false, false, 0},
	{"QUEUE_START", TRITON_QUEUE_START, false, false, 0},
	{"COMPUTE_START", TRITON_COMPUTE_START, false, false, 0},
	{"COMPUTE_INPUT_END", TRITON_INPUT_END, true, false, 0},
	{"COMPUTE_OUTPUT_START", TRITON_OUTPUT_START, false, false, 0},
	{"COMPUTE_END", TRITON_COMPUTE_END, true, false, 0},
	{"REQUEST_END", TRITON_REQUEST_END, true, false, 0},
	{"HTTP_RECV_START", TRITON_ARRIVED, false, false, TRITON_FRONTEND | TRITON_HTTP},
	{"HTTP_RECV_END", TRITON_RECEIVED, true, false, TRITON_FRONTEND | TRITON_HTTP},
	{"HTTP_SEND_START", TRITON_SEND_START, false, true, TRITON_FRONTEND},
	{"HTTP_SEND_END", TRITON_SEND_END, true, true, TRITON_FRONTEND},
	{"GRPC_WAITREAD_START", TRITON_TIMES, false, true, TRITON_FRONTEND},
	{"GRPC_WAITREAD_END", TRITON_ARRIVED, false, false, TRITON_FRONTEND},
	{"GRPC_SEND_START", TRITON_SEND_START, false, true, TRITON_FRONTEND},
	{"GRPC_SEND_END", TRITON_SEND_END, true, true, TRITON_FRONTEND},
};

/* Returns the row of stamp_names, or -1. */
static int find_stamp(struct weir_slice name)
{
	for (size_t i = 0; i < sizeof stamp_names / sizeof *stamp_names; i++)
		if (weir_slice_equals(name, stamp_names[i].name))
			return (int)i;
	return -1;
}

/* Sets a time of a trace. Returns false if it was set and may come only once. */
static bool set_stamp(struct triton_trace *trace, const struct stamp *stamp)
{
	int time = stamp_names[stamp->name].time;
	int64_t *at_ns;
	bool first;

	trace->flags |= stamp_names[stamp->name].flags | TRITON_TIMED;
	if (time == TRITON_TIMES)
		return true;
	at_ns = &trace->time[time];
	first = *at_ns == TRITON_NO_TIME;
	if (first ||
	    (stamp_names[stamp->name].last ? stamp->at_ns > *at_ns : stamp->at_ns < *at_ns))
		*at_ns = stamp->at_ns;
	return first || stamp_names[stamp->name].repeats;
}

static bool is_trace(const struct triton_trace *trace, uint64_t id, uint32_t array)
{
	return trace->id == id && trace->array == array;
}

static uint32_t add(struct triton_traces *traces, uint64_t id, uint32_t array)
{
	struct triton_trace *trace;

	if (traces->count == MAX_TRACES)
		return TRITON_NO_TRACE;
	traces->rows =
		weir_grow(traces->rows, &traces->capacity, traces->count + 1, sizeof *traces->rows);
	trace = &traces->rows[traces->count];
	*trace = (struct triton_trace){.id = id, .parent = TRITON_NO_TRACE, .array = array};
	for (int i = 0; i < TRITON_TIMES; i++)
		trace->time[i] = TRITON_NO_TIME;
	return (uint32_t)traces->count++;
}

/* Finds or adds the row of a trace; TRITON_NO_TRACE beyond MAX_TRACES. */
static uint32_t find_trace(struct triton_traces *traces, uint64_t id, uint32_t array)
{
	uint32_t hash = weir_rowmap_hash(id ^ (uint64_t)array << 32), row;
	size_t probe = 0;

	if (traces->last < traces->count && is_trace(&traces->rows[traces->last], id, array))
		return traces->last;
	while ((row = weir_rowmap_next(&traces->map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (is_trace(&traces->rows[row], id, array))
			break;
	if (row == WEIR_ROWMAP_NONE) {
		row = add(traces, id, array);
		if (row == TRITON_NO_TRACE)
			return row;
		weir_rowmap_add(&traces->map, hash, row);
	}
	traces->last = row;
	return row;
}

/* A row in order of id. */
struct place {
	uint64_t id;
	uint32_t array, row;
};

static int by_id(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (a->array > b->array) - (a->array < b->array);
}

/* True if two rows can be halves of one trace: no time is in both. */
static bool are_halves(const struct triton_trace *a, const struct triton_trace *b)
{
	for (int i = 0; i < TRITON_TIMES; i++)
		if (a->time[i] != TRITON_NO_TIME && b->time[i] != TRITON_NO_TIME)
			return false;
	return a->parent == TRITON_NO_TRACE || b->parent == TRITON_NO_TRACE;
}

static void merge(struct triton_trace *into, struct triton_trace *from)
{
	for (int i = 0; i < TRITON_TIMES; i++)
		if (from->time[i] != TRITON_NO_TIME)
			into->time[i] = from->time[i];
	if (from->parent != TRITON_NO_TRACE)
		into->parent = from->parent;
	into->flags |= from->flags;
	from->parent = TRITON_NO_TRACE;
	from->flags = 0;
}

/* Merges rows of one id in neighbouring arrays; target[row] becomes the row with its times. */
static void merge_neighbours(struct triton_traces *traces, const struct place *places,
                             uint32_t *target)
{
	size_t kept = 0;

	for (size_t i = 0; i < traces->count; i++) {
		struct triton_trace *into = &traces->rows[places[kept].row];
		struct triton_trace *from = &traces->rows[places[i].row];

		target[places[i].row] = places[i].row;
		if (i > kept && into->id == from->id && are_halves(into, from)) {
			merge(into, from);
			target[places[i].row] = places[kept].row;
		} else {
			kept = i;
		}
	}
}

/* Merges traces whose fragments lie in several arrays, unless they contradict each other. Servers
 * count ids from 1, so files of two servers share ids of different traces. */
static void join_arrays(struct triton_traces *traces)
{
	struct place *places;
	uint32_t *target;

	if (!traces->count)
		return;
	places = weir_alloc(traces->count * sizeof *places);
	target = weir_alloc(traces->count * sizeof *target);
	for (size_t i = 0; i < traces->count; i++)
		places[i] = (struct place){traces->rows[i].id, traces->rows[i].array, (uint32_t)i};
	qsort(places, traces->count, sizeof *places, by_id);
	merge_neighbours(traces, places, target);
	for (size_t i = 0; i < traces->count; i++)
		if (traces->rows[i].parent != TRITON_NO_TRACE)
			traces->rows[i].parent = target[traces->rows[i].parent];
	free(places);
	free(target);
}

/* ---- fragments ---- */

struct reader {
	struct weir_input *input;
	struct triton_traces traces;
	struct stamp *stamps; /* of the fragment that is read */
	size_t stamp_count, stamp_capacity;
	uint64_t tensors; /* fragments with values instead of times */
};

/* One element of the file. Id 0: not given. */
struct fragment {
	uint64_t id, parent;
	bool has_id, tensor;
};

/* Parses digits only; ids use all 64 bits. */
static bool parse_count(struct weir_slice text, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < text.length; i++) {
		unsigned digit = (unsigned)text.data[i] - '0';

		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = value;
	return text.length > 0;
}

/* Reads {"name": ..., "ns": ...}. Names that Triton does not define come from backends. */
static void read_stamp(struct reader *reader, struct weir_jsoncursor *cursor, uint64_t at)
{
	struct stamp stamp = {.at_ns = TRITON_NO_TIME, .name = -1};
	struct weir_slice key, value;
	uint64_t ns;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		value = weir_jsoncursor_scalar(cursor);
		if (weir_slice_equals(key, "name"))
			stamp.name = find_stamp(value);
		else if (weir_slice_equals(key, "ns") && parse_count(value, &ns) && ns <= INT64_MAX)
			stamp.at_ns = (int64_t)ns;
	}
	if (cursor->bad || stamp.name < 0)
		return;
	if (stamp.at_ns == TRITON_NO_TIME) {
		weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, at, "ns");
		return;
	}
	reader->stamps = weir_grow(reader->stamps, &reader->stamp_capacity, reader->stamp_count + 1,
	                           sizeof *reader->stamps);
	reader->stamps[reader->stamp_count++] = stamp;
}

static void read_stamps(struct reader *reader, struct weir_jsoncursor *cursor, uint64_t at)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	while (weir_jsoncursor_item(cursor))
		read_stamp(reader, cursor, at);
}

/* Returns false if the element is not valid JSON. */
static bool read_fragment(struct reader *reader, const struct weir_jsonscan_item *item,
                          struct fragment *out)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;

	*out = (struct fragment){0};
	reader->stamp_count = 0;
	if (!weir_jsoncursor_enter(&cursor, '{'))
		return !cursor.bad;
	while (weir_jsoncursor_key(&cursor, &key)) {
		if (weir_slice_equals(key, "timestamps")) {
			read_stamps(reader, &cursor, item->at);
			continue;
		}
		out->tensor |= weir_slice_equals(key, "activity");
		if (weir_slice_equals(key, "id"))
			out->has_id = parse_count(weir_jsoncursor_scalar(&cursor), &out->id);
		else if (weir_slice_equals(key, "parent_id"))
			parse_count(weir_jsoncursor_scalar(&cursor), &out->parent);
		else
			weir_jsoncursor_take(&cursor);
	}
	return !cursor.bad && cursor.at == cursor.end;
}

static enum weir_status find(struct reader *reader, uint64_t id, uint64_t array, uint32_t *out,
                             struct weir_error *err)
{
	*out = find_trace(&reader->traces, id, (uint32_t)array);
	if (*out != TRITON_NO_TRACE)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_LIMIT,
	                 "more than %u traces: trace a smaller share of the requests (a higher "
	                 "rate=), or pass fewer files of it",
	                 MAX_TRACES);
}

/* Keeps a fragment only if it has a time or a parent. */
static enum weir_status keep_fragment(struct reader *reader, const struct fragment *fragment,
                                      const struct weir_jsonscan_item *item, struct weir_error *err)
{
	uint32_t row, parent = TRITON_NO_TRACE;
	enum weir_status status = WEIR_OK;

	if (!reader->stamp_count && !fragment->parent)
		return WEIR_OK;
	if (fragment->parent)
		status = find(reader, fragment->parent, item->array, &parent, err);
	if (!status)
		status = find(reader, fragment->id, item->array, &row, err);
	if (status)
		return status;
	if (fragment->parent)
		reader->traces.rows[row].parent = parent;
	for (size_t i = 0; i < reader->stamp_count; i++)
		if (!set_stamp(&reader->traces.rows[row], &reader->stamps[i]))
			weir_input_warn(reader->input, WEIR_WARN_DUPLICATE, item->at,
			                "a timestamp that may come only once");
	return WEIR_OK;
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct reader *reader = context;
	struct fragment fragment;

	if (!weir_jsonscan_is_bare(scan))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "an object, expected the array of a trace file "
		                 "(--trace-config triton,file=...)");
	if (!read_fragment(reader, item, &fragment)) {
		weir_jsonscan_reject(scan);
		return WEIR_OK;
	}
	if (!fragment.has_id) {
		weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, item->at,
		                "an element without an id");
		return WEIR_OK;
	}
	reader->input->events++;
	reader->tensors += fragment.tensor;
	return keep_fragment(reader, &fragment, item, err);
}

/* Fails if all traces were dropped. A file without any trace is valid: no request was sampled. */
static enum weir_status conclude(struct reader *reader, struct weir_error *err)
{
	const struct weir_warning *warnings = reader->input->warnings;

	if (reader->input->requests->count)
		return WEIR_OK;
	if (!reader->input->events && warnings[WEIR_WARN_SKIPPED_EVENT].count)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "no element of this array belongs to a trace: expected "
		                 "{\"id\": 1, \"timestamps\": [...]} and the like");
	if (!reader->input->events)
		return WEIR_OK;
	if (!reader->traces.count && reader->tensors)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "tensors only, no timestamps: trace with --trace-config "
		                 "level=TIMESTAMPS");
	if (!reader->traces.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no timestamp of Triton: trace with --trace-config "
		                 "level=TIMESTAMPS");
	return weir_fail(err, WEIR_E_EMPTY,
	                 "no complete request in it (%" PRIu64
	                 " without an end): was the trace cut off?",
	                 warnings[WEIR_WARN_UNFINISHED].count);
}

static enum weir_status read_document(struct reader *reader, struct weir_source *source,
                                      struct weir_error *err)
{
	static const struct weir_jsonscan_options options = {.arrays = true};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	enum weir_status status = weir_jsonscan_each(scan, take_item, reader, err);

	if (!status) {
		weir_damage_of_scan(reader->input, scan, source);
		join_arrays(&reader->traces);
		weir_triton_requests(reader->input, &reader->traces);
		status = conclude(reader, err);
	}
	weir_jsonscan_free(scan);
	return status;
}

static enum weir_status read_trace(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct reader reader = {.input = input};
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	if (status)
		return status;
	input->requests = weir_requests_new();
	input->requests->time_base = WEIR_TIME_MONOTONIC;
	input->requests->sampled = true;
	/* A server that samples no request writes an empty file. */
	if (first)
		status = read_document(&reader, source, err);
	else
		weir_damage_of_source(input, source);
	free(reader.traces.rows);
	weir_rowmap_release(&reader.traces.map);
	free(reader.stamps);
	return status;
}

const struct weir_reader weir_reader_triton = {
	.name = "triton",
	.title = "traces of Triton Inference Server (trace_mode triton); h2d and d2h hold all "
		 "handling of inputs and outputs",
	.gives = "requests",
	.marks = marks,
	.read = read_trace,
};
