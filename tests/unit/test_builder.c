/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/trace/builder.h"

struct fixture {
	struct weir_profile *profile;
	struct weir_input *input;
	struct weir_builder *builder;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->profile = weir_profile_new();
	fixture->input = weir_profile_add_input(fixture->profile, "test");
	fixture->builder = weir_builder_new(fixture->input);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	weir_builder_free(fixture->builder);
	weir_profile_free(fixture->profile);
	free(fixture);
	return 0;
}

static void add_host(struct fixture *fixture, int64_t tid, int64_t start_ns, int64_t end_ns,
                     const char *name)
{
	const struct weir_host_event event = {
		.kind = WEIR_HOST_OP,
		.start_ns = start_ns,
		.end_ns = end_ns,
		.pid = 1,
		.tid = tid,
		.name = weir_slice_of(name),
	};

	weir_builder_add_host(fixture->builder, &event);
}

static void add_call(struct fixture *fixture, int64_t start_ns, uint64_t correlation,
                     const char *name)
{
	const struct weir_host_event event = {
		.kind = WEIR_HOST_API,
		.start_ns = start_ns,
		.end_ns = start_ns + 10,
		.pid = 1,
		.tid = 1,
		.name = weir_slice_of(name),
		.correlation = correlation,
	};

	weir_builder_add_host(fixture->builder, &event);
}

static void add_work(struct fixture *fixture, int64_t stream, int64_t start_ns, int64_t end_ns,
                     uint64_t correlation)
{
	const struct weir_device_event event = {
		.kind = WEIR_DEVICE_KERNEL,
		.start_ns = start_ns,
		.end_ns = end_ns,
		.stream = stream,
		.name = weir_slice_of("k"),
		.correlation = correlation,
		.bytes = -1,
	};

	weir_builder_add_device(fixture->builder, &event);
}

static const struct weir_trace *finish(struct fixture *fixture)
{
	struct weir_error err = {0};

	assert_int_equal(weir_builder_finish(fixture->builder, &err), WEIR_OK);
	return fixture->input->trace;
}

static uint64_t warned(const struct fixture *fixture, enum weir_warning_code code)
{
	return fixture->input->warnings[code].count;
}

static void host_rows_are_sorted_parents_first(void **state)
{
	struct fixture *fixture = *state;
	const struct weir_trace *trace;
	static const char *const expected[] = {"parent", "child", "twin a",
	                                       "twin b", "later", "other"};

	add_host(fixture, 7, 50, 60, "later");
	add_host(fixture, 7, 0, 10, "child");
	add_host(fixture, 8, 5, 6, "other");
	add_host(fixture, 7, 20, 30, "twin a");
	add_host(fixture, 7, 20, 30, "twin b");
	add_host(fixture, 7, 0, 100, "parent");
	trace = finish(fixture);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(weir_names_text(trace->names, trace->host.name[i]),
		                    expected[i]);
}

/* Compares the order with a plain sort, on runs as writers make them and on random rows. */
static void many_rows_are_sorted_whatever_their_order(void **state)
{
	struct fixture *fixture = *state;
	const struct weir_trace *trace;
	uint64_t number = 1;

	for (int64_t i = 0; i < 5000; i++) {
		number = number * 6364136223846793005u + 1442695040888963407u;
		add_host(fixture, (int64_t)(number >> 62),
		         i < 2500 ? i * 3 : (int64_t)(number >> 50), 1 << 20, "x");
	}
	trace = finish(fixture);
	assert_int_equal(trace->host.count, 5000);
	for (size_t i = 1; i < trace->host.count; i++) {
		assert_true(trace->host.thread[i - 1] <= trace->host.thread[i]);
		if (trace->host.thread[i - 1] == trace->host.thread[i])
			assert_true(trace->host.start_ns[i - 1] <= trace->host.start_ns[i]);
	}
}

static void launches_follow_their_rows_through_the_sort(void **state)
{
	struct fixture *fixture = *state;
	const struct weir_trace *trace;

	add_call(fixture, 300, 3, "launch");
	add_call(fixture, 200, 2, "launch");
	add_call(fixture, 100, 1, "launch");
	add_work(fixture, 7, 320, 330, 3);
	add_work(fixture, 7, 120, 130, 1);
	add_work(fixture, 7, 220, 230, 2);
	trace = finish(fixture);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(trace->device.start_ns[i], 120 + 100 * (int64_t)i);
		assert_int_equal(trace->host.start_ns[trace->device.launch[i]],
		                 100 + 100 * (int64_t)i);
	}
}

