/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The period of small programs, computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/advice/replay.h"
#include "tests/unit/near.h"

#define TYPICAL WEIR_REPLAY_TYPICAL

static const struct weir_host_speed as_recorded = {1, 1, 1};

/* Returns the period of a host that issues one call with one job in each turn. */
static double period(struct weir_issue issue, struct weir_job job, struct weir_host_speed speed,
                     enum weir_replay_end end)
{
	struct weir_program program = {
		.jobs = &job, .job_count = 1, .issues = &issue, .issue_count = 1};

	return weir_replay(&program, speed, end);
}

static struct weir_issue launch(double dispatch_ns, double call_ns)
{
	return (struct weir_issue){.kind = WEIR_ISSUE_LAUNCH,
	                           .dispatch_ns = dispatch_ns,
	                           .call_ns = call_ns,
	                           .job_count = 1,
	                           .until = WEIR_NONE};
}

static void a_busy_device_takes_its_jobs_and_gaps(void **state)
{
	const struct weir_job job = {.ns = 100, .low_ns = 60, .high_ns = 150, .gap_ns = 7};

	(void)state;
	assert_near(period(launch(10, 2), job, as_recorded, TYPICAL), 107, 1e-9);
	assert_near(period(launch(10, 2), job, as_recorded, WEIR_REPLAY_LOW), 67, 1e-9);
	assert_near(period(launch(10, 2), job, as_recorded, WEIR_REPLAY_HIGH), 157, 1e-9);
}

static void a_busy_host_takes_all_parts_of_its_time(void **state)
{
	const struct weir_job job = {.ns = 10, .low_ns = 10, .high_ns = 10};
	struct weir_issue issue = launch(1000, 200);

	(void)state;
	issue.work_ns = 5000;
	issue.profiler_ns = 30000;
	assert_near(period(issue, job, as_recorded, TYPICAL), 36200, 1e-9);
	assert_near(period(issue, job, (struct weir_host_speed){0.5, 1, 1}, TYPICAL), 35600, 1e-9);
	assert_near(period(issue, job, (struct weir_host_speed){1, 0.5, 1}, TYPICAL), 33700, 1e-9);
	assert_near(period(issue, job, (struct weir_host_speed){1, 1, 0}, TYPICAL), 6200, 1e-9);
	issue.removed = true;
	assert_near(period(issue, job, as_recorded, TYPICAL), 0, 0);
}

static void a_long_call_is_work_and_no_dispatch(void **state)
{
	static const struct {
		enum weir_issue_kind kind;
		double call_ns, ns;
	} cases[] = {{WEIR_ISSUE_LAUNCH, 199998, 99999},
	             {WEIR_ISSUE_LAUNCH, 200000, 200000},
	             {WEIR_ISSUE_WAIT, 1000, 1000},
	             {WEIR_ISSUE_ALLOC, 1000, 1000}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct weir_issue issue = launch(0, cases[i].call_ns);

		issue.kind = (uint8_t)cases[i].kind;
		issue.job_count = 0;
		assert_near(period(issue, (struct weir_job){0}, (struct weir_host_speed){0.5, 1, 1},
		                   TYPICAL),
		            cases[i].ns, 1e-9);
	}
}

static void a_host_that_waits_adds_its_time_to_that_of_the_device(void **state)
{
	const struct weir_job job = {
		.ns = 100, .low_ns = 90, .high_ns = 120, .gap_ns = 7, .latency_ns = 30};
	struct weir_issue issue = launch(10, 2);

	(void)state;
	issue.until = 0;
	issue.return_ns = 4;
	/* The latency begins with the call. */
	assert_near(period(issue, job, as_recorded, TYPICAL), 10 + 30 + 100 + 4, 1e-9);
	assert_near(period(issue, job, as_recorded, WEIR_REPLAY_HIGH), 10 + 30 + 120 + 4, 1e-9);
	issue.call_ns = 500; /* returns later */
	assert_near(period(issue, job, as_recorded, TYPICAL), 10 + 500, 1e-9);
}

/* Two jobs of one call follow each other, and the host waits for the first. */
static void a_wait_ends_with_its_job(void **state)
{
	struct weir_job jobs[] = {{.ns = 100, .latency_ns = 30}, {.ns = 20, .gap_ns = 5}};
	struct weir_issue issue = launch(10, 2);
	struct weir_program program = {
		.jobs = jobs, .job_count = 2, .issues = &issue, .issue_count = 1};

	(void)state;
	issue.job_count = 2;
	issue.until = 0;
	assert_near(weir_replay(&program, as_recorded, TYPICAL), 140, 1e-9);
	issue.until = 1;
	assert_near(weir_replay(&program, as_recorded, TYPICAL), 165, 1e-9);
}

