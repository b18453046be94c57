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
	} cases[] = {{14001, 20001, 0}, {14002, 4000, -16002}, {-5000, 13000, 3000}};

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

/* ---- operators around operators ---- */

/* A step from 20 to 30 us between two others. */
static struct make_trace *make_steps(void)
{
	struct make_trace *make = make_trace_new();

	make_host(make, WEIR_HOST_ANNOTATION, 0, "ProfilerStep#1", 10000, 20000);
	make_host(make, WEIR_HOST_ANNOTATION, 0, "ProfilerStep#2", 20000, 30000);
	make_host(make, WEIR_HOST_ANNOTATION, 0, "ProfilerStep#3", 30000, 40000);
	return make;
}

struct expected {
	const char *name;
	int64_t start_ns, end_ns;
};

/* Draws the step, and compares the lane of operators. */
static void assert_operators(struct make_trace *make, const struct expected *expected, size_t count)
{
	const struct weir_strip_lane *host;
	const struct weir_strip *strip;
	struct work work;

	work_init(&work, make);
	strip = weir_strip_new(&work.rank, 1, work.arena);
	host = lane_of(strip, WEIR_STRIP_HOST);
	assert_int_equal(host->span_count, count);
	for (size_t i = 0; i < count; i++) {
		assert_span(strip, &host->spans[i], expected[i].name, expected[i].start_ns,
		            expected[i].end_ns);
		assert_int_equal(host->spans[i].time_ns, expected[i].end_ns - expected[i].start_ns);
		assert_int_equal(host->spans[i].count, 1);
	}
	work_release(&work);
}

static void time_between_nested_operators_is_that_of_the_inner_one(void **state)
{
	static const struct expected expected[] = {
		{"outer", 0, 1000},     {"middle", 1000, 2000}, {"inner", 2000, 3000},
		{"middle", 3000, 5000}, {"outer", 5000, 8000},  {"second", 8000, 8500},
		{"outer", 8500, 9000},
	};
	struct make_trace *make = make_steps();

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "outer", 20000, 29000);
	make_host(make, WEIR_HOST_OP, 0, "middle", 21000, 25000);
	make_host(make, WEIR_HOST_OP, 0, "inner", 22000, 23000);
	make_host(make, WEIR_HOST_OP, 0, "deeper", 22100, 22900);
	make_host(make, WEIR_HOST_OP, 0, "second", 28000, 28500);
	assert_operators(make, expected, 7);
}

/* An operator is opened for another one in the next 32 rows. */
static void operators_are_looked_for_in_the_next_rows_only(void **state)
{
	static const struct expected opened[] = {
		{"long", 0, 5000}, {"part", 5000, 6000}, {"long", 6000, 8000}};
	static const struct expected whole[] = {{"long", 0, 8000}};

	(void)state;
	for (int64_t between = 31; between <= 32; between++) {
		struct make_trace *make = make_steps();

		make_host(make, WEIR_HOST_OP, 0, "long", 20000, 28000);
		for (int64_t i = 0; i < between; i++)
			make_host(make, WEIR_HOST_PYTHON, 0, "frame", 21000 + i, 27000 - i);
		make_host(make, WEIR_HOST_OP, 0, "part", 25000, 26000);
		assert_operators(make, between == 31 ? opened : whole, between == 31 ? 3 : 1);
	}
}

static void operators_that_begin_before_the_step_are_drawn_inside_it(void **state)
{
	static const struct expected three[] = {
		{"c", 0, 6000}, {"b", 6000, 7000}, {"a", 7000, 8000}};
	static const struct expected four[] = {
		{"d", 0, 5000}, {"c", 5000, 6000}, {"b", 6000, 7000}, {"a", 7000, 8000}};

	(void)state;
	for (int count = 3; count <= 4; count++) {
		struct make_trace *make = make_steps();

		make_host(make, WEIR_HOST_OP, 0, "before", 11000, 20000);
		make_host(make, WEIR_HOST_OP, 0, "a", 12000, 28000);
		make_host(make, WEIR_HOST_OP, 0, "b", 13000, 27000);
		make_host(make, WEIR_HOST_OP, 0, "c", 14000, 26000);
		if (count == 4)
			make_host(make, WEIR_HOST_OP, 0, "d", 15000, 25000);
		assert_operators(make, count == 3 ? three : four, (size_t)count);
	}
}