static void of_two_calls_with_one_id_the_first_that_came_counts(void **state)
{
	struct fixture *fixture = *state;
	const struct weir_trace *trace;

	add_call(fixture, 200, 5, "first");
	add_call(fixture, 100, 5, "second");
	add_work(fixture, 7, 300, 310, 5);
	trace = finish(fixture);
	assert_int_equal(trace->host.start_ns[trace->device.launch[0]], 200);
	assert_int_equal(warned(fixture, WEIR_WARN_DUPLICATE_LAUNCH), 1);
}

/* Adds the flow from a call at start_ns to the work of stream 7 at work_ns. */
static void add_flow(struct fixture *fixture, uint64_t id, int64_t start_ns, int64_t work_ns)
{
	const struct weir_flow_event start = {
		.kind = WEIR_FLOW_LAUNCH, .id = id, .at_ns = start_ns, .pid = 1, .tid = 1};
	const struct weir_flow_event finish = {.kind = WEIR_FLOW_LAUNCH,
	                                       .finish = true,
	                                       .id = id,
	                                       .at_ns = work_ns,
	                                       .pid = 0,
	                                       .tid = 7};

	weir_builder_add_flow(fixture->builder, &start);
	weir_builder_add_flow(fixture->builder, &finish);
}

/* Several chunks of the list of flows, with both sides of each boundary. */
static void work_without_an_id_is_joined_by_any_number_of_flows(void **state)
{
	struct fixture *fixture = *state;
	const struct weir_trace *trace;

	for (int64_t i = 0; i < 5000; i++) {
		add_call(fixture, 100 * i, 0, "cudaLaunchKernel");
		add_work(fixture, 7, 100 * i + 50, 100 * i + 60, 0);
		add_flow(fixture, (uint64_t)i + 1, 100 * i, 100 * i + 50);
	}
	trace = finish(fixture);
	assert_int_equal(trace->device.count, 5000);
	for (uint32_t row = 0; row < 5000; row++)
		assert_int_equal(trace->device.launch[row], row);
}

static void only_calls_that_launch_elsewhere_are_missed(void **state)
{
	struct fixture *fixture = *state;

	add_call(fixture, 100, 1, "launch");
	add_call(fixture, 200, 2, "launch");
	add_call(fixture, 300, 3, "synchronize");
	add_work(fixture, 7, 120, 130, 1);
	finish(fixture);
	assert_int_equal(warned(fixture, WEIR_WARN_LAUNCH_WITHOUT_WORK), 1);
	assert_string_equal(fixture->input->warnings[WEIR_WARN_LAUNCH_WITHOUT_WORK].detail,
	                    "launch");
	assert_int_equal(warned(fixture, WEIR_WARN_UNLINKED), 0);
}

static void work_before_its_launch_and_overlap_are_counted(void **state)
{
	struct fixture *fixture = *state;

	add_call(fixture, 5000000, 1, "launch");
	add_work(fixture, 7, 3000000, 3000100, 1);
	add_work(fixture, 7, 3000050, 3000200, 9);
	add_work(fixture, 8, 3000060, 3000070, 9);
	add_work(fixture, 7, 3000200, 3000300, 9);
	finish(fixture);
	assert_int_equal(warned(fixture, WEIR_WARN_BEFORE_LAUNCH), 1);
	assert_int_equal(warned(fixture, WEIR_WARN_STREAM_OVERLAP), 1);
	assert_int_equal(warned(fixture, WEIR_WARN_UNLINKED), 3);
}

static void ranges_that_cross_are_counted_and_jitter_is_not(void **state)
{
	struct fixture *fixture = *state;

	add_host(fixture, 1, 0, 100000, "parent");
	add_host(fixture, 1, 50000, 100900, "child, 900 ns late");
	add_host(fixture, 2, 0, 100000, "a");
	add_host(fixture, 2, 50000, 150000, "b");
	add_host(fixture, 2, 100000, 150000, "next");
	finish(fixture);
	assert_int_equal(warned(fixture, WEIR_WARN_MISNESTED), 1);
}

static void time_zero_is_kept_where_the_others_are_near(void **state)
{
	struct fixture *fixture = *state;
	const struct weir_trace *trace;

	add_work(fixture, 7, 0, 10, 0);
	add_work(fixture, 7, 20, 30, 0);
	trace = finish(fixture);
	assert_int_equal(trace->device.count, 2);
	assert_int_equal(warned(fixture, WEIR_WARN_NO_TIME), 0);
}

