/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/counters_join.h"
#include "engine/analysis/kernels.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

/* A kernel that takes longer or shorter by more than this did other work in the same grid: a longer
 * context, a larger inner dimension. Caches and clocks explain less. */
#define SAME_WORK 2.0

/* A counted kernel by what timelines say of one as well. */
struct key {
	char *display;
	uint64_t blocks;
	const struct weir_counted_group *group;
};

struct keys {
	struct key *items; /* by name and blocks */
	size_t count;
};

/* Never NULL; the caller frees it. */
static char *display_of(const char *name)
{
	struct weir_text text = {0};

	weir_kernel_display(name, &text);
	weir_text_add(&text, "", 0);
	return text.data ? text.data : weir_alloc(1);
}

static int by_key(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	int order = strcmp(a->display, b->display);

	return order ? order : (a->blocks > b->blocks) - (a->blocks < b->blocks);
}

static void keys_init(struct keys *keys, const struct weir_counted *counted)
{
	keys->items = weir_alloc((counted->count + 1) * sizeof *keys->items);
	keys->count = 0;
	for (size_t i = 0; i < counted->count; i++) {
		const struct weir_counted_group *group = &counted->items[i];
		double blocks = group->value[WEIR_COUNTER_BLOCKS];

		if (!(blocks >= 1 && blocks <= UINT32_MAX) ||
		    group->roofline == WEIR_ROOFLINE_UNKNOWN)
			continue;
		keys->items[keys->count++] =
			(struct key){display_of(group->name), (uint64_t)blocks, group};
	}
	qsort(keys->items, keys->count, sizeof *keys->items, by_key);
}

static void keys_release(struct keys *keys)
{
	for (size_t i = 0; i < keys->count; i++)
		free(keys->items[i].display);
	free(keys->items);
}

static size_t first_at_least(const struct keys *keys, const struct key *wanted)
{
	size_t low = 0, high = keys->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_key(&keys->items[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* NULL: none, or several that differ in what the timeline's name does not tell for sure. */
static const struct weir_counted_group *find(const struct keys *keys, const char *name,
                                             uint32_t blocks)
{
	struct key wanted = {display_of(name), blocks, NULL};
	const struct weir_counted_group *found = NULL;
	size_t first = first_at_least(keys, &wanted), same = 0;

	for (size_t i = first; i < keys->count && by_key(&keys->items[i], &wanted) == 0; i++) {
		found = keys->items[i].group;
		same++;
		if (strcmp(found->name, name) == 0) {
			same = 1;
			break;
		}
	}
	free(wanted.display);
	return same == 1 ? found : NULL;
}

static bool is_same_work(const struct weir_group *group, const struct weir_counted_group *counted)
{
	double here = (double)group->sum_ns / (double)group->rows;
	double there = counted->sum_ns / (double)counted->count;

	return here <= SAME_WORK * there && there <= SAME_WORK * here;
}

/* A model that said more than the device can do stays out of all sums. */
static void overrule(struct weir_assessment *assessment, const struct weir_counted_group *group)
{
	if (assessment->roofline.roofline == WEIR_ROOFLINE_IMPLAUSIBLE)
		assessment->work = (struct weir_work){.flops = NAN, .bytes = NAN};
	weir_counted_features(group->value, group->name, assessment->values);
	assessment->roofline.roofline = group->roofline;
	assessment->roofline.efficiency = group->efficiency;
	assessment->counted = true;
}

struct weir_counted_join weir_counted_overrule(const struct weir_counted *counted,
                                               struct weir_rank *ranks, size_t rank_count)
{
	struct weir_counted_join join = {0};
	double joined_ns = 0, busy_ns = 0;
	struct keys keys;

	if (!counted)
		return join;
	keys_init(&keys, counted);
	for (size_t r = 0; r < rank_count; r++) {
		const struct weir_groups *groups = &ranks[r].groups;

		busy_ns += (double)ranks[r].busy_ns;
		for (size_t g = 0; g < groups->count; g++) {
			const struct weir_group *group = &groups->items[g];
			const char *name = weir_names_text(ranks[r].trace->names, group->kernel);
			const struct weir_counted_group *found =
				group->rows == group->calls && group->blocks > 0
					? find(&keys, name, group->blocks)
					: NULL;

			if (!found || !is_same_work(group, found))
				continue;
			overrule(&ranks[r].assessments[g], found);
			joined_ns += (double)group->owned_ns;
			join.groups++;
		}
	}
	keys_release(&keys);
	join.share = busy_ns > 0 ? joined_ns / busy_ns : 0;
	return join;
}
