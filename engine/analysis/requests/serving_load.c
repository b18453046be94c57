/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/requests/serving_load.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

#define PEAK_QUANTILE  0.95 /* of the busy time: a momentary peak is not the host's capacity */
#define PEAK_SHARE     0.9
#define SAME_NS        20000 /* rounding to microseconds, added up over the parts of a request */
#define SHORT_QUANTILE 0.05
#define SPACING_SHARE  0.5
#define LEAST_OVERLAPS 20
#define SPACED_SHARE   0.9

/* ---- parts ---- */

enum weir_part_class weir_part_class_of(const char *kind)
{
	static const struct {
		const char *kind;
		enum weir_part_class class;
	} classes[] = {
		{"queue", WEIR_PART_QUEUE},       {"batch_assembly", WEIR_PART_ASSEMBLY},
		{"preprocess", WEIR_PART_BEFORE}, {"h2d", WEIR_PART_COPY},
		{"compute", WEIR_PART_COMPUTE},   {"d2h", WEIR_PART_COPY},
		{"postprocess", WEIR_PART_AFTER},
	};

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strcmp(kind, classes[i].kind) == 0)
			return classes[i].class;
	return WEIR_PART_OTHER;
}

struct weir_part_walk weir_part_walk_on(const struct weir_requests *requests, size_t row)
{
	return (struct weir_part_walk){
		.requests = requests,
		.next = requests->part_first[row],
		.end = requests->part_first[row] + requests->part_count[row],
		.origin_ns = requests->start_ns[row],
		.at_ns = requests->start_ns[row],
	};
}

/* Adds two times. Times of hostile files may leave int64_t; the sum then stays at its limit. */
static int64_t add_times(int64_t at_ns, int64_t by_ns)
{
	if (by_ns > 0 && at_ns > INT64_MAX - by_ns)
		return INT64_MAX;
	if (by_ns < 0 && at_ns < INT64_MIN - by_ns)
		return INT64_MIN;
	return at_ns + by_ns;
}

bool weir_part_walk_next(struct weir_part_walk *walk, struct weir_part *out)
{
	const struct weir_requests *requests = walk->requests;

	if (walk->next == walk->end)
		return false;
	out->stage = requests->part_stage[walk->next];
	out->start_ns = requests->part_offset_ns
	                        ? add_times(walk->origin_ns, requests->part_offset_ns[walk->next])
	                        : walk->at_ns;
	out->end_ns = add_times(out->start_ns, requests->part_ns[walk->next]);
	walk->at_ns = out->end_ns;
	walk->next++;
	return true;
}

/* ---- concurrency ---- */

/* Starts and ends of intervals, each sorted: together they give the concurrency at any time. */
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

/* A stretch of time with constant concurrency. */
struct stretch {
	size_t starts, ends; /* edges before the stretch */
	int64_t from_ns, to_ns;
	size_t level;
};

/* Moves to the next stretch; returns false after the last end. */
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

/* Returns the peak concurrency, ignoring the busiest twentieth of the busy time. */
static size_t peak_of(const struct edges *edges)
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
	left_ns = PEAK_QUANTILE * (double)busy_ns;
	while (level < edges->count && left_ns > 0)
		left_ns -= (double)level_ns[++level];
	free(level_ns);
	return level;
}

void weir_intervals_at_peak(const struct weir_intervals *set, struct weir_intervals *out)
{
	struct edges edges;
	struct stretch at = {0};
	size_t enough;

	weir_intervals_clear(out);
	edges_init(&edges, set);
	enough = peak_of(&edges);
	while (next_stretch(&edges, &at))
		if (at.level > 0 && (double)at.level >= PEAK_SHARE * (double)enough)
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

/* Keeps one of several intervals that begin and end together. */
static void merge_batches(struct weir_intervals *set)
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

/* Returns the duration of a short interval, which did not have to wait for the worker. */
static double short_duration_ns(const struct weir_intervals *set, double *values)
{
	for (size_t i = 0; i < set->count; i++)
		values[i] = (double)weir_span_ns(set->items[i].start_ns, set->items[i].end_ns);
	return weir_quantile_select(values, set->count, SHORT_QUANTILE);
}

/* True if a single worker serves the intervals one after another. Too few overlaps prove nothing,
 * and then the answer makes no difference. Sorts the set by end. */
static bool has_one_worker(struct weir_intervals *set)
{
	double *values = weir_alloc((set->count + 1) * sizeof *values);
	double least_ns = SPACING_SHARE * short_duration_ns(set, values);
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
	return overlaps >= LEAST_OVERLAPS && (double)apart >= SPACED_SHARE * (double)overlaps;
}

void weir_host_busy(struct weir_intervals *set, struct weir_intervals *out)
{
	weir_intervals_clear(out);
	if (set->count == 0)
		return;
	qsort(set->items, set->count, sizeof *set->items, by_start);
	merge_batches(set);
	if (!has_one_worker(set)) {
		weir_intervals_at_peak(set, out);
		return;
	}
	copy_set(set, out);
	weir_intervals_unite(out);
}

/* Host stages ahead of the device work and after it; each side has its own workers. */
enum host_side { HOST_BEFORE, HOST_AFTER, HOST_SIDES };

/* Adds a part without uniting it with overlapping ones: their number is the concurrency. */
static void add_unmerged(struct weir_intervals *set, const struct weir_part *part)
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
				add_unmerged(&host[HOST_BEFORE], &part);
			else if (class == WEIR_PART_AFTER)
				add_unmerged(&host[HOST_AFTER], &part);
		}
	}
}

/* Orders resources, the busiest first; equally busy ones in the order of the enumeration. */
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
	struct weir_intervals host[HOST_SIDES] = {{0}}, busy = {0};
	double span;

	*load = (struct weir_load){0};
	collect(load, requests, classes, host);
	for (int side = 0; side < HOST_SIDES; side++) {
		weir_host_busy(&host[side], &busy);
		copy_set(&busy, &load->busy[WEIR_RESOURCE_HOST]);
		weir_intervals_release(&host[side]);
	}
	weir_intervals_release(&busy);
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
