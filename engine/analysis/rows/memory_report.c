/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/rows/rows.h"
#include "engine/base/arena.h"

#define PEAK_METRIC "memory_peak_bytes" /* set by the reader of memory timelines */

static int64_t late_ns(const struct weir_ledger *ledger)
{
	int64_t sum = 0;

	for (size_t i = 0; i < WEIR_LATE_COUNT; i++)
		if (i != WEIR_LATE_NO_WORK)
			sum = weir_add_ns(sum, ledger->late_ns[i]);
	return sum;
}

static void fill_devices(const struct weir_analysis *analysis, struct weir_memory_figures *memory,
                         struct weir_arena *arena)
{
	size_t count = 0;

	for (size_t r = 0; r < analysis->rank_count; r++)
		count += analysis->ranks[r].memory.device_count;
	memory->devices = weir_arena_alloc(arena, (count + 1) * sizeof *memory->devices);
	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_memory_usage *usage = &analysis->ranks[r].memory;

		for (size_t d = 0; d < usage->device_count; d++) {
			struct weir_memory_device *device =
				&memory->devices[memory->device_count++];

			*device = usage->devices[d];
			device->rank = analysis->ranks[r].rank;
			if (!(device->peak_allocated_bytes <= memory->largest.peak_allocated_bytes))
				memory->largest = *device;
		}
	}
}

static void fill_allocator(const struct weir_analysis *analysis, const struct weir_ledger *total,
                           struct weir_memory_figures *memory)
{
	struct weir_allocator_time sum = {0};

	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_allocator_time *one = &analysis->ranks[r].memory.allocator;

		sum.known = sum.known || one->known;
		sum.calls += one->calls;
		sum.slow_calls += one->slow_calls;
		sum.slow_ns = weir_add_ns(sum.slow_ns, one->slow_ns);
		sum.any_ns = weir_add_ns(sum.any_ns, one->any_ns);
		sum.window_ns = weir_add_ns(sum.window_ns, one->window_ns);
	}
	if (!sum.known)
		return;
	memory->allocator_calls = (double)sum.calls;
	memory->slow_allocations = (double)sum.slow_calls;
	memory->slow_allocation_ns = (double)sum.slow_ns;
	if (sum.window_ns > 0) {
		memory->allocator_share = (double)sum.any_ns / (double)sum.window_ns;
		memory->slow_share = (double)sum.slow_ns / (double)sum.window_ns;
	}
	if (late_ns(total) > 0)
		memory->allocator_of_late =
			(double)total->idle_ns[WEIR_IDLE_ALLOCATOR] / (double)late_ns(total);
}

/* Takes the peak from exported memory timelines, for profiles without a trace of memory events. */
static void fill_exported(const struct weir_profile *profile, struct weir_memory_figures *memory)
{
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_run *run = profile->inputs[i].run;
		const struct weir_series *peak =
			run ? weir_series_find(&run->metrics, PEAK_METRIC) : NULL;

		if (peak && peak->count > 0 &&
		    !(peak->value[0] <= memory->largest.peak_allocated_bytes))
			memory->largest.peak_allocated_bytes = peak->value[0];
	}
}

void weir_fill_memory(const struct weir_analysis *analysis, const struct weir_ledger *total,
                      struct weir_report *report)
{
	struct weir_memory_figures *memory = &report->memory;

	fill_devices(analysis, memory, report->arena);
	fill_allocator(analysis, total, memory);
	if (memory->device_count == 0)
		fill_exported(analysis->profile, memory);
	report->has_memory =
		!isnan(memory->largest.peak_allocated_bytes) || memory->allocator_calls > 0;
}

void weir_memory_features(const struct weir_report *report, double *values)
{
	const struct weir_memory_figures *memory = &report->memory;
	const struct weir_memory_device *largest = &memory->largest;

	values[WEIR_F_SLOW_ALLOCATIONS] = memory->slow_allocations;
	values[WEIR_F_ALLOCATOR_OF_HOST] = memory->allocator_of_late;
	values[WEIR_F_FRAGMENTATION] = largest->fragmentation;
	values[WEIR_F_MEMORY_USED] = largest->used_share;
	values[WEIR_F_GROWTH_PER_STEP] = largest->leak_bytes_per_step;
	if (report->iteration_count > 0 && largest->peak_allocated_bytes > 0)
		values[WEIR_F_GROWTH_OF_PEAK] = largest->leak_bytes_per_step *
		                                (double)report->iteration_count /
		                                largest->peak_allocated_bytes;
}
