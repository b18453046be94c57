/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/scrape/buckets.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/make_scrape.h"
#include "tests/unit/near.h"

#define MANY 8

/* Returns a histogram from counts at bounds, the last bound INFINITY; NAN: sum or count not given.
 */
static struct weir_buckets made(size_t count, const double *bound, const double *cumulative,
                                double sum, double observations)
{
	struct weir_buckets buckets = {.count = count, .sum = sum, .observations = observations};

	buckets.bound = weir_alloc(count * sizeof(double));
	buckets.cumulative = weir_alloc(count * sizeof(double));
	memcpy(buckets.bound, bound, count * sizeof(double));
	memcpy(buckets.cumulative, cumulative, count * sizeof(double));
	return buckets;
}

static void expect_quantile(const struct weir_buckets *buckets, double q, double estimate,
                            double low, double high)
{
	struct weir_quantile_estimate got;

	weir_buckets_quantile(buckets, q, &got);
	assert_near(got.estimate, estimate, 1e-6);
	assert_near(got.low, low, 1e-12);
	if (isinf(high))
		assert_true(isinf(got.high) && got.high > 0);
	else
		assert_near(got.high, high, 1e-12);
}

static const double example_bound[] = {.1, .5, 1, INFINITY};

static struct weir_buckets example(struct weir_counting *counting)
{
	struct weir_buckets before = made(4, example_bound, (double[]){10, 20, 25, 25}, NAN, NAN);
	struct weir_buckets after = made(4, example_bound, (double[]){12, 60, 120, 125}, NAN, NAN);

	weir_buckets_subtract(&after, &before, false, counting);
	weir_buckets_release(&before);
	return after;
}

static void two_pages_give_the_counts_between_them(void **state)
{
	static const double expected[] = {2, 40, 95, 100};
	struct weir_counting counting;
	struct weir_buckets buckets = example(&counting);

	(void)state;
	assert_false(counting.reset || counting.unaligned);
	assert_near(counting.largest_dip, 0, 0);
	for (size_t i = 0; i < 4; i++)
		assert_near(buckets.cumulative[i], expected[i], 0);
	assert_near(weir_buckets_total(&buckets), 100, 0);
	weir_buckets_release(&buckets);
}

static void quantiles_are_those_of_promql_inside_their_bucket(void **state)
{
	struct weir_counting counting;
	struct weir_buckets buckets = example(&counting);

	(void)state;
	expect_quantile(&buckets, 0.5, 0.590909, 0.5, 1);
	expect_quantile(&buckets, 0.95, 1, 0.5, 1);
	expect_quantile(&buckets, 0.99, 1, 1, INFINITY);
	expect_quantile(&buckets, 0.01, 0.05, 0, 0.1);
	weir_buckets_release(&buckets);
}

static void without_buckets_quantiles_are_unknown(void **state)
{
	static const double bound[] = {INFINITY};
	struct weir_buckets one = made(1, bound, (double[]){5}, 1, 5);
	struct weir_buckets none = made(4, example_bound, (double[]){0, 0, 0, 0}, 0, 0);
	struct weir_buckets empty = {.sum = NAN, .observations = NAN};

	(void)state;
	expect_quantile(&one, 0.5, NAN, NAN, NAN);
	expect_quantile(&none, 0.5, NAN, NAN, NAN);
	expect_quantile(&empty, 0.5, NAN, NAN, NAN);
	expect_quantile(&one, NAN, NAN, NAN, NAN);
	expect_quantile(&one, 1.5, NAN, NAN, NAN);
	assert_true(isnan(weir_buckets_total(&empty)));
	weir_buckets_release(&one);
	weir_buckets_release(&none);
}

