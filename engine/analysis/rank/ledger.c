/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>
#include <string.h>

#include "engine/analysis/rank/ledger.h"

static const struct {
	const char *kind;
	enum weir_late late;
} stage_kinds[] = {
	{"preprocess", WEIR_LATE_BEFORE},
	{"batch_assembly", WEIR_LATE_BEFORE},
	{"postprocess", WEIR_LATE_AFTER},
};

static enum weir_late by_stage(const char *stage_kind, enum weir_late otherwise)
{
	for (size_t i = 0; stage_kind && i < sizeof stage_kinds / sizeof *stage_kinds; i++)
		if (strcmp(stage_kind, stage_kinds[i].kind) == 0)
			return stage_kinds[i].late;
	return otherwise;
}

bool weir_late_by_stage(const char *stage_kind)
{
	return by_stage(stage_kind, WEIR_LATE_COUNT) != WEIR_LATE_COUNT;
}

enum weir_late weir_late_class(const struct weir_segment *segment, const char *stage_kind)
{
	enum weir_late glue =
		segment->flags & WEIR_SEGMENT_AFTER_SYNC ? WEIR_LATE_SYNC : WEIR_LATE_DISPATCH;

	switch ((enum weir_idle)segment->idle) {
	case WEIR_IDLE_HOST_WORK:
	case WEIR_IDLE_INPUT:
		return by_stage(stage_kind, segment->flags & WEIR_SEGMENT_BEFORE ? WEIR_LATE_BEFORE
		                                                                 : WEIR_LATE_AFTER);
	case WEIR_IDLE_DISPATCH:
	case WEIR_IDLE_PYTHON:
		return by_stage(stage_kind, glue);
	case WEIR_IDLE_HOST_SYNC:
		return WEIR_LATE_SYNC;
	case WEIR_IDLE_ALLOCATOR:
		return WEIR_LATE_ALLOCATOR;
	case WEIR_IDLE_COMPILE_LOAD:
		return WEIR_LATE_LOAD;
	case WEIR_IDLE_GARBAGE:
	case WEIR_IDLE_LIKELY_GARBAGE:
		return WEIR_LATE_GARBAGE;
	case WEIR_IDLE_LOCK: /* a thread that waits for the lock does not wait for the device */
		return WEIR_LATE_DISPATCH;
	case WEIR_IDLE_BATCH_WINDOW:
	case WEIR_IDLE_HOST_IDLE:
		return WEIR_LATE_NO_WORK;
	case WEIR_IDLE_LAUNCH_LATENCY:
	case WEIR_IDLE_INTER_KERNEL:
	case WEIR_IDLE_DEPENDENCY:
	case WEIR_IDLE_DEPENDENCY_COMM:
	case WEIR_IDLE_PROFILER:
	case WEIR_IDLE_UNRECORDED:
	case WEIR_IDLE_UNLINKED:
	case WEIR_IDLE_OTHER:
	case WEIR_IDLE_COUNT:
		return glue;
	}
	return glue;
}

static void add_all(int64_t *to, const int64_t *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = weir_add_ns(to[i], from[i]);
}

void weir_ledger_add(struct weir_ledger *to, const struct weir_ledger *from)
{
	to->total_ns = weir_add_ns(to->total_ns, from->total_ns);
	to->busy_ns = weir_add_ns(to->busy_ns, from->busy_ns);
	add_all(to->work_ns, from->work_ns, WEIR_WORK_COUNT);
	add_all(to->copy_ns, from->copy_ns, WEIR_COPY_KINDS);
	add_all(to->idle_ns, from->idle_ns, WEIR_IDLE_COUNT);
	add_all(to->late_ns, from->late_ns, WEIR_LATE_COUNT);
	add_all(to->bound_ns, from->bound_ns, WEIR_BOUND_COUNT);
	to->unmodelled_ns = weir_add_ns(to->unmodelled_ns, from->unmodelled_ns);
	to->likely_compute_ns = weir_add_ns(to->likely_compute_ns, from->likely_compute_ns);
	to->roof_ns = weir_add_ns(to->roof_ns, from->roof_ns);
	to->bandwidth_ns = weir_add_ns(to->bandwidth_ns, from->bandwidth_ns);
	to->short_ns = weir_add_ns(to->short_ns, from->short_ns);
	to->slow_ns = weir_add_ns(to->slow_ns, from->slow_ns);
	to->vector_ns = weir_add_ns(to->vector_ns, from->vector_ns);
	to->named_vector_ns = weir_add_ns(to->named_vector_ns, from->named_vector_ns);
	to->matched_ns = weir_add_ns(to->matched_ns, from->matched_ns);
	add_all(to->wait_ns, from->wait_ns, WEIR_LATE_BY_COUNT);
	to->longest_ns = weir_add_ns(to->longest_ns, from->longest_ns);
	to->compiler_ns = weir_add_ns(to->compiler_ns, from->compiler_ns);
	to->kernels += from->kernels;
	to->works += from->works;
	to->steps += from->steps;
}

void weir_ledger_drop_no_work(struct weir_ledger *ledger, int64_t ns)
{
	ledger->total_ns -= ns;
	ledger->bound_ns[WEIR_BOUND_UNDETERMINED] -= ns;
	ledger->idle_ns[WEIR_IDLE_HOST_IDLE] -= ns;
	/* Stages of host work count idle time of the host as theirs, so that this sum may be
	 * smaller. */
	ledger->late_ns[WEIR_LATE_NO_WORK] -=
		ns < ledger->late_ns[WEIR_LATE_NO_WORK] ? ns : ledger->late_ns[WEIR_LATE_NO_WORK];
}
