/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The operators behind the work of graphs. A replay does not say which operator a kernel is of; the
 * same program run op by op does: warm-up steps before a capture, in the same trace, or another
 * input of the run. Kernels are matched in the order in which they run on a stream, exactly, by
 * name, kind, and the products of grid and block, in pieces of WEIR_CAPTURE_PIECE in a row (of a
 * whole stream of the graph where that is shorter). A position takes an operator over when every
 * piece around it that occurs op by op, and every occurrence of it, agrees; a shape likewise.
 *
 * Equal kernels in equal order may still do other work (a longer context, a larger inner
 * dimension): a shape is taken over only where the operator's kernels take about as long in both,
 * see WEIR_SAME_WORK. What is taken over can still be wrong in a dimension that neither the grid
 * nor the time shows.
 */
#ifndef WEIR_ANALYSIS_GRAPH_CAPTURES_H
#define WEIR_ANALYSIS_GRAPH_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/graphs/graphs.h"
#include "engine/analysis/timeline/timeline.h"

/* A layer of a transformer has more kernels than this: pieces tell its parts apart, and are found
 * where only a layer's edge differs. */
#define WEIR_CAPTURE_PIECE 8
/* Shorter streams of a graph are not looked for: a few kernels in a row are anywhere. */
#define WEIR_CAPTURE_LEAST 4
/* Positions of all graphs of a trace that are looked for, in order of the graphs. */
#define WEIR_CAPTURE_POSITIONS 65536
/* Longer or shorter by more than this: other work in the same grid. Caches and clocks explain
 * less. */
#define WEIR_SAME_WORK 2.0

/* What a position was found to be. */
struct weir_graph_op {
	uint32_t op_row; /* host row of a run of its operator in the source; WEIR_NONE: not known */
	bool shaped;     /* the shape of op_row is that of this position */
	uint16_t part, parts; /* which of the operator's kernels, of how many; parts 0: they are not
	                         together on one stream */
	double mean_ns;       /* of its occurrences op by op */
};

/*
 * Fills ops, one a position of graphs; returns how many positions have an operator. The source is
 * the same trace or another one.
 */
size_t weir_graph_captures_find(const struct weir_timeline *timeline,
                                const struct weir_graphs *graphs,
                                const struct weir_timeline *source, struct weir_graph_op *ops);

#endif
