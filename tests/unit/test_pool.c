/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work on several threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/arena.h"
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
	weir_pool_run(4, 2, meet, &barrier); /* returns only if both pieces run at the same time */
	pthread_barrier_destroy(&barrier);
}

static void no_more_threads_than_pieces(void **state)
{
	(void)state;
	assert_int_equal(weir_pool_width(0), 1);
	assert_int_equal(weir_pool_width(1), 1);
	assert_in_range(weir_pool_width(100), 1, WEIR_POOL_MAX_WIDTH);
}

struct shortage {
	pthread_mutex_t lock;
	size_t first_without; /* pieces from here on run out of memory */
	size_t finished;
};

static void run_out_from(void *context, size_t index)
{
	struct shortage *shortage = context;

	if (index >= shortage->first_without)
		weir_out_of_memory();
	pthread_mutex_lock(&shortage->lock);
	shortage->finished++;
	pthread_mutex_unlock(&shortage->lock);
}

static void run_short(void *context)
{
	weir_pool_run(PIECES, WEIR_POOL_MAX_WIDTH, run_out_from, context);
}

static void a_piece_without_memory_ends_the_call_and_every_thread(void **state)
{
	struct shortage shortage = {.first_without = PIECES};

	(void)state;
	pthread_mutex_init(&shortage.lock, NULL);
	assert_true(weir_memory_try(run_short, &shortage));
	assert_int_equal(shortage.finished, PIECES);
	/* NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): small constants */
	for (size_t first = 0; first < 3 * WEIR_POOL_MAX_WIDTH; first++) {
		shortage.first_without = first;
		shortage.finished = 0;
		assert_false(weir_memory_try(run_short, &shortage));
		assert_true(shortage.finished <= first);
	}
	pthread_mutex_destroy(&shortage.lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_piece_is_done_once),
		cmocka_unit_test(one_thread_does_them_in_order),
		cmocka_unit_test(two_pieces_run_at_a_time),
		cmocka_unit_test(no_more_threads_than_pieces),
		cmocka_unit_test(a_piece_without_memory_ends_the_call_and_every_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