/* More than 32 operators are open at the start: the innermost are left out. */
static void the_outermost_of_many_open_operators_are_drawn(void **state)
{
	struct expected expected[32];
	char names[34][8];

	(void)state;
	for (int count = 32; count <= 34; count++) {
		struct make_trace *make = make_steps();

		for (int i = 0; i < count; i++) {
			(void)snprintf(names[i], sizeof names[i], "o%d", i);
			make_host(make, WEIR_HOST_OP, 0, names[i], 12000 + i, 29000 - 10 * i);
		}
		for (int i = 0; i < 32; i++)
			expected[31 - i] = (struct expected){names[i], i == 31 ? 0 : 8990 - 10 * i,
			                                     9000 - 10 * i};
		assert_operators(make, expected, 32);
	}
}

/* ---- devices, streams and threads ---- */

static void add_work(struct make_trace *make, uint16_t device, uint32_t stream, int64_t start_ns,
                     int64_t end_ns, uint64_t correlation)
{
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_KERNEL,
	                                            .device = device,
	                                            .stream = stream,
	                                            .name = "gemm",
	                                            .start_ns = start_ns,
	                                            .end_ns = end_ns,
	                                            .correlation = correlation});
}

static size_t count_lanes(const struct weir_strip *strip, enum weir_strip_row row)
{
	size_t count = 0;

	for (size_t i = 0; i < strip->lane_count; i++)
		count += strip->lanes[i].row == row;
	return count;
}

/* The long kernel of stream 1 is the 64th or 65th row before the step. */
static void work_that_reaches_into_the_step_is_looked_for_in_the_rows_before(void **state)
{
	(void)state;
	for (int64_t rows = 64; rows <= 65; rows++) {
		struct make_trace *make = make_steps();
		const struct weir_strip *strip;
		struct work work;

		add_work(make, 0, 1, 12000, 21000, 0);
		for (int64_t i = 1; i < rows; i++)
			add_work(make, 0, 0, 13000 + 10 * i, 13005 + 10 * i, 0);
		add_work(make, 0, 0, 22000, 23000, 0);
		work_init(&work, make);
		strip = weir_strip_new(&work.rank, 1, work.arena);
		assert_int_equal(count_lanes(strip, WEIR_STRIP_STREAM), rows == 64 ? 2 : 1);
		assert_int_equal(strip->streams, rows == 64 ? 2 : 1);
		work_release(&work);
	}
}

/* Makes five steps that launch work on every device. */
static struct make_trace *make_devices(uint16_t devices)
{
	struct make_trace *make = make_trace_new();
	uint64_t id = 1;

	for (int i = 0; i < 5; i++) {
		add_step(make, i, 100000 + 10000 * i, 1000);
		for (uint16_t d = 1; d < devices; d++, id++) {
			int64_t at_ns = 100000 + 10000 * i + 3000;

			make_call(make, 0, "cudaLaunchKernel", at_ns + d, at_ns + d + 1, id + 1000);
			add_work(make, d, 7 + d, at_ns + 100, at_ns + 4000, id + 1000);
		}
	}
	return make;
}

static void further_devices_are_only_counted(void **state)
{
	(void)state;
	for (uint16_t devices = WEIR_STRIP_MAX_DEVICES; devices <= WEIR_STRIP_MAX_DEVICES + 1;
	     devices++) {
		const struct weir_strip *strip;
		struct work work;

		work_init(&work, make_devices(devices));
		strip = weir_strip_new(&work.rank, 2, work.arena);
		assert_int_equal(strip->devices, devices);
		assert_int_equal(count_lanes(strip, WEIR_STRIP_GAPS), WEIR_STRIP_MAX_DEVICES);
		work_release(&work);
	}
}

