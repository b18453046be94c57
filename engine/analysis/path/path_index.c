/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/frames.h"
#include "engine/analysis/path/path_index.h"
#include "engine/base/arena.h"
#include "engine/base/sort.h"

/* Clocks that differ by more do not belong to one run. */
#define MAX_BASE_NS (INT64_C(86400) * 1000000000)

struct weir_sync_key {
	int64_t stream; /* the waiting stream; 0 for waits of the host */
	uint64_t correlation;
	uint32_t sync; /* row of the trace's syncs */
};

struct ended {
	int64_t end_ns;
	uint32_t row;
};

static int by_end(const void *left, const void *right)
{
	const struct ended *a = left, *b = right;

	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static void index_rows(struct weir_path_index *index)
{
	const struct weir_trace *trace = index->rank->trace;
	const struct weir_device_columns *device = &trace->device;
	uint32_t *last = weir_alloc((trace->stream_count + 1) * sizeof *last);
	struct ended *ended = weir_alloc((device->count + 1) * sizeof *ended);

	index->before = weir_alloc((device->count + 1) * sizeof *index->before);
	index->by_end = weir_alloc((device->count + 1) * sizeof *index->by_end);
	memset(last, 0xff, (trace->stream_count + 1) * sizeof *last); /* WEIR_NONE */
	for (uint32_t i = 0; i < device->count; i++) {
		index->before[i] = last[device->stream[i]];
		last[device->stream[i]] = i;
		ended[i] = (struct ended){device->end_ns[i], i};
	}
	weir_sort(ended, device->count, sizeof *ended, by_end);
	for (uint32_t i = 0; i < device->count; i++)
		index->by_end[i] = ended[i].row;
	free(ended);
	free(last);
}

/* Marks input rows; a parent precedes its children. */
static void mark_input(struct weir_path_index *index)
{
	const struct weir_timeline *timeline = &index->rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	uint8_t *of_name = weir_frame_class_of_names(timeline->trace->names);

	index->input = weir_alloc(host->count + 1);
	for (size_t i = 0; i < host->count; i++) {
		uint32_t parent = timeline->parent[i];

		if (host->kind[i] == WEIR_HOST_API || of_name[host->name[i]] == WEIR_FRAME_PLAIN)
			index->input[i] = parent != WEIR_NONE && index->input[parent];
		else
			index->input[i] = of_name[host->name[i]] == WEIR_FRAME_INPUT;
	}
	free(of_name);
}

static int by_key(const void *left, const void *right)
{
	const struct weir_sync_key *a = left, *b = right;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->correlation != b->correlation)
		return a->correlation < b->correlation ? -1 : 1;
	return (a->sync > b->sync) - (a->sync < b->sync);
}

/* True for CUPTI's record of a stream that waits. */
static bool is_stream_wait(const struct weir_trace *trace, const struct weir_sync_event *sync)
{
	return strcmp(weir_names_text(trace->names, sync->kind_name), "Stream Wait Event") == 0;
}

static void index_syncs(struct weir_path_index *index)
{
	const struct weir_trace *trace = index->rank->trace;
	size_t room = (trace->sync_count + 1) * sizeof *index->host_waits;

	index->host_waits = weir_alloc(room);
	index->stream_waits = weir_alloc(room);
	for (uint32_t i = 0; i < trace->sync_count; i++) {
		const struct weir_sync_event *sync = &trace->syncs[i];

		if (sync->correlation == 0)
			continue;
		if (is_stream_wait(trace, sync))
			index->stream_waits[index->stream_wait_count++] =
				(struct weir_sync_key){sync->stream, sync->correlation, i};
		else
			index->host_waits[index->host_wait_count++] =
				(struct weir_sync_key){0, sync->correlation, i};
	}
	qsort(index->host_waits, index->host_wait_count, sizeof *index->host_waits, by_key);
	qsort(index->stream_waits, index->stream_wait_count, sizeof *index->stream_waits, by_key);
}

/* Returns true if the rank itself has the activity of a thread. */
static bool has_leaves(const struct weir_rank *rank, uint32_t thread)
{
	return rank->leaves && rank->leaves[thread].count > 0;
}

/* Finds the activity of the threads to which a walk leads: those that launch work, and the main
 * thread. */
static void find_leaves(struct weir_path_index *index)
{
	const struct weir_trace *trace = index->rank->trace;
	const struct weir_span_tracks *tracks = &index->rank->steps.tracks;
	uint8_t *wanted = weir_alloc(trace->thread_count + 1);

	for (size_t i = 0; i < trace->device.count; i++)
		if (trace->device.launch[i] != WEIR_NONE)
			wanted[trace->host.thread[trace->device.launch[i]]] = 1;
	if (tracks->count > 0)
		wanted[tracks->items[tracks->main].thread] = 1;
	for (uint32_t t = 0; t < trace->thread_count; t++)
		if (wanted[t] && !has_leaves(index->rank, t))
			weir_leaves_init(&index->leaves[t], &index->rank->timeline, t);
	free(wanted);
}

void weir_path_index_init(struct weir_path_index *index, const struct weir_rank *rank)
{
	const struct weir_trace *trace = rank->trace;

	*index = (struct weir_path_index){.rank = rank};
	index->leaves = weir_alloc((trace->thread_count + 1) * sizeof *index->leaves);
	index_rows(index);
	mark_input(index);
	index_syncs(index);
	find_leaves(index);
}

