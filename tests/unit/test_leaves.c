/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The innermost rows of a thread, and searches among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/timeline/leaves.h"
#include "tests/unit/make_trace.h"

struct thread {
	struct weir_trace *trace;
	struct weir_timeline timeline;
	struct weir_leaves leaves;
};

static void thread_init(struct thread *thread, struct make_trace *make)
{
	*thread = (struct thread){.trace = make_trace_finish(make)};
	weir_timeline_init(&thread->timeline, thread->trace);
	weir_leaves_init(&thread->leaves, &thread->timeline, 0);
}

static void thread_release(struct thread *thread)
{
	weir_leaves_release(&thread->leaves);
	weir_timeline_release(&thread->timeline);
	weir_trace_free(thread->trace);
}

static void each_time_belongs_to_the_innermost_row(void **state)
{
	static const struct {
		int64_t time_ns;
		uint32_t row;
	} expected[] = {{0, 0},  {10, 1},         {20, 2}, {30, 1},
	                {40, 0}, {60, WEIR_NONE}, {80, 3}, {90, WEIR_NONE}};
	struct make_trace *make = make_trace_new();
	struct thread thread;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "outer", 0, 60);
	make_host(make, WEIR_HOST_OP, 0, "inner", 10, 40);
	make_call(make, 0, "cudaLaunchKernel", 20, 30, 0);
	make_host(make, WEIR_HOST_OP, 0, "next", 80, 90);
	make_host(make, WEIR_HOST_OP, 1, "of another thread", 25, 95);
	thread_init(&thread, make);
	assert_int_equal(thread.leaves.count, sizeof expected / sizeof *expected);
	for (size_t i = 0; i < thread.leaves.count; i++) {
		assert_int_equal(thread.leaves.time_ns[i], expected[i].time_ns);
		assert_int_equal(thread.leaves.row[i], expected[i].row);
		assert_int_equal(weir_leaves_at(&thread.leaves, expected[i].time_ns), i);
		assert_int_equal(weir_leaves_at(&thread.leaves, expected[i].time_ns - 1), i - 1);
	}
	thread_release(&thread);
}

/* The rows touch: leaf i begins at 10 x i. A search near the last answer tries some leaves first.
 */
static void a_search_from_any_last_answer_is_that_of_a_whole_search(void **state)
{
	struct make_trace *make = make_trace_new();
	struct thread thread;

	(void)state;
	for (int64_t i = 0; i < 100; i++)
		make_host(make, WEIR_HOST_OP, 0, "row", 10 * i, 10 * i + 10);
	thread_init(&thread, make);
	for (size_t from = 0; from <= thread.leaves.count + 1; from++)
		for (int64_t at_ns = -5; at_ns <= 1005; at_ns += 5) {
			size_t last = from, expected = weir_leaves_at(&thread.leaves, at_ns);

			assert_int_equal(weir_leaves_near(&thread.leaves, at_ns, &last), expected);
			assert_int_equal(last, expected == SIZE_MAX ? from : expected);
			assert_int_equal(expected, at_ns < 0 ? SIZE_MAX : (size_t)at_ns / 10);
		}
	thread_release(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_time_belongs_to_the_innermost_row),
		cmocka_unit_test(a_search_from_any_last_answer_is_that_of_a_whole_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
