/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the five files of the builder: builder.c collects rows, builder_append.c adds those of
 * another builder, builder_launches.c joins launches with their work, builder_sort.c orders the
 * rows, builder_finish.c runs these steps and checks the result. Readers of formats see builder.h
 * only. */
#ifndef WEIR_READERS_TRACE_BUILDER_IMPL_H
#define WEIR_READERS_TRACE_BUILDER_IMPL_H

#include "engine/base/rowmap.h"
#include "engine/readers/trace/builder.h"
#include "engine/readers/trace/flow_list.h"

struct thread_name {
	int64_t pid, tid;
	uint32_t name;
};

struct weir_builder {
	struct weir_input *input; /* borrowed */
	struct weir_trace *trace; /* of the input */
	struct weir_rowmap threads, streams, devices, shapes;
	/* Rows of the last event; WEIR_NONE at first. */
	uint32_t last_thread, last_stream, last_device;
	struct weir_flows flows; /* of launches; only used by the join */
	struct thread_name *thread_names;
	size_t thread_name_count, thread_name_capacity;
	bool match_by_order; /* see weir_builder_match_devices_by_order() */
	const char *limit;   /* kind of rows that exceeded its limit; NULL */
};

/* builder.c */

/* JSON texts of the arguments of an operator; empty: not recorded. */
struct shape_texts {
	struct weir_slice dims, types, scalars, strides;
};

/* Return the row of a thread, a device, a stream or the shapes of an operator, which is new if
 * needed; WEIR_NONE if there are too many. The shapes of an operator without any are row 0. */
uint32_t weir_builder_thread_row(struct weir_builder *builder, int64_t pid, int64_t tid);
uint32_t weir_builder_device_row(struct weir_builder *builder, int64_t id);
uint32_t weir_builder_stream_row(struct weir_builder *builder, uint32_t device, int64_t id);
uint32_t weir_builder_shape_row(struct weir_builder *builder, const struct shape_texts *texts);
/* Return the row of an id that an event carries; WEIR_NONE if the trace has no such row. */
uint32_t weir_builder_find_thread(const struct weir_builder *builder, int64_t pid, int64_t tid);
uint32_t weir_builder_find_device(const struct weir_builder *builder, int64_t id);
uint32_t weir_builder_find_stream(const struct weir_builder *builder, uint32_t device, int64_t id);
/* Gives threads the names that were noted for them. */
void weir_builder_name_threads(struct weir_builder *builder);
/* Counts `count` warnings; detail may be NULL. */
void weir_builder_warn(struct weir_builder *builder, enum weir_warning_code code, uint64_t count,
                       const char *detail);

/* builder_launches.c */

/* Indexes host calls by correlation id. If several have one id, the first that arrived counts, and
 * the others give a warning. The caller releases the map. */
void weir_builder_index_launches(struct weir_builder *builder, struct weir_rowmap *map);
/* Sets the launch of each device row, before the rows are sorted. */
void weir_builder_join_launches(struct weir_builder *builder, const struct weir_rowmap *launches);

/* builder_sort.c */

/* Removes records that the profiler never finished, which have the time stamp 0. */
void weir_builder_drop_far_off(struct weir_builder *builder);
/* Puts devices with work first, by id, and matches descriptions to them. */
void weir_builder_order_devices(struct weir_builder *builder);

/* The old row that becomes each row of a table; NULL: its rows are in order. */
struct weir_row_orders {
	uint32_t *host, *device;
};

uint32_t *weir_builder_host_order(const struct weir_builder *builder);
/* The devices are in order. */
uint32_t *weir_builder_device_order(const struct weir_builder *builder);
/* Puts the rows in the order that engine/model/trace.h states. Frees the orders. */
void weir_builder_sort(struct weir_builder *builder, const struct weir_row_orders *orders);

#endif
