/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/requests/serving_load.h"
#include "engine/analysis/time/instants.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

#define CROWD_QUANTILE 0.95 /* of the busy time: a moment's peak is not what the host can do */
#define CROWD_SHARE    0.9
#define SAME_NS        20000 /* rounding to microseconds, added up over the parts of a request */
#define SHORT_QUANTILE 0.05
#define TURN_SHARE     0.5
#define FEW_OVERLAPS   20
#define MOSTLY         0.9

/* Starts and ends of intervals, each sorted: enough to know how many overlap. */
struct edges {
	int64_t *start_ns, *end_ns;
	size_t count;
};

static void edges_init(struct edges *edges, const struct weir_intervals *set)
{
	edges->count = set->count;
	edges->start_ns = weir_alloc((set->count + 1) * sizeof *edges->start_ns);
	edges->end_ns = weir_alloc((set->count + 1) * sizeof *edges->end_ns);
	for (size_t i = 0; i < set->count; i++) {
		edges->start_ns[i] = set->items[i].start_ns;
		edges->end_ns[i] = set->items[i].end_ns;
	}
	weir_instants_sort(edges->start_ns, edges->count);
	weir_instants_sort(edges->end_ns, edges->count);
}

static void edges_release(struct edges *edges)
{
	free(edges->start_ns);
	free(edges->end_ns);
}

/* A stretch of time in which the same number of intervals overlap. */
struct stretch {
	size_t starts, ends; /* edges behind us */
	int64_t from_ns, to_ns;
	size_t level;
};

/* The next stretch; false behind the last end. */
static bool next_stretch(const struct edges *edges, struct stretch *at)
{
	if (at->ends == edges->count)
		return false;
	at->from_ns = at->to_ns;
	if (at->starts < edges->count && edges->start_ns[at->starts] < edges->end_ns[at->ends])
		at->to_ns = edges->start_ns[at->starts];
	else
		at->to_ns = edges->end_ns[at->ends];
	at->level = at->starts - at->ends;
	while (at->starts < edges->count && edges->start_ns[at->starts] == at->to_ns)
		at->starts++;
	while (at->ends < edges->count && edges->end_ns[at->ends] == at->to_ns)
		at->ends++;
	return true;
}

/* How many overlap at the most, but for the most crowded twentieth of the busy time. */
static size_t crowd(const struct edges *edges)
{
	struct stretch at = {0};
	int64_t *level_ns = weir_alloc((edges->count + 1) * sizeof *level_ns), busy_ns = 0;
	size_t level = 0;
	double left_ns;

	while (next_stretch(edges, &at)) {
		int64_t ns = at.level ? weir_span_ns(at.from_ns, at.to_ns) : 0;

		level_ns[at.level] = weir_add_ns(level_ns[at.level], ns);
		busy_ns = weir_add_ns(busy_ns, ns);
	}
	left_ns = CROWD_QUANTILE * (double)busy_ns;
	while (level < edges->count && left_ns > 0)
		left_ns -= (double)level_ns[++level];
	free(level_ns);
	return level;
}

void weir_intervals_crowded(const struct weir_intervals *set, struct weir_intervals *out)
{
	struct edges edges;
	struct stretch at = {0};
	size_t enough;

	weir_intervals_clear(out);
	edges_init(&edges, set);
	enough = crowd(&edges);
	while (next_stretch(&edges, &at))
		if (at.level > 0 && (double)at.level >= CROWD_SHARE * (double)enough)
			weir_intervals_push(out, at.from_ns, at.to_ns);
	edges_release(&edges);
}

static void copy_set(const struct weir_intervals *from, struct weir_intervals *to)
{
	for (size_t i = 0; i < from->count; i++)
		weir_intervals_push(to, from->items[i].start_ns, from->items[i].end_ns);
}

static int by_start(const void *left, const void *right)
{
	const struct weir_interval *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static int by_end(const void *left, const void *right)
{
	const struct weir_interval *a = left, *b = right;

	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Keeps one of those that begin and end together. */
static void merge_same(struct weir_intervals *set)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->count; i++) {
		const struct weir_interval *last = kept ? &set->items[kept - 1] : NULL;
		const struct weir_interval *each = &set->items[i];

		if (last && weir_span_ns(last->start_ns, each->start_ns) <= SAME_NS &&
		    weir_span_ns(last->end_ns, each->end_ns) <= SAME_NS &&
		    weir_span_ns(each->end_ns, last->end_ns) <= SAME_NS)
			continue;
		set->items[kept++] = *each;
	}
	set->count = kept;
}

/* A short one of the stretches: what one takes when it has the worker at once. */
static double short_ns(const struct weir_intervals *set, double *values)
{
	for (size_t i = 0; i < set->count; i++)
		values[i] = (double)weir_span_ns(set->items[i].start_ns, set->items[i].end_ns);
	return weir_quantile_select(values, set->count, SHORT_QUANTILE);
}

/* Served in turn? Few overlaps say nothing: then it makes no difference. Sorted by end behind it.
 */
static bool in_turn(struct weir_intervals *set)
{
	double *values = weir_alloc((set->count + 1) * sizeof *values);
	double least_ns = TURN_SHARE * short_ns(set, values);
	size_t overlaps = 0, apart = 0;

	free(values);
	qsort(set->items, set->count, sizeof *set->items, by_end);
	for (size_t i = 1; i < set->count; i++) {
		const struct weir_interval *before = &set->items[i - 1], *each = &set->items[i];

		if (each->start_ns >= before->end_ns)
			continue;
		overlaps++;
		apart += (double)weir_span_ns(before->end_ns, each->end_ns) >= least_ns;
	}
	return overlaps >= FEW_OVERLAPS && (double)apart >= MOSTLY * (double)overlaps;
}

