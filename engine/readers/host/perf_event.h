/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of Linux perf, for the readers of `perf script` and `perf report`. */
#ifndef WEIR_READERS_HOST_PERF_EVENT_H
#define WEIR_READERS_HOST_PERF_EVENT_H

#include <stdbool.h>

#include "engine/base/slice.h"
#include "engine/model/hostprofile.h"

/* True if samples of the event come at equal times: of a clock or of cycles. */
bool weir_perf_event_is_time(struct weir_slice event);
/* True for the event of a tracepoint or a probe, "sched:sched_switch", and false for "cycles:ppp".
 */
bool weir_perf_event_is_tracepoint(struct weir_slice event);
/* True if samples of the event in the idle task tell that a processor was idle. */
bool weir_perf_event_tells_idle(struct weir_slice event);
/* Sets the unit of the profile from its event: clocks count nanoseconds. Without counts samples are
 * counted. The profile names an event that is no time. */
void weir_perf_event_set(struct weir_host_profile *profile, struct weir_slice event, bool counted);

#endif
