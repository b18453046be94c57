/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sf_gamma.h>

#include "engine/base/arena.h"
#include "engine/stats/descriptive.h"
#include "engine/stats/quantile.h"
#include "engine/stats/special.h"

/* Rows of the largest matrix that is raised to a power for one p-value. */
#define MATRIX_MOST 99

static double *sorted_copy(struct weir_group group)
{
	double *copy = weir_alloc((group.count + 1) * sizeof(*copy));

	if (group.count > 0)
		memcpy(copy, group.values, group.count * sizeof(*copy));
	weir_sort_values(copy, group.count);
	return copy;
}

/* The largest |i/B - j/C| times B C, a whole number, over the steps of both distributions. */
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
 * Share of the lattice paths from (0, 0) to (B, C) that reach a gap: counted as such, so that a
 * small share is not what is left of 1. One row of the lattice at a time.
 */
static double exact_p(size_t b, size_t c, double gap)
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

/* out may not be one of the factors. */
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

/* base is used up; the result is in *power. */
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

/* J. Durbin's matrix as in G. Marsaglia, W. W. Tsang and J. Wang, Evaluating Kolmogorov's
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

/* P(D >= d) of one sample of n values against its distribution; NAN if the matrix grows too large.
 */
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

/* 2 sum (-1)^(k-1) exp(-2 k^2 lambda^2); below 0.2 it is 1 to 1e-12, and the series is slow. */
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
		test.p_exact = exact_p(baseline.count, candidate.count, gap);
	test.p_limit = limit_p(sqrt(effective) * test.d);
	test.p_asymptotic = one_sample_p((size_t)fmax(rint(effective), 1), test.d);
	if (isnan(test.p_asymptotic))
		test.p_asymptotic = test.p_limit;
	return test;
}
