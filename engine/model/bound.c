/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/model/bound.h"

WEIR_ENUM_TEXTS(weir_bound, [WEIR_BOUND_BATCHING] = "batching", [WEIR_BOUND_RUNTIME] = "runtime",
                [WEIR_BOUND_KERNEL] = "kernel", [WEIR_BOUND_MEMORY] = "memory",
                [WEIR_BOUND_COMMUNICATION] = "communication", [WEIR_BOUND_HARDWARE] = "hardware",
                [WEIR_BOUND_UNDETERMINED] = "undetermined")

WEIR_ENUM_TEXTS(
	weir_idle, [WEIR_IDLE_DISPATCH] = "dispatch", [WEIR_IDLE_PYTHON] = "python",
	[WEIR_IDLE_HOST_WORK] = "host_work", [WEIR_IDLE_INPUT] = "input",
	[WEIR_IDLE_HOST_SYNC] = "host_sync", [WEIR_IDLE_ALLOCATOR] = "allocator",
	[WEIR_IDLE_COMPILE_LOAD] = "compile_load", [WEIR_IDLE_GARBAGE] = "garbage_collection",
	[WEIR_IDLE_LIKELY_GARBAGE] = "likely_garbage_collection",
	[WEIR_IDLE_LOCK] = "interpreter_lock", [WEIR_IDLE_BATCH_WINDOW] = "batch_window",
	[WEIR_IDLE_HOST_IDLE] = "host_idle", [WEIR_IDLE_LAUNCH_LATENCY] = "launch_latency",
	[WEIR_IDLE_INTER_KERNEL] = "inter_kernel", [WEIR_IDLE_DEPENDENCY] = "dependency",
	[WEIR_IDLE_DEPENDENCY_COMM] = "dependency_comm", [WEIR_IDLE_PROFILER] = "profiler",
	[WEIR_IDLE_UNRECORDED] = "unrecorded", [WEIR_IDLE_UNLINKED] = "unlinked",
	[WEIR_IDLE_OTHER] = "other")
