/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The duration of a step after the time of one class changed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/path/retime.h"
#include "engine/analysis/rank/rank.h"
#include "engine/model/what_if.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"

#define STEPS 10
/* The two kernels of late_launches(), each with the gap of a replayed graph. */
#define BACK_TO_BACK (2 * 1000.0 + 2 * WEIR_REPLAY_GAP_NS)

/* Steps of 10 us with two kernels of 1 us, each launched late: its call begins 200 ns before its
 * start. */
static struct weir_trace *late_launches(void)
{
	struct make_trace *make = make_trace_new();

	for (int64_t i = 0; i < STEPS; i++) {
		int64_t at = i * 10000;
		uint64_t id = (uint64_t)i * 2 + 1;

		make_host(make, WEIR_HOST_ANNOTATION, 0, "decode", at, at + 10000);
		make_host(make, WEIR_HOST_OP, 0, "aten::mm", at + 500, at + 1150);
		make_call(make, 0, "cudaLaunchKernel", at + 1000, at + 1100, id);
		make_kernel(make, 0, "gemm", at + 1200, at + 2200, id);
		make_host(make, WEIR_HOST_OP, 0, "aten::mm", at + 2200, at + 5150);
		make_call(make, 0, "cudaLaunchKernel", at + 5000, at + 5100, id + 1);
		make_kernel(make, 0, "gemm", at + 5200, at + 6200, id + 1);
	}
	return make_trace_finish(make);
}

/* The report of one trace after changes; every group of work has the given bound. what_if is the
 * answer about the first change. */
struct answer {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_report *report;
	const struct weir_what_if *what_if;
};

/* Asks about several changes. plain: a run without a profiler; NULL: not given. */
static void ask_together(struct answer *answer, struct weir_trace *trace, struct weir_run *plain,
                         struct weir_change *changes, size_t count, enum weir_bound work)
{
	struct weir_analysis_options options = {
		.steady = true, .percentile = 0.95, .changes = changes, .change_count = count};
	struct weir_error err;

	answer->profile = weir_profile_new();
	weir_profile_add_input(answer->profile, "trace")->trace = trace;
	if (plain)
		weir_profile_add_input(answer->profile, "plain.json")->run = plain;
	assert_int_equal(weir_analysis_new(answer->profile, &options, &answer->analysis, &err),
	                 WEIR_OK);
	for (size_t i = 0; i < weir_analysis_subject_count(answer->analysis); i++)
		weir_analysis_set_verdict(answer->analysis, i,
		                          &(struct weir_verdict){.bound = work});
	answer->report = weir_report_new(answer->profile);
	weir_analysis_report(answer->analysis, answer->report);
	assert_int_equal(answer->report->what_if_count, count);
	answer->what_if = &answer->report->what_ifs[0];
}

static void ask_beside(struct answer *answer, struct weir_trace *trace, struct weir_run *plain,
                       const char *change, enum weir_bound work)
{
	struct weir_change asked;
	struct weir_error err;

	assert_int_equal(weir_change_parse(change, &asked, &err), WEIR_OK);
	ask_together(answer, trace, plain, &asked, 1, work);
}

static void ask_with(struct answer *answer, struct weir_trace *trace, const char *change,
                     enum weir_bound work)
{
	ask_beside(answer, trace, NULL, change, work);
}

static void ask(struct answer *answer, struct weir_trace *trace, const char *change)
{
	ask_with(answer, trace, change, WEIR_BOUND_UNDETERMINED);
}

static void answer_release(struct answer *answer)
{
	weir_report_free(answer->report);
	weir_analysis_free(answer->analysis);
	weir_profile_free(answer->profile);
}

static void assert_step(struct weir_trace *trace, const char *change, enum weir_bound work,
                        double step_ns)
{
	struct answer answer;

	ask_with(&answer, trace, change, work);
	assert_near(answer.what_if->step_ns, step_ns, 1e-9);
	if (step_ns > 0)
		assert_near(answer.what_if->speedup, 10000 / step_ns, 1e-9);
	answer_release(&answer);
}

static void without_a_late_host_work_runs_back_to_back(void **state)
{
	(void)state;
	assert_step(late_launches(), "runtime=0", WEIR_BOUND_UNDETERMINED, BACK_TO_BACK);
	/* A kernel that is too short to fill the device still has to run. */
	assert_step(late_launches(), "runtime=0", WEIR_BOUND_RUNTIME, BACK_TO_BACK);
}

static void a_factor_of_one_changes_nothing(void **state)
{
	(void)state;
	assert_step(late_launches(), "runtime=1", WEIR_BOUND_UNDETERMINED, 10000);
}

