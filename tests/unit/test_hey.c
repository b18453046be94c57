/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of hey, oha and ghz: the text of all, and the JSON of oha and ghz. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA    "tests/data/hey/"
#define TIMES   "  Slowest: 2 ms\n  Fastest: 1 ms\n  Average: 1.5 ms\n  Requests/sec: 5\n"
#define SUMMARY "Summary:\n" TIMES
#define GHZ     "Summary:\n  Count: 10\n  Total: 2.00 s\n" TIMES
#define CODES   "\nStatus code distribution:\n"
#define ERRORS  "\nError distribution:\n"

static const struct weir_reader *const reader = &weir_reader_hey;

static double figure_of(const struct weir_input *input, const char *name)
{
	const struct weir_series *series = weir_series_find(&input->run->metrics, name);

	return series ? series->value[0] : NAN;
}

static void hey_states_times_in_seconds(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "hey.txt", profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 7 + 3 + 2);
	reading_expects_figure(input->run, "mean_latency_ms", 12.2, false, "ms");
	reading_expects_figure(input->run, "max_latency_ms", 245.1, false, "ms");
	reading_expects_figure(input->run, "min_latency_ms", 3.1, false, "ms");
	reading_expects_figure(input->run, "median_latency_ms", 10.2, false, "ms");
	reading_expects_figure(input->run, "p99_latency_ms", 110.2, false, "ms");
	reading_expects_figure(input->run, "request_throughput", 4000 / 10.0125, true, "1/s");
	reading_expects_figure(input->run, "failed_pct", 100 * 30 / 4030., false, "%");
	reading_expects_label(input->run, "completed", "4000");
	reading_expects_label(input->run, "failed", "30");
	reading_expects_label(input->run, "duration_s", "10.0125");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

/* Errors of gRPC are among the statuses. */
static void both_forms_of_ghz_say_the_same(void **state)
{
	static const char *const files[] = {DATA "ghz.txt", DATA "ghz.json"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_file(reader, files[i], profile);

		assert_int_equal(input->run->metrics.count, 7 + 3 + 2);
		reading_expects_figure(input->run, "mean_latency_ms", 3.05, false, "ms");
		reading_expects_figure(input->run, "min_latency_ms", 0.8415, false, "ms");
		reading_expects_figure(input->run, "median_latency_ms", 2.81, false, "ms");
		reading_expects_figure(input->run, "request_throughput", 3200, true, "1/s");
		reading_expects_label(input->run, "completed", "4000");
		reading_expects_label(input->run, "failed", "10");
		assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
		weir_profile_free(profile);
	}
}

/* Requests that the end of oha's test cut off did not fail. */
static void both_forms_of_oha_say_the_same(void **state)
{
	static const char *const files[] = {DATA "oha.txt", DATA "oha.json"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_file(reader, files[i], profile);

		assert_int_equal(input->run->metrics.count, 9 + 3 + 2 + (i ? 1 + 9 : 0));
		assert_true(fabs(figure_of(input, "mean_latency_ms") - 15.6) < 0.05);
		assert_true(fabs(figure_of(input, "p99.99_latency_ms") - 72.4) < 0.05);
		assert_true(fabs(figure_of(input, "request_throughput") - 1976 / 10.0021) < 1e-9);
		reading_expects_label(input->run, "completed", "1976");
		reading_expects_label(input->run, "failed", "30");
		assert_int_equal(input->warnings[WEIR_WARN_UNFINISHED].count, 8);
		assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
		weir_profile_free(profile);
	}
}

/* A name of more than 250 bytes is no path of a leaf. */
static void errors_of_oha_with_long_names_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_input *input;

	(void)state;
	weir_text_puts(&text, "{\"summary\": {\"successRate\": 0.8, \"total\": 2, "
	                      "\"requestsPerSec\": 5}, \"statusCodeDistribution\": {\"200\": 8}, "
	                      "\"errorDistribution\": {\"");
	weir_text_repeat(&text, "long ", 60);
	weir_text_puts(&text, "\": 2}}");
	input = reading_of(reader, text.data, profile);
	reading_expects_label(input->run, "completed", "8");
	reading_expects_label(input->run, "failed", "2");
	assert_true(figure_of(input, "request_throughput") == 4);
	weir_profile_free(profile);
	weir_text_release(&text);
}

