/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step as lanes of spans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/drawing/strip.h"
#include "engine/analysis/drawing/strip_lanes.h"
#include "tests/unit/make_trace.h"

struct work {
	struct weir_trace *trace;
	struct weir_device_table table;
	struct weir_rank rank;
	struct weir_arena *arena;
};

static void work_init(struct work *work, struct make_trace *make)
{
	work->trace = make_trace_finish(make);
	work->table = (struct weir_device_table){0};
	work->arena = weir_arena_new();
	weir_rank_init(&work->rank, work->trace,
	               &(struct weir_rank_options){.steady = true, .table = &work->table});
}

static void work_release(struct work *work)
{
	weir_rank_release(&work->rank);
	weir_trace_free(work->trace);
	weir_arena_free(work->arena);
}

/* Adds a step of 10 us whose launch starts `lead` before its kernel, which runs for 4 us. */
static void add_step(struct make_trace *make, int number, int64_t start_ns, int64_t lead_ns)
{
	char name[32];

	(void)snprintf(name, sizeof name, "ProfilerStep#%d", number);
	make_host(make, WEIR_HOST_ANNOTATION, 0, name, start_ns, start_ns + 10000);
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", start_ns + 1000, start_ns + 3000);
	make_call(make, 0, "cudaLaunchKernel", start_ns + 2000, start_ns + 2500,
	          (uint64_t)number + 100);
	make_kernel(make, 7, "gemm", start_ns + 2000 + lead_ns, start_ns + 6000 + lead_ns,
	            (uint64_t)number + 100);
}

/* Returns the lane of a kind, the first of several; fails the test without one. */
static const struct weir_strip_lane *lane_of(const struct weir_strip *strip,
                                             enum weir_strip_row row)
{
	for (size_t i = 0; i < strip->lane_count; i++)
		if (strip->lanes[i].row == row)
			return &strip->lanes[i];
	fail_msg("no lane of kind %s", weir_strip_row_name(row));
	return NULL;
}

static void assert_span(const struct weir_strip *strip, const struct weir_strip_span *span,
                        const char *name, int64_t start_ns, int64_t end_ns)
{
	assert_string_equal(strip->names[span->name].text, name);
	assert_int_equal(span->start_ns, start_ns);
	assert_int_equal(span->end_ns, end_ns);
}

static void times_count_from_the_start_of_the_step(void **state)
{
	struct make_trace *make = make_trace_new();
	const struct weir_strip *strip;
	struct work work;

	(void)state;
	for (int i = 0; i < 5; i++)
		add_step(make, i, 100000 + 10000 * i, 1000);
	work_init(&work, make);
	strip = weir_strip_new(&work.rank, 2, work.arena);
	assert_string_equal(strip->step, "ProfilerStep#2");
	assert_int_equal(strip->period_ns, 10000);
	assert_int_equal(strip->length_ns, 10000);
	assert_int_equal(strip->host_start_ns, 0);
	assert_int_equal(strip->device_start_ns, 3000);
	assert_int_equal(strip->device_end_ns, 7000);
	assert_span(strip, lane_of(strip, WEIR_STRIP_HOST)->spans, "aten::mm", 1000, 3000);
	assert_span(strip, lane_of(strip, WEIR_STRIP_CALLS)->spans, "cudaLaunchKernel", 2000, 2500);
	assert_int_equal(lane_of(strip, WEIR_STRIP_CALLS)->spans[0].kind, WEIR_STRIP_LAUNCH);
	assert_span(strip, lane_of(strip, WEIR_STRIP_STREAM)->spans, "gemm", 3000, 7000);
	assert_int_equal(lane_of(strip, WEIR_STRIP_STREAM)->span_count, 1);
	work_release(&work);
}

static void idle_time_and_work_cover_the_analysed_step(void **state)
{
	struct make_trace *make = make_trace_new();
	const struct weir_strip *strip;
	const struct weir_strip_lane *gaps;
	struct work work;
	int64_t idle_ns = 0;

	(void)state;
	for (int i = 0; i < 5; i++)
		add_step(make, i, 100000 + 10000 * i, 1000);
	work_init(&work, make);
	strip = weir_strip_new(&work.rank, 2, work.arena);
	gaps = lane_of(strip, WEIR_STRIP_GAPS);
	for (size_t i = 0; i < gaps->span_count; i++) {
		assert_int_equal(gaps->spans[i].kind, WEIR_STRIP_IDLE);
		idle_ns += gaps->spans[i].time_ns;
	}
	assert_int_equal(idle_ns, 6000);
	work_release(&work);
}

