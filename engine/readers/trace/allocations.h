/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns allocations and frees of device memory, which profilers record by address and in any order,
 * into the memory events of a trace with the total after each. Memory that was allocated before the
 * recording began is unknown: totals start at 0, and frees of such memory are left out.
 */
#ifndef WEIR_READERS_TRACE_ALLOCATIONS_H
#define WEIR_READERS_TRACE_ALLOCATIONS_H

#include "engine/readers/trace/builder.h"

/* Bytes of one allocation, 1 TiB; larger ones are left out. */
#define WEIR_MAX_ALLOCATION (INT64_C(1) << 40)
/* Bytes allocated on one device, 16 TiB; allocations beyond it are left out, so that no sum of
 * hostile sizes overflows. */
#define WEIR_MAX_ALLOCATED (INT64_C(1) << 44)

struct weir_allocation {
	int64_t at_ns;
	int64_t process; /* each process has its own addresses */
	int64_t address;
	int64_t bytes;  /* of an allocation; a free takes it from the allocation at its address */
	int32_t device; /* as device_id of struct weir_memory_event */
	bool is_free;
};

/* {0} is empty; weir_allocations_release() frees it. */
struct weir_allocations {
	struct weir_allocation *items;
	size_t count, capacity;
};

void weir_allocations_add(struct weir_allocations *allocations,
                          const struct weir_allocation *allocation);
/* Adds the memory events to the builder, in order of time. Call it once, after the last item. */
void weir_allocations_finish(struct weir_allocations *allocations, struct weir_builder *builder);
void weir_allocations_release(struct weir_allocations *allocations);

#endif
