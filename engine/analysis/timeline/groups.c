/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/groups.h"
#include "engine/base/arena.h"
#include "engine/base/rowmap.h"

struct grouping {
	struct weir_groups *groups;
	const struct weir_timeline *timeline;
	const struct weir_steps *steps;
	struct weir_rowmap map;
	uint32_t *call_of_op; /* per host row: call + 1; 0: no call yet */
	uint8_t *is_region;   /* per name id: 1 if operators of that name are regions */
};

/* Returns the operator that launched the device row; WEIR_NONE: none, or a region. */
static uint32_t op_of_row(const struct grouping *grouping, size_t row)
{
	uint32_t op = grouping->timeline->op[row];

	return op != WEIR_NONE && grouping->is_region[grouping->timeline->trace->host.name[op]]
	               ? WEIR_NONE
	               : op;
}

/* Finds the names of ranges that launch many kernels per call. */
static void find_regions(struct grouping *grouping)
{
	const struct weir_trace *trace = grouping->timeline->trace;
	size_t names = weir_names_count(trace->names);
	uint64_t *works = weir_alloc((names + 1) * sizeof *works);
	uint64_t *calls = weir_alloc((names + 1) * sizeof *calls);
	uint8_t *seen = weir_alloc(trace->host.count + 1);

	grouping->is_region = weir_alloc(names + 1);
	for (size_t i = 0; i < trace->device.count; i++) {
		uint32_t op = grouping->timeline->op[i];

		if (op == WEIR_NONE)
			continue;
		works[trace->host.name[op]]++;
		calls[trace->host.name[op]] += !seen[op];
		seen[op] = 1;
	}
	for (uint32_t n = 0; n < names; n++)
		grouping->is_region[n] = works[n] > WEIR_MAX_KERNELS_OF_OP * calls[n] &&
		                         !strstr(weir_names_text(trace->names, n), "::");
	free(works);
	free(calls);
	free(seen);
}

static bool same_group(const struct weir_group *a, const struct weir_group *b)
{
	return a->stage == b->stage && a->op_name == b->op_name && a->shape == b->shape &&
	       a->device == b->device &&
	       (a->op_name != 0 || (a->kernel == b->kernel && a->work == b->work));
}

static uint32_t group_hash(const struct weir_group *group)
{
	uint64_t what = group->op_name != 0 ? group->op_name : (UINT64_C(1) << 32) + group->kernel;

	return weir_rowmap_hash((what * 31 + group->shape) * 1009 + group->stage * UINT64_C(17) +
	                        group->device);
}