/* Two durations between launch and end of the work keep the whole step; more leave its work. */
static void work_long_after_its_launches_is_drawn_alone(void **state)
{
	static const struct {
		int64_t lead_ns, length_ns, host_start_ns;
	} cases[] = {{14001, 20001, 0}, {14002, 4000, -16002}};

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct make_trace *make = make_trace_new();
		const struct weir_strip *strip;
		struct work work;

		for (int i = 0; i < 5; i++)
			add_step(make, i, 100000 + 10000 * i, cases[c].lead_ns);
		work_init(&work, make);
		strip = weir_strip_new(&work.rank, 1, work.arena);
		assert_int_equal(strip->length_ns, cases[c].length_ns);
		assert_int_equal(strip->host_start_ns, cases[c].host_start_ns);
		work_release(&work);
	}
}

static void work_of_other_steps_is_told_apart(void **state)
{
	struct make_trace *make = make_trace_new();
	const struct weir_strip *strip;
	const struct weir_strip_lane *stream;
	struct work work;

	(void)state;
	for (int i = 0; i < 5; i++)
		add_step(make, i, 100000 + 10000 * i, 5000);
	work_init(&work, make);
	strip = weir_strip_new(&work.rank, 2, work.arena);
	stream = lane_of(strip, WEIR_STRIP_STREAM);
	assert_int_equal(stream->span_count, 2);
	assert_int_equal(stream->spans[0].kind, WEIR_STRIP_OTHER_STEP);
	assert_span(strip, &stream->spans[0], "gemm", 0, 1000);
	assert_int_equal(stream->spans[1].kind, WEIR_STRIP_COMPUTE);
	assert_span(strip, &stream->spans[1], "gemm", 7000, 11000);
	work_release(&work);
}

/* An operator of more than a quarter of the strip is shown by its parts, a shorter one is not. */
static void long_operators_are_shown_by_what_they_call(void **state)
{
	struct make_trace *make = make_trace_new();
	const struct weir_strip_lane *host;
	const struct weir_strip *strip;
	struct work work;

	(void)state;
	for (int i = 0; i < 5; i++)
		make_host(make, WEIR_HOST_ANNOTATION, 0,
		          i == 2 ? "ProfilerStep#2" : "ProfilerStep#9", INT64_C(10000) * i,
		          INT64_C(10000) * (i + 1));
	make_host(make, WEIR_HOST_OP, 0, "long", 20000, 22501);
	make_host(make, WEIR_HOST_OP, 0, "part", 20500, 21000);
	make_host(make, WEIR_HOST_OP, 0, "short", 24000, 26500);
	make_host(make, WEIR_HOST_OP, 0, "hidden", 24500, 25000);
	work_init(&work, make);
	strip = weir_strip_new(&work.rank, 2, work.arena);
	assert_int_equal(strip->device_start_ns, -1);
	host = lane_of(strip, WEIR_STRIP_HOST);
	assert_int_equal(host->span_count, 4);
	assert_span(strip, &host->spans[0], "long", 0, 500);
	assert_span(strip, &host->spans[1], "part", 500, 1000);
	assert_span(strip, &host->spans[2], "long", 1000, 2501);
	assert_span(strip, &host->spans[3], "short", 4000, 6500);
	work_release(&work);
}

/* ---- joining ---- */

static void name_it(const void *context, enum weir_strip_kind kind, uint32_t name,
                    struct weir_text *out)
{
	(void)context;
	(void)kind;
	weir_text_printf(out, "n%u", name);
}

