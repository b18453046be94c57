/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays of graphs: the work that belongs to a replay, and replays of the same graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/graphs/graphs.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/scene.h"

struct graph_scene {
	struct scene scene;
	struct weir_graphs graphs;
};

static void graph_scene_init(struct graph_scene *s, struct make_trace *make)
{
	scene_init(&s->scene, make_trace_finish(make), true);
	weir_graphs_init(&s->graphs, &s->scene.timeline, &s->scene.groups);
}

static void graph_scene_release(struct graph_scene *s)
{
	weir_graphs_release(&s->graphs);
	scene_release(&s->scene);
}

static struct make_device_row node(const char *name, uint32_t stream, int64_t start_ns,
                                   int64_t end_ns, uint64_t correlation)
{
	return (struct make_device_row){.name = name,
	                                .stream = stream,
	                                .start_ns = start_ns,
	                                .end_ns = end_ns,
	                                .bytes = -1,
	                                .correlation = correlation,
	                                .blocks = 8,
	                                .threads_per_block = 128};
}

static void make_node(struct make_trace *make, const char *name, int64_t start_ns, int64_t end_ns,
                      uint64_t correlation)
{
	const struct make_device_row row = node(name, 0, start_ns, end_ns, correlation);

	make_device(make, &row);
}

static const char *name_at(const struct graph_scene *s, size_t body, size_t position)
{
	return weir_timeline_device_name(
		&s->scene.timeline, weir_graph_row(&s->graphs, &s->graphs.bodies[body], position));
}

static void replays_of_one_body_are_one_graph(void **state)
{
	struct make_trace *make = make_trace_new();
	struct graph_scene s;

	(void)state;
	for (int64_t i = 0; i < 5; i++) {
		uint64_t id = (uint64_t)i + 1;

		make_call(make, 0, "cudaGraphLaunch", i * 1000, i * 1000 + 10, id);
		make_node(make, "gemm", i * 1000 + 100, i * 1000 + 150, id);
		make_node(make, i == 4 ? "tanh" : "silu", i * 1000 + 160, i * 1000 + 180 + i, id);
	}
	graph_scene_init(&s, make);
	assert_int_equal(s.graphs.replay_count, 5);
	assert_int_equal(s.graphs.body_count, 2);
	assert_int_equal(s.graphs.bodies[0].replay_count, 4);
	assert_int_equal(s.graphs.bodies[0].nodes, 2);
	assert_int_equal(s.graphs.bodies[0].busy_ns, 4 * 70 + 0 + 1 + 2 + 3);
	assert_int_equal(s.graphs.bodies[1].replay_count, 1);
	assert_int_not_equal(s.graphs.bodies[0].signature, s.graphs.bodies[1].signature);
	assert_string_equal(name_at(&s, 0, 1), "silu");
	assert_int_equal(s.graphs.gap_ns[s.graphs.replays[0].first + 1], 10);
	assert_int_equal(s.graphs.replays[3].end_ns, 3183);
	graph_scene_release(&s);
}

static void grid_block_and_kind_tell_bodies_apart(void **state)
{
	struct make_trace *make = make_trace_new();
	struct graph_scene s;

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		struct make_device_row row =
			node("k", 0, (int64_t)i * 1000 + 100, (int64_t)i * 1000 + 200, i + 1);

		row.blocks += i == 1;
		row.threads_per_block += i == 2;
		row.kind = i == 3 ? WEIR_DEVICE_COPY : WEIR_DEVICE_KERNEL;
		make_call(make, 0, "hipGraphLaunch", (int64_t)i * 1000, (int64_t)i * 1000 + 10,
		          i + 1);
		make_device(make, &row);
	}
	graph_scene_init(&s, make);
	assert_int_equal(s.graphs.body_count, 4);
	graph_scene_release(&s);
}

/* Kernels side by side on two streams, in a different order each time; the ids of the streams
 * change as well. */
