/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces by id: the timestamps of one, wherever in the file they are. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/requests/triton.h"

/*
 * Of a name that comes several times (a model that answers one request in several parts sends
 * several times) the first start and the last end count. WAITREAD_START says when the server began
 * to wait for any request at all, so it is no time of this one.
 */
static const struct {
	const char *name;
	int time; /* enum triton_time; TRITON_TIMES: none */
	bool last;
	bool repeats;
	uint32_t flags;
} stamps[] = {
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

int weir_triton_stamp_name(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof stamps / sizeof *stamps; i++)
		if (strlen(stamps[i].name) == len && !memcmp(stamps[i].name, text, len))
			return (int)i;
	return -1;
}

bool weir_triton_stamp(struct triton_trace *trace, const struct triton_stamp *stamp)
{
	int time = stamps[stamp->name].time;
	int64_t *at_ns;
	bool first;

	trace->flags |= stamps[stamp->name].flags | TRITON_TIMED;
	if (time == TRITON_TIMES)
		return true;
	at_ns = &trace->time[time];
	first = *at_ns == TRITON_NO_TIME;
	if (first || (stamps[stamp->name].last ? stamp->at_ns > *at_ns : stamp->at_ns < *at_ns))
		*at_ns = stamp->at_ns;
	return first || stamps[stamp->name].repeats;
}

void weir_triton_release(struct triton_traces *traces)
{
	free(traces->rows);
	weir_rowmap_release(&traces->map);
	*traces = (struct triton_traces){0};
}

static bool is_trace(const struct triton_trace *trace, uint64_t id, uint32_t array)
{
	return trace->id == id && trace->array == array;
}

static uint32_t add(struct triton_traces *traces, uint64_t id, uint32_t array)
{
	struct triton_trace *trace;

	if (traces->count == TRITON_MAX_TRACES)
		return TRITON_NO_TRACE;
	traces->rows =
		weir_grow(traces->rows, &traces->capacity, traces->count + 1, sizeof *traces->rows);
	trace = &traces->rows[traces->count];
	*trace = (struct triton_trace){.id = id, .parent = TRITON_NO_TRACE, .array = array};
	for (int i = 0; i < TRITON_TIMES; i++)
		trace->time[i] = TRITON_NO_TIME;
	return (uint32_t)traces->count++;
}

uint32_t weir_triton_find(struct triton_traces *traces, uint64_t id, uint32_t array)
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

/* A row's place while rows are sorted by id. */
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

/* Whether two rows can be halves of one trace: nothing is in both. */
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

/* Rows of one id in neighbouring arrays; target[row] becomes the row that has its times. */
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

void weir_triton_join_arrays(struct triton_traces *traces)
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
