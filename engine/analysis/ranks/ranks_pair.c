/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/ranks/ranks_pair.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* Two ends closer than this are one end: kernels' time stamps step by up to 32 ns, and members
 * leave a collective within a microsecond or two. */
#define LEAST_TOLERANCE_NS 2000
/* A collective that occurs once has no distance to the next. */
#define LONE_TOLERANCE_NS 1000000

struct weir_run weir_run_at(const struct weir_lane *lane, size_t first)
{
	size_t end = first;

	while (end < lane->count && lane->items[end].key == lane->items[first].key)
		end++;
	return (struct weir_run){lane->items ? lane->items + first : NULL, end - first, first};
}

bool weir_run_is_numbered(const struct weir_run *run)
{
	return run->count > 0 && run->items[0].sequence >= 0; /* the smallest comes first */
}

int64_t weir_run_spacing(const struct weir_run *run)
{
	double *gaps, spacing;

	if (run->count < 2)
		return 0;
	gaps = weir_alloc(run->count * sizeof *gaps);
	for (size_t i = 1; i < run->count; i++)
		gaps[i - 1] = (double)llabs(run->items[i].end_ns - run->items[i - 1].end_ns);
	spacing = weir_median(gaps, run->count - 1);
	free(gaps);
	return (int64_t)spacing;
}

static size_t pair_by_number(const struct weir_run *a, const struct weir_run *b, uint32_t *partner)
{
	size_t pairs = 0, i = 0, j = 0;

	while (i < a->count && j < b->count) {
		if (a->items[i].sequence == b->items[j].sequence) {
			partner[i++] = (uint32_t)j++;
			pairs++;
		} else if (a->items[i].sequence < b->items[j].sequence) {
			i++;
		} else {
			j++;
		}
	}
	return pairs;
}

static int64_t tolerance_ns(const struct weir_run *a)
{
	int64_t half = weir_run_spacing(a) / 2;

	if (a->count < 2)
		return LONE_TOLERANCE_NS;
	return half > LEAST_TOLERANCE_NS ? half : LEAST_TOLERANCE_NS;
}

/* How much later item j of b ends than item i of a. */
static int64_t apart_ns(const struct weir_run *a, size_t i, const struct weir_run *b, size_t j,
                        int64_t offset_ns)
{
	return b->items[j].end_ns + offset_ns - a->items[i].end_ns;
}

/* Of two that are near, the nearest: a neighbour may be nearer still. */
static size_t pair_by_end(const struct weir_run *a, const struct weir_run *b, int64_t offset_ns,
                          uint32_t *partner)
{
	int64_t tolerance = tolerance_ns(a);
	size_t pairs = 0, i = 0, j = 0;

	while (i < a->count && j < b->count) {
		int64_t apart = apart_ns(a, i, b, j, offset_ns);

		if (llabs(apart) > tolerance) {
			if (apart > 0)
				i++;
			else
				j++;
			continue;
		}
		while (j + 1 < b->count && llabs(apart_ns(a, i, b, j + 1, offset_ns)) <
		                                   llabs(apart_ns(a, i, b, j, offset_ns)))
			j++;
		while (i + 1 < a->count && llabs(apart_ns(a, i + 1, b, j, offset_ns)) <
		                                   llabs(apart_ns(a, i, b, j, offset_ns)))
			i++;
		partner[i++] = (uint32_t)j++;
		pairs++;
	}
	return pairs;
}

size_t weir_run_pair(const struct weir_run *a, const struct weir_run *b, int64_t offset_ns,
                     uint32_t *partner)
{
	for (size_t i = 0; i < a->count; i++)
		partner[i] = UINT32_MAX;
	if (weir_run_is_numbered(a) && weir_run_is_numbered(b))
		return pair_by_number(a, b, partner);
	return pair_by_end(a, b, offset_ns, partner);
}