static void the_order_between_streams_does_not_matter(void **state)
{
	struct make_trace *make = make_trace_new();
	struct graph_scene s;

	(void)state;
	for (int64_t i = 0; i < 6; i++) {
		int64_t at = i * 1000, shift = i % 2 ? 7 : -7;
		uint32_t side = i % 3 == 0 ? 1 : 2;
		uint64_t id = (uint64_t)i + 1;
		const struct make_device_row rows[] = {
			node("a", 0, at + 100, at + 110, id),
			node("b", 0, at + 120, at + 160, id),
			node("c", 0, at + 170, at + 180, id),
			node("side", side, at + 100 + shift, at + 150, id),
		};

		make_call(make, 0, "cudaGraphLaunch", at, at + 10, id);
		for (size_t r = 0; r < 4; r++)
			make_device(make, &rows[r]);
	}
	graph_scene_init(&s, make);
	assert_int_equal(s.graphs.body_count, 1);
	assert_int_equal(s.graphs.bodies[0].replay_count, 6);
	assert_int_equal(s.graphs.bodies[0].streams, 2);
	assert_string_equal(name_at(&s, 0, 0), "a");
	assert_string_equal(name_at(&s, 0, 1), "b");
	assert_string_equal(name_at(&s, 0, 2), "c");
	assert_string_equal(name_at(&s, 0, 3), "side");
	graph_scene_release(&s);
}

/* The same kernels in the same order, but on other streams: another body. */
static void streams_are_part_of_the_body(void **state)
{
	struct make_trace *make = make_trace_new();
	struct graph_scene s;

	(void)state;
	for (int64_t i = 0; i < 2; i++) {
		uint64_t id = (uint64_t)i + 1;
		const struct make_device_row a = node("a", 0, i * 1000 + 100, i * 1000 + 110, id);
		const struct make_device_row b =
			node("b", i == 1, i * 1000 + 120, i * 1000 + 130, id);

		make_call(make, 0, "cudaGraphLaunch", i * 1000, i * 1000 + 10, id);
		make_device(make, &a);
		make_device(make, &b);
	}
	graph_scene_init(&s, make);
	assert_int_equal(s.graphs.body_count, 2);
	graph_scene_release(&s);
}

static void without_calls_a_node_that_returns_begins_a_replay(void **state)
{
	struct make_trace *make = make_trace_new();
	struct graph_scene s;

	(void)state;
	for (int64_t i = 0; i < 9; i++) {
		struct make_device_row row = node(i % 3 == 0 ? "first" : "next", 0, i * 100 + 100,
		                                  i * 100 + 150, (uint64_t)i + 1);

		row.flags = WEIR_DEVICE_IN_GRAPH;
		row.graph_node = UINT64_C(7) << 32 | ((uint64_t)(i % 3) + 1);
		make_device(make, &row);
	}
	graph_scene_init(&s, make);
	assert_int_equal(s.graphs.replay_count, 3);
	assert_int_equal(s.graphs.body_count, 1);
	assert_int_equal(s.graphs.bodies[0].nodes, 3);
	graph_scene_release(&s);
}

static void without_calls_and_nodes_the_correlation_is_the_replay(void **state)
{
	struct make_trace *make = make_trace_new();
	struct graph_scene s;

	(void)state;
	for (int64_t i = 0; i < 6; i++) {
		struct make_device_row row =
			node("k", 0, i * 100 + 100, i * 100 + 150, (uint64_t)i / 2 + 1);

		row.flags = WEIR_DEVICE_IN_GRAPH;
		make_device(make, &row);
	}
	graph_scene_init(&s, make);
	assert_int_equal(s.graphs.replay_count, 3);
	assert_int_equal(s.graphs.bodies[0].nodes, 2);
	graph_scene_release(&s);
}

/* Replays that were launched before the profiler began: only their equality shows that they are
 * one graph. */
