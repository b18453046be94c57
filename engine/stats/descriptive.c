/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include "engine/base/arena.h"
#include "engine/stats/descriptive.h"
#include "engine/stats/moments.h"
#include "engine/stats/quantile.h"
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

/* Computes ranks from 1 over both groups, baseline first; ties share their mean rank. Returns the
 * sum of t^3 - t over ties of t values. */
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
 * Returns for each U from 0 to B C the number of orders of B + C distinct values that have it, as
 * row C of the result. Values are dealt in ascending order; a candidate exceeds every baseline
 * value dealt before. Adds only, so that nothing cancels. The caller frees it.
 */
static double *count_orders(size_t b, size_t c)
{
	size_t width = b * c + 1;
	double *ways = weir_alloc((c + 1) * width * sizeof(*ways));

	ways[0] = 1;
	for (size_t dealt = 0; dealt < b + c; dealt++) {
		for (size_t j = dealt + 1 < c ? dealt + 1 : c; j > 0; j--) {
			size_t below = dealt + 1 -
			               j; /* baseline values dealt before, if this is candidate j */

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

/* Returns the variance of the differences between a value's rank among all values and its rank
 * within its group. */
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

/* Returns p-values for groups that do not overlap, where the variance is 0: exactly one of all
 * orders of B + C values has this form. */
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

/* ---- Kolmogorov-Smirnov ---- */

/* Rows of the largest matrix that is raised to a power for a p-value. */
#define MATRIX_MOST 99

static double *sorted_copy(struct weir_group group)
{
	double *copy = weir_alloc((group.count + 1) * sizeof(*copy));

	if (group.count > 0)
		memcpy(copy, group.values, group.count * sizeof(*copy));
	weir_sort_values(copy, group.count);
	return copy;
}

/* Returns the largest |i/B - j/C| times B C, an integer, over the steps of both distributions. */
static double largest_gap(struct weir_group baseline, struct weir_group candidate)
{
	double *b = sorted_copy(baseline);
	double *c = sorted_copy(candidate);
	size_t i = 0;
	size_t j = 0;
	double largest = 0;

	while (i < baseline.count && j < candidate.count) {
		double value = fmin(b[i], c[j]);

		while (i < baseline.count && b[i] == value)
			i++;
		while (j < candidate.count && c[j] == value)
			j++;
		largest = fmax(largest, fabs((double)i * (double)candidate.count -
		                             (double)j * (double)baseline.count));
	}
	free(b);
	free(c);
	return largest;
}

/*
 * Returns the share of lattice paths from (0, 0) to (B, C) that reach the gap. Counts these paths
 * rather than the others, so that a small share is exact. Holds one row of the lattice at a time.
 */
static double exact_ks_p(size_t b, size_t c, double gap)
{
	double *reached = weir_alloc((c + 1) * sizeof(*reached));
	double share;

	for (size_t i = 0; i <= b; i++) {
		for (size_t j = 0; j <= c; j++) {
			double from_b = i > 0 ? reached[j] * (double)i : 0;
			double from_c = j > 0 ? reached[j - 1] * (double)j : 0;
			double here = fabs((double)(i * c) - (double)(j * b));

			if (here >= gap)
				reached[j] = 1;
			else
				reached[j] = (from_b + from_c) / fmax(1, (double)(i + j));
		}
	}
	share = reached[c];
	free(reached);
	return share;
}

/* A square matrix times 10^exponent. */
struct matrix {
	double *cells;
	size_t rows;
	int exponent;
};

static struct matrix matrix_new(size_t rows)
{
	return (struct matrix){weir_alloc(rows * rows * sizeof(double)), rows, 0};
}

/* out must not be one of the factors. */
static void multiply(const struct matrix *a, const struct matrix *b, struct matrix *out)
{
	size_t n = a->rows;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			double sum = 0;

			for (size_t k = 0; k < n; k++)
				sum += a->cells[i * n + k] * b->cells[k * n + j];
			out->cells[i * n + j] = sum;
		}
	}
	out->exponent = a->exponent + b->exponent;
	if (out->cells[(n / 2) * n + n / 2] > 1e140) {
		for (size_t i = 0; i < n * n; i++)
			out->cells[i] *= 1e-140;
		out->exponent += 140;
	}
}

static void swap(struct matrix *a, struct matrix *b)
{
	struct matrix kept = *a;

	*a = *b;
	*b = kept;
}

/* Raises `base` to the power n, into *power; overwrites `base`. */
static void raise_to(struct matrix *base, size_t n, struct matrix *power)
{
	struct matrix scratch = matrix_new(base->rows);

	for (size_t i = 0; i < base->rows; i++)
		power->cells[i * base->rows + i] = 1;
	for (; n > 0; n /= 2) {
		if (n % 2) {
			multiply(power, base, &scratch);
			swap(power, &scratch);
		}
		multiply(base, base, &scratch);
		swap(base, &scratch);
	}
	free(scratch.cells);
}

/* Fills J. Durbin's matrix as in G. Marsaglia, W. W. Tsang and J. Wang, Evaluating Kolmogorov's
 * distribution, Journal of Statistical Software 8(18), 2003; h = k - n d. */
static void fill_durbin(struct matrix *matrix, double h)
{
	size_t m = matrix->rows;
	double *cells = matrix->cells;

	for (size_t i = 0; i < m; i++) {
		for (size_t j = 0; j < m; j++)
			cells[i * m + j] = i + 1 >= j ? 1 : 0;
	}
	for (size_t i = 0; i < m; i++) {
		cells[i * m] -= pow(h, (double)(i + 1));
		cells[(m - 1) * m + i] -= pow(h, (double)(m - i));
	}
	cells[(m - 1) * m] += 2 * h - 1 > 0 ? pow(2 * h - 1, (double)m) : 0;
	for (size_t i = 0; i < m; i++) {
		for (size_t j = 0; j < i + 1 && j < m; j++)
			cells[i * m + j] /= gsl_sf_fact((unsigned)(i - j + 1));
	}
}

/* Returns P(D >= d) for one sample of n values against its distribution; NAN if the matrix is too
 * large. */
static double one_sample_p(size_t n, double d)
{
	double k = floor((double)n * d) + 1;
	struct matrix base, power;
	double below;

	if (d >= 1)
		return 0;
	if (2 * k - 1 > MATRIX_MOST)
		return NAN;
	base = matrix_new((size_t)(2 * k) - 1);
	power = matrix_new(base.rows);
	fill_durbin(&base, k - (double)n * d);
	raise_to(&base, n, &power);
	below = power.cells[((size_t)k - 1) * power.rows + (size_t)k - 1];
	for (size_t i = 1; i <= n; i++) /* n! / n^n */
		below *= (double)i / (double)n;
	below *= pow(10, power.exponent);
	free(base.cells);
	free(power.cells);
	return fmin(fmax(1 - below, 0), 1);
}

/* Returns 2 sum (-1)^(k-1) exp(-2 k^2 lambda^2). Below 0.2 this is 1 within 1e-12, and the series
 * converges slowly. */
static double limit_p(double lambda)
{
	double sum = 0;

	if (lambda < 0.2)
		return 1;
	for (int k = 1; k <= 100; k++) {
		double term = exp(-2.0 * k * k * lambda * lambda);

		sum += k % 2 ? term : -term;
		if (term < 1e-17 * sum)
			break;
	}
	return fmin(fmax(2 * sum, 0), 1);
}

struct weir_ks weir_ks_test(struct weir_group baseline, struct weir_group candidate)
{
	double b = (double)baseline.count;
	double c = (double)candidate.count;
	struct weir_ks test = {NAN, NAN, NAN, NAN};
	double effective = b * c / (b + c);
	double gap;

	weir_stats_init();
	if (baseline.count == 0 || candidate.count == 0)
		return test;
	gap = largest_gap(baseline, candidate);
	test.d = gap / (b * c);
	if (b * c <= WEIR_EXACT_PAIRS)
		test.p_exact = exact_ks_p(baseline.count, candidate.count, gap);
	test.p_limit = limit_p(sqrt(effective) * test.d);
	test.p_asymptotic = one_sample_p((size_t)fmax(rint(effective), 1), test.d);
	if (isnan(test.p_asymptotic))
		test.p_asymptotic = test.p_limit;
	return test;
}
