/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines through points, and growth for a doubling, on both sides of their limits. */
#include <math.h>
#include <string.h>

#include "engine/analysis/server/steps.h"
#include "tests/unit/fixture_server.h"
#include "tests/unit/near.h"

#define MOST 1000

static struct weir_line line_of(const struct weir_point *points, size_t count)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_point copy[MOST + 1];
	struct weir_line line;

	assert_true(count <= MOST);
	memcpy(copy, points, count * sizeof *points);
	line = weir_line_fit(copy, count, arena);
	weir_arena_free(arena);
	return line;
}

static double growth_of(const struct weir_point *points, size_t count)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_point copy[MOST + 1];
	double growth;

	assert_true(count <= MOST);
	memcpy(copy, points, count * sizeof *points);
	growth = weir_growth_of(copy, count, arena);
	weir_arena_free(arena);
	return growth;
}

/* ---- lines ---- */

static void a_line_needs_five_slopes(void **state)
{
	/* Two points at each end: four slopes; with one in the middle, eight. */
	static const struct weir_point four[] = {{1, 5}, {1, 5}, {3, 9}, {3, 9}};
	static const struct weir_point five[] = {{1, 5}, {3, 9}, {4, 11}, {4, 11}};
	static const struct weir_point still[] = {{2, 1}, {2, 2}, {2, 3}, {2, 4}, {2, 5}};

	(void)state;
	assert_true(isnan(line_of(four, 0).slope));
	assert_true(isnan(line_of(four, 1).slope));
	assert_true(isnan(line_of(four, 4).slope));
	assert_true(isnan(line_of(four, 4).intercept));
	assert_near(line_of(five, 4).slope, 2, 1e-12);
	assert_near(line_of(five, 4).intercept, 3, 1e-12);
	assert_true(isnan(line_of(still, 5).slope));
}

static void a_line_is_the_median_of_slopes_and_heights(void **state)
{
	/* Slopes: 1, 1, 10, 1, 14.5, 28. */
	static const struct weir_point points[] = {{4, 30}, {1, 0}, {3, 2}, {2, 1}};

	(void)state;
	assert_near(line_of(points, 4).slope, 5.5, 1e-12);
	/* The heights are -5.5, -10, -14.5 and 8. */
	assert_near(line_of(points, 4).intercept, -7.75, 1e-12);
}

static void a_line_takes_at_most_200_points_spread_over_all(void **state)
{
	struct weir_point points[MOST];

	(void)state;
	/* A square: the slope between two points is the sum of their places. */
	for (int i = 0; i < MOST; i++)
		points[MOST - 1 - i] = (struct weir_point){i, (double)i * i};
	assert_near(line_of(points + MOST - 199, 199).slope, 198, 1e-12);
	assert_near(line_of(points + MOST - 200, 200).slope, 199, 1e-12);
	assert_near(line_of(points + MOST - 201, 201).slope, 199, 1e-12);
	assert_near(line_of(points, MOST).slope, 998, 1e-12);
	assert_near(line_of(points + MOST - 200, 200).intercept, -7400, 1e-12);
	assert_near(line_of(points + MOST - 201, 201).intercept, -7400, 1e-12);
	assert_near(line_of(points, MOST).intercept, -185991, 1e-12);
}

static void the_order_of_points_does_not_matter(void **state)
{
	struct weir_point forward[MOST], backward[MOST];
	struct weir_line lines[2];

	(void)state;
	/* Two points at each x, of which some are left out. */
	for (int i = 0; i < MOST; i++) {
		int pair = i / 2;

		forward[i] = (struct weir_point){pair, i % 2 ? 7 * i : -i * i};
		backward[MOST - 1 - i] = forward[i];
	}
	lines[0] = line_of(forward, MOST);
	lines[1] = line_of(backward, MOST);
	for (int i = 0; i < 2; i++) {
		assert_near(lines[i].slope, 14, 1e-12);
		assert_near(lines[i].intercept, 7, 1e-12);
	}
}

/* ---- growth ---- */

#define COUNT_OF(list) (sizeof(list) / sizeof(*(list)))

/* Copies `count` points at x and y to `out`; returns the place behind them. */
static struct weir_point *put(struct weir_point *out, size_t count, double x, double y)
{
	for (size_t i = 0; i < count; i++)
		*out++ = (struct weir_point){x, y};
	return out;
}

/* Returns the growth of five points at 1 and five at 4, of which one of each side lies at the given
 * place instead. */
static double growth_beside(double low, double high)
{
	struct weir_point points[MOST], *end = points;

	end = put(end, 4, 4, 40);
	end = put(end, 4, 1, 10);
	end = put(end, 1, low, 10);
	end = put(end, 1, high, 40);
	return growth_of(points, (size_t)(end - points));
}

static void growth_is_that_for_a_doubling(void **state)
{
	(void)state;
	/* Four times as long for four times as much: twice as long for a doubling. */
	assert_near(growth_beside(1, 4), 2, 1e-12);
}

