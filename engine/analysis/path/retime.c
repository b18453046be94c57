/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/analysis/path/retime.h"
#include "engine/analysis/rank/attribution.h"
#include "engine/analysis/rank/ledger.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* ---- savings ---- */

static void add_point(struct weir_savings *savings, int64_t at_ns, double saved_ns)
{
	size_t count = savings->count;

	if (count > 0 && savings->at_ns[count - 1] >= at_ns) {
		savings->saved_ns[count - 1] = saved_ns;
		return;
	}
	savings->at_ns =
		weir_grow(savings->at_ns, &savings->at_capacity, count + 1, sizeof *savings->at_ns);
	savings->saved_ns = weir_grow(savings->saved_ns, &savings->saved_capacity, count + 1,
	                              sizeof *savings->saved_ns);
	savings->at_ns[count] = at_ns;
	savings->saved_ns[count] = saved_ns;
	savings->count++;
}

/* Shortens [start, end) by `less_ns`; nothing is saved between the last segment and this one. */
static void save(struct weir_savings *savings, int64_t start_ns, int64_t end_ns, double less_ns)
{
	double before_ns = savings->count > 0 ? savings->saved_ns[savings->count - 1] : 0;

	add_point(savings, start_ns, before_ns);
	add_point(savings, end_ns, before_ns + less_ns);
}

static double saved_until(const struct weir_savings *savings, int64_t at_ns)
{
	size_t begun = weir_instants_until(savings->at_ns, savings->count, at_ns);
	double width_ns, part;

	if (begun == 0)
		return 0;
	if (begun == savings->count)
		return savings->saved_ns[begun - 1];
	width_ns = (double)weir_span_ns(savings->at_ns[begun - 1], savings->at_ns[begun]);
	part = (double)weir_span_ns(savings->at_ns[begun - 1], at_ns) / width_ns;
	return savings->saved_ns[begun - 1] +
	       part * (savings->saved_ns[begun] - savings->saved_ns[begun - 1]);
}

/* ---- classes ---- */

/* The inputs that a whole walk shares. */
struct terms {
	const struct weir_rank *rank;
	const struct weir_change *change;
	double host;     /* further factor of the runtime's idle time */
	double least_ns; /* shortest duration of a gap */
};

static bool is_part(const struct weir_change *change, enum weir_time_part part)
{
	return change->of == WEIR_CHANGE_PART && change->part == part;
}

/* True if the segment is late host time of the changed class. */
static bool is_late_part(const struct weir_rank *rank, const struct weir_segment *segment,
                         const struct weir_change *change)
{
	const struct weir_steps *steps = &rank->steps;
	const char *stage_kind = NULL;

	if (!(segment->flags & WEIR_SEGMENT_LATE))
		return false;
	if (segment->span != WEIR_NONE)
		stage_kind = steps->stages[steps->spans[segment->span].stage].kind;
	switch (weir_late_class(segment, stage_kind)) {
	case WEIR_LATE_SYNC:
		return change->part == WEIR_TIME_LATE_SYNC;
	case WEIR_LATE_BEFORE:
		return change->part == WEIR_TIME_LATE_BEFORE;
	case WEIR_LATE_AFTER:
		return change->part == WEIR_TIME_LATE_AFTER;
	case WEIR_LATE_DISPATCH:
	case WEIR_LATE_LOAD:
	case WEIR_LATE_GARBAGE:
	case WEIR_LATE_ALLOCATOR:
	case WEIR_LATE_NO_WORK:
	case WEIR_LATE_COUNT:
		break;
	}
	return false;
}

static double factor_of_idle(const struct terms *terms, const struct weir_segment *segment)
{
	const struct weir_change *change = terms->change;
	enum weir_idle idle = (enum weir_idle)segment->idle;
	enum weir_bound bound = weir_idle_bound(idle);
	bool applies = false;

	switch (change->of) {
	case WEIR_CHANGE_BOUND:
		applies = bound == change->bound;
		break;
	case WEIR_CHANGE_IDLE:
		applies = (change->idles & WEIR_IDLE_BIT(idle)) != 0;
		break;
	case WEIR_CHANGE_PART:
		applies = is_late_part(terms->rank, segment, change);
		break;
	}
	return (applies ? change->factor : 1) * (bound == WEIR_BOUND_RUNTIME ? terms->host : 1);
}

static double factor_of_bound(const struct weir_change *change, enum weir_bound bound)
{
	return change->of == WEIR_CHANGE_BOUND && bound == change->bound ? change->factor : 1;
}

