/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrivals at collectives, packed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/ranks/lane.h"
#include "engine/base/splitmix.h"
#include "engine/model/trace.h"

#define COUNT 6000

/* Returns an arrival like those of a trace: ten seconds of collectives of three groups, of two
 * sizes, in 200 steps. */
static struct weir_arrival usual(uint32_t i)
{
	uint64_t random = weir_splitmix64(i);
	int64_t start_ns =
		INT64_C(4474350906020171) + i * INT64_C(1600000) + (int64_t)(random % 9000);
	int64_t busy_ns = i * INT64_C(900000), late_ns = i * INT64_C(70000);

	return (struct weir_arrival){
		.key = i % 3,
		.row = 8 * i,
		.sequence = i / 3,
		.start_ns = start_ns,
		.end_ns = start_ns + 9000 + (int64_t)(random / 7 % 2000000),
		.link_bytes = i % 2 ? 1.5 * 131072 : NAN,
		.received = -1,
		.busy_ns = {busy_ns, busy_ns + (int64_t)(random / 11 % 40000)},
		.late_ns = {late_ns, late_ns},
		.step = i / 30 == 0 ? WEIR_NONE : i / 30 - 1,
		.steady = i >= 30,
	};
}

static void assert_equal_arrivals(const struct weir_arrival *a, const struct weir_arrival *b)
{
	assert_int_equal(a->key, b->key);
	assert_int_equal(a->row, b->row);
	assert_int_equal(a->sequence, b->sequence);
	assert_int_equal(a->start_ns, b->start_ns);
	assert_int_equal(a->end_ns, b->end_ns);
	assert_true(a->link_bytes == b->link_bytes ||
	            (isnan(a->link_bytes) && isnan(b->link_bytes)));
	assert_int_equal(a->received, b->received);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(a->busy_ns[i], b->busy_ns[i]);
		assert_int_equal(a->late_ns[i], b->late_ns[i]);
	}
	assert_int_equal(a->step, b->step);
	assert_int_equal(a->steady, b->steady);
}

static void a_settled_lane_has_every_arrival_sorted(void **state)
{
	struct weir_lane lane = {0};

	(void)state;
	for (uint32_t i = COUNT; i-- > 0;) {
		struct weir_arrival arrival = usual(i);

		weir_lane_add(&lane, &arrival);
	}
	weir_lane_settle(&lane);
	assert_int_equal(lane.count, COUNT);
	assert_int_equal(lane.run_count, 3);
	for (size_t i = 0; i < COUNT; i++) {
		struct weir_arrival got = weir_lane_arrival(&lane, i);
		struct weir_arrival wanted =
			usual((uint32_t)(i % (COUNT / 3) * 3 + i / (COUNT / 3)));

		assert_equal_arrivals(&got, &wanted);
		assert_int_equal(weir_lane_end_ns(&lane, i), wanted.end_ns);
		assert_int_equal(weir_lane_run_of(&lane, i)->first, i / (COUNT / 3) * (COUNT / 3));
	}
	weir_lane_release(&lane);
}

/* A job of 1,024 ranks has seven million arrivals, of which each had 112 bytes. */
static void an_arrival_of_a_usual_trace_takes_at_most_40_bytes(void **state)
{
	struct weir_lane lane = {0};
	unsigned bytes = 0;

	(void)state;
	for (uint32_t i = 0; i < COUNT; i++) {
		struct weir_arrival arrival = usual(i);

		weir_lane_add(&lane, &arrival);
	}
	weir_lane_settle(&lane);
	assert_null(lane.added);
	for (size_t c = 0; c < WEIR_LANE_COLUMNS; c++)
		bytes += lane.columns[c].width;
	assert_in_range(bytes, 1, 40);
	weir_lane_release(&lane);
}

static void any_figures_survive(void **state)
{
	const struct weir_arrival odd[] = {
		{.key = UINT32_MAX,
	         .row = UINT32_MAX,
	         .sequence = INT64_MAX,
	         .received = INT64_MIN,
	         .start_ns = -WEIR_ARRIVAL_MAX_NS,
	         .end_ns = WEIR_ARRIVAL_MAX_NS,
	         .link_bytes = -0.0,
	         .busy_ns = {INT64_MIN, INT64_MAX},
	         .late_ns = {INT64_MAX, INT64_MIN}},
		{.key = UINT32_MAX,
	         .sequence = INT64_MIN,
	         .received = INT64_MAX,
	         .step = WEIR_NONE,
	         .link_bytes = INFINITY,
	         .busy_ns = {INT64_MAX, INT64_MIN},
	         .steady = true},
	};
	struct weir_lane lane = {0};

	(void)state;
	for (size_t i = 0; i < 2; i++)
		weir_lane_add(&lane, &odd[i]);
	weir_lane_settle(&lane);
	weir_lane_settle(&lane); /* does nothing */
	for (size_t i = 0; i < 2; i++) {
		struct weir_arrival got = weir_lane_arrival(&lane, i);

		assert_equal_arrivals(&got, &odd[1 - i]);
	}
	weir_lane_release(&lane);
}

static void keys_and_clock_are_replaced(void **state)
{
	static const uint32_t key_of[] = {9, 7, 8};
	struct weir_lane lane = {0};

	(void)state;
	for (uint32_t i = 0; i < 9; i++) {
		struct weir_arrival arrival = usual(i);

		weir_lane_add(&lane, &arrival);
	}
	weir_lane_settle(&lane);
	weir_lane_rename(&lane, key_of, -5);
	for (size_t r = 0; r < 3; r++)
		assert_int_equal(lane.runs[lane.by_key[r]].key, 7 + r);
	for (size_t i = 0; i < 9; i++) {
		struct weir_arrival got = weir_lane_arrival(&lane, i);
		struct weir_arrival wanted = usual((uint32_t)(i % 3 * 3 + i / 3));

		wanted.key = key_of[wanted.key];
		wanted.start_ns -= 5;
		wanted.end_ns -= 5;
		assert_equal_arrivals(&got, &wanted);
	}
	weir_lane_release(&lane);
}

static void an_empty_lane_settles(void **state)
{
	struct weir_lane lane = {0};

	(void)state;
	weir_lane_settle(&lane);
	assert_int_equal(lane.run_count, 0);
	weir_lane_rename(&lane, NULL, 7);
	weir_lane_release(&lane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_settled_lane_has_every_arrival_sorted),
		cmocka_unit_test(an_arrival_of_a_usual_trace_takes_at_most_40_bytes),
		cmocka_unit_test(any_figures_survive),
		cmocka_unit_test(keys_and_clock_are_replaced),
		cmocka_unit_test(an_empty_lane_settles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
