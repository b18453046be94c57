/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/inflation.h"
#include "engine/analysis/retime.h"
#include "engine/analysis/what_if.h"
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

/* Steps that count, and their periods where `out` is given. */
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

/* p50 of the steps of the slowest rank: collectives make the others wait for it, also where a
 * change removes their waiting. */
static double step_of(const struct weir_analysis *analysis, const struct weir_retiming *retimings)
{
	double slowest_ns = NAN;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		size_t count = take_steps(analysis, r, NULL, NULL);
		double *values = weir_alloc((count + 1) * sizeof *values);

		take_steps(analysis, r, &retimings[r], values);
		slowest_ns = fmax(slowest_ns, weir_median(values, count));
		free(values);
	}
	return slowest_ns;
}

/* The longest device. */
static double window_of(const struct weir_analysis *analysis, const struct weir_retiming *retimings)
{
	double longest_ns = 0;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_steps *steps = &analysis->ranks[r].steps;

		for (size_t d = 0; d < steps->device_count; d++) {
			const struct weir_intervals *windows = &steps->windows[d];
			double ns = 0;

			for (size_t w = 0; w < windows->count; w++)
				ns += weir_retimed_ns(&retimings[r], windows->items[w].start_ns,
				                      windows->items[w].end_ns);
			longest_ns = fmax(longest_ns, ns);
		}
	}
	return longest_ns;
}

/* A step; without any the analysed window. */
static double turn_of(const struct weir_analysis *analysis, const struct weir_retiming *retimings,
                      const struct weir_report *report)
{
	return report->iteration_count > 0 ? step_of(analysis, retimings)
	                                   : window_of(analysis, retimings);
}

/* The ranks as they are without a profiler, and with one change. */
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
/* As close as this the step is as long as without the profiler; each round walks the timeline. */
#define CLOSE  0.001
#define ROUNDS 8

static double turn_with(const struct weir_analysis *analysis, const struct weir_report *report,
                        double host)
{
	struct weir_retiming *retimings = retime_ranks(analysis, &no_change, host);
	double ns = turn_of(analysis, retimings, report);

	release_ranks(analysis, retimings);
	return ns;
}

/* The factor that takes the profiler's part out of the host's time, by the rule of false position:
 * the step grows with it, and no slower the larger it is. */
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

void weir_fill_what_ifs(const struct weir_analysis *analysis,
                        const struct weir_stage_merges *merges, struct weir_report *report)
{
	size_t count = analysis->options.change_count;
	struct pair pair;
	double host, before_ns;

	if (!count)
		return;
	host = host_factor(analysis, report);
	pair.before = retime_ranks(analysis, &no_change, host);
	before_ns = turn_of(analysis, pair.before, report);
	report->what_ifs = weir_arena_alloc(report->arena, (count + 1) * sizeof *report->what_ifs);
	report->what_if_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct weir_change *asked = &analysis->options.changes[i];
		struct weir_what_if *out = &report->what_ifs[i];

		*out = (struct weir_what_if){.class_name = weir_change_class(asked),
		                             .factor = asked->factor,
		                             .step_ns = NAN,
		                             .speedup = NAN};
		if (!report->has_gpu || (!asked->of_idle && asked->bound == WEIR_BOUND_BATCHING))
			continue;
		pair.after = retime_ranks(analysis, asked, host);
		out->step_ns = turn_of(analysis, pair.after, report);
		out->speedup = speedup_of(before_ns, out->step_ns);
		change_stages(analysis, merges, &pair, report, out);
		release_ranks(analysis, pair.after);
	}
	release_ranks(analysis, pair.before);
}
