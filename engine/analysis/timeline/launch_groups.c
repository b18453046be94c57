/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/kernels.h"
#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/launch_groups.h"
#include "engine/analysis/timeline/launches.h"
#include "engine/base/arena.h"
#include "engine/base/rowmap.h"
#include "engine/stats/quantile.h"

#define WORK_SET  (WEIR_FAMILY_COUNT + 1)
#define WORK_COPY WEIR_FAMILY_COUNT

/* Samples for one API call and one class of work. */
struct group {
	uint32_t api, work; /* id of a name; a kernel family, WORK_COPY or WORK_SET */
	size_t count, capacity[3];
	double *values[3]; /* call, delay, queue */
	uint64_t early;
};

struct groups {
	struct group *items;
	size_t count, capacity;
	struct weir_rowmap map;
};

static uint32_t work_of(const struct weir_timeline *timeline, size_t row)
{
	switch ((enum weir_device_kind)timeline->trace->device.kind[row]) {
	case WEIR_DEVICE_COPY:
		return WORK_COPY;
	case WEIR_DEVICE_SET:
		return WORK_SET;
	case WEIR_DEVICE_KERNEL:
		break;
	}
	return timeline->work[row] == WEIR_WORK_COMM
	               ? WEIR_FAMILY_COMMUNICATION
	               : weir_kernel_family(weir_timeline_device_name(timeline, (uint32_t)row));
}

static const char *work_name(uint32_t work)
{
	if (work == WORK_COPY)
		return "memcpy";
	return work == WORK_SET ? "memset" : weir_family_name((enum weir_family)work);
}

static struct group *group_of(struct groups *groups, uint32_t api, uint32_t work)
{
	uint32_t hash = weir_rowmap_hash((uint64_t)api << 8 | work), row;
	size_t probe = 0;

	while (groups->items &&
	       (row = weir_rowmap_next(&groups->map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (groups->items[row].api == api && groups->items[row].work == work)
			return &groups->items[row];
	groups->items = weir_grow(groups->items, &groups->capacity, groups->count + 1,
	                          sizeof *groups->items);
	weir_rowmap_add(&groups->map, hash, (uint32_t)groups->count);
	groups->items[groups->count] = (struct group){.api = api, .work = work};
	return &groups->items[groups->count++];
}

static void add_delay(struct group *group, const struct weir_launch_delay *delay)
{
	const int64_t ns[3] = {delay->call_ns, delay->raw_ns, delay->queue_ns};

	for (size_t v = 0; v < 3; v++) {
		group->values[v] = weir_grow(group->values[v], &group->capacity[v],
		                             group->count + 1, sizeof *group->values[v]);
		group->values[v][group->count] = (double)ns[v];
	}
	group->count++;
	group->early += delay->raw_ns < 0;
}

/* Groups the launches in the windows by call and class of work. known: by name id, the class of a
 * kernel + 1; 0: not classified yet. */
static void collect(struct groups *groups, const struct weir_timeline *timeline,
                    const struct weir_intervals *windows)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	int64_t *stream_end = weir_stream_ends(timeline->trace);
	uint8_t *known = weir_alloc(weir_names_count(timeline->trace->names) + 1);

	for (size_t i = 0; i < device->count; i++) {
		bool is_kernel = device->kind[i] == WEIR_DEVICE_KERNEL &&
		                 timeline->work[i] != WEIR_WORK_COMM;
		uint8_t *seen = &known[device->name[i]];
		struct weir_launch_delay delay;
		uint32_t work;

		if (!weir_intervals_contains(windows, device->start_ns[i]) ||
		    !weir_launch_delay_of(timeline, i, stream_end[i], &delay))
			continue;
		work = is_kernel && *seen ? *seen - 1u : work_of(timeline, i);
		if (is_kernel)
			*seen = (uint8_t)(work + 1);
		add_delay(group_of(groups, timeline->trace->host.name[device->launch[i]], work),
		          &delay);
	}
	free(known);
	free(stream_end);
}

static struct weir_delay_figures summarize(const double *values, size_t count)
{
	static const double probs[] = {0.50, 0.90, 0.99, 1.00};
	double at[4];

	weir_quantiles(values, count, probs, 4, at);
	return (struct weir_delay_figures){at[0], at[1], at[2], at[3]};
}

static int by_count(const void *left, const void *right)
{
	const struct weir_launch_row *a = left, *b = right;
	int order;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	order = strcmp(a->api, b->api);
	return order ? order : strcmp(a->work, b->work);
}

struct weir_launch_row *weir_launch_rows(const struct weir_timeline *timeline,
                                         const struct weir_intervals *windows, size_t *count)
{
	struct groups groups = {0};
	struct weir_launch_row *rows;

	collect(&groups, timeline, windows);
	rows = weir_alloc((groups.count + 1) * sizeof *rows);
	for (size_t i = 0; i < groups.count; i++) {
		struct group *group = &groups.items[i];

		rows[i] = (struct weir_launch_row){
			.api = weir_names_text(timeline->trace->names, group->api),
			.work = work_name(group->work),
			.count = group->count,
			.early = group->early,
			.call = summarize(group->values[0], group->count),
			.delay = summarize(group->values[1], group->count),
			.queue = summarize(group->values[2], group->count),
		};
		for (size_t v = 0; v < 3; v++)
			free(group->values[v]);
	}
	qsort(rows, groups.count, sizeof *rows, by_count);
	*count = groups.count < WEIR_MAX_LAUNCH_ROWS ? groups.count : WEIR_MAX_LAUNCH_ROWS;
	free(groups.items);
	weir_rowmap_release(&groups.map);
	return rows;
}