void weir_host_busy(struct weir_intervals *set, struct weir_intervals *out)
{
	weir_intervals_clear(out);
	if (set->count == 0)
		return;
	qsort(set->items, set->count, sizeof *set->items, by_start);
	merge_same(set);
	if (!in_turn(set)) {
		weir_intervals_crowded(set, out);
		return;
	}
	copy_set(set, out);
	weir_intervals_unite(out);
}

/* The host stages ahead of the device work and those behind it, each of its own workers. */
enum host_side { HOST_BEFORE, HOST_AFTER, HOST_SIDES };

/* Stretches that overlap stay apart: how many do is what is asked. */
static void add_apart(struct weir_intervals *set, const struct weir_part *part)
{
	if (part->end_ns <= part->start_ns)
		return;
	set->items = weir_grow(set->items, &set->capacity, set->count + 1, sizeof *set->items);
	set->items[set->count++] = (struct weir_interval){part->start_ns, part->end_ns};
}

static void collect(struct weir_load *load, const struct weir_requests *requests,
                    const enum weir_part_class *classes, struct weir_intervals host[HOST_SIDES])
{
	load->start_ns = requests->count ? requests->start_ns[0] : 0;
	load->end_ns = load->start_ns;
	for (size_t i = 0; i < requests->count; i++) {
		struct weir_part_walk walk = weir_part_walk_on(requests, i);
		struct weir_part part;

		if (requests->end_ns[i] > load->end_ns)
			load->end_ns = requests->end_ns[i];
		while (weir_part_walk_next(&walk, &part)) {
			enum weir_part_class class = classes[part.stage];

			if (class == WEIR_PART_COMPUTE)
				weir_intervals_push(&load->busy[WEIR_RESOURCE_COMPUTE],
				                    part.start_ns, part.end_ns);
			else if (class == WEIR_PART_COPY)
				weir_intervals_push(&load->busy[WEIR_RESOURCE_COPY], part.start_ns,
				                    part.end_ns);
			else if (class == WEIR_PART_BEFORE)
				add_apart(&host[HOST_BEFORE], &part);
			else if (class == WEIR_PART_AFTER)
				add_apart(&host[HOST_AFTER], &part);
		}
	}
}

/* Busiest first; of equals the one that the enumeration names first. */
static void rank_resources(struct weir_load *load)
{
	for (int r = 0; r < WEIR_RESOURCES; r++) {
		int place = r;

		for (; place > 0 && load->share[r] > load->share[load->order[place - 1]]; place--)
			load->order[place] = load->order[place - 1];
		load->order[place] = (enum weir_resource)r;
	}
}

static void unite_reach(struct weir_load *load)
{
	for (int i = 0; i < WEIR_RESOURCES; i++) {
		if (i > 0)
			copy_set(&load->reach[i - 1], &load->reach[i]);
		copy_set(&load->busy[load->order[i]], &load->reach[i]);
		weir_intervals_unite(&load->reach[i]);
		weir_intervals_trim(&load->reach[i]);
		weir_measure_init(&load->measure[i], &load->reach[i]);
	}
}

void weir_load_init(struct weir_load *load, const struct weir_requests *requests,
                    const enum weir_part_class *classes)
{
	struct weir_intervals host[HOST_SIDES] = {{0}}, crowded = {0};
	double span;

	*load = (struct weir_load){0};
	collect(load, requests, classes, host);
	for (int side = 0; side < HOST_SIDES; side++) {
		weir_host_busy(&host[side], &crowded);
		copy_set(&crowded, &load->busy[WEIR_RESOURCE_HOST]);
		weir_intervals_release(&host[side]);
	}
	weir_intervals_release(&crowded);
	for (int r = 0; r < WEIR_RESOURCES; r++) {
		weir_intervals_unite(&load->busy[r]);
		weir_intervals_trim(&load->busy[r]);
	}
	span = (double)weir_span_ns(load->start_ns, load->end_ns);
	for (int r = 0; r < WEIR_RESOURCES; r++)
		load->share[r] = span > 0 ? (double)weir_intervals_total(&load->busy[r]) / span : 0;
	rank_resources(load);
	unite_reach(load);
}

void weir_load_release(struct weir_load *load)
{
	for (int r = 0; r < WEIR_RESOURCES; r++) {
		weir_measure_release(&load->measure[r]);
		weir_intervals_release(&load->reach[r]);
		weir_intervals_release(&load->busy[r]);
	}
}

struct weir_wait weir_load_split(const struct weir_load *load, int64_t start_ns, int64_t end_ns)
{
	struct weir_wait wait = {.idle_ns = weir_span_ns(start_ns, end_ns)};
	int64_t before_ns = 0;

	for (int i = 0; i < WEIR_RESOURCES; i++) {
		int64_t inside_ns = weir_measure_inside(&load->measure[i], start_ns, end_ns);

		wait.behind_ns[load->order[i]] = inside_ns - before_ns;
		wait.idle_ns -= inside_ns - before_ns;
		before_ns = inside_ns;
	}
	return wait;
}
