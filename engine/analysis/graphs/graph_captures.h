/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the operators behind replayed kernels. A replay does not record the operator of a kernel,
 * but the same program run without graphs does: warm-up steps before a capture, in the same trace
 * or in another input of the run (the source).
 *
 * Kernels are matched exactly, in the order in which they run on a stream, by name, kind, and the
 * products of grid and block, in pieces of WEIR_CAPTURE_PIECE consecutive kernels (or a whole
 * stream of the graph if that is shorter). A position gets an operator if all pieces around it that
 * occur in the source, and all their occurrences, agree on it; likewise for the shape.
 *
 * Equal kernels in equal order may still do other work (a longer context, a larger inner
 * dimension). A shape is therefore used only if the operator's kernels take about as long in both,
 * see WEIR_SAME_WORK. It can still be wrong in a dimension that affects neither the grid nor the
 * time.
 */
#ifndef WEIR_ANALYSIS_GRAPHS_GRAPH_CAPTURES_H
#define WEIR_ANALYSIS_GRAPHS_GRAPH_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/graphs/graphs.h"
#include "engine/analysis/timeline/timeline.h"

/* A transformer layer has more kernels than this, so that pieces distinguish its parts and are
 * still found if only the edge of a layer differs. */
#define WEIR_CAPTURE_PIECE 8
/* Shorter streams of a graph are not searched: a few kernels in a row occur anywhere. */
#define WEIR_CAPTURE_LEAST 4
/* Positions of all graphs of a trace that are searched, in order of the graphs. */
#define WEIR_CAPTURE_POSITIONS 65536
/* A larger ratio of durations means other work in the same grid: caches and clocks explain less. */
#define WEIR_SAME_WORK 2.0

/* The operator of a position. */
struct weir_graph_op {
	/* Host row of a run of its operator in the source; WEIR_NONE: not known. */
	uint32_t op_row;
	bool shaped; /* this position has the shape of op_row */
	/* Index of this kernel among those of the operator, and their number; parts 0: they are not
	 * together on one stream. */
	uint16_t part, parts;
	double mean_ns; /* mean duration of its occurrences in the source */
};

/* Fills ops, one per position of the graphs; returns the number of positions with an operator. The
 * source may be the same trace. */
size_t weir_graph_captures_find(const struct weir_timeline *timeline,
                                const struct weir_graphs *graphs,
                                const struct weir_timeline *source, struct weir_graph_op *ops);

#endif
