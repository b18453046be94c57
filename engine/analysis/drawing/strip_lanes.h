/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the spans of a strip in lanes, and joins short neighbours until few enough remain. */
#ifndef WEIR_ANALYSIS_DRAWING_STRIP_LANES_H
#define WEIR_ANALYSIS_DRAWING_STRIP_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/pictures.h"

/* A span before it has a text: `name` is an id of the caller. */
struct weir_strip_piece {
	int64_t start_ns, end_ns; /* from the start of the strip */
	int64_t time_ns;
	int64_t longest_ns; /* of the joined spans; kind and name are its */
	uint64_t count;
	uint32_t name;
	enum weir_strip_kind kind;
};

struct weir_strip_lane_builder {
	enum weir_strip_row row;
	int64_t number;
	struct weir_strip_piece *items;
	size_t count, capacity;
};

struct weir_strip_builder {
	int64_t from_ns, to_ns;
	struct weir_strip_lane_builder lanes[WEIR_STRIP_MAX_LANES];
	size_t lane_count;
	uint32_t *own; /* device rows of the step */
	size_t own_count, own_capacity;
};

/* Returns a builder of the interval, which weir_strip_finish() frees. */
struct weir_strip_builder *weir_strip_builder_new(int64_t from_ns, int64_t to_ns);
/* Notes a device row of the step. */
void weir_strip_own(struct weir_strip_builder *builder, uint32_t row);
/* Adds a lane, of which there may be WEIR_STRIP_MAX_LANES. */
struct weir_strip_lane_builder *weir_strip_lane(struct weir_strip_builder *builder,
                                                enum weir_strip_row row, int64_t number);
/* Adds the part of a span that lies in the interval. Spans of a lane come by start; of two that
 * overlap, the second is cut, or counted with the first. */
void weir_strip_add(const struct weir_strip_builder *builder, struct weir_strip_lane_builder *lane,
                    enum weir_strip_kind kind, uint32_t name, int64_t start_ns, int64_t end_ns);

typedef void weir_strip_name_of(const void *context, enum weir_strip_kind kind, uint32_t name,
                                struct weir_text *out);
/* Fills lanes, names and `joined_ns` of the strip, without empty lanes, and frees the builder. */
void weir_strip_finish(struct weir_strip_builder *builder, weir_strip_name_of *name_of,
                       const void *context, struct weir_arena *arena, struct weir_strip *out);

#endif
