/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/model/profile.h"
#include "engine/model/report.h"
#include "tests/unit/near.h"

static void bounds_have_names_in_both_directions(void **state)
{
	enum weir_bound bound = WEIR_BOUND_COUNT;

	(void)state;
	for (unsigned i = 0; i < WEIR_BOUND_COUNT; i++) {
		assert_true(weir_bound_parse(weir_bound_name((enum weir_bound)i), &bound));
		assert_int_equal(bound, i);
	}
	assert_string_equal(weir_bound_name(WEIR_BOUND_COMMUNICATION), "communication");
	assert_false(weir_bound_parse("Kernel", &bound));
	assert_false(weir_bound_parse("", &bound));
}

static void every_cause_of_idle_time_has_its_own_name(void **state)
{
	(void)state;
	assert_string_equal(weir_idle_name(WEIR_IDLE_HOST_SYNC), "host_sync");
	for (unsigned i = 0; i < WEIR_IDLE_COUNT; i++) {
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(weir_idle_name((enum weir_idle)i),
			                        weir_idle_name((enum weir_idle)j));
	}
}

static void an_unknown_roofline_has_no_name(void **state)
{
	(void)state;
	assert_null(weir_roofline_name(WEIR_ROOFLINE_UNKNOWN));
	assert_string_equal(weir_roofline_name(WEIR_ROOFLINE_MEMORY), "memory");
	assert_string_equal(weir_confidence_name(WEIR_CONFIDENCE_HIGH), "high");
}

static void a_new_trace_states_nothing(void **state)
{
	struct weir_trace *trace = weir_trace_new();

	(void)state;
	assert_int_equal(trace->shape_count, 1);
	assert_int_equal(trace->shapes[0].dims, 0);
	assert_true(trace->rank == -1);
	assert_int_equal(weir_names_count(trace->names), 1);
	assert_int_equal(trace->host.count + trace->device.count, 0);
	weir_trace_free(trace);
	weir_trace_free(NULL);
}

static void all_columns_of_a_table_grow_together(void **state)
{
	struct weir_trace *trace = weir_trace_new();
	struct weir_device_columns *device = &trace->device;

	(void)state;
	for (uint32_t i = 0; i < 5000; i++) {
		weir_host_columns_reserve(&trace->host, i + 1);
		trace->host.start_ns[i] = i;
		trace->host.kind[i] = (uint8_t)i;
		weir_device_columns_reserve(device, i + 1);
		device->bytes[i] = -(int64_t)i;
		device->device[i] = (uint16_t)i;
		device->flags[i] = (uint8_t)(i * 3);
		assert_true(device->capacity > i);
	}
	for (uint32_t i = 0; i < 5000; i++) {
		assert_true(trace->host.start_ns[i] == i && trace->host.kind[i] == (uint8_t)i);
		assert_true(device->bytes[i] == -(int64_t)i && device->device[i] == i);
		assert_int_equal(device->flags[i], (uint8_t)(i * 3));
	}
	weir_trace_free(trace);
}

static void a_warning_counts_and_keeps_its_first_place(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "trace.json");
	const struct weir_warning *warning = &input->warnings[WEIR_WARN_BAD_NUMBER];
	char long_detail[400];

	(void)state;
	assert_true(warning->count == 0);
	memset(long_detail, 'x', sizeof(long_detail) - 1);
	long_detail[sizeof(long_detail) - 1] = '\0';
	memcpy(long_detail + sizeof(warning->detail) - 2, "\xc3\xa9",
	       2); /* the cut falls inside it */
	weir_input_warn(input, WEIR_WARN_BAD_NUMBER, 4711, long_detail);
	weir_input_warn(input, WEIR_WARN_BAD_NUMBER, 9000, "second");
	weir_input_warn(input, WEIR_WARN_CLOCKS, UINT64_MAX, NULL);
	assert_true(warning->count == 2);
	assert_true(warning->first_at == 4711);
	assert_int_equal(strlen(warning->detail), sizeof(warning->detail) - 2);
	assert_string_equal(input->warnings[WEIR_WARN_CLOCKS].detail, "");
	weir_profile_free(profile);
}

static void a_profile_owns_its_inputs(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct weir_input *input = weir_profile_add_input(profile, i % 2 ? "odd" : "even");

		assert_null(input->trace);
		input->trace = weir_trace_new();
		input->run = weir_run_new();
	}
	assert_int_equal(profile->input_count, 100);
	assert_string_equal(profile->inputs[99].path, "odd");
	weir_profile_free(profile); /* the leak check of the sanitizer sees what is forgotten */
	weir_profile_free(NULL);
}

static void a_new_report_knows_nothing(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);

	(void)state;
	assert_ptr_equal(report->profile, profile);
	assert_int_equal(report->verdict.bound, WEIR_BOUND_UNDETERMINED);
	assert_near(report->verdict.share, NAN, 0);
	assert_near(report->iteration.p50_ns, NAN, 0);
	assert_near(report->gpu.active, NAN, 0);
	assert_near(report->gpu.idle_share[WEIR_IDLE_OTHER], NAN, 0);
	assert_near(report->memory.largest.fragmentation, NAN, 0);
	assert_false(report->has_gpu);
	weir_report_free(report);
	weir_report_free(NULL);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_have_names_in_both_directions),
		cmocka_unit_test(every_cause_of_idle_time_has_its_own_name),
		cmocka_unit_test(an_unknown_roofline_has_no_name),
		cmocka_unit_test(a_new_trace_states_nothing),
		cmocka_unit_test(all_columns_of_a_table_grow_together),
		cmocka_unit_test(a_warning_counts_and_keeps_its_first_place),
		cmocka_unit_test(a_profile_owns_its_inputs),
		cmocka_unit_test(a_new_report_knows_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
