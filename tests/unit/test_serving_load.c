/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of peak concurrency against a count at every instant, and the causes of a wait. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/requests/serving_load.h"
#include "engine/base/arena.h"
#include "tests/unit/near.h"

#define SPACE  60
#define ROUNDS 2000
#define MS     INT64_C(1000000)

static int64_t below(uint64_t *state, uint64_t limit)
{
	return (int64_t)(next_number(state) % limit);
}

/* Returns the level that 95 % of the busy instants do not exceed. */
static int plain_crowd(const int count[SPACE])
{
	int busy = 0, level = 0, under = 0;

	for (int at = 0; at < SPACE; at++)
		busy += count[at] > 0;
	while (under < 0.95 * busy) {
		level++;
		under = 0;
		for (int at = 0; at < SPACE; at++)
			under += count[at] > 0 && count[at] <= level;
	}
	return level;
}

static void times_at_peak_are_those_of_nearly_the_highest_concurrency(void **state)
{
	uint64_t random = 11;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct weir_intervals set = {0}, crowded = {0};
		int count[SPACE] = {0}, level;

		for (int64_t i = below(&random, 20); i > 0; i--) {
			int64_t start = below(&random, SPACE - 10);
			int64_t end = start + 1 + below(&random, 9);

			/* weir_intervals_push() would merge overlapping intervals. */
			set.items = weir_grow(set.items, &set.capacity, set.count + 1,
			                      sizeof *set.items);
			set.items[set.count++] = (struct weir_interval){start, end};
			for (int64_t at = start; at < end; at++)
				count[at]++;
		}
		level = plain_crowd(count);
		weir_intervals_at_peak(&set, &crowded);
		for (int at = 0; at < SPACE; at++)
			assert_int_equal(weir_intervals_contains(&crowded, at),
			                 count[at] > 0 && count[at] >= 0.9 * level);
		weir_intervals_release(&crowded);
		weir_intervals_release(&set);
	}
}

static void push_apart(struct weir_intervals *set, int64_t start_ns, int64_t end_ns)
{
	set->items = weir_grow(set->items, &set->capacity, set->count + 1, sizeof *set->items);
	set->items[set->count++] = (struct weir_interval){start_ns, end_ns};
}

/* Batches of 1 to 6 every 100 ms; one worker takes 6 ms for each request, one after another. */
static void one_worker_delays_every_request_while_it_works(void **state)
{
	struct weir_intervals set = {0}, busy = {0};
	int64_t worked_ns = 0;

	(void)state;
	for (int64_t batch = 0; batch < 40; batch++)
		for (int64_t i = 0; i <= batch % 6; i++) {
			push_apart(&set, batch * 100 * MS, (batch * 100 + (i + 1) * 6) * MS);
			worked_ns += 6 * MS;
		}
	weir_host_busy(&set, &busy);
	assert_int_equal(weir_intervals_total(&busy), worked_ns);
	weir_intervals_release(&busy);
	weir_intervals_release(&set);
}

/* A pool of eight; mostly two work, now and then all. */
static void a_pool_delays_others_only_when_all_of_it_works(void **state)
{
	struct weir_intervals set = {0}, busy = {0};

	(void)state;
	for (int64_t turn = 0; turn < 100; turn++)
		for (int64_t i = 0; i < (turn % 5 == 0 ? 8 : 2); i++)
			push_apart(&set, turn * 20 * MS + i * 100000,
			           turn * 20 * MS + i * 130000 + 10 * MS);
	weir_host_busy(&set, &busy);
	assert_true(weir_intervals_total(&busy) > 100 * MS);
	assert_true(weir_intervals_total(&busy) < 220 * MS); /* of 1,000 ms in which any works */
	weir_intervals_release(&busy);
	weir_intervals_release(&set);
}

/* Whole batches of 1 to 6 in one piece of host work, apart by rounding to microseconds. */
static void work_on_a_whole_batch_is_one_piece(void **state)
{
	struct weir_intervals set = {0}, busy = {0};

	(void)state;
	for (int64_t batch = 0; batch < 40; batch++)
		for (int64_t i = 0; i <= batch % 6; i++)
			push_apart(&set, batch * 100 * MS + i * 1000,
			           (batch * 100 + 5) * MS + i * 2000);
	weir_host_busy(&set, &busy);
	assert_true(weir_intervals_total(&busy) >= 200 * MS);
	weir_intervals_release(&busy);
	weir_intervals_release(&set);
}

