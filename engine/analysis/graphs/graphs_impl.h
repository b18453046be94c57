/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside graphs*.c: how replays are found, put in order and compared. */
#ifndef WEIR_ANALYSIS_GRAPHS_IMPL_H
#define WEIR_ANALYSIS_GRAPHS_IMPL_H

#include "engine/analysis/graphs/graphs.h"

/* Per device row the replay that it is of, WEIR_NONE: none. Fills graphs->replays with their
 * devices, nodes and whether they are certain; free() the answer. */
uint32_t *weir_graphs_find(struct weir_graphs *graphs, const struct weir_timeline *timeline);

/* Orders the rows of replays by position, measures and signs them; one replay after the other. */
struct weir_graph_order;
struct weir_graph_order *weir_graph_order_new(const struct weir_trace *trace);
void weir_graph_order_free(struct weir_graph_order *order);
void weir_graph_order_replay(struct weir_graph_order *order, struct weir_graphs *graphs,
                             struct weir_graph_replay *replay);

#endif
