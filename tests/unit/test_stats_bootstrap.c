/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals against tests/vectors/bootstrap_bca.json, of another generator; seeds. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/splitmix.h"
#include "engine/stats/bootstrap.h"
#include "tests/unit/near.h"
#include "tests/unit/vectors.h"

#define MOST 100

static const double half = 0.5, ninety = 0.9;

static struct weir_bootstrap how_of(const char *statistic)
{
	struct weir_bootstrap how = {.statistic = weir_statistic_quantile,
	                             .context = &half,
	                             .resamples = 40000,
	                             .level = 0.95,
	                             .seed = 1};

	if (strcmp(statistic, "mean") == 0)
		how.statistic = weir_statistic_mean;
	if (strcmp(statistic, "p90") == 0)
		how.context = &ninety;
	return how;
}

/* Within a share of the width: generators differ. */
static void assert_interval(struct weir_interval actual, const double *expected, double share)
{
	double width = expected[1] - expected[0];

	if (fabs(actual.low - expected[0]) > share * width ||
	    fabs(actual.high - expected[1]) > share * width)
		fail_msg("[%g, %g], expected [%g, %g]", actual.low, actual.high, expected[0],
		         expected[1]);
}

static void intervals_agree_with_the_vectors(void **state)
{
	cJSON *document = read_vectors("bootstrap_bca");
	double share = number(document, "tol_rel_width");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		size_t count;
		double *x = numbers(one, "x", &count);
		double *bca = numbers(one, "bca", NULL);
		double *percentile = numbers(one, "percentile", NULL);
		struct weir_bootstrap how = how_of(text(one, "stat"));
		struct weir_bootstrap_intervals out = weir_bootstrap(&how, x, count);

		assert_interval(out.bca, bca, share);
		assert_interval(out.percentile, percentile, share);
		free(x), free(bca), free(percentile);
		cases++;
	}
	assert_int_equal(cases, 6);
	cJSON_Delete(document);
}

static void the_seed_decides_everything(void **state)
{
	const double x[] = {3, 1, 4, 1, 5, 9, 2, 6};
	struct weir_bootstrap how = how_of("mean");
	struct weir_bootstrap_intervals first, again, other;

	(void)state;
	how.resamples = 500;
	first = weir_bootstrap(&how, x, 8);
	again = weir_bootstrap(&how, x, 8);
	how.seed = 2;
	other = weir_bootstrap(&how, x, 8);
	assert_near(first.bca.low, again.bca.low, 0);
	assert_near(first.percentile.high, again.percentile.high, 0);
	assert_true(first.bca.low != other.bca.low || first.bca.high != other.bca.high);
}

static void seeds_of_rows_depend_on_their_name_only(void **state)
{
	(void)state;
	/* The first outputs of the published generator from state 0 and 1234567. */
	assert_true(weir_splitmix64(0) == UINT64_C(0xe220a8397b1dcdaf));
	assert_true(weir_splitmix64(1234567) == UINT64_C(6457827717110365317));
	assert_true(weir_seed_of(1, "p50") == weir_seed_of(1, "p50"));
	assert_true(weir_seed_of(1, "p50") != weir_seed_of(1, "p90"));
	assert_true(weir_seed_of(1, "p50") != weir_seed_of(2, "p50"));
}

static void too_little_gives_no_interval(void **state)
{
	const double x[] = {3, 3, 3};
	struct weir_bootstrap how = how_of("mean");
	struct weir_bootstrap_intervals out;

	(void)state;
	assert_near(weir_bootstrap(&how, x, 1).percentile.low, NAN, 0);
	out = weir_bootstrap(&how, x, 3);
	assert_near(out.percentile.low, 3, 0);
	assert_near(out.bca.low, NAN, 0); /* no jackknife value differs */
	how.resamples = 0;
	assert_near(weir_bootstrap(&how, x, 3).percentile.low, NAN, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_agree_with_the_vectors),
		cmocka_unit_test(the_seed_decides_everything),
		cmocka_unit_test(seeds_of_rows_depend_on_their_name_only),
		cmocka_unit_test(too_little_gives_no_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
