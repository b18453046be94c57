/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of requests and of a monitor's samples. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/model/requests.h"
#include "engine/model/telemetry.h"

static void add(struct weir_requests *requests, int64_t start_ns, int64_t end_ns, int64_t part_ns)
{
	struct weir_request request = weir_request_unknown();

	weir_requests_add_part(requests, weir_requests_stage(requests, "a", 1), part_ns);
	request.start_ns = start_ns;
	request.end_ns = end_ns;
	weir_requests_add(requests, &request);
}

static void rows_are_sorted_with_all_they_own(void **state)
{
	static const int64_t starts[] = {30, 10, 20, 10};
	struct weir_requests *requests = weir_requests_new();

	(void)state;
	for (int64_t i = 0; i < 4; i++)
		add(requests, starts[i], 100 - i, 1000 + i);
	weir_requests_finish(requests);
	assert_int_equal(requests->start_ns[0], 10);
	assert_int_equal(requests->end_ns[0], 97); /* of equal starts the earlier end */
	assert_int_equal(requests->end_ns[1], 99);
	assert_int_equal(requests->start_ns[3], 30);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(requests->part_count[i], 1);
		assert_int_equal(requests->part_ns[requests->part_first[i]],
		                 1000 + (100 - requests->end_ns[i]));
	}
	weir_requests_free(requests);
}

static void dropped_parts_belong_to_nobody(void **state)
{
	struct weir_requests *requests = weir_requests_new();

	(void)state;
	weir_requests_add_part(requests, weir_requests_stage(requests, "lost", 4), 5);
	weir_requests_drop_parts(requests);
	add(requests, 1, 2, 7);
	assert_int_equal(requests->parts, 1);
	assert_int_equal(requests->part_ns[requests->part_first[0]], 7);
	weir_requests_free(requests);
}

static void stages_beyond_the_limit_share_one_name(void **state)
{
	struct weir_requests *requests = weir_requests_new();
	char name[16];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		size_t len = (size_t)snprintf(name, sizeof name, "s%d", i);

		assert_int_equal(weir_requests_stage(requests, name, len),
		                 i < WEIR_MAX_REQUEST_STAGES ? i : WEIR_MAX_REQUEST_STAGES - 1);
	}
	assert_int_equal(requests->stage_count, WEIR_MAX_REQUEST_STAGES);
	assert_string_equal(weir_requests_stage_name(requests, WEIR_MAX_REQUEST_STAGES - 1),
	                    "other stages");
	assert_string_equal(weir_requests_stage_name(requests, 0), "s0");
	weir_requests_free(requests);
}

static void parts_of_one_request_have_a_limit(void **state)
{
	struct weir_requests *requests = weir_requests_new();
	struct weir_request request = weir_request_unknown();

	(void)state;
	for (int i = 0; i < 3 * WEIR_MAX_REQUEST_PARTS; i++)
		weir_requests_add_part(requests, 0, i);
	weir_requests_add(requests, &request);
	assert_int_equal(requests->part_count[0], WEIR_MAX_REQUEST_PARTS);
	weir_requests_free(requests);
}

static void tables_are_joined_with_stages_by_name(void **state)
{
	struct weir_requests *a = weir_requests_new(), *b = weir_requests_new();
	struct weir_request request = weir_request_unknown();

	(void)state;
	add(a, 5, 6, 1);
	weir_requests_add_part_at(b, weir_requests_stage(b, "b", 1), 2, 3);
	weir_requests_add_part_at(b, weir_requests_stage(b, "a", 1), 4, 5);
	request.tokens = 9;
	weir_requests_add(b, &request);
	b->failed = 2;
	b->sampled = true;
	weir_requests_free(a);
	a = weir_requests_new();
	weir_requests_append(a, b);
	weir_requests_append(a, b);
	weir_requests_finish(a);
	assert_int_equal(a->count, 2);
	assert_int_equal(a->failed, 4);
	assert_true(a->sampled);
	assert_int_equal(a->stage_count, 2);
	assert_int_equal(a->tokens[1], 9);
	assert_int_equal(a->part_offset_ns[a->part_first[1]], 2);
	assert_int_equal(a->part_ns[a->part_first[1] + 1], 5);
	weir_requests_free(a);
	weir_requests_free(b);
}

static void a_sample_begins_with_nothing_given(void **state)
{
	struct weir_telemetry *telemetry = weir_telemetry_new();
	struct weir_telemetry_sample *sample = weir_telemetry_add(telemetry);

	(void)state;
	assert_true(sample->at_ns == WEIR_NO_TIME && !sample->has_reasons);
	for (int i = 0; i < WEIR_GAUGE_COUNT; i++) {
		assert_true(isnan(sample->value[i]));
		assert_non_null(weir_gauge_name((enum weir_gauge)i));
	}
	weir_telemetry_free(telemetry);
}

static void devices_are_found_again_and_keep_their_first_name(void **state)
{
	struct weir_telemetry *telemetry = weir_telemetry_new();
	uint32_t zero = weir_telemetry_device(telemetry, "0", 1);

	(void)state;
	assert_int_equal(weir_telemetry_device(telemetry, "01", 2), zero + 1);
	assert_int_equal(weir_telemetry_device(telemetry, "0", 1), zero);
	weir_telemetry_name_device(telemetry, zero, "", 0);
	assert_null(telemetry->devices[zero].name);
	weir_telemetry_name_device(telemetry, zero, "A", 1);
	weir_telemetry_name_device(telemetry, zero, "B", 1);
	assert_string_equal(telemetry->devices[zero].name, "A");
	weir_telemetry_free(telemetry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sorted_with_all_they_own),
		cmocka_unit_test(dropped_parts_belong_to_nobody),
		cmocka_unit_test(stages_beyond_the_limit_share_one_name),
		cmocka_unit_test(parts_of_one_request_have_a_limit),
		cmocka_unit_test(tables_are_joined_with_stages_by_name),
		cmocka_unit_test(a_sample_begins_with_nothing_given),
		cmocka_unit_test(devices_are_found_again_and_keep_their_first_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
