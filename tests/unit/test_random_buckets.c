/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of pseudo-random histograms, against tests/data/random_buckets: two pages whose bounds
 * differ, whose counts decrease by a rounding error or more, and whose sums fit the buckets or not.
 * `WEIR_UPDATE_BUCKETS=1 test_random_buckets` rewrites the file. */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/scrape/buckets.h"
#include "engine/base/arena.h"
#include "tests/unit/near.h"
#include "tests/unit/record.h"

#define ROUNDS 150
#define ROOM   9

static double any(uint64_t *seed, const double *list, size_t count)
{
	return list[next_number(seed) % count];
}

#define ANY(...)                                                                                   \
	any(seed, (const double[]){__VA_ARGS__},                                                   \
	    sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

/* Returns a histogram with some of the bounds and without observations. */
static struct weir_buckets draw_bounds(uint64_t *seed)
{
	static const double bounds[] = {-1, 0, 0.1, 0.5, 1, 2, 5, 20};
	struct weir_buckets out = {.bound = weir_alloc(ROOM * sizeof(double)),
	                           .cumulative = weir_alloc(ROOM * sizeof(double))};
	size_t from = (size_t)ANY(0, 1, 2, 2, 2, 2);

	for (size_t i = from; i < sizeof bounds / sizeof *bounds; i++)
		if (ANY(0, 1, 1, 1) > 0)
			out.bound[out.count++] = bounds[i];
	out.bound[out.count++] = INFINITY;
	return out;
}

/* Adds observations to every bucket, and their sum. */
static void observe(uint64_t *seed, struct weir_buckets *buckets)
{
	double all = 0;

	for (size_t i = 0; i < buckets->count; i++) {
		double own = ANY(0, 0, 1, 2, 7, 100);
		double low = i > 0 ? buckets->bound[i - 1] : fmin(buckets->bound[0], 0);
		double high = isinf(buckets->bound[i]) ? 3 * fabs(low) + 1 : buckets->bound[i];

		all += own;
		buckets->cumulative[i] += all;
		buckets->sum += own * (low + ANY(0, 0.3, 1) * (high - low));
	}
	buckets->observations += all;
	buckets->rounding = 1e-9 * fabs(buckets->sum);
}

/* Returns the later page: it continues the first one, perhaps with other bounds, and one of its
 * counts may be lower. */
static struct weir_buckets draw_later(uint64_t *seed, const struct weir_buckets *first)
{
	struct weir_buckets later = draw_bounds(seed);
	double less = ANY(0, 0, 5e-13, 2e-12, 1e-9, 0.5);

	for (size_t i = 0, at = 0; i < later.count; i++) {
		while (first->bound[at] < later.bound[i])
			at++;
		later.cumulative[i] = first->cumulative[at];
	}
	later.sum = first->sum;
	later.observations = first->observations;
	if (ANY(0, 1) > 0)
		observe(seed, &later);
	later.sum *= ANY(1, 1, 1, 1 - 5e-13, 1 - 2e-12, 3);
	later.rounding = 1e-9 * fabs(later.sum);
	later.observations *= ANY(1, 1, 1, 1 - 5e-13, 1 - 2e-12);
	later.cumulative[next_number(seed) % (later.count ? later.count : 1)] *= 1 - less;
	return later;
}

/* ---- the record ---- */

static void add_buckets(struct weir_text *out, const struct weir_buckets *buckets)
{
	static const double at[] = {0, 0.01, 0.5, 0.9, 0.99, 1};
	struct weir_quantile_estimate estimate;
	struct weir_stalls stalls;

	for (size_t i = 0; i < buckets->count; i++)
		weir_text_printf(out, " %g:%.9g", buckets->bound[i], buckets->cumulative[i]);
	weir_text_printf(out, " sum %.9g of %.9g, rounding %.9g, repaired %d, consistent %d\n",
	                 buckets->sum, buckets->observations, buckets->rounding, buckets->repaired,
	                 weir_buckets_consistent(buckets));
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		weir_buckets_quantile(buckets, at[i], &estimate);
		weir_text_printf(out, "  %.9g (%.9g to %.9g, %d)", estimate.estimate, estimate.low,
		                 estimate.high, estimate.beyond);
	}
	weir_buckets_stalls(buckets, &stalls);
	weir_text_printf(out, "; usual %.9g, stalls %.9g\n", stalls.usual, stalls.share);
}

static void describe(unsigned round, struct weir_text *out)
{
	uint64_t state = 40 + round, *seed = &state;
	struct weir_buckets before = draw_bounds(seed), later, sum = {0};
	struct weir_counting counting;

	observe(seed, &before);
	later = draw_later(seed, &before);
	weir_buckets_add(&sum, &before);
	weir_buckets_add(&sum, &later);
	weir_buckets_subtract(&later, ANY(0, 1, 1, 1, 1, 1) > 0 ? &before : NULL,
	                      ANY(0, 0, 0, 0, 0, 0, 1) > 0, &counting);
	weir_text_printf(out, "%u: reset %d, unaligned %d, dip %.6g,", round, counting.reset,
	                 counting.unaligned, counting.largest_dip);
	add_buckets(out, &later);
	weir_text_puts(out, " both:");
	add_buckets(out, &sum);
	weir_buckets_release(&before);
	weir_buckets_release(&later);
	weir_buckets_release(&sum);
}

static void random_histograms_keep_every_figure(void **state)
{
	struct weir_text text = {0};

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++)
		describe(round, &text);
	record_check("tests/data/random_buckets/figures.txt", &text, "WEIR_UPDATE_BUCKETS");
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_histograms_keep_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
