/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/steady.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

#define WARM_UP_MADS      5.0
#define WARM_UP_EXCESS    0.10 /* lower limit, relative to the median, for a tiny MAD */
#define WARM_UP_SHARE     0.20 /* of all steps, at most */
#define ONE_OFF_FACTOR    5.0
#define ONE_OFF_SHARE     0.02
#define INCOMPLETE_FACTOR 0.90
#define SLIVER            0.10 /* of the trace's time and device rows: less is no sample of it */
#define SAMPLE_STEPS      5 /* fewer steady steps are no sample of a trace that is mostly warm-up */
#define FIRST_WAIT_NS     10000000 /* shorter waits have other causes */
#define QUEUED_NS         1000000  /* a start later than this after its launch was queued */
#define FEWEST_OF_STEPS   0.10     /* of the steps' time: smaller windows do not show them */
#define FEWEST_STEPS      4        /* with fewer steps, none stands out */

static void set_periods(struct weir_steps *steps)
{
	for (size_t i = 0; i < steps->step_count; i++) {
		struct weir_step *step = &steps->steps[i];
		const struct weir_step *next = i + 1 < steps->step_count ? step + 1 : NULL;

		if (next && step->device_rows > 0 && next->device_rows > 0 &&
		    next->device_start_ns > step->device_start_ns)
			step->period_ns =
				weir_span_ns(step->device_start_ns, next->device_start_ns);
		else if (!next && step->device_rows > 0 && step->device_end_ns > step->end_ns)
			step->period_ns = weir_span_ns(step->device_start_ns, step->device_end_ns);
		else
			step->period_ns = weir_span_ns(step->start_ns, step->end_ns);
	}
}

static double median_of_rows(const struct weir_steps *steps, double *scratch)
{
	for (size_t i = 0; i < steps->step_count; i++)
		scratch[i] = (double)steps->steps[i].device_rows;
	return weir_median(scratch, steps->step_count);
}

static void mark_incomplete(struct weir_steps *steps, double usual_rows)
{
	for (size_t i = 0; i < steps->step_count; i++) {
		struct weir_step *step = &steps->steps[i];

		if (step->missing_rows > 0 &&
		    (double)step->device_rows < INCOMPLETE_FACTOR * usual_rows)
			step->state = WEIR_STEP_INCOMPLETE;
	}
}

/* Returns the duration on the device or on the host, whichever is longer: a first step may load and
 * compile long before its work starts. */
static int64_t turn_ns(const struct weir_step *step)
{
	int64_t host_ns = step->end_ns - step->start_ns;

	return host_ns > step->period_ns ? host_ns : step->period_ns;
}

static void mark_warm_up(struct weir_steps *steps, double *scratch)
{
	size_t most = (size_t)(WARM_UP_SHARE * (double)steps->step_count), rest = 0;
	double median, excess;

	for (size_t i = most; i < steps->step_count; i++)
		scratch[rest++] = (double)steps->steps[i].period_ns;
	median = weir_median(scratch, rest);
	excess = fmax(WARM_UP_MADS * weir_mad(scratch, rest), WARM_UP_EXCESS * median);
	for (size_t lead = 0; lead < most; lead++) {
		struct weir_step *step = &steps->steps[lead];

		if ((double)turn_ns(step) <= median + excess)
			return;
		if (step->state != WEIR_STEP_STEADY)
			continue;
		step->state = WEIR_STEP_WARM_UP;
		step->period_ns = turn_ns(step); /* the report prints this figure */
	}
}

/* Sets single long steps apart. More than a few are the tail of the workload, which stays in. */
static void mark_one_off(struct weir_steps *steps, double median)
{
	size_t found = 0, most = (size_t)(ONE_OFF_SHARE * (double)steps->step_count);

	if (most == 0)
		most = 1;
	for (size_t i = 0; i < steps->step_count; i++)
		if (steps->steps[i].state == WEIR_STEP_STEADY &&
		    (double)steps->steps[i].period_ns > ONE_OFF_FACTOR * median)
			found++;
	for (size_t i = 0; found <= most && i < steps->step_count; i++)
		if (steps->steps[i].state == WEIR_STEP_STEADY &&
		    (double)steps->steps[i].period_ns > ONE_OFF_FACTOR * median)
			steps->steps[i].state = WEIR_STEP_ONE_OFF;
}

void weir_steady_judge(struct weir_steps *steps)
{
	double *scratch;

	steps->median_period_ns = NAN;
	if (!steps->steps)
		return;
	scratch = weir_alloc(steps->step_count * sizeof *scratch);
	set_periods(steps);
	for (size_t i = 0; i < steps->step_count; i++)
		scratch[i] = (double)steps->steps[i].period_ns;
	steps->median_period_ns = weir_median(scratch, steps->step_count);
	if (steps->step_count >= FEWEST_STEPS) {
		mark_incomplete(steps, median_of_rows(steps, scratch));
		mark_warm_up(steps, scratch);
		mark_one_off(steps, steps->median_period_ns);
	}
	free(scratch);
}

