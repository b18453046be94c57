/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pipeline/stated_loads.h"
#include "tests/unit/fixture_stated.h"

static void expect_headline(struct weir_profile *profile, const char *expected)
{
	expect_stated_headline(profile, weir_describe_stated_loads, expected);
}

/* Results of 1, 2 and 16 concurrent requests, out of order. */
static struct weir_profile *sweep(double one, double two, double sixteen)
{
	return stated_profile((struct stated[]){{"concurrency@16/request_throughput", sixteen},
	                                        {"concurrency@16/mean_latency_ms", 40},
	                                        {"concurrency@2/request_throughput", two},
	                                        {"concurrency@2/mean_latency_ms", 10},
	                                        {"concurrency@1/request_throughput", one},
	                                        {"concurrency@1/mean_latency_ms", 9},
	                                        {0}});
}

static void saturation_is_named_from_a_twentieth_below_the_highest_throughput(void **state)
{
	(void)state;
	expect_headline(
		sweep(50, 95, 100),
		"the throughput does not grow beyond 2 concurrent requests (95 requests/s); "
		"with 16, a request takes 4 times as long");
	expect_headline(sweep(50, 94, 100),
	                "the throughput still grows at 16 concurrent requests, by 6 % from that "
	                "with 2, to 100 requests/s: more of them would show the limit");
	expect_headline(
		sweep(100, 100, 100),
		"the throughput does not grow beyond 1 concurrent request (100 requests/s); "
		"with 16, a request takes 4.4 times as long");
}

static void a_throughput_that_falls_by_a_tenth_is_named(void **state)
{
	(void)state;
	expect_headline(sweep(50, 1000, 900),
	                "the throughput does not grow beyond 2 concurrent requests (1,000 "
	                "requests/s); with 16, a request takes 4 times as long");
	expect_headline(sweep(50, 1000, 890),
	                "the throughput does not grow beyond 2 concurrent requests (1,000 "
	                "requests/s); with 16, it is 11 % lower");
}

static void output_tokens_go_before_requests(void **state)
{
	(void)state;
	expect_headline(stated_profile((struct stated[]){{"concurrency@1/output_throughput", 50},
	                                                 {"concurrency@1/request_throughput", 5},
	                                                 {"concurrency@4/output_throughput", 51},
	                                                 {"concurrency@4/request_throughput", 20},
	                                                 {0}}),
	                "the throughput does not grow beyond 1 concurrent request (50 output "
	                "tokens/s); with 4, it is about the same");
}

static void results_that_differ_by_more_than_their_load_give_no_headline(void **state)
{
	(void)state;
	expect_headline(
		stated_profile((struct stated[]){{"concurrency@1/request_throughput", 5}, {0}}),
		NULL);
	expect_headline(
		stated_profile((struct stated[]){{"model@a/concurrency@1/request_throughput", 5},
	                                         {"model@a/concurrency@2/request_throughput", 7},
	                                         {0}}),
		NULL);
	expect_headline(stated_profile((struct stated[]){
				{"concurrency@1/input_len@8/request_throughput", 5},
				{"concurrency@2/input_len@8/request_throughput", 7},
				{0}}),
	                NULL);
	expect_headline(stated_profile((struct stated[]){{"concurrency@x/request_throughput", 5},
	                                                 {"concurrency@/request_throughput", 5},
	                                                 {"concurrency@-2/request_throughput", 7},
	                                                 {"concurrency@inf/request_throughput", 7},
	                                                 {"concurrency@2/request_throughput", 0},
	                                                 {0}}),
	                NULL);
}

static void the_parts_of_a_request_at_the_last_load_are_noted(void **state)
{
	struct weir_profile *profile =
		stated_profile((struct stated[]){{"concurrency@1/inference_throughput", 100},
	                                         {"concurrency@1/mean_queue_ms", 1},
	                                         {"concurrency@4/inference_throughput", 110},
	                                         {"concurrency@4/mean_queue_ms", 70},
	                                         {"concurrency@4/mean_compute_ms", 29},
	                                         {"concurrency@4/mean_network_ms", 0.9},
	                                         {"concurrency@4/mean_client_recv_ms", 0.1},
	                                         {0}});
	struct weir_report *report = weir_report_new(profile);

	(void)state;
	weir_note_stated_loads(report);
	assert_int_equal(report->note_count, 2);
	assert_string_equal(report->notes[0].text, "over the 2 loads of the file: "
	                                           "inference throughput 100 to 110 ms (weir "
	                                           "convert prints all)");
	assert_string_equal(report->notes[1].text, "parts of a mean request with 4 concurrent: the "
	                                           "server's queue 70 %, computation 29 %");
	weir_report_free(report);
	weir_profile_free(profile);
}

/* Results of one load with these mean times, in ms. */
static struct weir_profile *single(double queue, double compute, double copies)
{
	return stated_profile((struct stated[]){{"inference_throughput", 9},
	                                        {"mean_queue_ms", queue},
	                                        {"mean_compute_ms", compute},
	                                        {"mean_h2d_ms", copies},
	                                        {0}});
}

