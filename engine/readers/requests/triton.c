/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads trace files of Triton Inference Server, trace_mode triton: one array of fragments, which
 * differ by their keys. The server does not escape names and ids, and closes the array only when it
 * ends normally. It traces one of `rate` requests, so the file is a sample.
 *
 * A trace is a request, or a step of an ensemble. Fragments of a trace lie in any order and a step
 * may come before its request, so the whole file is read before traces become requests.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/base/rowmap.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define TRITON_NO_TRACE UINT32_MAX
#define TRITON_NO_TIME  (-1)

/* The times of a trace, in the order in which it passes through the server. */
enum triton_time {
	TRITON_ARRIVED,  /* HTTP: first byte; gRPC: complete request */
	TRITON_RECEIVED, /* HTTP: last byte */
	TRITON_REQUEST_START,
	TRITON_QUEUE_START,
	TRITON_COMPUTE_START,
	TRITON_INPUT_END,
	TRITON_OUTPUT_START,
	TRITON_COMPUTE_END,
	TRITON_REQUEST_END,
	TRITON_SEND_START,
	TRITON_SEND_END,
	TRITON_TIMES
};

#define TRITON_TIMED    1u /* it has a timestamp */
#define TRITON_FRONTEND 2u /* a frontend received and answered it */
#define TRITON_HTTP     4u

struct trace {
	uint64_t id;
	int64_t time[TRITON_TIMES]; /* ns of the server's steady clock; TRITON_NO_TIME */
	uint32_t parent;            /* row; TRITON_NO_TRACE */
	uint32_t array;             /* index of its array in the file */
	uint32_t flags;
};

