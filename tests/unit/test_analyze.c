/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analyses a profile up to a report without verdicts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/rank/features.h"
#include "engine/readers/readers.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/reading.h"

struct desk {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_report *report;
};

static void desk_open(struct desk *desk, struct weir_trace *const *traces, size_t count,
                      bool steady)
{
	struct weir_analysis_options options = {.steady = steady, .percentile = 0.95};
	struct weir_error err;

	desk->profile = weir_profile_new();
	for (size_t i = 0; i < count; i++)
		weir_profile_add_input(desk->profile, "trace")->trace = traces[i];
	assert_int_equal(weir_analysis_new(desk->profile, &options, &desk->analysis, &err),
	                 WEIR_OK);
	desk->report = weir_report_new(desk->profile);
}

static void desk_close(struct desk *desk)
{
	weir_report_free(desk->report);
	weir_analysis_free(desk->analysis);
	weir_profile_free(desk->profile);
}

/* Steps of one stage with two operators on a device without a name. */
static struct weir_trace *serving(int64_t steps)
{
	struct make_trace *make = make_trace_new();

	for (int64_t i = 0; i < steps; i++) {
		int64_t at = i * 1000;
		uint64_t id = (uint64_t)i * 2 + 1;

		make_host(make, WEIR_HOST_ANNOTATION, 0, "decode[bs=3/4 tok=3]", at, at + 500);
		make_host(make, WEIR_HOST_OP, 0, "aten::mm", at + 10, at + 100);
		make_call(make, 0, "cudaLaunchKernel", at + 20, at + 30, id);
		make_host(make, WEIR_HOST_OP, 0, "aten::add", at + 110, at + 160);
		make_call(make, 0, "cudaLaunchKernel", at + 120, at + 130, id + 1);
		make_kernel(make, 0, "ampere_sgemm_128x64_nn", at + 200, at + 500, id);
		make_kernel(make, 0, "vectorized_elementwise_kernel", at + 500, at + 600, id + 1);
	}
	return make_trace_finish(make);
}

static const struct weir_operator_row *operator_row(const struct desk *desk, const char *name)
{
	for (size_t i = 0; i < desk->report->operator_count; i++)
		if (strcmp(desk->report->operators[i].name, name) == 0)
			return &desk->report->operators[i];
	fail_msg("no operator %s", name);
	return NULL;
}

static void a_profile_without_timing_is_an_error(void **state)
{
	struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
	struct weir_profile *profile = weir_profile_new();
	struct weir_analysis *analysis;
	struct weir_error err;

	(void)state;
	assert_int_equal(weir_analysis_new(profile, &options, &analysis, &err), WEIR_E_EMPTY);
	weir_profile_add_input(profile, "trace")->trace = weir_trace_new();
	assert_int_equal(weir_analysis_new(profile, &options, &analysis, &err), WEIR_E_EMPTY);
	weir_profile_free(profile);
}

static void an_unknown_device_is_an_error(void **state)
{
	struct weir_analysis_options options = {.device_name = "no such device"};
	struct weir_profile *profile = weir_profile_new();
	struct weir_analysis *analysis;
	struct weir_error err;

	(void)state;
	weir_profile_add_input(profile, "trace")->trace = serving(1);
	assert_int_equal(weir_analysis_new(profile, &options, &analysis, &err), WEIR_E_USAGE);
	weir_profile_free(profile);
}

/* The forward and backward pass of an operator count as one; operators whose names only begin alike
 * do not. */
