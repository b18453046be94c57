/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace and all that the analysis derives from it, in the order of derivation. */
#ifndef WEIR_TESTS_UNIT_SCENE_H
#define WEIR_TESTS_UNIT_SCENE_H

#include <stdbool.h>

#include "engine/analysis/timeline/groups.h"
#include "engine/analysis/timeline/segments.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/bound.h"

struct scene {
	struct weir_trace *trace; /* owned */
	struct weir_timeline timeline;
	struct weir_steps steps;
	struct weir_segments segments;
	struct weir_groups groups;
};

void scene_init(struct scene *scene, struct weir_trace *trace, bool steady);
void scene_release(struct scene *scene);
/* Cuts the time of a scene into segments of the caller's. */
void scene_cut(const struct scene *scene, struct weir_segments *segments);

/* Returns the first host row of that name; fails the test if there is no such row. */
uint32_t scene_row(const struct scene *scene, const char *name);
/* Returns the stage of that name; WEIR_NONE if there is no such stage. */
uint32_t scene_stage(const struct scene *scene, const char *name);
/* Returns the sum of the segments with that cause on all devices. */
int64_t scene_idle_ns(const struct scene *scene, enum weir_idle idle);

#endif
