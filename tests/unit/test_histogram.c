/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Durations in bins, and gaps by cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/time/histogram.h"

static void every_duration_lies_in_its_bin(void **state)
{
	static const int64_t durations[] = {0,    1,       7,        8,
	                                    9,    10,      1023,     1024,
	                                    1279, 1280,    12345678, INT64_C(1) << 40,
	                                    4096, 5 << 20, 7 << 20,  4095};

	(void)state;
	for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
		size_t bin = weir_bin_of(durations[i]);

		assert_true(weir_bin_start(bin) <= durations[i]);
		assert_true(weir_bin_start(bin + 1) > durations[i]);
	}
	assert_int_equal(weir_bin_of(1279), weir_bin_of(1024));
	assert_int_equal(weir_bin_of(1280), weir_bin_of(1279) + 1);
}

static void bins_follow_each_other_without_gaps(void **state)
{
	(void)state;
	assert_int_equal(weir_bin_start(0), 0);
	for (size_t bin = 1; bin <= weir_bin_of(WEIR_LONGEST_NS); bin++) {
		assert_true(weir_bin_start(bin) > weir_bin_start(bin - 1));
		assert_int_equal(weir_bin_of(weir_bin_start(bin)), bin);
		assert_int_equal(weir_bin_of(weir_bin_start(bin) - 1), bin - 1);
	}
}

static void times_of_bad_clocks_stay_in_the_table(void **state)
{
	static struct weir_bins bins;
	struct weir_arena *arena = weir_arena_new();
	struct weir_histogram *histogram;

	(void)state;
	weir_bins_add(&bins, INT64_MAX);
	weir_bins_add(&bins, WEIR_LONGEST_NS + 1);
	weir_bins_add(&bins, -5);
	histogram = weir_bins_finish(&bins, arena);
	assert_int_equal(histogram->bin_count, 2);
	assert_int_equal(histogram->bins[0].low_ns, 0);
	assert_int_equal(histogram->bins[0].total_ns, 0);
	assert_int_equal(histogram->bins[1].count, 2);
	assert_int_equal(histogram->bins[1].total_ns, WEIR_LONGEST_NS);
	weir_arena_free(arena);
}

/* Idle time that changes its cause is one gap; time of work or another device ends it. */
static void a_gap_reaches_from_work_to_work(void **state)
{
	static struct weir_gaps gaps;
	struct weir_arena *arena = weir_arena_new();
	struct weir_histogram *histogram;

	(void)state;
	weir_gaps_add(&gaps, 0, 100, 140, WEIR_IDLE_PYTHON);
	weir_gaps_add(&gaps, 0, 140, 200, WEIR_IDLE_DISPATCH);
	weir_gaps_add(&gaps, 0, 300, 400, WEIR_IDLE_PYTHON);
	weir_gaps_add(&gaps, 1, 400, 450, WEIR_IDLE_PYTHON);
	weir_gaps_add(&gaps, 1, 450, 500, WEIR_IDLE_PYTHON);
	histogram = weir_gaps_finish(&gaps, arena);
	assert_int_equal(histogram->bin_count, 1);
	assert_int_equal(histogram->bins[0].count, 3);
	assert_int_equal(histogram->bins[0].total_ns, 300);
	assert_int_equal(histogram->bins[0].cause, WEIR_IDLE_PYTHON);
	weir_arena_free(arena);
}

static void the_cause_of_a_bar_holds_most_of_its_time(void **state)
{
	static struct weir_gaps gaps;
	struct weir_arena *arena = weir_arena_new();
	struct weir_histogram *histogram;

	(void)state;
	weir_gaps_add(&gaps, 0, 0, 51, WEIR_IDLE_HOST_SYNC);
	weir_gaps_add(&gaps, 0, 51, 101, WEIR_IDLE_DISPATCH);
	weir_gaps_add(&gaps, 0, 200, 210, WEIR_IDLE_INTER_KERNEL);
	histogram = weir_gaps_finish(&gaps, arena);
	assert_int_equal(histogram->bin_count, 2);
	assert_int_equal(histogram->bins[0].cause, WEIR_IDLE_INTER_KERNEL);
	assert_int_equal(histogram->bins[1].cause, WEIR_IDLE_HOST_SYNC);
	weir_arena_free(arena);
}

static void nothing_is_no_histogram(void **state)
{
	static struct weir_gaps gaps;
	struct weir_arena *arena = weir_arena_new();

	(void)state;
	assert_null(weir_gaps_finish(&gaps, arena));
	weir_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_duration_lies_in_its_bin),
		cmocka_unit_test(bins_follow_each_other_without_gaps),
		cmocka_unit_test(times_of_bad_clocks_stay_in_the_table),
		cmocka_unit_test(a_gap_reaches_from_work_to_work),
		cmocka_unit_test(the_cause_of_a_bar_holds_most_of_its_time),
		cmocka_unit_test(nothing_is_no_histogram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
