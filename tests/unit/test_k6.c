/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summaries of k6: both forms of JSON, and the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA          "tests/data/k6/"
#define JSON(metrics) "{\"metrics\": {" metrics "}}"
#define TIMES(values) "\"http_req_duration\": {" values "}"
#define REQUESTS(n)   "\"http_reqs\": {\"count\": " n ", \"rate\": 5}"
#define FAILED(share) "\"http_req_failed\": {\"passes\": 1, \"fails\": 2, \"value\": " share "}"
#define LINE(times)   "  http_req_duration....: " times "\n"
#define LINES         LINE("avg=2ms med=1ms") "  http_reqs....: 10  5.5/s\n"

static const struct weir_reader *const reader = &weir_reader_k6;

static void figures_of_an_export_are_those_of_all_requests(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "summary.json", profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 6 + 1 + 1);
	reading_expects_figure(input->run, "mean_latency_ms", 20.5, false, "ms");
	reading_expects_figure(input->run, "median_latency_ms", 18, false, "ms");
	reading_expects_figure(input->run, "min_latency_ms", 2.25, false, "ms");
	reading_expects_figure(input->run, "max_latency_ms", 410.5, false, "ms");
	reading_expects_figure(input->run, "p90_latency_ms", 31.5, false, "ms");
	reading_expects_figure(input->run, "p95_latency_ms", 44.25, false, "ms");
	reading_expects_figure(input->run, "request_throughput", 40.125, true, "1/s");
	reading_expects_figure(input->run, "failed_pct", 2.5, false, "%");
	reading_expects_label(input->run, "completed", "390");
	reading_expects_label(input->run, "failed", "10");
	reading_expects_label(input->run, "vus", NULL);
	reading_expects_label(input->run, "vus_max", "5");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

static void values_may_be_an_object_of_their_own(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "values.json", profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 7 + 1 + 1);
	reading_expects_figure(input->run, "p99.9_latency_ms", 30, false, "ms");
	reading_expects_figure(input->run, "failed_pct", 0, false, "%");
	reading_expects_label(input->run, "completed", "200");
	reading_expects_label(input->run, "failed", "0");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].count, 0);
	weir_profile_free(profile);
}

static void the_text_has_the_same_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "console.txt", profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 6 + 1 + 1);
	reading_expects_figure(input->run, "mean_latency_ms", 20.5, false, "ms");
	reading_expects_figure(input->run, "min_latency_ms", 0.9505, false, "ms");
	reading_expects_figure(input->run, "max_latency_ms", 61500, false, "ms");
	reading_expects_figure(input->run, "p95_latency_ms", 1250, false, "ms");
	reading_expects_figure(input->run, "request_throughput", 40.125, true, "1/s");
	reading_expects_figure(input->run, "failed_pct", 2.5, false, "%");
	reading_expects_label(input->run, "completed", "390");
	reading_expects_label(input->run, "vus", NULL);
	reading_expects_label(input->run, "vus_max", "5");
	weir_profile_free(profile);
}

static void of_several_summaries_the_first_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, LINES LINE("avg=7ms med=6ms"), profile);

	(void)state;
	reading_expects_figure(input->run, "mean_latency_ms", 2, false, "ms");
	assert_int_equal(input->warnings[WEIR_WARN_DUPLICATE].count, 1);
	weir_profile_free(profile);
}

static void damaged_figures_are_counted(void **state)
{
	static const struct {
		const char *text;
		unsigned bad;
		size_t figures;
	} cases[] = {
		{JSON(TIMES("\"avg\": -1, \"med\": 2, \"p(95)\": \"x\"")), 2, 1},
		{JSON(TIMES("\"p(0)\": 1, \"p(100)\": 1, \"p(99)\": 1, \"q(9)\": 1, \"count\": 3")),
	         0, 1},
		{JSON(TIMES("\"med\": 2") "," FAILED("1.5")), 0, 1},
		{JSON(TIMES("\"med\": 2") "," FAILED("-1")), 1, 1},
		{LINE("avg=2 med=1ms max=1x p(90)=ms p(95)="), 4, 1},
		{LINE("med=1ms") "my_http_req_duration..: avg=1ms\n  http_reqs....: 5 x\n", 1, 1},
		{LINE("med=1ns max=1h p(90)=1us p(95)=1\xce\xbcs"), 0, 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_of(reader, cases[i].text, profile);

		assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, cases[i].bad);
		assert_int_equal(input->run->metrics.count, cases[i].figures);
		weir_profile_free(profile);
	}
	reading_survives_damage(reader, JSON(TIMES("\"avg\": 1") "," REQUESTS("4")));
	reading_survives_damage(reader, LINES);
}

