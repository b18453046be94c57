/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/path/retime.h"
#include "engine/analysis/rows/rows.h"
#include "engine/analysis/rows/what_if.h"
#include "engine/analysis/timeline/host_time.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

static double speedup_of(double before_ns, double after_ns)
{
	return after_ns > 0 ? before_ns / after_ns : NAN;
}

static bool counts(const struct weir_analysis *analysis, const struct weir_step *step)
{
	return !analysis->options.steady || step->state == WEIR_STEP_STEADY;
}

static int64_t end_of(int64_t start_ns, int64_t length_ns)
{
	return start_ns > 0 && length_ns > INT64_MAX - start_ns ? INT64_MAX : start_ns + length_ns;
}

/* Returns the number of analysed steps, and stores their retimed periods if `out` is given. */
static size_t take_steps(const struct weir_analysis *analysis, size_t r,
                         const struct weir_retiming *retiming, double *out)
{
	const struct weir_steps *steps = &analysis->ranks[r].steps;
	size_t count = 0;

	for (size_t i = 0; i < steps->step_count; i++) {
		const struct weir_step *step = &steps->steps[i];
		int64_t start_ns = step->device_rows > 0 ? step->device_start_ns : step->start_ns;

		if (!counts(analysis, step))
			continue;
		if (out)
			out[count] = weir_retimed_ns(retiming, start_ns,
			                             end_of(start_ns, step->period_ns));
		count++;
	}
	return count;
}

/* A median step below this fraction of the mean does not represent the steps, which are of several
 * kinds. */
#define LEAST_OF_MEAN 0.5

static bool is_typical(const struct weir_analysis *analysis, size_t r, double median_ns)
{
	const struct weir_steps *steps = &analysis->ranks[r].steps;
	double sum_ns = 0;
	size_t count = 0, worked = 0;

	for (size_t i = 0; i < steps->step_count; i++) {
		if (!counts(analysis, &steps->steps[i]))
			continue;
		worked += steps->steps[i].device_rows > 0;
		sum_ns += (double)steps->steps[i].period_ns;
		count++;
	}
	return median_ns * (double)count >= LEAST_OF_MEAN * sum_ns && 2 * worked >= count;
}

/* Returns the median of the retimed steps. */
static double step_of(const struct weir_analysis *analysis, size_t r,
                      const struct weir_retiming *retiming)
{
	size_t count = take_steps(analysis, r, NULL, NULL);
	double *values = weir_alloc((count + 1) * sizeof *values), median;

	take_steps(analysis, r, retiming, values);
	median = weir_median(values, count);
	free(values);
	return median;
}

/* Returns the longest retimed sum of windows over the devices; NAN: no device has windows. */
static double window_of(const struct weir_analysis *analysis, size_t r,
                        const struct weir_retiming *retiming)
{
	const struct weir_steps *steps = &analysis->ranks[r].steps;
	double longest_ns = NAN;

	for (size_t d = 0; d < steps->device_count; d++) {
		const struct weir_intervals *windows = &steps->windows[d];
		double ns = 0;

		for (size_t w = 0; w < windows->count; w++)
			ns += weir_retimed_ns(retiming, windows->items[w].start_ns,
			                      windows->items[w].end_ns);
		if (windows->count > 0)
			longest_ns = fmax(longest_ns, ns);
	}
	return longest_ns;
}

/* Combines the times of several ranks into that of the job. */
enum gather {
	SLOWEST, /* collectives make the others wait for it */
	MEAN,    /* the work is shared evenly */
	FASTEST, /* all ranks launch as early as that one */
};

static enum gather gather_of(const struct weir_change *change)
{
	if (change->of != WEIR_CHANGE_PART)
		return SLOWEST;
	if (change->part == WEIR_TIME_EXPOSED_WAIT)
		return MEAN;
	return change->part == WEIR_TIME_EXPOSED_WAIT_HOST ? FASTEST : SLOWEST;
}

/* Returns the retimed step or, without steps, the retimed window of the job. */
static double turn_of(const struct weir_analysis *analysis, const struct weir_retiming *retimings,
                      const struct weir_report *report, enum gather gather)
{
	double slowest_ns = NAN, fastest_ns = NAN, sum_ns = 0;
	size_t count = 0;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		double ns = report->iteration_count > 0 ? step_of(analysis, r, &retimings[r])
		                                        : window_of(analysis, r, &retimings[r]);

		if (isnan(ns))
			continue;
		slowest_ns = fmax(slowest_ns, ns);
		fastest_ns = fmin(fastest_ns, ns);
		sum_ns += ns;
		count++;
	}
	switch (gather) {
	case SLOWEST:
		return slowest_ns;
	case MEAN:
		return count > 0 ? sum_ns / (double)count : NAN;
	case FASTEST:
		return fastest_ns;
	}
	return NAN;
}