static void a_cause_is_scaled_alone(void **state)
{
	(void)state;
	assert_step(late_launches(), "launch_latency=0", WEIR_BOUND_UNDETERMINED, 9600);
	assert_step(late_launches(), "launch_latency=0.5", WEIR_BOUND_UNDETERMINED, 9800);
	assert_step(late_launches(), "launch_latency=3", WEIR_BOUND_UNDETERMINED, 10800);
	assert_step(late_launches(), "input=0", WEIR_BOUND_UNDETERMINED, 10000);
}

static void work_is_scaled_by_the_bound_of_its_group(void **state)
{
	(void)state;
	assert_step(late_launches(), "memory=0.5", WEIR_BOUND_MEMORY, 9000);
	assert_step(late_launches(), "memory=0", WEIR_BOUND_MEMORY, 8000);
	assert_step(late_launches(), "memory=0.5", WEIR_BOUND_HARDWARE, 10000);
	assert_step(late_launches(), "hardware=2", WEIR_BOUND_HARDWARE, 12000);
}

/* Nine replays of four kernels, 300 ns apart, every 10 us. */
static struct weir_trace *replays(void)
{
	struct make_trace *make = make_trace_new();

	for (int64_t i = 0; i < STEPS; i++) {
		int64_t at = i * 10000;

		make_host(make, WEIR_HOST_ANNOTATION, 0, "decode", at, at + 10000);
		make_call(make, 0, "cudaGraphLaunch", at + 500, at + 900, (uint64_t)i + 1);
		for (int64_t k = 0; k < 4; k++)
			make_device(make,
			            &(struct make_device_row){.kind = WEIR_DEVICE_KERNEL,
			                                      .name = "gemm",
			                                      .start_ns = at + 1000 + k * 1300,
			                                      .end_ns = at + 2000 + k * 1300,
			                                      .correlation = (uint64_t)i + 1,
			                                      .flags = WEIR_DEVICE_IN_GRAPH});
	}
	return make_trace_finish(make);
}

static void the_gap_of_replays_is_measured_if_possible(void **state)
{
	(void)state;
	/* 4 x 1,000 ns of work, 3 x 300 ns inside the replay and 300 ns before the next one. */
	assert_step(replays(), "runtime=0", WEIR_BOUND_UNDETERMINED, 5200);
}

static void gaps_between_kernels_disappear_only_on_request(void **state)
{
	(void)state;
	assert_step(replays(), "inter_kernel=0", WEIR_BOUND_UNDETERMINED, 10000 - 3 * 300);
}

/* A prefill of 4,500 ns that was launched at once, and a decode of 1,000 ns queued behind it. */
static struct weir_trace *queued_stages(void)
{
	struct make_trace *make = make_trace_new();

	for (int64_t i = 0; i < STEPS; i++) {
		int64_t at = i * 10000;
		uint64_t id = (uint64_t)i * 2 + 1;

		make_host(make, WEIR_HOST_ANNOTATION, 0, "prefill", at, at + 1000);
		make_call(make, 0, "cudaLaunchKernel", at + 100, at + 200, id);
		make_kernel(make, 0, "gemm", at + 500, at + 5000, id);
		make_host(make, WEIR_HOST_ANNOTATION, 0, "decode", at + 1000, at + 6000);
		make_call(make, 0, "cudaLaunchKernel", at + 1100, at + 1200, id + 1);
		make_kernel(make, 0, "gemv", at + 5000, at + 6000, id + 1);
	}
	return make_trace_finish(make);
}

static void a_stage_does_not_pay_for_the_queue_before_it(void **state)
{
	struct answer answer;

	(void)state;
	ask(&answer, queued_stages(), "runtime=0");
	assert_int_equal(answer.what_if->stage_count, 2);
	assert_string_equal(answer.what_if->stages[1].name, "decode");
	assert_near(answer.what_if->stages[1].p50_ns, 1000, 1e-9);
	assert_near(answer.what_if->stages[1].speedup, 1, 1e-9);
	answer_release(&answer);
}

static void without_a_window_the_answer_is_unknown(void **state)
{
	struct make_trace *make = make_trace_new();
	struct answer answer;

	(void)state;
	ask(&answer, late_launches(), "batching=0");
	assert_true(isnan(answer.what_if->step_ns));
	assert_true(isnan(answer.what_if->speedup));
	answer_release(&answer);
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 0, 100);
	ask(&answer, make_trace_finish(make), "runtime=0");
	assert_true(isnan(answer.what_if->step_ns));
	answer_release(&answer);
}

