/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/ranks/ranks_match.h"
#include "engine/analysis/ranks/ranks_pair.h"
#include "engine/base/arena.h"

void weir_lane_add(struct weir_lane *lane, const struct weir_arrival *arrival)
{
	if (arrival->start_ns < -WEIR_ARRIVAL_MAX_NS || arrival->end_ns > WEIR_ARRIVAL_MAX_NS ||
	    arrival->end_ns < arrival->start_ns)
		return;
	lane->items = weir_grow(lane->items, &lane->capacity, lane->count + 1, sizeof *lane->items);
	lane->items[lane->count++] = *arrival;
}

void weir_lane_release(struct weir_lane *lane)
{
	free(lane->items);
	*lane = (struct weir_lane){0};
}

/* A lane's items of one key. */
struct part {
	uint32_t key, lane;
	struct weir_run run;
	uint32_t *partner; /* of each item of the first part of its group; NULL: not in a group */
	bool placed;
};

struct parts {
	struct part *items;
	size_t count, capacity;
};

static int by_key_and_lane(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->lane > b->lane) - (a->lane < b->lane);
}

static void collect_parts(struct parts *parts, const struct weir_lane *lanes, size_t count)
{
	for (size_t l = 0; l < count; l++)
		for (size_t at = 0; at < lanes[l].count;) {
			struct weir_run run = weir_run_at(&lanes[l], at);

			parts->items = weir_grow(parts->items, &parts->capacity, parts->count + 1,
			                         sizeof *parts->items);
			parts->items[parts->count++] = (struct part){
				.key = run.items[0].key, .lane = (uint32_t)l, .run = run};
			at += run.count;
		}
	if (parts->count > 0)
		qsort(parts->items, parts->count, sizeof *parts->items, by_key_and_lane);
}

/* Pairs a part with the first of its group; false: it is of another group. */
static bool joins(const struct weir_lane *lanes, const struct part *leader, struct part *part)
{
	const struct weir_run *a = &leader->run, *b = &part->run;
	int64_t offset_ns = lanes[part->lane].offset_ns - lanes[leader->lane].offset_ns;
	size_t fewer = a->count < b->count ? a->count : b->count, pairs;

	part->partner = weir_alloc(a->count * sizeof *part->partner);
	pairs = weir_run_pair(a, b, offset_ns, part->partner);
	if (pairs > 0 && 2 * pairs >= fewer)
		return true;
	free(part->partner);
	part->partner = NULL;
	return false;
}

static void add_member(struct weir_matches *out, uint32_t lane, size_t item)
{
	out->members = weir_grow(out->members, &out->member_capacity, out->member_count + 1,
	                         sizeof *out->members);
	out->members[out->member_count++] = (struct weir_member){lane, (uint32_t)item};
}

/* Item i of the leader, if every part that joined has a partner for it. */
static void emit_match(struct weir_matches *out, const struct part *parts, size_t count, size_t i)
{
	size_t before = out->member_count;

	add_member(out, parts[0].lane, parts[0].run.first + i);
	for (size_t p = 1; p < count; p++) {
		if (!parts[p].partner)
			continue;
		if (parts[p].partner[i] == UINT32_MAX) {
			out->member_count = before;
			return;
		}
		add_member(out, parts[p].lane, parts[p].run.first + parts[p].partner[i]);
	}
	if (out->member_count - before < 2) {
		out->member_count = before;
		return;
	}
	out->first =
		weir_grow(out->first, &out->first_capacity, out->count + 2, sizeof *out->first);
	out->first[out->count++] = before;
	out->first[out->count] = out->member_count;
}

/* The group of the first part that has none yet. */
static void match_group(const struct weir_lane *lanes, struct part *parts, size_t count,
                        struct weir_matches *out)
{
	parts[0].placed = true;
	for (size_t p = 1; p < count; p++)
		if (!parts[p].placed)
			parts[p].placed = joins(lanes, &parts[0], &parts[p]);
	for (size_t i = 0; i < parts[0].run.count; i++)
		emit_match(out, parts, count, i);
	for (size_t p = 1; p < count; p++) {
		free(parts[p].partner);
		parts[p].partner = NULL;
	}
}

void weir_lanes_match(const struct weir_lane *lanes, size_t count, struct weir_matches *out)
{
	struct parts parts = {0};

	collect_parts(&parts, lanes, count);
	for (size_t p = 0, end; p < parts.count; p = end) {
		for (end = p + 1; end < parts.count && parts.items[end].key == parts.items[p].key;)
			end++;
		for (size_t leader = p; leader + 1 < end; leader++)
			if (!parts.items[leader].placed)
				match_group(lanes, &parts.items[leader], end - leader, out);
	}
	free(parts.items);
}

void weir_matches_release(struct weir_matches *matches)
{
	free(matches->members);
	free(matches->first);
	*matches = (struct weir_matches){0};
}
