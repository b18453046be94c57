/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds a flame graph: stacks are added in any order, their times are summed, and the finished
 * tree is sorted. */
#ifndef WEIR_ANALYSIS_DRAWING_FLAME_H
#define WEIR_ANALYSIS_DRAWING_FLAME_H

#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/model/timeline_detail.h"

struct weir_flame_builder; /* opaque; copies the names it is given */

struct weir_flame_builder *weir_flame_builder_new(void);
void weir_flame_builder_free(struct weir_flame_builder *builder);

/* Returns the frame with this kind and name below `parent` (WEIR_FLAME_NOBODY: a root), and
 * creates it if needed. Returns the parent itself at depth WEIR_FLAME_MAX_DEPTH, and the frame
 * WEIR_FLAME_REST of the root if the tree is full (WEIR_FLAME_MAX_FRAMES). */
uint32_t weir_flame_child(struct weir_flame_builder *builder, uint32_t parent,
                          enum weir_flame_kind kind, const char *name);
/* Adds self time to a frame; ns must not be negative. */
void weir_flame_add(struct weir_flame_builder *builder, uint32_t frame, int64_t ns);

/* Computes total times, sorts the frames and copies the tree into the arena, without frames that
 * have no time. */
void weir_flame_finish(const struct weir_flame_builder *builder, struct weir_arena *arena,
                       struct weir_flame *out);

#endif