static void the_largest_part_of_a_single_result_is_the_headline(void **state)
{
	(void)state;
	expect_headline(single(75, 25, 0), "the server's queue takes 75 % of a mean request of 100 "
	                                   "ms: requests wait until the server begins with them");
	expect_headline(single(0, 60, 40), "computation takes 60 % of a mean request of 100 ms; "
	                                   "the result does not show what bounds it");
	expect_headline(single(10, 30, 60), NULL);
	expect_headline(single(0, 0, 60), NULL);
}

static void the_parts_of_a_single_result_are_noted(void **state)
{
	struct weir_profile *profile = single(75, 25, 0);
	struct weir_report *report;

	(void)state;
	weir_run_set_label(profile->inputs[0].run, "concurrency", "4");
	report = weir_report_new(profile);
	weir_note_stated_loads(report);
	assert_int_equal(report->note_count, 1);
	assert_string_equal(report->notes[0].text, "parts of a mean request with 4 concurrent: the "
	                                           "server's queue 75 %, computation 25 %");
	weir_describe_stated_loads(report);
	assert_non_null(strstr(report->verdict.next, "dynamic_batching"));
	weir_report_free(report);
	weir_profile_free(profile);
}

/* Expects the first note on a run with these figures; NULL: no note. */
static void expect_note(const struct stated *figures, const char *expected)
{
	struct weir_profile *profile = stated_profile(figures);
	struct weir_report *report = weir_report_new(profile);

	weir_note_stated_loads(report);
	assert_int_equal(report->note_count, expected ? 1 : 0);
	if (expected)
		assert_string_equal(report->notes[0].text, expected);
	weir_report_free(report);
	weir_profile_free(profile);
}

static void figures_with_conditions_are_noted_if_there_are_no_main_ones(void **state)
{
	(void)state;
	expect_note((struct stated[]){{"fa@0/pp512_ms", 9},
	                              {"fa@0/tg128_ms", 5},
	                              {"fa@1/pp512_ms", 8},
	                              {"fa@1/tg128_ms", 4},
	                              {0}},
	            "over the 2 configurations of the file (fa: 0, 1): pp512 8 to 9 ms, "
	            "tg128 4 to 5 ms (weir convert prints all)");
	expect_note((struct stated[]){{"device@0/power_w", 9}, {"power_w", 9}, {0}}, NULL);
	/* a row of a table is no condition, also with such a name */
	expect_note((struct stated[]){{"kernels/gemm@2/total_ns", 9}, {0}}, NULL);
}

static void one_condition_that_differs_is_named(void **state)
{
	(void)state;
	expect_note((struct stated[]){{"load/devices@CPU/throughput_fps", 9},
	                              {"load/devices@GPU.0/throughput_fps", 20},
	                              {0}},
	            "over the 2 configurations of the file (devices: CPU, GPU.0): throughput 9 to "
	            "20 frames/s (weir convert prints all)");
	expect_note((struct stated[]){{"load/a@1/throughput_fps", 9},
	                              {"load/b@1/throughput_fps", 20},
	                              {0}},
	            "over the 2 configurations of the file: throughput 9 to 20 frames/s (weir "
	            "convert prints all)");
}

static void expect_range(struct weir_profile *profile, const char *expected)
{
	expect_stated_headline(profile, weir_describe_stated_ranges, expected);
}

static void the_range_of_the_main_figure_is_a_headline(void **state)
{
	(void)state;
	expect_range(stated_profile((struct stated[]){{"rate@1/mean_ttft_ms", 9},
	                                              {"rate@1/request_throughput", 1},
	                                              {"rate@8/request_throughput", 4},
	                                              {0}}),
	             "request throughput 1 to 4 requests/s over the 2 loads of the file; "
	             "they do not show where the time goes");
	expect_range(stated_profile((struct stated[]){
			     {"fa@0/mean_step_ms", 5}, {"fa@1/mean_step_ms", 5}, {0}}),
	             "mean step 5 ms over the 2 configurations of the file; they do not show "
	             "where the time goes");
	/* with results of one test that a number tells apart */
	expect_range(stated_profile((struct stated[]){{"fa@0/pp512_mean_ms", 5},
	                                              {"fa@1/pp512_mean_ms", 7},
	                                              {"fa@0/pp512#2_mean_ms", 2},
	                                              {"fa@1/pp512#2_mean_ms", 9},
	                                              {0}}),
	             "pp512 mean 2 to 9 ms over the 4 results of the file; they do not show where "
	             "the time goes");
	expect_range(stated_profile((struct stated[]){{"rate@1/request_throughput", 1}, {0}}),
	             NULL);
	expect_range(stated_profile((struct stated[]){{"request_throughput", 1}, {0}}), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(saturation_is_named_from_a_twentieth_below_the_highest_throughput),
		cmocka_unit_test(a_throughput_that_falls_by_a_tenth_is_named),
		cmocka_unit_test(output_tokens_go_before_requests),
		cmocka_unit_test(results_that_differ_by_more_than_their_load_give_no_headline),
		cmocka_unit_test(the_parts_of_a_request_at_the_last_load_are_noted),
		cmocka_unit_test(the_largest_part_of_a_single_result_is_the_headline),
		cmocka_unit_test(the_parts_of_a_single_result_are_noted),
		cmocka_unit_test(figures_with_conditions_are_noted_if_there_are_no_main_ones),
		cmocka_unit_test(one_condition_that_differs_is_named),
		cmocka_unit_test(the_range_of_the_main_figure_is_a_headline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