static void the_backward_pass_belongs_to_its_operator(void **state)
{
	static const struct {
		const char *first, *second, *third;
		double share;
	} cases[] = {
		{"aten::conv", "aten::conv_backward", "aten::mm", 0.7},
		{"aten::conv_backward_input", "aten::conv_backward_weight", "aten::mm", 0.7},
		{"aten::conv", "aten::conv_relu", "aten::mm", 0.4},
		{"aten::conv", "aten::con_backward", "aten::mm", 0.4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct make_trace *make = make_trace_new();
		struct weir_trace *trace;
		struct desk desk;

		make_host(make, WEIR_HOST_OP, 0, cases[i].first, 0, 10);
		make_call(make, 0, "cudaLaunchKernel", 2, 4, 1);
		make_host(make, WEIR_HOST_OP, 0, cases[i].second, 10, 20);
		make_call(make, 0, "cudaLaunchKernel", 12, 14, 2);
		make_host(make, WEIR_HOST_OP, 0, cases[i].third, 20, 30);
		make_call(make, 0, "cudaLaunchKernel", 22, 24, 3);
		make_kernel(make, 0, "k", 100, 500, 1);
		make_kernel(make, 0, "k", 500, 800, 2);
		make_kernel(make, 0, "k", 800, 1100, 3);
		trace = make_trace_finish(make);
		desk_open(&desk, &trace, 1, false);
		weir_analysis_report(desk.analysis, desk.report);
		assert_near(desk.report->features[WEIR_F_TOP_OPERATOR_SHARE], cases[i].share,
		            1e-12);
		desk_close(&desk);
	}
}

static void subjects_come_largest_first_and_take_their_verdicts(void **state)
{
	struct weir_verdict verdict = {.bound = WEIR_BOUND_KERNEL};
	struct weir_trace *trace = serving(4);
	struct weir_subject subject;
	struct desk desk;

	(void)state;
	desk_open(&desk, &trace, 1, true);
	assert_int_equal(weir_analysis_subject_count(desk.analysis), 2);
	weir_analysis_subject(desk.analysis, 0, &subject);
	assert_string_equal(subject.name, "aten::mm");
	assert_near(subject.values[WEIR_F_OPERATOR_SHARE], 0.75, 1e-12);
	assert_near(subject.values[WEIR_F_CALL_NS], 300, 0);
	weir_analysis_set_verdict(desk.analysis, 0, &verdict);
	weir_analysis_report(desk.analysis, desk.report);
	assert_int_equal(desk.report->attribution.ns[WEIR_BOUND_KERNEL], 4 * 300);
	assert_int_equal(operator_row(&desk, "aten::mm")->verdict.bound, WEIR_BOUND_KERNEL);
	desk_close(&desk);
}

static void figures_of_a_small_profile_are_exact(void **state)
{
	struct weir_trace *trace = serving(5);
	const struct weir_operator_row *row;
	struct desk desk;

	(void)state;
	desk_open(&desk, &trace, 1, true);
	weir_analysis_report(desk.analysis, desk.report);
	assert_true(desk.report->has_gpu);
	assert_int_equal(desk.report->gpu.window_ns, 4600);
	assert_near(desk.report->gpu.active, 2000.0 / 4600, 1e-12);
	assert_int_equal(desk.report->gpu.kernels, 10);
	assert_near(desk.report->gpu.kernel_p50_ns, 200, 1e-12);
	assert_int_equal(desk.report->iteration_count, 5);
	assert_int_equal(desk.report->stage_count, 1);
	assert_string_equal(desk.report->stages[0].name, "decode");
	assert_int_equal(desk.report->stages[0].duration.count, 5);
	assert_near(desk.report->stages[0].duration.p50_ns, 600, 0);
	assert_near(desk.report->features[WEIR_F_PADDING_WASTE], 0.25, 1e-12);
	assert_near(desk.report->features[WEIR_F_KERNELS_PER_STEP], 2, 1e-12);
	assert_near(desk.report->stages[0].features[WEIR_F_KERNELS_PER_STEP], 2, 1e-12);
	row = operator_row(&desk, "aten::add");
	assert_near(row->share, 0.25, 1e-12);
	assert_near(row->calls_per_iteration, 1, 1e-12);
	assert_near(row->host_total_ns, 50, 0);
	assert_near(row->host_self_ns, 40, 0);
	desk_close(&desk);
}

static void the_top_operator_is_found_without_a_name_of_the_device(void **state)
{
	struct weir_trace *trace = serving(3);
	struct desk desk;

	(void)state;
	desk_open(&desk, &trace, 1, true);
	weir_analysis_report(desk.analysis, desk.report);
	assert_null(desk.report->operators[0].device);
	assert_near(desk.report->features[WEIR_F_TOP_OPERATOR_SHARE], 0.75, 1e-12);
	assert_near(desk.report->features[WEIR_F_TOP_OPERATOR_MODELLED], 0, 0);
	assert_near(desk.report->stages[0].features[WEIR_F_TOP_OPERATOR_SHARE], 0.75, 1e-12);
	desk_close(&desk);
}

static void figures_of_a_step_are_those_of_one_rank(void **state)
{
	struct weir_trace *traces[] = {serving(5), serving(5)};
	struct desk desk;

	(void)state;
	desk_open(&desk, traces, 2, true);
	weir_analysis_report(desk.analysis, desk.report);
	assert_int_equal(desk.report->rank_count, 2);
	assert_int_equal(desk.report->rank_row_count, 2);
	assert_int_equal(desk.report->ranks[1].rank, 1);
	assert_int_equal(desk.report->stages[0].duration.count, 5);
	assert_near(desk.report->features[WEIR_F_KERNELS_PER_STEP], 2, 1e-12);
	assert_near(desk.report->stages[0].features[WEIR_F_KERNELS_PER_STEP], 2, 1e-12);
	assert_near(operator_row(&desk, "aten::mm")->calls_per_iteration, 1, 1e-12);
	desk_close(&desk);
}

#define PROCESS(id)                                                                                \
	"{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": " id                                 \
	", \"args\": {\"name\": \"GPU" id "\"}},"
#define WORK(id, at, us)                                                                           \
	"{\"ph\": \"X\", \"name\": \"k\", \"pid\": " id ", \"tid\": 7, \"ts\": " at                \
	", \"dur\": " us "},"

/* Reads trace events; the caller owns the trace. */
static struct weir_trace *trace_of(const char *text)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_trace *trace;

	reading_of(&weir_reader_chrome, text, profile);
	trace = profile->inputs[0].trace;
	profile->inputs[0].trace = NULL;
	weir_profile_free(profile);
	return trace;
}

