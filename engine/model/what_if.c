/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/model/what_if.h"

WEIR_ENUM_TEXTS(weir_time_part, [WEIR_TIME_LATE_SYNC] = "late_sync",
                [WEIR_TIME_LATE_BEFORE] = "late_before", [WEIR_TIME_LATE_AFTER] = "late_after",
                [WEIR_TIME_EXPOSED_COMMUNICATION] = "exposed_communication",
                [WEIR_TIME_EXPOSED_TRANSFER] = "exposed_transfer",
                [WEIR_TIME_EXPOSED_WAIT] = "exposed_wait",
                [WEIR_TIME_EXPOSED_WAIT_HOST] = "exposed_wait_host",
                [WEIR_TIME_BANDWIDTH_LIMITED] = "bandwidth_limited")

/* Groups of causes: host code, and everything that makes a launch late. A lack of work is not
 * lateness. */
#define HOST_COMPUTE                                                                               \
	(WEIR_IDLE_BIT(WEIR_IDLE_DISPATCH) | WEIR_IDLE_BIT(WEIR_IDLE_PYTHON) |                     \
	 WEIR_IDLE_BIT(WEIR_IDLE_HOST_WORK))
#define GARBAGE (WEIR_IDLE_BIT(WEIR_IDLE_GARBAGE) | WEIR_IDLE_BIT(WEIR_IDLE_LIKELY_GARBAGE))
#define HOST_LATE                                                                                  \
	(HOST_COMPUTE | WEIR_IDLE_BIT(WEIR_IDLE_INPUT) | WEIR_IDLE_BIT(WEIR_IDLE_HOST_SYNC) |      \
	 WEIR_IDLE_BIT(WEIR_IDLE_ALLOCATOR) | WEIR_IDLE_BIT(WEIR_IDLE_COMPILE_LOAD) | GARBAGE |    \
	 WEIR_IDLE_BIT(WEIR_IDLE_LOCK) | WEIR_IDLE_BIT(WEIR_IDLE_LAUNCH_LATENCY) |                 \
	 WEIR_IDLE_BIT(WEIR_IDLE_PROFILER))

static const struct {
	const char *name;
	uint32_t idles;
} groups[] = {
	{"host_compute", HOST_COMPUTE},
	{"host_late", HOST_LATE},
};

static bool find_idles(const char *name, struct weir_change *out)
{
	enum weir_idle idle;

	out->of = WEIR_CHANGE_IDLE;
	if (weir_idle_parse(name, &idle)) {
		out->class_name = weir_idle_name(idle);
		out->idles = WEIR_IDLE_BIT(idle);
		return true;
	}
	for (size_t i = 0; i < WEIR_COUNT_OF(groups); i++) {
		out->class_name = groups[i].name;
		out->idles = groups[i].idles;
		if (strcmp(name, out->class_name) == 0)
			return true;
	}
	return false;
}

static bool find_class(const char *name, struct weir_change *out)
{
	out->of = WEIR_CHANGE_BOUND;
	if (weir_bound_parse(name, &out->bound)) {
		out->class_name = weir_bound_name(out->bound);
		return out->bound != WEIR_BOUND_UNDETERMINED;
	}
	if (find_idles(name, out))
		return true;
	out->of = WEIR_CHANGE_PART;
	if (!weir_time_part_parse(name, &out->part))
		return false;
	out->class_name = weir_time_part_name(out->part);
	return true;
}

static enum weir_status fail_unknown(const char *text, const char *name, struct weir_error *err)
{
	const char *names[WEIR_BOUND_UNDETERMINED + WEIR_IDLE_COUNT + WEIR_COUNT_OF(groups) +
	                  WEIR_TIME_COUNT + 1] = {NULL};
	const char *nearest;
	size_t count = 0;

	for (size_t i = 0; i < WEIR_BOUND_UNDETERMINED; i++)
		names[count++] = weir_bound_texts.texts[i];
	for (size_t i = 0; i < WEIR_IDLE_COUNT; i++)
		names[count++] = weir_idle_texts.texts[i];
	for (size_t i = 0; i < WEIR_COUNT_OF(groups); i++)
		names[count++] = groups[i].name;
	for (size_t i = 0; i < WEIR_TIME_COUNT; i++)
		names[count++] = weir_time_part_texts.texts[i];
	nearest = weir_text_nearest(name, names);
	if (nearest)
		return weir_fail(err, WEIR_E_USAGE, "%.64s: no such class; did you mean %s?", text,
		                 nearest);
	return weir_fail(err, WEIR_E_USAGE,
	                 "%.64s: no such class; expected a bound (runtime, memory), a cause of "
	                 "idle time (dispatch, host_sync) or a part of the time (late_sync)",
	                 text);
}

enum weir_status weir_change_parse(const char *text, struct weir_change *out,
                                   struct weir_error *err)
{
	const char *equals = strchr(text, '=');
	char name[32] = "";
	size_t length = equals ? (size_t)(equals - text) : 0;

	*out = (struct weir_change){.factor = 1};
	if (!equals)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%.64s: expected CLASS=FACTOR, such as runtime=0", text);
	if (length < sizeof name)
		memcpy(name, text, length);
	if (!find_class(name, out))
		return fail_unknown(text, name, err);
	if (!weir_parse_double(equals + 1, strlen(equals + 1), &out->factor) ||
	    !(out->factor >= 0 && out->factor <= WEIR_WHAT_IF_MAX_FACTOR))
		return weir_fail(err, WEIR_E_USAGE,
		                 "%.64s: expected a factor from 0 (removed) to %g", text,
		                 WEIR_WHAT_IF_MAX_FACTOR);
	return WEIR_OK;
}