/* Per step: start of its first and end of its last work on one device; INT64_MAX, INT64_MIN: no
 * work. */
struct device_steps {
	int64_t *start_ns, *end_ns;
	uint32_t first_row; /* of the first step; WEIR_NONE: no work */
};

static void find_device_steps(struct device_steps *out, const struct weir_steps *steps,
                              const struct weir_device_columns *device, size_t first, size_t end)
{
	out->first_row = WEIR_NONE;
	for (size_t s = 0; s < steps->step_count; s++) {
		out->start_ns[s] = INT64_MAX;
		out->end_ns[s] = INT64_MIN;
	}
	for (size_t i = first; i < end; i++) {
		uint32_t s = steps->row_step[i];

		if (s == WEIR_NONE)
			continue;
		if (device->start_ns[i] < out->start_ns[s]) {
			out->start_ns[s] = device->start_ns[i];
			if (s == 0)
				out->first_row = (uint32_t)i;
		}
		if (device->end_ns[i] > out->end_ns[s])
			out->end_ns[s] = device->end_ns[i];
	}
}

/*
 * Moves the start of the first step of a trace from its first device work to its start on the
 * host, since no other window holds the host time between them. Not if that work was queued: then
 * the device was busy with earlier work that the trace does not hold.
 */
static void extend_first_step(struct device_steps *on_device, const struct weir_steps *steps,
                              const struct weir_trace *trace)
{
	uint32_t row = on_device->first_row, launch;

	if (row == WEIR_NONE || !steps->explicit_steps || steps->steps[0].state != WEIR_STEP_STEADY)
		return;
	launch = trace->device.launch[row];
	if (launch != WEIR_NONE &&
	    weir_span_ns(trace->host.end_ns[launch], trace->device.start_ns[row]) <= QUEUED_NS &&
	    steps->steps[0].start_ns < on_device->start_ns[0])
		on_device->start_ns[0] = steps->steps[0].start_ns;
}

/* Returns the annotated time of the steps with work on the device. `steady_ones`: of steady steps.
 */
static struct weir_intervals host_times(const struct weir_steps *steps,
                                        const struct device_steps *on_device, bool steady_ones)
{
	struct weir_intervals times = {0};

	for (size_t s = 0; steps->explicit_steps && s < steps->step_count; s++)
		if (on_device->start_ns[s] != INT64_MAX &&
		    (!steady_ones || steps->steps[s].state == WEIR_STEP_STEADY))
			weir_intervals_push(&times, steps->steps[s].start_ns,
			                    steps->steps[s].end_ns);
	weir_intervals_unite(&times);
	return times;
}

/* Widens the windows to the annotated time of the steps, if less than a tenth of it is in them:
 * work that was queued before the trace explains a part of a step, not nearly all of it. */
static void widen_to_steps(struct weir_intervals *windows, const struct weir_steps *steps,
                           const struct device_steps *on_device, bool steady_ones)
{
	struct weir_intervals hosts = host_times(steps, on_device, steady_ones);

	if ((double)weir_intervals_total(windows) <
	    FEWEST_OF_STEPS * (double)weir_intervals_total(&hosts)) {
		for (size_t i = 0; i < hosts.count; i++)
			weir_intervals_push(windows, hosts.items[i].start_ns,
			                    hosts.items[i].end_ns);
		weir_intervals_unite(windows);
	}
	weir_intervals_release(&hosts);
}

static void push_step_windows(struct weir_intervals *windows, const struct weir_steps *steps,
                              const struct device_steps *on_device, bool steady_ones)
{
	int64_t next_start_ns = INT64_MAX;

	for (size_t s = steps->step_count; s-- > 0;) {
		if (on_device->start_ns[s] == INT64_MAX)
			continue;
		if ((steps->steps[s].state == WEIR_STEP_STEADY) == steady_ones)
			weir_intervals_push(windows, on_device->start_ns[s],
			                    next_start_ns != INT64_MAX ? next_start_ns
			                                               : on_device->end_ns[s]);
		next_start_ns = on_device->start_ns[s];
	}
	weir_intervals_unite(windows);
}

static void choose_windows(struct weir_intervals *out, const struct weir_steps *steps,
                           struct device_steps *on_device, struct weir_interval all)
{
	struct weir_intervals apart = {0}, whole = {0};

	if (steps->explicit_steps) {
		push_step_windows(out, steps, on_device, true);
	} else {
		weir_intervals_push(&whole, all.start_ns, all.end_ns);
		push_step_windows(&apart, steps, on_device, false);
		weir_intervals_subtract(&whole, &apart, out);
	}
	weir_intervals_release(&apart);
	weir_intervals_release(&whole);
	if (out->count == 0)
		weir_intervals_push(out, all.start_ns, all.end_ns);
	else
		widen_to_steps(out, steps, on_device, true);
}

