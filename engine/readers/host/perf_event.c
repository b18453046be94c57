/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/readers/host/perf_event.h"

/* Letters behind the colon of an event of the processor, "cycles:ppp". */
#define MODIFIERS "ukhGHIpPSDWeb"

bool weir_perf_event_is_time(struct weir_slice event)
{
	return !weir_perf_event_is_tracepoint(event) &&
	       (weir_slice_holds(event, "clock") || weir_slice_holds(event, "cycles"));
}

bool weir_perf_event_is_tracepoint(struct weir_slice event)
{
	const char *colon = memchr(event.data, ':', event.length);
	size_t end = colon ? (size_t)(colon - event.data) : event.length;

	if (memchr(event.data, '/', event.length))
		return false;
	for (size_t i = end + 1; i < event.length; i++)
		if (!event.data[i] || !strchr(":" MODIFIERS, event.data[i]))
			return true;
	return false;
}

bool weir_perf_event_tells_idle(struct weir_slice event)
{
	return !weir_perf_event_is_tracepoint(event) &&
	       (weir_perf_event_is_time(event) || weir_slice_holds(event, "instructions"));
}

static enum weir_host_unit unit_of(struct weir_slice event, bool counted)
{
	if (!counted)
		return WEIR_HOST_SAMPLES;
	return weir_slice_starts(event, "cpu-clock") || weir_slice_starts(event, "task-clock")
	               ? WEIR_HOST_NS
	               : WEIR_HOST_EVENTS;
}

void weir_perf_event_set(struct weir_host_profile *profile, struct weir_slice event, bool counted)
{
	size_t length = event.length < WEIR_MAX_HOST_EVENT ? event.length : WEIR_MAX_HOST_EVENT - 1;

	profile->unit = unit_of(event, counted);
	profile->occurrences = weir_perf_event_is_tracepoint(event);
	profile->cycles = !profile->occurrences && weir_slice_holds(event, "cycles");
	if (!weir_perf_event_is_time(event))
		memcpy(profile->event, event.data, length);
}