static void without_steps_the_window_is_the_step(void **state)
{
	struct make_trace *make = make_trace_new();
	struct answer answer;

	(void)state;
	make_launch(make, 0, 100, 200, 1200);
	make_launch(make, 4000, 4100, 4200, 5200);
	ask(&answer, make_trace_finish(make), "launch_latency=0");
	assert_near(answer.what_if->step_ns, 4800, 1e-9);
	assert_near(answer.what_if->speedup, 5000.0 / 4800, 1e-9);
	answer_release(&answer);
}

static struct weir_run *plain_run(const char *stage, double ns)
{
	struct weir_run *run = weir_run_new();

	for (int i = 0; i < 5; i++)
		weir_series_push(weir_series_get(&run->stages, stage), ns);
	return run;
}

static void assert_beside(struct weir_run *plain, const char *change, double step_ns,
                          double speedup)
{
	struct answer answer;

	ask_beside(&answer, late_launches(), plain, change, WEIR_BOUND_UNDETERMINED);
	assert_near(answer.report->profiler.inflation, 2, 1e-9);
	assert_string_equal(answer.report->profiler.source, "plain.json");
	assert_near(answer.what_if->step_ns, step_ns, 1e-9);
	assert_near(answer.what_if->speedup, speedup, 1e-9);
	answer_release(&answer);
}

static void savings_are_against_the_time_without_the_profiler(void **state)
{
	(void)state;
	/* 3,000 of 8,000 ns of idle time remain. */
	assert_beside(plain_run("decode", 5000), "runtime=1", 5000, 1);
	assert_beside(plain_run("decode", 5000), "runtime=0", BACK_TO_BACK, 5000.0 / BACK_TO_BACK);
	/* 3/8 of the launch latency of 2 x 200 ns. */
	assert_beside(plain_run("decode", 5000), "launch_latency=0", 4850, 5000.0 / 4850);
}

static void a_single_stage_of_another_name_is_the_step(void **state)
{
	(void)state;
	assert_beside(plain_run("step", 5000), "runtime=1", 5000, 1);
}

static void several_stages_of_other_names_are_not_compared(void **state)
{
	struct weir_run *plain = plain_run("step", 5000);
	struct answer answer;

	(void)state;
	weir_series_push(weir_series_get(&plain->stages, "other"), 1);
	ask_beside(&answer, late_launches(), plain, "runtime=1", WEIR_BOUND_UNDETERMINED);
	assert_null(answer.report->profiler.source);
	assert_near(answer.what_if->step_ns, 10000, 1e-9);
	answer_release(&answer);
}

static void a_step_below_its_device_work_keeps_that_work(void **state)
{
	struct answer answer;

	(void)state;
	ask_beside(&answer, late_launches(), plain_run("decode", 100), "runtime=1",
	           WEIR_BOUND_UNDETERMINED);
	assert_near(answer.what_if->step_ns, BACK_TO_BACK, 1e-9);
	answer_release(&answer);
}

/* Steps of 10 us: the host waits for a kernel of 2 us, then needs 5,800 ns for the next launch. */
static struct weir_trace *waits(void)
{
	struct make_trace *make = make_trace_new();

	for (int64_t i = 0; i < STEPS; i++) {
		int64_t at = i * 10000;
		uint64_t id = (uint64_t)i * 2 + 1;

		make_host(make, WEIR_HOST_ANNOTATION, 0, "decode", at, at + 10000);
		make_host(make, WEIR_HOST_OP, 0, "aten::mm", at, at + 9900);
		make_call(make, 0, "cudaLaunchKernel", at + 100, at + 150, id);
		make_kernel(make, 0, "gemm", at + 200, at + 2200, id);
		make_call(make, 0, "cudaStreamSynchronize", at + 200, at + 2300, 0);
		make_call(make, 0, "cudaLaunchKernel", at + 8100, at + 8150, id + 1);
		make_kernel(make, 0, "gemm", at + 8200, at + 9200, id + 1);
	}
	return make_trace_finish(make);
}

static void without_waits_the_host_still_needs_its_own_time(void **state)
{
	struct answer answer;

	(void)state;
	/* The gaps behind both kernels could go. But of the 99,000 ns of work, the host spends 10 x
	 * 2,100 ns in waits, and the rest remains. */
	ask(&answer, waits(), "late_sync=0");
	assert_near(answer.what_if->step_ns, 10000.0 * 78000 / 99000, 1e-9);
	answer_release(&answer);
	ask(&answer, waits(), "late_sync=1");
	assert_near(answer.what_if->step_ns, 10000, 1e-9);
	answer_release(&answer);
}