static enum weir_bound bound_of_work(const struct weir_rank *rank,
                                     const struct weir_segment *segment)
{
	uint32_t call = rank->groups.row_call[segment->row];
	enum weir_bound bound;

	if (segment->work == WEIR_WORK_COMM)
		return WEIR_BOUND_COMMUNICATION;
	if (segment->work == WEIR_WORK_COPY)
		return WEIR_BOUND_MEMORY;
	if (call == WEIR_NONE)
		return WEIR_BOUND_UNDETERMINED;
	bound = rank->assessments[rank->groups.calls[call].group].verdict.bound;
	return bound == WEIR_BOUND_RUNTIME ? WEIR_BOUND_UNDETERMINED : bound;
}

static double factor_of_work(const struct terms *terms, const struct weir_segment *segment)
{
	const struct weir_change *change = terms->change;
	enum weir_bound bound = bound_of_work(terms->rank, segment);
	bool applies = false;

	if (change->of != WEIR_CHANGE_PART)
		return factor_of_bound(change, bound);
	switch ((enum weir_work_class)segment->work) {
	case WEIR_WORK_COMPUTE:
		applies = change->part == WEIR_TIME_BANDWIDTH_LIMITED && bound == WEIR_BOUND_MEMORY;
		break;
	case WEIR_WORK_COMM:
		applies = change->part == WEIR_TIME_EXPOSED_COMMUNICATION;
		break;
	case WEIR_WORK_COPY:
		applies = change->part == WEIR_TIME_EXPOSED_TRANSFER &&
		          weir_rank_row_transfers(terms->rank, segment->row);
		break;
	case WEIR_WORK_COUNT:
		break;
	}
	return applies ? change->factor : 1;
}

/* Returns the time until which a collective waits: for any rank, or only for one with a late host.
 */
static int64_t waits_until(const struct weir_rank *rank, const struct weir_segment *segment,
                           bool any)
{
	const struct weir_waits *waits = &rank->waits;
	int64_t until_ns;

	if (segment->work != WEIR_WORK_COMM || !waits->until_ns ||
	    (!any && waits->by[segment->row] != WEIR_LATE_BY_HOST))
		return segment->start_ns;
	until_ns = waits->until_ns[segment->row];
	if (until_ns < segment->start_ns)
		return segment->start_ns;
	return until_ns < segment->end_ns ? until_ns : segment->end_ns;
}

/* ---- the walk ---- */

static void retime_work(struct weir_savings *savings, const struct weir_segment *segment,
                        const struct terms *terms)
{
	const struct weir_change *change = terms->change;
	bool any = is_part(change, WEIR_TIME_EXPOSED_WAIT);
	int64_t late_ns = waits_until(terms->rank, segment, any);
	double wait = factor_of_bound(change, WEIR_BOUND_RUNTIME);

	if (any || is_part(change, WEIR_TIME_EXPOSED_WAIT_HOST) ||
	    is_part(change, WEIR_TIME_EXPOSED_COMMUNICATION))
		wait = change->factor;
	save(savings, segment->start_ns, late_ns,
	     (1 - wait) * (double)weir_span_ns(segment->start_ns, late_ns));
	save(savings, late_ns, segment->end_ns,
	     (1 - factor_of_work(terms, segment)) * (double)weir_span_ns(late_ns, segment->end_ns));
}

/* Shortens the gap of segments [0, count), but not below the least gap. */
static void retime_gap(struct weir_savings *savings, const struct weir_segment *gap, size_t count,
                       const struct terms *terms)
{
	double before_ns = 0, less_ns = 0, kept = 1, least_ns = terms->least_ns;

	for (size_t i = 0; i < count; i++) {
		double ns = (double)weir_segment_ns(&gap[i]);

		before_ns += ns;
		less_ns += ns * (1 - factor_of_idle(terms, &gap[i]));
	}
	if (gap[count - 1].row == WEIR_NONE)
		least_ns = 0; /* no work follows the gap */
	if (less_ns > 0 && before_ns - less_ns < least_ns)
		kept = fmax(before_ns - least_ns, 0) / less_ns;
	for (size_t i = 0; i < count; i++)
		save(savings, gap[i].start_ns, gap[i].end_ns,
		     kept * (double)weir_segment_ns(&gap[i]) *
		             (1 - factor_of_idle(terms, &gap[i])));
}

static bool same_gap(const struct weir_segment *a, const struct weir_segment *b)
{
	return !b->busy && a->device == b->device && a->end_ns == b->start_ns;
}

