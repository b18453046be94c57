/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of profiling: a timeline beside a run without a profiler. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

/* Adds a stage that launches one kernel. */
static void add_stage(struct make_trace *make, const char *name, int64_t at_ns, int64_t duration_ns)
{
	make_host(make, WEIR_HOST_ANNOTATION, 0, name, at_ns, at_ns + duration_ns);
	make_launch(make, at_ns + 1, at_ns + 2, at_ns + 3, at_ns + 4);
}

/* Three turns of "load" of 100 ns and "run" of 300 ns. */
static struct weir_trace *loop(void)
{
	struct make_trace *make = make_trace_new();

	for (int i = 0; i < 3; i++) {
		add_stage(make, "load", INT64_C(1000) * i, 100);
		add_stage(make, "run", INT64_C(1000) * i + 200, 300);
	}
	return make_trace_finish(make);
}

static struct weir_trace *two_turns(void)
{
	struct make_trace *make = make_trace_new();

	add_stage(make, "run", 0, 300);
	add_stage(make, "run", 1000, 500);
	return make_trace_finish(make);
}

static void add_series(struct weir_run *run, const char *name, double first, double second)
{
	struct weir_series *series = weir_series_get(&run->stages, name);

	weir_series_push(series, first);
	weir_series_push(series, second);
}

static double inflation_of(struct weir_trace *trace, struct weir_run *run)
{
	const struct weir_analysis_options options = {.percentile = 0.95};
	struct weir_profile *profile = weir_profile_new();
	struct weir_analysis *analysis = NULL;
	struct weir_report *report;
	struct weir_error err = {0};
	double inflation;

	weir_profile_add_input(profile, "trace.json")->trace = trace;
	weir_profile_add_input(profile, "plain.json")->run = run;
	if (weir_analysis_new(profile, &options, &analysis, &err))
		fail_msg("%s", err.message);
	report = weir_report_new(profile);
	weir_analysis_report(analysis, report);
	inflation = report->profiler.inflation;
	if (inflation > 0)
		assert_string_equal(report->profiler.source, "plain.json");
	weir_report_free(report);
	weir_analysis_free(analysis);
	weir_profile_free(profile);
	return inflation > 0 ? inflation : NAN;
}

static void stages_of_the_same_name_are_added_up(void **state)
{
	struct weir_run *run = weir_run_new();

	(void)state;
	add_series(run, "load", 50, 50);
	add_series(run, "run", 100, 200);
	add_series(run, "other", 7, 7);
	assert_near(inflation_of(loop(), run), (100. + 300) / (50 + 150), 1e-12);
}

static void a_single_stage_of_another_name_is_the_step(void **state)
{
	struct weir_run *run = weir_run_new();

	(void)state;
	add_series(run, "request", 100, 300);
	assert_near(inflation_of(two_turns(), run), 400. / 200, 1e-12);
}

static void without_anything_to_compare_there_is_no_cost(void **state)
{
	struct weir_run *run = weir_run_new();

	(void)state;
	add_series(run, "request", 100, 300);
	add_series(run, "other", 100, 300);
	assert_near(inflation_of(two_turns(), run), NAN, 0);
	run = weir_run_new();
	add_series(run, "run", 0, 0);
	assert_near(inflation_of(two_turns(), run), NAN, 0);
	assert_near(inflation_of(two_turns(), weir_run_new()), NAN, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stages_of_the_same_name_are_added_up),
		cmocka_unit_test(a_single_stage_of_another_name_is_the_step),
		cmocka_unit_test(without_anything_to_compare_there_is_no_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
