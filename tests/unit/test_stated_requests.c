/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pipeline/stated_requests.h"
#include "engine/readers/parts/figures.h"
#include "tests/unit/fixture_stated.h"

/* Expects the headline of a profile, which it frees; NULL: none. */
static void expect_headline(struct weir_profile *profile, const char *expected)
{
	expect_stated_headline(profile, weir_describe_stated_requests, expected);
}

static struct weir_profile *request(double whole, double first)
{
	return stated_profile(
		(struct stated[]){{"mean_e2el_ms", whole}, {"mean_ttft_ms", first}, {0}});
}

#define TOKENS(share)                                                                              \
	"tokens after the first take " share                                                       \
	" of a mean request of 1.00 s; the result does not show what bounds them"
#define FIRST(share)                                                                               \
	"the first token takes " share " of a mean request of 1.00 s; the result does not show "   \
	"whether requests queue or prompts take long"

static void the_longer_part_of_a_request_is_the_headline(void **state)
{
	(void)state;
	expect_headline(request(1000, 499), TOKENS("50 %"));
	expect_headline(request(1000, 500), FIRST("50 %"));
	expect_headline(request(1000, 250), TOKENS("75 %"));
	expect_headline(request(1000, 6), TOKENS("99 %"));
	expect_headline(request(1000, 5), TOKENS("nearly all"));
}

static void answers_that_were_not_streamed_are_not_divided(void **state)
{
	(void)state;
	expect_headline(request(1000, 979), FIRST("98 %"));
	expect_headline(request(1000, 980), NULL);
	expect_headline(request(1000, 1000), NULL);
	expect_headline(request(1000, 1200), NULL);
}

static void a_time_between_tokens_shows_that_answers_were_streamed(void **state)
{
	struct stated figures[] = {
		{"mean_e2el_ms", 1000}, {"mean_ttft_ms", 990}, {"mean_tpot_ms", 2}, {0}};

	(void)state;
	expect_headline(stated_profile(figures), FIRST("99 %"));
}

static void missing_or_impossible_times_give_no_headline(void **state)
{
	(void)state;
	expect_headline(stated_profile((struct stated[]){{"mean_e2el_ms", 5}, {0}}), NULL);
	expect_headline(stated_profile((struct stated[]){{"mean_ttft_ms", 5}, {0}}), NULL);
	expect_headline(request(0, 5), NULL);
	expect_headline(request(1000, 0), NULL);
	expect_headline(request(-1, -2), NULL);
}

/* A run without the time of a request, whose requests have this number of tokens together. */
static struct weir_profile *without_request(const char *requests, const char *tokens)
{
	struct weir_profile *profile =
		stated_profile((struct stated[]){{"mean_ttft_ms", 100}, {"mean_itl_ms", 10}, {0}});

	if (requests)
		weir_run_set_label(profile->inputs[0].run, "completed", requests);
	if (tokens)
		weir_run_set_label(profile->inputs[0].run, "total_output_tokens", tokens);
	return profile;
}

static void a_request_is_the_sum_of_its_tokens_if_nothing_states_it(void **state)
{
	struct weir_profile *profile;

	(void)state;
	expect_headline(without_request("5", "155"),
	                "tokens after the first take 75 % of a mean request of about 400 ms, one "
	                "every 10.0 ms; the result does not show what bounds them");
	/* An interval between chunks may hold several tokens. */
	profile = without_request("5", "155");
	weir_figure_add(profile->inputs[0].run, "mean_tpot_ms", "ms", false, 5);
	expect_headline(profile,
	                "tokens after the first take 60 % of a mean request of about 250 ms, one "
	                "every 5.00 ms; the result does not show what bounds them");
	expect_headline(without_request("5", "5"), NULL); /* of one token each */
	expect_headline(without_request("0", "155"), NULL);
	expect_headline(without_request(NULL, "155"), NULL);
	expect_headline(without_request("5", NULL), NULL);
}

static void several_results_are_not_mixed(void **state)
{
	struct weir_profile *profile = request(1000, 100);
	struct weir_input *second = weir_profile_add_input(profile, "second.json");

	(void)state;
	second->run = weir_run_new();
	weir_figure_add(second->run, "mean_e2el_ms", "ms", false, 70);
	expect_headline(profile, NULL);
}

