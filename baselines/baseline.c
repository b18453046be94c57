/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "baselines/baseline.h"

const char *weir_baseline_text(struct weir_baseline *baseline, const char *text)
{
	return text ? weir_arena_copy(baseline->arena, text, strlen(text)) : NULL;
}

struct weir_baseline *weir_baseline_new(const char *name)
{
	struct weir_baseline *baseline = weir_alloc(sizeof(*baseline));

	baseline->arena = weir_arena_new();
	baseline->name = weir_baseline_text(baseline, name);
	return baseline;
}

void weir_baseline_free(struct weir_baseline *baseline)
{
	if (!baseline)
		return;
	for (size_t i = 0; i < baseline->count; i++)
		weir_run_free(baseline->runs[i].run);
	free(baseline->runs);
	weir_arena_free(baseline->arena);
	free(baseline);
}

struct weir_baseline_run *weir_baseline_take(struct weir_baseline *baseline, struct weir_run *run,
                                             const char *recorded)
{
	struct weir_baseline_run *stored;

	baseline->runs = weir_grow(baseline->runs, &baseline->capacity, baseline->count + 1,
	                           sizeof(*baseline->runs));
	stored = &baseline->runs[baseline->count++];
	*stored = (struct weir_baseline_run){.run = run,
	                                     .recorded = weir_baseline_text(baseline, recorded)};
	return stored;
}
