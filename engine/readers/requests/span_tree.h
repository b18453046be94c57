/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Links spans by trace and span id. The result is a forest for any input: exact duplicates are
 * dropped, a span without its parent is a root, and so is the earliest span of a circle of parents.
 * Takes n log n steps without recursion.
 */
#ifndef WEIR_READERS_REQUESTS_SPAN_TREE_H
#define WEIR_READERS_REQUESTS_SPAN_TREE_H

#include "engine/readers/requests/spans.h"

/* A larger distance between child and parent is not a difference of clocks. */
#define WEIR_SPAN_MAX_SKEW_NS INT64_C(3600000000000)

/* Has the row numbers of the spans; free with weir_span_tree_release(). */
struct weir_span_tree {
	size_t count;
	uint32_t *parent;      /* WEIR_NONE: a root, or a dropped span */
	uint32_t *first_child; /* count + 1 places in `child` */
	uint32_t *child;       /* grouped by parent, sorted by start and then row */
	uint32_t *roots;       /* sorted by row */
	size_t root_count;
};

/* Builds the tree, flags duplicates, adds roots above roots of one trace (span_join.h), and moves
 * spans of other hosts, with their subtrees, into their parents if clocks differ (Jaeger's rule).
 * Counts both in the input's warnings. */
void weir_span_tree_build(struct weir_spans *spans, struct weir_span_tree *tree);
void weir_span_tree_release(struct weir_span_tree *tree);

#endif