/* The ranks without the profiler's overhead, before and after a change. */
struct pair {
	struct weir_retiming *before, *after;
};

static struct weir_retiming *retime_ranks(const struct weir_analysis *analysis,
                                          const struct weir_change *change, double host)
{
	struct weir_retiming *retimings =
		weir_alloc((analysis->rank_count + 1) * sizeof *retimings);

	for (size_t r = 0; r < analysis->rank_count; r++)
		weir_retiming_init(&retimings[r], &analysis->ranks[r], change, host);
	return retimings;
}

static void release_ranks(const struct weir_analysis *analysis, struct weir_retiming *retimings)
{
	for (size_t r = 0; r < analysis->rank_count; r++)
		weir_retiming_release(&retimings[r]);
	free(retimings);
}

static const struct weir_change no_change = {.bound = WEIR_BOUND_UNDETERMINED, .factor = 1};
/* Relative tolerance of host_factor(), and its most rounds; each round walks the timeline. */
#define CLOSE  0.001
#define ROUNDS 8

static double turn_with(const struct weir_analysis *analysis, const struct weir_report *report,
                        double host)
{
	struct weir_retiming *retimings = retime_ranks(analysis, &no_change, host);
	double ns = turn_of(analysis, retimings, report, SLOWEST);

	release_ranks(analysis, retimings);
	return ns;
}

/* Returns the factor on the host's time that removes the profiler's overhead, by the rule of false
 * position: step time increases with the factor and is convex in it. */
static double host_factor(const struct weir_analysis *analysis, const struct weir_report *report)
{
	double low = 0, high = 1, low_ns, high_ns, wanted_ns, host = 1;

	if (!(report->profiler.inflation > 1))
		return 1;
	low_ns = turn_with(analysis, report, low);
	high_ns = turn_with(analysis, report, high);
	wanted_ns = high_ns / report->profiler.inflation;
	if (wanted_ns <= low_ns)
		return high_ns > low_ns ? low : high;
	for (int round = 0; round < ROUNDS; round++) {
		double ns;

		host = low + (wanted_ns - low_ns) * (high - low) / (high_ns - low_ns);
		ns = turn_with(analysis, report, host);
		if (fabs(ns - wanted_ns) <= CLOSE * wanted_ns)
			break;
		if (ns > wanted_ns) {
			high = host;
			high_ns = ns;
		} else {
			low = host;
			low_ns = ns;
		}
	}
	return host;
}

static void change_stages(const struct weir_analysis *analysis,
                          const struct weir_stage_merges *merges, const struct pair *pair,
                          struct weir_report *report, struct weir_what_if *out)
{
	out->stages = weir_arena_alloc(report->arena, (merges->count + 1) * sizeof *out->stages);
	for (size_t m = 0; m < merges->count; m++) {
		const struct weir_stage_merge *merge = &merges->items[m];
		struct weir_what_if_stage *stage = &out->stages[out->stage_count];
		size_t count;
		double *before = weir_stage_durations(analysis, merge, pair->before, &count);
		double *after = weir_stage_durations(analysis, merge, pair->after, &count);

		if (count > 0) {
			stage->name =
				weir_arena_copy(report->arena, merge->name, strlen(merge->name));
			stage->p50_ns = weir_median(after, count);
			stage->speedup = speedup_of(weir_median(before, count), stage->p50_ns);
			out->stage_count++;
		}
		free(before);
		free(after);
	}
}

/* Returns the largest fraction of the windows, over ranks, that the host spends outside waits for
 * the device. */
static double host_share(const struct weir_analysis *analysis)
{
	double most = 0;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_rank *rank = &analysis->ranks[r];
		struct weir_call_time waits;
		struct weir_intervals all = {0};
		double window_ns;

		for (size_t d = 0; d < rank->steps.device_count; d++)
			for (size_t w = 0; w < rank->steps.windows[d].count; w++)
				weir_intervals_push(&all, rank->steps.windows[d].items[w].start_ns,
				                    rank->steps.windows[d].items[w].end_ns);
		weir_intervals_unite(&all);
		window_ns = (double)weir_intervals_total(&all);
		weir_call_time_measure(&rank->timeline, &all, WEIR_API_WAITS, NULL, &waits);
		if (window_ns > 0)
			most = fmax(most, 1 - (double)waits.any_ns / window_ns);
		weir_intervals_release(&all);
	}
	return most;
}