static void failed_requests_are_counted_once(void **state)
{
	static const struct {
		const char *text, *completed, *failed;
		double rate;
	} cases[] = {
		{SUMMARY, NULL, NULL, 5},
		{GHZ, "10", NULL, 5},
		{GHZ CODES "  [OK] 10 responses\n", "10", NULL, 5},
		{GHZ CODES "  [OK] 8 responses\n", "8", "2", 4},
		{GHZ CODES "  [OK] 8 responses\n  [Canceled] 2 responses\n" ERRORS "  [2]  a: b\n",
	         "8", "2", 4},
		{SUMMARY "Total: 2 secs\n" CODES "  [399]\t10 responses\n", "10", NULL, 5},
		{SUMMARY "Total: 2 secs\n" CODES "  [200]\t9 responses\n  [400]\t1 responses\n",
	         "9", "1", 4.5},
		{SUMMARY "Total: 2 secs\n" CODES "  [200]\t6 responses\n" ERRORS
	                 "  [4]\tGet: EOF\n",
	         "6", "4", 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_of(reader, cases[i].text, profile);

		reading_expects_label(input->run, "completed", cases[i].completed);
		reading_expects_label(input->run, "failed", cases[i].failed);
		assert_true(figure_of(input, "request_throughput") == cases[i].rate);
		weir_profile_free(profile);
	}
	reading_refuses(reader, SUMMARY CODES "  [500] 9 responses\n", WEIR_E_FORMAT,
	                "no request completed");
	reading_refuses(reader, SUMMARY ERRORS "  [9] refused\n", WEIR_E_FORMAT,
	                "no request completed");
}

/* They do not state their load, and so are no repeats of one. */
static void several_reports_are_side_by_side(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   SUMMARY "  50%% in 7 ms\n" CODES "  [200] 8 responses\n" ERRORS
	                           "  [2] a: b\n" SUMMARY "  50%% in 9 ms\n  Slowest: 5 ms\n" CODES
	                           "  [200] 3 responses\n" SUMMARY CODES "  [500] 4 responses\n",
	                   profile);

	(void)state;
	assert_true(figure_of(input, "load/median_latency_ms") == 7);
	assert_true(figure_of(input, "load#2/median_latency_ms") == 9);
	assert_true(figure_of(input, "load#2/max_latency_ms") == 2);
	assert_true(figure_of(input, "load/failed_pct") == 20);
	assert_true(isnan(figure_of(input, "load#3/max_latency_ms")));
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 4);
	assert_null(input->repeats);
	weir_profile_free(profile);
}

static void damage_costs_the_line_alone(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, "Slowest: 2 parsecs\nFastest: 1 ms\nRequests/sec: 12", profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
	reading_survives_damage(reader, GHZ "  50 % in 1 ms\n" CODES "  [OK] 9 responses\n" ERRORS
	                                    "  [1] a\n");
	reading_survives_damage(
		reader, "{\"count\": 2, \"average\": 5, \"statusCodeDistribution\": {\"OK\": "
			"2}, \"latencyDistribution\": [{\"percentage\": 50, \"latency\": "
			"7}]}");
	reading_survives_damage(
		reader, "{\"summary\": {\"successRate\": 0.5, \"total\": 2, \"slowest\": 1e-3}, "
			"\"latencyPercentiles\": {\"p50\": 0.5}, \"statusCodeDistribution\": "
			"{\"200\": 8}, \"errorDistribution\": {\"aborted due to deadline\": 3}}");
}

static void other_reports_are_not_claimed(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(SUMMARY), "hey");
	assert_string_equal(reading_claims("Summary:\n  Success rate: 100%\n" SUMMARY), "hey");
	assert_string_equal(
		reading_claims("{\"summary\": {\"successRate\": 1, \"requestsPerSec\": 2}, "
	                       "\"responseTimeHistogram\": {}, "
	                       "\"latencyPercentiles\": {}}"),
		"hey");
	assert_string_equal(reading_claims("{\"summary\": {\"total\": 1}, "
	                                   "\"responseTimeHistogram\": {}, "
	                                   "\"latencyPercentiles\": {}}"),
	                    "none");
	assert_string_equal(reading_claims("Requests/sec: 5\n"), "none");
	reading_refuses(reader, "hello\n", WEIR_E_EMPTY, "hey, oha or ghz");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hey_states_times_in_seconds),
		cmocka_unit_test(both_forms_of_ghz_say_the_same),
		cmocka_unit_test(both_forms_of_oha_say_the_same),
		cmocka_unit_test(errors_of_oha_with_long_names_are_counted),
		cmocka_unit_test(failed_requests_are_counted_once),
		cmocka_unit_test(several_reports_are_side_by_side),
		cmocka_unit_test(damage_costs_the_line_alone),
		cmocka_unit_test(other_reports_are_not_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