void weir_path_index_release(struct weir_path_index *index)
{
	for (size_t i = 0; index->rank && i < index->rank->trace->thread_count; i++) {
		weir_leaves_release(&index->leaves[i]);
		if (index->rank->leaves)
			weir_leaves_release(&index->rank->leaves[i]);
	}
	free(index->leaves);
	free(index->before);
	free(index->by_end);
	free(index->input);
	free(index->host_waits);
	free(index->stream_waits);
	*index = (struct weir_path_index){0};
}

const struct weir_leaves *weir_path_leaves(const struct weir_path_index *index, uint32_t thread)
{
	return has_leaves(index->rank, thread) ? &index->rank->leaves[thread]
	                                       : &index->leaves[thread];
}

size_t weir_path_ended(const struct weir_path_index *index, int64_t at_ns)
{
	const struct weir_device_columns *device = &index->rank->trace->device;
	size_t low = 0, high = device->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (device->end_ns[index->by_end[middle]] <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the number of keys before (stream, correlation). */
static size_t keys_before(const struct weir_sync_key *keys, size_t count, int64_t stream,
                          uint64_t correlation)
{
	const struct weir_sync_key wanted = {stream, correlation, 0};
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_key(&keys[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct weir_sync_event *weir_path_host_wait(const struct weir_path_index *index,
                                                  uint32_t host_row)
{
	const struct weir_trace *trace = index->rank->trace;
	uint64_t correlation = trace->host.correlation[host_row];
	size_t at = keys_before(index->host_waits, index->host_wait_count, 0, correlation);

	if (correlation == 0 || at == index->host_wait_count ||
	    index->host_waits[at].correlation != correlation)
		return NULL;
	return &trace->syncs[index->host_waits[at].sync];
}

const struct weir_sync_event *weir_path_stream_wait(const struct weir_path_index *index,
                                                    uint32_t device_row)
{
	const struct weir_trace *trace = index->rank->trace;
	const struct weir_device_columns *device = &trace->device;
	int64_t stream = trace->streams[device->stream[device_row]].id;
	uint32_t before = index->before[device_row];
	size_t at = keys_before(index->stream_waits, index->stream_wait_count, stream,
	                        device->correlation[device_row]);
	const struct weir_sync_key *last;

	if (at == 0 || device->correlation[device_row] == 0)
		return NULL;
	last = &index->stream_waits[at - 1];
	if (last->stream != stream ||
	    (before != WEIR_NONE && last->correlation < device->correlation[before]))
		return NULL;
	return &trace->syncs[last->sync];
}

bool weir_path_precedes(const struct weir_path_index *index, uint32_t device_row, int64_t stream,
                        uint64_t correlation)
{
	const struct weir_trace *trace = index->rank->trace;
	const struct weir_device_columns *device = &trace->device;

	if (stream >= 0 && trace->streams[device->stream[device_row]].id != stream)
		return false;
	return correlation == 0 || device->correlation[device_row] < correlation;
}

uint32_t weir_path_work_name(const struct weir_rank *rank, uint32_t row)
{
	uint32_t op = rank->timeline.op[row];

	return op == WEIR_NONE ? rank->trace->device.name[row] : rank->trace->host.name[op];
}

enum weir_path_kind weir_path_work_kind(const struct weir_rank *rank, uint32_t row)
{
	uint32_t call = rank->groups.row_call[row];
	const struct weir_assessment *assessment;
	enum weir_roofline roofline;

	switch ((enum weir_work_class)rank->timeline.work[row]) {
	case WEIR_WORK_COMM:
		return WEIR_PATH_COMMUNICATION;
	case WEIR_WORK_COPY:
		return WEIR_PATH_MEMCPY;
	case WEIR_WORK_COMPUTE:
	case WEIR_WORK_COUNT:
		break;
	}
	if (call == WEIR_NONE)
		return WEIR_PATH_COMPUTE;
	assessment = &rank->assessments[rank->groups.calls[call].group];
	roofline = assessment->roofline.roofline;
	if (roofline == WEIR_ROOFLINE_UNKNOWN || roofline == WEIR_ROOFLINE_IMPLAUSIBLE)
		return assessment->verdict.bound == WEIR_BOUND_MEMORY ? WEIR_PATH_MEMORY
		                                                      : WEIR_PATH_COMPUTE;
	return roofline == WEIR_ROOFLINE_MEMORY ? WEIR_PATH_MEMORY : WEIR_PATH_COMPUTE;
}

/* ---- clocks ---- */

int64_t weir_clock_shift(const struct weir_rank *ranks, size_t r)
{
	const struct weir_rank *rank = &ranks[r];
	int64_t first_ns = ranks[0].trace->base_ns, own_ns = rank->trace->base_ns;
	int64_t shift_ns = 0;

	if (first_ns > 0 && own_ns > 0)
		shift_ns = own_ns - first_ns;
	if (shift_ns > MAX_BASE_NS || shift_ns < -MAX_BASE_NS)
		shift_ns = 0;
	return rank->waits.aligned ? shift_ns + rank->waits.offset_ns : shift_ns;
}

int64_t weir_clock_shifted(int64_t at_ns, int64_t by_ns)
{
	int64_t shifted_ns;

	if (!__builtin_add_overflow(at_ns, by_ns, &shifted_ns))
		return shifted_ns;
	return at_ns < 0 ? INT64_MIN : INT64_MAX;
}
