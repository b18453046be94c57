/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Excluded steps, and the device time that remains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/analysis/timeline/steady.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/scene.h"

/* Consecutive steps, each with four kernels over its whole period. */
struct loop {
	struct make_trace *make;
	const char *annotation; /* a format with the number of the step */
	int64_t at_ns;
	int count;
};

static void add_step(struct loop *loop, int64_t period_ns, int kernels)
{
	char name[64];

	snprintf(name, sizeof name, "%s%d", loop->annotation, loop->count++);
	make_host(loop->make, WEIR_HOST_ANNOTATION, 0, name, loop->at_ns,
	          loop->at_ns + period_ns - 1);
	for (int i = 0; i < 4; i++) {
		int64_t call_ns = loop->at_ns + INT64_C(10) * i,
			start_ns = loop->at_ns + i * period_ns / 4;

		if (i < kernels)
			make_launch(loop->make, call_ns, call_ns + 5, start_ns + 50, start_ns + 60);
		else
			make_call(loop->make, 0, "cudaLaunchKernel", call_ns, call_ns + 5,
			          999000000 + (uint64_t)(loop->count * 4 + i));
	}
	loop->at_ns += period_ns;
}

static void add_steps(struct loop *loop, int count, int64_t period_ns)
{
	for (int i = 0; i < count; i++)
		add_step(loop, period_ns + i % 3, 4);
}

static struct loop loop_of(const char *annotation)
{
	return (struct loop){.make = make_trace_new(), .annotation = annotation};
}

static size_t steps_in(const struct scene *scene, enum weir_step_state wanted)
{
	size_t count = 0;

	for (size_t i = 0; i < scene->steps.step_count; i++)
		count += scene->steps.steps[i].state == wanted;
	return count;
}

static void leading_slow_steps_are_warm_up(void **state)
{
	struct loop loop = loop_of("ProfilerStep#");
	struct scene scene;

	(void)state;
	add_step(&loop, 9000, 4);
	add_step(&loop, 1500, 4);
	add_steps(&loop, 18, 1000);
	scene_init(&scene, make_trace_finish(loop.make), true);
	assert_int_equal(scene.steps.steps[0].state, WEIR_STEP_WARM_UP);
	assert_int_equal(scene.steps.steps[1].state, WEIR_STEP_WARM_UP);
	assert_int_equal(steps_in(&scene, WEIR_STEP_STEADY), 18);
	assert_int_equal(scene.steps.windows[0].count, 1);
	assert_int_equal(scene.steps.windows[0].items[0].start_ns,
	                 scene.steps.steps[2].device_start_ns);
	scene_release(&scene);
}

static void at_most_a_fifth_of_the_steps_is_warm_up(void **state)
{
	struct loop loop = loop_of("ProfilerStep#");
	struct scene scene;

	(void)state;
	add_steps(&loop, 4, 3000);
	add_steps(&loop, 6, 1000);
	scene_init(&scene, make_trace_finish(loop.make), true);
	assert_int_equal(steps_in(&scene, WEIR_STEP_WARM_UP), 2);
	scene_release(&scene);
}

static void a_tenth_more_is_no_warm_up(void **state)
{
	struct loop loop = loop_of("ProfilerStep#");
	struct scene scene;

	(void)state;
	add_step(&loop, 1090, 4);
	add_steps(&loop, 15, 1000); /* a MAD of 1 ns: five of them say nothing */
	scene_init(&scene, make_trace_finish(loop.make), true);
	assert_int_equal(steps_in(&scene, WEIR_STEP_STEADY), 16);
	scene_release(&scene);
}

static void a_step_without_its_kernels_is_incomplete(void **state)
{
	struct loop loop = loop_of("ProfilerStep#");
	struct scene scene;

	(void)state;
	add_steps(&loop, 8, 1000);
	add_step(&loop, 1000, 1);
	scene_init(&scene, make_trace_finish(loop.make), true);
	assert_int_equal(scene.steps.steps[8].missing_rows, 3);
	assert_int_equal(scene.steps.steps[8].state, WEIR_STEP_INCOMPLETE);
	assert_int_equal(steps_in(&scene, WEIR_STEP_STEADY), 8);
	assert_int_equal(scene.steps.windows[0].items[0].end_ns,
	                 scene.steps.steps[8].device_start_ns);
	scene_release(&scene);
}