/* Expects the busy time of a set in another order to be the same; releases both. */
static void expect_any_order(struct weir_intervals *set)
{
	struct weir_intervals backward = {0}, shuffled = {0}, busy = {0}, others[2] = {{0}};

	for (size_t i = 0; i < set->count; i++) {
		const struct weir_interval *a = &set->items[set->count - 1 - i];
		const struct weir_interval *b = &set->items[(i * 37 + 5) % set->count];

		push_apart(&backward, a->start_ns, a->end_ns);
		push_apart(&shuffled, b->start_ns, b->end_ns);
	}
	weir_host_busy(set, &busy);
	weir_host_busy(&backward, &others[0]);
	weir_host_busy(&shuffled, &others[1]);
	for (int o = 0; o < 2; o++) {
		assert_int_equal(others[o].count, busy.count);
		for (size_t i = 0; i < busy.count; i++) {
			assert_int_equal(others[o].items[i].start_ns, busy.items[i].start_ns);
			assert_int_equal(others[o].items[i].end_ns, busy.items[i].end_ns);
		}
		weir_intervals_release(&others[o]);
	}
	weir_intervals_release(&busy);
	weir_intervals_release(&backward);
	weir_intervals_release(&shuffled);
	weir_intervals_release(set);
}

static void the_order_of_host_work_does_not_matter(void **state)
{
	struct weir_intervals one = {0}, pool = {0}, whole = {0};

	(void)state;
	for (int64_t turn = 0; turn < 40; turn++)
		for (int64_t i = 0; i < (turn % 5 == 0 ? 8 : 2); i++) {
			int64_t at_ns = turn * 100 * MS;

			push_apart(&one, at_ns, at_ns + (i + 1) * 6 * MS);
			push_apart(&pool, at_ns + i * 100000, at_ns + i * 130000 + 10 * MS);
			push_apart(&whole, at_ns + i * 1000, at_ns + 5 * MS + i * 2000);
		}
	expect_any_order(&one);
	expect_any_order(&pool);
	expect_any_order(&whole);
}

/* compute [0,10), copy [8,14), host [12,20) */
static struct weir_requests *three_requests(void)
{
	static const struct {
		const char *stage;
		size_t len;
		int64_t start_ns, ns;
	} parts[] = {{"compute", 7, 0, 10}, {"h2d", 3, 8, 6}, {"tokenize", 8, 12, 8}};
	struct weir_requests *requests = weir_requests_new();

	for (size_t i = 0; i < 3; i++) {
		struct weir_request request = weir_request_unknown();

		weir_requests_add_part(requests,
		                       weir_requests_stage(requests, parts[i].stage, parts[i].len),
		                       parts[i].ns);
		request.start_ns = parts[i].start_ns;
		request.end_ns = parts[i].start_ns + parts[i].ns;
		weir_requests_add(requests, &request);
	}
	weir_requests_finish(requests);
	return requests;
}

static void overlapping_work_belongs_to_the_busier_resource(void **state)
{
	const enum weir_part_class classes[] = {WEIR_PART_COMPUTE, WEIR_PART_COPY,
	                                        WEIR_PART_BEFORE};
	struct weir_requests *requests = three_requests();
	struct weir_load load;
	struct weir_wait wait;

	(void)state;
	weir_load_init(&load, requests, classes);
	assert_near(load.share[WEIR_RESOURCE_COMPUTE], 0.5, 1e-12);
	assert_near(load.share[WEIR_RESOURCE_COPY], 0.3, 1e-12);
	assert_near(load.share[WEIR_RESOURCE_HOST], 0.4, 1e-12);
	wait = weir_load_split(&load, 5, 25);
	assert_int_equal(wait.behind_ns[WEIR_RESOURCE_COMPUTE], 5);
	assert_int_equal(wait.behind_ns[WEIR_RESOURCE_HOST], 8); /* before the copies */
	assert_int_equal(wait.behind_ns[WEIR_RESOURCE_COPY], 2); /* [10,12) */
	assert_int_equal(wait.idle_ns, 5);
	wait = weir_load_split(&load, 30, 30);
	assert_int_equal(wait.idle_ns, 0);
	weir_load_release(&load);
	weir_requests_free(requests);
}

static void an_empty_table_has_no_load(void **state)
{
	struct weir_requests *requests = weir_requests_new();
	struct weir_load load;
	struct weir_wait wait;

	(void)state;
	weir_load_init(&load, requests, NULL);
	wait = weir_load_split(&load, 0, 7);
	assert_int_equal(wait.idle_ns, 7);
	weir_load_release(&load);
	weir_requests_free(requests);
}

