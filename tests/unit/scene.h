/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace with what the analysis derives from it, in the order in which it is derived. */
#ifndef TESTS_UNIT_SCENE_H
#define TESTS_UNIT_SCENE_H

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

/* The first host row of that name; the test fails where there is none. */
uint32_t scene_row(const struct scene *scene, const char *name);
/* The stage of that name, WEIR_NONE: none. */
uint32_t scene_stage(const struct scene *scene, const char *name);
/* Segments of that cause on all devices, added. */
int64_t scene_idle_ns(const struct scene *scene, enum weir_idle idle);

#endif