/* Rows of ranks are in the order of their numbers, and a process with several devices has a row for
 * each, but one with one device has none. */
static void ranks_and_devices_have_rows(void **state)
{
	struct weir_trace *traces[] = {serving(3), serving(3), serving(3)};
	struct weir_trace *two;
	struct desk desk;

	(void)state;
	traces[0]->rank = 10;
	traces[1]->rank = 2;
	traces[2]->rank = 11;
	desk_open(&desk, traces, 3, true);
	weir_analysis_report(desk.analysis, desk.report);
	assert_int_equal(desk.report->rank_row_count, 3);
	assert_int_equal(desk.report->ranks[0].rank, 2);
	assert_int_equal(desk.report->ranks[1].rank, 10);
	assert_int_equal(desk.report->ranks[0].device, -1);
	desk_close(&desk);

	two = trace_of("[" PROCESS("1") PROCESS("3") WORK("3", "0", "1") WORK("3", "3", "1")
	                       WORK("1", "0", "3") WORK("1", "3", "1") "{}]");
	desk_open(&desk, &two, 1, false);
	weir_analysis_report(desk.analysis, desk.report);
	assert_int_equal(desk.report->rank_count, 1);
	assert_int_equal(desk.report->rank_row_count, 2);
	assert_int_equal(desk.report->ranks[0].device, 1);
	assert_near(desk.report->ranks[0].active, 1, 1e-12);
	assert_int_equal(desk.report->ranks[1].device, 3);
	assert_near(desk.report->ranks[1].active, 0.5, 1e-12);
	assert_true(isnan(desk.report->ranks[1].straggler_score));
	desk_close(&desk);

	two = serving(3);
	desk_open(&desk, &two, 1, true);
	weir_analysis_report(desk.analysis, desk.report);
	assert_null(desk.report->ranks);
	desk_close(&desk);
}

static void a_trace_of_the_host_alone_lists_operators_by_self_time(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct desk desk;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::linear", 0, 100);
	make_host(make, WEIR_HOST_OP, 0, "aten::addmm", 10, 90);
	make_host(make, WEIR_HOST_OP, 0, "aten::addmm", 200, 250);
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1, true);
	weir_analysis_report(desk.analysis, desk.report);
	assert_false(desk.report->has_gpu);
	assert_int_equal(desk.report->operator_count, 2);
	assert_string_equal(desk.report->operators[0].name, "aten::addmm");
	assert_near(desk.report->operators[0].call.total_ns, 130, 0);
	assert_near(desk.report->operators[1].call.total_ns, 20, 0);
	assert_near(desk.report->operators[1].host_total_ns, 100, 0);
	assert_int_equal(desk.report->span_ns, 250);
	assert_int_equal(desk.report->attribution.ns[WEIR_BOUND_UNDETERMINED], 250);
	assert_near(desk.report->features[WEIR_F_GPU_ACTIVE], NAN, 0);
	desk_close(&desk);
}

