/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include "engine/base/arena.h"
#include "engine/stats/descriptive.h"
#include "engine/stats/moments.h"
#include "engine/stats/special.h"

struct ranked {
	double value;
	size_t index;
};

static int by_value(const void *a, const void *b)
{
	double left = ((const struct ranked *)a)->value;
	double right = ((const struct ranked *)b)->value;

	return (left > right) - (left < right);
}

/* Ranks from 1, ties sharing their mean, of both groups as one: baseline first. Returns the sum of
 * t^3 - t over ties of t values. */
static double midranks(struct weir_group one, struct weir_group two, double *ranks)
{
	size_t count = one.count + two.count;
	struct ranked *order = weir_alloc((count + 1) * sizeof(*order));
	double ties = 0;

	for (size_t i = 0; i < count; i++) {
		double value = i < one.count ? one.values[i] : two.values[i - one.count];

		order[i] = (struct ranked){value, i};
	}
	qsort(order, count, sizeof(*order), by_value);
	for (size_t i = 0, end; i < count; i = end) {
		double length;

		for (end = i + 1; end < count && order[end].value == order[i].value;)
			end++;
		for (size_t j = i; j < end; j++)
			ranks[order[j].index] = (double)(i + 1 + end) / 2;
		length = (double)(end - i);
		ties += length * length * length - length;
	}
	free(order);
	return ties;
}

static double doubled(struct weir_p_values p)
{
	return fmin(1, 2 * fmin(p.greater, p.less));
}

/*
 * How many orders of B + C values without ties give each U from 0 to B C: values are dealt from the
 * smallest, and a candidate is above every baseline value that was dealt. Sums only: nothing
 * cancels. The caller frees; row C is the result.
 */
static double *count_orders(size_t b, size_t c)
{
	size_t width = b * c + 1;
	double *ways = weir_alloc((c + 1) * width * sizeof(*ways));

	ways[0] = 1;
	for (size_t dealt = 0; dealt < b + c; dealt++) {
		for (size_t j = dealt + 1 < c ? dealt + 1 : c; j > 0; j--) {
			size_t below = dealt + 1 - j; /* baseline values if this is candidate j */

			for (size_t u = below; below <= b && u < width; u++)
				ways[j * width + u] += ways[(j - 1) * width + u - below];
		}
	}
	return ways;
}

static struct weir_p_values exact_p(size_t b, size_t c, double u)
{
	struct weir_p_values p = {0};
	double *ways = count_orders(b, c);
	const double *row = ways + c * (b * c + 1);
	double all = 0;

	for (size_t i = 0; i <= b * c; i++) {
		all += row[i];
		p.greater += (double)i >= u ? row[i] : 0;
		p.less += (double)i <= u ? row[i] : 0;
	}
	p.greater /= all;
	p.less /= all;
	p.two_sided = doubled(p);
	free(ways);
	return p;
}

static struct weir_p_values asymptotic_p(double b, double c, double u, double ties)
{
	double n = b + c;
	double sigma = sqrt(b * c / 12 * (n + 1 - ties / (n * (n - 1))));
	double from_middle = u - b * c / 2;
	struct weir_p_values p = {1, 1, 1};

	if (!(sigma > 0))
		return p;
	p.greater = gsl_cdf_ugaussian_Q((from_middle - 0.5) / sigma);
	p.less = gsl_cdf_ugaussian_Q((-from_middle - 0.5) / sigma);
	p.two_sided = doubled(p);
	return p;
}

static const struct weir_p_values no_p = {NAN, NAN, NAN};

struct weir_mann_whitney weir_mann_whitney_test(struct weir_group baseline,
                                                struct weir_group candidate)
{
	double b = (double)baseline.count;
	double c = (double)candidate.count;
	struct weir_mann_whitney test = {NAN, NAN, no_p, no_p};
	double *ranks;
	double ties;
	double sum = 0;

	weir_stats_init();
	if (baseline.count == 0 || candidate.count == 0)
		return test;
	ranks = weir_alloc((baseline.count + candidate.count) * sizeof(*ranks));
	ties = midranks(baseline, candidate, ranks);
	for (size_t i = 0; i < candidate.count; i++)
		sum += ranks[baseline.count + i];
	free(ranks);
	test.u = sum - c * (c + 1) / 2;
	test.probability = test.u / (b * c);
	test.asymptotic = asymptotic_p(b, c, test.u, ties);
	if (ties == 0 && b * c <= WEIR_EXACT_PAIRS)
		test.exact = exact_p(baseline.count, candidate.count, test.u);
	return test;
}

/* Sum of the squared deviations of a value's rank among all from its rank in its own group. */
static double placement_variance(struct weir_group group, const double *ranks)
{
	double *placements = weir_alloc((group.count + 1) * sizeof(*placements));
	double variance;

	midranks(group, (struct weir_group){NULL, 0}, placements);
	for (size_t i = 0; i < group.count; i++)
		placements[i] = ranks[i] - placements[i];
	variance = weir_variance(placements, group.count);
	free(placements);
	return variance;
}

/* No overlap leaves no variance: of all orders of B + C values, one looks like this. */
static struct weir_p_values separated_p(size_t b, size_t c, bool candidate_larger)
{
	gsl_sf_result log_orders;
	struct weir_p_values p;
	double one;

	if (gsl_sf_lnchoose_e((unsigned)(b + c), (unsigned)c, &log_orders))
		return no_p;
	one = exp(-log_orders.val);
	p.greater = candidate_larger ? one : 1;
	p.less = candidate_larger ? 1 : one;
	p.two_sided = doubled(p);
	return p;
}

static void test_ranks(struct weir_brunner_munzel *test, double b, double c, double variance_b,
                       double variance_c)
{
	double pooled = b * variance_b + c * variance_c;

	test->w = b * c * (test->probability - 0.5) / sqrt(pooled);
	test->df = pooled * pooled /
	           (b * b * variance_b * variance_b / (b - 1) +
	            c * c * variance_c * variance_c / (c - 1));
	test->p.greater = weir_t_upper(test->w, test->df);
	test->p.less = weir_t_lower(test->w, test->df);
	test->p.two_sided = doubled(test->p);
}

struct weir_brunner_munzel weir_brunner_munzel_test(struct weir_group baseline,
                                                    struct weir_group candidate)
{
	double b = (double)baseline.count;
	double c = (double)candidate.count;
	struct weir_brunner_munzel test = {NAN, NAN, no_p, NAN, false};
	double *ranks;
	double variance_b, variance_c;

	weir_stats_init();
	if (baseline.count < 2 || candidate.count < 2)
		return test;
	ranks = weir_alloc((baseline.count + candidate.count) * sizeof(*ranks));
	midranks(baseline, candidate, ranks);
	test.probability = (weir_mean(ranks + baseline.count, candidate.count) - (c + 1) / 2) / b;
	variance_b = placement_variance(baseline, ranks);
	variance_c = placement_variance(candidate, ranks + baseline.count);
	free(ranks);
	if (variance_b > 0 || variance_c > 0) {
		test_ranks(&test, b, c, variance_b, variance_c);
		return test;
	}
	test.separated = test.probability <= 0 || test.probability >= 1;
	test.p = test.separated
	                 ? separated_p(baseline.count, candidate.count, test.probability > 0.5)
	                 : (struct weir_p_values){1, 1, 1};
	return test;
}
