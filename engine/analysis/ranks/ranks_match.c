/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/ranks/ranks_match.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/stats/quantile.h"

/* Ends that differ by less are equal: kernel time stamps have steps of up to 32 ns, and members
 * leave a collective within a microsecond or two. */
#define LEAST_TOLERANCE_NS 2000
/* For a collective that occurs once, which has no distance to the next. */
#define LONE_TOLERANCE_NS 1000000
/* Ends that agree to within a twentieth of their distance belong to the same collectives; a random
 * clock offset would achieve that once in ten times. */
#define AGREE_SHARE 0.05
/* Timelines of one job begin and end within this number of collectives of each other. */
#define MOST_SHIFT 512
#define SHIFTS     1025 /* from -MOST_SHIFT to MOST_SHIFT */
/* Number of pairs that decide how well a shift fits. */
#define SHIFT_SAMPLE 256
/* A shift explains the ends if their scatter is at most this share of their distance. */
#define SCATTER_SHARE 0.25
/* Shifts within this factor and distance fit as well as the best one: loops repeat. */
#define AS_GOOD_FACTOR 1.5
#define AS_GOOD_NS     200.0

/* ---- pairs of collectives with one key in two lanes ---- */

/* Consecutive arrivals of a settled lane with one key. */
struct key_run {
	const struct weir_lane *lane;
	uint32_t key;
	size_t first, count;
};

static struct key_run run_at(const struct weir_lane *lane, size_t index)
{
	const struct weir_lane_run *run = &lane->runs[index];

	return (struct key_run){lane, run->key, run->first, run->count};
}

static int64_t end_at(const struct key_run *run, size_t i)
{
	return weir_lane_end_ns(run->lane, run->first + i);
}

static int64_t sequence_at(const struct key_run *run, size_t i)
{
	return weir_lane_at(run->lane, WEIR_LANE_SEQUENCE, run->first + i);
}

static bool is_numbered(const struct key_run *run)
{
	return run->count > 0 && sequence_at(run, 0) >= 0; /* the smallest number comes first */
}

/* Returns the median distance between consecutive ends of at least two items. */
static int64_t spacing_of(const struct key_run *run)
{
	double *gaps = weir_alloc(run->count * sizeof *gaps), spacing;

	for (size_t i = 1; i < run->count; i++)
		gaps[i - 1] = (double)llabs(end_at(run, i) - end_at(run, i - 1));
	spacing = weir_median(gaps, run->count - 1);
	free(gaps);
	return (int64_t)spacing;
}

static size_t pair_by_number(const struct key_run *a, const struct key_run *b, uint32_t *partner)
{
	size_t pairs = 0, i = 0, j = 0;

	while (i < a->count && j < b->count) {
		int64_t left = sequence_at(a, i), right = sequence_at(b, j);

		if (left == right) {
			partner[i++] = (uint32_t)j++;
			pairs++;
		} else if (left < right) {
			i++;
		} else {
			j++;
		}
	}
	return pairs;
}

static int64_t tolerance_ns(const struct key_run *a)
{
	int64_t half;

	if (a->count < 2)
		return LONE_TOLERANCE_NS;
	half = spacing_of(a) / 2;
	return half > LEAST_TOLERANCE_NS ? half : LEAST_TOLERANCE_NS;
}

/* Returns the end of item j of b less that of item i of a. */
static int64_t apart_ns(const struct key_run *a, size_t i, const struct key_run *b, size_t j,
                        int64_t offset_ns)
{
	return end_at(b, j) + offset_ns - end_at(a, i);
}

