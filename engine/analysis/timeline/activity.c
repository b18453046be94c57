/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/analysis/timeline/activity.h"
#include "engine/base/arena.h"

#define COMPUTE (1u << WEIR_WORK_COMPUTE)
#define COMM    (1u << WEIR_WORK_COMM)
#define COPY    (1u << WEIR_WORK_COPY)
#define MASKS   (1u << WEIR_WORK_COUNT)

/* Walks over time. Rows come in order of start, so that a class of work is active until the latest
 * end among its rows so far; the sweep stores one end per class. */
struct sweep {
	int64_t now_ns;
	int64_t until_ns[WEIR_WORK_COUNT];
	int64_t by_mask_ns[MASKS]; /* time inside the windows, by the set of active classes */
	struct weir_measure windows;
};

static unsigned mask_at(const struct sweep *sweep, int64_t at_ns)
{
	unsigned mask = 0;

	for (unsigned class = 0; class < WEIR_WORK_COUNT; class ++)
		if (sweep->until_ns[class] > at_ns)
			mask |= 1u << class;
	return mask;
}

/* Returns the first end of a class after now, at most the limit. */
static int64_t next_end(const struct sweep *sweep, int64_t limit_ns)
{
	int64_t next = limit_ns;

	for (unsigned class = 0; class < WEIR_WORK_COUNT; class ++)
		if (sweep->until_ns[class] > sweep->now_ns && sweep->until_ns[class] < next)
			next = sweep->until_ns[class];
	return next;
}

static void sweep_to(struct sweep *sweep, int64_t at_ns)
{
	while (sweep->now_ns < at_ns) {
		unsigned mask = mask_at(sweep, sweep->now_ns);
		int64_t next = next_end(sweep, at_ns), inside;

		inside = mask ? weir_measure_inside(&sweep->windows, sweep->now_ns, next) : 0;
		sweep->by_mask_ns[mask] = weir_add_ns(sweep->by_mask_ns[mask], inside);
		sweep->now_ns = next;
	}
}

static void sweep_rows(struct sweep *sweep, const struct weir_device_columns *device, size_t first,
                       size_t last, const uint8_t *work)
{
	for (size_t i = first; i < last; i++) {
		int64_t *until = &sweep->until_ns[work[i]];

		sweep_to(sweep, device->start_ns[i]);
		if (device->end_ns[i] > *until)
			*until = device->end_ns[i];
	}
	sweep_to(sweep, INT64_MAX);
}

/* Returns the time of all sets that contain a class of `any` and no class of `none`. */
static int64_t time_with(const struct sweep *sweep, unsigned any, unsigned none)
{
	int64_t total = 0;

	for (unsigned mask = 0; mask < MASKS; mask++)
		if ((mask & any) && !(mask & none))
			total = weir_add_ns(total, sweep->by_mask_ns[mask]);
	return total;
}

static void measure_unions(const struct sweep *sweep, struct weir_activity *out)
{
	out->window_ns = sweep->windows.before_ns[sweep->windows.set->count];
	out->active_ns = time_with(sweep, COMPUTE | COMM | COPY, 0);
	out->idle_ns = out->window_ns - out->active_ns;
	out->compute_ns = time_with(sweep, COMPUTE, 0);
	out->communication_ns = time_with(sweep, COMM, 0);
	out->copy_ns = time_with(sweep, COPY, 0);
	out->exposed_communication_ns = time_with(sweep, COMM, COMPUTE);
	out->exposed_copy_ns = time_with(sweep, COPY, COMPUTE | COMM);
}

/* Sums the figures that are counted row by row. */
static void measure_rows(const struct weir_trace *trace, size_t first, size_t last,
                         const struct weir_measure *windows, struct weir_activity *out)
{
	const struct weir_device_columns *device = &trace->device;
	double sms = first < last ? trace->devices[device->device[first]].sms : 0;
	uint32_t *previous = weir_alloc((trace->stream_count + 1) * sizeof(*previous));
	bool known = false;

	for (size_t i = first; i < last; i++) {
		int64_t inside =
			weir_measure_inside(windows, device->start_ns[i], device->end_ns[i]);
		uint32_t before = previous[device->stream[i]]; /* row + 1; 0: no row */

		previous[device->stream[i]] = (uint32_t)i + 1;
		if (inside == 0)
			continue;
		out->rows++;
		out->sum_ns = weir_add_ns(out->sum_ns, inside);
		if (before && device->start_ns[i] < device->end_ns[before - 1])
			out->stream_overlaps++;
		if (device->blocks[i] == 0 || sms == 0)
			continue;
		known = true;
		out->occupied_sm_ns += (double)inside * fmin(1.0, device->blocks[i] / sms);
	}
	if (!known)
		out->occupied_sm_ns = NAN;
	free(previous);
}

void weir_activity_measure(const struct weir_trace *trace, size_t first, size_t last,
                           const uint8_t *work, const struct weir_intervals *windows,
                           struct weir_activity *out)
{
	struct sweep sweep = {.now_ns = INT64_MIN};

	for (unsigned class = 0; class < WEIR_WORK_COUNT; class ++)
		sweep.until_ns[class] = INT64_MIN;
	weir_measure_init(&sweep.windows, windows);
	*out = (struct weir_activity){0};
	sweep_rows(&sweep, &trace->device, first, last, work);
	measure_unions(&sweep, out);
	measure_rows(trace, first, last, &sweep.windows, out);
	weir_measure_release(&sweep.windows);
}
