/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tree of frames in the making: stacks come in any order, times are added, and the tree comes out
 * sorted. */
#ifndef WEIR_ANALYSIS_DRAWING_FLAME_H
#define WEIR_ANALYSIS_DRAWING_FLAME_H

#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/model/timeline_detail.h"

struct weir_flame_builder; /* opaque; owns the names it is given */

struct weir_flame_builder *weir_flame_builder_new(void);
void weir_flame_builder_free(struct weir_flame_builder *builder);

/* The frame of that kind and name below `parent` (WEIR_FLAME_NOBODY: a root), made where it is not
 * there. Below WEIR_FLAME_MAX_DEPTH: the parent itself; beyond WEIR_FLAME_MAX_FRAMES: the rest of
 * the root. */
uint32_t weir_flame_child(struct weir_flame_builder *builder, uint32_t parent,
                          enum weir_flame_kind kind, const char *name);
/* ns is not negative. */
void weir_flame_add(struct weir_flame_builder *builder, uint32_t frame, int64_t ns);

/* Totals, order; frames without time are left out. */
void weir_flame_finish(const struct weir_flame_builder *builder, struct weir_arena *arena,
                       struct weir_flame *out);

#endif
