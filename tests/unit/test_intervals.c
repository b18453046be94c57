/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of intervals against the simplest implementation: one flag per nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/time/intervals.h"
#include "tests/unit/near.h"

#define SPACE  64 /* coordinates 0 to SPACE - 1 */
#define ROUNDS 4000

struct bitmap {
	bool at[SPACE];
};

static int64_t below(uint64_t *state, uint64_t limit)
{
	return (int64_t)(next_number(state) % limit);
}

/* Up to 11 intervals, some of them empty or negative, in any order; the same into the bitmap. */
static void fill(struct weir_intervals *set, struct bitmap *bitmap, uint64_t *state)
{
	int64_t count = below(state, 12);

	memset(bitmap, 0, sizeof(*bitmap));
	for (int64_t i = 0; i < count; i++) {
		int64_t start = below(state, SPACE), end = start + below(state, 12) - 3;

		if (end > SPACE)
			end = SPACE;
		weir_intervals_push(set, start, end);
		for (int64_t at = start; at < end; at++)
			bitmap->at[at] = true;
	}
}

static int64_t population(const struct bitmap *bitmap)
{
	int64_t count = 0;

	for (size_t i = 0; i < SPACE; i++)
		count += bitmap->at[i];
	return count;
}

static void assert_same(const struct weir_intervals *set, const struct bitmap *bitmap)
{
	for (size_t i = 0; i < set->count; i++) {
		assert_true(set->items[i].start_ns < set->items[i].end_ns);
		if (i > 0)
			assert_true(set->items[i - 1].end_ns < set->items[i].start_ns);
	}
	for (int64_t at = 0; at < SPACE; at++)
		assert_int_equal(weir_intervals_contains(set, at), bitmap->at[at]);
	assert_int_equal(weir_intervals_total(set), population(bitmap));
}

static void a_united_set_holds_what_was_pushed_and_no_more(void **unused)
{
	uint64_t state = 1;

	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		struct weir_intervals set = {0};
		struct bitmap bitmap;

		fill(&set, &bitmap, &state);
		weir_intervals_unite(&set);
		assert_same(&set, &bitmap);
		weir_intervals_unite(&set); /* once more changes nothing */
		assert_same(&set, &bitmap);
		weir_intervals_release(&set);
	}
}

static void the_order_of_pushes_does_not_matter(void **unused)
{
	uint64_t state = 2;

	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		struct weir_intervals set = {0}, reversed = {0};
		struct weir_interval pushed[12];
		size_t count = (size_t)below(&state, 12);

		for (size_t i = 0; i < count; i++) {
			pushed[i].start_ns = below(&state, SPACE);
			pushed[i].end_ns = pushed[i].start_ns + below(&state, 9);
			weir_intervals_push(&set, pushed[i].start_ns, pushed[i].end_ns);
		}
		for (size_t i = count; i-- > 0;)
			weir_intervals_push(&reversed, pushed[i].start_ns, pushed[i].end_ns);
		weir_intervals_unite(&set);
		weir_intervals_unite(&reversed);
		assert_int_equal(set.count, reversed.count);
		if (set.count)
			assert_memory_equal(set.items, reversed.items,
			                    set.count * sizeof(*set.items));
		weir_intervals_release(&set);
		weir_intervals_release(&reversed);
	}
}

static void common_and_outside_agree_with_the_bitmaps(void **unused)
{
	uint64_t state = 3;

	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		struct weir_intervals a = {0}, b = {0}, only = {0};
		struct bitmap in_a, in_b, in_both, in_only;

		fill(&a, &in_a, &state);
		fill(&b, &in_b, &state);
		weir_intervals_unite(&a);
		weir_intervals_unite(&b);
		for (size_t at = 0; at < SPACE; at++) {
			in_both.at[at] = in_a.at[at] && in_b.at[at];
			in_only.at[at] = in_a.at[at] && !in_b.at[at];
		}
		weir_intervals_subtract(&a, &b, &only);
		assert_same(&only, &in_only);
		assert_int_equal(weir_intervals_common_ns(&a, &b), population(&in_both));
		assert_int_equal(weir_intervals_outside_ns(&a, &b), population(&in_only));
		weir_intervals_release(&a);
		weir_intervals_release(&b);
		weir_intervals_release(&only);
	}
}

/* |A| + |B| = |A or B| + |A and B|, and |A without B| = |A| - |A and B|, at epoch nanoseconds. */
static void lengths_obey_the_laws_of_sets(void **unused)
{
	const int64_t epoch = 1712195495519689047;
	uint64_t state = 4;

	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		struct weir_intervals a = {0}, b = {0}, either = {0};
		int64_t common;

		for (int i = 0; i < 20; i++) {
			int64_t at = epoch + below(&state, 1000000000),
				length = below(&state, 90000000);

			weir_intervals_push(i % 2 ? &a : &b, at, at + length);
			weir_intervals_push(&either, at, at + length);
		}
		weir_intervals_unite(&a);
		weir_intervals_unite(&b);
		weir_intervals_unite(&either);
		common = weir_intervals_common_ns(&a, &b);
		assert_int_equal(weir_intervals_total(&a) + weir_intervals_total(&b),
		                 weir_intervals_total(&either) + common);
		assert_int_equal(weir_intervals_outside_ns(&a, &b),
		                 weir_intervals_total(&a) - common);
		weir_intervals_release(&a);
		weir_intervals_release(&b);
		weir_intervals_release(&either);
	}
}

