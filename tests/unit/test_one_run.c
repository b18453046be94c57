/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/ranks/one_job.h"
#include "engine/pipeline/one_run.h"

#define SECOND INT64_C(1000000000)
#define START  (INT64_C(1700000000) * SECOND)

/* Expects the check of a profile with two inputs to pass (message NULL) or to fail with a message
 * that names both. Frees the profile. */
static void expect(struct weir_profile *profile, const char *message)
{
	struct weir_error err = {0};
	enum weir_status status = weir_one_run_check(profile, &err);

	weir_profile_free(profile);
	if (!message) {
		assert_string_equal(err.message, "");
		assert_int_equal(status, WEIR_OK);
		return;
	}
	assert_int_equal(status, WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "a.json"));
	assert_non_null(strstr(err.message, "b.json"));
	if (!strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
}

static struct weir_profile *two_inputs(const char *format, const char *other)
{
	struct weir_profile *profile = weir_profile_new();

	weir_profile_add_input(profile, "a.json")->format = format;
	weir_profile_add_input(profile, "b.json")->format = other;
	return profile;
}

/* ---- requests ---- */

static void add_requests(struct weir_input *input, enum weir_time_base base, int64_t start_ns,
                         int64_t end_ns)
{
	struct weir_request request = weir_request_unknown();

	input->requests = weir_requests_new();
	input->requests->time_base = base;
	request.start_ns = start_ns;
	request.end_ns = start_ns + SECOND;
	weir_requests_add(input->requests, &request);
	request.start_ns = end_ns - SECOND;
	request.end_ns = end_ns;
	weir_requests_add(input->requests, &request);
	weir_requests_finish(input->requests);
}

/* Two logs: one of 10 s, one of `long_s`, with a gap between them. */
static struct weir_profile *two_logs(enum weir_time_base base, int64_t long_s, int64_t gap_ns)
{
	struct weir_profile *profile = two_inputs("weir.requests", "weir.requests");
	int64_t second = START + 10 * SECOND + gap_ns;

	add_requests(&profile->inputs[0], base, START, START + 10 * SECOND);
	add_requests(&profile->inputs[1], base, second, second + long_s * SECOND);
	return profile;
}

static void requests_far_apart_are_of_two_runs(void **state)
{
	(void)state;
	expect(two_logs(WEIR_TIME_UNIX, 10, WEIR_ONE_RUN_APART_NS), NULL);
	expect(two_logs(WEIR_TIME_UNIX, 10, WEIR_ONE_RUN_APART_NS + 1), "10.0 min apart");
	/* Not longer than one of them, and on clocks without a date. */
	expect(two_logs(WEIR_TIME_UNIX, 700, 700 * SECOND), NULL);
	expect(two_logs(WEIR_TIME_UNIX, 700, 700 * SECOND + 1), "11.7 min apart");
	expect(two_logs(WEIR_TIME_MONOTONIC, 10, 2 * WEIR_ONE_RUN_APART_NS), NULL);
}

static void the_order_of_the_inputs_does_not_matter(void **state)
{
	struct weir_profile *profile = two_inputs("weir.requests", "weir.requests");

	(void)state;
	add_requests(&profile->inputs[0], WEIR_TIME_UNIX, START + 9000 * SECOND,
	             START + 9010 * SECOND);
	add_requests(&profile->inputs[1], WEIR_TIME_UNIX, START, START + 10 * SECOND);
	expect(profile, "the requests of a.json and b.json lie");
}

static void requests_of_other_formats_are_not_compared(void **state)
{
	struct weir_profile *profile = two_inputs("weir.requests", "otlp");

	(void)state;
	add_requests(&profile->inputs[0], WEIR_TIME_UNIX, START, START + 10 * SECOND);
	add_requests(&profile->inputs[1], WEIR_TIME_UNIX, START + 9000 * SECOND,
	             START + 9010 * SECOND);
	expect(profile, NULL);
}

/* ---- results ---- */

static struct weir_run *add_run(struct weir_input *input, const char *stage, const char *key,
                                const char *value)
{
	input->run = weir_run_new();
	weir_series_push(weir_series_get(&input->run->stages, stage), 1);
	if (key)
		weir_run_set_label(input->run, key, value);
	return input->run;
}