static void a_decrease_is_a_restart_and_the_later_page_counts_alone(void **state)
{
	static const struct {
		double before[4], after[4], sum_before, sum_after;
		bool restarted, reset;
	} cases[] = {
		{{1, 2, 3, 4}, {1, 2, 3, 4}, 5, 5, false, false},
		{{1, 2, 3, 4}, {1, 1, 3, 5}, 5, 6, false, true},
		{{1, 2, 3, 4}, {0, 2, 3, 5}, 5, 6, false, true},
		{{1, 2, 3, 4}, {1, 2, 2, 5}, 5, 6, false, true},
		{{1, 2, 3, 4}, {1, 2, 3, 3}, 5, 6, false, true},
		{{1, 2, 3, 4}, {1, 2, 3, 5}, 5, 4, false, true},
		{{1, 2, 3, 4}, {2, 3, 4, 5}, 5, 6, true, true},
		{{1, 2, 3, 4}, {2, 3, 4, 5}, NAN, 6, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weir_buckets before =
			made(4, example_bound, cases[i].before, cases[i].sum_before, NAN);
		struct weir_buckets after =
			made(4, example_bound, cases[i].after, cases[i].sum_after, NAN);
		struct weir_counting counting;

		weir_buckets_subtract(&after, &before, cases[i].restarted, &counting);
		assert_int_equal(counting.reset, cases[i].reset);
		assert_near(weir_buckets_total(&after),
		            cases[i].after[3] - (cases[i].reset ? 0 : cases[i].before[3]), 0);
		weir_buckets_release(&before);
		weir_buckets_release(&after);
	}
}

static void other_buckets_are_reduced_to_common_bounds(void **state)
{
	static const double other[] = {.2, .5, 1, 2, INFINITY};
	struct weir_buckets before = made(4, example_bound, (double[]){1, 2, 3, 4}, 4, 4);
	struct weir_buckets after = made(5, other, (double[]){5, 6, 8, 9, 10}, 9, 10);
	struct weir_counting counting;

	(void)state;
	weir_buckets_subtract(&after, &before, false, &counting);
	assert_int_equal(after.count, 3);
	assert_near(after.bound[0], .5, 0);
	assert_near(after.cumulative[0], 4, 0);
	assert_near(after.cumulative[1], 5, 0);
	assert_near(after.cumulative[2], 6, 0);
	assert_near(after.sum / after.observations, 5.0 / 6, 1e-15);
	assert_false(counting.unaligned);
	weir_buckets_release(&before);
	weir_buckets_release(&after);
}

static void without_a_common_bound_only_the_mean_is_known(void **state)
{
	static const double other[] = {.3, 7, INFINITY};
	struct weir_buckets before = made(4, example_bound, (double[]){1, 2, 3, 4}, 4, 4);
	struct weir_buckets after = made(3, other, (double[]){5, 6, 10}, 10, 10);
	struct weir_counting counting;

	(void)state;
	weir_buckets_subtract(&after, &before, false, &counting);
	assert_true(counting.unaligned);
	assert_near(after.sum / after.observations, 1, 0);
	expect_quantile(&after, 0.5, NAN, NAN, NAN);
	weir_buckets_release(&before);
	weir_buckets_release(&after);
}

static void counts_that_decrease_along_the_bounds_are_raised(void **state)
{
	struct weir_buckets before = made(4, example_bound, (double[]){0, 5, 5, 10}, NAN, NAN);
	struct weir_buckets after = made(4, example_bound, (double[]){8, 10, 11, 30}, NAN, NAN);
	struct weir_counting counting;

	(void)state;
	weir_buckets_subtract(&after, &before, false, &counting);
	assert_near(counting.largest_dip, 3, 0); /* 8, 5, 6, 20 */
	assert_near(after.cumulative[1], 8, 0);
	assert_near(after.cumulative[2], 8, 0);
	weir_buckets_release(&before);
	weir_buckets_release(&after);
}

static void a_sum_that_buckets_do_not_allow_is_inconsistent(void **state)
{
	struct weir_buckets buckets = made(3, example_bound, (double[]){2, 4, 4}, 1.19, 4);

	(void)state;
	buckets.bound[2] = INFINITY;
	assert_true(weir_buckets_consistent(&buckets));
	buckets.sum = 1.21; /* 2 x 0.1 + 2 x 0.5 is the largest possible sum */
	assert_false(weir_buckets_consistent(&buckets));
	buckets.sum = 0.19;
	assert_false(weir_buckets_consistent(&buckets));
	/* Without a sum, or with a single bucket, nothing contradicts. */
	buckets.sum = NAN;
	assert_true(weir_buckets_consistent(&buckets));
	buckets.sum = -5;
	assert_false(weir_buckets_consistent(&buckets));
	buckets.count = 1;
	assert_true(weir_buckets_consistent(&buckets));
	weir_buckets_release(&buckets);
}

static void a_single_bucket_is_not_unaligned(void **state)
{
	static const double bound[] = {INFINITY};
	struct weir_buckets before = made(1, bound, (double[]){4}, 4, 4);
	struct weir_buckets after = made(1, bound, (double[]){10}, 10, 10);
	struct weir_counting counting;

	(void)state;
	weir_buckets_subtract(&after, &before, false, &counting);
	assert_false(counting.unaligned);
	assert_near(after.cumulative[0], 6, 0);
	weir_buckets_release(&before);
	weir_buckets_release(&after);
}

static void buckets_of_0_are_kept_and_other_values_left_out(void **state)
{
	static const char text[] = "# TYPE h histogram\n"
				   "h_bucket{le=\"1\"} 0\nh_bucket{le=\"2\"} -1\n"
				   "h_bucket{le=\"3\"} NaN\nh_bucket{le=\"4\"} +Inf\n"
				   "h_bucket{le=\"5\"} 2\nh_bucket{le=\"+Inf\"} 2\n"
				   "h_sum 9\nh_count 2\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page = scrape_of(&weir_reader_prometheus, profile, text);
	struct weir_buckets buckets;

	(void)state;
	weir_buckets_read(&buckets, page, find_scrape_series(page, "h", NULL, NULL));
	assert_int_equal(buckets.count, 3);
	assert_near(buckets.bound[0], 1, 0);
	assert_near(buckets.cumulative[0], 0, 0);
	assert_near(buckets.bound[1], 5, 0);
	assert_true(isinf(buckets.bound[2]));
	weir_buckets_release(&buckets);
	weir_profile_free(profile);
}

static void a_bucket_that_ends_at_zero_holds_negative_observations(void **state)
{
	static const double bound[] = {0, 1, INFINITY};
	struct weir_buckets buckets = made(3, bound, (double[]){2, 4, 4}, -3, 4);

	(void)state;
	assert_true(weir_buckets_consistent(&buckets));
	buckets.bound[0] = 0.5; /* now the smallest observation is 0 */
	assert_false(weir_buckets_consistent(&buckets));
	weir_buckets_release(&buckets);
}

static void the_sum_narrows_the_last_bucket(void **state)
{
	/* 98 observations of at most 0.1, and two above 1 with a sum of at most 10. */
	struct weir_buckets buckets = made(4, example_bound, (double[]){98, 98, 98, 100}, 10, 100);
	struct weir_quantile_estimate p99;

	(void)state;
	weir_buckets_quantile(&buckets, 0.99, &p99);
	assert_near(p99.low, 1, 0);
	assert_near(p99.high, 5, 1e-12); /* the smaller of two is at most half of their sum */
	weir_buckets_quantile(&buckets, 1, &p99);
	assert_near(p99.low, (10 - 9.8) / 2 > 1 ? 0.1 : 1, 0);
	assert_near(p99.high, 9, 1e-12);
	weir_buckets_release(&buckets);
}

static void replicas_are_added(void **state)
{
	struct weir_buckets all = {0};
	struct weir_buckets one = made(4, example_bound, (double[]){1, 2, 3, 4}, 4, 4);
	struct weir_buckets two = made(4, example_bound, (double[]){0, 5, 6, 9}, 8, 9);

	(void)state;
	weir_buckets_add(&all, &one);
	weir_buckets_add(&all, &two);
	assert_near(all.cumulative[1], 7, 0);
	assert_near(weir_buckets_total(&all), 13, 0);
	assert_near(all.sum, 12, 0);
	weir_buckets_release(&all);
	weir_buckets_release(&one);
	weir_buckets_release(&two);
}

static void a_missing_last_bucket_is_made_of_the_count(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page =
		scrape_of(&weir_reader_prometheus, profile,
	                  "# TYPE h histogram\nh_bucket{le=\"1\"} 3\nh_sum 9\nh_count 5\n");
	struct weir_buckets buckets;

	(void)state;
	weir_buckets_read(&buckets, page, find_scrape_series(page, "h", NULL, NULL));
	assert_int_equal(buckets.count, 2);
	assert_true(isinf(buckets.bound[1]));
	assert_near(weir_buckets_total(&buckets), 5, 0);
	weir_buckets_release(&buckets);
	weir_profile_free(profile);
}

/* ---- the bounds contain the true quantile ---- */

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double uniform(uint64_t *seed)
{
	return (double)(next_number(seed) >> 11) * 0x1p-53;
}

/* Draws latencies from several distributions; some values lie on bounds. */
static double draw(uint64_t *seed, int shape, const double *bound, size_t count)
{
	double u = uniform(seed);

	switch (shape) {
	case 0:
		return 4 * u;
	case 1:
		return -log(1 - u);
	case 2:
		return u < 0.9 ? 0.05 * uniform(seed) : 20 * uniform(seed);
	case 3:
		return bound[next_number(seed) % count];
	default:
		return 0.7; /* all equal */
	}
}

/* Draws ascending bounds: random distances, powers of two, or one bucket for nearly all
 * observations. */
static size_t draw_bounds(uint64_t *seed, double *bound)
{
	size_t count = 1 + next_number(seed) % (MANY - 1);
	bool doubling = next_number(seed) % 2;
	double at = 0.01 + uniform(seed);

	for (size_t i = 0; i < count; i++) {
		bound[i] = at;
		at = doubling ? at * 2 : at + 0.01 + 2 * uniform(seed);
	}
	bound[count] = INFINITY;
	return count + 1;
}

static struct weir_buckets count_into(const double *value, size_t n, const double *bound,
                                      size_t bounds)
{
	double cumulative[MANY + 1] = {0}, sum = 0;
	struct weir_buckets buckets;

	for (size_t i = 0; i < n; i++) {
		sum += value[i];
		for (size_t b = 0; b < bounds; b++)
			cumulative[b] += value[i] <= bound[b];
	}
	buckets = made(bounds, bound, cumulative, sum, (double)n);
	buckets.rounding = 1e-12 * sum;
	return buckets;
}

#define CASES       4000
#define MAX_SAMPLES 400

static void check_levels(const struct weir_buckets *buckets, const double *sorted, size_t n,
                         size_t *narrowed)
{
	static const size_t per_cent[] = {1, 10, 50, 75, 90, 95, 99, 100};

	for (size_t l = 0; l < sizeof per_cent / sizeof *per_cent; l++) {
		struct weir_quantile_estimate got;
		double truth = sorted[(per_cent[l] * n + 99) / 100 - 1];
		bool is_bound = false;

		weir_buckets_quantile(buckets, (double)per_cent[l] / 100, &got);
		if (!(truth >= got.low * (1 - 1e-9) && truth <= got.high * (1 + 1e-9)))
			fail_msg("p%zu of %zu is %.17g, not in [%.17g, %.17g]", per_cent[l], n,
			         truth, got.low, got.high);
		if (!(got.estimate >= got.low && got.estimate <= got.high))
			fail_msg("the estimate %.17g leaves [%.17g, %.17g]", got.estimate, got.low,
			         got.high);
		for (size_t b = 0; b < buckets->count; b++)
			is_bound |= got.high == buckets->bound[b];
		*narrowed += !is_bound;
	}
}

static void the_true_quantile_lies_within_the_bounds(void **state)
{
	uint64_t seed = 20240611;
	size_t narrowed = 0;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		double bound[MANY + 1], value[MAX_SAMPLES];
		size_t bounds = draw_bounds(&seed, bound);
		size_t n = 1 + next_number(&seed) % MAX_SAMPLES;
		struct weir_buckets buckets;

		for (size_t v = 0; v < n; v++)
			value[v] = draw(&seed, i % 5, bound, bounds - 1);
		qsort(value, n, sizeof *value, by_value);
		buckets = count_into(value, n, bound, bounds);
		check_levels(&buckets, value, n, &narrowed);
		weir_buckets_release(&buckets);
	}
	assert_true(narrowed > CASES); /* the sum did narrow some of them */
}

