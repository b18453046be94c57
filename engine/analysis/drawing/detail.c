/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/analysis/drawing/detail.h"
#include "engine/analysis/drawing/flame.h"
#include "engine/analysis/drawing/stacks.h"
#include "engine/analysis/drawing/tracks.h"
#include "engine/base/arena.h"

void weir_fill_detail(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                      const struct weir_path *path, struct weir_report *report)
{
	struct weir_detail *detail = weir_arena_alloc(report->arena, sizeof *detail);
	struct weir_flame_builder *builder = weir_flame_builder_new();

	for (size_t r = 0; r < analysis->rank_count; r++)
		weir_stacks_add(builder, &analysis->ranks[r], analysis->rank_count > 1,
		                &analysis->options.settings->aliases);
	weir_flame_finish(builder, report->arena, &detail->flame);
	weir_flame_builder_free(builder);
	weir_tracks_fill(analysis, merges, path, report->arena, detail);
	report->detail = detail;
}