static void a_single_long_step_is_a_one_off_and_leaves_a_hole(void **state)
{
	struct loop loop = loop_of("ProfilerStep#");
	struct scene scene;
	const struct weir_intervals *windows;

	(void)state;
	add_steps(&loop, 10, 1000);
	add_step(&loop, 8000, 4);
	add_steps(&loop, 10, 1000);
	scene_init(&scene, make_trace_finish(loop.make), true);
	windows = &scene.steps.windows[0];
	assert_int_equal(scene.steps.steps[10].state, WEIR_STEP_ONE_OFF);
	assert_int_equal(windows->count, 2);
	assert_int_equal(windows->items[0].end_ns, scene.steps.steps[10].device_start_ns);
	assert_int_equal(windows->items[1].start_ns, scene.steps.steps[11].device_start_ns);
	scene_release(&scene);
}

static void several_long_steps_are_the_tail_of_the_workload(void **state)
{
	struct loop loop = loop_of("ProfilerStep#");
	struct scene scene;

	(void)state;
	for (int i = 0; i < 3; i++) {
		add_steps(&loop, 6, 1000);
		add_step(&loop, 8000, 4);
	}
	scene_init(&scene, make_trace_finish(loop.make), true);
	assert_int_equal(steps_in(&scene, WEIR_STEP_STEADY), 21);
	scene_release(&scene);
}

/* One step on the host from 1,000 to 90,000,000, whose only kernel is launched at `call_ns`. */
static struct make_trace *one_step(int64_t call_ns, int64_t start_ns, int64_t end_ns)
{
	struct make_trace *make = make_trace_new();

	make_host(make, WEIR_HOST_ANNOTATION, 0, "ProfilerStep#1", 1000, 90000000);
	make_launch(make, call_ns, call_ns + 1000, start_ns, end_ns);
	return make;
}

static void the_first_step_holds_its_host_time_before_its_work(void **state)
{
	struct scene scene;

	(void)state;
	scene_init(&scene, make_trace_finish(one_step(50000000, 50002000, 60000000)), true);
	assert_int_equal(scene.steps.windows[0].items[0].start_ns, 1000);
	scene_release(&scene);
}

static void a_first_step_whose_work_was_queued_begins_with_its_work(void **state)
{
	struct scene scene;

	(void)state;
	scene_init(&scene, make_trace_finish(one_step(10000000, 11001000, 21000000)), true);
	assert_int_equal(scene.steps.windows[0].items[0].start_ns, 1000);
	scene_release(&scene);
	scene_init(&scene, make_trace_finish(one_step(10000000, 11001001, 21000000)), true);
	assert_int_equal(scene.steps.windows[0].items[0].start_ns, 11001001);
	scene_release(&scene);
}

/* Work of a tenth of the step, which lasts 89,999,000, and of a nanosecond less. */
static void a_step_of_which_less_than_a_tenth_would_remain_is_the_window(void **state)
{
	static const struct {
		int64_t end_ns, from_ns, until_ns;
		bool steady;
	} cases[] = {{20000900, 11001000, 20000900, true},
	             {20000899, 1000, 90000000, true},
	             {20000899, 1000, 90000000, false}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct scene scene;

		scene_init(&scene, make_trace_finish(one_step(5000000, 11001000, cases[i].end_ns)),
		           cases[i].steady);
		assert_int_equal(scene.steps.windows[0].count, 1);
		assert_int_equal(scene.steps.windows[0].items[0].start_ns, cases[i].from_ns);
		assert_int_equal(scene.steps.windows[0].items[0].end_ns, cases[i].until_ns);
		scene_release(&scene);
	}
}

/* A step with one kernel, and `others` kernels outside it, over a hundred times its time. */
static struct make_trace *sliver_of(int others)
{
	struct make_trace *make = make_trace_new();