static void bounds_hold_for_the_difference_of_two_pages(void **state)
{
	uint64_t seed = 7;
	size_t narrowed = 0;

	(void)state;
	for (int i = 0; i < CASES / 4; i++) {
		double bound[MANY + 1], value[MAX_SAMPLES];
		size_t bounds = draw_bounds(&seed, bound);
		size_t n = 2 + next_number(&seed) % (MAX_SAMPLES - 2),
		       first = next_number(&seed) % n;
		struct weir_counting counting;
		struct weir_buckets before, after;

		for (size_t v = 0; v < n; v++)
			value[v] = draw(&seed, i % 5, bound, bounds - 1);
		before = count_into(value, first, bound, bounds);
		after = count_into(value, n, bound, bounds);
		weir_buckets_subtract(&after, &before, false, &counting);
		assert_false(counting.reset);
		qsort(value + first, n - first, sizeof *value, by_value);
		check_levels(&after, value + first, n - first, &narrowed);
		weir_buckets_release(&before);
		weir_buckets_release(&after);
	}
}

static void expect_stalls(struct weir_buckets buckets, double usual, double share)
{
	struct weir_stalls got;

	weir_buckets_stalls(&buckets, &got);
	assert_near(got.usual, usual, 1e-9);
	assert_near(got.share, share, 1e-9);
	weir_buckets_release(&buckets);
}

