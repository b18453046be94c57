/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/apis.h"
#include "engine/analysis/names/frames.h"
#include "engine/analysis/names/kernels.h"
#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/nesting.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"

static bool names_communication(const char *name)
{
	static const char *const prefixes[] = {
		"c10d::", "symm_mem::", "_c10d_functional::", "record_param_comms", NULL};
	static const char *const fragments[] = {"::all_reduce", "::all_gather", "::reduce_scatter",
	                                        "::all_to_all", NULL};

	for (const char *const *p = prefixes; *p; p++)
		if (strncmp(name, *p, strlen(*p)) == 0)
			return true;
	for (const char *const *p = fragments; *p; p++)
		if (strstr(name, *p))
			return true;
	return false;
}

/* Returns for each host row 1 if it or an operator around it communicates. Each name is tested
 * once. The caller frees it. */
static uint8_t *find_communication(const struct weir_timeline *timeline)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	uint8_t *within = weir_alloc(host->count);
	uint8_t *known =
		weir_alloc(weir_names_count(timeline->trace->names)); /* per name: answer + 1 */

	for (size_t i = 0; i < host->count; i++) {
		uint32_t parent = timeline->parent[i];
		uint8_t *name = &known[host->name[i]];

		within[i] = parent != WEIR_NONE && within[parent];
		if (within[i] || host->kind[i] != WEIR_HOST_OP)
			continue;
		if (*name == 0)
			*name = names_communication(
					weir_timeline_host_name(timeline, (uint32_t)i)) +
			        1;
		within[i] = *name == 2;
	}
	free(known);
	return within;
}

/* Marks communication that only the operator around its launch reveals: custom all-reduce kernels
 * have arbitrary names. communicates: per host row. */
static void mark_communication(struct weir_timeline *timeline, const uint8_t *communicates)
{
	for (size_t i = 0; i < timeline->trace->device.count; i++)
		if (timeline->work[i] == WEIR_WORK_COMPUTE && timeline->op[i] != WEIR_NONE &&
		    communicates[timeline->op[i]])
			timeline->work[i] = WEIR_WORK_COMM;
}

static enum weir_work_class work_of_kernel(const struct weir_timeline *timeline, size_t row)
{
	return weir_kernel_is_communication(weir_timeline_device_name(timeline, (uint32_t)row))
	               ? WEIR_WORK_COMM
	               : WEIR_WORK_COMPUTE;
}

struct external_op {
	uint64_t external;
	uint32_t row;
};

static int by_external(const void *left, const void *right)
{
	const struct external_op *a = left, *b = right;

	if (a->external != b->external)
		return a->external < b->external ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* True if the row names an operator that its launch did not lead to. */
static bool lacks_operator(const struct weir_timeline *timeline, size_t row)
{
	const struct weir_device_columns *device = &timeline->trace->device;

	return timeline->op[row] == WEIR_NONE && device->external[row] != 0 &&
	       !weir_timeline_is_replayed(timeline, row);
}

/* Finds the operators of device rows by external id, if the launch is not in the trace. */
static void link_by_external(struct weir_timeline *timeline)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	const struct weir_device_columns *device = &timeline->trace->device;
	struct external_op *ops = NULL;
	size_t count = 0, capacity = 0;
	bool wanted = false;

	for (size_t i = 0; i < device->count && !wanted; i++)
		wanted = lacks_operator(timeline, i);
	for (size_t i = 0; wanted && i < host->count; i++) {
		if (host->kind[i] != WEIR_HOST_OP || host->external[i] == 0)
			continue;
		ops = weir_grow(ops, &capacity, count + 1, sizeof *ops);
		ops[count++] = (struct external_op){host->external[i], (uint32_t)i};
	}
	if (count == 0)
		return;
	qsort(ops, count, sizeof *ops, by_external);
	for (size_t i = 0; i < device->count; i++) {
		struct external_op key = {device->external[i], 0};
		size_t low = 0, high = count;

		if (!lacks_operator(timeline, i))
			continue;
		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (by_external(&ops[middle], &key) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < count && ops[low].external == key.external)
			timeline->op[i] = ops[low].row;
	}
	free(ops);
}

static void link_device_rows(struct weir_timeline *timeline)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	size_t names = weir_names_count(timeline->trace->names);
	/* Per name: class + 1, since a name is classified once. */
	uint8_t *known = weir_alloc(names);

	for (size_t i = 0; i < device->count; i++) {
		uint32_t launch = device->launch[i];
		uint32_t name = device->name[i];

		/* The operator that launches a graph is not among those captured. */
		timeline->op[i] = launch == WEIR_NONE || weir_timeline_is_replayed(timeline, i)
		                          ? WEIR_NONE
		                          : timeline->inner_op[launch];
		if (device->kind[i] != WEIR_DEVICE_KERNEL) {
			timeline->work[i] = WEIR_WORK_COPY;
			continue;
		}
		if (known[name] == 0)
			known[name] = (uint8_t)(work_of_kernel(timeline, i) + 1);
		timeline->work[i] = (uint8_t)(known[name] - 1);
	}
	free(known);
	link_by_external(timeline);
}