/* Pairs items whose ends are within the tolerance; of several candidates, the nearest. */
static size_t pair_by_end(const struct key_run *a, const struct key_run *b, int64_t offset_ns,
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

/*
 * Finds for each item of a its partner, an index into b; UINT32_MAX: none. offset_ns is added to
 * the times of b. Returns the number of pairs.
 */
static size_t pair_runs(const struct key_run *a, const struct key_run *b, int64_t offset_ns,
                        uint32_t *partner)
{
	for (size_t i = 0; i < a->count; i++)
		partner[i] = UINT32_MAX;
	if (is_numbered(a) && is_numbered(b))
		return pair_by_number(a, b, partner);
	return pair_by_end(a, b, offset_ns, partner);
}

/* ---- clocks ---- */

/* Differences of ends, a less b, on a's clock with its offset. */
struct differences {
	double *ns;
	size_t count, capacity;
};

static void add_difference(struct differences *to, int64_t ns)
{
	to->ns = weir_grow(to->ns, &to->capacity, to->count + 1, sizeof *to->ns);
	to->ns[to->count++] = (double)ns;
}

static void add_pairs(struct differences *to, const struct key_run *a, const struct key_run *b,
                      int64_t offset_ns)
{
	uint32_t *partner = weir_alloc(a->count * sizeof *partner);

	pair_runs(a, b, offset_ns, partner);
	for (size_t i = 0; i < a->count; i++)
		if (partner[i] != UINT32_MAX)
			add_difference(to, end_at(a, i) - end_at(b, partner[i]));
	free(partner);
}

/* Returns the median distance of the differences from `from`. */
static double scatter(const struct differences *differences, double from)
{
	double *apart = weir_alloc((differences->count + 1) * sizeof *apart), median;

	for (size_t i = 0; i < differences->count; i++)
		apart[i] = fabs(differences->ns[i] - from);
	median = weir_median(apart, differences->count);
	free(apart);
	return median;
}

struct common {
	struct differences numbered; /* of all keys with sequence numbers */
	struct key_run a, b; /* of the keys without: the run with the longest shorter side */
};

static size_t shorter(const struct key_run *a, const struct key_run *b)
{
	return a->count < b->count ? a->count : b->count;
}

static void find_common(struct common *common, const struct weir_lane *a, const struct weir_lane *b)
{
	size_t i = 0, j = 0;

	while (i < a->run_count && j < b->run_count) {
		struct key_run left = run_at(a, a->by_key[i]), right = run_at(b, b->by_key[j]);
		uint32_t key = left.key, other = right.key;

		if (key == other && is_numbered(&left) && is_numbered(&right))
			add_pairs(&common->numbered, &left, &right, 0);
		else if (key == other && shorter(&left, &right) > shorter(&common->a, &common->b))
			*common = (struct common){common->numbered, left, right};
		i += key <= other;
		j += other <= key;
	}
}

/* A hypothesis: item i of a and item i + by of b are the same collective. */
struct shift {
	int64_t by;
	double offset_ns, scatter_ns; /* scatter NAN: too few pairs */
};

static struct shift try_shift(const struct common *common, int64_t by)
{
	int64_t first = by < 0 ? -by : 0, end = (int64_t)common->b.count - by;
	double differences[SHIFT_SAMPLE];
	struct shift shift = {by, NAN, NAN};
	size_t count = 0, pairs;

	if (end > (int64_t)common->a.count)
		end = (int64_t)common->a.count;
	pairs = end > first ? (size_t)(end - first) : 0;
	if (pairs < WEIR_FEWEST_MATCHES || 2 * pairs < shorter(&common->a, &common->b))
		return shift;
	if (pairs > SHIFT_SAMPLE)
		first += (int64_t)(pairs - SHIFT_SAMPLE) / 2;
	for (; first < end && count < SHIFT_SAMPLE; first++)
		differences[count++] = (double)(end_at(&common->a, (size_t)first) -
		                                end_at(&common->b, (size_t)(first + by)));
	shift.offset_ns = weir_median(differences, count);
	shift.scatter_ns = weir_mad(differences, count);
	return shift;
}

/* True if a shift is nearer to the stated clocks than another or, without stated clocks, nearer to
 * pairing the first items. */
static bool is_nearer(const struct shift *shift, const struct shift *than, bool based)
{
	return based ? fabs(shift->offset_ns) < fabs(than->offset_ns)
	             : llabs(shift->by) < llabs(than->by);
}

static struct shift best_shift(const struct common *common, bool based)
{
	struct shift *shifts = weir_alloc(SHIFTS * sizeof *shifts);
	struct shift best = {0, NAN, NAN};
	double least_ns = INFINITY;

	for (int64_t by = -MOST_SHIFT; by <= MOST_SHIFT; by++) {
		shifts[by + MOST_SHIFT] = try_shift(common, by);
		least_ns = fmin(least_ns, shifts[by + MOST_SHIFT].scatter_ns);
	}
	for (size_t i = 0; i < SHIFTS; i++)
		if (shifts[i].scatter_ns <= least_ns * AS_GOOD_FACTOR + AS_GOOD_NS &&
		    (isnan(best.scatter_ns) || is_nearer(&shifts[i], &best, based)))
			best = shifts[i];
	free(shifts);
	return best;
}

/* True if the stated clocks are right: pairs by end then differ little. */
static bool agree_as_stated(const struct common *common, double spacing_ns, struct shift *out)
{
	struct differences pairs = {0};
	bool agree;

	add_pairs(&pairs, &common->a, &common->b, 0);
	out->offset_ns = weir_median(pairs.ns, pairs.count);
	out->scatter_ns = pairs.count < WEIR_FEWEST_MATCHES ||
	                                  2 * pairs.count < shorter(&common->a, &common->b)
	                          ? INFINITY
	                          : scatter(&pairs, out->offset_ns);
	agree = isfinite(out->scatter_ns) && scatter(&pairs, 0) <= AGREE_SHARE * spacing_ns;
	free(pairs.ns);
	return agree;
}

/* Finds an offset from ends alone. Returns false if nothing fits. */
static bool offset_by_ends(const struct common *common, bool based, double *offset_ns)
{
	struct shift stated = {0, NAN, INFINITY}, best;
	double spacing_ns;

	if (shorter(&common->a, &common->b) < WEIR_FEWEST_MATCHES)
		return false;
	spacing_ns = (double)spacing_of(&common->a);
	if (based && agree_as_stated(common, spacing_ns, &stated)) {
		*offset_ns = stated.offset_ns;
		return true;
	}
	best = best_shift(common, based);
	if (best.scatter_ns <= SCATTER_SHARE * spacing_ns &&
	    best.scatter_ns < stated.scatter_ns / 2) {
		*offset_ns = best.offset_ns;
		return true;
	}
	*offset_ns = stated.offset_ns;
	return isfinite(stated.scatter_ns);
}

/* Finds the offset of lane b from a lane a whose offset is known. */
static bool offset_between(const struct weir_lane *a, struct weir_lane *b)
{
	struct common common = {0};
	bool based = a->based && b->based, found = true;
	double offset_ns;

	find_common(&common, a, b);
	if (common.numbered.count >= WEIR_FEWEST_MATCHES) {
		offset_ns = weir_median(common.numbered.ns, common.numbered.count);
		if (based && scatter(&common.numbered, 0) <= scatter(&common.numbered, offset_ns))
			offset_ns = 0;
	} else {
		found = offset_by_ends(&common, based, &offset_ns);
	}
	free(common.numbered.ns);
	if (!found || fabs((double)a->offset_ns + offset_ns) > (double)WEIR_ARRIVAL_MAX_NS)
		return false;
	b->offset_ns = a->offset_ns + llround(offset_ns);
	return true;
}

static void settle_lane(void *context, size_t index)
{
	weir_lane_settle((struct weir_lane *)context + index);
}

struct aligning {
	struct weir_lane *lanes;
	bool *found;
};

static void align_to_first(void *context, size_t index)
{
	const struct aligning *aligning = context;

	if (index > 0)
		aligning->found[index] =
			offset_between(&aligning->lanes[0], &aligning->lanes[index]);
}

void weir_lanes_align(struct weir_lane *lanes, size_t count)
{
	struct aligning aligning = {lanes, weir_alloc((count + 1) * sizeof(bool))};
	size_t width = weir_pool_width(count);

	weir_pool_run(count, width, settle_lane, lanes);
	weir_pool_run(count, width, align_to_first, &aligning);
	for (size_t i = 1; i < count; i++)
		for (size_t j = 1; j < i && !aligning.found[i]; j++)
			aligning.found[i] = offset_between(&lanes[j], &lanes[i]);
	free(aligning.found);
}

/* ---- matches ---- */

/* The items of a lane with one key. */
struct part {
	uint32_t key, lane;
	struct key_run run;
	uint32_t *partner; /* per item of the group's first part; NULL: not in a group */
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
		for (size_t r = 0; r < lanes[l].run_count; r++) {
			struct key_run run = run_at(&lanes[l], r);

			parts->items = weir_grow(parts->items, &parts->capacity, parts->count + 1,
			                         sizeof *parts->items);
			parts->items[parts->count++] =
				(struct part){.key = run.key, .lane = (uint32_t)l, .run = run};
		}
	if (parts->count > 0)
		qsort(parts->items, parts->count, sizeof *parts->items, by_key_and_lane);
}

/* Pairs a part with the first part of a group; returns false if it belongs to another group. */
static bool joins(const struct weir_lane *lanes, const struct part *leader, struct part *part)
{
	const struct key_run *a = &leader->run, *b = &part->run;
	int64_t offset_ns = lanes[part->lane].offset_ns - lanes[leader->lane].offset_ns;
	size_t fewer = a->count < b->count ? a->count : b->count, pairs;

	part->partner = weir_alloc(a->count * sizeof *part->partner);
	pairs = pair_runs(a, b, offset_ns, part->partner);
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

/* Adds item i of the group's first part if every other part has a partner for it. */
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

/* Builds the group of the first unplaced part. */
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