static uint32_t find(const struct grouping *grouping, const struct weir_group *wanted)
{
	uint32_t hash = group_hash(wanted), row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(&grouping->map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (same_group(&grouping->groups->items[row], wanted))
			break;
	return row;
}

static uint32_t find_or_add(struct grouping *grouping, struct weir_group *wanted)
{
	struct weir_groups *groups = grouping->groups;
	uint32_t row;

	if (groups->count >= WEIR_MAX_SHAPED_GROUPS)
		wanted->shape = WEIR_NONE;
	row = find(grouping, wanted);
	if (row == WEIR_ROWMAP_NONE && groups->count >= WEIR_MAX_GROUPS) {
		*wanted = (struct weir_group){.stage = WEIR_NONE,
		                              .op_row = WEIR_NONE,
		                              .shape = WEIR_NONE,
		                              .device = wanted->device,
		                              .work = wanted->work};
		row = find(grouping, wanted);
	}
	if (row != WEIR_ROWMAP_NONE)
		return row;
	groups->items = weir_grow(groups->items, &groups->capacity, groups->count + 1,
	                          sizeof *groups->items);
	groups->items[groups->count] = *wanted;
	weir_rowmap_add(&grouping->map, group_hash(wanted), (uint32_t)groups->count);
	return (uint32_t)groups->count++;
}

static struct weir_group describe(const struct grouping *grouping, size_t row)
{
	const struct weir_trace *trace = grouping->timeline->trace;
	uint32_t op = op_of_row(grouping, row), span = grouping->steps->row_span[row];

	return (struct weir_group){
		.stage = span == WEIR_NONE ? WEIR_NONE : grouping->steps->spans[span].stage,
		.op_name = op == WEIR_NONE ? 0 : trace->host.name[op],
		.op_row = op,
		.shape = op == WEIR_NONE ? 0 : trace->host.shape[op],
		.kernel = trace->device.name[row],
		.device = trace->device.device[row],
		.work = grouping->timeline->work[row],
	};
}

static uint32_t start_call(struct grouping *grouping, size_t row)
{
	struct weir_groups *groups = grouping->groups;
	struct weir_group wanted = describe(grouping, row);
	uint32_t group = find_or_add(grouping, &wanted);

	groups->items[group].calls++;
	groups->calls = weir_grow(groups->calls, &groups->call_capacity, groups->call_count + 1,
	                          sizeof *groups->calls);
	groups->calls[groups->call_count] = (struct weir_group_call){
		.group = group,
		.span = grouping->steps->row_span[row],
		.step = grouping->steps->row_step[row],
		.op_row = op_of_row(grouping, row),
	};
	return (uint32_t)groups->call_count++;
}

/* Returns the call that a device row belongs to: the run of its operator on this device, or a new
 * one. */
static uint32_t call_of_row(struct grouping *grouping, size_t row)
{
	const struct weir_device_columns *device = &grouping->timeline->trace->device;
	uint32_t op = op_of_row(grouping, row), call;

	if (op == WEIR_NONE)
		return start_call(grouping, row);
	call = grouping->call_of_op[op];
	if (call == 0 || grouping->groups->items[grouping->groups->calls[call - 1].group].device !=
	                         device->device[row]) {
		call = start_call(grouping, row) + 1;
		grouping->call_of_op[op] = call;
	}
	return call - 1;
}

static void add_row(struct grouping *grouping, size_t row)
{
	const struct weir_device_columns *device = &grouping->timeline->trace->device;
	int64_t duration_ns = weir_span_ns(device->start_ns[row], device->end_ns[row]);
	uint32_t call = call_of_row(grouping, row);
	struct weir_group *group = &grouping->groups->items[grouping->groups->calls[call].group];

	grouping->groups->row_call[row] = call;
	grouping->groups->calls[call].device_ns =
		weir_add_ns(grouping->groups->calls[call].device_ns, duration_ns);
	group->sum_ns = weir_add_ns(group->sum_ns, duration_ns);
	group->rows++;
	group->graph_rows += (device->flags[row] & WEIR_DEVICE_IN_GRAPH) != 0;
	if (grouping->timeline->work[row] < group->work)
		group->work = grouping->timeline->work[row];
	if (duration_ns > group->kernel_ns && (group->op_name != 0 || group->kernel != 0)) {
		group->kernel_ns = duration_ns;
		group->kernel = device->name[row];
		group->blocks = device->blocks[row];
		group->threads = device->threads_per_block[row];
	}
}

static void add_device(struct grouping *grouping, size_t d)
{
	const struct weir_intervals *windows = &grouping->steps->windows[d];
	const int64_t *start_ns = grouping->timeline->trace->device.start_ns;
	size_t w = 0;

	for (size_t i = grouping->timeline->first_row[d]; i < grouping->timeline->first_row[d + 1];
	     i++) {
		while (w < windows->count && windows->items[w].end_ns <= start_ns[i])
			w++;
		if (w < windows->count && windows->items[w].start_ns <= start_ns[i])
			add_row(grouping, i);
		else
			grouping->groups->row_call[i] = WEIR_NONE;
	}
}

static struct weir_group_kernel *kernel_of(struct weir_groups *groups, struct weir_rowmap *map,
                                           uint32_t group, uint32_t name)
{
	uint32_t hash = weir_rowmap_hash((uint64_t)group << 32 | name), row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (groups->kernels[row].group == group && groups->kernels[row].name == name)
			return &groups->kernels[row];
	if (groups->kernel_count >= WEIR_MAX_GROUP_KERNELS)
		return NULL;
	groups->kernels = weir_grow(groups->kernels, &groups->kernel_capacity,
	                            groups->kernel_count + 1, sizeof *groups->kernels);
	weir_rowmap_add(map, hash, (uint32_t)groups->kernel_count);
	groups->kernels[groups->kernel_count] = (struct weir_group_kernel){
		.group = group, .name = name, .blocks = UINT32_MAX, .threads = UINT32_MAX};
	return &groups->kernels[groups->kernel_count++];
}

static void add_time(uint64_t *rows, int64_t *ns, const struct weir_device_columns *device,
                     size_t row)
{
	++*rows;
	*ns = weir_add_ns(*ns, weir_span_ns(device->start_ns[row], device->end_ns[row]));
}

static void add_kernel_row(struct weir_group_kernel *kernel,
                           const struct weir_device_columns *device, size_t row)
{
	add_time(&kernel->rows, &kernel->ns, device, row);
	if (device->blocks[row] < kernel->blocks)
		kernel->blocks = device->blocks[row];
	if (device->threads_per_block[row] < kernel->threads)
		kernel->threads = device->threads_per_block[row];
}

/* Sums the time of the rows of each group by name. Most have the name of the longest row. */
static void sum_kernels(const struct weir_trace *trace, struct weir_groups *groups)
{
	const struct weir_device_columns *device = &trace->device;
	struct weir_rowmap map = {0};

	for (size_t i = 0; i < device->count; i++) {
		uint32_t call = groups->row_call[i], at;
		struct weir_group_kernel *kernel;
		struct weir_group *group;

		if (call == WEIR_NONE)
			continue;
		at = groups->calls[call].group;
		group = &groups->items[at];
		if (group->kernel == device->name[i]) {
			add_time(&group->same_rows, &group->same_ns, device, i);
			continue;
		}
		kernel = kernel_of(groups, &map, at, device->name[i]);
		if (kernel)
			add_kernel_row(kernel, device, i);
	}
	weir_rowmap_release(&map);
}

static int by_group(const void *left, const void *right)
{
	const struct weir_group_kernel *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static void index_kernels(struct weir_groups *groups)
{
	size_t at = 0;

	if (groups->kernel_count > 0)
		qsort(groups->kernels, groups->kernel_count, sizeof *groups->kernels, by_group);
	groups->first_kernel = weir_alloc((groups->count + 1) * sizeof *groups->first_kernel);
	for (size_t g = 0; g <= groups->count; g++) {
		while (at < groups->kernel_count && groups->kernels[at].group < g)
			at++;
		groups->first_kernel[g] = at;
	}
}

static void index_calls(struct weir_groups *groups)
{
	uint64_t at = 0;

	groups->calls_by_group = weir_alloc(groups->call_count * sizeof *groups->calls_by_group);
	groups->first_call = weir_alloc((groups->count + 1) * sizeof *groups->first_call);
	for (size_t g = 0; g < groups->count; g++) {
		groups->first_call[g] = at;
		at += groups->items[g].calls;
	}
	for (size_t c = 0; c < groups->call_count; c++)
		groups->calls_by_group[groups->first_call[groups->calls[c].group]++] = (uint32_t)c;
	for (size_t g = 0; g < groups->count; g++)
		groups->first_call[g] -= groups->items[g].calls;
}

static void add_owned(struct weir_group *group, const struct weir_segment *segment)
{
	group->owned_ns = weir_add_ns(group->owned_ns, weir_segment_ns(segment));
}

void weir_groups_init(struct weir_groups *groups, const struct weir_timeline *timeline,
                      const struct weir_steps *steps)
{
	struct grouping grouping = {.groups = groups, .timeline = timeline, .steps = steps};

	*groups = (struct weir_groups){0};
	groups->row_call = weir_alloc(timeline->trace->device.count * sizeof *groups->row_call);
	grouping.call_of_op = weir_alloc(timeline->trace->host.count * sizeof *grouping.call_of_op);
	find_regions(&grouping);
	for (size_t d = 0; d < timeline->trace->device_count; d++)
		add_device(&grouping, d);
	sum_kernels(timeline->trace, groups);
	index_kernels(groups);
	index_calls(groups);
	weir_rowmap_release(&grouping.map);
	free(grouping.call_of_op);
	free(grouping.is_region);
}

void weir_groups_own(struct weir_groups *groups, const struct weir_segments *segments)
{
	for (size_t i = 0; i < segments->count; i++) {
		const struct weir_segment *segment = &segments->items[i];
		uint32_t call = segment->busy ? groups->row_call[segment->row] : WEIR_NONE;

		if (call != WEIR_NONE)
			add_owned(&groups->items[groups->calls[call].group], segment);
	}
}

void weir_groups_release(struct weir_groups *groups)
{
	free(groups->items);
	free(groups->calls);
	free(groups->row_call);
	free(groups->calls_by_group);
	free(groups->first_call);
	free(groups->kernels);
	free(groups->first_kernel);
	*groups = (struct weir_groups){0};
}

const char *weir_group_name(const struct weir_group *group, const struct weir_names *names)
{
	const char *name =
		weir_names_text(names, group->op_name != 0 ? group->op_name : group->kernel);

	return name[0] ? name : WEIR_OTHER_WORK;
}