static void work_without_a_call_joins_a_body_that_is_known(void **state)
{
	static const char *const names[] = {"a", "b", "a", "x", "a", "b"};
	struct make_trace *make = make_trace_new();
	struct graph_scene s;

	(void)state;
	make_call(make, 0, "cudaGraphLaunch", 0, 10, 3);
	for (int64_t i = 0; i < 6; i++)
		make_node(make, names[i], 100 + i * 100, 150 + i * 100, (uint64_t)i / 2 + 1);
	graph_scene_init(&s, make);
	assert_int_equal(s.graphs.body_count, 1);
	assert_int_equal(s.graphs.bodies[0].replay_count, 2);
	assert_false(s.graphs.replays[0].certain);
	assert_int_equal(s.graphs.replays[0].body, 0);
	assert_int_equal(s.graphs.replays[1].body, WEIR_NONE);
	graph_scene_release(&s);
}

static void a_trace_without_graphs_has_none(void **state)
{
	struct make_trace *make = make_trace_new();
	struct graph_scene s;

	(void)state;
	for (int64_t i = 0; i < 4; i++)
		make_node(make, "k", i * 100, i * 100 + 50, 1);
	make_launch(make, 500, 510, 520, 530);
	graph_scene_init(&s, make);
	assert_int_equal(s.graphs.replay_count, 0);
	assert_int_equal(s.graphs.body_count, 0);
	graph_scene_release(&s);
}

static void a_replay_that_leaves_the_windows_does_not_count(void **state)
{
	struct make_trace *make = make_trace_new();
	struct graph_scene s;

	(void)state;
	/* Ten steps, the first ten times as long: a warm-up, which the windows leave out. */
	for (int64_t i = 0; i < 10; i++) {
		int64_t at = i == 0 ? 0 : 90000 + i * 10000;
		uint64_t id = (uint64_t)i + 1;
		char name[] = "ProfilerStep#0";

		name[13] = (char)('0' + i);
		make_host(make, WEIR_HOST_ANNOTATION, 0, name, at, at + (i == 0 ? 100000 : 10000));
		make_call(make, 0, "cudaGraphLaunch", at + 10, at + 20, id);
		make_node(make, "k", at + 100, at + 9000, id);
	}
	graph_scene_init(&s, make);
	assert_int_equal(s.graphs.replay_count, 10);
	assert_int_equal(s.graphs.bodies[0].replay_count, 9);
	assert_int_equal(s.graphs.replays[0].body, WEIR_NONE);
	graph_scene_release(&s);
}

static void hostile_times_do_not_overflow(void **state)
{
	struct make_trace *make = make_trace_new();
	struct graph_scene s;

	(void)state;
	make_call(make, 0, "cudaGraphLaunch", 0, 10, 1);
	make_node(make, "k", INT64_MIN, INT64_MIN + 1, 1);
	make_node(make, "k", INT64_MAX - 1, INT64_MAX, 1);
	graph_scene_init(&s, make);
	assert_int_equal(s.graphs.bodies[0].nodes, 2);
	assert_int_equal(s.graphs.gap_ns[1], INT64_MAX);
	assert_true(s.graphs.bodies[0].busy_ns >= 0);
	graph_scene_release(&s);
}

/* ---- properties ---- */

static int64_t span_of(const struct weir_graph_replay *replay)
{
	return replay->end_ns - replay->start_ns;
}

static void assert_consistent(const struct graph_scene *s)
{
	const struct weir_graphs *graphs = &s->graphs;
	uint8_t *seen = calloc(s->scene.trace->device.count + 1, 1);
	size_t listed = 0;

	for (size_t r = 0; r < graphs->replay_count; r++) {
		const struct weir_graph_replay *replay = &graphs->replays[r];
		int64_t idle_ns = 0;

		for (size_t i = 0; i < replay->nodes; i++) {
			assert_int_equal(seen[graphs->rows[replay->first + i]]++, 0);
			idle_ns += graphs->gap_ns[replay->first + i];
		}
		if (replay->body != WEIR_NONE)
			assert_int_equal(span_of(replay), replay->busy_ns + idle_ns);
	}
	for (size_t b = 0; b < graphs->body_count; b++) {
		assert_int_equal(graphs->bodies[b].first_replay, listed);
		listed += graphs->bodies[b].replay_count;
		for (size_t other = 0; other < b; other++)
			assert_false(weir_graph_same_body(s->scene.trace, graphs,
			                                  &graphs->bodies[b], s->scene.trace,
			                                  graphs, &graphs->bodies[other]));
	}
	free(seen);
}