static void clip_and_measure_agree_with_the_bitmap(void **unused)
{
	uint64_t state = 5;

	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		int64_t start = below(&state, SPACE), end = below(&state, SPACE);
		struct weir_intervals set = {0};
		struct weir_measure measure;
		struct bitmap bitmap;

		fill(&set, &bitmap, &state);
		weir_intervals_unite(&set);
		for (int64_t at = 0; at < SPACE; at++)
			if (at < start || at >= end)
				bitmap.at[at] = false;
		weir_measure_init(&measure, &set);
		assert_int_equal(weir_measure_inside(&measure, start, end), population(&bitmap));
		assert_int_equal(weir_intervals_meets(&set, start, end),
		                 end > start ? population(&bitmap) > 0
		                             : weir_intervals_contains(&set, start));
		weir_measure_release(&measure);
		weir_intervals_clip(&set, start, end);
		assert_same(&set, &bitmap);
		weir_intervals_release(&set);
	}
}

static void empty_and_negative_intervals_are_dropped(void **unused)
{
	struct weir_intervals set = {0};

	(void)unused;
	weir_intervals_push(&set, 5, 5);
	weir_intervals_push(&set, 9, 2);
	weir_intervals_push(&set, INT64_MAX, INT64_MIN);
	assert_int_equal(set.count, 0);
	weir_intervals_unite(&set);
	assert_int_equal(weir_intervals_total(&set), 0);
	assert_false(weir_intervals_contains(&set, 5));
	weir_intervals_release(&set);
}

static void the_ends_of_int64_do_not_overflow(void **unused)
{
	struct weir_intervals all = {0}, edges = {0}, out = {0};
	struct weir_measure measure;

	(void)unused;
	weir_intervals_push(&all, INT64_MIN, INT64_MAX);
	assert_int_equal(weir_intervals_total(&all), INT64_MAX); /* 2^64 - 1 is no int64 */
	weir_intervals_push(&edges, INT64_MAX - 3, INT64_MAX);
	weir_intervals_push(&edges, INT64_MIN, INT64_MIN + 5);
	weir_intervals_unite(&edges);
	assert_int_equal(weir_intervals_total(&edges), 8);
	assert_int_equal(weir_intervals_common_ns(&all, &edges), 8);
	weir_intervals_subtract(&all, &edges, &out);
	assert_int_equal(out.count, 1);
	assert_int_equal(out.items[0].start_ns, INT64_MIN + 5);
	assert_int_equal(out.items[0].end_ns, INT64_MAX - 3);
	assert_int_equal(weir_intervals_outside_ns(&edges, &all), 0);
	weir_measure_init(&measure, &edges);
	assert_int_equal(weir_measure_inside(&measure, INT64_MIN + 1, INT64_MAX - 1), 6);
	weir_measure_release(&measure);
	assert_int_equal(weir_span_ns(-1, INT64_MAX), INT64_MAX);
	assert_int_equal(weir_add_ns(INT64_MAX, 1), INT64_MAX);
	weir_intervals_release(&all);
	weir_intervals_release(&edges);
	weir_intervals_release(&out);
}

static void instants_are_sorted_over_the_whole_range(void **state)
{
	int64_t ns[] = {5, INT64_MAX, -1, INT64_MIN, 5, 0};
	const int64_t sorted[] = {INT64_MIN, -1, 0, 5, 5, INT64_MAX};

	(void)state;
	weir_instants_sort(ns, 6);
	assert_memory_equal(ns, sorted, sizeof sorted);
	weir_instants_sort(NULL, 0);
}

static void an_instant_at_the_time_counts(void **state)
{
	const int64_t sorted[] = {INT64_MIN, -1, 5, 5, 9};

	(void)state;
	assert_int_equal(weir_instants_until(sorted, 5, INT64_MIN), 1);
	assert_int_equal(weir_instants_until(sorted, 5, -2), 1);
	assert_int_equal(weir_instants_until(sorted, 5, 4), 2);
	assert_int_equal(weir_instants_until(sorted, 5, 5), 4);
	assert_int_equal(weir_instants_until(sorted, 5, INT64_MAX), 5);
	assert_int_equal(weir_instants_until(NULL, 0, 5), 0);
}

static void the_first_instant_from_a_time_on_is_in_the_range(void **state)
{
	const int64_t sorted[] = {INT64_MIN, -1, 5, 5, 9};

	(void)state;
	assert_int_equal(weir_instants_from(sorted, 0, 5, INT64_MIN), 0);
	assert_int_equal(weir_instants_from(sorted, 0, 5, -1), 1);
	assert_int_equal(weir_instants_from(sorted, 0, 5, 5), 2);
	assert_int_equal(weir_instants_from(sorted, 3, 5, 5), 3);
	assert_int_equal(weir_instants_from(sorted, 0, 4, 6), 4);
	assert_int_equal(weir_instants_from(sorted, 0, 5, INT64_MAX), 5);
	assert_int_equal(weir_instants_from(NULL, 0, 0, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_united_set_holds_what_was_pushed_and_no_more),
		cmocka_unit_test(the_order_of_pushes_does_not_matter),
		cmocka_unit_test(common_and_outside_agree_with_the_bitmaps),
		cmocka_unit_test(lengths_obey_the_laws_of_sets),
		cmocka_unit_test(clip_and_measure_agree_with_the_bitmap),
		cmocka_unit_test(empty_and_negative_intervals_are_dropped),
		cmocka_unit_test(the_ends_of_int64_do_not_overflow),
		cmocka_unit_test(instants_are_sorted_over_the_whole_range),
		cmocka_unit_test(an_instant_at_the_time_counts),
		cmocka_unit_test(the_first_instant_from_a_time_on_is_in_the_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
