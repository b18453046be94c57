/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What monitors of devices say of the analysed time: use, power, heat and clocks.
 *
 * Which samples count. A monitor's local time becomes Unix time by the whole quarter of an hour
 * (the step of the world's zones, from UTC-12 to UTC+14) that puts most of its samples into the
 * window; of equal ones by the smallest. A monitor that knows no date is tried on the days around
 * the window. Where any sample of any monitor is inside the window the figures are `aligned`, and
 * only samples inside count, [start, end); else every sample does.
 *
 * In use is a sample with a utilisation above 0; without one, with an activity of multiprocessors
 * above 0; without either, where the idle bit is not set or power is clearly above the device's
 * idle level: a quarter of the way from the least to the most power that its monitor saw of it,
 * where the most is at least 1.25 times the least. Where nothing of this is given the device counts
 * as in use.
 *
 * Shares of clocks held down are of the samples in use that state the reasons; where none does, of
 * the time between samples of a device by the differences of its running totals, the later sample
 * in use. Power is a power cap or the brake, heat a slowdown by software or hardware
 * (WEIR_CLOCKS_POWER, WEIR_CLOCKS_HEAT).
 */
#ifndef WEIR_ANALYSIS_TELEMETRY_H
#define WEIR_ANALYSIS_TELEMETRY_H

#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/model/profile.h"
#include "engine/model/report.h"

/*
 * Fills *out from all telemetry of the profile; without any, everything is 0 or unknown. The window
 * is in Unix time, 0 and 0: there is none. Texts go to the arena. Samples and devices are those
 * that count; devices of one id are one device. span_ns is the longest of a single monitor; the
 * power limit is the lowest stated, the highest clock the highest stated, or the highest seen where
 * none is. Means are over samples, all of them weighing the same.
 */
void weir_telemetry_figures(const struct weir_profile *profile, int64_t window_start_ns,
                            int64_t window_end_ns, struct weir_arena *arena,
                            struct weir_telemetry_figures *out);

#endif
