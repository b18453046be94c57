/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups the launches of one trace by API call and class of work. */
#ifndef WEIR_ANALYSIS_TIMELINE_LAUNCH_GROUPS_H
#define WEIR_ANALYSIS_TIMELINE_LAUNCH_GROUPS_H

#include <stddef.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/launch_figures.h"

/* Returns the launches in the windows, the most frequent group first, at most
 * WEIR_MAX_LAUNCH_ROWS. The caller frees the rows; names are borrowed from the trace. */
struct weir_launch_row *weir_launch_rows(const struct weir_timeline *timeline,
                                         const struct weir_intervals *windows, size_t *count);

#endif