static void long_durations_add_at_least_their_part_of_the_sum(void **state)
{
	static const double wide[] = {10, 25, 100, 300, INFINITY};

	(void)state;
	/* 90 observations are 10 at most, and ten are 100 to 300. */
	expect_stalls(made(5, wide, (double[]){90, 90, 90, 100, 100}, 2700, 100), 10,
	              1 - 10 * 100 / 2700.0);
	/* The sum allows the 90 only 8.9 each: (1801 - 10 * 100) / 90. */
	expect_stalls(made(5, wide, (double[]){90, 90, 90, 100, 100}, 1801, 100), 8.9,
	              1 - 8.9 * 100 / 1801);
	/* The median's bucket is the second one, and the first may hold nothing: the long ones
	 * alone show more than the mean. */
	expect_stalls(made(5, wide, (double[]){45, 95, 95, 100, 100}, 1650, 100), 23,
	              5 * (100 - 23) / 1650.0);
	/* From twice the usual duration on. */
	expect_stalls(
		made(4, (double[]){10, 25, 40, INFINITY}, (double[]){45, 95, 95, 100}, 1200, 100),
		20, 5 * (40 - 20) / 1200.0);
	expect_stalls(
		made(4, (double[]){10, 25, 39, INFINITY}, (double[]){45, 95, 95, 100}, 1195, 100),
		20, 0);
}

