/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>
#include <stdlib.h>

#include "engine/analysis/rank/attribution.h"
#include "engine/base/arena.h"

enum weir_bound weir_idle_bound(enum weir_idle idle)
{
	switch (idle) {
	case WEIR_IDLE_DISPATCH:
	case WEIR_IDLE_PYTHON:
	case WEIR_IDLE_HOST_WORK:
	case WEIR_IDLE_INPUT:
	case WEIR_IDLE_HOST_SYNC:
	case WEIR_IDLE_COMPILE_LOAD:
	case WEIR_IDLE_GARBAGE:
	case WEIR_IDLE_LIKELY_GARBAGE:
	case WEIR_IDLE_LOCK:
	case WEIR_IDLE_LAUNCH_LATENCY:
	case WEIR_IDLE_INTER_KERNEL:
		return WEIR_BOUND_RUNTIME;
	case WEIR_IDLE_BATCH_WINDOW:
		return WEIR_BOUND_BATCHING;
	case WEIR_IDLE_ALLOCATOR:
		return WEIR_BOUND_MEMORY;
	case WEIR_IDLE_DEPENDENCY_COMM:
		return WEIR_BOUND_COMMUNICATION;
	case WEIR_IDLE_HOST_IDLE:
	case WEIR_IDLE_DEPENDENCY:
	case WEIR_IDLE_PROFILER:
	case WEIR_IDLE_UNRECORDED:
	case WEIR_IDLE_UNLINKED:
	case WEIR_IDLE_OTHER:
	case WEIR_IDLE_COUNT:
		return WEIR_BOUND_UNDETERMINED;
	}
	return WEIR_BOUND_UNDETERMINED;
}

/* Adds to a sum, which stays at INT64_MAX if bad clocks exceed it. */
static void add_ns(int64_t *to_ns, int64_t ns)
{
	*to_ns = weir_add_ns(*to_ns, ns);
}

static void add_idle(struct weir_ledger *ledger, const struct weir_segment *segment,
                     const char *stage_kind)
{
	int64_t ns = weir_segment_ns(segment);

	add_ns(&ledger->idle_ns[segment->idle], ns);
	add_ns(&ledger->bound_ns[weir_idle_bound((enum weir_idle)segment->idle)], ns);
	if (segment->flags & WEIR_SEGMENT_LATE)
		add_ns(&ledger->late_ns[weir_late_class(segment, stage_kind)], ns);
}

/* The majority of an operator's time, as in rules/catalog/kernel.json. */
#define MOST 0.5

/* Adds the time of a slow operator if it is a product that leaves the matrix units idle. */
static void add_vector_products(struct weir_ledger *ledger, const double *values, int64_t ns)
{
	bool modelled = values[WEIR_F_MATRIX_UNITS_IDLE] > 0;

	if (!modelled && !(values[WEIR_F_VECTOR_PRODUCT_SHARE] >= MOST))
		return;
	add_ns(&ledger->vector_ns, ns);
	if (!modelled)
		add_ns(&ledger->named_vector_ns, ns);
}

static void add_compute(struct weir_ledger *ledger, const struct weir_assessment *assessment,
                        int64_t ns)
{
	enum weir_bound bound = assessment ? assessment->verdict.bound : WEIR_BOUND_UNDETERMINED;

	add_ns(&ledger->bound_ns[bound], ns);
	switch (bound) {
	case WEIR_BOUND_MEMORY:
		add_ns(&ledger->bandwidth_ns, ns);
		break;
	case WEIR_BOUND_HARDWARE:
		add_ns(&ledger->roof_ns, ns);
		break;
	case WEIR_BOUND_KERNEL:
		add_ns(&ledger->slow_ns, ns);
		add_vector_products(ledger, assessment->values, ns);
		break;
	case WEIR_BOUND_RUNTIME:
		add_ns(&ledger->short_ns, ns);
		break;
	case WEIR_BOUND_UNDETERMINED:
		add_ns(&ledger->unmodelled_ns, ns);
		if (assessment && assessment->values[WEIR_F_FAMILY_COMPUTE] > 0)
			add_ns(&ledger->likely_compute_ns, ns);
		break;
	case WEIR_BOUND_BATCHING:
	case WEIR_BOUND_COMMUNICATION:
	case WEIR_BOUND_COUNT:
		break;
	}
}

/* Adds the part of a wait that lies in the segment. A wait begins with its row and ends when the
 * last rank arrives. */
static void add_wait(struct weir_ledger *ledger, const struct weir_waits *waits,
                     const struct weir_segment *segment)
{
	int64_t until_ns = waits->until_ns ? waits->until_ns[segment->row] : INT64_MIN, wait_ns;

	if (until_ns == INT64_MIN)
		return;
	add_ns(&ledger->matched_ns, weir_segment_ns(segment));
	if (until_ns > segment->end_ns)
		until_ns = segment->end_ns;
	wait_ns = weir_span_ns(segment->start_ns, until_ns);
	add_ns(&ledger->wait_ns[waits->by[segment->row]], wait_ns);
	if (waits->longest[segment->row] && waits->by[segment->row] == WEIR_LATE_BY_HOST)
		add_ns(&ledger->longest_ns, wait_ns);
}

