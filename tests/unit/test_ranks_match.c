/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matching of collectives between timelines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/ranks/ranks_match.h"

#define PERIOD 100000
#define LANES  4

/* Returns the end of the i-th collective on the true clock; no two distances are equal. */
static int64_t end_of(int64_t i)
{
	return i * PERIOD + i * i * 7919 % 977 * 20;
}

static void add(struct weir_lane *lane, uint32_t key, int64_t i, int64_t clock_ns)
{
	weir_lane_add(lane, &(struct weir_arrival){.key = key,
	                                           .row = (uint32_t)i,
	                                           .sequence = -1,
	                                           .start_ns = end_of(i) - 1000 + clock_ns,
	                                           .end_ns = end_of(i) + clock_ns});
}

/* Returns a lane with the collectives [first, end), on a clock that is ahead by clock_ns. */
static struct weir_lane lane_of(int64_t first, int64_t end, int64_t clock_ns, bool based)
{
	struct weir_lane lane = {.based = based};

	for (int64_t i = first; i < end; i++)
		add(&lane, 1, i, clock_ns);
	return lane;
}

static void match(struct weir_lane *lanes, size_t count, struct weir_matches *out)
{
	*out = (struct weir_matches){0};
	weir_lanes_align(lanes, count);
	weir_lanes_match(lanes, count, out);
}

static uint32_t row_of(const struct weir_lane *lanes, const struct weir_member *member)
{
	return (uint32_t)weir_lane_at(&lanes[member->lane], WEIR_LANE_ROW, member->item);
}

/* Checks that all members of every match are the same collective, by their rows. */
static void assert_true_matches(const struct weir_lane *lanes, const struct weir_matches *matches,
                                size_t count, size_t members)
{
	assert_int_equal(matches->count, count);
	for (size_t i = 0; i < matches->count; i++) {
		const struct weir_member *first = &matches->members[matches->first[i]];
		uint32_t row = row_of(lanes, first);

		assert_int_equal(matches->first[i + 1] - matches->first[i], members);
		for (size_t m = matches->first[i]; m < matches->first[i + 1]; m++) {
			const struct weir_member *at = &matches->members[m];

			assert_int_equal(row_of(lanes, at), row);
		}
	}
}

static void release(struct weir_lane *lanes, size_t count, struct weir_matches *matches)
{
	for (size_t i = 0; i < count; i++)
		weir_lane_release(&lanes[i]);
	weir_matches_release(matches);
}

static void timelines_that_begin_at_different_steps_match_by_time(void **state)
{
	struct weir_lane lanes[] = {lane_of(1, 30, 0, true), lane_of(0, 29, 300, true),
	                            lane_of(3, 30, -200, true)};
	struct weir_matches matches;

	(void)state;
	match(lanes, 3, &matches);
	assert_true_matches(lanes, &matches, 26, 3);
	assert_int_equal(lanes[1].offset_ns, -300);
	assert_int_equal(lanes[2].offset_ns, 200);
	release(lanes, 3, &matches);
}

static void a_lane_without_a_clock_is_aligned_by_the_ends(void **state)
{
	struct weir_lane lanes[] = {lane_of(0, 40, 0, true), lane_of(5, 40, 987654321987, false)};
	struct weir_matches matches;

	(void)state;
	match(lanes, 2, &matches);
	assert_int_equal(lanes[1].offset_ns, -987654321987);
	assert_true_matches(lanes, &matches, 35, 2);
	release(lanes, 2, &matches);
}

static void a_stated_clock_that_is_wrong_is_corrected(void **state)
{
	struct weir_lane lanes[] = {lane_of(0, 40, 0, true),
	                            lane_of(0, 40, 13 * PERIOD / 10, true)};
	struct weir_matches matches;

	(void)state;
	match(lanes, 2, &matches);
	assert_int_equal(lanes[1].offset_ns, -13 * PERIOD / 10);
	assert_true_matches(lanes, &matches, 40, 2);
	release(lanes, 2, &matches);
}