/* Draws nine streams, of which stream `less` works a nanosecond less; 9: none. Returns the stream
 * that is left out, if each of the others has its lane. */
static int64_t stream_left_out(uint32_t less)
{
	struct make_trace *make = make_steps();
	const struct weir_strip *strip;
	struct work work;
	int64_t missing = 36;

	for (uint32_t s = 0; s < 9; s++)
		add_work(make, 0, s, 22000, s == less ? 22999 : 23000, 0);
	work_init(&work, make);
	strip = weir_strip_new(&work.rank, 1, work.arena);
	assert_int_equal(strip->streams, 9);
	assert_int_equal(count_lanes(strip, WEIR_STRIP_STREAM), WEIR_STRIP_MAX_STREAMS);
	for (size_t i = 0; i < strip->lane_count; i++)
		if (strip->lanes[i].row == WEIR_STRIP_STREAM)
			missing -= strip->lanes[i].number;
	work_release(&work);
	return missing;
}

static void streams_with_most_time_are_drawn(void **state)
{
	(void)state;
	assert_int_equal(stream_left_out(0), 0);
	assert_int_equal(stream_left_out(4), 4);
	assert_int_equal(stream_left_out(9), 8);
}

/* Returns the threads of the lanes of calls, as digits. */
static int64_t threads_drawn(const size_t *launches, size_t threads)
{
	struct make_trace *make = make_steps();
	const struct weir_strip *strip;
	struct work work;
	int64_t drawn = 0;
	uint64_t id = 1;

	for (uint32_t t = 0; t < threads; t++) {
		make_call(make, t, "cudaGetDevice", 20100, 20200, 0);
		for (size_t i = 0; i < launches[t]; i++, id++) {
			int64_t at_ns = 21000 + (int64_t)id * 100;

			make_call(make, t, "cudaLaunchKernel", at_ns, at_ns + 50, id);
			add_work(make, 0, 0, at_ns + 60, at_ns + 90, id);
		}
	}
	work_init(&work, make);
	strip = weir_strip_new(&work.rank, 1, work.arena);
	for (size_t i = 0; i < strip->lane_count; i++)
		if (strip->lanes[i].row == WEIR_STRIP_CALLS)
			drawn = drawn * 10 + strip->lanes[i].number - work.trace->threads[0].tid +
			        1;
	work_release(&work);
	return drawn;
}