static void a_summary_without_answers_is_refused(void **state)
{
	(void)state;
	reading_refuses(reader, JSON(TIMES("\"med\": 2") "," FAILED("1")), WEIR_E_FORMAT,
	                "no request completed");
	reading_refuses(reader, JSON(TIMES("\"med\": 0") "," REQUESTS("0")), WEIR_E_FORMAT,
	                "no request completed");
	reading_refuses(reader, JSON("\"iterations\": {\"count\": 3}"), WEIR_E_EMPTY,
	                "http_req_duration");
	reading_refuses(reader, "hello\n", WEIR_E_EMPTY, "http_req_duration");
}

static void summaries_are_recognised(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(JSON(TIMES("\"avg\": 1"))), "k6");
	assert_string_equal(
		reading_claims("{\"root_group\": {}, \"metrics\": {\"iteration_duration\""
	                       ": {}}}"),
		"k6");
	assert_string_equal(reading_claims(LINES), "k6");
	assert_string_equal(reading_claims("{\"metrics\": {\"latency\": {}}}"), "none");
}

/* Reads a text and expects its labels; NULL: there is no such label. */
static void expect_labels(const char *text, const char *vus, const char *thresholds)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, text, profile);

	reading_expects_label(input->run, "vus", vus);
	reading_expects_label(input->run, "failed_thresholds", thresholds);
	weir_profile_free(profile);
}

static void users_in_use_are_not_those_that_were_initialised(void **state)
{
	(void)state;
	expect_labels(JSON(TIMES("\"avg\": 1") ", \"vus\": {\"values\": {\"value\": 47, \"max\": "
	                                       "264}}, \"vus_max\": {\"values\": {\"max\": 2000}}"),
	              "264", NULL);
	expect_labels(LINES "  vus......: 1 min=1 max=20\n  vus_max....: 30 min=30 max=30\n", "20",
	              NULL);
}

#define CROSS "\xe2\x9c\x97 "
#define TICK  "\xe2\x9c\x93 "

static void thresholds_that_failed_are_a_label(void **state)
{
	(void)state;
	expect_labels(JSON(TIMES("\"avg\": 1, \"thresholds\": {\"p(95)<500\": {\"ok\": false}, "
	                         "\"avg<9\": {\"ok\": true}}") ", \"sold_out\": {\"thresholds\": "
	                                                       "{\"count>=5\": {\"ok\": false}}}"),
	              NULL, "http_req_duration: p(95)<500, sold_out: count>=5");
	expect_labels(JSON(TIMES("\"avg\": 1, \"thresholds\": {\"p(95)<500\": true, \"avg<9\": "
	                         "false}")),
	              NULL, "http_req_duration: p(95)<500");
	expect_labels(CROSS "http_req_duration....: avg=2ms med=1ms\n" TICK
	                    "http_reqs....: 10 5.5/s\n     " CROSS "status is 200\n",
	              NULL, "http_req_duration");
	expect_labels("    http_req_duration\n    " TICK "'p(95)<500' p(95)=20ms\n    " CROSS
	              "'p(99)<9' p(99)=30ms\n    " CROSS "status was 200\n" LINES,
	              NULL, "http_req_duration: p(99)<9");
	expect_labels(LINES, NULL, NULL);
}

static void expect_checks(const char *text, const char *passed, const char *failed)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader, text, profile)->run;

	reading_expects_label(run, "checks_passed", passed);
	reading_expects_label(run, "checks_failed", failed);
	weir_profile_free(profile);
}

static void checks_are_counted_as_labels(void **state)
{
	(void)state;
	expect_checks("  checks.....: 97.50% " TICK "390      " CROSS "10\n" LINES, "390", "10");
	expect_checks("  checks.....: 100.00% 30 out of 30\n" LINES, NULL, NULL);
	expect_checks("checks_total.......: 30  10/s\nchecks_succeeded...: 90.00% 27 out of 30\n"
	              "checks_failed......: 10.00% 3 out of 30\n" LINES,
	              "27", "3");
	expect_checks(JSON(TIMES("\"avg\": 1") ", \"checks\": {\"passes\": 7, \"fails\": 0}"), "7",
	              "0");
	expect_checks(JSON(TIMES("\"avg\": 1") ", \"checks\": {\"values\": {\"passes\": 7, "
	                                       "\"fails\": -1}}"),
	              "7", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_an_export_are_those_of_all_requests),
		cmocka_unit_test(values_may_be_an_object_of_their_own),
		cmocka_unit_test(the_text_has_the_same_figures),
		cmocka_unit_test(of_several_summaries_the_first_is_read),
		cmocka_unit_test(damaged_figures_are_counted),
		cmocka_unit_test(a_summary_without_answers_is_refused),
		cmocka_unit_test(summaries_are_recognised),
		cmocka_unit_test(users_in_use_are_not_those_that_were_initialised),
		cmocka_unit_test(thresholds_that_failed_are_a_label),
		cmocka_unit_test(checks_are_counted_as_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
