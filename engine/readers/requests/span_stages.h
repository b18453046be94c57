/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the time of one span was, without that of its children: pieces under names that the
 * analysis knows as stages. A span's own time goes under its name; the attributes gen_ai.latency.*
 * and Triton's time stamps split it further.
 */
#ifndef WEIR_READERS_SPAN_STAGES_H
#define WEIR_READERS_SPAN_STAGES_H

#include "engine/readers/requests/span_tree.h"

/* Names of pieces that no span carries. */
enum weir_span_stage {
	WEIR_SPAN_QUEUE,
	WEIR_SPAN_PREFILL,
	WEIR_SPAN_QUEUE_PREFILL,
	WEIR_SPAN_DECODE,
	WEIR_SPAN_INFERENCE,
	WEIR_SPAN_FRONTEND,
	WEIR_SPAN_PREPROCESS,
	WEIR_SPAN_H2D,
	WEIR_SPAN_COMPUTE,
	WEIR_SPAN_D2H,
	WEIR_SPAN_POSTPROCESS,
	WEIR_SPAN_HTTP_OVERHEAD,
	WEIR_SPAN_GRPC_OVERHEAD,
	WEIR_SPAN_HANDLER_OVERHEAD,
	WEIR_SPAN_ENSEMBLE_SCHEDULER,
	WEIR_SPAN_STAGES
};

/* [start, end) under a name of the spans' table. */
struct weir_span_piece {
	int64_t start_ns, end_ns;
	uint32_t name;
};

struct weir_span_interval {
	int64_t start_ns, end_ns;
};

/* Cuts spans into pieces, any number of them one after another; release with
 * weir_span_cutter_release(). Borrows both. */
struct weir_span_cutter {
	const struct weir_spans *spans;
	const struct weir_span_tree *tree;
	uint32_t stages[WEIR_SPAN_STAGES]; /* names */
	struct weir_span_piece *pieces;
	size_t count, capacity;
	struct weir_span_interval *covers; /* of the span that is cut: what belongs to others */
	size_t cover_count, cover_capacity;
};

void weir_span_cutter_init(struct weir_span_cutter *cutter, const struct weir_spans *spans,
                           const struct weir_span_tree *tree);
void weir_span_cutter_release(struct weir_span_cutter *cutter);

/*
 * Appends the pieces of a span, by start among those of one name. Pieces of a root under its own
 * name that come to less than 1 us are left out where it has children: they are what lies between
 * two clock readings.
 */
void weir_span_cut(struct weir_span_cutter *cutter, uint32_t row);

#endif
