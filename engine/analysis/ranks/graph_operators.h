/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes over operators and shapes for the graphs of all ranks (graph_captures.h): from the rank's
 * own trace; where nothing in it ran op by op, from the first other input in which anything of them
 * did. What an operator does is then split among its kernels by their time, so that each shows the
 * operator's rates, and groups of device work all of whose rows are known this way are judged by
 * it instead of by the family of their kernel.
 */
#ifndef WEIR_ANALYSIS_GRAPH_OPERATORS_H
#define WEIR_ANALYSIS_GRAPH_OPERATORS_H

#include <stddef.h>

#include "engine/analysis/rank/rank.h"
#include "engine/model/finding.h"

/* Other inputs that are looked at for one trace. */
#define WEIR_CAPTURE_SOURCES 8

void weir_graph_operators_take(struct weir_rank *ranks, size_t count);

/* Positions of a body with an operator. */
size_t weir_graph_matched(const struct weir_rank *rank, const struct weir_graph_body *body);
/* How sure they are: high for a whole body found in its own trace; medium for a part of it, or the
 * whole in another input; low for a part in another input. */
enum weir_confidence weir_graph_confidence(const struct weir_rank *rank,
                                           const struct weir_graph_body *body);

#endif
