/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Device memory that was allocated and given back, as profilers record it by address, in any order:
 * made into the memory events of a trace, with what is allocated after each. What was allocated
 * before the recording began is not known: totals count from its beginning, and what gives such
 * memory back is left out.
 */
#ifndef WEIR_READERS_ALLOCATIONS_H
#define WEIR_READERS_ALLOCATIONS_H

#include "engine/readers/trace/builder.h"

/* 1 TiB: no device has more, and a billion of them still add up. */
#define WEIR_MAX_ALLOCATION (INT64_C(1) << 40)

struct weir_allocation {
	int64_t at_ns;
	int64_t process; /* addresses are those of one process */
	int64_t address;
	int64_t bytes;  /* of an allocation; of memory given back it is known from there */
	int32_t device; /* as device_id of the trace's memory events */
	bool gives_back;
};

/* {0} is empty; weir_allocations_release() frees it. */
struct weir_allocations {
	struct weir_allocation *items;
	size_t count, capacity;
};

void weir_allocations_add(struct weir_allocations *allocations,
                          const struct weir_allocation *allocation);
/* Behind the last: adds the memory events to the builder, in order of time. */
void weir_allocations_finish(struct weir_allocations *allocations, struct weir_builder *builder);
void weir_allocations_release(struct weir_allocations *allocations);

#endif
