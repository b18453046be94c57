/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>

#include "engine/analysis/requests/telemetry_window.h"

#define NS_PER_SECOND INT64_C(1000000000)
#define QUARTER_NS    (900 * NS_PER_SECOND)
#define DAY_NS        (86400 * NS_PER_SECOND)
/* In quarters: local time is ahead of UTC by up to 14 hours and behind by up to 12. */
#define EARLIEST INT64_C(-56)
#define LATEST   INT64_C(48)
/* Of a monitor without a date: the same from three days before to one day behind. */
#define EARLIEST_UNDATED (EARLIEST - 288)
#define LATEST_UNDATED   (LATEST + 96)
#define STEPS            (LATEST_UNDATED - EARLIEST_UNDATED + 1)

/* Quarters of an hour, from the first to the last, that are tried. */
struct steps {
	int64_t base_ns; /* that is added whatever the step */
	int64_t first, last;
	size_t gained[STEPS + 1]; /* samples that a step brings in, less those it takes out */
};

static int64_t divide_up(int64_t value, int64_t by)
{
	return value / by + (value % by > 0);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* The steps at which the sample is inside the window. */
static void count_sample(struct steps *steps, int64_t at_ns, struct weir_telemetry_window window)
{
	int64_t first = divide_up(window.start_ns - at_ns, QUARTER_NS);
	int64_t behind = divide_up(window.end_ns - at_ns, QUARTER_NS);

	first = clamp(first, steps->first, steps->last + 1);
	behind = clamp(behind, steps->first, steps->last + 1);
	steps->gained[first - steps->first]++;
	steps->gained[behind - steps->first]--; /* wraps, and the running sum wraps back */
}

static int64_t magnitude(int64_t value)
{
	return value < 0 ? -value : value;
}

/* The step with most samples inside; of equal ones the smallest; 0 where there is none. */
static int64_t best_step(const struct steps *steps)
{
	size_t inside = 0, most = 0;
	int64_t best = 0;

	for (int64_t step = steps->first; step <= steps->last; step++) {
		inside += steps->gained[step - steps->first];
		if (inside > most || (inside == most && magnitude(step) < magnitude(best))) {
			best = inside ? step : 0;
			most = inside;
		}
	}
	return best;
}

int64_t weir_telemetry_shift(const struct weir_telemetry *telemetry,
                             struct weir_telemetry_window window)
{
	struct steps steps = {.first = EARLIEST, .last = LATEST};

	if (!telemetry->local_time || window.end_ns <= window.start_ns)
		return 0;
	if (telemetry->no_date) {
		steps.base_ns = window.start_ns / DAY_NS * DAY_NS;
		steps.first = EARLIEST_UNDATED;
		steps.last = LATEST_UNDATED;
	}
	for (size_t i = 0; i < telemetry->count; i++)
		if (telemetry->samples[i].at_ns != WEIR_NO_TIME)
			count_sample(&steps, telemetry->samples[i].at_ns + steps.base_ns, window);
	return steps.base_ns + best_step(&steps) * QUARTER_NS;
}