static void two_results_of_whole_runs_are_refused(void **state)
{
	struct weir_profile *profile = two_inputs("bench", "bench");

	(void)state;
	add_run(&profile->inputs[0], "ttft", NULL, NULL);
	add_run(&profile->inputs[1], "ttft", NULL, NULL);
	expect(profile, "results of two runs (both measure ttft)");
}

static void results_that_measure_different_things_are_parts(void **state)
{
	struct weir_profile *profile = two_inputs("bench", "bench");

	(void)state;
	add_run(&profile->inputs[0], "ttft", NULL, NULL);
	add_run(&profile->inputs[1], "latency", NULL, NULL);
	expect(profile, NULL);
	profile = two_inputs("bench", "hyperfine");
	add_run(&profile->inputs[0], "ttft", NULL, NULL);
	add_run(&profile->inputs[1], "ttft", NULL, NULL);
	expect(profile, NULL);
}

static void processes_of_one_run_are_parts(void **state)
{
	struct weir_profile *profile = two_inputs("weir.run", "weir.run");

	(void)state;
	add_run(&profile->inputs[0], "decode", "rank", "0");
	add_run(&profile->inputs[1], "decode", "rank", "1");
	expect(profile, NULL);
}

static void labels_that_contradict_each_other_are_of_two_runs(void **state)
{
	static const char *const keys[] = {"gpu", "model", "model_id", "session"};

	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		struct weir_profile *profile = two_inputs("weir.run", "weir.run");

		add_run(&profile->inputs[0], "decode", keys[i], "A");
		add_run(&profile->inputs[1], "decode", keys[i], "B");
		expect(profile, "\"A\" and b.json \"B\"");
		profile = two_inputs("weir.run", "weir.run");
		add_run(&profile->inputs[0], "decode", keys[i], "A");
		add_run(&profile->inputs[1], "decode", NULL, NULL);
		expect(profile, NULL);
	}
}

/* ---- traces ---- */

/* Two traces of 1 s, the second with device work if `device`, with a gap between them. */
static struct weir_profile *two_traces(bool device, int64_t gap_ns)
{
	struct weir_profile *profile = two_inputs("kineto", "kineto");
	static int64_t starts[] = {0}, ends[] = {SECOND};

	for (size_t i = 0; i < 2; i++) {
		struct weir_trace *trace = weir_trace_new();

		trace->base_ns = START + (i ? SECOND + gap_ns : 0);
		profile->inputs[i].trace = trace;
		if (i && device)
			trace->device = (struct weir_device_columns){
				.count = 1, .start_ns = starts, .end_ns = ends};
		else
			trace->host = (struct weir_host_columns){
				.count = 1, .start_ns = starts, .end_ns = ends};
	}
	return profile;
}

static void expect_traces(struct weir_profile *profile, const char *message)
{
	struct weir_error err = {0};
	enum weir_status status = weir_one_run_check(profile, &err);

	assert_int_equal(status, message ? WEIR_E_USAGE : WEIR_OK);
	if (message)
		assert_non_null(strstr(err.message, message));
	for (size_t i = 0; i < 2; i++) {
		profile->inputs[i].trace->device = (struct weir_device_columns){0};
		profile->inputs[i].trace->host = (struct weir_host_columns){0};
	}
	weir_profile_free(profile);
}

static void a_trace_of_the_host_lies_near_the_others(void **state)
{
	(void)state;
	expect_traces(two_traces(true, WEIR_ONE_JOB_APART_NS), NULL);
	expect_traces(two_traces(true, WEIR_ONE_JOB_APART_NS + 1),
	              "the events of a.json and b.json lie");
	expect_traces(two_traces(false, WEIR_ONE_JOB_APART_NS), NULL);
	expect_traces(two_traces(false, WEIR_ONE_JOB_APART_NS + 1), "they are not one run");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_far_apart_are_of_two_runs),
		cmocka_unit_test(the_order_of_the_inputs_does_not_matter),
		cmocka_unit_test(requests_of_other_formats_are_not_compared),
		cmocka_unit_test(two_results_of_whole_runs_are_refused),
		cmocka_unit_test(results_that_measure_different_things_are_parts),
		cmocka_unit_test(processes_of_one_run_are_parts),
		cmocka_unit_test(labels_that_contradict_each_other_are_of_two_runs),
		cmocka_unit_test(a_trace_of_the_host_lies_near_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