static void neighbours_too_short_to_see_are_joined_with_their_sums(void **state)
{
	struct weir_strip_builder *builder = weir_strip_builder_new(0, 1500000);
	struct weir_strip_lane_builder *lane = weir_strip_lane(builder, WEIR_STRIP_HOST, 3);
	struct weir_arena *arena = weir_arena_new();
	struct weir_strip strip = {0};

	(void)state;
	weir_strip_add(builder, lane, WEIR_STRIP_OPERATOR, 1, 0, 400);
	weir_strip_add(builder, lane, WEIR_STRIP_OPERATOR, 2, 500, 1200);
	weir_strip_add(builder, lane, WEIR_STRIP_OPERATOR, 3, 9000, 9500);
	weir_strip_add(builder, lane, WEIR_STRIP_OPERATOR, 4, 10600, 11000);
	weir_strip_add(builder, lane, WEIR_STRIP_OPERATOR, 5, 20000, 21000);
	weir_strip_add(builder, lane, WEIR_STRIP_OPERATOR, 6, 21000, 21500);
	weir_strip_finish(builder, name_it, NULL, arena, &strip);
	assert_int_equal(strip.joined_ns, 1000);
	assert_int_equal(strip.lanes[0].span_count, 5);
	assert_span(&strip, &strip.lanes[0].spans[0], "n2", 0, 1200);
	assert_int_equal(strip.lanes[0].spans[0].count, 2);
	assert_int_equal(strip.lanes[0].spans[0].time_ns, 1100);
	assert_span(&strip, &strip.lanes[0].spans[1], "n3", 9000, 9500);   /* 1,100 apart */
	assert_span(&strip, &strip.lanes[0].spans[3], "n5", 20000, 21000); /* 1,000 long */
	assert_int_equal(strip.lanes[0].spans[3].count, 1);
	weir_arena_free(arena);
}

static void spans_of_a_lane_never_overlap(void **state)
{
	struct weir_strip_builder *builder = weir_strip_builder_new(0, 100);
	struct weir_strip_lane_builder *lane = weir_strip_lane(builder, WEIR_STRIP_STREAM, 7);
	struct weir_arena *arena = weir_arena_new();
	struct weir_strip strip = {0};

	(void)state;
	weir_strip_add(builder, lane, WEIR_STRIP_COMPUTE, 1, -50, 40);
	weir_strip_add(builder, lane, WEIR_STRIP_COMPUTE, 2, 10, 40); /* inside */
	weir_strip_add(builder, lane, WEIR_STRIP_COMPUTE, 3, 30, 70);
	weir_strip_add(builder, lane, WEIR_STRIP_COMPUTE, 4, 90, 900);
	weir_strip_add(builder, lane, WEIR_STRIP_COMPUTE, 5, 100, 900); /* outside */
	weir_strip_finish(builder, name_it, NULL, arena, &strip);
	assert_int_equal(strip.lanes[0].span_count, 3);
	assert_span(&strip, &strip.lanes[0].spans[0], "n1", 0, 40);
	assert_int_equal(strip.lanes[0].spans[0].count, 2);
	assert_int_equal(strip.lanes[0].spans[0].time_ns, 70);
	assert_span(&strip, &strip.lanes[0].spans[1], "n3", 40, 70);
	assert_span(&strip, &strip.lanes[0].spans[2], "n4", 90, 100);
	weir_arena_free(arena);
}

static void any_number_of_spans_fits(void **state)
{
	const int64_t length_ns = INT64_MAX / 2;
	struct weir_strip_builder *builder = weir_strip_builder_new(0, length_ns);
	struct weir_arena *arena = weir_arena_new();
	struct weir_strip strip = {0};
	uint64_t events = 0;
	size_t spans = 0;

	(void)state;
	for (int64_t l = 0; l < WEIR_STRIP_MAX_LANES; l++) {
		struct weir_strip_lane_builder *lane =
			weir_strip_lane(builder, WEIR_STRIP_STREAM, l);

		for (int64_t i = 0; i < 2000; i++)
			weir_strip_add(builder, lane, WEIR_STRIP_COMPUTE, 1, length_ns / 2000 * i,
			               length_ns / 2000 * i + 1000000000);
	}
	weir_strip_finish(builder, name_it, NULL, arena, &strip);
	for (size_t l = 0; l < strip.lane_count; l++) {
		spans += strip.lanes[l].span_count;
		for (size_t i = 0; i < strip.lanes[l].span_count; i++)
			events += strip.lanes[l].spans[i].count;
	}
	assert_in_range(spans, 1, WEIR_STRIP_MAX_SPANS);
	assert_int_equal(events, 2000 * WEIR_STRIP_MAX_LANES);
	weir_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_count_from_the_start_of_the_step),
		cmocka_unit_test(idle_time_and_work_cover_the_analysed_step),
		cmocka_unit_test(work_long_after_its_launches_is_drawn_alone),
		cmocka_unit_test(work_of_other_steps_is_told_apart),
		cmocka_unit_test(long_operators_are_shown_by_what_they_call),
		cmocka_unit_test(neighbours_too_short_to_see_are_joined_with_their_sums),
		cmocka_unit_test(spans_of_a_lane_never_overlap),
		cmocka_unit_test(any_number_of_spans_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