/* ---- columns that need nothing from each other ---- */

struct columns {
	struct weir_timeline *timeline;
	uint8_t *communicates; /* per host row */
};

enum { LINK_DEVICE_ROWS, FIND_COMMUNICATION, TASKS };

static void fill_columns(void *context, size_t task)
{
	struct columns *columns = context;

	if (task == LINK_DEVICE_ROWS)
		link_device_rows(columns->timeline);
	else
		columns->communicates = find_communication(columns->timeline);
}

static void index_devices(struct weir_timeline *timeline)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	size_t devices = timeline->trace->device_count, at = 0;

	timeline->first_row = weir_alloc((devices + 1) * sizeof *timeline->first_row);
	for (size_t d = 0; d < devices; d++) {
		timeline->first_row[d] = (uint32_t)at;
		while (at < device->count && device->device[at] == d)
			at++;
	}
	timeline->first_row[devices] = (uint32_t)device->count;
}

void weir_timeline_init(struct weir_timeline *timeline, const struct weir_trace *trace)
{
	struct columns columns = {.timeline = timeline};

	*timeline = (struct weir_timeline){.trace = trace};
	timeline->parent = weir_realloc(NULL, trace->host.count * sizeof *timeline->parent);
	timeline->op = weir_realloc(NULL, trace->device.count * sizeof *timeline->op);
	timeline->work = weir_realloc(NULL, trace->device.count);
	timeline->inner_op = weir_realloc(NULL, trace->host.count * sizeof *timeline->inner_op);
	timeline->outer_op = weir_realloc(NULL, trace->host.count * sizeof *timeline->outer_op);
	weir_nest_rows(timeline, weir_nest_parts(trace->host.count));
	timeline->api_class = weir_api_class_of_names(trace->names);
	weir_pool_run(TASKS, weir_pool_width(TASKS), fill_columns, &columns);
	mark_communication(timeline, columns.communicates);
	free(columns.communicates);
	index_devices(timeline);
}

void weir_timeline_release(struct weir_timeline *timeline)
{
	free(timeline->parent);
	free(timeline->inner_op);
	free(timeline->outer_op);
	free(timeline->op);
	free(timeline->work);
	free(timeline->first_row);
	free(timeline->api_class);
	*timeline = (struct weir_timeline){0};
}

void weir_timeline_thread_rows(const struct weir_timeline *timeline, uint32_t thread, size_t *first,
                               size_t *end)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	size_t bound[2];

	for (int side = 0; side < 2; side++) {
		size_t low = 0, high = host->count;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (host->thread[middle] < thread + (uint32_t)side)
				low = middle + 1;
			else
				high = middle;
		}
		bound[side] = low;
	}
	*first = bound[0];
	*end = bound[1];
}

uint32_t weir_timeline_outermost_op(const struct weir_timeline *timeline, uint32_t row)
{
	return row == WEIR_NONE ? WEIR_NONE : timeline->outer_op[row];
}

const char *weir_timeline_host_name(const struct weir_timeline *timeline, uint32_t row)
{
	return weir_names_text(timeline->trace->names, timeline->trace->host.name[row]);
}

const char *weir_timeline_device_name(const struct weir_timeline *timeline, uint32_t row)
{
	return weir_names_text(timeline->trace->names, timeline->trace->device.name[row]);
}

uint32_t weir_timeline_caller(const struct weir_timeline *timeline, uint32_t row)
{
	const struct weir_host_columns *host = &timeline->trace->host;

	while (row != WEIR_NONE && host->kind[row] == WEIR_HOST_API &&
	       weir_api_is_system((enum weir_api_class)timeline->api_class[host->name[row]]))
		row = timeline->parent[row];
	return row;
}

const char *weir_timeline_frame(const struct weir_timeline *timeline, uint32_t row)
{
	const uint8_t *kind = timeline->trace->host.kind;

	for (; row != WEIR_NONE; row = timeline->parent[row]) {
		const char *name = weir_timeline_host_name(timeline, row);

		if ((kind[row] == WEIR_HOST_PYTHON || kind[row] == WEIR_HOST_ANNOTATION) &&
		    strncmp(name, "ProfilerStep#", 13) != 0)
			return weir_frame_without_folders(name);
	}
	return NULL;
}

bool weir_timeline_is_replayed(const struct weir_timeline *timeline, size_t device_row)
{
	const struct weir_trace *trace = timeline->trace;
	uint32_t launch = trace->device.launch[device_row];

	return (trace->device.flags[device_row] & WEIR_DEVICE_IN_GRAPH) ||
	       (launch != WEIR_NONE &&
	        timeline->api_class[trace->host.name[launch]] == WEIR_API_GRAPH_LAUNCH);
}
