/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the clocks of lanes are apart: by the ends of collectives that they share. */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/ranks/ranks_pair.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/stats/quantile.h"

/* Ends that agree to within a twentieth of their distance are of the same collectives: a clock that
 * is off at random would do so once in ten times. */
#define AGREE_SHARE 0.05
/* Timelines of one job begin and end within so many collectives of each other. */
#define MOST_SHIFT 512
#define SHIFTS     1025 /* from -MOST_SHIFT to MOST_SHIFT */
/* So many pairs say how well a shift fits. */
#define SHIFT_SAMPLE 256
/* A shift explains the ends when they scatter by at most this share of their distance. */
#define SCATTER_SHARE 0.25
/* Shifts that fit nearly as well as the best: a loop repeats itself. */
#define AS_GOOD_FACTOR 1.5
#define AS_GOOD_NS     200.0

/* Differences of ends, a's over b's, in a's clock with its offset. */
struct differences {
	double *ns;
	size_t count, capacity;
};

static void add_difference(struct differences *to, int64_t ns)
{
	to->ns = weir_grow(to->ns, &to->capacity, to->count + 1, sizeof *to->ns);
	to->ns[to->count++] = (double)ns;
}

static void add_pairs(struct differences *to, const struct weir_run *a, const struct weir_run *b,
                      int64_t offset_ns)
{
	uint32_t *partner = weir_alloc(a->count * sizeof *partner);

	weir_run_pair(a, b, offset_ns, partner);
	for (size_t i = 0; i < a->count; i++)
		if (partner[i] != UINT32_MAX)
			add_difference(to, a->items[i].end_ns - b->items[partner[i]].end_ns);
	free(partner);
}

/* Median distance of the differences from `from`. */
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
	struct weir_run a, b;        /* the longest of the others, by its shorter side */
};

static size_t shorter(const struct weir_run *a, const struct weir_run *b)
{
	return a->count < b->count ? a->count : b->count;
}

static void find_common(struct common *common, const struct weir_lane *a, const struct weir_lane *b)
{
	size_t i = 0, j = 0;

	while (i < a->count && j < b->count) {
		struct weir_run left = weir_run_at(a, i), right = weir_run_at(b, j);
		uint32_t key = left.items[0].key, other = right.items[0].key;

		if (key == other && weir_run_is_numbered(&left) && weir_run_is_numbered(&right))
			add_pairs(&common->numbered, &left, &right, 0);
		else if (key == other && shorter(&left, &right) > shorter(&common->a, &common->b))
			*common = (struct common){common->numbered, left, right};
		i += key <= other ? left.count : 0;
		j += other <= key ? right.count : 0;
	}
}

/* Item i of a and item i + by of b are the same collective. */
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
		differences[count++] = (double)(common->a.items[first].end_ns -
		                                common->b.items[first + by].end_ns);
	shift.offset_ns = weir_median(differences, count);
	shift.scatter_ns = weir_mad(differences, count);
	return shift;
}

/* Of shifts that fit, the one nearest to the stated clocks; without those, to the first items. */
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

/* The clocks as stated: does the median difference of what then matches make sense of them? */
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

/* By ends alone. False: nothing fits. */
static bool offset_by_ends(const struct common *common, bool based, double *offset_ns)
{
	double spacing_ns = (double)weir_run_spacing(&common->a);
	struct shift stated = {0, NAN, INFINITY}, best;

	if (shorter(&common->a, &common->b) < WEIR_FEWEST_MATCHES)
		return false;
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

/* The lane's own offset against one that has its own already. */
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

static int by_key(const void *left, const void *right)
{
	const struct weir_arrival *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static void sort_lane(void *context, size_t index)
{
	struct weir_lane *lane = (struct weir_lane *)context + index;

	if (lane->count > 0)
		qsort(lane->items, lane->count, sizeof *lane->items, by_key);
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

	weir_pool_run(count, width, sort_lane, lanes);
	weir_pool_run(count, width, align_to_first, &aligning);
	for (size_t i = 1; i < count; i++)
		for (size_t j = 1; j < i && !aligning.found[i]; j++)
			aligning.found[i] = offset_between(&lanes[j], &lanes[i]);
	free(aligning.found);
}
