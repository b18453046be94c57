/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the memory events of one trace and its allocation calls say. NAN is unknown throughout. */
#ifndef WEIR_ANALYSIS_MEMORY_H
#define WEIR_ANALYSIS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/intervals.h"
#include "engine/analysis/timeline.h"
#include "engine/model/report.h"

#define WEIR_SLOW_ALLOCATION_NS 1000000 /* 1 ms: the driver waited or mapped fresh memory */

struct weir_memory_usage {
	bool known; /* false: no memory events of a device; slow allocations are counted anyway */
	int32_t device_id; /* the device with the largest peak, as in the events */
	/*
	 * Peaks are over the whole trace; fragmentation is 1 - allocated / reserved at the peak of
	 * allocated memory; the leak is the median change of allocated memory from one step's end
	 * to the next; allocations by the framework are not slow allocations, which are driver
	 * calls.
	 */
	struct weir_memory_figures figures;
	double allocations_per_step; /* framework allocations inside the windows, per step */
	double peak_share; /* of the device's memory: reserved at its peak, else allocated */
};

/* step_end_ns: ascending ends of the analysed steps; may be NULL with 0 steps. Windows are united.
 */
void weir_memory_measure(const struct weir_timeline *timeline, const struct weir_intervals *windows,
                         const int64_t *step_end_ns, size_t step_count,
                         struct weir_memory_usage *out);

#endif