struct traces {
	struct trace *rows;
	size_t count, capacity;
	struct weir_rowmap map; /* by id and array */
	uint32_t last;          /* row found last: fragments of a trace mostly lie together */
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
static bool set_stamp(struct trace *trace, const struct stamp *stamp)
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

static bool is_trace(const struct trace *trace, uint64_t id, uint32_t array)
{
	return trace->id == id && trace->array == array;
}

static uint32_t add(struct traces *traces, uint64_t id, uint32_t array)
{
	struct trace *trace;

	if (traces->count == MAX_TRACES)
		return TRITON_NO_TRACE;
	traces->rows =
		weir_grow(traces->rows, &traces->capacity, traces->count + 1, sizeof *traces->rows);
	trace = &traces->rows[traces->count];
	*trace = (struct trace){.id = id, .parent = TRITON_NO_TRACE, .array = array};
	for (int i = 0; i < TRITON_TIMES; i++)
		trace->time[i] = TRITON_NO_TIME;
	return (uint32_t)traces->count++;
}

/* Finds or adds the row of a trace; TRITON_NO_TRACE beyond MAX_TRACES. */
static uint32_t find_trace(struct traces *traces, uint64_t id, uint32_t array)
{
	uint32_t hash = weir_rowmap_hash_pair(id, array), row;
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
static bool are_halves(const struct trace *a, const struct trace *b)
{
	for (int i = 0; i < TRITON_TIMES; i++)
		if (a->time[i] != TRITON_NO_TIME && b->time[i] != TRITON_NO_TIME)
			return false;
	return a->parent == TRITON_NO_TRACE || b->parent == TRITON_NO_TRACE;
}

static void merge(struct trace *into, struct trace *from)
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
static void merge_neighbours(struct traces *traces, const struct place *places, uint32_t *target)
{
	size_t kept = 0;

	for (size_t i = 0; i < traces->count; i++) {
		struct trace *into = &traces->rows[places[kept].row];
		struct trace *from = &traces->rows[places[i].row];

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
static void join_arrays(struct traces *traces)
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
	struct traces traces;
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

/*
 * ---- requests from traces ----
 *
 * Stages are defined as in Triton's qa/common/trace_summary.py: queue includes the assembly of the
 * batch, h2d and d2h all handling of inputs and outputs. That script computes overheads as
 * differences of sums; here they are the intervals that nothing else covers, so that steps that
 * overlap are not counted twice:
 *
 *	http_overhead       of the request: outside of receive, handler and send
 *	handler_overhead    of a trace: outside of its queue, its compute and its steps
 *	ensemble_scheduler  the same for a trace with steps that does not compute
 *	compute             of a trace that starts others (BLS): outside of those
 *
 * A request ends with its answer; the server's later work for it is cut off.
 */

enum stage {
	STAGE_PREPROCESS,
	STAGE_QUEUE,
	STAGE_H2D,
	STAGE_COMPUTE,
	STAGE_D2H,
	STAGE_POSTPROCESS,
	STAGE_HANDLER_OVERHEAD,
	STAGE_ENSEMBLE_SCHEDULER,
	STAGE_HTTP_OVERHEAD,
	STAGES
};

static const char *const stage_names[STAGES] = {
	[STAGE_PREPROCESS] = "preprocess",
	[STAGE_QUEUE] = "queue",
	[STAGE_H2D] = "h2d",
	[STAGE_COMPUTE] = "compute",
	[STAGE_D2H] = "d2h",
	[STAGE_POSTPROCESS] = "postprocess",
	[STAGE_HANDLER_OVERHEAD] = "handler_overhead",
	[STAGE_ENSEMBLE_SCHEDULER] = "ensemble_scheduler",
	[STAGE_HTTP_OVERHEAD] = "http_overhead",
};

struct span {
	int64_t start_ns, end_ns;
};

struct spans {
	struct span *items;
	size_t count, capacity;
};

struct builder {
	struct weir_input *input;
	struct weir_requests *requests;
	const struct trace *rows;
	size_t count;
	uint32_t *first;    /* per row: its first step in `steps`; has one more element than rows */
	uint32_t *steps;    /* rows, grouped by parent */
	uint32_t *open;     /* rows of the current request still to visit */
	bool *visited;      /* per row: it belongs to a request */
	struct spans cover; /* scratch */
	struct span request;
	int stage_row[STAGES]; /* in requests; -1: not used yet */
};

static bool has(const struct trace *trace, int time)
{
	return trace->time[time] != TRITON_NO_TIME;
}

static struct span span_of(const struct trace *trace, enum triton_time start, enum triton_time end)
{
	return (struct span){trace->time[start], trace->time[end]};
}

/* Returns the fault of a trace; WEIR_WARN_COUNT: no fault. */
static enum weir_warning_code check_handler(const struct trace *trace)
{
	int64_t before = 0;
	int computes = 0;

	if (!has(trace, TRITON_REQUEST_END))
		return WEIR_WARN_UNFINISHED;
	for (int time = TRITON_COMPUTE_START; time <= TRITON_COMPUTE_END; time++)
		computes += has(trace, time);
	if (!has(trace, TRITON_REQUEST_START) ||
	    (computes && computes <= TRITON_COMPUTE_END - TRITON_COMPUTE_START))
		return WEIR_WARN_NO_TIME;
	for (int time = TRITON_REQUEST_START; time <= TRITON_REQUEST_END; time++) {
		if (!has(trace, time))
			continue;
		if (trace->time[time] < before)
			return WEIR_WARN_NEGATIVE_DURATION;
		before = trace->time[time];
	}
	return WEIR_WARN_COUNT;
}

static enum weir_warning_code check_frontend(const struct trace *trace)
{
	if (!has(trace, TRITON_SEND_END))
		return WEIR_WARN_UNFINISHED;
	if (!has(trace, TRITON_ARRIVED) || !has(trace, TRITON_SEND_START) ||
	    (trace->flags & TRITON_HTTP && !has(trace, TRITON_RECEIVED)))
		return WEIR_WARN_NO_TIME;
	if (trace->time[TRITON_SEND_END] < trace->time[TRITON_SEND_START] ||
	    trace->time[TRITON_SEND_END] < trace->time[TRITON_ARRIVED] ||
	    (has(trace, TRITON_RECEIVED) &&
	     trace->time[TRITON_RECEIVED] < trace->time[TRITON_ARRIVED]))
		return WEIR_WARN_NEGATIVE_DURATION;
	return WEIR_WARN_COUNT;
}

static size_t count_steps(const struct builder *builder, uint32_t row)
{
	return builder->first[row + 1] - builder->first[row];
}

/* Returns the fault of a root. A cancelled request was received, and perhaps handed to the core,
 * but neither computed nor answered. Cached answers have no compute either. */
static enum weir_warning_code check_root(const struct builder *builder, uint32_t row)
{
	const struct trace *trace = &builder->rows[row];
	enum weir_warning_code fault = WEIR_WARN_COUNT;

	if (trace->flags & TRITON_FRONTEND)
		fault = check_frontend(trace);
	else if (!has(trace, TRITON_COMPUTE_START) && !count_steps(builder, row))
		fault = WEIR_WARN_UNFINISHED;
	return fault;
}

/* Adds a part, clipped to the request. */
static void add_part(struct builder *builder, enum stage stage, struct span span)
{
	const struct span *request = &builder->request;
	int *row = &builder->stage_row[stage];

	if (span.start_ns < request->start_ns)
		span.start_ns = request->start_ns;
	if (span.end_ns > request->end_ns)
		span.end_ns = request->end_ns;
	if (span.end_ns < span.start_ns)
		return;
	if (*row < 0)
		*row = weir_requests_stage(builder->requests, stage_names[stage],
		                           strlen(stage_names[stage]));
	weir_requests_add_part_at(builder->requests, (uint8_t)*row,
	                          span.start_ns - request->start_ns, span.end_ns - span.start_ns);
}

static void push(struct spans *spans, struct span span)
{
	spans->items =
		weir_grow(spans->items, &spans->capacity, spans->count + 1, sizeof *spans->items);
	spans->items[spans->count++] = span;
}

static int by_start(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* Adds the parts of the span outside of builder->cover. */
static void add_uncovered(struct builder *builder, enum stage stage, struct span span)
{
	const struct spans *cover = &builder->cover;
	int64_t at_ns = span.start_ns;

	if (cover->count)
		qsort(cover->items, cover->count, sizeof *cover->items, by_start);
	for (size_t i = 0; i < cover->count && at_ns < span.end_ns; i++) {
		const struct span *next = &cover->items[i];
		int64_t until_ns = next->start_ns < span.end_ns ? next->start_ns : span.end_ns;

		if (until_ns > at_ns)
			add_part(builder, stage, (struct span){at_ns, until_ns});
		if (next->end_ns > at_ns)
			at_ns = next->end_ns;
	}
	if (at_ns < span.end_ns)
		add_part(builder, stage, (struct span){at_ns, span.end_ns});
}

static void cover_steps(struct builder *builder, uint32_t row)
{
	builder->cover.count = 0;
	for (uint32_t i = builder->first[row]; i < builder->first[row + 1]; i++) {
		const struct trace *step = &builder->rows[builder->steps[i]];

		if (has(step, TRITON_REQUEST_START) && has(step, TRITON_REQUEST_END))
			push(&builder->cover,
			     span_of(step, TRITON_REQUEST_START, TRITON_REQUEST_END));
	}
}

static void add_compute(struct builder *builder, const struct trace *trace)
{
	if (has(trace, TRITON_QUEUE_START))
		add_part(builder, STAGE_QUEUE,
		         span_of(trace, TRITON_QUEUE_START, TRITON_COMPUTE_START));
	add_part(builder, STAGE_H2D, span_of(trace, TRITON_COMPUTE_START, TRITON_INPUT_END));
	add_uncovered(builder, STAGE_COMPUTE,
	              span_of(trace, TRITON_INPUT_END, TRITON_OUTPUT_START));
	add_part(builder, STAGE_D2H, span_of(trace, TRITON_OUTPUT_START, TRITON_COMPUTE_END));
}

/* Adds the parts of one trace from REQUEST_START to REQUEST_END. */
static void add_handler(struct builder *builder, uint32_t row)
{
	const struct trace *trace = &builder->rows[row];
	enum stage rest =
		count_steps(builder, row) ? STAGE_ENSEMBLE_SCHEDULER : STAGE_HANDLER_OVERHEAD;

	cover_steps(builder, row);
	if (has(trace, TRITON_COMPUTE_START)) {
		enum triton_time start =
			has(trace, TRITON_QUEUE_START) ? TRITON_QUEUE_START : TRITON_COMPUTE_START;

		rest = STAGE_HANDLER_OVERHEAD;
		add_compute(builder, trace);
		push(&builder->cover, span_of(trace, start, TRITON_COMPUTE_END));
	}
	add_uncovered(builder, rest, span_of(trace, TRITON_REQUEST_START, TRITON_REQUEST_END));
}

static void add_frontend(struct builder *builder, const struct trace *trace)
{
	struct span send = span_of(trace, TRITON_SEND_START, TRITON_SEND_END);
	struct span receive = span_of(trace, TRITON_ARRIVED, TRITON_RECEIVED);

	builder->cover.count = 0;
	push(&builder->cover, span_of(trace, TRITON_REQUEST_START, TRITON_REQUEST_END));
	push(&builder->cover, send);
	if (has(trace, TRITON_RECEIVED)) {
		add_part(builder, STAGE_PREPROCESS, receive);
		push(&builder->cover, receive);
	}
	add_uncovered(builder, STAGE_HTTP_OVERHEAD, builder->request);
	add_part(builder, STAGE_POSTPROCESS, send);
}

static void leave_out(struct builder *builder, uint32_t row, enum weir_warning_code fault)
{
	char detail[48];

	snprintf(detail, sizeof detail, "trace %" PRIu64, builder->rows[row].id);
	weir_input_warn(builder->input, fault, UINT64_MAX, detail);
}

/* Adds the parts of a request and of all its steps. Visits all of them; returns the first fault. */
static enum weir_warning_code add_traces(struct builder *builder, uint32_t root)
{
	enum weir_warning_code fault = check_root(builder, root);
	size_t open = 0;

	builder->open[open++] = root;
	while (open) {
		uint32_t row = builder->open[--open];
		enum weir_warning_code found = check_handler(&builder->rows[row]);

		builder->visited[row] = true;
		/* In reverse: the last one pushed is visited first. */
		for (uint32_t i = builder->first[row + 1]; i-- > builder->first[row];)
			builder->open[open++] = builder->steps[i];
		if (fault == WEIR_WARN_COUNT)
			fault = found;
		if (fault == WEIR_WARN_COUNT)
			add_handler(builder, row);
	}
	return fault;
}

static void add_request(struct builder *builder, uint32_t root)
{
	const struct trace *trace = &builder->rows[root];
	struct weir_request request = weir_request_unknown();
	enum weir_warning_code fault;

	builder->request = trace->flags & TRITON_FRONTEND
	                           ? span_of(trace, TRITON_ARRIVED, TRITON_SEND_END)
	                           : span_of(trace, TRITON_REQUEST_START, TRITON_REQUEST_END);
	fault = add_traces(builder, root);
	if (fault != WEIR_WARN_COUNT) {
		weir_requests_drop_parts(builder->requests);
		leave_out(builder, root, fault);
		return;
	}
	if (trace->flags & TRITON_FRONTEND)
		add_frontend(builder, trace);
	request.start_ns = builder->request.start_ns;
	request.end_ns = builder->request.end_ns;
	weir_requests_add(builder->requests, &request);
}

/* True if the parent has a time; without one, it is only known as a parent. */
static bool has_parent(const struct builder *builder, uint32_t row)
{
	uint32_t parent = builder->rows[row].parent;

	return parent != TRITON_NO_TRACE && builder->rows[parent].flags & TRITON_TIMED;
}

/* Groups steps by their parents with a counting sort. */
static void order_steps(struct builder *builder)
{
	const struct trace *rows = builder->rows;

	for (uint32_t i = 0; i < builder->count; i++)
		if (has_parent(builder, i))
			builder->first[rows[i].parent + 1]++;
	for (size_t i = 0; i < builder->count; i++)
		builder->first[i + 1] += builder->first[i];
	for (uint32_t i = 0; i < builder->count; i++)
		if (has_parent(builder, i))
			builder->steps[builder->first[rows[i].parent]++] = i;
	/* The loop above moved each `first` to its successor. */
	memmove(builder->first + 1, builder->first, builder->count * sizeof *builder->first);
	builder->first[0] = 0;
}

/* Counts traces in circles of parents, which belong to no request. */
static void count_circles(struct builder *builder)
{
	for (uint32_t i = 0; i < builder->count; i++)
		if (!builder->visited[i] && builder->rows[i].flags & TRITON_TIMED)
			leave_out(builder, i, WEIR_WARN_INCONSISTENT);
}

static void add_requests(struct builder *builder)
{
	order_steps(builder);
	for (uint32_t i = 0; i < builder->count; i++) {
		const struct trace *trace = &builder->rows[i];

		if (!(trace->flags & TRITON_TIMED) || has_parent(builder, i))
			continue;
		if (trace->parent != TRITON_NO_TRACE)
			leave_out(builder, i, WEIR_WARN_ORPHAN_SPAN);
		add_request(builder, i);
	}
	count_circles(builder);
}

/* Adds requests and their parts to input->requests, which must exist. Incomplete traces are dropped
 * and counted as warnings. */
static void add_all_requests(struct weir_input *input, const struct traces *traces)
{
	struct builder builder = {.input = input,
	                          .requests = input->requests,
	                          .rows = traces->rows,
	                          .count = traces->count};

	for (int i = 0; i < STAGES; i++)
		builder.stage_row[i] = -1;
	builder.first = weir_alloc((traces->count + 1) * sizeof *builder.first);
	builder.steps = weir_alloc((traces->count + 1) * sizeof *builder.steps);
	builder.open = weir_alloc((traces->count + 1) * sizeof *builder.open);
	builder.visited = weir_alloc((traces->count + 1) * sizeof *builder.visited);
	add_requests(&builder);
	weir_requests_finish(builder.requests);
	free(builder.first);
	free(builder.steps);
	free(builder.open);
	free(builder.visited);
	free(builder.cover.items);
}

/* ---- the file ---- */

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
		add_all_requests(reader->input, &reader->traces);
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

static const struct weir_mark marks[] = {
	{.first = "[",
         .keys = {{"id", "model_name", "timestamps", "activity", "model_version"},
                  .all = 1,
                  .any = 3}},
	{0},
};

const struct weir_reader weir_reader_triton = {
	.name = "triton",
	.title = "traces of Triton Inference Server (trace_mode triton); h2d and d2h hold all "
		 "handling of inputs and outputs",
	.gives = "requests",
	.marks = marks,
	.read = read_trace,
};
