/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts the steady steps in which code is compiled or loaded, to tell a cold start, which happens
 * once, from compilation that comes again whenever a step has new shapes.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_LOADING_STEPS_H
#define WEIR_ANALYSIS_TIMELINE_LOADING_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/timeline/segments.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"

/* A step loads if it spends this much on it: less is a lazy load of one kernel. */
#define WEIR_LOADING_STEP_NS 1000000
/* Fewer loading steps are no repetition, so that their shapes are not compared. */
#define WEIR_LOADING_STEPS_FEWEST 3

struct weir_loading_steps {
	uint64_t steps; /* steady steps that load */
	/* Those in which an operator has dimensions, or a compiled region a number, that no earlier
	 * step has. */
	uint64_t novel;
	bool comparable; /* the trace has shapes or compiled regions, and enough such steps */
	/* Positions of the segments in which a device waits for compilation or loading. */
	size_t *segments;
	size_t segment_count;
};

void weir_loading_steps_count(const struct weir_timeline *timeline, const struct weir_steps *steps,
                              const struct weir_segments *segments, struct weir_loading_steps *out);
void weir_loading_steps_release(struct weir_loading_steps *loading);

#endif
