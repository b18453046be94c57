/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/readers/host/perf_event.h"

bool weir_perf_event_is_time(struct weir_slice event)
{
	return weir_slice_holds(event, "clock") || weir_slice_holds(event, "cycles");
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
	profile->cycles = weir_slice_holds(event, "cycles");
	if (!weir_perf_event_is_time(event))
		memcpy(profile->event, event.data, length);
}