static void times_and_throughput_are_noted(void **state)
{
	struct weir_profile *profile =
		stated_profile((struct stated[]){{"mean_e2el_ms", 2000},
	                                         {"median_e2el_ms", 1900},
	                                         {"p99_e2el_ms", 4000},
	                                         {"mean_ttft_ms", 100},
	                                         {"mean_tpot_ms", 19},
	                                         {"p90_tpot_ms", 25},
	                                         {"request_throughput", 4},
	                                         {"output_throughput", 999.9},
	                                         {"total_token_throughput", 1500},
	                                         {0}});
	struct weir_report *report = weir_report_new(profile);

	(void)state;
	assert_true(weir_note_stated_requests(report));
	assert_int_equal(report->note_count, 2);
	assert_string_equal(report->notes[0].text,
	                    "means: request 2.00 s (median 1.90 s, p99 4.00 s), first token 100 "
	                    "ms, each further token 19.0 ms (p90 25.0 ms) (weir convert prints all "
	                    "figures)");
	assert_string_equal(
		report->notes[1].text,
		"4 requests/s, 1,000 output tokens/s, 1,500 tokens/s of input and output; "
		"on average 8 requests under way");
	weir_report_free(report);
	weir_profile_free(profile);
}

/* Expects the note on the rates of 4 requests/s that take 500 ms, with this limit. */
static void expect_rates(const char *limit, const char *expected)
{
	struct weir_profile *profile = stated_profile(
		(struct stated[]){{"mean_e2el_ms", 500}, {"request_throughput", 4}, {0}});
	struct weir_report *report = weir_report_new(profile);

	weir_run_set_label(profile->inputs[0].run, "max_concurrency", limit);
	assert_true(weir_note_stated_requests(report));
	assert_string_equal(report->notes[1].text, expected);
	weir_report_free(report);
	weir_profile_free(profile);
}

static void more_requests_than_the_limit_are_not_under_way(void **state)
{
	(void)state;
	expect_rates("2", "4 requests/s; on average 2 requests under way");
	expect_rates("1.97", "4 requests/s; on average 2 requests under way");
	expect_rates("1.9", "4 requests/s");
	expect_rates("none", "4 requests/s; on average 2 requests under way");
}

static void runs_without_requests_get_no_note(void **state)
{
	struct weir_profile *profile =
		stated_profile((struct stated[]){{"request_throughput", 4}, {0}});
	struct weir_report *report = weir_report_new(profile);

	(void)state;
	assert_false(weir_note_stated_requests(report));
	assert_int_equal(report->note_count, 0);
	weir_report_free(report);
	weir_profile_free(profile);
}

/* Expects the note with this code, of a result that is freed; NULL: none. */
static void expect_note(struct weir_profile *profile, const char *code, const char *expected)
{
	struct weir_report *report = weir_report_new(profile);
	const char *found = NULL;

	assert_true(weir_note_stated_requests(report));
	for (size_t i = 0; i < report->note_count; i++)
		if (strcmp(report->notes[i].code, code) == 0)
			found = report->notes[i].text;
	if (expected)
		assert_string_equal(found, expected);
	else
		assert_null(found);
	weir_report_free(report);
	weir_profile_free(profile);
}

/* A result of 400 requests in a time, at a rate of 4 requests/s. */
static struct weir_profile *loaded(double request_ms, double first_ms, const char *duration_s,
                                   const char *limit)
{
	double rate = 400 / strtod(duration_s, NULL);
	struct stated figures[] = {{"mean_e2el_ms", request_ms},
	                           {"mean_ttft_ms", first_ms},
	                           {"request_throughput", rate},
	                           {0}};
	struct weir_profile *profile = stated_profile(figures);
	struct weir_run *run = profile->inputs[0].run;

	weir_run_set_label(run, "completed", "400");
	weir_run_set_label(run, "duration_s", duration_s);
	weir_run_set_label(run, "request_rate", "4.0");
	if (limit)
		weir_run_set_label(run, "max_concurrency", limit);
	return profile;
}

static void a_rate_that_the_server_does_not_serve_is_an_overload(void **state)
{
	(void)state;
	expect_headline(loaded(450000, 440000, "1000", NULL),
	                "the first token takes 98 % of a mean request of 450 s; requests queue: "
	                "4 requests/s were offered, 0.4/s served");
	expect_note(loaded(450000, 440000, "1000", NULL), "load",
	            "4 requests/s were offered, 0.4/s served: the server is overloaded");
	/* The last answers take their time after the last request was sent. */
	expect_note(loaded(20000, 15000, "120", NULL), "load", NULL);
	expect_note(loaded(1000, 100, "101", NULL), "load", NULL);
}

static void a_limit_of_requests_at_a_time_holds_the_load(void **state)
{
	(void)state;
	expect_note(loaded(25000, 1000, "1000", "10"), "load",
	            "4 requests/s were offered, 0.4/s served: held by max_concurrency 10 (10 in "
	            "flight on average)");
	expect_note(loaded(25000, 1000, "1000", "20"), "load",
	            "4 requests/s were offered, 0.4/s served");
}

