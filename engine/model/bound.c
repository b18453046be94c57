/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>
#include <string.h>

#include "engine/model/bound.h"

static const char *const bound_names[WEIR_BOUND_COUNT] = {
	[WEIR_BOUND_BATCHING] = "batching",
	[WEIR_BOUND_RUNTIME] = "runtime",
	[WEIR_BOUND_KERNEL] = "kernel",
	[WEIR_BOUND_MEMORY] = "memory",
	[WEIR_BOUND_COMMUNICATION] = "communication",
	[WEIR_BOUND_HARDWARE] = "hardware",
	[WEIR_BOUND_UNDETERMINED] = "undetermined",
};

static const char *const idle_names[WEIR_IDLE_COUNT] = {
	[WEIR_IDLE_DISPATCH] = "dispatch",
	[WEIR_IDLE_PYTHON] = "python",
	[WEIR_IDLE_HOST_WORK] = "host_work",
	[WEIR_IDLE_INPUT] = "input",
	[WEIR_IDLE_HOST_SYNC] = "host_sync",
	[WEIR_IDLE_ALLOCATOR] = "allocator",
	[WEIR_IDLE_COMPILE_LOAD] = "compile_load",
	[WEIR_IDLE_HOST_IDLE] = "host_idle",
	[WEIR_IDLE_LAUNCH_LATENCY] = "launch_latency",
	[WEIR_IDLE_INTER_KERNEL] = "inter_kernel",
	[WEIR_IDLE_DEPENDENCY] = "dependency",
	[WEIR_IDLE_DEPENDENCY_COMM] = "dependency_comm",
	[WEIR_IDLE_PROFILER] = "profiler",
	[WEIR_IDLE_UNLINKED] = "unlinked",
	[WEIR_IDLE_OTHER] = "other",
};

const char *weir_bound_name(enum weir_bound bound)
{
	return (unsigned)bound < WEIR_BOUND_COUNT ? bound_names[bound] : "?";
}

bool weir_bound_parse(const char *name, enum weir_bound *out)
{
	for (unsigned i = 0; i < WEIR_BOUND_COUNT; i++) {
		if (strcmp(name, bound_names[i]) == 0) {
			*out = (enum weir_bound)i;
			return true;
		}
	}
	return false;
}

const char *weir_idle_name(enum weir_idle idle)
{
	return (unsigned)idle < WEIR_IDLE_COUNT ? idle_names[idle] : "?";
}
