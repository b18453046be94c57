/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA "tests/data/locust/"
#define HEADER                                                                                     \
	"Type,Name,Request Count,Failure Count,Average Response Time,Requests/s,50%,99.9%,100%\n"
#define ALL(requests, failed) ",Aggregated," requests "," failed ",7.5,2,7,9,9\n"

static const struct weir_reader *const reader = &weir_reader_locust;

static void requests_and_all_of_them_become_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "run_stats.csv", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "mean_latency_ms", 417.5, false, "ms");
	reading_expects_figure(run, "median_latency_ms", 590.5, false, "ms");
	reading_expects_figure(run, "min_latency_ms", 1.5, false, "ms");
	reading_expects_figure(run, "max_latency_ms", 1250.75, false, "ms");
	reading_expects_figure(run, "p95_latency_ms", 900, false, "ms");
	reading_expects_figure(run, "p99.99_latency_ms", 1300, false, "ms");
	reading_expects_figure(run, "request_throughput", 15.375, true, "1/s");
	reading_expects_figure(run, "failures_per_s", 0.1025, false, "1/s");
	reading_expects_figure(run, "request@POST /v1/completions/p99_latency_ms", 1200, false,
	                       "ms");
	reading_expects_figure(run, "request@GET /health/request_throughput", 5.125, true, "1/s");
	assert_int_equal(run->metrics.count, 3 * (4 + 2 + 10));
	assert_string_equal(weir_run_label(run, "completed"), "298");
	assert_string_equal(weir_run_label(run, "failed"), "2");
	assert_string_equal(weir_run_label(run, "request@GET /health/completed"), "100");
	assert_null(weir_run_label(run, "request@GET /health/failed"));
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].count, 1);
	assert_string_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].detail,
	                    "2 of 300 requests failed, and their times are counted");
	weir_profile_free(profile);
}

static void one_request_is_all_of_them(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, DATA "run_2019.csv", profile)->run;

	(void)state;
	reading_expects_figure(run, "mean_latency_ms", 32, false, "ms");
	reading_expects_figure(run, "request_throughput", 75.5, true, "1/s");
	assert_int_equal(run->metrics.count, 5);
	weir_profile_free(profile);
	profile = weir_profile_new();
	run = reading_of(reader, HEADER "GET,/,5,0,7.5,2,7,9,9\n", profile)->run;
	reading_expects_figure(run, "request@GET //mean_latency_ms", 7.5, false, "ms");
	assert_int_equal(run->metrics.count, 4);
	weir_profile_free(profile);
}

static void requests_that_all_failed_are_named(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, HEADER "GET,/,5,4,7.5,2,7,9,9\nPOST,/buy,3,3,9,2,9,9,9\n" ALL("8", "7"),
		profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 1);
	assert_string_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].detail,
	                    "all 3 requests of \"/buy\" failed");
	assert_string_equal(weir_run_label(input->run, "request@POST /buy/completed"), "0");
	assert_string_equal(weir_run_label(input->run, "request@POST /buy/failed"), "3");
	assert_null(weir_series_find(&input->run->metrics, "request@POST /buy/median_latency_ms"));
	weir_profile_free(profile);
}

static void failures_are_told_and_nothing_else_means_nothing(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	assert_int_equal(reading_of(reader, HEADER ALL("5", "0"), profile)
	                         ->warnings[WEIR_WARN_FAILED_COUNTED]
	                         .count,
	                 0);
	weir_profile_free(profile);
	profile = weir_profile_new();
	assert_int_equal(reading_of(reader, HEADER ALL("5", "4"), profile)
	                         ->warnings[WEIR_WARN_FAILED_COUNTED]
	                         .count,
	                 1);
	weir_profile_free(profile);
	reading_refuses(reader, HEADER ALL("5", "5"), WEIR_E_FORMAT, "no request completed");
	reading_refuses(reader, HEADER ALL("0", "0"), WEIR_E_FORMAT, "no request completed");
	reading_refuses(reader, HEADER, WEIR_E_EMPTY, "Aggregated");
}

static void odd_rows_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		HEADER "GET,/a,5,0,N/A,2,,x,9\nGET,/b,5,0,1\nGET,/c,5,0,3,2,-1,7,9\n" ALL(
			"10", "0") "GET,/d,5,0,7.5,2,7,9,1",
		profile);

	(void)state;
	reading_expects_figure(input->run, "request@GET /a/request_throughput", 2, true, "1/s");
	reading_expects_figure(input->run, "request@GET /c/p99.9_latency_ms", 7, false, "ms");
	assert_int_equal(input->run->metrics.count, 1 + 3 + 4);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