	make_host(make, WEIR_HOST_ANNOTATION, 0, "ProfilerStep#1", 1000, 9000);
	make_launch(make, 1000, 1500, 2000, 9000);
	for (int i = 0; i < others; i++)
		make_kernel(make, 0, "orphan", INT64_C(100000) * (i + 1),
		            INT64_C(100000) * (i + 1) + 50, 0);
	return make;
}

static void steps_with_less_than_a_tenth_of_the_work_are_no_sample(void **state)
{
	struct scene scene;

	(void)state;
	scene_init(&scene, make_trace_finish(sliver_of(9)), true);
	assert_false(scene.steps.sliver);
	assert_int_equal(scene.steps.windows[0].items[0].end_ns, 9000);
	scene_release(&scene);
	scene_init(&scene, make_trace_finish(sliver_of(10)), true);
	assert_true(scene.steps.sliver);
	assert_int_equal(scene.steps.windows[0].items[0].end_ns, 1000050);
	scene_release(&scene);
}

/* Four or five steps of 1 us behind one that takes more than nine tenths of the time, or less. */
static void few_steps_behind_a_long_start_are_no_sample(void **state)
{
	static const struct {
		int steps;
		int64_t start_ns;
		bool sliver;
	} cases[] = {{4, 40000, true}, {4, 30000, false}, {5, 100000, false}, {3, 40000, true}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct loop loop = loop_of("ProfilerStep#");
		struct scene scene;

		add_step(&loop, cases[i].start_ns, 4);
		add_steps(&loop, cases[i].steps, 1000);
		scene_init(&scene, make_trace_finish(loop.make), true);
		assert_int_equal(steps_in(&scene, WEIR_STEP_STEADY), cases[i].steps);
		assert_int_equal(scene.steps.sliver, cases[i].sliver);
		scene_release(&scene);
	}
}

