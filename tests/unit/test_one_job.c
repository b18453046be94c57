/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces that cannot be ranks of one job are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/ranks/one_job.h"
#include "tests/unit/make_trace.h"

#define WORK_NS 500000000

/* Returns a trace with one kernel of half a second. */
static struct weir_trace *trace_at(int64_t start_ns, int64_t rank, const char *device)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	make_launch(make, start_ns, start_ns + 1000, start_ns + 2000, start_ns + 2000 + WORK_NS);
	trace = make_trace_finish(make);
	trace->rank = rank;
	trace->devices[0].name = weir_names_add(trace->names, device, strlen(device));
	return trace;
}

/* Analyses two traces; returns the status. The message of a refusal must hold `reason`. */
static enum weir_status analyse_files(struct weir_trace *first, struct weir_trace *second,
                                      uint64_t bytes, const char *reason)
{
	const struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
	struct weir_profile *profile = weir_profile_new();
	struct weir_analysis *analysis = NULL;
	struct weir_error err = {0};
	enum weir_status status;

	weir_profile_add_input(profile, "first.json")->trace = first;
	weir_profile_add_input(profile, "second.json")->trace = second;
	profile->inputs[0].bytes = profile->inputs[1].bytes = bytes;
	status = weir_analysis_new(profile, &options, &analysis, &err);
	if (status) {
		assert_non_null(strstr(err.message, reason));
		assert_non_null(strstr(err.message, "first.json"));
		assert_non_null(strstr(err.message, "second.json"));
		if (!strstr(reason, "once"))
			assert_non_null(strstr(err.message, "classify each alone"));
	} else {
		weir_analysis_free(analysis);
	}
	weir_profile_free(profile);
	return status;
}

static enum weir_status analyse(struct weir_trace *first, struct weir_trace *second,
                                const char *reason)
{
	return analyse_files(first, second, 100, reason);
}

static void ranks_of_one_job_are_analysed_together(void **state)
{
	(void)state;
	assert_int_equal(analyse(trace_at(0, 0, "NVIDIA H200"), trace_at(5, 1, "NVIDIA H200"), ""),
	                 WEIR_OK);
	assert_int_equal(analyse(trace_at(0, -1, "NVIDIA H200"), trace_at(5, -1, ""), ""), WEIR_OK);
}

static void one_rank_twice_is_refused(void **state)
{
	(void)state;
	assert_int_equal(analyse(trace_at(0, 3, "NVIDIA H200"), trace_at(5, 3, "NVIDIA H200"),
	                         "both of rank 3"),
	                 WEIR_E_USAGE);
}

static void one_trace_twice_is_refused(void **state)
{
	(void)state;
	assert_int_equal(analyse(trace_at(5, -1, "NVIDIA H200"), trace_at(5, -1, "NVIDIA H200"),
	                         "same events; give each trace once"),
	                 WEIR_E_USAGE);
	assert_int_equal(analyse_files(trace_at(5, -1, "NVIDIA H200"),
	                               trace_at(5, -1, "NVIDIA H200"), 0, ""),
	                 WEIR_OK);
	assert_int_equal(
		analyse(trace_at(5, -1, "NVIDIA H200"), trace_at(6, -1, "NVIDIA H200"), ""),
		WEIR_OK);
	assert_int_equal(analyse(trace_at(5, 0, "NVIDIA H200"), trace_at(5, 1, "NVIDIA H200"), ""),
	                 WEIR_OK);
}

static void other_devices_are_refused(void **state)
{
	(void)state;
	assert_int_equal(analyse(trace_at(0, 0, "NVIDIA H200"),
	                         trace_at(5, 1, "AMD Instinct MI300X"), "MI300X"),
	                 WEIR_E_USAGE);
}

static void traces_far_apart_in_time_are_refused(void **state)
{
	const int64_t end_ns = 2000 + WORK_NS;

	(void)state;
	assert_int_equal(analyse(trace_at(0, 0, "NVIDIA H200"),
	                         trace_at(end_ns + WEIR_ONE_JOB_APART_NS - 2000, 1, "NVIDIA H200"),
	                         ""),
	                 WEIR_OK);
	assert_int_equal(analyse(trace_at(0, 0, "NVIDIA H200"),
	                         trace_at(end_ns + WEIR_ONE_JOB_APART_NS - 1999, 1, "NVIDIA H200"),
	                         "apart"),
	                 WEIR_E_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_of_one_job_are_analysed_together),
		cmocka_unit_test(one_rank_twice_is_refused),
		cmocka_unit_test(one_trace_twice_is_refused),
		cmocka_unit_test(other_devices_are_refused),
		cmocka_unit_test(traces_far_apart_in_time_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