static void clocks_that_agree_stay_as_they_are(void **state)
{
	struct weir_lane lanes[] = {lane_of(0, 20, 0, true), lane_of(0, 20, 0, true)};
	struct weir_matches matches;

	(void)state;
	match(lanes, 2, &matches);
	assert_int_equal(lanes[0].offset_ns, 0);
	assert_int_equal(lanes[1].offset_ns, 0);
	release(lanes, 2, &matches);
}

static void a_loop_without_any_jitter_stays_on_the_stated_clocks(void **state)
{
	struct weir_lane lanes[2] = {{.based = true}, {.based = true}};
	struct weir_matches matches;

	(void)state;
	for (int64_t i = 0; i < 20; i++)
		for (size_t l = 0; l < 2; l++)
			weir_lane_add(&lanes[l],
			              &(struct weir_arrival){.row = (uint32_t)i,
			                                     .sequence = -1,
			                                     .start_ns = i * PERIOD,
			                                     .end_ns = i * PERIOD + 500 +
			                                               (int64_t)l * PERIOD / 8});
	match(lanes, 2, &matches);
	assert_int_equal(lanes[1].offset_ns, -PERIOD / 8);
	assert_true_matches(lanes, &matches, 20, 2);
	release(lanes, 2, &matches);
}

static void sequence_numbers_overrule_times(void **state)
{
	struct weir_lane lanes[] = {lane_of(0, 20, 0, true),
	                            lane_of(0, 20, INT64_C(5) * PERIOD, true)};
	struct weir_matches matches;

	(void)state;
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; i < 20; i++)
			lanes[l].added[i].sequence = lanes[l].added[i].row;
	match(lanes, 2, &matches);
	assert_int_equal(lanes[1].offset_ns, -5 * PERIOD);
	assert_true_matches(lanes, &matches, 20, 2);
	release(lanes, 2, &matches);
}

/* Both sides miss collectives that the other has. */
static void numbers_skip_what_only_one_side_recorded(void **state)
{
	struct weir_lane lanes[] = {{.based = true}, {.based = true}};
	struct weir_matches matches;

	(void)state;
	for (int64_t i = 0; i < 20; i++) {
		struct weir_arrival arrival = {.key = 1,
		                               .row = (uint32_t)i,
		                               .sequence = i,
		                               .start_ns = end_of(i) - 1000,
		                               .end_ns = end_of(i)};

		if (i != 3 && i != 4)
			weir_lane_add(&lanes[0], &arrival);
		if (i != 0 && i != 6 && i != 19)
			weir_lane_add(&lanes[1], &arrival);
	}
	match(lanes, 2, &matches);
	assert_true_matches(lanes, &matches, 15, 2);
	release(lanes, 2, &matches);
}

/* The begin of the second lane is late and its end is early, by other amounts. */
static void a_long_lane_is_aligned_by_its_middle(void **state)
{
	struct weir_lane lanes[] = {lane_of(0, 600, 0, true), {.based = false}};
	struct weir_matches matches;

	(void)state;
	for (int64_t i = 0; i < 600; i++)
		add(&lanes[1], 1, i, 123456789 + (i < 200 ? 5000 : i >= 400 ? -7000 : 0));
	match(lanes, 2, &matches);
	assert_int_equal(lanes[1].offset_ns, -123456789);
	assert_true_matches(lanes, &matches, 600, 2);
	release(lanes, 2, &matches);
}

static void events_lost_in_the_middle_cost_only_themselves(void **state)
{
	struct weir_lane lanes[] = {lane_of(0, 50, 0, true), lane_of(0, 20, 0, true)};
	struct weir_matches matches;

	(void)state;
	for (int64_t i = 23; i < 50; i++)
		add(&lanes[1], 1, i, 0);
	match(lanes, 2, &matches);
	assert_true_matches(lanes, &matches, 47, 2);
	release(lanes, 2, &matches);
}

