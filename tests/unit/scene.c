/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/timeline/host_activity.h"
#include "tests/unit/scene.h"

void scene_cut(const struct scene *scene, struct weir_segments *segments)
{
	struct weir_host_activity *activity =
		weir_host_activity_new(&scene->timeline, &scene->steps);

	for (size_t i = 0; i < WEIR_HOST_SEARCHES; i++)
		weir_host_activity_search(activity, i);
	weir_segments_init(segments, &scene->timeline, &scene->steps, activity);
	weir_host_activity_free(activity);
}

void scene_init(struct scene *scene, struct weir_trace *trace, bool steady)
{
	scene->trace = trace;
	weir_timeline_init(&scene->timeline, trace);
	weir_steps_init(&scene->steps, &scene->timeline, NULL, steady);
	scene_cut(scene, &scene->segments);
	weir_groups_init(&scene->groups, &scene->timeline, &scene->steps);
	weir_groups_own(&scene->groups, &scene->segments);
}

void scene_release(struct scene *scene)
{
	weir_groups_release(&scene->groups);
	weir_segments_release(&scene->segments);
	weir_steps_release(&scene->steps);
	weir_timeline_release(&scene->timeline);
	weir_trace_free(scene->trace);
}

uint32_t scene_row(const struct scene *scene, const char *name)
{
	for (uint32_t i = 0; i < scene->trace->host.count; i++)
		if (strcmp(weir_timeline_host_name(&scene->timeline, i), name) == 0)
			return i;
	fail_msg("no row %s", name);
	return WEIR_NONE;
}

uint32_t scene_stage(const struct scene *scene, const char *name)
{
	for (uint32_t i = 0; i < scene->steps.stage_count; i++)
		if (strcmp(scene->steps.stages[i].name, name) == 0)
			return i;
	return WEIR_NONE;
}

int64_t scene_idle_ns(const struct scene *scene, enum weir_idle idle)
{
	int64_t ns = 0;

	for (size_t i = 0; i < scene->segments.count; i++)
		if (!scene->segments.items[i].busy && scene->segments.items[i].idle == idle)
			ns += weir_segment_ns(&scene->segments.items[i]);
	return ns;
}
