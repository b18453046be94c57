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

struct cut {
	size_t at;
	double size;
};

/* The segments found so far: start[0] = 0, ..., start[count] = number of values. */
struct segments {
	size_t *start;
	size_t count;
};

/* Returns the sum of the distances from one value to others. */
static double reach(const double *values, size_t low, size_t high, double from)
{
	double sum = 0;

	for (size_t i = low; i < high; i++)
		sum += fabs(values[i] - from);
	return sum;
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

/* Finds the best cut of low..high. The sums of distances are updated as one value after the other
 * changes sides. Size -INFINITY: the segment is too short. */
static struct cut best_cut(const double *values, size_t low, size_t high, size_t least)
{
	struct cut best = {low, -INFINITY};
	double left = 0;
	double right = 0;
	double across = 0;

	for (size_t i = low; i < high; i++)
		right += reach(values, i + 1, high, values[i]);
	for (size_t i = low; i < high; i++) {
		double to_left = reach(values, low, i, values[i]);
		double to_right = reach(values, i + 1, high, values[i]);
		size_t n = i + 1 - low;
		size_t m = high - i - 1;
		double size;

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

static struct cut best_of_all(const double *values, const struct segments *segments, size_t least)
{
	struct cut best = {0, -INFINITY};

	for (size_t i = 0; i < segments->count; i++) {
		struct cut cut =
			best_cut(values, segments->start[i], segments->start[i + 1], least);

		if (cut.size > best.size)
			best = cut;
	}
	return best;
}

/* Returns the p-value of a cut: the share of permutations within segments with a cut at least as
 * good. */
static double p_of(const double *values, const struct segments *segments,
                   const struct weir_changepoint_rule *rule, double size, gsl_rng *rng)
{
	size_t count = segments->start[segments->count];
	double *shuffled = weir_alloc(count * sizeof(*shuffled));
	size_t as_good = 1;

	for (size_t i = 0; i < rule->permutations; i++) {
		memcpy(shuffled, values, count * sizeof(*shuffled));
		for (size_t j = 0; j < segments->count; j++) {
			size_t start = segments->start[j];

			gsl_ran_shuffle(rng, shuffled + start, segments->start[j + 1] - start,
			                sizeof(*shuffled));
		}
		as_good += best_of_all(shuffled, segments, rule->least_segment).size >= size;
	}
	free(shuffled);
	return (double)as_good / (double)(rule->permutations + 1);
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
	size_t found = 0;
	gsl_rng *rng;

	weir_stats_init();
	if (rule->least_segment < 2 || count > WEIR_CHANGEPOINT_MOST ||
	    count < 2 * rule->least_segment)
		return 0;
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng)
		weir_out_of_memory();
	gsl_rng_set(rng, (unsigned long)(rule->seed & UINT32_MAX));
	segments.start = weir_alloc((count + 2) * sizeof(*segments.start));
	segments.start[1] = count;
	while (found < most) {
		struct cut cut = best_of_all(values, &segments, rule->least_segment);
		double p;

		if (!(cut.size > 0))
			break;
		p = p_of(values, &segments, rule, cut.size, rng);
		if (p > rule->alpha)
			break;
		out[found++] = (struct weir_changepoint){cut.at, cut.size, p};
		insert(&segments, cut.at);
	}
	gsl_rng_free(rng);
	free(segments.start);
	qsort(out, found, sizeof(*out), by_place);
	return found;
}
