/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns traces into requests. Stages are defined as in Triton's qa/common/trace_summary.py: queue
 * includes the assembly of the batch, h2d and d2h all handling of inputs and outputs. That script
 * computes overheads as differences of sums; here they are the intervals that nothing else covers,
 * so that steps that overlap are not counted twice:
 *
 *	http_overhead       of the request: outside of receive, handler and send
 *	handler_overhead    of a trace: outside of its queue, its compute and its steps
 *	ensemble_scheduler  the same for a trace with steps that does not compute
 *	compute             of a trace that starts others (BLS): outside of those
 *
 * A request ends with its answer; the server's later work for it is cut off.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/requests/triton.h"

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
	const struct triton_trace *rows;
	size_t count;
	uint32_t *first;    /* per row: its first step in `steps`; has one more element than rows */
	uint32_t *steps;    /* rows, grouped by parent */
	uint32_t *open;     /* rows of the current request still to visit */
	bool *visited;      /* per row: it belongs to a request */
	struct spans cover; /* scratch */
	struct span request;
	int stage_row[STAGES]; /* in requests; -1: not used yet */
};

static bool has(const struct triton_trace *trace, int time)
{
	return trace->time[time] != TRITON_NO_TIME;
}

static struct span span_of(const struct triton_trace *trace, enum triton_time start,
                           enum triton_time end)
{
	return (struct span){trace->time[start], trace->time[end]};
}

/* Returns the fault of a trace; WEIR_WARN_COUNT: no fault. */
static enum weir_warning_code check_handler(const struct triton_trace *trace)
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

static enum weir_warning_code check_frontend(const struct triton_trace *trace)
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
	const struct triton_trace *trace = &builder->rows[row];
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
		const struct triton_trace *step = &builder->rows[builder->steps[i]];

		if (has(step, TRITON_REQUEST_START) && has(step, TRITON_REQUEST_END))
			push(&builder->cover,
			     span_of(step, TRITON_REQUEST_START, TRITON_REQUEST_END));
	}
}

static void add_compute(struct builder *builder, const struct triton_trace *trace)
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
	const struct triton_trace *trace = &builder->rows[row];
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

static void add_frontend(struct builder *builder, const struct triton_trace *trace)
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
	const struct triton_trace *trace = &builder->rows[root];
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
	const struct triton_trace *rows = builder->rows;

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
		const struct triton_trace *trace = &builder->rows[i];

		if (!(trace->flags & TRITON_TIMED) || has_parent(builder, i))
			continue;
		if (trace->parent != TRITON_NO_TRACE)
			leave_out(builder, i, WEIR_WARN_ORPHAN_SPAN);
		add_request(builder, i);
	}
	count_circles(builder);
}

void weir_triton_requests(struct weir_input *input, const struct triton_traces *traces)
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
