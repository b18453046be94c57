/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/drawing/roofs.h"

static const char *const precisions[WEIR_DTYPE_COUNT] = {
	[WEIR_DTYPE_UNKNOWN] = "unknown", [WEIR_DTYPE_FP64] = "fp64", [WEIR_DTYPE_FP32] = "fp32",
	[WEIR_DTYPE_TF32] = "tf32",       [WEIR_DTYPE_BF16] = "bf16", [WEIR_DTYPE_FP16] = "fp16",
	[WEIR_DTYPE_FP8] = "fp8",         [WEIR_DTYPE_FP4] = "fp4",   [WEIR_DTYPE_INT8] = "int8",
	[WEIR_DTYPE_INT] = "int",
};

static const char *const units[WEIR_ENGINE_COUNT] = {
	[WEIR_ENGINE_NONE] = "no units",
	[WEIR_ENGINE_VECTOR] = "vector units",
	[WEIR_ENGINE_TENSOR] = "matrix units",
};

/* A device and what its operators compute on. */
struct used {
	const struct weir_rank *rank;
	uint16_t device;
	bool known; /* has any modelled operator */
	bool engines[WEIR_ENGINE_COUNT][WEIR_DTYPE_COUNT];
};

/* Returns the name of a device; "" if the trace states none. */
static const char *name_of(const struct weir_rank *rank, uint16_t device)
{
	return weir_names_text(rank->trace->names, rank->trace->devices[device].name);
}

static void add_group(struct used *used, const struct weir_rank *rank, size_t g)
{
	const struct weir_group *group = &rank->groups.items[g];
	const struct weir_work *work = &rank->assessments[g].work;

	if (work->confidence == WEIR_MODEL_NONE || !rank->devices[group->device].known)
		return;
	if (!used->known) {
		used->rank = rank;
		used->device = group->device;
		used->known = true;
	}
	if (strcmp(name_of(rank, group->device), name_of(used->rank, used->device)) == 0)
		used->engines[work->engine][work->dtype] = true;
}

static int highest_first(const void *left, const void *right)
{
	const struct weir_roof *a = left, *b = right;

	if (a->theoretical != b->theoretical)
		return a->theoretical > b->theoretical ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void fill_roofs(const struct used *used, struct weir_arena *arena, struct weir_roofs *out)
{
	const struct weir_device *device = &used->rank->devices[used->device].peaks;

	out->roofs = weir_arena_alloc(arena, WEIR_MAX_ROOFS * sizeof *out->roofs);
	for (int e = WEIR_ENGINE_VECTOR; e < WEIR_ENGINE_COUNT; e++)
		for (int t = WEIR_DTYPE_FP64; t < WEIR_DTYPE_COUNT; t++) {
			struct weir_peak peak =
				weir_device_flops(device, (enum weir_engine)e, (enum weir_dtype)t);

			if (used->engines[e][t] && peak.theoretical > 0 && peak.sustained > 0)
				out->roofs[out->roof_count++] = (struct weir_roof){
					weir_arena_format(arena, "%s, %s", precisions[t], units[e]),
					peak.theoretical, peak.sustained};
		}
	qsort(out->roofs, out->roof_count, sizeof *out->roofs, highest_first);
}

const struct weir_roofs *weir_roofs_of(const struct weir_analysis *analysis,
                                       struct weir_arena *arena)
{
	struct used used = {0};
	struct weir_roofs *out;
	const struct weir_peak *memory;
	const char *name;

	for (size_t r = 0; r < analysis->rank_count; r++)
		for (size_t g = 0; g < analysis->ranks[r].groups.count; g++)
			add_group(&used, &analysis->ranks[r], g);
	if (!used.known)
		return NULL;
	memory = &used.rank->devices[used.device].peaks.bytes_per_s;
	if (!(memory->theoretical > 0 && memory->sustained > 0))
		return NULL;
	name = name_of(used.rank, used.device);
	out = weir_arena_alloc(arena, sizeof *out);
	out->device = name[0] ? weir_arena_copy(arena, name, strlen(name)) : NULL;
	out->bytes_per_s = memory->theoretical;
	out->sustained_bytes_per_s = memory->sustained;
	fill_roofs(&used, arena, out);
	return out;
}
