/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "engine/base/arena.h"
#include "engine/stats/changepoint.h"
#include "engine/stats/special.h"

/* A permutation with the same cut counts as equally good, however its sums were rounded. */
#define ROUNDING 1e-9

struct cut {
	size_t at;
	double size;
};

/* The segments found so far: start[0] = 0, ..., start[count] = number of values. */
struct segments {
	size_t *start;
	size_t count;
};

/*
 * Values of the series by rank within their segment, so that the sum of the distances from one
 * value to all that were passed takes a logarithmic time: tree is a Fenwick tree over ranks (P. M.
 * Fenwick, Software: Practice and Experience 24(3), 1994).
 */
struct scan {
	double *sorted;   /* [segment start + rank] */
	double *distance; /* [segment start + rank]: sum of the distances to its segment */
	size_t *rank;     /* [position]: within the segment */
	struct node {
		double count, sum;
	} * tree;
};

static void scan_init(struct scan *scan, size_t count)
{
	scan->sorted = weir_alloc((count + 1) * sizeof(*scan->sorted));
	scan->distance = weir_alloc((count + 1) * sizeof(*scan->distance));
	scan->rank = weir_alloc((count + 1) * sizeof(*scan->rank));
	scan->tree = weir_alloc((count + 2) * sizeof(*scan->tree));
}

static void scan_release(struct scan *scan)
{
	free(scan->sorted);
	free(scan->distance);
	free(scan->rank);
	free(scan->tree);
}

struct placed {
	double value;
	size_t position;
};

static int by_value(const void *a, const void *b)
{
	const struct placed *left = a, *right = b;

	if (left->value != right->value)
		return left->value < right->value ? -1 : 1;
	return (left->position > right->position) - (left->position < right->position);
}

/* Ranks the values of one segment and sums up their distances. */
static void rank_segment(struct scan *scan, const double *values, size_t low, size_t high)
{
	size_t count = high - low;
	struct placed *placed = weir_alloc((count + 1) * sizeof(*placed));
	double all = 0, below = 0;

	for (size_t i = low; i < high; i++) {
		placed[i - low] = (struct placed){values[i], i};
		all += values[i];
	}
	qsort(placed, count, sizeof(*placed), by_value);
	for (size_t r = 0; r < count; r++) {
		double value = placed[r].value;

		scan->sorted[low + r] = value;
		scan->rank[placed[r].position] = r;
		scan->distance[low + r] =
			value * (double)r - below + (all - below) - value * (double)(count - r);
		below += value;
	}
	free(placed);
}

static double pairs(size_t n)
{
	return (double)n * (double)(n - 1) / 2;
}

/* Returns twice the mean distance across the cut, less the mean distances within both sides, scaled
 * by the sizes. */
static double energy(double across, double left, double right, size_t n, size_t m)
{
	double size = (double)n * (double)m;

	return size / (double)(n + m) * (2 * across / size - left / pairs(n) - right / pairs(m));
}

/* Returns the sum of the distances from a value to the passed ones; adds it to them. */
static double pass(struct node *tree, size_t count, size_t rank, double value,
                   const struct node *all)
{
	struct node below = {0};

	for (size_t i = rank + 1; i > 0; i &= i - 1) {
		below.count += tree[i].count;
		below.sum += tree[i].sum;
	}
	for (size_t i = rank + 1; i <= count; i += i & (~i + 1)) {
		tree[i].count++;
		tree[i].sum += value;
	}
	return value * below.count - below.sum + (all->sum - below.sum) -
	       value * (all->count - below.count);
}

/* Finds the best cut of low..high. The sums of distances are updated as one value after the other
 * changes sides. Size -INFINITY: the segment is too short. */
static struct cut best_cut(struct scan *scan, size_t low, size_t high, size_t least)
{
	struct cut best = {low, -INFINITY};
	size_t count = high - low;
	double left = 0, right = 0, across = 0;
	struct node passed = {0};