static void a_stage_of_the_host_alone_has_a_duration_and_no_share(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct desk desk;

	(void)state;
	make_host(make, WEIR_HOST_ANNOTATION, 0, "tokenize", 0, 700);
	make_launch(make, 1000, 1010, 1100, 1200);
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1, true);
	weir_analysis_report(desk.analysis, desk.report);
	assert_int_equal(desk.report->stage_count, 1);
	assert_string_equal(desk.report->stages[0].kind, "preprocess");
	assert_near(desk.report->stages[0].duration.p50_ns, 700, 0);
	assert_near(desk.report->stages[0].share, 0, 0);
	assert_near(desk.report->stages[0].features[WEIR_F_GPU_ACTIVE], NAN, 0);
	desk_close(&desk);
}

static void assert_report_adds_up(const struct weir_report *report)
{
	int64_t sum_ns = 0, stages_ns = 0;

	for (size_t b = 0; b < WEIR_BOUND_COUNT; b++)
		sum_ns += report->attribution.ns[b];
	assert_int_equal(sum_ns, report->attribution.total_ns);
	for (size_t s = 0; s < report->stage_count; s++)
		stages_ns += report->stages[s].attribution.total_ns;
	if (!report->has_gpu)
		return;
	assert_true(stages_ns <= report->attribution.total_ns);
	assert_near(report->gpu.active + report->gpu.idle, 1, 1e-9);
	for (size_t i = 1; i < report->operator_count; i++)
		assert_true(report->operators[i].call.total_ns <=
		            report->operators[i - 1].call.total_ns);
	for (size_t s = 0; s < report->stage_count; s++)
		assert_true(isnan(report->stages[s].p95_share) ||
		            (report->stages[s].p95_share >= 0 && report->stages[s].p95_share <= 1));
}

static void random_reports_add_up(void **state)
{
	uint64_t seed = 41;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct weir_trace *traces[] = {random_trace(&seed), random_trace(&seed)};
		struct desk desk;

		if (traces[0]->host.count + traces[1]->host.count == 0) {
			weir_trace_free(traces[0]);
			weir_trace_free(traces[1]);
			continue;
		}
		desk_open(&desk, traces, 2, round % 2);
		weir_analysis_report(desk.analysis, desk.report);
		assert_report_adds_up(desk.report);
		desk_close(&desk);
	}
}

static void hostile_clocks_do_not_overflow(void **state)
{
	struct weir_trace *traces[2];
	struct desk desk;

	(void)state;
	for (size_t r = 0; r < 2; r++) {
		struct make_trace *make = make_trace_new();

		make_host(make, WEIR_HOST_ANNOTATION, 0, "decode", INT64_MIN, INT64_MAX);
		make_launch(make, INT64_MIN, INT64_MIN + 1, INT64_MIN, INT64_MIN + 5);
		make_launch(make, 0, 5, 10, INT64_MAX);
		make_launch(make, 0, INT64_MAX, INT64_MAX - 1, INT64_MAX);
		traces[r] = make_trace_finish(make);
	}
	desk_open(&desk, traces, 2, true);
	weir_analysis_report(desk.analysis, desk.report);
	assert_int_equal(desk.report->attribution.total_ns, INT64_MAX);
	desk_close(&desk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_without_timing_is_an_error),
		cmocka_unit_test(an_unknown_device_is_an_error),
		cmocka_unit_test(subjects_come_largest_first_and_take_their_verdicts),
		cmocka_unit_test(figures_of_a_small_profile_are_exact),
		cmocka_unit_test(the_top_operator_is_found_without_a_name_of_the_device),
		cmocka_unit_test(the_backward_pass_belongs_to_its_operator),
		cmocka_unit_test(figures_of_a_step_are_those_of_one_rank),
		cmocka_unit_test(ranks_and_devices_have_rows),
		cmocka_unit_test(a_trace_of_the_host_alone_lists_operators_by_self_time),
		cmocka_unit_test(a_stage_of_the_host_alone_has_a_duration_and_no_share),
		cmocka_unit_test(random_reports_add_up),
		cmocka_unit_test(hostile_clocks_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