static void without_a_sum_nothing_is_known_of_long_durations(void **state)
{
	static const double bound[] = {10, INFINITY};

	(void)state;
	expect_stalls(made(2, bound, (double[]){90, 100}, NAN, 100), 10, NAN);
	expect_stalls(made(2, bound, (double[]){0, 0}, 0, 0), NAN, NAN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_pages_give_the_counts_between_them),
		cmocka_unit_test(quantiles_are_those_of_promql_inside_their_bucket),
		cmocka_unit_test(without_buckets_quantiles_are_unknown),
		cmocka_unit_test(a_decrease_is_a_restart_and_the_later_page_counts_alone),
		cmocka_unit_test(other_buckets_are_reduced_to_common_bounds),
		cmocka_unit_test(without_a_common_bound_only_the_mean_is_known),
		cmocka_unit_test(counts_that_decrease_along_the_bounds_are_raised),
		cmocka_unit_test(a_single_bucket_is_not_unaligned),
		cmocka_unit_test(buckets_of_0_are_kept_and_other_values_left_out),
		cmocka_unit_test(a_sum_that_buckets_do_not_allow_is_inconsistent),
		cmocka_unit_test(a_bucket_that_ends_at_zero_holds_negative_observations),
		cmocka_unit_test(the_sum_narrows_the_last_bucket),
		cmocka_unit_test(replicas_are_added),
		cmocka_unit_test(a_missing_last_bucket_is_made_of_the_count),
		cmocka_unit_test(the_true_quantile_lies_within_the_bounds),
		cmocka_unit_test(bounds_hold_for_the_difference_of_two_pages),
		cmocka_unit_test(long_durations_add_at_least_their_part_of_the_sum),
		cmocka_unit_test(without_a_sum_nothing_is_known_of_long_durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