	if (count < 2 * least)
		return best;
	memset(scan->tree, 0, (count + 1) * sizeof(*scan->tree));
	for (size_t r = 0; r < count; r++)
		right += scan->distance[low + r] / 2;
	for (size_t i = low; i < high; i++) {
		size_t rank = scan->rank[i], n = i + 1 - low, m = high - i - 1;
		double value = scan->sorted[low + rank], size;
		double to_left = pass(scan->tree, count, rank, value, &passed);
		double to_right = scan->distance[low + rank] - to_left;

		passed.count++;
		passed.sum += value;
		left += to_left;
		right -= to_right;
		across += to_right - to_left;
		if (n < least || m < least)
			continue;
		size = energy(across, left, right, n, m);
		if (size > best.size)
			best = (struct cut){i + 1, size};
	}
	return best;
}

static struct cut best_of_all(struct scan *scan, const struct segments *segments, size_t least)
{
	struct cut best = {0, -INFINITY};

	for (size_t i = 0; i < segments->count; i++) {
		struct cut cut = best_cut(scan, segments->start[i], segments->start[i + 1], least);

		if (cut.size > best.size)
			best = cut;
	}
	return best;
}

/*
 * Returns the p-value of a cut: the share of permutations within segments with a cut at least as
 * good. Stops when the level cannot be reached any more (J. Besag and P. Clifford, Biometrika 78,
 * 1991), with a p above it.
 */
static double p_of(struct scan *scan, const struct segments *segments,
                   const struct weir_changepoint_rule *rule, double size, gsl_rng *rng)
{
	size_t as_good = 1;
	double all = (double)(rule->permutations + 1);

	for (size_t i = 0; i < rule->permutations && (double)as_good <= rule->alpha * all; i++) {
		for (size_t j = 0; j < segments->count; j++) {
			size_t start = segments->start[j];

			gsl_ran_shuffle(rng, scan->rank + start, segments->start[j + 1] - start,
			                sizeof(*scan->rank));
		}
		as_good += best_of_all(scan, segments, rule->least_segment).size >=
		           size * (1 - ROUNDING);
	}
	return (double)as_good / all;
}

static void insert(struct segments *segments, size_t at)
{
	size_t i = segments->count++;

	segments->start[i + 1] = segments->start[i];
	for (; i > 0 && segments->start[i - 1] > at; i--)
		segments->start[i] = segments->start[i - 1];
	segments->start[i] = at;
}

static int by_place(const void *a, const void *b)
{
	size_t left = ((const struct weir_changepoint *)a)->at;
	size_t right = ((const struct weir_changepoint *)b)->at;

	return (left > right) - (left < right);
}

size_t weir_changepoints(const double *values, size_t count,
                         const struct weir_changepoint_rule *rule, struct weir_changepoint *out,
                         size_t most)
{
	struct segments segments = {.count = 1};
	struct scan scan;
	size_t found = 0;
	gsl_rng *rng;

	weir_stats_init();
	if (rule->least_segment < 2 || count < 2 * rule->least_segment)
		return 0;
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng)
		weir_out_of_memory();
	gsl_rng_set(rng, (unsigned long)(rule->seed & UINT32_MAX));
	segments.start = weir_alloc((count + 2) * sizeof(*segments.start));
	segments.start[1] = count;
	scan_init(&scan, count);
	while (found < most) {
		struct cut cut;
		double p;

		for (size_t i = 0; i < segments.count; i++)
			rank_segment(&scan, values, segments.start[i], segments.start[i + 1]);
		cut = best_of_all(&scan, &segments, rule->least_segment);
		if (!(cut.size > 0))
			break;
		p = p_of(&scan, &segments, rule, cut.size, rng);
		if (p > rule->alpha)
			break;
		out[found++] = (struct weir_changepoint){cut.at, cut.size, p};
		insert(&segments, cut.at);
	}
	gsl_rng_free(rng);
	free(segments.start);
	scan_release(&scan);
	qsort(out, found, sizeof(*out), by_place);
	return found;
}
