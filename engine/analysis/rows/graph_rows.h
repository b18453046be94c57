/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report's rows about graphs: bodies that are the same in several ranks are one row. */
#ifndef WEIR_ANALYSIS_GRAPH_ROWS_H
#define WEIR_ANALYSIS_GRAPH_ROWS_H

#include "engine/analysis/rows/analysis_impl.h"

/*
 * A gap inside a replay is unrecorded work or waiting where its median is more than so many times
 * the graph's median gap, and longer than the device's own gap between queued kernels
 * (WEIR_INTER_KERNEL_NS). Of a loop inside a graph profilers record the first turn only, so the
 * other turns look like this; so do callbacks to the host, and work that the profiler lost.
 */
#define WEIR_UNRECORDED_GAPS 10.0
/* What comes back in each of so many replays is no stall that happened to hit one of them. */
#define WEIR_UNRECORDED_REPLAYS 3

/* Fills report->graphs, and notes what they show; needs the operators. */
void weir_fill_graphs(const struct weir_analysis *analysis, struct weir_report *report);

#endif
