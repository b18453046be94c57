/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replays of CUDA and HIP graphs in one trace. A replay is the work of one launch of a graph on one
 * device. Replays with equal bodies belong to one graph, whichever call launched them.
 *
 * A replay is identified by its launch call. If that call is not in the trace, it is identified by
 * the ids of its nodes (a node that occurs again begins the next replay), else by the correlation
 * id that all its work shares. Work that no record assigns to a graph, but that shares a
 * correlation id and equals the body of a certain replay, was launched before the profiler began.
 *
 * A body is the ordered list of (name, grid, block, stream): streams in order of their number of
 * kernels, then of their content; the work of a stream in order of start. Streams run concurrently,
 * so that the order of time between them changes from replay to replay. Of grid and block, only the
 * products are known. The signature is a hash of the body over the text of its names, so that it is
 * the same in every trace.
 *
 * Replays with any work outside the analysed windows do not count. The time is linear in the rows,
 * except for sorting the streams of a replay.
 */
#ifndef WEIR_ANALYSIS_GRAPHS_GRAPHS_H
#define WEIR_ANALYSIS_GRAPHS_GRAPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/timeline/groups.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"

struct weir_graph_replay {
	uint32_t body; /* WEIR_NONE: the replay does not count */
	uint16_t device;
	bool certain;
	uint32_t nodes, streams;
	size_t first; /* its work is rows[first] to rows[first + nodes - 1], by position */
	uint64_t signature;
	int64_t start_ns, end_ns; /* from the first start to the last end of its work */
	int64_t busy_ns;          /* union of its work: span = busy + gaps, exactly */
};

struct weir_graph_body {
	uint64_t signature;
	uint32_t nodes, streams;
	size_t first_replay;   /* index into replays_by_body */
	size_t replay_count;   /* at least one */
	size_t first_position; /* index of its first position among those of all bodies */
	int64_t busy_ns;       /* sum over its replays */
};

struct weir_graphs {
	struct weir_graph_replay *replays; /* in order of the device's clock, device by device */
	size_t replay_count, replay_capacity;
	struct weir_graph_body *bodies; /* in order of their first replay */
	size_t body_count, body_capacity;
	uint32_t *replays_by_body; /* sorted by body, in order within a body */
	uint32_t *rows;            /* device rows */
	/* Per row: from the end of all earlier work of the replay; 0 while such work runs. */
	int64_t *gap_ns;
	size_t row_count;
	size_t position_count; /* of all bodies */
};

void weir_graphs_init(struct weir_graphs *graphs, const struct weir_timeline *timeline,
                      const struct weir_groups *groups);
void weir_graphs_release(struct weir_graphs *graphs);

/* Returns the device row at a position of the body's first replay. */
uint32_t weir_graph_row(const struct weir_graphs *graphs, const struct weir_graph_body *body,
                        size_t position);

/* Returns true if two bodies, possibly of different traces, are equal in all that the signature
 * covers. */
bool weir_graph_same_body(const struct weir_trace *trace, const struct weir_graphs *graphs,
                          const struct weir_graph_body *body, const struct weir_trace *other_trace,
                          const struct weir_graphs *other_graphs,
                          const struct weir_graph_body *other);

#endif