/* Steps of 1 ms: 700 us of tokenization before 299 us of work. */
static struct weir_trace *tokenized(void)
{
	struct make_trace *make = make_trace_new();

	for (int64_t i = 0; i < STEPS; i++) {
		int64_t at = i * 1000000;

		make_host(make, WEIR_HOST_ANNOTATION, 0, "ProfilerStep#1", at, at + 1000000);
		make_host(make, WEIR_HOST_ANNOTATION, 0, "tokenize", at + 1000, at + 701000);
		make_call(make, 0, "cudaLaunchKernel", at + 701000, at + 702000, (uint64_t)i + 1);
		make_kernel(make, 0, "gemm", at + 703000, at + 1002000, (uint64_t)i + 1);
	}
	return make_trace_finish(make);
}

static void hidden_time_keeps_its_duration(void **state)
{
	struct answer answer;

	(void)state;
	ask(&answer, tokenized(), "late_before=0");
	/* The work and the launch need 299,000 ns, but a tokenizer beside them needs 699,000. */
	assert_true(answer.what_if->step_ns > 690000 && answer.what_if->step_ns < 701000);
	answer_release(&answer);
}

/* ---- invariants of any trace ---- */

static const char *const classes[] = {
	"runtime",
	"memory",
	"kernel",
	"communication",
	"hardware",
	"dispatch",
	"python",
	"host_work",
	"input",
	"host_sync",
	"allocator",
	"compile_load",
	"garbage_collection",
	"likely_garbage_collection",
	"interpreter_lock",
	"batch_window",
	"host_idle",
	"launch_latency",
	"inter_kernel",
	"dependency",
	"profiler",
	"unlinked",
	"other",
	"late_sync",
	"late_before",
	"late_after",
	"exposed_wait",
	"exposed_transfer",
	"exposed_wait_host",
	"exposed_communication",
	"bandwidth_limited",
};

static struct weir_trace *any_trace(uint64_t seed)
{
	for (int i = 0; i < 3; i++)
		next_number(&seed);
	return random_trace(&seed);
}

#define CLASS_COUNT (sizeof classes / sizeof *classes)

/* The factors that every class is multiplied by. */
static const double factors[] = {1, 0.5, 0};
enum { SAME, HALF, NONE, FACTOR_COUNT };

/* Every class with every factor: one analysis answers them all. */
struct questions {
	struct weir_change changes[CLASS_COUNT * FACTOR_COUNT];
};

static void ask_for_every_class(struct questions *questions)
{
	struct weir_error err;

	for (size_t i = 0; i < CLASS_COUNT * FACTOR_COUNT; i++) {
		char text[64];

		snprintf(text, sizeof text, "%s=%g", classes[i / FACTOR_COUNT],
		         factors[i % FACTOR_COUNT]);
		assert_int_equal(weir_change_parse(text, &questions->changes[i], &err), WEIR_OK);
	}
}

/* Checks the answers about one class: a factor of 1 leaves the trace unchanged, smaller factors
 * give shorter durations. Returns whether the class can change in this trace. */
static bool answers_keep_their_order(const struct weir_what_if *answers, double traced_ns)
{
	const char *class = answers[SAME].class_name;
	double jitter_ns = traced_ns * 1e-9;

	if (isnan(answers[SAME].step_ns))
		return false;
	assert_near(answers[SAME].step_ns, traced_ns, 1e-12);
	assert_true(answers[HALF].step_ns <= answers[SAME].step_ns + jitter_ns);
	assert_true(answers[NONE].step_ns <= answers[HALF].step_ns + jitter_ns ||
	            strncmp(class, "late", 4) == 0 || strncmp(class, "exposed_c", 9) == 0);
	assert_true(answers[NONE].step_ns <= answers[SAME].step_ns + jitter_ns);
	assert_true(answers[NONE].step_ns >= 0);
	return true;
}

static void changes_of_any_trace_keep_their_order(void **state)
{
	struct questions questions;
	size_t known = 0;

	(void)state;
	ask_for_every_class(&questions);
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct answer answer;
		const struct weir_report *report;
		double traced_ns;

		ask_together(&answer, any_trace(seed), NULL, questions.changes,
		             CLASS_COUNT * FACTOR_COUNT, WEIR_BOUND_MEMORY);
		report = answer.report;
		traced_ns = report->iteration_count > 0 ? report->iteration.p50_ns
		                                        : (double)report->span_ns;
		for (size_t c = 0; c < CLASS_COUNT; c++)
			known += answers_keep_their_order(&report->what_ifs[c * FACTOR_COUNT],
			                                  traced_ns);
		answer_release(&answer);
	}
	assert_true(known > 500);
}

