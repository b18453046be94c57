/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The innermost host row ("leaf") of a thread at each instant, as a list of changes. */
#ifndef WEIR_ANALYSIS_TIMELINE_LEAVES_H
#define WEIR_ANALYSIS_TIMELINE_LEAVES_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/timeline/timeline.h"

struct weir_leaves {
	size_t count, capacity;
	int64_t *time_ns; /* ascending */
	uint32_t *row;    /* innermost host row from that time on; WEIR_NONE: none */
};

void weir_leaves_init(struct weir_leaves *leaves, const struct weir_timeline *timeline,
                      uint32_t thread);
void weir_leaves_release(struct weir_leaves *leaves);

/* Returns the index of the entry that holds at_ns; SIZE_MAX: at_ns is before the first. */
size_t weir_leaves_at(const struct weir_leaves *leaves, int64_t at_ns);
/* Does the same, and looks first at the last answer and the leaves after it; at first *last is 0.
 */
size_t weir_leaves_near(const struct weir_leaves *leaves, int64_t at_ns, size_t *last);

#endif