/* The thread of the step itself comes before one without launches, and after one with any. */
static void threads_with_most_launches_are_drawn(void **state)
{
	(void)state;
	assert_int_equal(threads_drawn((const size_t[]){1, 3, 2}, 3), 23);
	assert_int_equal(threads_drawn((const size_t[]){2, 1, 2}, 3), 13);
	assert_int_equal(threads_drawn((const size_t[]){0, 0, 1}, 3), 31);
	assert_int_equal(threads_drawn((const size_t[]){0, 0, 0}, 3), 1);
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

/* Draws two spans in a strip whose limit is 1000 ns. Returns the number of spans of the lane. */
static size_t spans_of_two(int64_t first_ns, int64_t gap_ns, int64_t second_ns)
{
	const int64_t at_ns = 5000;
	struct weir_strip_builder *builder = weir_strip_builder_new(0, 1500000);
	struct weir_strip_lane_builder *lane = weir_strip_lane(builder, WEIR_STRIP_HOST, 3);
	struct weir_arena *arena = weir_arena_new();
	struct weir_strip strip = {0};
	size_t count;

	weir_strip_add(builder, lane, WEIR_STRIP_OPERATOR, 1, at_ns, at_ns + first_ns);
	weir_strip_add(builder, lane, WEIR_STRIP_CALL, 2, at_ns + first_ns + gap_ns,
	               at_ns + first_ns + gap_ns + second_ns);
	weir_strip_finish(builder, name_it, NULL, arena, &strip);
	count = strip.lanes[0].span_count;
	if (count == 1) {
		const struct weir_strip_span *span = &strip.lanes[0].spans[0];
		bool second = second_ns > first_ns;

		assert_span(&strip, span, second ? "n2" : "n1", at_ns,
		            at_ns + first_ns + gap_ns + second_ns);
		assert_int_equal(span->kind, second ? WEIR_STRIP_CALL : WEIR_STRIP_OPERATOR);
		assert_int_equal(span->count, 2);
		assert_int_equal(span->time_ns, first_ns + second_ns);
	}
	weir_arena_free(arena);
	return count;
}

static void two_spans_are_joined_if_both_and_their_distance_are_short(void **state)
{
	static const struct {
		int64_t first_ns, gap_ns, second_ns;
		size_t spans;
	} cases[] = {
		{999, 0, 999, 1}, {1000, 0, 999, 2}, {999, 0, 1000, 2},   {500, 999, 501, 1},
		{10, 999, 20, 1}, {10, 1000, 20, 2}, {500, 500, 1000, 2}, {501, 999, 501, 2},
		{999, 2, 999, 1}, {999, 3, 999, 2},  {300, 100, 300, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(
			spans_of_two(cases[i].first_ns, cases[i].gap_ns, cases[i].second_ns),
			cases[i].spans);
}

/* Spans of 10 ns, 1,990 apart, are joined by three if there is one too many. */
static void spans_are_joined_further_only_if_there_are_too_many(void **state)
{
	(void)state;
	for (int64_t spans = WEIR_STRIP_MAX_SPANS; spans <= WEIR_STRIP_MAX_SPANS + 1; spans++) {
		struct weir_strip_builder *builder = weir_strip_builder_new(0, 1500000);
		struct weir_strip_lane_builder *lanes[2] = {
			weir_strip_lane(builder, WEIR_STRIP_HOST, 3),
			weir_strip_lane(builder, WEIR_STRIP_CALLS, 3)};
		struct weir_arena *arena = weir_arena_new();
		struct weir_strip strip = {0};

		for (int64_t i = 0; i < spans; i++)
			weir_strip_add(builder, lanes[i % 2], WEIR_STRIP_OPERATOR, 1, i / 2 * 2000,
			               i / 2 * 2000 + 10);
		weir_strip_finish(builder, name_it, NULL, arena, &strip);
		/* 1000, 1501, 2252 */
		assert_int_equal(strip.joined_ns, spans > WEIR_STRIP_MAX_SPANS ? 2252 : 1000);
		assert_int_equal(strip.lanes[1].span_count,
		                 spans > WEIR_STRIP_MAX_SPANS ? 150 : 450);
		weir_arena_free(arena);
	}
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
		cmocka_unit_test(time_between_nested_operators_is_that_of_the_inner_one),
		cmocka_unit_test(operators_are_looked_for_in_the_next_rows_only),
		cmocka_unit_test(operators_that_begin_before_the_step_are_drawn_inside_it),
		cmocka_unit_test(the_outermost_of_many_open_operators_are_drawn),
		cmocka_unit_test(work_that_reaches_into_the_step_is_looked_for_in_the_rows_before),
		cmocka_unit_test(further_devices_are_only_counted),
		cmocka_unit_test(streams_with_most_time_are_drawn),
		cmocka_unit_test(threads_with_most_launches_are_drawn),
		cmocka_unit_test(neighbours_too_short_to_see_are_joined_with_their_sums),
		cmocka_unit_test(two_spans_are_joined_if_both_and_their_distance_are_short),
		cmocka_unit_test(spans_are_joined_further_only_if_there_are_too_many),
		cmocka_unit_test(spans_of_a_lane_never_overlap),
		cmocka_unit_test(any_number_of_spans_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
