/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a thread did at each instant, and what that means where a launch of it is late. The
 * innermost host row counts, with what encloses it:
 *
 * - a call: synchronisation, allocation, loading; else dispatch
 * - within a data loader or a compiler: input, loading
 * - a call of the system: part of its caller; one that reads a file: input; one that waits: as a
 *   frame that waits
 * - a frame that waits: no work; inside a stage that the program names, another thread works for
 *   it: host work
 * - an operator: dispatch; one of WEIR_HOST_OPERATOR_NS or longer that never touches a device: host
 *   work
 * - a frame or range: python
 * - nothing: no work; where the system's calls are recorded, a thread outside all of them runs:
 *   python
 *
 * A stretch without operators and calls counts as one: of WEIR_HOST_WORK_NS or longer, its python
 * is host work; below, its "no work" is python, since nothing sleeps and wakes that fast for new
 * work.
 */
#ifndef WEIR_ANALYSIS_STORY_H
#define WEIR_ANALYSIS_STORY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/timeline/leaves.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/bound.h"

#define WEIR_HOST_WORK_NS                                                                          \
	200000 /* framework glue between two operators is shorter, even under the profiler */
#define WEIR_HOST_OPERATOR_NS                                                                      \
	100000 /* an operator on host tensors that is worth naming lasts longer */

struct weir_story {
	struct weir_leaves leaves;
	uint8_t *idle; /* per leaf: enum weir_idle */
};

struct weir_stories; /* borrows the timeline and the steps */

struct weir_stories *weir_stories_new(const struct weir_timeline *timeline,
                                      const struct weir_steps *steps);
void weir_stories_free(struct weir_stories *stories);

/* Told when first asked for; owned by the stories. */
const struct weir_story *weir_story_of(struct weir_stories *stories, uint32_t thread);

/* Whether a compiler is around the row, which tries kernels out or folds constants. */
bool weir_story_compiles(const struct weir_stories *stories, uint32_t row);

/* What a leaf is called: its own name, and that of what it is a part of (0: nothing worth naming).
 * Ids of the trace's names. */
struct weir_story_name {
	uint32_t name, in;
};
struct weir_story_name weir_story_name(const struct weir_stories *stories, uint32_t row);

#endif
