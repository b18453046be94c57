/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/host_time.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"

struct scene {
	struct weir_trace *trace;
	struct weir_timeline timeline;
	struct weir_host_time times;
};

static void scene_init(struct scene *scene, struct weir_trace *trace)
{
	scene->trace = trace;
	weir_timeline_init(&scene->timeline, trace);
	weir_host_time_init(&scene->times, &scene->timeline);
}

static void scene_release(struct scene *scene)
{
	weir_host_time_release(&scene->times);
	weir_timeline_release(&scene->timeline);
	weir_trace_free(scene->trace);
}

static void self_time_is_what_no_child_covers(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "parent", 0, 1000);
	make_host(make, WEIR_HOST_OP, 0, "child", 100, 400);
	make_call(make, 0, "grandchild", 200, 300, 0);
	make_host(make, WEIR_HOST_OP, 0, "other child", 600, 700);
	scene_init(&scene, make_trace_finish(make));
	assert_int_equal(weir_host_time_total(&scene.times, 0), 1000);
	assert_int_equal(weir_host_time_self(&scene.times, 0), 600);
	assert_int_equal(weir_host_time_self(&scene.times, 1), 200);
	assert_int_equal(weir_host_time_self(&scene.times, 2), 100);
	assert_int_equal(weir_host_time_self(&scene.times, 3), 100);
	scene_release(&scene);
}

static void no_instant_counts_twice_where_rows_do_not_nest(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "first", 0, 10000);
	make_host(make, WEIR_HOST_OP, 0, "second", 5000, 15000);
	make_host(make, WEIR_HOST_OP, 1, "parent", 0, 10000);
	make_host(make, WEIR_HOST_OP, 1, "overhang", 9000, 10500);
	scene_init(&scene, make_trace_finish(make));
	assert_int_equal(weir_host_time_self(&scene.times, 0), 10000);
	assert_int_equal(weir_host_time_self(&scene.times, 1), 5000);
	assert_int_equal(weir_host_time_total(&scene.times, 1), 10000);
	assert_int_equal(weir_host_time_self(&scene.times, 2), 9000);
	assert_int_equal(weir_host_time_self(&scene.times, 3), 1000);
	scene_release(&scene);
}

static void the_ends_of_the_clock_do_not_overflow(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "all", INT64_MIN, INT64_MAX);
	make_host(make, WEIR_HOST_OP, 0, "half", 0, INT64_MAX);
	scene_init(&scene, make_trace_finish(make));
	assert_int_equal(weir_host_time_total(&scene.times, 0), INT64_MAX);
	assert_int_equal(weir_host_time_self(&scene.times, 1), INT64_MAX);
	assert_true(weir_host_time_self(&scene.times, 0) >= 0);
	scene_release(&scene);
}

static void assert_adds_up(const struct scene *scene, uint32_t thread)
{
	const struct weir_host_columns *host = &scene->trace->host;
	struct weir_intervals outermost = {0};
	int64_t sum = 0;

	for (uint32_t i = 0; i < host->count; i++) {
		if (host->thread[i] != thread)
			continue;
		assert_true(weir_host_time_self(&scene->times, i) >= 0);
		assert_true(weir_host_time_self(&scene->times, i) <=
		            weir_host_time_total(&scene->times, i));
		sum += weir_host_time_self(&scene->times, i);
		if (scene->timeline.parent[i] == WEIR_NONE)
			weir_intervals_push(&outermost, host->start_ns[i], host->end_ns[i]);
	}
	weir_intervals_unite(&outermost);
	assert_int_equal(sum, weir_intervals_total(&outermost));
	weir_intervals_release(&outermost);
}

static void random_self_times_add_up_to_the_union_of_the_outermost_rows(void **state)
{
	uint64_t seed = 17;

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct scene scene;

		scene_init(&scene, random_trace(&seed));
		for (uint32_t t = 0; t < scene.trace->thread_count; t++)
			assert_adds_up(&scene, t);
		scene_release(&scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(self_time_is_what_no_child_covers),
		cmocka_unit_test(no_instant_counts_twice_where_rows_do_not_nest),
		cmocka_unit_test(the_ends_of_the_clock_do_not_overflow),
		cmocka_unit_test(random_self_times_add_up_to_the_union_of_the_outermost_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