static void requests_that_were_sent_late_are_noted(void **state)
{
	struct stated figures[] = {{"mean_e2el_ms", 2000},
	                           {"mean_ttft_ms", 100},
	                           {"mean_client_queue_ms", 50000},
	                           {"p95_client_queue_ms", 150000},
	                           {0}};

	(void)state;
	expect_note(stated_profile(figures), "load_generator",
	            "the load generator fell behind: requests were sent late (mean 50.0 s, p95 150 "
	            "s)");
	figures[2].value = 200;
	expect_note(stated_profile(figures), "load_generator", NULL);
}

static void a_p99_of_few_requests_is_noted(void **state)
{
	struct stated figures[] = {
		{"mean_e2el_ms", 2000}, {"mean_ttft_ms", 100}, {"p99_ttft_ms", 900}, {0}};
	struct weir_profile *profile = stated_profile(figures);

	(void)state;
	weir_run_set_label(profile->inputs[0].run, "completed", "99");
	expect_note(profile, "few_requests",
	            "99 requests are too few for a p99: it is near the longest of them");
	profile = stated_profile(figures);
	weir_run_set_label(profile->inputs[0].run, "completed", "100");
	expect_note(profile, "few_requests", NULL);
}

static void a_mean_far_from_its_median_is_not_alone_in_the_headline(void **state)
{
	struct stated figures[] = {{"mean_e2el_ms", 400},
	                           {"median_e2el_ms", 200},
	                           {"mean_ttft_ms", 220},
	                           {"median_ttft_ms", 50},
	                           {0}};

	(void)state;
	expect_headline(stated_profile(figures),
	                "the first token takes 55 % of a mean request of 400 ms (by medians 25 %); "
	                "the result does not show whether requests queue or prompts take long");
}

static void times_of_one_list_have_one_unit(void **state)
{
	struct stated figures[] = {
		{"mean_e2el_ms", 301000}, {"median_e2el_ms", 292000}, {"p99_e2el_ms", 601400}, {0}};

	(void)state;
	expect_note(stated_profile(figures), "request_times",
	            "means: request 301 s (median 292 s, p99 601 s) (weir convert prints all "
	            "figures)");
}

static void metrics_of_the_server_are_named_as_such(void **state)
{
	struct weir_profile *profile = request(1000, 100);

	(void)state;
	weir_run_set_label(profile->inputs[0].run, "measured_by", "server");
	expect_note(profile, "source",
	            "the figures are the server's own metrics over the window of the report, which "
	            "may hold requests of other clients");
}

static void expect_rate(struct weir_profile *profile, const char *expected)
{
	expect_stated_headline(profile, weir_describe_stated_rate, expected);
}

static void the_rate_of_requests_is_a_headline_with_their_time(void **state)
{
	(void)state;
	expect_rate(stated_profile((struct stated[]){
			    {"mean_e2el_ms", 500}, {"request_throughput", 4}, {0}}),
	            "a mean request takes 500 ms at 4 requests/s; the result does not show where "
	            "the time goes");
	expect_rate(stated_profile((struct stated[]){{"request_throughput", 1}, {0}}),
	            "1 request/s; the result does not show where the time goes");
	expect_rate(stated_profile((struct stated[]){{"mean_e2el_ms", 500}, {0}}), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longer_part_of_a_request_is_the_headline),
		cmocka_unit_test(answers_that_were_not_streamed_are_not_divided),
		cmocka_unit_test(a_time_between_tokens_shows_that_answers_were_streamed),
		cmocka_unit_test(more_requests_than_the_limit_are_not_under_way),
		cmocka_unit_test(missing_or_impossible_times_give_no_headline),
		cmocka_unit_test(a_request_is_the_sum_of_its_tokens_if_nothing_states_it),
		cmocka_unit_test(several_results_are_not_mixed),
		cmocka_unit_test(times_and_throughput_are_noted),
		cmocka_unit_test(runs_without_requests_get_no_note),
		cmocka_unit_test(a_rate_that_the_server_does_not_serve_is_an_overload),
		cmocka_unit_test(a_limit_of_requests_at_a_time_holds_the_load),
		cmocka_unit_test(requests_that_were_sent_late_are_noted),
		cmocka_unit_test(a_p99_of_few_requests_is_noted),
		cmocka_unit_test(a_mean_far_from_its_median_is_not_alone_in_the_headline),
		cmocka_unit_test(times_of_one_list_have_one_unit),
		cmocka_unit_test(metrics_of_the_server_are_named_as_such),
		cmocka_unit_test(the_rate_of_requests_is_a_headline_with_their_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