static size_t count_steady(const struct weir_steps *steps)
{
	size_t count = 0;

	for (size_t i = 0; i < steps->step_count; i++)
		count += steps->steps[i].state == WEIR_STEP_STEADY;
	return count;
}

/* Returns true if the windows are a sliver of the trace in time, and either in device work as well
 * (most of it is linked to no step) or of few steps behind a first one that is set apart: the
 * trace then shows a start, such as that of a program that was profiled from its first line. */
static bool is_sliver(const struct weir_intervals *windows, struct weir_interval all,
                      const struct weir_steps *steps, const struct weir_device_columns *device,
                      size_t first, size_t end)
{
	size_t inside = 0;

	if ((double)weir_intervals_total(windows) >
	    SLIVER * (double)weir_span_ns(all.start_ns, all.end_ns))
		return false;
	if (steps->step_count > 0 && steps->steps[0].state != WEIR_STEP_STEADY &&
	    count_steady(steps) < SAMPLE_STEPS)
		return true;
	for (size_t i = first; i < end; i++)
		inside += weir_intervals_contains(windows, device->start_ns[i]);
	return (double)inside < SLIVER * (double)(end - first);
}

/* Returns the first collective of the device if it lasts much longer than any later one, else
 * WEIR_NONE: it waits for ranks whose profilers start later. */
static uint32_t long_first_collective(const struct weir_timeline *timeline, size_t first,
                                      size_t end)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	uint32_t found = WEIR_NONE;
	int64_t longest_ns = 0, ns;

	for (size_t i = first; i < end; i++) {
		if (timeline->work[i] != WEIR_WORK_COMM)
			continue;
		ns = weir_span_ns(device->start_ns[i], device->end_ns[i]);
		if (found == WEIR_NONE)
			found = (uint32_t)i;
		else if (ns > longest_ns)
			longest_ns = ns;
	}
	if (found == WEIR_NONE || longest_ns == 0)
		return WEIR_NONE;
	ns = weir_span_ns(device->start_ns[found], device->end_ns[found]);
	return ns >= FIRST_WAIT_NS && ns / WEIR_FIRST_WAIT_FACTOR > longest_ns ? found : WEIR_NONE;
}

/* Sets the device's window to its whole time; if `steady`, without a long first collective. */
static void take_whole(struct weir_steps *steps, const struct weir_timeline *timeline, size_t d,
                       struct weir_interval all, bool steady)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	struct weir_intervals whole = {0}, apart = {0};
	uint32_t row = steady ? long_first_collective(timeline, timeline->first_row[d],
	                                              timeline->first_row[d + 1])
	                      : WEIR_NONE;

	weir_intervals_clear(&steps->windows[d]);
	weir_intervals_push(&whole, all.start_ns, all.end_ns);
	if (row != WEIR_NONE) {
		weir_intervals_push(&apart, device->start_ns[row], device->end_ns[row]);
		if (weir_intervals_total(&apart) > steps->first_wait_ns)
			steps->first_wait_ns = weir_intervals_total(&apart);
	}
	weir_intervals_subtract(&whole, &apart, &steps->windows[d]);
	weir_intervals_release(&whole);
	weir_intervals_release(&apart);
}

void weir_steady_windows(struct weir_steps *steps, const struct weir_timeline *timeline,
                         bool steady)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	struct device_steps on_device = {
		weir_alloc((steps->step_count + 1) * sizeof(int64_t)),
		weir_alloc((steps->step_count + 1) * sizeof(int64_t)),
		WEIR_NONE,
	};

	steps->windows = weir_alloc((steps->device_count + 1) * sizeof *steps->windows);
	for (size_t d = 0; d < steps->device_count; d++) {
		size_t first = timeline->first_row[d], end = timeline->first_row[d + 1];
		struct weir_interval all = {INT64_MAX, INT64_MIN};

		for (size_t i = first; i < end; i++) {
			all.start_ns = device->start_ns[i] < all.start_ns ? device->start_ns[i]
			                                                  : all.start_ns;
			all.end_ns =
				device->end_ns[i] > all.end_ns ? device->end_ns[i] : all.end_ns;
		}
		if (first == end)
			continue;
		find_device_steps(&on_device, steps, device, first, end);
		extend_first_step(&on_device, steps, timeline->trace);
		if (steady && steps->step_count > 0)
			choose_windows(&steps->windows[d], steps, &on_device, all);
		if (steps->windows[d].count > 0 &&
		    !is_sliver(&steps->windows[d], all, steps, device, first, end))
			continue;
		steps->sliver |= steps->windows[d].count > 0;
		take_whole(steps, timeline, d, all, steady);
		if (!steady)
			widen_to_steps(&steps->windows[d], steps, &on_device, false);
	}
	free(on_device.start_ns);
	free(on_device.end_ns);
}
