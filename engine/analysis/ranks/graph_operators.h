/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assigns operators and shapes to the kernels of CUDA graphs (graph_captures.h) on all ranks. They
 * come from the rank's own trace; if nothing ran outside the graph there, from the first other
 * input with matching work. The work of an operator is then split among its kernels in proportion
 * to their time, so that each shows the operator's rates. Groups of device work whose rows are all
 * known are judged by that work instead of by the family of their kernel.
 */
#ifndef WEIR_ANALYSIS_RANKS_GRAPH_OPERATORS_H
#define WEIR_ANALYSIS_RANKS_GRAPH_OPERATORS_H

#include <stddef.h>

#include "engine/analysis/rank/rank.h"
#include "engine/model/finding.h"

/* Other inputs to search for the operators of one trace. */
#define WEIR_CAPTURE_SOURCES 8

void weir_graph_operators_take(struct weir_rank *ranks, size_t count);

/* Returns the number of positions of a body with an operator. */
size_t weir_graph_matched(const struct weir_rank *rank, const struct weir_graph_body *body);
/* Returns the confidence in these operators: high for a whole body found in its own trace; medium
 * for part of a body there, or a whole body in another input; low for part of a body in another
 * input. */
enum weir_confidence weir_graph_confidence(const struct weir_rank *rank,
                                           const struct weir_graph_body *body);

#endif
