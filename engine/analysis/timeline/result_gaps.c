/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/timeline/result_gaps.h"
#include "engine/model/bound.h"

/* Returns the bytes that a device row copies to the host; 0: it is another work, or they are not
 * known. row may be WEIR_NONE. */
static int64_t result_bytes(const struct weir_timeline *timeline, uint32_t row)
{
	const char *name;

	if (row == WEIR_NONE || timeline->trace->device.kind[row] != WEIR_DEVICE_COPY)
		return 0;
	name = weir_timeline_device_name(timeline, row);
	if (!strstr(name, "DtoH") && !strstr(name, "DeviceToHost"))
		return 0;
	return timeline->trace->device.bytes[row] > 0 ? timeline->trace->device.bytes[row] : 0;
}

void weir_result_gaps_find(const struct weir_timeline *timeline,
                           const struct weir_segments *segments, struct weir_result_gaps *out)
{
	uint32_t last = WEIR_NONE;

	for (size_t i = 0; i < segments->count; i++) {
		const struct weir_segment *segment = &segments->items[i];
		int64_t ns = weir_segment_ns(segment), bytes;

		if (i > 0 && segment[-1].device != segment->device)
			last = WEIR_NONE;
		if (segment->busy)
			last = segment->row;
		if (segment->busy || segment->idle != WEIR_IDLE_HOST_IDLE)
			continue;
		out->no_work_ns = weir_add_ns(out->no_work_ns, ns);
		bytes = result_bytes(timeline, last);
		if (bytes < WEIR_RESULT_LEAST_BYTES ||
		    (double)ns > (double)bytes / WEIR_RESULT_SLOWEST_PASS * 1e9)
			continue;
		out->behind_ns = weir_add_ns(out->behind_ns, ns);
		out->count++;
	}
}
