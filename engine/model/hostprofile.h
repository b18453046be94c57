/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a profiler of the host saw: weights of call stacks, as nodes that know their caller, or of
 * functions alone where it kept no stacks. Evidence about who holds the launching thread, never
 * time of the device. Of a path the last part is kept.
 */
#ifndef WEIR_MODEL_HOSTPROFILE_H
#define WEIR_MODEL_HOSTPROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/names.h"
#include "engine/base/rowmap.h"
#include "engine/base/slice.h"

/* What weights count. */
enum weir_host_unit {
	WEIR_HOST_NS,
	WEIR_HOST_SAMPLES,
	WEIR_HOST_EVENTS, /* of the processor: cycles */
	WEIR_HOST_WEIGHT, /* the file does not say: shares are all that follows from it */
};

struct weir_host_frame {
	uint32_t function, file; /* name ids; file 0: not known */
};

struct weir_host_node {
	uint32_t parent, frame; /* the parent comes before its children */
	int64_t self;           /* of stacks that end here */
};

struct weir_host_function {
	uint32_t frame;
	int64_t self, total;
};

struct weir_host_profile {
	enum weir_host_unit unit;
	struct weir_names *names;
	struct weir_host_frame *frames;
	size_t frame_count, frame_capacity;
	/* [0] is the root, without a frame. Only the root: functions alone are known. */
	struct weir_host_node *nodes;
	size_t node_count, node_capacity;
	struct weir_host_function *functions; /* where there are no stacks */
	size_t function_count, function_capacity;
	int64_t total; /* of all stacks or functions */
	int64_t idle;  /* not in the total: the processor had nothing to do */
	struct weir_rowmap frame_map, node_map;
};

#define WEIR_MAX_HOST_FRAMES (1u << 22)
#define WEIR_MAX_HOST_NODES  (1u << 24)
#define WEIR_HOST_ROOT       0u

struct weir_host_profile *weir_host_profile_new(enum weir_host_unit unit);
void weir_host_profile_free(struct weir_host_profile *profile);

/* The frame of this function, added where it is new; of the file the last part counts. UINT32_MAX
 * where there are WEIR_MAX_HOST_FRAMES already. */
uint32_t weir_host_frame(struct weir_host_profile *profile, struct weir_slice function,
                         struct weir_slice file);
/* The node of this frame below the parent, added where it is new; UINT32_MAX where there are
 * WEIR_MAX_HOST_NODES already, or where the parent or the frame is UINT32_MAX. */
uint32_t weir_host_child(struct weir_host_profile *profile, uint32_t parent, uint32_t frame);
/* Stacks that end in this node weigh so much more; weights are at least 0 and sums stay below
 * INT64_MAX. */
void weir_host_weigh(struct weir_host_profile *profile, uint32_t node, int64_t weight);
void weir_host_add_function(struct weir_host_profile *profile,
                            const struct weir_host_function *function);

const char *weir_host_unit_name(enum weir_host_unit unit); /* "ns" */
bool weir_host_unit_parse(const char *name, enum weir_host_unit *out);

#endif
