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

/* Sets what 8 requests of 1 s, 91 tokens each, are in 2 s, 4 at a time. */
static void set_totals(struct fixture *fixture)
{
	set_up(fixture);
	fixture->summary.prompts = 8;
	fixture->summary.max_concurrency = 4;
	fixture->summary.duration_s = 2;
	fixture->summary.total_input_tokens = 800;
	fixture->summary.total_output_tokens = 728;
	fixture->summary.request_throughput = 4;
	fixture->summary.input_throughput = 400;
	fixture->summary.output_throughput = 364;
	fixture->summary.total_throughput = 764;
}

/* Expects one contradiction with this detail if the number at a slot has the second value, and none
 * with the first one. */
static void expect_edge(size_t slot, double good, double bad, const char *detail)
{
	for (int i = 0; i < 2; i++) {
		const struct weir_warning *warning;
		struct fixture fixture;

		set_totals(&fixture);
		*(double *)(void *)((char *)&fixture.summary + slot) = i ? bad : good;
		weir_client_totals_check(&fixture.summary, fixture.input);
		warning = &fixture.input->warnings[WEIR_WARN_CONTRADICTION];
		assert_int_equal(warning->count, i);
		if (i)
			assert_string_equal(warning->detail, detail);
		weir_profile_free(fixture.profile);
	}
}

static void totals_that_contradict_each_other_are_warned_of(void **state)
{
	(void)state;
	expect_edge(WEIR_CLIENT_SLOT(prompts), 8, 7, "8 requests completed, 7 were to be sent");
	expect_edge(WEIR_CLIENT_SLOT(e2e.mean), 1049, 1051,
	            "8 requests of 1.05 s take 8.41 s, more than 4 at a time in 2.00 s");
	expect_edge(WEIR_CLIENT_SLOT(max_concurrency), 8, 3,
	            "8 requests of 1.00 s take 8.00 s, more than 3 at a time in 2.00 s");
	expect_edge(WEIR_CLIENT_SLOT(request_throughput), 4.19, 4.21,
	            "request throughput: stated 4.21/s, 4/s by 8 requests in 2.00 s");
	expect_edge(WEIR_CLIENT_SLOT(request_throughput), 3.81, 3.79,
	            "request throughput: stated 3.79/s, 4/s by 8 requests in 2.00 s");
	expect_edge(WEIR_CLIENT_SLOT(input_throughput), 419, 421,
	            "input throughput: stated 421/s, 400/s by 800 tokens in 2.00 s");
	expect_edge(WEIR_CLIENT_SLOT(output_throughput), 346, 345,
	            "output throughput: stated 345/s, 364/s by 728 tokens in 2.00 s");
	expect_edge(WEIR_CLIENT_SLOT(total_throughput), 802, 803,
	            "total throughput: stated 803/s, 764/s by 1528 tokens in 2.00 s");
	expect_edge(WEIR_CLIENT_SLOT(good), 8, 9, "9 requests met their targets, 8 completed");
}

/* Expects a contradiction of the throughput of output with 4 requests/s of 91 tokens, or none. */
static void expect_output(double output_throughput, double duration_s, const char *detail)
{
	const struct weir_warning *warning;
	struct fixture fixture;

	set_up(&fixture);
	fixture.summary.request_throughput = 4;
	fixture.summary.output_tokens = 91;
	fixture.summary.output_throughput = output_throughput;
	fixture.summary.duration_s = duration_s;
	weir_client_totals_check(&fixture.summary, fixture.input);
	warning = &fixture.input->warnings[WEIR_WARN_CONTRADICTION];
	assert_int_equal(warning->count, detail != NULL);
	if (detail)
		assert_string_equal(warning->detail, detail);
	weir_profile_free(fixture.profile);
}

static void without_a_duration_output_is_that_of_the_requests(void **state)
{
	(void)state;
	expect_output(382, NAN, NULL);
	expect_output(383, NAN,
	              "output throughput: stated 383/s, 364/s by 4 requests/s of 91 tokens");
	expect_output(346, NAN, NULL);
	expect_output(345, NAN,
	              "output throughput: stated 345/s, 364/s by 4 requests/s of 91 tokens");
	expect_output(NAN, NAN, NULL);
}

static void unknown_totals_contradict_nothing(void **state)
{
	static const size_t slots[] = {
		WEIR_CLIENT_SLOT(prompts),
		WEIR_CLIENT_SLOT(max_concurrency),
		WEIR_CLIENT_SLOT(duration_s),
		WEIR_CLIENT_SLOT(total_input_tokens),
		WEIR_CLIENT_SLOT(total_output_tokens),
		WEIR_CLIENT_SLOT(request_throughput),
		WEIR_CLIENT_SLOT(output_throughput),
		WEIR_CLIENT_SLOT(e2e.mean),
	};

	(void)state;
	for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
		for (int zero = 0; zero < 2; zero++) {
			struct fixture fixture;

			set_totals(&fixture);
			*(double *)(void *)((char *)&fixture.summary + slots[i]) = zero ? 0 : NAN;
			if (slots[i] == WEIR_CLIENT_SLOT(total_input_tokens) ||
			    slots[i] == WEIR_CLIENT_SLOT(total_output_tokens))
				fixture.summary.total_throughput = NAN;
			weir_client_totals_check(&fixture.summary, fixture.input);
			assert_int_equal(warnings(&fixture, WEIR_WARN_CONTRADICTION), 0);
			weir_profile_free(fixture.profile);
		}
	}
}

/* A table prints 0.01 requests/s for 0.0149 of them. */
static void rounded_totals_contradict_nothing(void **state)
{
	struct fixture fixture;

	(void)state;
	set_totals(&fixture);
	fixture.summary.duration_s = 0.02; /* from 0.015 to 0.025 */
	fixture.summary.e2e.mean = 13;
	fixture.summary.request_throughput = 500;
	fixture.summary.input_throughput = 50000;
	fixture.summary.output_throughput = 48000;
	fixture.summary.total_throughput = 98000;
	weir_client_totals_check(&fixture.summary, fixture.input);
	assert_int_equal(warnings(&fixture, WEIR_WARN_CONTRADICTION), 5);
	/* each is named */
	assert_non_null(strstr(fixture.input->warnings[WEIR_WARN_CONTRADICTION].detail,
	                       "; request throughput: stated 500/s"));
	fixture.summary.rounding = 0.005;
	weir_profile_free(fixture.profile);
	fixture.profile = weir_profile_new();
	fixture.input = weir_profile_add_input(fixture.profile, "test");
	weir_client_totals_check(&fixture.summary, fixture.input);
	assert_int_equal(warnings(&fixture, WEIR_WARN_CONTRADICTION), 0);
	weir_profile_free(fixture.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_that_contradict_each_other_are_warned_of),
		cmocka_unit_test(without_a_duration_output_is_that_of_the_requests),
		cmocka_unit_test(unknown_totals_contradict_nothing),
		cmocka_unit_test(rounded_totals_contradict_nothing),
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
