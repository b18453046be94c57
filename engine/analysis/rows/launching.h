/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report says of idle time by name, of launches, of the queue and of waiting threads. Ranks
 * run the same program: launches, queue and waits are those of the first that has device work. */
#ifndef WEIR_ANALYSIS_LAUNCHING_H
#define WEIR_ANALYSIS_LAUNCHING_H

#include "engine/analysis/rows/analysis_impl.h"

/* Launches of one trace by call and class of work; free() the rows. Names are borrowed from the
 * trace. */
struct weir_launch_row *weir_launch_rows(const struct weir_timeline *timeline,
                                         const struct weir_intervals *windows, size_t *count);

void weir_fill_launching(const struct weir_analysis *analysis, const struct weir_ledger *total,
                         struct weir_report *report);

#endif