static int64_t later(int64_t a_ns, int64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

/*
 * Finds the start of each span's own time. Spans are sorted by start, a parent before its children.
 * Work that is already on the device belongs to earlier siblings, or was there when the parent
 * began.
 */
static int64_t *find_begins(const struct weir_steps *steps)
{
	int64_t *begin_ns = weir_alloc((steps->span_count + 1) * sizeof *begin_ns);
	int64_t *taken_ns = weir_alloc((steps->span_count + 1) * sizeof *taken_ns);
	int64_t outermost_ns = INT64_MIN; /* of spans without a parent */

	for (size_t i = 0; i < steps->span_count; i++) {
		const struct weir_span *span = &steps->spans[i];
		int64_t *around_ns =
			span->parent == WEIR_NONE ? &outermost_ns : &taken_ns[span->parent];

		taken_ns[i] = *around_ns;
		begin_ns[i] = later(span->start_ns, *around_ns);
		if (begin_ns[i] > span->device_start_ns)
			begin_ns[i] = later(span->start_ns, span->device_start_ns);
		if (span->device_rows == 0)
			begin_ns[i] = span->start_ns;
		else
			*around_ns = later(*around_ns, span->device_end_ns);
	}
	free(taken_ns);
	return begin_ns;
}

void weir_retiming_init(struct weir_retiming *retiming, const struct weir_rank *rank,
                        const struct weir_change *change, double host)
{
	const struct weir_segments *segments = &rank->segments;
	bool of_gap = change->of == WEIR_CHANGE_IDLE &&
	              change->idles == WEIR_IDLE_BIT(WEIR_IDLE_INTER_KERNEL);
	const struct terms terms = {rank, change, host, of_gap ? 0 : weir_replay_gap_ns(rank)};

	retiming->begin_ns = find_begins(&rank->steps);
	retiming->device_count = rank->trace->device_count;
	retiming->devices = weir_alloc(retiming->device_count * sizeof *retiming->devices);
	for (size_t i = 0, end; i < segments->count; i = end) {
		const struct weir_segment *segment = &segments->items[i];
		struct weir_savings *savings = &retiming->devices[segment->device];

		end = i + 1;
		if (segment->busy) {
			retime_work(savings, segment, &terms);
			continue;
		}
		while (end < segments->count &&
		       same_gap(&segments->items[end - 1], &segments->items[end]))
			end++;
		retime_gap(savings, segment, end - i, &terms);
	}
}

void weir_retiming_release(struct weir_retiming *retiming)
{
	for (size_t d = 0; d < retiming->device_count; d++) {
		free(retiming->devices[d].at_ns);
		free(retiming->devices[d].saved_ns);
	}
	free(retiming->devices);
	free(retiming->begin_ns);
	*retiming = (struct weir_retiming){0};
}

double weir_retimed_ns(const struct weir_retiming *retiming, int64_t start_ns, int64_t end_ns)
{
	double before_ns = (double)weir_span_ns(start_ns, end_ns), slowest_ns = NAN;

	for (size_t d = 0; d < retiming->device_count; d++) {
		const struct weir_savings *savings = &retiming->devices[d];

		if (savings->count > 0)
			slowest_ns = fmax(slowest_ns, before_ns - saved_until(savings, end_ns) +
			                                      saved_until(savings, start_ns));
	}
	return isnan(slowest_ns) ? before_ns : fmax(slowest_ns, 0);
}

double weir_retimed_span_ns(const struct weir_retiming *retiming, const struct weir_steps *steps,
                            size_t index)
{
	const struct weir_span *span = &steps->spans[index];

	return weir_retimed_ns(retiming, retiming->begin_ns[index],
	                       later(span->end_ns, span->device_end_ns));
}

/* ---- graphs ---- */

/* True for the device's own gap between two pieces of work of one replay. */
static bool is_replay_gap(const struct weir_rank *rank, size_t i)
{
	const struct weir_device_columns *device = &rank->trace->device;
	const struct weir_segment *gap = &rank->segments.items[i], *before = gap - 1;

	return !gap->busy && gap->idle == WEIR_IDLE_INTER_KERNEL && gap->row != WEIR_NONE &&
	       (device->flags[gap->row] & WEIR_DEVICE_IN_GRAPH) && before->busy &&
	       before->device == gap->device && before->end_ns == gap->start_ns &&
	       device->launch[gap->row] != WEIR_NONE &&
	       device->launch[before->row] == device->launch[gap->row];
}

/* Returns true if work was replayed from a graph. Device rows are fewer than segments, and smaller.
 */
static bool has_replays(const struct weir_trace *trace)
{
	for (size_t i = 0; i < trace->device.count; i++)
		if (trace->device.flags[i] & WEIR_DEVICE_IN_GRAPH)
			return true;
	return false;
}

double weir_replay_gap_ns(const struct weir_rank *rank)
{
	const struct weir_segments *segments = &rank->segments;
	double *gaps = NULL, median;
	size_t count = 0, capacity = 0;

	if (!has_replays(rank->trace))
		return WEIR_REPLAY_GAP_NS;
	for (size_t i = 1; i < segments->count; i++) {
		if (!is_replay_gap(rank, i))
			continue;
		gaps = weir_grow(gaps, &capacity, count + 1, sizeof *gaps);
		gaps[count++] = (double)weir_segment_ns(&segments->items[i]);
	}
	median = count >= WEIR_REPLAY_GAPS ? weir_median(gaps, count) : WEIR_REPLAY_GAP_NS;
	free(gaps);
	return median;
}