/* A trace without steps whose first collective waits for a rank that starts later, or not. */
static void a_long_first_collective_is_set_apart(void **state)
{
	static const char all_reduce[] = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
	static const struct {
		int64_t first_ns, later_ns, apart_ns;
		bool steady;
	} cases[] = {
		{10000000, 1999999, 10000000, true},
		{10000000, 2000000, 0, true},
		{9999999, 1000, 0, true},
		{10000000, 0, 0, true},
		{10000000, 1000, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct make_trace *make = make_trace_new();
		int64_t end_ns = 1000 + cases[i].first_ns;
		struct scene scene;

		make_kernel(make, 0, "gemm", 0, 1000, 0);
		make_kernel(make, 0, all_reduce, 1000, end_ns, 0);
		make_kernel(make, 0, "gemm", end_ns, end_ns + 500, 0);
		if (cases[i].later_ns > 0)
			make_kernel(make, 0, all_reduce, end_ns + 500,
			            end_ns + 500 + cases[i].later_ns, 0);
		scene_init(&scene, make_trace_finish(make), cases[i].steady);
		assert_int_equal(scene.steps.first_wait_ns, cases[i].apart_ns);
		assert_int_equal(weir_intervals_total(&scene.steps.windows[0]),
		                 1500 + cases[i].first_ns + cases[i].later_ns - cases[i].apart_ns);
		scene_release(&scene);
	}
}

static void one_step_alone_is_steady(void **state)
{
	struct loop loop = loop_of("ProfilerStep#");
	struct scene scene;

	(void)state;
	add_step(&loop, 1000, 4);
	scene_init(&scene, make_trace_finish(loop.make), true);
	assert_int_equal(scene.steps.steps[0].state, WEIR_STEP_STEADY);
	assert_int_equal(scene.steps.windows[0].items[0].start_ns, 0);
	assert_int_equal(scene.steps.windows[0].items[0].end_ns, 810);
	scene_release(&scene);
}

static void inferred_steps_keep_the_work_between_them(void **state)
{
	struct loop loop = loop_of("forward ");
	struct scene scene;

	(void)state;
	add_step(&loop, 9000, 4);
	add_steps(&loop, 9, 1000);
	make_launch(loop.make, loop.at_ns + 500, loop.at_ns + 510, loop.at_ns + 600,
	            loop.at_ns + 700); /* outside every step */
	scene_init(&scene, make_trace_finish(loop.make), true);
	assert_false(scene.steps.explicit_steps);
	assert_int_equal(scene.steps.steps[0].state, WEIR_STEP_WARM_UP);
	assert_int_equal(scene.steps.windows[0].count, 1);
	assert_int_equal(scene.steps.windows[0].items[0].start_ns,
	                 scene.steps.steps[1].device_start_ns);
	assert_int_equal(scene.steps.windows[0].items[0].end_ns, loop.at_ns + 700);
	scene_release(&scene);
}

static void all_of_it_is_analysed_on_demand(void **state)
{
	struct loop loop = loop_of("ProfilerStep#");
	struct scene scene;

	(void)state;
	add_step(&loop, 9000, 4);
	add_steps(&loop, 9, 1000);
	scene_init(&scene, make_trace_finish(loop.make), false);
	assert_int_equal(scene.steps.steps[0].state, WEIR_STEP_WARM_UP);
	assert_int_equal(scene.steps.windows[0].count, 1);
	assert_int_equal(scene.steps.windows[0].items[0].start_ns, 50);
	scene_release(&scene);
}

static void a_device_without_work_in_steady_steps_is_analysed_whole(void **state)
{
	struct loop loop = loop_of("ProfilerStep#");
	struct scene scene;

	(void)state;
	add_steps(&loop, 8, 1000);
	make_device(loop.make,
	            &(struct make_device_row){
			    .device = 1, .stream = 1, .name = "k", .start_ns = 5, .end_ns = 9});
	scene_init(&scene, make_trace_finish(loop.make), true);
	assert_int_equal(scene.steps.windows[1].count, 1);
	assert_int_equal(scene.steps.windows[1].items[0].start_ns, 5);
	assert_int_equal(scene.steps.windows[1].items[0].end_ns, 9);
	scene_release(&scene);
}

static void steps_without_device_work_have_the_period_of_the_host(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	for (int64_t i = 0; i < 5; i++)
		make_host(make, WEIR_HOST_ANNOTATION, 0, "ProfilerStep#1", i * 1000,
		          i * 1000 + 700);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.steps.steps[0].period_ns, 1000);
	assert_int_equal(scene.steps.steps[4].period_ns, 700);
	assert_near(scene.steps.median_period_ns, 1000, 0);
	assert_int_equal(scene.steps.windows[0].count, 0);
	scene_release(&scene);
}

/* Judges steps of 1000 ns with ten rows each, of which the caller changes some. */
struct bare {
	struct weir_step items[100];
	struct weir_steps steps;
};

static void bare_init(struct bare *bare, size_t count)
{
	*bare = (struct bare){.steps = {.step_count = count}};
	for (size_t i = 0; i < count; i++)
		bare->items[i] = (struct weir_step){.device_rows = 10};
}

/* Sets the periods, then judges. Returns the number of steady steps. */
static size_t bare_judge(struct bare *bare, const int64_t *first_ns, size_t first_count)
{
	int64_t at_ns = 0;
	size_t count = 0;

	bare->steps.steps = bare->items;
	for (size_t i = 0; i < bare->steps.step_count; i++) {
		struct weir_step *step = &bare->items[i];

		step->start_ns = step->device_start_ns = at_ns;
		at_ns += i < first_count ? first_ns[i] : 1000;
		step->end_ns = step->device_end_ns = at_ns;
	}
	weir_steady_judge(&bare->steps);
	for (size_t i = 0; i < bare->steps.step_count; i++)
		count += bare->items[i].state == WEIR_STEP_STEADY;
	return count;
}