/* Returns a lower bound of the changed step in ns: work hidden behind other work still takes its
 * time, and launches ahead of time still happen. after_ns: the step without the class. 0: no
 * limit. */
static double least_of(const struct weir_analysis *analysis, const struct weir_change *change,
                       double before_ns, double after_ns)
{
	if (change->of != WEIR_CHANGE_PART || change->factor >= 1)
		return 0;
	switch (change->part) {
	case WEIR_TIME_LATE_SYNC:
		return host_share(analysis) * before_ns;
	case WEIR_TIME_LATE_BEFORE:
	case WEIR_TIME_LATE_AFTER:
	case WEIR_TIME_EXPOSED_COMMUNICATION:
		return before_ns - after_ns;
	case WEIR_TIME_EXPOSED_TRANSFER:
	case WEIR_TIME_EXPOSED_WAIT:
	case WEIR_TIME_EXPOSED_WAIT_HOST:
	case WEIR_TIME_BANDWIDTH_LIMITED:
	case WEIR_TIME_COUNT:
		break;
	}
	return 0;
}

static bool can_be_walked(const struct weir_report *report, const struct weir_change *change)
{
	return report->has_gpu && !weir_report_lacks_kernels(report) &&
	       !(change->of == WEIR_CHANGE_BOUND && change->bound == WEIR_BOUND_BATCHING);
}

struct weir_retimer {
	const struct weir_analysis *analysis;
	const struct weir_report *report;
	struct pair pair;
	double host, before_ns;
};

struct weir_retimer *weir_retimer_new(const struct weir_analysis *analysis,
                                      const struct weir_report *report)
{
	struct weir_retimer *retimer = weir_alloc(sizeof *retimer);

	retimer->analysis = analysis;
	retimer->report = report;
	retimer->host = host_factor(analysis, report);
	retimer->pair.before = retime_ranks(analysis, &no_change, retimer->host);
	retimer->before_ns = turn_of(analysis, retimer->pair.before, report, SLOWEST);
	return retimer;
}

void weir_retimer_free(struct weir_retimer *retimer)
{
	if (!retimer)
		return;
	release_ranks(retimer->analysis, retimer->pair.before);
	free(retimer);
}

/* Answers one what-if question; fills its stages if `merges` is given. */
static void ask_stages(struct weir_retimer *retimer, const struct weir_change *change,
                       const struct weir_stage_merges *merges, struct weir_report *report,
                       struct weir_what_if *out)
{
	*out = (struct weir_what_if){.class_name = change->class_name,
	                             .factor = change->factor,
	                             .step_ns = NAN,
	                             .speedup = NAN};
	if (!can_be_walked(retimer->report, change))
		return;
	retimer->pair.after = retime_ranks(retimer->analysis, change, retimer->host);
	out->step_ns =
		turn_of(retimer->analysis, retimer->pair.after, retimer->report, gather_of(change));
	out->step_ns = fmax(out->step_ns,
	                    least_of(retimer->analysis, change, retimer->before_ns, out->step_ns));
	out->speedup = speedup_of(retimer->before_ns, out->step_ns);
	if (merges)
		change_stages(retimer->analysis, merges, &retimer->pair, report, out);
	release_ranks(retimer->analysis, retimer->pair.after);
	retimer->pair.after = NULL;
}

void weir_retimer_ask(struct weir_retimer *retimer, const struct weir_change *change,
                      struct weir_what_if *out)
{
	ask_stages(retimer, change, NULL, NULL, out);
	for (size_t r = 0; r < retimer->analysis->rank_count; r++)
		if (retimer->report->iteration_count > 0 &&
		    !is_typical(retimer->analysis, r, retimer->report->iteration.p50_ns))
			out->step_ns = out->speedup = NAN;
}

void weir_fill_what_ifs(const struct weir_analysis *analysis,
                        const struct weir_stage_merges *merges, struct weir_report *report)
{
	size_t count = analysis->options.change_count;
	struct weir_retimer *retimer;

	if (!count)
		return;
	retimer = weir_retimer_new(analysis, report);
	report->what_ifs = weir_arena_alloc(report->arena, (count + 1) * sizeof *report->what_ifs);
	report->what_if_count = count;
	for (size_t i = 0; i < count; i++)
		ask_stages(retimer, &analysis->options.changes[i], merges, report,
		           &report->what_ifs[i]);
	weir_retimer_free(retimer);
}