/* One answer does not depend on the others that are asked for. */
static void answers_together_are_those_alone(void **state)
{
	const uint64_t seed = 3;
	struct questions questions;
	struct answer together, alone;

	(void)state;
	ask_for_every_class(&questions);
	ask_together(&together, any_trace(seed), NULL, questions.changes,
	             CLASS_COUNT * FACTOR_COUNT, WEIR_BOUND_MEMORY);
	for (size_t i = 0; i < CLASS_COUNT * FACTOR_COUNT; i++) {
		const struct weir_what_if *one;

		ask_together(&alone, any_trace(seed), NULL, &questions.changes[i], 1,
		             WEIR_BOUND_MEMORY);
		one = &together.report->what_ifs[i];
		assert_string_equal(one->class_name, alone.what_if->class_name);
		assert_memory_equal(&one->step_ns, &alone.what_if->step_ns, sizeof one->step_ns);
		assert_memory_equal(&one->speedup, &alone.what_if->speedup, sizeof one->speedup);
		assert_int_equal(one->stage_count, alone.what_if->stage_count);
		answer_release(&alone);
	}
	answer_release(&together);
}

/* Idle time can disappear, work cannot: no device takes less than its busy time. */
static void without_idle_time_the_work_remains(void **state)
{
	uint64_t seed = 9;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct weir_trace *trace = random_trace(&seed);
		struct weir_device_table table = {0};
		const struct weir_rank_options options = {.steady = round % 2, .table = &table};
		struct weir_retiming retiming;
		struct weir_change change;
		struct weir_error err;
		struct weir_rank rank;

		weir_rank_init(&rank, trace, &options);
		for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
			char text[64];

			snprintf(text, sizeof text, "%s=0", classes[c]);
			assert_int_equal(weir_change_parse(text, &change, &err), WEIR_OK);
			if (change.of != WEIR_CHANGE_IDLE && strcmp(classes[c], "runtime") != 0)
				continue;
			weir_retiming_init(&retiming, &rank, &change, 1);
			for (size_t d = 0; d < trace->device_count; d++) {
				const struct weir_intervals *windows = &rank.steps.windows[d];
				double ns = 0;

				for (size_t w = 0; w < windows->count; w++)
					ns += weir_retimed_ns(&retiming, windows->items[w].start_ns,
					                      windows->items[w].end_ns);
				assert_true(ns >= (double)rank.activity[d].active_ns * (1 - 1e-9));
				assert_true(ns <= (double)rank.activity[d].window_ns * (1 + 1e-9));
			}
			weir_retiming_release(&retiming);
		}
		weir_rank_release(&rank);
		weir_trace_free(trace);
	}
}

static void without_late_launches_only_device_gaps_remain(void **state)
{
	struct answer late, runtime;

	(void)state;
	ask(&late, late_launches(), "host_late=0");
	ask(&runtime, late_launches(), "runtime=0");
	assert_string_equal(late.what_if->class_name, "host_late");
	assert_int_equal(late.what_if->step_ns, runtime.what_if->step_ns);
	answer_release(&late);
	answer_release(&runtime);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_late_host_work_runs_back_to_back),
		cmocka_unit_test(a_factor_of_one_changes_nothing),
		cmocka_unit_test(a_cause_is_scaled_alone),
		cmocka_unit_test(work_is_scaled_by_the_bound_of_its_group),
		cmocka_unit_test(the_gap_of_replays_is_measured_if_possible),
		cmocka_unit_test(gaps_between_kernels_disappear_only_on_request),
		cmocka_unit_test(a_stage_does_not_pay_for_the_queue_before_it),
		cmocka_unit_test(without_a_window_the_answer_is_unknown),
		cmocka_unit_test(without_steps_the_window_is_the_step),
		cmocka_unit_test(savings_are_against_the_time_without_the_profiler),
		cmocka_unit_test(a_single_stage_of_another_name_is_the_step),
		cmocka_unit_test(several_stages_of_other_names_are_not_compared),
		cmocka_unit_test(a_step_below_its_device_work_keeps_that_work),
		cmocka_unit_test(without_waits_the_host_still_needs_its_own_time),
		cmocka_unit_test(hidden_time_keeps_its_duration),
		cmocka_unit_test(changes_of_any_trace_keep_their_order),
		cmocka_unit_test(answers_together_are_those_alone),
		cmocka_unit_test(without_idle_time_the_work_remains),
		cmocka_unit_test(without_late_launches_only_device_gaps_remain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