static void work_without_a_known_call_starts_at_once(void **state)
{
	const struct weir_job job = {.ns = 100, .latency_ns = 30};
	struct weir_issue issue = launch(110, 0);

	(void)state;
	issue.until = 0;
	assert_near(period(issue, job, as_recorded, TYPICAL), 110 + 130, 1e-9);
	issue.call = WEIR_NONE;
	assert_near(period(issue, job, as_recorded, TYPICAL), 110, 1e-9);
}

/* ---- without the profiler ---- */

static void the_host_is_as_slow_as_the_profiled_step_was_inflated(void **state)
{
	struct weir_job job = {.ns = 10};
	struct weir_issue issue = launch(80000, 20000);
	struct weir_program program = {
		.jobs = &job, .job_count = 1, .issues = &issue, .issue_count = 1, .has_host = true};
	struct weir_host_speed speed;

	(void)state;
	issue.work_ns = 100000;
	/* 200 us become 160: dispatch takes 0.6 of its time. */
	speed = weir_unprofiled_speed(&program, 1.25);
	assert_near(speed.dispatch, 0.6, 1e-5);
	assert_near(speed.work, 1, 0);
	assert_near(speed.profiler, 0, 0);
	/* Dispatch alone does not explain 100 us: it takes 1 / 2.6, and work the rest. */
	speed = weir_unprofiled_speed(&program, 2);
	assert_near(speed.dispatch, 1 / 2.6, 1e-9);
	assert_near(speed.work, 1 - 1 / 2.6, 1e-5);
	/* No run is faster with the profiler. */
	speed = weir_unprofiled_speed(&program, 0.5);
	assert_near(speed.dispatch, 1, 1e-5);
	speed = weir_unprofiled_speed(&program, NAN);
	assert_near(speed.dispatch, 1 / WEIR_PROFILER_FACTOR, 0);
	assert_near(speed.work, 1, 0);
	program.has_host = false;
	speed = weir_unprofiled_speed(&program, 1.25);
	assert_near(speed.dispatch, 1, 0);
	assert_near(speed.profiler, 1, 0);
}

/* Dispatch of 16.25 us becomes 6.25 us at most, 10 of 100. */
static void a_step_that_hardly_depends_on_dispatch_does_not_show_it(void **state)
{
	static const struct {
		double work_ns;
		bool shown;
	} cases[] = {{83740, true}, {83760, false}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct weir_job job = {.ns = 10};
		struct weir_issue issue = launch(16250, 0);
		struct weir_program program = {.jobs = &job,
		                               .job_count = 1,
		                               .issues = &issue,
		                               .issue_count = 1,
		                               .has_host = true};

		issue.work_ns = cases[i].work_ns;
		assert_int_equal(weir_unprofiled_speed(&program, 1.05).dispatch !=
		                         1 / WEIR_PROFILER_FACTOR,
		                 cases[i].shown);
	}
}

/* 2 us of dispatch and 98 of work: two runs may differ by a tenth; more is the work's. */
static void work_explains_what_dispatch_cannot(void **state)
{
	static const double least_us = 2 / WEIR_PROFILER_FACTOR + 98;
	static const struct {
		double run_us, work;
	} cases[] = {
		{0.901 * least_us, 1},
		{0.899 * least_us, (0.899 * least_us - 2 / WEIR_PROFILER_FACTOR) / 98},
		{25, (25 - 2 / WEIR_PROFILER_FACTOR) / 98},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct weir_job job = {.ns = 10};
		struct weir_issue issue = launch(2000, 0);
		struct weir_program program = {.jobs = &job,
		                               .job_count = 1,
		                               .issues = &issue,
		                               .issue_count = 1,
		                               .has_host = true};
		struct weir_host_speed speed;

		issue.work_ns = 98000;
		speed = weir_unprofiled_speed(&program, 100 / cases[i].run_us);
		assert_near(speed.dispatch, 1 / WEIR_PROFILER_FACTOR, 1e-9);
		assert_near(speed.work, cases[i].work, 1e-5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_busy_device_takes_its_jobs_and_gaps),
		cmocka_unit_test(a_busy_host_takes_all_parts_of_its_time),
		cmocka_unit_test(a_long_call_is_work_and_no_dispatch),
		cmocka_unit_test(a_host_that_waits_adds_its_time_to_that_of_the_device),
		cmocka_unit_test(a_wait_ends_with_its_job),
		cmocka_unit_test(work_without_a_known_call_starts_at_once),
		cmocka_unit_test(the_host_is_as_slow_as_the_profiled_step_was_inflated),
		cmocka_unit_test(a_step_that_hardly_depends_on_dispatch_does_not_show_it),
		cmocka_unit_test(work_explains_what_dispatch_cannot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