static void limits_of_warm_up_and_of_single_long_steps(void **state)
{
	static const int64_t tenth[] = {1100}, more[] = {1101};
	static const int64_t five[] = {1000, 1000, 1000, 1000, 1000, 1000, 5000};
	static const int64_t above[] = {1000, 1000, 1000, 1000, 1000, 1000, 5001};
	struct bare bare;

	(void)state;
	bare_init(&bare, 20);
	assert_int_equal(bare_judge(&bare, tenth, 1), 20);
	assert_int_equal(bare_judge(&bare, more, 1), 19);
	assert_int_equal(bare.items[0].state, WEIR_STEP_WARM_UP);
	bare_init(&bare, 20);
	assert_int_equal(bare_judge(&bare, five, 7), 20);
	assert_int_equal(bare_judge(&bare, above, 7), 19);
	assert_int_equal(bare.items[6].state, WEIR_STEP_ONE_OFF);
}

static void limits_of_a_tail(void **state)
{
	int64_t periods[100];
	struct bare bare;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		periods[i] = i == 50 || i == 60 ? 9000 : 1000;
	bare_init(&bare, 100);
	assert_int_equal(bare_judge(&bare, periods, 100), 98);
	periods[70] = 9000;
	bare_init(&bare, 100);
	assert_int_equal(bare_judge(&bare, periods, 100), 100);
	periods[60] = periods[70] = 1000; /* one of few steps is always alone */
	bare_init(&bare, 60);
	assert_int_equal(bare_judge(&bare, periods, 60), 59);
}

static void limits_of_incomplete_steps(void **state)
{
	struct bare bare;

	(void)state;
	bare_init(&bare, 20);
	bare.items[5].missing_rows = 1;
	assert_int_equal(bare_judge(&bare, NULL, 0), 20);
	bare.items[5].device_rows = 9; /* 0.9 of the usual number */
	assert_int_equal(bare_judge(&bare, NULL, 0), 20);
	bare.items[6].device_rows = 8; /* but no launch lacks its work */
	assert_int_equal(bare_judge(&bare, NULL, 0), 20);
	bare.items[5].device_rows = 8;
	assert_int_equal(bare_judge(&bare, NULL, 0), 19);
	assert_int_equal(bare.items[5].state, WEIR_STEP_INCOMPLETE);
}

static void fewer_than_four_steps_are_not_judged(void **state)
{
	struct bare bare;

	(void)state;
	for (size_t count = 3; count <= 4; count++) {
		bare_init(&bare, count);
		bare.items[1].missing_rows = 9;
		bare.items[1].device_rows = 1;
		assert_int_equal(bare_judge(&bare, NULL, 0), 3);
	}
}

/* ---- steps with work of exact periods ---- */

#define MOST_STEPS 120

struct exact {
	struct weir_step items[MOST_STEPS];
	struct weir_steps steps;
};

/* Judges `count` steps of 1,000 ns, of which `long_count` from `first_long` on last long_ns. */
static void judge(struct exact *exact, size_t count, size_t first_long, size_t long_count,
                  int64_t long_ns)
{
	int64_t at = 0;

	*exact = (struct exact){.steps = {.step_count = count}};
	exact->steps.steps = exact->items;
	for (size_t i = 0; i < count; i++) {
		int64_t period = i >= first_long && i < first_long + long_count ? long_ns : 1000;

		exact->items[i] = (struct weir_step){.start_ns = at,
		                                     .end_ns = at + 500,
		                                     .device_start_ns = at,
		                                     .device_end_ns = at + period,
		                                     .device_rows = 10,
		                                     .state = WEIR_STEP_STEADY};
		at += period;
	}
	weir_steady_judge(&exact->steps);
}

static size_t with_state(const struct exact *exact, enum weir_step_state state)
{
	size_t count = 0;

	for (size_t i = 0; i < exact->steps.step_count; i++)
		count += exact->items[i].state == state;
	return count;
}

static void the_first_and_the_last_step_may_be_one_offs(void **state)
{
	struct exact exact;

	(void)state;
	judge(&exact, 20, 19, 1, 5001); /* the last step */
	assert_int_equal(exact.items[19].state, WEIR_STEP_ONE_OFF);
	judge(&exact, 4, 0, 1, 5001); /* four steps have no warm-up */
	assert_int_equal(exact.items[0].state, WEIR_STEP_ONE_OFF);
	judge(&exact, 3, 0, 1, 5001);
	assert_int_equal(with_state(&exact, WEIR_STEP_STEADY), 3);
}

