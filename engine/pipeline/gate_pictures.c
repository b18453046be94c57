/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/pipeline/gate_pictures.h"

/* Returns a copy of the name of the n-th run of a side; NULL: not known. */
static const char *name_of(struct weir_gate_result *result, const struct weir_gating_side *side,
                           size_t n)
{
	const struct weir_baseline_run *entry = side->entries ? side->entries[n] : NULL;
	const char *name = !entry ? NULL : entry->path ? entry->path : entry->id;

	return name ? weir_arena_copy(result->arena, name, strlen(name)) : NULL;
}

static void name_runs(struct weir_gate_result *result, struct weir_gate_pictures *pictures,
                      const struct weir_gating_side *baseline,
                      const struct weir_gating_side *candidate)
{
	size_t at[] = {(size_t)pictures->older_baseline, (size_t)pictures->older_candidate};

	for (size_t i = 0; i < pictures->run_count; i++) {
		struct weir_drawn_run *run = &pictures->runs[i];

		run->name = name_of(result, run->candidate ? candidate : baseline,
		                    at[run->candidate]++);
	}
}

void weir_gate_pictures_fill(struct weir_gate_result *result,
                             const struct weir_comparing *comparing,
                             const struct weir_gating_side *baseline,
                             const struct weir_gating_side *candidate)
{
	struct weir_gate_pictures *pictures = weir_compare_draw(comparing, result);

	name_runs(result, pictures, baseline, candidate);
	result->pictures = pictures;
}