static void add_busy(struct weir_ledger *ledger, const struct weir_rank *rank,
                     const struct weir_segment *segment)
{
	int64_t ns = weir_segment_ns(segment);
	uint32_t call = rank->groups.row_call[segment->row];
	const struct weir_assessment *assessment =
		call == WEIR_NONE ? NULL : &rank->assessments[rank->groups.calls[call].group];
	enum weir_copy_kind kind;

	add_ns(&ledger->busy_ns, ns);
	add_ns(&ledger->work_ns[segment->work], ns);
	if (segment->flags & WEIR_SEGMENT_COMPILER) {
		add_ns(&ledger->bound_ns[WEIR_BOUND_RUNTIME], ns);
		add_ns(&ledger->compiler_ns, ns);
		return;
	}
	switch ((enum weir_work_class)segment->work) {
	case WEIR_WORK_COMPUTE:
		add_compute(ledger, assessment, ns);
		break;
	case WEIR_WORK_COMM:
		add_ns(&ledger->bound_ns[WEIR_BOUND_COMMUNICATION], ns);
		add_wait(ledger, &rank->waits, segment);
		break;
	case WEIR_WORK_COPY:
		add_ns(&ledger->bound_ns[WEIR_BOUND_MEMORY], ns);
		kind = weir_rank_row_transfers(rank, segment->row) ? WEIR_COPY_TRANSFER
		                                                   : WEIR_COPY_LOCAL;
		add_ns(&ledger->copy_ns[kind], ns);
		break;
	case WEIR_WORK_COUNT:
		break;
	}
}

static struct weir_ledger *ledger_of_span(const struct weir_rank *rank, uint32_t span,
                                          struct weir_ledger *stages, struct weir_ledger *outside)
{
	return span == WEIR_NONE ? outside : &stages[rank->steps.spans[span].stage];
}

/* Counts the device rows [first, end) that belong to a group of work. */
static void count_work(const struct weir_rank *rank, size_t first, size_t end,
                       struct weir_ledger *stages, struct weir_ledger *outside)
{
	for (size_t i = first; i < end; i++) {
		struct weir_ledger *ledger =
			ledger_of_span(rank, rank->steps.row_span[i], stages, outside);

		if (rank->groups.row_call[i] == WEIR_NONE)
			continue;
		ledger->works++;
		ledger->kernels += rank->trace->device.kind[i] == WEIR_DEVICE_KERNEL;
	}
}

void weir_attribute_part(const struct weir_rank *rank, size_t part, size_t parts,
                         struct weir_ledger *stages, struct weir_ledger *outside)
{
	const struct weir_steps *steps = &rank->steps;
	size_t segments = rank->segments.count, rows = rank->trace->device.count;
	/* Kinds that do not matter are left out once, and not for each segment. */
	const char **kinds = weir_alloc((steps->stage_count + 1) * sizeof *kinds);

	for (size_t i = 0; i < steps->stage_count; i++)
		if (weir_late_by_stage(steps->stages[i].kind))
			kinds[i] = steps->stages[i].kind;
	for (size_t i = segments * part / parts; i < segments * (part + 1) / parts; i++) {
		const struct weir_segment *segment = &rank->segments.items[i];
		struct weir_ledger *ledger = ledger_of_span(rank, segment->span, stages, outside);
		const char *kind = segment->span == WEIR_NONE
		                           ? NULL
		                           : kinds[steps->spans[segment->span].stage];

		add_ns(&ledger->total_ns, weir_segment_ns(segment));
		if (segment->busy)
			add_busy(ledger, rank, segment);
		else
			add_idle(ledger, segment, kind);
	}
	count_work(rank, rows * part / parts, rows * (part + 1) / parts, stages, outside);
	free(kinds);
}

void weir_attribute(const struct weir_rank *rank, struct weir_ledger *stages,
                    struct weir_ledger *outside)
{
	weir_attribute_part(rank, 0, 1, stages, outside);
}

void weir_attribution_from_ledger(struct weir_attribution *out, const struct weir_ledger *ledger)
{
	out->total_ns = ledger->total_ns;
	for (size_t b = 0; b < WEIR_BOUND_COUNT; b++)
		out->ns[b] = ledger->bound_ns[b];
	/* Waiting for a rank whose host is late is attributed to the runtime: see
	 * rules/catalog/runtime.json. */
	out->ns[WEIR_BOUND_COMMUNICATION] -= ledger->wait_ns[WEIR_LATE_BY_HOST];
	out->ns[WEIR_BOUND_RUNTIME] =
		weir_add_ns(out->ns[WEIR_BOUND_RUNTIME], ledger->wait_ns[WEIR_LATE_BY_HOST]);
}