static void names_are_cut_and_printable(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_run *run;

	(void)state;
	weir_text_puts(&text, HEADER "GET,\"a\nb\",5,0,7.5,2,7,9,9\nGET,");
	weir_text_repeat(&text, "x", 300);
	weir_text_puts(&text, ",5,0,7.5,2,7,9,9\n");
	run = reading_of(reader, text.data, profile)->run;
	reading_expects_figure(run, "request@GET a?b/mean_latency_ms", 7.5, false, "ms");
	for (size_t i = 0; i < run->metrics.count; i++)
		assert_true(strlen(run->metrics.items[i].name) < 200);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void requests_are_limited(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, HEADER);
	for (int i = 0; i < 1100; i++)
		weir_text_printf(&text, "GET,/%d,5,0,7.5,2,7,9,9\n", i);
	reading_refuses(reader, text.data, WEIR_E_LIMIT, "more than 4096 figures");
	weir_text_release(&text);
}

static void other_files_of_locust_are_refused(void **state)
{
	static const char *const heads[] = {
		("Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,"
	         "99%,99.9%,99.99%,100%,Total Request Count,Total Failure Count\n"),
		"Method,Name,Error,Occurrences\n",
		"Count,Message,Traceback,Nodes\n",
		"[{\"name\": \"/\", \"num_none_requests\": 0, \"response_times\": {}}]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		const char *why = weir_sniff_refusal(reader, heads[i], strlen(heads[i]));

		assert_string_equal(reading_claims(heads[i]), "none");
		assert_non_null(why);
		assert_non_null(strstr(why, "PREFIX_stats.csv"));
	}
	assert_string_equal(reading_claims(HEADER ALL("5", "0")), "locust");
	assert_string_equal(reading_claims("99%,99.9%,99.99%,100%\n"), "none");
}

#define POST(count) "POST,/chat," count ",0,7.5,2,7,9,9\n"

static void events_of_the_same_requests_are_not_added_up(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, DATA "events_stats.csv", profile)->run;

	(void)state;
	assert_null(weir_series_find(&run->metrics, "median_latency_ms"));
	reading_expects_figure(run, "request_throughput", 2, true, "1/s");
	reading_expects_figure(run, "request@LLM e2e/median_latency_ms", 4000, false, "ms");
	reading_expects_figure(run, "request@LLM ttft/median_latency_ms", 250, false, "ms");
	reading_expects_label(run, "completed", "120");
	reading_expects_label(run, "aggregated_events", "361");
	weir_profile_free(profile);
}

/* Equal counts of methods, other counts of events, and a count of one are no sign of events. */
static void rows_of_different_requests_are_added_up(void **state)
{
	static const char *const texts[] = {
		HEADER POST("5") "GET,/,5,0,7.5,2,7,9,9\n" ALL("10", "0"),
		HEADER POST("5") "LLM,e2e,6,0,7.5,2,7,9,9\n" ALL("11", "0"),
		HEADER POST("1") "LLM,e2e,1,0,7.5,2,7,9,9\n" ALL("2", "0"),
		HEADER "LLM,e2e,5,0,7.5,2,7,9,9\nLLM,ttft,5,0,7.5,2,7,9,9\n" ALL("10", "0"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_run *run = reading_of(reader, texts[i], profile)->run;

		reading_expects_figure(run, "mean_latency_ms", 7.5, false, "ms");
		reading_expects_label(run, "aggregated_events", NULL);
		weir_profile_free(profile);
	}
}

static void two_requests_of_each_are_enough(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader, HEADER POST("2") "LLM,e2e,2,0,7.5,2,7,9,9\n" ALL("4", "0"),
	                   profile)
			->run;

	(void)state;
	assert_null(weir_series_find(&run->metrics, "mean_latency_ms"));
	reading_expects_label(run, "completed", "2");
	weir_profile_free(profile);
}

static void damaged_files_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, HEADER "GET,/,5,1,7.5,2,7,9,9\n" ALL("5", "1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_and_all_of_them_become_figures),
		cmocka_unit_test(one_request_is_all_of_them),
		cmocka_unit_test(requests_that_all_failed_are_named),
		cmocka_unit_test(failures_are_told_and_nothing_else_means_nothing),
		cmocka_unit_test(odd_rows_are_left_out),
		cmocka_unit_test(names_are_cut_and_printable),
		cmocka_unit_test(requests_are_limited),
		cmocka_unit_test(other_files_of_locust_are_refused),
		cmocka_unit_test(events_of_the_same_requests_are_not_added_up),
		cmocka_unit_test(rows_of_different_requests_are_added_up),
		cmocka_unit_test(two_requests_of_each_are_enough),
		cmocka_unit_test(damaged_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