static void groups_of_one_name_stay_apart(void **state)
{
	struct weir_lane lanes[LANES];
	struct weir_matches matches;

	(void)state;
	for (int64_t l = 0; l < LANES; l++) /* the second pair works far behind the first */
		lanes[l] = lane_of(0, 20, l < 2 ? 0 : 40 * PERIOD, true);
	for (size_t l = 0; l < LANES; l++)
		for (int64_t i = 100; i < 130; i++)
			add(&lanes[l], 2, i, 0);
	match(lanes, LANES, &matches);
	assert_int_equal(lanes[2].offset_ns, 0);
	assert_int_equal(matches.count, 20 + 20 + 30);
	for (size_t i = 0; i < matches.count; i++)
		assert_int_equal(matches.first[i + 1] - matches.first[i], i < 40 ? 2 : LANES);
	release(lanes, LANES, &matches);
}

static void lanes_that_share_nothing_do_not_match(void **state)
{
	struct weir_lane lanes[] = {lane_of(0, 20, 0, true), {.based = true}, {0}};
	struct weir_matches matches;

	(void)state;
	for (int64_t i = 0; i < 20; i++)
		add(&lanes[1], 2, i, 0);
	match(lanes, 3, &matches);
	assert_int_equal(matches.count, 0);
	assert_int_equal(lanes[1].offset_ns, 0);
	release(lanes, 3, &matches);
}

static void times_that_cannot_be_compared_are_left_out(void **state)
{
	struct weir_lane lane = {0};

	(void)state;
	weir_lane_add(&lane, &(struct weir_arrival){.start_ns = INT64_MIN, .end_ns = 0});
	weir_lane_add(&lane, &(struct weir_arrival){.start_ns = 0, .end_ns = INT64_MAX});
	weir_lane_add(&lane, &(struct weir_arrival){.start_ns = 5, .end_ns = 4});
	assert_int_equal(lane.count, 0);
	weir_lane_release(&lane);
}

/* Item i of lane b is item i + 1 of lane a, a period earlier. With that shift the median deviation
 * of the ends is `noise`; pairing the first items it is step / 2. */
static int64_t offset_with_scatter(int64_t step, int64_t noise)
{
	struct weir_lane lanes[2] = {{.based = true}, {0}};
	int64_t offset_ns;

	for (int64_t i = 0; i < 40; i++) {
		int64_t ends[2] = {i * PERIOD + (i % 4 >= 2) * step,
		                   i * PERIOD + ((i + 1) % 4 >= 2) * step + i % 3 * noise};

		for (size_t l = 0; l < 2; l++)
			weir_lane_add(&lanes[l], &(struct weir_arrival){.row = (uint32_t)i,
			                                                .sequence = -1,
			                                                .start_ns = ends[l] - 10,
			                                                .end_ns = ends[l]});
	}
	weir_lanes_align(lanes, 2);
	offset_ns = lanes[1].offset_ns;
	weir_lane_release(&lanes[0]);
	weir_lane_release(&lanes[1]);
	return offset_ns;
}

static void a_nearer_shift_is_taken_if_it_fits_as_well(void **state)
{
	(void)state;
	assert_int_equal(offset_with_scatter(400, 0), 0); /* 200 against 0 + 200 */
	assert_int_equal(offset_with_scatter(404, 0), PERIOD);
	assert_int_equal(offset_with_scatter(3400, 1000),
	                 -1000); /* 1700 against 1.5 * 1000 + 200 */
	assert_int_equal(offset_with_scatter(3404, 1000), PERIOD - 1000);
}

static void a_shift_must_pair_half_of_the_shorter_lane(void **state)
{
	static const int64_t clock_ns = 987654321987;

	(void)state;
	for (int64_t first = 10; first <= 11; first++) {
		struct weir_lane lanes[] = {lane_of(0, 20, 0, true),
		                            lane_of(first, first + 20, clock_ns, false)};

		weir_lanes_align(lanes, 2);
		if (first == 10)
			assert_int_equal(lanes[1].offset_ns, -clock_ns);
		else
			assert_int_not_equal(lanes[1].offset_ns, -clock_ns);
		weir_lane_release(&lanes[0]);
		weir_lane_release(&lanes[1]);
	}
}

