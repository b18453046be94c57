/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of gaps and replays, segment by segment; test_what_if.c checks whole steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/path/retime.h"
#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

#define WORK_NS 1000

/* One rank with work in [0, WORK_NS), then a gap. */
struct scene {
	struct weir_trace *trace;
	struct weir_rank rank;
};

static void scene_open(struct scene *scene)
{
	static const struct weir_device_table no_devices;
	const struct weir_rank_options options = {.table = &no_devices};
	struct make_trace *make = make_trace_new();

	make_kernel(make, 0, "first", 0, WORK_NS, 0);
	make_kernel(make, 0, "second", 9000, 10000, 0);
	scene->trace = make_trace_finish(make);
	weir_rank_init(&scene->rank, scene->trace, &options);
}

static void scene_close(struct scene *scene)
{
	weir_rank_release(&scene->rank);
	weir_trace_free(scene->trace);
}

/* Returns the new length of a gap of launch latency. row: the work that ends it. */
static double retimed_gap(int64_t gap_ns, uint32_t row, const char *text)
{
	struct weir_segment items[] = {
		{.end_ns = WORK_NS, .span = WEIR_NONE, .busy = 1, .work = WEIR_WORK_COMPUTE},
		{.start_ns = WORK_NS,
	         .end_ns = WORK_NS + gap_ns,
	         .row = row,
	         .span = WEIR_NONE,
	         .idle = WEIR_IDLE_LAUNCH_LATENCY},
	};
	struct weir_retiming retiming;
	struct weir_segments found;
	struct weir_change change;
	struct weir_error err;
	struct scene scene;
	double ns;

	assert_int_equal(weir_change_parse(text, &change, &err), WEIR_OK);
	scene_open(&scene);
	found = scene.rank.segments;
	scene.rank.segments = (struct weir_segments){.items = items, .count = 2};
	weir_retiming_init(&retiming, &scene.rank, &change, 1);
	ns = weir_retimed_ns(&retiming, WORK_NS, WORK_NS + gap_ns);
	assert_near(weir_retimed_ns(&retiming, 0, WORK_NS), WORK_NS, 0);
	weir_retiming_release(&retiming);
	scene.rank.segments = found;
	scene_close(&scene);
	return ns;
}

static void a_gap_before_work_keeps_the_gap_of_a_replay(void **state)
{
	(void)state;
	assert_near(retimed_gap(WEIR_REPLAY_GAP_NS + 50, 1, "launch_latency=0"), WEIR_REPLAY_GAP_NS,
	            1e-9);
	assert_near(retimed_gap(WEIR_REPLAY_GAP_NS, 1, "launch_latency=0"), WEIR_REPLAY_GAP_NS,
	            1e-9);
	assert_near(retimed_gap(300, 1, "launch_latency=0"), 300, 1e-9);
	assert_near(retimed_gap(1000, 1, "launch_latency=0.5"), 500, 1e-9);
	assert_near(retimed_gap(800, 1, "launch_latency=0.5"), WEIR_REPLAY_GAP_NS, 1e-9);
	assert_near(retimed_gap(800, 1, "launch_latency=2"), 1600, 1e-9);
	assert_near(retimed_gap(300, 1, "launch_latency=2"), 600, 1e-9);
	assert_near(retimed_gap(800, 1, "python=0"), 800, 1e-9);
}

static void a_gap_at_the_end_of_a_window_can_vanish(void **state)
{
	(void)state;
	assert_near(retimed_gap(800, WEIR_NONE, "launch_latency=0"), 0, 1e-9);
	assert_near(retimed_gap(300, WEIR_NONE, "launch_latency=0"), 0, 1e-9);
	assert_near(retimed_gap(800, WEIR_NONE, "launch_latency=0.25"), 200, 1e-9);
}

/* `replays` replays of two kernels with a gap of 700 ns between them. */
static double gap_of_replays(int64_t replays)
{
	static const struct weir_device_table no_devices;
	const struct weir_rank_options options = {.table = &no_devices};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_rank rank;
	double ns;

	for (int64_t i = 0; i < replays; i++) {
		int64_t at = i * 100000;
		uint64_t id = (uint64_t)i + 1;

		make_call(make, 0, "cudaGraphLaunch", at, at + 100, id);
		for (int64_t k = 0; k < 2; k++)
			make_device(make, &(struct make_device_row){
						  .kind = WEIR_DEVICE_KERNEL,
						  .name = k ? "b" : "a",
						  .start_ns = at + 200 + k * 2700,
						  .end_ns = at + 2200 + k * 2700,
						  .correlation = id,
						  .graph_node = (uint64_t)k + 1,
						  .flags = WEIR_DEVICE_IN_GRAPH,
					  });
	}
	trace = make_trace_finish(make);
	weir_rank_init(&rank, trace, &options);
	ns = weir_replay_gap_ns(&rank);
	weir_rank_release(&rank);
	weir_trace_free(trace);
	return ns;
}

static void the_gap_of_replays_needs_twenty_of_them(void **state)
{
	(void)state;
	assert_near(gap_of_replays(WEIR_REPLAY_GAPS - 1), WEIR_REPLAY_GAP_NS, 0);
	assert_near(gap_of_replays(WEIR_REPLAY_GAPS), 700, 0);
}

/* Returns the new length of work that no call is known for. */
static double retimed_work(const char *text)
{
	struct weir_segment items[] = {
		{.end_ns = WORK_NS, .span = WEIR_NONE, .busy = 1, .work = WEIR_WORK_COMPUTE},
	};
	struct weir_retiming retiming;
	struct weir_segments found;
	struct weir_change change;
	struct weir_error err;
	struct scene scene;
	double ns;

	assert_int_equal(weir_change_parse(text, &change, &err), WEIR_OK);
	scene_open(&scene);
	found = scene.rank.segments;
	scene.rank.segments = (struct weir_segments){.items = items, .count = 1};
	scene.rank.groups.row_call[0] = WEIR_NONE;
	weir_retiming_init(&retiming, &scene.rank, &change, 1);
	ns = weir_retimed_ns(&retiming, 0, WORK_NS);
	weir_retiming_release(&retiming);
	scene.rank.segments = found;
	scene_close(&scene);
	return ns;
}

static void work_of_an_unknown_call_is_bound_by_nothing(void **state)
{
	static const char *const changes[] = {"batching=0", "runtime=0",       "kernel=0",
	                                      "memory=0",   "communication=0", "hardware=0"};

	(void)state;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		assert_near(retimed_work(changes[i]), WORK_NS, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gap_before_work_keeps_the_gap_of_a_replay),
		cmocka_unit_test(a_gap_at_the_end_of_a_window_can_vanish),
		cmocka_unit_test(the_gap_of_replays_needs_twenty_of_them),
		cmocka_unit_test(work_of_an_unknown_call_is_bound_by_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
