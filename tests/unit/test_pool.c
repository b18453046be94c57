/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of work on threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/pool.h"

#define PIECES 1000

static void count_up(void *context, size_t index)
{
	((int *)context)[index]++;
}

static void every_piece_is_done_once(void **state)
{
	static const size_t widths[] = {0, 1, 2, WEIR_POOL_MAX_WIDTH, 100};

	(void)state;
	for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
		int done[PIECES] = {0};

		weir_pool_run(PIECES, widths[w], count_up, done);
		for (size_t i = 0; i < PIECES; i++)
			assert_int_equal(done[i], 1);
	}
	weir_pool_run(0, 4, count_up, NULL);
}

struct order {
	size_t at[PIECES], count;
};

static void note_order(void *context, size_t index)
{
	struct order *order = context;

	order->at[order->count++] = index;
}

static void one_thread_does_them_in_order(void **state)
{
	struct order order = {.count = 0};

	(void)state;
	weir_pool_run(PIECES, 1, note_order, &order);
	assert_int_equal(order.count, PIECES);
	for (size_t i = 0; i < PIECES; i++)
		assert_int_equal(order.at[i], i);
}

static void meet(void *context, size_t index)
{
	(void)index;
	pthread_barrier_wait(context);
}

static void two_pieces_run_at_a_time(void **state)
{
	pthread_barrier_t barrier;

	(void)state;
	assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
	weir_pool_run(4, 2, meet, &barrier); /* does not return where one waits for the other */
	pthread_barrier_destroy(&barrier);
}

static void no_more_threads_than_pieces(void **state)
{
	(void)state;
	assert_int_equal(weir_pool_width(0), 1);
	assert_int_equal(weir_pool_width(1), 1);
	assert_in_range(weir_pool_width(100), 1, WEIR_POOL_MAX_WIDTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_piece_is_done_once),
		cmocka_unit_test(one_thread_does_them_in_order),
		cmocka_unit_test(two_pieces_run_at_a_time),
		cmocka_unit_test(no_more_threads_than_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