/* Lane 0 has no collective with key 2, so that a lane with a shifted clock leads its group. */
static void groups_without_the_first_lane_match_on_shifted_clocks(void **state)
{
	struct weir_lane lanes[] = {lane_of(0, 20, 0, true), lane_of(0, 20, 50000, false),
	                            lane_of(0, 20, -70000, false)};
	struct weir_matches matches;

	(void)state;
	for (int64_t i = 100; i < 110; i++) {
		add(&lanes[1], 2, i, 50000);
		add(&lanes[2], 2, i, -70000);
	}
	match(lanes, 3, &matches);
	assert_int_equal(lanes[1].offset_ns, -50000);
	assert_int_equal(lanes[2].offset_ns, 70000);
	assert_int_equal(matches.count, 20 + 10);
	release(lanes, 3, &matches);
}

/* Two collectives of lane 1 end as far from one of lane 0, before it and after it. */
static void of_two_that_are_as_near_the_first_is_taken(void **state)
{
	struct weir_lane lanes[] = {lane_of(0, 20, 0, true), lane_of(0, 5, 0, true)};
	struct weir_matches matches;

	(void)state;
	add(&lanes[1], 1, 5, -200);
	weir_lane_add(&lanes[1], &(struct weir_arrival){.key = 1,
	                                                .row = 99,
	                                                .sequence = -1,
	                                                .start_ns = end_of(5) + 100,
	                                                .end_ns = end_of(5) + 200});
	for (int64_t i = 6; i < 20; i++)
		add(&lanes[1], 1, i, 0);
	match(lanes, 2, &matches);
	assert_true_matches(lanes, &matches, 20, 2);
	release(lanes, 2, &matches);
}

/* The lanes share key 1, and `common` of their 10 collectives with key 2. */
static void collectives_match_if_half_of_them_pair(void **state)
{
	static const size_t expected[] = {20, 20 + 5, 20 + 6};

	(void)state;
	for (int64_t common = 4; common <= 6; common++) {
		struct weir_lane lanes[] = {lane_of(0, 20, 0, true), lane_of(0, 20, 0, true)};
		struct weir_matches matches;

		for (int64_t i = 0; i < 10; i++) {
			add(&lanes[0], 2, 100 + i, 0);
			add(&lanes[1], 2, i < common ? 100 + i : 200 + i, 0);
		}
		match(lanes, 2, &matches);
		assert_int_equal(matches.count, expected[common - 4]);
		release(lanes, 2, &matches);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timelines_that_begin_at_different_steps_match_by_time),
		cmocka_unit_test(a_lane_without_a_clock_is_aligned_by_the_ends),
		cmocka_unit_test(a_stated_clock_that_is_wrong_is_corrected),
		cmocka_unit_test(clocks_that_agree_stay_as_they_are),
		cmocka_unit_test(a_loop_without_any_jitter_stays_on_the_stated_clocks),
		cmocka_unit_test(sequence_numbers_overrule_times),
		cmocka_unit_test(numbers_skip_what_only_one_side_recorded),
		cmocka_unit_test(a_long_lane_is_aligned_by_its_middle),
		cmocka_unit_test(events_lost_in_the_middle_cost_only_themselves),
		cmocka_unit_test(groups_of_one_name_stay_apart),
		cmocka_unit_test(lanes_that_share_nothing_do_not_match),
		cmocka_unit_test(times_that_cannot_be_compared_are_left_out),
		cmocka_unit_test(a_nearer_shift_is_taken_if_it_fits_as_well),
		cmocka_unit_test(a_shift_must_pair_half_of_the_shorter_lane),
		cmocka_unit_test(groups_without_the_first_lane_match_on_shifted_clocks),
		cmocka_unit_test(of_two_that_are_as_near_the_first_is_taken),
		cmocka_unit_test(collectives_match_if_half_of_them_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
