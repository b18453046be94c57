/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the checks of every client's summary. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/loadgen/client_summary.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

struct fixture {
	struct weir_profile *profile;
	struct weir_input *input;
	struct weir_client_summary summary;
};

/* End to end 1000 ms with a first token after 100 ms and 91 tokens: 10 ms each. */
static void set_up(struct fixture *fixture)
{
	fixture->profile = weir_profile_new();
	fixture->input = weir_profile_add_input(fixture->profile, "test");
	fixture->input->run = weir_run_new();
	weir_client_summary_init(&fixture->summary);
	fixture->summary.completed = 8;
	fixture->summary.e2e.mean = 1000;
	fixture->summary.ttft.mean = 100;
	fixture->summary.output_tokens = 91;
}

static uint64_t warnings(const struct fixture *fixture, enum weir_warning_code code)
{
	return fixture->input->warnings[code].count;
}

static void check(struct fixture *fixture)
{
	struct weir_error err = {0};

	if (weir_client_summary_check(&fixture->summary, fixture->input, &err))
		fail_msg("%s", err.message);
}

static void time_per_token_that_others_contradict_is_computed_again(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fixture.summary.tpot = fixture.summary.itl =
		(struct weir_client_times){5, 0.04, 5.05, 5.1, 5.2, 5.3};
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 1);
	assert_near(fixture.summary.tpot.mean, 10, 1e-12);
	assert_true(isnan(fixture.summary.tpot.p99));
	assert_true(isnan(fixture.summary.itl.mean)); /* gaps between the same chunks */
	weir_profile_free(fixture.profile);
}

static void ten_percent_is_not_a_contradiction(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fixture.summary.tpot.mean = 10.9;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 0);
	assert_near(fixture.summary.tpot.mean, 10.9, 0);
	fixture.summary.tpot.mean = 11.1;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 1);
	weir_profile_free(fixture.profile);
}

/* Two answers: 1000 tokens at 10 ms each and 2 tokens at 100 ms each. */
static void a_mean_of_ratios_may_differ_from_the_ratio_of_means(void **state)
{
	const struct weir_client_times tpot = {55, 55, NAN, NAN, NAN, 100};
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fixture.summary.e2e.mean = 5145;
	fixture.summary.output_tokens = 501;
	fixture.summary.tpot = tpot;
	fixture.summary.tpot_by_request = true;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 0);
	assert_near(fixture.summary.tpot.mean, 55, 0);
	assert_near(fixture.summary.tpot.p99, 100, 0);
	fixture.summary.tpot_by_request = false;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 1);
	assert_near(fixture.summary.tpot.mean, 10.09, 1e-9);
	weir_profile_free(fixture.profile);
}

static void a_mean_cannot_exceed_all_ratios(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fixture.summary.tpot_by_request = true;
	fixture.summary.tpot.mean = 5;
	fixture.summary.tpot.p90 = 9.1;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 0);
	fixture.summary.tpot.p90 = 8.9;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 1);
	assert_near(fixture.summary.tpot.mean, 10, 1e-12);
	weir_profile_free(fixture.profile);
}

static void a_missing_time_per_token_is_computed(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	check(&fixture);
	assert_near(fixture.summary.tpot.mean, 10, 1e-12);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 0);
	fixture.summary.tpot.mean = NAN;
	fixture.summary.output_tokens = 1; /* there is no second token */
	check(&fixture);
	assert_true(isnan(fixture.summary.tpot.mean));
	weir_profile_free(fixture.profile);
}

static void gaps_between_chunks_are_not_gaps_between_tokens(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fixture.summary.itl.mean = 11.2; /* the time per output token is 10 */
	fixture.summary.itl.median = 0.05;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 1);
	assert_true(isnan(fixture.summary.itl.mean));
	weir_profile_free(fixture.profile);
	set_up(&fixture); /* a gap for each token, in bursts */
	fixture.summary.itl.mean = 10.9;
	fixture.summary.itl.median = 0.05;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 0);
	assert_near(fixture.summary.itl.median, 0.05, 1e-9);
	weir_profile_free(fixture.profile);
	set_up(&fixture);
	fixture.summary.itl.mean = 10;
	fixture.summary.itl.median = 4; /* skewed, as gaps are */
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 0);
	weir_profile_free(fixture.profile);
}

