/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the builder share; nobody else includes it. */
#ifndef WEIR_READERS_BUILDER_IMPL_H
#define WEIR_READERS_BUILDER_IMPL_H

#include "engine/base/rowmap.h"
#include "engine/readers/trace/builder.h"

struct thread_name {
	int64_t pid, tid;
	uint32_t name;
};

struct weir_builder {
	struct weir_input *input; /* borrowed */
	struct weir_trace *trace; /* of the input */
	struct weir_rowmap threads, streams, devices, shapes;
	uint32_t last_thread, last_stream, last_device; /* of the last event, WEIR_NONE at first */
	struct weir_flow_event *flows;                  /* of launches; dropped after the join */
	size_t flow_count, flow_capacity;
	struct thread_name *thread_names;
	size_t thread_name_count, thread_name_capacity;
	bool match_by_order;
	const char *limit; /* what there was too much of; NULL */
};

/* Rows for the ids of an event, made where they are new; WEIR_NONE once a limit is met.
 * builder_tables.c */
uint32_t weir_builder_thread(struct weir_builder *builder, int64_t pid, int64_t tid);
uint32_t weir_builder_device(struct weir_builder *builder, int64_t id);
uint32_t weir_builder_stream(struct weir_builder *builder, uint32_t device, int64_t id);
/* The same without making any: WEIR_NONE where the id was not met. */
uint32_t weir_builder_find_thread(const struct weir_builder *builder, int64_t pid, int64_t tid);
uint32_t weir_builder_find_device(const struct weir_builder *builder, int64_t id);
uint32_t weir_builder_find_stream(const struct weir_builder *builder, uint32_t device, int64_t id);
uint32_t weir_builder_shape(struct weir_builder *builder, const struct weir_host_event *event);
void weir_builder_name_threads(struct weir_builder *builder);
/* Devices with work first, by id; descriptions matched to the ids of events. */
void weir_builder_order_devices(struct weir_builder *builder);

/* Order of the rows of a timeline: by group, start ascending, end descending, arrival.
 * builder_order.c */
struct weir_builder_keys {
	const uint32_t *group;
	const int64_t *start_ns, *end_ns;
	size_t count, groups;
};

/* The permutation that sorts; NULL where the rows are in order already. The caller frees it. */
uint32_t *weir_builder_order(const struct weir_builder_keys *keys);
void weir_builder_sort_host(struct weir_builder *builder);
void weir_builder_sort_device(struct weir_builder *builder);

/* Before sorting, on arrival order. builder_join.c */
void weir_builder_drop_far_off(struct weir_builder *builder);
void weir_builder_join_launches(struct weir_builder *builder);
/* After sorting. */
void weir_builder_join_collectives(struct weir_builder *builder);

/* Integrity warnings. builder_check.c */
void weir_builder_check(struct weir_builder *builder);
void weir_builder_warn(struct weir_builder *builder, enum weir_warning_code code, uint64_t count,
                       const char *detail);

#endif