static void time_zero_is_dropped_where_the_others_are_far(void **state)
{
	const int64_t now = INT64_C(1616171000000000000);
	const struct weir_collective_event collective = {.name = weir_slice_of("allreduce")};
	struct fixture *fixture = *state;
	const struct weir_trace *trace;

	add_work(fixture, 7, 0, 0, 0);
	weir_builder_add_device_collective(fixture->builder, &collective);
	add_work(fixture, 7, now, now + 10, 0);
	weir_builder_add_device_collective(fixture->builder, &collective);
	add_host(fixture, 1, 0, 0, "x");
	trace = finish(fixture);
	assert_int_equal(trace->device.count, 1);
	assert_int_equal(trace->host.count, 0);
	assert_int_equal(trace->collective_count, 1);
	assert_int_equal(trace->collectives[0].device_row, 0);
	assert_int_equal(warned(fixture, WEIR_WARN_NO_TIME), 2);
}

static void times_out_of_range_are_left_out(void **state)
{
	struct fixture *fixture = *state;
	const struct weir_trace *trace;

	add_host(fixture, 1, INT64_MIN, 0, "x");
	add_host(fixture, 1, 0, INT64_MAX, "x");
	add_host(fixture, 1, 5, 4, "x");
	add_work(fixture, 7, -WEIR_MAX_TIME_NS, 0, 0);
	trace = finish(fixture);
	assert_int_equal(trace->host.count, 0);
	assert_int_equal(trace->device.count, 0);
	assert_int_equal(warned(fixture, WEIR_WARN_NO_TIME), 4);
}

static void working_devices_come_first_by_id(void **state)
{
	struct fixture *fixture = *state;
	const struct weir_trace *trace;
	struct weir_device_event work = {
		.start_ns = 1, .end_ns = 2, .name = weir_slice_of("k"), .bytes = -1};

	for (int64_t id = 0; id < 4; id++)
		weir_builder_describe_device(
			fixture->builder,
			&(struct weir_trace_device){.id = id, .sms = (uint32_t)id});
	work.device = 3;
	weir_builder_add_device(fixture->builder, &work);
	work.device = 2;
	weir_builder_add_device(fixture->builder, &work);
	trace = finish(fixture);
	assert_int_equal(trace->device_count, 4);
	assert_int_equal(trace->devices[0].id, 2);
	assert_int_equal(trace->devices[1].id, 3);
	assert_int_equal(trace->devices[1].sms, 3);
	assert_int_equal(trace->device.device[0], 0);
	assert_int_equal(trace->streams[trace->device.stream[1]].device, 1);
}

static void agents_take_descriptions_in_order_without_doubles(void **state)
{
	struct fixture *fixture = *state;
	const struct weir_trace *trace;
	struct weir_device_event work = {
		.start_ns = 1, .end_ns = 2, .name = weir_slice_of("k"), .bytes = -1};

	for (int64_t id = 0; id < 4; id++)
		weir_builder_describe_device(
			fixture->builder,
			&(struct weir_trace_device){.id = id, .sms = 10 + (uint32_t)id});
	weir_builder_match_devices_by_order(fixture->builder);
	for (work.device = 2; work.device < 5; work.device++)
		weir_builder_add_device(fixture->builder, &work);
	trace = finish(fixture);
	assert_int_equal(trace->device_count, 4);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(trace->devices[i].id, 2 + i);
		assert_int_equal(trace->devices[i].sms, 10 + i);
	}
	assert_int_equal(trace->devices[3].sms, 13);
}

static void too_many_devices_meet_a_limit(void **state)
{
	struct fixture *fixture = *state;
	struct weir_device_event work = {
		.start_ns = 1, .end_ns = 2, .name = weir_slice_of("k"), .bytes = -1};
	struct weir_error err = {0};

	for (work.device = 0; work.device <= WEIR_MAX_DEVICES; work.device++)
		weir_builder_add_device(fixture->builder, &work);
	assert_int_equal(weir_builder_finish(fixture->builder, &err), WEIR_E_LIMIT);
	assert_non_null(strstr(err.message, "too many devices"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(host_rows_are_sorted_parents_first, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(many_rows_are_sorted_whatever_their_order, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(launches_follow_their_rows_through_the_sort, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(of_two_calls_with_one_id_the_first_that_came_counts,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(work_without_an_id_is_joined_by_any_number_of_flows,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_calls_that_launch_elsewhere_are_missed, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(work_before_its_launch_and_overlap_are_counted,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(ranges_that_cross_are_counted_and_jitter_is_not,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(time_zero_is_kept_where_the_others_are_near, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(time_zero_is_dropped_where_the_others_are_far,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(times_out_of_range_are_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(working_devices_come_first_by_id, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(agents_take_descriptions_in_order_without_doubles,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_many_devices_meet_a_limit, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
