/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a monitor's samples lie in Unix time. */
#ifndef WEIR_ANALYSIS_TELEMETRY_WINDOW_H
#define WEIR_ANALYSIS_TELEMETRY_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/model/telemetry.h"

/* Unix time, half-open; start == end: there is none. */
struct weir_telemetry_window {
	int64_t start_ns, end_ns;
};

/* What to add to the monitor's times, see engine/analysis/requests/telemetry.h; 0 for those in Unix
 * time and where no sample falls into the window anyhow. */
int64_t weir_telemetry_shift(const struct weir_telemetry *telemetry,
                             struct weir_telemetry_window window);

static inline bool weir_telemetry_is_inside(const struct weir_telemetry_sample *sample,
                                            int64_t shift_ns, struct weir_telemetry_window window)
{
	return sample->at_ns != WEIR_NO_TIME && sample->at_ns + shift_ns >= window.start_ns &&
	       sample->at_ns + shift_ns < window.end_ns;
}

#endif