static void an_answer_in_one_piece_has_no_first_token(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fixture.summary.ttft.mean = 999.9;
	fixture.summary.tpot.mean = 0.001;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_INCONSISTENT), 1);
	assert_true(isnan(fixture.summary.ttft.mean));
	assert_true(isnan(fixture.summary.tpot.mean));
	assert_near(fixture.summary.e2e.mean, 1000, 0);
	weir_profile_free(fixture.profile);
}

static void less_load_than_requested_is_a_warning(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fixture.summary.requested_per_s = 100;
	fixture.summary.achieved_per_s = 95.1;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_LOAD_NOT_REACHED), 0);
	fixture.summary.achieved_per_s = 94.9;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_LOAD_NOT_REACHED), 1);
	fixture.summary.achieved_per_s = NAN;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_LOAD_NOT_REACHED), 1);
	weir_profile_free(fixture.profile);
}

static void failures_are_counted_and_a_run_of_failures_is_refused(void **state)
{
	struct fixture fixture;
	struct weir_error err = {0};

	(void)state;
	set_up(&fixture);
	fixture.summary.failed = 3;
	check(&fixture);
	assert_int_equal(warnings(&fixture, WEIR_WARN_FAILED_REQUEST), 3);
	fixture.summary.completed = 0;
	assert_int_equal(weir_client_summary_check(&fixture.summary, fixture.input, &err),
	                 WEIR_E_FORMAT);
	assert_non_null(strstr(err.message, "no request completed"));
	weir_profile_free(fixture.profile);
}

static void zeros_are_not_measurements_except_at_the_client(void **state)
{
	struct fixture fixture;
	struct weir_run *run;

	(void)state;
	set_up(&fixture);
	run = fixture.input->run;
	fixture.summary.ttft.p99 = 0;
	fixture.summary.request_throughput = 0;
	fixture.summary.output_throughput = 12.5;
	fixture.summary.queue = (struct weir_client_times){-0.5, 1, 2, 2, 3, 4};
	weir_client_summary_add(&fixture.summary, "x/", run);
	assert_null(weir_series_find(&run->metrics, "x/p99_ttft_ms"));
	assert_null(weir_series_find(&run->metrics, "x/request_throughput"));
	reading_expects_figure(run, "x/mean_ttft_ms", 100, false, "ms");
	reading_expects_figure(run, "x/mean_e2el_ms", 1000, false, "ms");
	reading_expects_figure(run, "x/output_throughput", 12.5, true, "tokens/s");
	reading_expects_figure(run, "x/mean_client_queue_ms", 0, false, "ms");
	reading_expects_figure(run, "x/p95_client_queue_ms", 3, false, "ms");
	assert_int_equal(run->metrics.count, 5);
	weir_profile_free(fixture.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_per_token_that_others_contradict_is_computed_again),
		cmocka_unit_test(ten_percent_is_not_a_contradiction),
		cmocka_unit_test(a_mean_of_ratios_may_differ_from_the_ratio_of_means),
		cmocka_unit_test(a_mean_cannot_exceed_all_ratios),
		cmocka_unit_test(a_missing_time_per_token_is_computed),
		cmocka_unit_test(gaps_between_chunks_are_not_gaps_between_tokens),
		cmocka_unit_test(an_answer_in_one_piece_has_no_first_token),
		cmocka_unit_test(less_load_than_requested_is_a_warning),
		cmocka_unit_test(failures_are_counted_and_a_run_of_failures_is_refused),
		cmocka_unit_test(zeros_are_not_measurements_except_at_the_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
