/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replays of CUDA and HIP graphs in one trace. A replay is the work of one launch of a graph on one
 * device; replays of the same body are one graph, whatever launched them.
 *
 * A replay is known by its launch call. Where the trace does not hold that call, by the ids of its
 * nodes (a node that comes again begins the next replay), else by the correlation id that all of
 * its work shares. Work that nothing says is of a graph, but which shares its correlation id and
 * makes up exactly the body of a certain replay, was launched before the profiler began.
 *
 * The body is the ordered list of (name, grid, block, stream): work of one stream in order of its
 * start; streams by the number of their kernels, then by what runs in them. Streams run beside each
 * other, so that the order of time between them changes from replay to replay. Of grid and block
 * the products are known. Two bodies are the same when all of this is equal; the signature is a
 * hash of it from the names' text, the same in every trace.
 *
 * Replays of which any work lies outside the analysed windows do not count. Linear in the rows but
 * for the sorting of the streams within a replay.
 */
#ifndef WEIR_ANALYSIS_GRAPHS_H
#define WEIR_ANALYSIS_GRAPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/timeline/groups.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"

struct weir_graph_replay {
	uint32_t body; /* WEIR_NONE: does not count */
	uint16_t device;
	bool certain;
	uint32_t nodes, streams;
	size_t first; /* its work is rows[first] to rows[first + nodes - 1], by position */
	uint64_t signature;
	int64_t start_ns, end_ns; /* of all its work */
	int64_t busy_ns;          /* union of its work: span = busy + gaps, exactly */
};

struct weir_graph_body {
	uint64_t signature;
	uint32_t nodes, streams;
	size_t first_replay;   /* of replays_by_body */
	size_t replay_count;   /* at least one */
	size_t first_position; /* of what is kept per position of all bodies */
	int64_t busy_ns;       /* of its replays, added */
};

struct weir_graphs {
	struct weir_graph_replay *replays; /* in order of the device's clock, device by device */
	size_t replay_count, replay_capacity;
	struct weir_graph_body *bodies; /* in order of their first replay */
	size_t body_count, body_capacity;
	uint32_t *replays_by_body; /* those of one body together, in their order */
	uint32_t *rows;            /* device rows */
	int64_t *gap_ns; /* of the same: from the end of all work of the replay that started
	                    before, 0 where that is still busy */
	size_t row_count;
	size_t position_count; /* of all bodies */
};

void weir_graphs_init(struct weir_graphs *graphs, const struct weir_timeline *timeline,
                      const struct weir_groups *groups);
void weir_graphs_release(struct weir_graphs *graphs);

/* A row of a body's first replay: what each position is. */
uint32_t weir_graph_row(const struct weir_graphs *graphs, const struct weir_graph_body *body,
                        size_t position);

/* Equal in all that the signature is made of, in whatever traces they are. */
bool weir_graph_same_body(const struct weir_trace *trace, const struct weir_graphs *graphs,
                          const struct weir_graph_body *body, const struct weir_trace *other_trace,
                          const struct weir_graphs *other_graphs,
                          const struct weir_graph_body *other);

#endif