/* Sums beyond int64_t, and parts that end outside the range of any clock. */
static void sums_of_times_end_at_the_limits(void **state)
{
	static const struct {
		int64_t origin_ns, offset_ns, ns, start_ns, end_ns;
	} cases[] = {
		{INT64_MIN + 5, -4, 9, INT64_MIN + 1, INT64_MIN + 10},
		{INT64_MIN + 5, -5, 9, INT64_MIN, INT64_MIN + 9},
		{INT64_MIN + 5, -6, 9, INT64_MIN, INT64_MIN + 9},
		{INT64_MAX - 5, 4, 0, INT64_MAX - 1, INT64_MAX - 1},
		{INT64_MAX - 5, 5, 0, INT64_MAX, INT64_MAX},
		{INT64_MAX - 5, 6, 1, INT64_MAX, INT64_MAX},
		{INT64_MAX - 5, 0, 6, INT64_MAX - 5, INT64_MAX},
		{-3, -4, 9, -7, 2},
		{3, -4, 0, -1, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t offset_ns = cases[i].offset_ns, ns = cases[i].ns;
		uint8_t stage = 0;
		struct weir_requests table = {
			.part_stage = &stage, .part_ns = &ns, .part_offset_ns = &offset_ns};
		struct weir_part_walk walk = {&table, 0, 1, cases[i].origin_ns, 0};
		struct weir_part part;

		assert_true(weir_part_walk_next(&walk, &part));
		assert_int_equal(part.start_ns, cases[i].start_ns);
		assert_int_equal(part.end_ns, cases[i].end_ns);
		assert_false(weir_part_walk_next(&walk, &part));
	}
}

static void hostile_times_stay_within_int64(void **state)
{
	const enum weir_part_class classes[] = {WEIR_PART_COMPUTE};
	struct weir_requests *requests = weir_requests_new();
	struct weir_request request = weir_request_unknown();
	struct weir_load load;
	struct weir_wait wait;

	(void)state;
	weir_requests_add_part(requests, weir_requests_stage(requests, "compute", 7), INT64_MAX);
	weir_requests_add_part(requests, 0, INT64_MAX);
	request.start_ns = INT64_MIN;
	request.end_ns = INT64_MAX;
	weir_requests_add(requests, &request);
	weir_requests_finish(requests);
	weir_load_init(&load, requests, classes);
	wait = weir_load_split(&load, 0, INT64_MAX);
	assert_true(wait.idle_ns >= 0 && wait.behind_ns[WEIR_RESOURCE_COMPUTE] > 0);
	weir_load_release(&load);
	weir_requests_free(requests);
}

/* Returns the busy time of pairs that begin together, the first of 10 ms, the second longer by
 * gap_ns in the first `apart` pairs and by 30 us in the others, beside `short_ones` pieces of 4 ms.
 */
static int64_t busy_of_pairs(int64_t pairs, int64_t apart, int64_t gap_ns, int64_t short_ones)
{
	struct weir_intervals set = {0}, busy = {0};
	int64_t busy_ns;

	for (int64_t i = 0; i < pairs; i++) {
		push_apart(&set, i * 100 * MS, (i * 100 + 10) * MS);
		push_apart(&set, i * 100 * MS, (i * 100 + 10) * MS + (i < apart ? gap_ns : 30000));
	}
	for (int64_t i = 0; i < short_ones; i++)
		push_apart(&set, (i * 100 + 50) * MS, (i * 100 + 54) * MS);
	weir_host_busy(&set, &busy);
	busy_ns = weir_intervals_total(&busy);
	weir_intervals_release(&busy);
	weir_intervals_release(&set);
	return busy_ns;
}

/* A worker is busy for all of a pair; a pool only while both work. */
static void a_worker_leaves_half_a_short_piece_between_two(void **state)
{
	(void)state;
	assert_int_equal(busy_of_pairs(20, 20, 5 * MS, 0), 300 * MS);
	assert_int_equal(busy_of_pairs(20, 20, 5 * MS - 1, 0), 200 * MS);
	/* Too few overlaps; nine tenths of them suffice. */
	assert_int_equal(busy_of_pairs(19, 19, 5 * MS, 0), 190 * MS);
	assert_int_equal(busy_of_pairs(20, 18, 5 * MS, 0), 290 * MS + 60000);
	assert_int_equal(busy_of_pairs(20, 17, 5 * MS, 0), 200 * MS);
}

/* 43 pieces: their quantile 0.05 is a tenth of the way from 4 to 10 ms, and half of it 2.3 ms. */
static void a_short_piece_is_the_twentieth_from_below(void **state)
{
	(void)state;
	assert_int_equal(busy_of_pairs(20, 20, 2400000, 3), 260 * MS);
	assert_int_equal(busy_of_pairs(20, 20, 2200000, 3), 200 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_at_peak_are_those_of_nearly_the_highest_concurrency),
		cmocka_unit_test(one_worker_delays_every_request_while_it_works),
		cmocka_unit_test(a_pool_delays_others_only_when_all_of_it_works),
		cmocka_unit_test(work_on_a_whole_batch_is_one_piece),
		cmocka_unit_test(overlapping_work_belongs_to_the_busier_resource),
		cmocka_unit_test(an_empty_table_has_no_load),
		cmocka_unit_test(the_order_of_host_work_does_not_matter),
		cmocka_unit_test(sums_of_times_end_at_the_limits),
		cmocka_unit_test(hostile_times_stay_within_int64),
		cmocka_unit_test(a_worker_leaves_half_a_short_piece_between_two),
		cmocka_unit_test(a_short_piece_is_the_twentieth_from_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
