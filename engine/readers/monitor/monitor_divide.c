/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells devices apart by the times of their rows, in files that do not name devices. */
#include <stdio.h>
#include <string.h>

#include "engine/readers/monitor/monitor.h"

#define NS_PER_S   INT64_C(1000000000)
#define NEAR_NS    INT64_C(10000000) /* no monitor repeats its samples as fast */
#define FAR_APART  5                 /* steps between groups over those within a group */
#define MIN_GROUPS 2                 /* times that have all their rows */

/* The rows of a file by their times. */
struct groups {
	size_t count;        /* times that have all their rows */
	size_t size;         /* rows of each of them; 0: they differ */
	bool repeated, fine; /* several rows have one time; a time is no whole second */
};

/* Returns the end of the rows that have the time of the row `first`. */
static size_t end_of(const struct weir_telemetry *telemetry, size_t first)
{
	size_t end = first + 1;

	while (end < telemetry->count &&
	       telemetry->samples[end].at_ns == telemetry->samples[first].at_ns)
		end++;
	return end;
}

static struct groups group_rows(const struct weir_telemetry *telemetry)
{
	struct groups groups = {0};
	bool even = true;

	for (size_t at = 0, end; at < telemetry->count; at = end) {
		size_t size = (end = end_of(telemetry, at)) - at;
		bool is_last = end == telemetry->count;

		groups.repeated |= size > 1;
		groups.fine |= telemetry->samples[at].at_ns % NS_PER_S != 0;
		if (!at)
			groups.size = size;
		even &= is_last ? size <= groups.size : size == groups.size;
		groups.count += size == groups.size;
	}
	if (!even)
		groups.size = 0;
	return groups;
}

/* Gives the n-th row of each time to the n-th device. */
static void divide(struct weir_telemetry *telemetry, size_t devices, const char *name)
{
	for (size_t i = 1; i < devices; i++) {
		char id[24];
		uint32_t device;

		snprintf(id, sizeof(id), "%zu", i);
		device = weir_telemetry_device(telemetry, id, strlen(id));
		weir_telemetry_name_device(telemetry, device, name, name ? strlen(name) : 0);
	}
	for (size_t at = 0, end; at < telemetry->count; at = end) {
		end = end_of(telemetry, at);
		for (size_t i = at; i < end; i++)
			telemetry->samples[i].device = (uint32_t)(i - at);
	}
}

/* The steps between rows in time. */
struct near_steps {
	int64_t longest_ns; /* of all */
	int64_t near_ns;    /* the longest that is short beside `longest_ns` */
	size_t size;        /* rows of a group; 0: groups differ */
	size_t groups;      /* with all their rows */
};

/* Finds the longest step, and the longest of the steps that are short beside it. False if times go
 * back or are missing. */
static bool measure_steps(const struct weir_telemetry *telemetry, struct near_steps *steps)
{
	const struct weir_telemetry_sample *samples = telemetry->samples;

	*steps = (struct near_steps){.longest_ns = 0};
	for (size_t i = 1; i < telemetry->count; i++) {
		if (samples[i - 1].at_ns == WEIR_NO_TIME || samples[i].at_ns < samples[i - 1].at_ns)
			return false;
		if (samples[i].at_ns - samples[i - 1].at_ns > steps->longest_ns)
			steps->longest_ns = samples[i].at_ns - samples[i - 1].at_ns;
	}
	for (size_t i = 1; i < telemetry->count; i++) {
		int64_t step_ns = samples[i].at_ns - samples[i - 1].at_ns;

		if (step_ns <= steps->longest_ns / FAR_APART && step_ns > steps->near_ns)
			steps->near_ns = step_ns;
	}
	return true;
}

/* Counts the rows between far steps. The last group may have fewer. */
static void count_groups(const struct weir_telemetry *telemetry, struct near_steps *steps)
{
	size_t size = 1;

	for (size_t i = 1; i <= telemetry->count; i++) {
		bool is_last = i == telemetry->count;

		if (!is_last && telemetry->samples[i].at_ns - telemetry->samples[i - 1].at_ns <=
		                        steps->near_ns) {
			size++;
			continue;
		}
		if (!steps->groups)
			steps->size = size;
		if (size == steps->size)
			steps->groups++;
		else if (!is_last || size > steps->size)
			steps->size = 0;
		size = 1;
	}
}

/* Warns if rows come in groups of one size with short steps: a monitor prints its devices one after
 * the other. A single group may be a pause of the monitor, unless no monitor is as fast. */
static void warn_of_groups(struct weir_monitor *monitor)
{
	struct near_steps steps;
	char detail[64];

	if (!measure_steps(monitor->telemetry, &steps) || steps.near_ns <= 0)
		return;
	count_groups(monitor->telemetry, &steps);
	if (steps.size < 2 || steps.size == monitor->telemetry->count ||
	    (steps.groups < MIN_GROUPS && steps.near_ns > NEAR_NS))
		return;
	snprintf(detail, sizeof(detail), "%zu rows at a time, perhaps of as many devices",
	         steps.size);
	weir_input_warn(monitor->input, WEIR_WARN_UNNAMED_DEVICES, UINT64_MAX, detail);
}

void weir_monitor_divide(struct weir_monitor *monitor)
{
	struct weir_telemetry *telemetry = monitor->telemetry;
	struct groups groups;

	if (monitor->has_id || monitor->stride > 1 || !monitor->has_time ||
	    telemetry->device_count != 1)
		return;
	groups = group_rows(telemetry);
	if (groups.size > 1 && groups.size <= WEIR_MAX_TELEMETRY_DEVICES && groups.fine &&
	    groups.count >= MIN_GROUPS)
		divide(telemetry, groups.size,
		       monitor->mixed_names ? NULL : telemetry->devices[0].name);
	else if (groups.repeated)
		weir_input_warn(monitor->input, WEIR_WARN_UNNAMED_DEVICES, UINT64_MAX, NULL);
	else
		warn_of_groups(monitor);
}
