/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/ranks/experts.h"
#include "engine/base/arena.h"

/* One all-to-all. */
struct exchange {
	const char *key;
	size_t first_rank, members, index;
};

static bool is_exchange(const char *key)
{
	const char *name = strrchr(key, '\n');

	name = name ? name + 1 : key;
	return strstr(name, "all_to_all") || strstr(name, "alltoall");
}

static int by_group(const void *left, const void *right)
{
	const struct exchange *a = left, *b = right;
	int order = strcmp(a->key, b->key);

	if (order == 0)
		order = (a->first_rank > b->first_rank) - (a->first_rank < b->first_rank);
	if (order == 0)
		order = (a->members > b->members) - (a->members < b->members);
	return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static bool is_same_group(const struct exchange *a, const struct exchange *b)
{
	return strcmp(a->key, b->key) == 0 && a->first_rank == b->first_rank &&
	       a->members == b->members;
}

/* Adds the elements of each member of a collective to its sum. Returns the most over their mean;
 * NAN: they are not recorded for all. */
static double add_elements(const struct weir_meetings *meetings, const struct exchange *exchange,
                           double *sums)
{
	double most = 0, all = 0;

	for (size_t m = 0; m < exchange->members; m++) {
		struct weir_meeting_member member;

		weir_meetings_member(meetings, exchange->index, m, &member);
		if (member.received < 0)
			return NAN;
		most = fmax(most, (double)member.received);
		all += (double)member.received;
		sums[m] += (double)member.received;
	}
	return all > 0 ? most / (all / (double)exchange->members) : NAN;
}

static void judge_group(struct weir_experts_list *list, const struct weir_meetings *meetings,
                        const struct exchange *first, size_t count)
{
	double *sums = weir_alloc((first->members + 1) * sizeof *sums), ratios = 0;
	size_t known = 0, most = 0;
	struct weir_meeting_member member;

	for (size_t i = 0; i < count; i++) {
		double ratio = add_elements(meetings, &first[i], sums);

		if (isnan(ratio))
			continue;
		ratios += ratio;
		known++;
	}
	for (size_t m = 1; m < first->members; m++)
		if (sums[m] > sums[most])
			most = m;
	free(sums);
	if (known < WEIR_EXPERTS_FEWEST || ratios / (double)known < WEIR_EXPERTS_IMBALANCE)
		return;
	weir_meetings_member(meetings, first->index, most, &member);
	list->items = weir_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
	list->items[list->count++] = (struct weir_experts){
		.key = first->key,
		.summary = member.rank,
		.members = first->members,
		.collectives = known,
		.imbalance = ratios / (double)known,
	};
}

static int by_imbalance(const void *left, const void *right)
{
	const struct weir_experts *a = left, *b = right;

	if (a->imbalance != b->imbalance)
		return a->imbalance > b->imbalance ? -1 : 1;
	if (a->summary != b->summary)
		return a->summary < b->summary ? -1 : 1;
	return strcmp(a->key, b->key);
}

void weir_experts_find(struct weir_experts_list *list, const struct weir_meetings *meetings)
{
	size_t meeting_count = weir_meetings_count(meetings), count = 0;
	struct exchange *all = weir_alloc((meeting_count + 1) * sizeof *all);

	*list = (struct weir_experts_list){0};
	for (size_t i = 0; i < meeting_count; i++) {
		struct weir_meeting_view view;
		struct weir_meeting_member first;

		weir_meetings_view(meetings, i, &view);
		if (!is_exchange(view.key))
			continue;
		weir_meetings_member(meetings, i, 0, &first);
		all[count++] = (struct exchange){view.key, first.rank, view.members, i};
	}
	qsort(all, count, sizeof *all, by_group);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && is_same_group(&all[i], &all[end]);)
			end++;
		judge_group(list, meetings, &all[i], end - i);
	}
	if (list->count > 0)
		qsort(list->items, list->count, sizeof *list->items, by_imbalance);
	free(all);
}

void weir_experts_release(struct weir_experts_list *list)
{
	free(list->items);
	*list = (struct weir_experts_list){0};
}
