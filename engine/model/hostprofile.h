/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Weights of call stacks, or of functions if the profiler of the host kept no stacks. They are
 * evidence about the launching thread, never device time.
 */
#ifndef WEIR_MODEL_HOSTPROFILE_H
#define WEIR_MODEL_HOSTPROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/enums.h"
#include "engine/base/names.h"
#include "engine/base/rowmap.h"
#include "engine/base/slice.h"

/* Unit of the weights. */
enum weir_host_unit {
	WEIR_HOST_NS,
	WEIR_HOST_SAMPLES,
	WEIR_HOST_EVENTS, /* processor events, such as cycles */
	WEIR_HOST_WEIGHT, /* not stated by the file: only shares can be computed */
};

struct weir_host_frame {
	uint32_t function, file; /* name ids; file: last part of its path; 0: not known */
	uint32_t path;           /* name id of the whole path, or of its last part */
	uint32_t line;           /* line of the definition; 0: not known, or any */
};

struct weir_host_node {
	uint32_t parent, frame; /* index of the parent, which comes before its children */
	int64_t self;           /* weight of the stacks that end here */
};

struct weir_host_function {
	uint32_t frame;
	int64_t self, total;
	int64_t calls; /* recursive ones included; 0: not known */
};

#define WEIR_MAX_HOST_EVENT 64 /* bytes of an event's name, with the 0 */

struct weir_host_profile {
	enum weir_host_unit unit;
	char event[WEIR_MAX_HOST_EVENT]; /* counted instead of time; empty: the weights are time */
	bool cycles;                     /* the events are cycles of the processor */
	bool occurrences;                /* the events are occurrences of a tracepoint or probe */
	uint64_t samples;                /* with a weight; 0: not known */
	int64_t largest;                 /* weight of the heaviest sample; 0: not known */
	uint32_t largest_frame;          /* in which that sample ends */
	int64_t calls;                   /* of all functions; 0: not known */
	struct weir_names *names;
	struct weir_host_frame *frames;
	size_t frame_count, frame_capacity;
	/* [0] is the root, which has no frame. A profile of functions has the root only. */
	struct weir_host_node *nodes;
	size_t node_count, node_capacity;
	struct weir_host_function *functions; /* if there are no stacks */
	size_t function_count, function_capacity;
	int64_t total;    /* sum over all stacks or functions */
	int64_t idle;     /* weight of an idle processor, not part of the total */
	uint64_t threads; /* with any weight; 0: not known */
	struct weir_rowmap frame_map, node_map;
};

#define WEIR_MAX_HOST_FRAMES (1u << 22)
#define WEIR_MAX_HOST_NODES  (1u << 24)
#define WEIR_HOST_ROOT       0u

struct weir_host_profile *weir_host_profile_new(enum weir_host_unit unit);
void weir_host_profile_free(struct weir_host_profile *profile);

/* Finds or adds the frame of a function; only the last part of the file's path counts. Returns
 * UINT32_MAX beyond WEIR_MAX_HOST_FRAMES. */
uint32_t weir_host_frame(struct weir_host_profile *profile, struct weir_slice function,
                         struct weir_slice path);
/* The same for profilers that state the whole path, and the line of the definition or 0: functions
 * of one name are one frame if their paths and lines are equal. */
uint32_t weir_host_frame_at(struct weir_host_profile *profile, struct weir_slice function,
                            struct weir_slice path, uint32_t line);
/* Finds or adds the child of a node for a frame. Returns UINT32_MAX beyond WEIR_MAX_HOST_NODES, and
 * if the parent or the frame is UINT32_MAX. */
uint32_t weir_host_child(struct weir_host_profile *profile, uint32_t parent, uint32_t frame);
/* Adds a weight of at least 0 to the stacks that end in a node. Sums stop at INT64_MAX. */
void weir_host_weigh(struct weir_host_profile *profile, uint32_t node, int64_t weight);
void weir_host_add_function(struct weir_host_profile *profile,
                            const struct weir_host_function *function);

WEIR_ENUM_DECLARE(weir_host_unit); /* "ns" */

#endif
