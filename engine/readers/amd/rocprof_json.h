/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the reader of rocprofv3's JSON: rocprof_json.c reads the document and its
 * records, rocprof_names.c what they refer to. */
#ifndef WEIR_READERS_AMD_ROCPROF_JSON_H
#define WEIR_READERS_AMD_ROCPROF_JSON_H

#include "engine/base/jsonscan.h"
#include "engine/base/rowmap.h"
#include "engine/readers/trace/builder.h"

#define ROCPROF_MAX_KINDS  256
#define ROCPROF_MAX_NAMES  (1u << 20) /* operations, kernels, markers; more stay without a name */
#define ROCPROF_MAX_AGENTS 4096

/* A name by a number: a kernel's, a marker's. */
struct rocprof_name {
	uint64_t id;
	uint32_t name;
};

struct rocprof_agent {
	uint64_t handle;
	int64_t device; /* its number among the GPUs; -1: a CPU */
};

/* What the records of one process refer to; released with weir_rocprof_names_reset(). */
struct rocprof_names {
	struct {
		size_t first, count; /* of operations */
	} kinds[ROCPROF_MAX_KINDS];
	uint32_t *operations;
	size_t operation_count, operation_capacity;
	struct rocprof_name *items; /* kernels and markers, told apart by the lowest bit of id */
	size_t count, capacity;
	struct weir_rowmap map;
	struct rocprof_agent *agents;
	size_t agent_count, agent_capacity;
	int64_t gpus; /* met so far, of all processes */
};

void weir_rocprof_names_reset(struct rocprof_names *names);
/* The members that hold names: "strings" and "agents". */
void weir_rocprof_take_strings(struct rocprof_names *names, struct weir_builder *builder,
                               const struct weir_jsonscan_item *item);
void weir_rocprof_take_agents(struct rocprof_names *names, struct weir_builder *builder,
                              const struct weir_jsonscan_item *item);
void weir_rocprof_add_kernel(struct rocprof_names *names, uint64_t id, uint32_t name);

/* Ids in the builder's names; 0: unknown. */
uint32_t weir_rocprof_kernel(const struct rocprof_names *names, uint64_t id);
uint32_t weir_rocprof_marker(const struct rocprof_names *names, uint64_t correlation);
uint32_t weir_rocprof_operation(const struct rocprof_names *names, int64_t kind, int64_t operation);
/* The number of a GPU; -1: no GPU, or unknown. */
int64_t weir_rocprof_device(const struct rocprof_names *names, int64_t handle);

#endif
