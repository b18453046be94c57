/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures of device monitors for the analysed time: utilisation, power, temperature and clocks.
 *
 * Selection of samples. A monitor's local time becomes Unix time by the time zone offset, in whole
 * quarters of an hour from UTC-12 to UTC+14, that puts most of its samples into the window; of
 * equally good offsets the smallest. For a monitor without dates, the days around the window are
 * tried as well. If any sample of any monitor is inside the window, [start, end), the figures are
 * `aligned` and only samples inside count; otherwise every sample counts.
 *
 * A device is in use at a sample if its utilisation is above 0; without utilisation, if the
 * activity of its multiprocessors is above 0; without either, if the idle bit is not set or power
 * is clearly above the idle level: more than a quarter of the way from the lowest to the highest
 * power that its monitor saw, provided that the highest is at least 1.25 times the lowest. Without
 * any of these figures, the device counts as in use.
 *
 * Instances of a divided GPU (MIG) are parts of it. A gauge that any sample of a whole device
 * states is taken from whole devices of this monitor only, because parts would count the same work
 * again. A sample of a part that adds nothing then does not count.
 *
 * The share of time with reduced clocks is taken over the samples in use that state the reasons. If
 * no sample does, it comes from the differences of running totals between consecutive samples of a
 * device, if the later one is in use. Power means a power cap or the power brake, heat a slowdown
 * by software or hardware (WEIR_CLOCKS_POWER, WEIR_CLOCKS_HEAT).
 */
#ifndef WEIR_ANALYSIS_REQUESTS_TELEMETRY_H
#define WEIR_ANALYSIS_REQUESTS_TELEMETRY_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/names.h"
#include "engine/base/text.h"
#include "engine/model/profile.h"
#include "engine/model/report.h"

/* Unix time, half-open; start == end: no window. */
struct weir_telemetry_window {
	int64_t start_ns, end_ns;
};

/*
 * Fills *out from all telemetry of the profile; without telemetry, everything is 0 or unknown. The
 * window is in Unix time; 0 and 0: no window. Texts go to the arena. Only selected samples and
 * their devices are counted; devices with the same id are one device, and parts are counted only if
 * no whole device is. Distinct names are joined by ", ". span_ns is the longest of a
 * single monitor; the power limit is the lowest stated; the highest clock is the highest stated, or
 * the highest seen if none is stated. All samples have the same weight in means. The busiest and
 * the idlest device are those with the highest and lowest mean utilisation or, if less than two
 * devices state it, mean power, over all their samples.
 */
void weir_telemetry_figures(const struct weir_profile *profile, int64_t window_start_ns,
                            int64_t window_end_ns, struct weir_arena *arena,
                            struct weir_telemetry_figures *out);

/* Appends the first few names, from the one numbered `none` on, joined by ", "; then "..." for the
 * further ones. */
void weir_join_device_names(const struct weir_names *names, size_t none, struct weir_text *out);

/* Returns the offset to add to the monitor's times, see above; 0 if they are in Unix time, or if no
 * offset brings a sample into the window. */
int64_t weir_telemetry_shift(const struct weir_telemetry *telemetry,
                             struct weir_telemetry_window window);

#endif
