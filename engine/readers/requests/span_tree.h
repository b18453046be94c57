/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spans put together by trace and span id: who is whose child. Whatever the input claims, it is a
 * forest: exact duplicates are dropped, a span whose parent is not there is a root, and so is the
 * earliest span of parents that go round in a circle. Building takes n log n steps and no
 * recursion.
 */
#ifndef WEIR_READERS_SPAN_TREE_H
#define WEIR_READERS_SPAN_TREE_H

#include "engine/readers/requests/spans.h"

/* A child farther away from its parent than this was not put there by clocks that differ. */
#define WEIR_SPAN_MAX_SKEW_NS INT64_C(3600000000000)

/* Row numbers as in the spans; free with weir_span_tree_release(). */
struct weir_span_tree {
	size_t count;
	uint32_t *parent;      /* WEIR_NONE: a root, or a dropped span */
	uint32_t *first_child; /* count + 1 places in `child` */
	uint32_t *child;       /* those of one parent lie together, by start and then row */
	uint32_t *roots;       /* by row */
	size_t root_count;
};

/*
 * Moves the spans of other hosts into their parents where clocks differ (Jaeger's rule), with
 * their whole subtrees; flags duplicates. Both are counted in the input's warnings.
 */
void weir_span_tree_build(struct weir_spans *spans, struct weir_span_tree *tree);
void weir_span_tree_release(struct weir_span_tree *tree);

#endif