static void random_replays_add_up(void **state)
{
	uint64_t seed = 61;
	size_t replays = 0;

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct graph_scene s;

		scene_init(&s.scene, random_trace(&seed), round % 2);
		weir_graphs_init(&s.graphs, &s.scene.timeline, &s.scene.groups);
		assert_consistent(&s);
		replays += s.graphs.replay_count;
		graph_scene_release(&s);
	}
	assert_true(replays > 500);
}

#define ROWS 60

/* Replays of three bodies on two streams, with ties in time, in the order that `order` gives. */
static struct make_trace *shuffled(const size_t order[ROWS])
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	struct make_trace *make = make_trace_new();

	for (size_t i = 0; i < ROWS; i++) {
		size_t replay = order[i] / 5, position = order[i] % 5;
		int64_t at = (int64_t)replay * 1000 + 100 + (int64_t)(position / 2) * 10;
		const struct make_device_row row = node(names[(position + (replay % 3 == 2)) % 5],
		                                        position == 3, at, at + 10, replay + 1);

		make_device(make, &row);
	}
	for (int64_t i = 0; i < ROWS / 5; i++)
		make_call(make, 0, "cuGraphLaunch", i * 1000, i * 1000 + 10, (uint64_t)i + 1);
	return make;
}

static void grouping_does_not_depend_on_the_order_of_the_input(void **state)
{
	uint64_t seed = 5;
	size_t order[ROWS];
	struct graph_scene first;

	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		order[i] = i;
	graph_scene_init(&first, shuffled(order));
	assert_int_equal(first.graphs.body_count, 2);
	for (int round = 0; round < 50; round++) {
		struct graph_scene s;

		for (size_t i = ROWS - 1; i > 0; i--) {
			size_t other = next_number(&seed) % (i + 1), swap = order[i];

			order[i] = order[other];
			order[other] = swap;
		}
		graph_scene_init(&s, shuffled(order));
		assert_int_equal(s.graphs.body_count, first.graphs.body_count);
		for (size_t b = 0; b < s.graphs.body_count; b++) {
			assert_int_equal(s.graphs.bodies[b].signature,
			                 first.graphs.bodies[b].signature);
			assert_int_equal(s.graphs.bodies[b].replay_count,
			                 first.graphs.bodies[b].replay_count);
			for (size_t p = 0; p < s.graphs.bodies[b].nodes; p++)
				assert_string_equal(name_at(&s, b, p), name_at(&first, b, p));
			assert_true(weir_graph_same_body(s.scene.trace, &s.graphs,
			                                 &s.graphs.bodies[b], first.scene.trace,
			                                 &first.graphs, &first.graphs.bodies[b]));
		}
		graph_scene_release(&s);
	}
	graph_scene_release(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replays_of_one_body_are_one_graph),
		cmocka_unit_test(grid_block_and_kind_tell_bodies_apart),
		cmocka_unit_test(the_order_between_streams_does_not_matter),
		cmocka_unit_test(streams_are_part_of_the_body),
		cmocka_unit_test(without_calls_a_node_that_returns_begins_a_replay),
		cmocka_unit_test(without_calls_and_nodes_the_correlation_is_the_replay),
		cmocka_unit_test(work_without_a_call_joins_a_body_that_is_known),
		cmocka_unit_test(a_trace_without_graphs_has_none),
		cmocka_unit_test(a_replay_that_leaves_the_windows_does_not_count),
		cmocka_unit_test(hostile_times_do_not_overflow),
		cmocka_unit_test(random_replays_add_up),
		cmocka_unit_test(grouping_does_not_depend_on_the_order_of_the_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