static void growth_needs_five_points_on_both_sides(void **state)
{
	struct weir_point points[MOST] = {0};

	(void)state;
	assert_true(isnan(growth_of(points, 0)));
	(void)put(put(points, 5, 1, 10), 4, 4, 40);
	assert_true(isnan(growth_of(points, 9)));
	(void)put(put(points, 4, 1, 10), 6, 4, 40);
	assert_true(isnan(growth_of(points, 10)));
	(void)put(put(points, 6, 1, 10), 4, 4, 40);
	assert_true(isnan(growth_of(points, 10)));
	/* Without any load, nothing is doubled. */
	(void)put(put(points, 5, 0, 10), 5, 4, 40);
	assert_true(isnan(growth_of(points, 10)));
}

static void half_of_the_largest_is_low_and_two_thirds_are_high(void **state)
{
	struct weir_point points[MOST], *end;

	(void)state;
	/* Lows of 1.2 on average. */
	assert_near(growth_beside(2, 4), pow(4, 1 / log2(4 / 1.2)), 1e-12);
	assert_true(isnan(growth_beside(2.001, 4)));
	/* The largest is 6: 4 is high, 3 low, and between both lies neither. */
	for (int neither = 0; neither < 2; neither++) {
		end = put(points, 5, 1, 10);
		end = put(end, 4, 6, 60);
		end = put(end, 1, neither ? 3.999 : 4, 60);
		assert_near(growth_of(points, (size_t)(end - points)),
		            neither ? NAN : pow(6, 1 / log2(28.0 / 5)), 1e-12);
	}
}

static void the_largest_is_that_of_95_percent(void **state)
{
	struct weir_point points[MOST];

	(void)state;
	/* The largest of 20 is the 19th, that of 21 the 20th. One of them far away is high. */
	(void)put(put(put(points, 10, 1, 10), 9, 4, 40), 1, 104, 40);
	assert_near(growth_of(points, 20), pow(4, 1 / log2(14)), 1e-12);
	(void)put(put(put(points, 10, 1, 10), 8, 4, 40), 2, 104, 40);
	assert_true(isnan(growth_of(points, 20)));
	(void)put(put(put(points, 10, 1, 10), 9, 4, 40), 2, 104, 40);
	assert_true(isnan(growth_of(points, 21)));
	(void)put(put(put(points, 11, 1, 10), 9, 4, 40), 1, 104, 40);
	assert_near(growth_of(points, 21), pow(4, 1 / log2(14)), 1e-12);
	/* That of 100 is the 95th. */
	(void)put(put(put(points, 50, 1, 10), 45, 4, 40), 5, 104, 40);
	assert_near(growth_of(points, 100), pow(4, 1 / log2(14)), 1e-12);
}

static void growth_compares_medians(void **state)
{
	static const struct weir_point points[] = {
		{1, 10}, {1, 11}, {1, 12}, {1, 90}, {1, 1},   /* 11 */
		{2, 48}, {2, 30}, {2, 33}, {2, 1},  {2, 900}, /* 33 */
	};

	(void)state;
	/* 2 is both the largest and no low value: half of it is 1. */
	assert_near(growth_of(points, COUNT_OF(points)), 3, 1e-12);
}

/* Returns the growth of six steps of 10 ms and six of 40 ms, with these requests and tokens. */
static double growth_of_steps(int32_t requests, int32_t more_requests, int32_t tokens,
                              int32_t more_tokens)
{
	struct server_bench bench;
	struct weir_server_log *log;
	double growth;

	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 12; i++) {
		struct weir_server_row row = weir_server_row_unknown(WEIR_SERVER_STEP);

		row.at_ns = START + i * SECOND;
		row.duration_ns = (i < 6 ? 10 : 40) * (SECOND / 1000);
		row.running = 8;
		row.waiting = 0;
		row.decode_requests = i < 6 ? requests : more_requests;
		row.decode_tokens = i < 6 ? tokens : more_tokens;
		weir_server_log_add(log, &row);
	}
	growth = server_figures_of(&bench, NAN)->step_growth;
	server_bench_release(&bench);
	return growth;
}

static void stated_requests_come_before_tokens(void **state)
{
	(void)state;
	assert_near(growth_of_steps(-1, -1, 2, 8), 2, 1e-12);
	assert_near(growth_of_steps(2, 8, 5, 5), 2, 1e-12);
	assert_near(growth_of_steps(2, 32, 2, 8), pow(4, 0.25), 1e-12);
	assert_near(growth_of_steps(1, 4, -1, -1), 2, 1e-12);
	assert_near(growth_of_steps(0, 4, 1, 4), NAN, 0);
	assert_near(growth_of_steps(1, 1, 1, 4), NAN, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_needs_five_slopes),
		cmocka_unit_test(a_line_is_the_median_of_slopes_and_heights),
		cmocka_unit_test(a_line_takes_at_most_200_points_spread_over_all),
		cmocka_unit_test(the_order_of_points_does_not_matter),
		cmocka_unit_test(growth_is_that_for_a_doubling),
		cmocka_unit_test(growth_needs_five_points_on_both_sides),
		cmocka_unit_test(half_of_the_largest_is_low_and_two_thirds_are_high),
		cmocka_unit_test(the_largest_is_that_of_95_percent),
		cmocka_unit_test(growth_compares_medians),
		cmocka_unit_test(stated_requests_come_before_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