static void a_step_misses_work_below_nine_tenths_of_the_usual(void **state)
{
	struct exact exact;

	(void)state;
	judge(&exact, 20, 0, 0, 0);
	for (size_t i = 0; i < 20; i++)
		exact.items[i].state = WEIR_STEP_STEADY;
	exact.items[3].device_rows = 9;
	exact.items[3].missing_rows = 1;
	exact.items[4].device_rows = 8;
	exact.items[4].missing_rows = 1;
	exact.items[5].device_rows = 8; /* nothing is missing: it has less work */
	weir_steady_judge(&exact.steps);
	assert_int_equal(exact.items[3].state, WEIR_STEP_STEADY);
	assert_int_equal(exact.items[4].state, WEIR_STEP_INCOMPLETE);
	assert_int_equal(exact.items[5].state, WEIR_STEP_STEADY);
}

/* From work to work; the last step to the end of its work; without work, on the host. */
static void a_period_is_measured_on_the_device_where_it_can_be(void **state)
{
	struct exact exact;

	(void)state;
	judge(&exact, 4, 0, 0, 0);
	exact.items[1].device_rows = 0;
	exact.items[3].device_end_ns = 3700;
	weir_steady_judge(&exact.steps);
	assert_int_equal(exact.items[0].period_ns, 500); /* the next one has no work */
	assert_int_equal(exact.items[1].period_ns, 500);
	assert_int_equal(exact.items[2].period_ns, 1000);
	assert_int_equal(exact.items[3].period_ns, 700);
	exact.items[3].device_end_ns = 3500; /* ends with its host time */
	exact.items[3].start_ns = 2900;
	exact.items[2].device_start_ns = 3000; /* at the same time as the next */
	weir_steady_judge(&exact.steps);
	assert_int_equal(exact.items[2].period_ns, 500);
	assert_int_equal(exact.items[3].period_ns, 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leading_slow_steps_are_warm_up),
		cmocka_unit_test(at_most_a_fifth_of_the_steps_is_warm_up),
		cmocka_unit_test(a_tenth_more_is_no_warm_up),
		cmocka_unit_test(a_step_without_its_kernels_is_incomplete),
		cmocka_unit_test(a_single_long_step_is_a_one_off_and_leaves_a_hole),
		cmocka_unit_test(several_long_steps_are_the_tail_of_the_workload),
		cmocka_unit_test(the_first_step_holds_its_host_time_before_its_work),
		cmocka_unit_test(a_first_step_whose_work_was_queued_begins_with_its_work),
		cmocka_unit_test(a_step_of_which_less_than_a_tenth_would_remain_is_the_window),
		cmocka_unit_test(steps_with_less_than_a_tenth_of_the_work_are_no_sample),
		cmocka_unit_test(few_steps_behind_a_long_start_are_no_sample),
		cmocka_unit_test(a_long_first_collective_is_set_apart),
		cmocka_unit_test(one_step_alone_is_steady),
		cmocka_unit_test(inferred_steps_keep_the_work_between_them),
		cmocka_unit_test(all_of_it_is_analysed_on_demand),
		cmocka_unit_test(a_device_without_work_in_steady_steps_is_analysed_whole),
		cmocka_unit_test(steps_without_device_work_have_the_period_of_the_host),
		cmocka_unit_test(limits_of_warm_up_and_of_single_long_steps),
		cmocka_unit_test(limits_of_a_tail),
		cmocka_unit_test(limits_of_incomplete_steps),
		cmocka_unit_test(fewer_than_four_steps_are_not_judged),
		cmocka_unit_test(the_first_and_the_last_step_may_be_one_offs),
		cmocka_unit_test(a_step_misses_work_below_nine_tenths_of_the_usual),
		cmocka_unit_test(a_period_is_measured_on_the_device_where_it_can_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
