/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of wrk, ab and vegeta, and the results of vegeta. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA "tests/data/http_load/"

/* ---- the smallest reports ---- */

#define WRK_HEAD                                                                                   \
	"Running 2s test @ http://a/\n  2 threads and 8 connections\n"                             \
	"  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
#define WRK_TIMES "    Latency     7.40ms   14.98ms 220.99ms   98.72%\n"
#define WRK_COUNT "  100 requests in 2.00s, 12.00KB read\n"
#define WRK_RATE  "Requests/sec:     50.00\nTransfer/sec:      6.00KB\n"
#define WRK       WRK_HEAD WRK_TIMES WRK_COUNT

#define AB_HEAD                                                                                    \
	"Concurrency Level:      4\nTime taken for tests:   2.000 seconds\n"                       \
	"Complete requests:      100\n"
#define AB_RATE "Requests per second:    50.00 [#/sec] (mean)\n"
#define AB_FAILED(n, reasons)                                                                      \
	"Failed requests:        " n "\n   (Connect: 0, Receive: 0, " reasons ")\n"
#define AB_TABLE "Percentage served,Time in ms\n"

#define VEGETA                                                                                     \
	"Requests      [total, rate, throughput]         100, 50.10, 50.00\n"                      \
	"Duration      [total, attack, wait]             2s, 1.99s, 10ms\n"                        \
	"Latencies     [min, mean, 50, 90, 95, 99, max]  1ms, 2ms, 3ms, 4ms, 5ms, 6ms, 7ms\n"
#define CODES "Status Codes  [code:count]                      "
#define RESULT(code, more)                                                                         \
	"{\"attack\":\"a\",\"seq\":0,\"code\":" code ",\"timestamp\":"                             \
	"\"2026-01-06T11:00:00.5+01:00\",\"latency\":2000000,\"bytes_out\":5,\"bytes_in\":6" more  \
	"}\n"

#define OHA_LIST "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n"
#define HEY_LIST                                                                                   \
	"response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,"     \
	"offset\n"

static double figure_of(const struct weir_input *input, const char *name)
{
	const struct weir_series *series = weir_series_find(&input->run->metrics, name);

	return series ? series->value[0] : NAN;
}

/* Expects counts and the rate of a report. */
static void expect_counts(const struct weir_reader *reader, const char *text, const char *completed,
                          const char *failed, double rate)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, text, profile);

	reading_expects_label(input->run, "completed", completed);
	reading_expects_label(input->run, "failed", failed);
	assert_true(fabs(figure_of(input, "request_throughput") - rate) < 1e-9);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

/* ---- wrk ---- */

static void wrk_states_times_each_with_its_unit(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_wrk,
		WRK_HEAD "    Latency   635.91us    1.20s   2.00m   93.69%\n"
			 "    Req/Sec    56.20k     8.07k   62.00k    86.54%\n"
			 "  Latency Distribution\n     50%  250.00us\n     99%    1.00h\n"
			 "  9 requests in 1.50m, 1.00KB read\nRequests/sec:      0.10\n",
		profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 6);
	reading_expects_figure(input->run, "mean_latency_ms", 0.63591, false, "ms");
	reading_expects_figure(input->run, "stdev_latency_ms", 1200, false, "ms");
	reading_expects_figure(input->run, "max_latency_ms", 120e3, false, "ms");
	reading_expects_figure(input->run, "median_latency_ms", 0.25, false, "ms");
	reading_expects_figure(input->run, "p99_latency_ms", 3600e3, false, "ms");
	reading_expects_figure(input->run, "request_throughput", 0.1, true, "1/s");
	reading_expects_label(input->run, "duration_s", "90");
	reading_expects_label(input->run, "concurrency", "8");
	reading_expects_label(input->run, "threads", "2");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

#define BAD_20 "  Non-2xx or 3xx responses: 20\n"

/* Late responses of wrk are among its requests, broken ones are not. */
static void failed_requests_of_wrk_are_counted_once(void **state)
{
	static const char errors[] = WRK "  Socket errors: connect 1, read 2, write 3, timeout 4\n"
					 "  Non-2xx or 3xx responses: 16\n" WRK_RATE;
	static const char unopened[] =
		WRK "  Socket errors: connect 3, read 0, write 0, timeout 0\n" WRK_RATE;
	static const char of_wrk2[] = WRK_HEAD
		"  Thread calibration: mean lat.: 9223372036854776.000ms, rate sampling interval: "
		"10ms\n" WRK_TIMES WRK_COUNT
		"  Socket errors: connect 0, read 0, write 0, timeout 4\n" WRK_RATE;
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(&weir_reader_wrk, errors, profile);

	(void)state;
	assert_ptr_equal(strstr(input->warnings[WEIR_WARN_FAILED_COUNTED].detail,
	                        "25 of 105 requests failed: bad status 16, read errors 2, "),
	                 input->warnings[WEIR_WARN_FAILED_COUNTED].detail);
	input = reading_of(&weir_reader_wrk, unopened, profile);
	assert_string_equal(input->warnings[WEIR_WARN_OF_TOOL].detail,
	                    "connections were not opened 3 times");
	reading_expects_label(input->run, "failed", NULL);
	weir_profile_free(profile);
	expect_counts(&weir_reader_wrk, WRK WRK_RATE, "100", NULL, 50);
	expect_counts(&weir_reader_wrk, errors, "80", "25", 40);
	/* The rate is more precise than the time, if both are of the same requests. */
	expect_counts(&weir_reader_wrk, WRK BAD_20 "Requests/sec:     49.76\n", "80", "20", 39.808);
	expect_counts(&weir_reader_wrk, WRK BAD_20 "Requests/sec:     49.74\n", "80", "20", 40);
	expect_counts(&weir_reader_wrk, of_wrk2, "100", "4", 50);
	expect_counts(&weir_reader_wrk, WRK "  Non-2xx or 3xx responses: 99\n", "1", "99", 0.5);
	reading_refuses(&weir_reader_wrk, WRK "  Non-2xx or 3xx responses: 100\n", WEIR_E_FORMAT,
	                "no request completed");
	reading_refuses(&weir_reader_wrk, WRK_HEAD "  0 requests in 2.00s, 0.00B read\n",
	                WEIR_E_FORMAT, "no request completed");
}

static void percentiles_that_wrk_does_not_print_are_unknown(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(&weir_reader_wrk, WRK WRK_RATE, profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 4);
	assert_null(weir_series_find(&input->run->metrics, "median_latency_ms"));
	weir_profile_free(profile);
}

static void latencies_of_wrk2_count_from_when_a_request_was_due(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(&weir_reader_wrk, DATA "wrk2.txt", profile);

	(void)state;
	reading_expects_figure(input->run, "median_latency_ms", 10.9, false, "ms");
	reading_expects_figure(input->run, "p95_latency_ms", 42.359, false, "ms");
	reading_expects_figure(input->run, "p99.999_latency_ms", 109.3, false, "ms");
	reading_expects_figure(input->run, "median_uncorrected_latency_ms", 9.87, false, "ms");
	reading_expects_figure(input->run, "p99_uncorrected_latency_ms", 29.85, false, "ms");
	assert_null(weir_series_find(&input->run->metrics, "p95_uncorrected_latency_ms"));
	assert_null(weir_series_find(&input->run->metrics, "p80_latency_ms"));
	weir_profile_free(profile);
}

static void several_reports_are_loads_side_by_side(void **state)
{
	static const char other[] = "  2 threads and 16 connections\n" WRK_TIMES WRK_COUNT WRK_RATE;
	static const char failed[] = "  2 threads and 32 connections\n" WRK_COUNT
				     "  Non-2xx or 3xx responses: 100\n" WRK_RATE;
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_input *input;

	(void)state;
	weir_text_puts(&text, WRK WRK_RATE);
	weir_text_puts(&text, other);
	weir_text_puts(&text, failed);
	input = reading_of(&weir_reader_wrk, text.data, profile);
	reading_expects_figure(input->run, "concurrency@8/mean_latency_ms", 7.4, false, "ms");
	reading_expects_figure(input->run, "concurrency@16/mean_latency_ms", 7.4, false, "ms");
	assert_int_equal(input->run->metrics.count, 8);
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 100);
	weir_profile_free(profile);
	weir_text_release(&text);
}

static void a_report_that_ends_early_does_not_spoil_the_next(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_wrk, WRK_HEAD WRK WRK_RATE, profile);

	(void)state;
	reading_expects_figure(input->run, "mean_latency_ms", 7.4, false, "ms");
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 1);
	weir_profile_free(profile);
	reading_refuses(&weir_reader_wrk, WRK_HEAD, WEIR_E_EMPTY, "no times and no rate");
}

static void names_of_containers_before_the_lines_are_passed_over(void **state)
{
	static const char log[] =
		"attack_1  | Requests      [total, rate, throughput]  100, 50.10, 50.00\n"
		"server_1  | 503 Service Unavailable\n"
		"attack_1  | Duration      [total, attack, wait]      2s, 1.99s, 10ms\n"
		"attack_1  | Latencies     [mean, 50, 95, 99, max]    1ms, 2ms, 3ms, 4ms, 5ms\n"
		"attack_1  | " CODES "200:90 503:10\n";

	(void)state;
	assert_string_equal(reading_claims(log), "vegeta");
	expect_counts(&weir_reader_vegeta, log, "90", "10", 45);
}

/* ---- ab ---- */

static void ab_states_whole_milliseconds(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(&weir_reader_ab, DATA "ab.txt", profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 17);
	reading_expects_figure(input->run, "min_latency_ms", 1, false, "ms");
	reading_expects_figure(input->run, "mean_latency_ms", 5, false, "ms");
	reading_expects_figure(input->run, "stdev_latency_ms", 2.9, false, "ms");
	reading_expects_figure(input->run, "median_latency_ms", 4, false, "ms");
	reading_expects_figure(input->run, "p98_latency_ms", 13, false, "ms");
	reading_expects_figure(input->run, "max_latency_ms", 14, false, "ms");
	reading_expects_figure(input->run, "mean_waiting_ms", 5, false, "ms");
	reading_expects_figure(input->run, "request_throughput", 1186.73, true, "1/s");
	reading_expects_label(input->run, "completed", "300");
	reading_expects_label(input->run, "failed", NULL);
	reading_expects_label(input->run, "concurrency", "8");
	reading_expects_label(input->run, "duration_s", "0.253");
	weir_profile_free(profile);
}

static void ab_without_percentiles_has_mean_and_extremes(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(&weir_reader_ab, DATA "ab_short.txt", profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 6);
	reading_expects_figure(input->run, "mean_latency_ms", 2, false, "ms");
	reading_expects_figure(input->run, "max_latency_ms", 7, false, "ms");
	assert_null(weir_series_find(&input->run->metrics, "median_latency_ms"));
	weir_profile_free(profile);
}

static void answers_of_another_length_are_no_failures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(&weir_reader_ab, DATA "ab_errors.txt", profile);

	(void)state;
	assert_string_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].detail,
	                    "15 of 300 requests failed: bad status 15; 297 answers of another "
	                    "length count as completed");
	weir_profile_free(profile);
	expect_counts(&weir_reader_ab, AB_HEAD AB_FAILED("99", "Length: 99, Exceptions: 0") AB_RATE,
	              "100", NULL, 50);
	expect_counts(&weir_reader_ab, AB_HEAD AB_FAILED("3", "Length: 1, Exceptions: 2") AB_RATE,
	              "100", "2", 50);
	expect_counts(&weir_reader_ab,
	              AB_HEAD "Failed requests: 9\n   (Connect: 2, Receive: 3, Length: 4, "
	                      "Exceptions: 0)\nNon-2xx responses: 17\nWrite errors: 1\n" AB_RATE,
	              "80", "23", 40);
	expect_counts(&weir_reader_ab,
	              AB_HEAD "Failed requests: 4\n   (Connect: 1, Length: 3, Exceptions: 0)\n",
	              "100", "1", 50);
	expect_counts(&weir_reader_ab, AB_HEAD "Failed requests: 10\n", "90", "10", 45);
	reading_refuses(&weir_reader_ab, AB_HEAD "Non-2xx responses: 100\n" AB_RATE, WEIR_E_FORMAT,
	                "no request completed");
}

static void the_table_of_ab_has_the_figures_of_its_report(void **state)
{
	static const char *const files[] = {DATA "ab.txt", DATA "ab_percentiles.csv"};
	struct weir_profile *profiles[2];
	const struct weir_input *inputs[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		profiles[i] = weir_profile_new();
		inputs[i] = reading_file(&weir_reader_ab, files[i], profiles[i]);
	}
	assert_int_equal(inputs[1]->run->metrics.count, 10);
	for (size_t i = 0; i < inputs[1]->run->metrics.count; i++) {
		const struct weir_series *series = &inputs[1]->run->metrics.items[i];

		assert_true(fabs(figure_of(inputs[0], series->name) - series->value[0]) < 1);
	}
	reading_expects_label(inputs[1]->run, "completed", NULL);
	for (size_t i = 0; i < 2; i++)
		weir_profile_free(profiles[i]);
	reading_refuses(&weir_reader_ab, AB_TABLE, WEIR_E_EMPTY, "no times and no rate");
}

/* ---- vegeta ---- */

static void both_forms_of_vegeta_say_the_same(void **state)
{
	static const char *const files[] = {DATA "vegeta.txt", DATA "vegeta.json"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_file(&weir_reader_vegeta, files[i], profile);

		assert_int_equal(input->run->metrics.count, 7 + 2);
		assert_true(fabs(figure_of(input, "median_latency_ms") - 12.05) < 1e-3);
		assert_true(fabs(figure_of(input, "p99_latency_ms") - 38.982) < 1e-3);
		assert_true(fabs(figure_of(input, "request_throughput") - 97.543) < 1e-3);
		reading_expects_label(input->run, "completed", "2926");
		reading_expects_label(input->run, "failed", "74");
		weir_profile_free(profile);
	}
}

static void vegeta_counts_requests_by_their_status(void **state)
{
	(void)state;
	expect_counts(&weir_reader_vegeta, VEGETA CODES "200:100  \n", "100", NULL, 50);
	expect_counts(&weir_reader_vegeta, VEGETA CODES "200:50  399:40  400:7  0:3  \n", "90",
	              "10", 45);
	expect_counts(&weir_reader_vegeta, VEGETA, NULL, NULL, 50);
	reading_refuses(&weir_reader_vegeta, VEGETA CODES "0:100  \n", WEIR_E_FORMAT,
	                "no request completed");
}

static void early_versions_of_vegeta_state_fewer_times(void **state)
{
	static const char early[] =
		"Requests\t[total]\t100\nDuration\t[total, attack, wait]\t1m40.5s, 1m40s, 500ms\n"
		"Latencies\t[mean, 50, 95, 99, max]\t1.5s, 900\xc2\xb5s, 2s, 2.5s, 1h0m3s\n"
		"Status Codes\t[code:count]\t200:201  \n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(&weir_reader_vegeta, early, profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 5 + 1);
	reading_expects_figure(input->run, "median_latency_ms", 0.9, false, "ms");
	reading_expects_figure(input->run, "max_latency_ms", 3603e3, false, "ms");
	reading_expects_figure(input->run, "request_throughput", 2, true, "1/s");
	weir_profile_free(profile);
	assert_string_equal(reading_claims(early), "vegeta");
}

static void results_of_vegeta_are_requests(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_vegeta_results,
		RESULT("200", "") RESULT("399", "") RESULT("400", "") RESULT("0", ""), profile);

	(void)state;
	assert_int_equal(input->requests->count, 2);
	assert_int_equal(input->requests->failed, 2);
	assert_int_equal(input->requests->start_ns[0], INT64_C(1767693600500000000));
	assert_int_equal(input->requests->end_ns[0] - input->requests->start_ns[0], 2000000);
	weir_profile_free(profile);
	reading_refuses(&weir_reader_vegeta_results, RESULT("500", ""), WEIR_E_EMPTY,
	                "none of its 1 requests completed");
	reading_refuses(&weir_reader_vegeta_results, "{\"code\":200,\"latency\":1}\n", WEIR_E_EMPTY,
	                "no request with a start");
	reading_refuses(&weir_reader_vegeta_results, "{\"latency\":1}\n", WEIR_E_EMPTY,
	                "no request with a start");
	reading_refuses(&weir_reader_vegeta_results,
	                "{\"code\":200,\"timestamp\":\"yesterday\",\"latency\":1}\n", WEIR_E_EMPTY,
	                "no request with a start");
}

/* ---- lists of responses ---- */

static void lists_of_responses_are_requests(void **state)
{
	static const char *const texts[] = {
		OHA_LIST "0.5,0,0,0.002,0.004,9,200\n0.25,0,0,0,0.001,9,399\n1,0,0,0,2,0,400\n",
		HEY_LIST "0.0040,0,0,0,0.0020,0,200,0.5\n0.0010,0,0,0,0,0,399,0.25\n"
			 "2.0000,0,0,0,0,0,400,1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_of(&weir_reader_http_list, texts[i], profile);

		assert_string_equal(reading_claims(texts[i]), "http-list");
		assert_int_equal(input->requests->count, 2);
		assert_int_equal(input->requests->failed, 1);
		assert_int_equal(input->requests->start_ns[0], 250000000);
		assert_int_equal(input->requests->end_ns[0], 251000000);
		assert_int_equal(input->requests->end_ns[1], 504000000);
		weir_profile_free(profile);
	}
	reading_refuses(&weir_reader_http_list, OHA_LIST "0,0,0,0,1,9,500\n", WEIR_E_EMPTY,
	                "none of its 1 requests completed");
	reading_refuses(&weir_reader_http_list, OHA_LIST "0,0,0,0,1,9,200", WEIR_E_EMPTY,
	                "no request with a start");
}

static void rows_of_a_list_that_are_damaged_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_http_list,
	                   OHA_LIST "0,0,0,0,1,9,200\n0,0,0,0,fast,9,200\n0,0,0,0,-1,9,200\n"
	                            "0,0,0,0,1e9,9,200\n0,0,0,0,1,9,OK\n0,0,0,0,1\n",
	                   profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	weir_profile_free(profile);
	reading_survives_damage(&weir_reader_http_list, OHA_LIST "0.5,0,0,0.002,0.004,9,200\n");
	reading_survives_damage(&weir_reader_http_list, HEY_LIST "0.5,0,0,0,0,0,200,0.3\n");
	assert_string_equal(reading_claims("request-start,request-duration,status\n0,1,200\n"),
	                    "none");
}

/* ---- damage ---- */

static void numbers_that_cannot_be_are_left_out(void **state)
{
	static const struct {
		const struct weir_reader *reader;
		const char *text;
		size_t figures;
	} cases[] = {
		{&weir_reader_wrk, WRK_HEAD "  Latency 7.40parsecs 1.00ms 2.00ms 9%\n" WRK_RATE, 3},
		{&weir_reader_wrk, WRK_HEAD "  Latency -7.40ms 1.00ms 2.00ms 9%\n" WRK_RATE, 3},
		{&weir_reader_wrk, WRK_HEAD "  Latency 1e300ms 1.00ms 2.00ms 9%\n" WRK_RATE, 3},
		{&weir_reader_wrk, WRK_HEAD WRK_TIMES "Requests/sec: -1\n", 3},
		{&weir_reader_wrk, WRK "  Non-2xx or 3xx responses: 9007199254740993000\n" WRK_RATE,
	         4},
		{&weir_reader_ab, AB_HEAD AB_RATE "Non-2xx responses: -3\n", 1},
		{&weir_reader_ab, AB_TABLE "50,fast\n99,2\n", 1},
		{&weir_reader_ab, AB_TABLE "50,-1\n99,2\n", 1},
		{&weir_reader_vegeta, VEGETA CODES "200:100 x:3 404:-1 5\n", 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_of(cases[i].reader, cases[i].text, profile);

		assert_int_equal(input->run->metrics.count, cases[i].figures);
		assert_true(input->warnings[WEIR_WARN_BAD_NUMBER].count > 0);
		weir_profile_free(profile);
	}
}

/* A number without the end of its line may lack digits, and a time the end of its unit. */
static void a_number_at_the_end_of_a_cut_file_is_left_out(void **state)
{
	static const struct {
		const struct weir_reader *reader;
		const char *text;
		size_t figures;
	} cases[] = {
		{&weir_reader_wrk, WRK_HEAD WRK_TIMES "Requests/sec:     74", 3},
		{&weir_reader_wrk, WRK_HEAD WRK_TIMES "  Latency Distribution\n 50%  4.80m", 3},
		{&weir_reader_ab, AB_HEAD AB_RATE "Non-2xx responses: 1", 1},
		{&weir_reader_ab, AB_TABLE "50,1\n90,2", 1},
		{&weir_reader_vegeta, VEGETA CODES "200:90  500:1", 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_of(cases[i].reader, cases[i].text, profile);

		assert_int_equal(input->run->metrics.count, cases[i].figures);
		assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
		weir_profile_free(profile);
	}
}

static void damaged_reports_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(&weir_reader_wrk,
	                        WRK "  Latency Distribution (HdrHistogram - Recorded Latency)\n"
	                            " 50.000%    1.11ms\n100.000%    2.54ms\n\n"
	                            "  Detailed Percentile spectrum:\n"
	                            "       2.541     0.950000       99900        20.00\n"
	                            "  Socket errors: connect 0, read 3, write 0, timeout 1\n"
	                            "  Non-2xx or 3xx responses: 12\n" WRK_RATE);
	reading_survives_damage(&weir_reader_ab,
	                        AB_HEAD AB_FAILED("3", "Length: 1, Exceptions: 2") AB_RATE
	                        "Connection Times (ms)\nConnect: 0 0 0.0 0 0\nTotal: 1 5 2.9 4 14\n"
	                        "Percentage of the requests served within a certain time (ms)\n"
	                        "  50%      4\n 100%     14 (longest request)\n");
	reading_survives_damage(&weir_reader_ab, AB_TABLE "0,1.2\n50,2.2\n100,3.1\n");
	reading_survives_damage(&weir_reader_vegeta, VEGETA CODES "200:90  0:10  \n");
	reading_survives_damage(&weir_reader_vegeta,
	                        "{\"latencies\":{\"mean\":2,\"99th\":3},\"duration\":5,\"wait\":6,"
	                        "\"requests\":7,\"throughput\":8,\"status_codes\":{\"200\":7}}");
	reading_survives_damage(&weir_reader_vegeta_results, RESULT("200", "") RESULT("0", ""));
}

static void each_text_is_that_of_one_reader(void **state)
{
	static const struct {
		const char *text, *reader;
	} cases[] = {
		{WRK WRK_RATE, "wrk"},
		{"Running 2s test @ http://a/\n  2 threads and 8 connections\n" WRK_COUNT, "none"},
		{"  Thread Stats   Avg      Stdev     Max   +/- Stdev\n", "none"},
		{"{\"log\": \"  2 threads and 8 connections  Thread Stats\"}", "none"},
		{AB_HEAD AB_RATE, "ab"},
		{"Percentage of the requests served within a certain time (ms)\n  50%     12\n",
	         "ab"},
		{"Complete requests:      300\nTime taken for tests:   2 seconds\n", "none"},
		{"<p>" AB_HEAD, "none"},
		{AB_TABLE "0,1.2\n", "ab"},
		{"Percentage served,Time\n0,1.2\n", "none"},
		{VEGETA, "vegeta"},
		{"Requests      [total, rate, throughput]  300, 50.1, 50.0\n", "none"},
		{"{\"latencies\":{\"mean\":2},\"bytes_in\":{},\"bytes_out\":{},\"status_codes\":{}"
	         "}",
	         "vegeta"},
		{"{\"latencies\":{\"mean\":2},\"bytes_in\":{},\"bytes_out\":{}}", "none"},
		{RESULT("200", ""), "vegeta-results"},
		{"{\"attack\":\"a\",\"seq\":0,\"code\":200,\"latency\":1}\n", "none"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(reading_claims(cases[i].text), cases[i].reader);
	reading_refuses(&weir_reader_wrk, "hello\n", WEIR_E_EMPTY, "Thread Stats");
	reading_refuses(&weir_reader_ab, "hello\n", WEIR_E_EMPTY, "Connection Times");
	reading_refuses(&weir_reader_vegeta, "hello\n", WEIR_E_EMPTY, "Latencies");
}

static void requests_without_an_answer_have_the_reasons_that_vegeta_lists(void **state)
{
	static const char errors[] =
		"Error Set:\nPost \"http://h/\": dial tcp: connect: connection refused\n"
		"Post \"http://h/\": context deadline exceeded (Client.Timeout exceeded)\n";
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_input *input;

	(void)state;
	weir_text_printf(&text, "%s%s%s", VEGETA CODES "0:4  200:95  503:1  \n", errors, "");
	input = reading_of(&weir_reader_vegeta, text.data, profile);
	assert_string_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].detail,
	                    "5 of 100 requests failed: bad status 1, no answer 4 (refused "
	                    "connections, timeouts); times may include theirs");
	reading_expects_label(input->run, "failed", "5");
	weir_text_release(&text);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrk_states_times_each_with_its_unit),
		cmocka_unit_test(failed_requests_of_wrk_are_counted_once),
		cmocka_unit_test(percentiles_that_wrk_does_not_print_are_unknown),
		cmocka_unit_test(latencies_of_wrk2_count_from_when_a_request_was_due),
		cmocka_unit_test(several_reports_are_loads_side_by_side),
		cmocka_unit_test(a_report_that_ends_early_does_not_spoil_the_next),
		cmocka_unit_test(names_of_containers_before_the_lines_are_passed_over),
		cmocka_unit_test(ab_states_whole_milliseconds),
		cmocka_unit_test(ab_without_percentiles_has_mean_and_extremes),
		cmocka_unit_test(answers_of_another_length_are_no_failures),
		cmocka_unit_test(the_table_of_ab_has_the_figures_of_its_report),
		cmocka_unit_test(both_forms_of_vegeta_say_the_same),
		cmocka_unit_test(requests_without_an_answer_have_the_reasons_that_vegeta_lists),
		cmocka_unit_test(vegeta_counts_requests_by_their_status),
		cmocka_unit_test(early_versions_of_vegeta_state_fewer_times),
		cmocka_unit_test(results_of_vegeta_are_requests),
		cmocka_unit_test(lists_of_responses_are_requests),
		cmocka_unit_test(rows_of_a_list_that_are_damaged_are_left_out),
		cmocka_unit_test(numbers_that_cannot_be_are_left_out),
		cmocka_unit_test(a_number_at_the_end_of_a_cut_file_is_left_out),
		cmocka_unit_test(damaged_reports_are_read_or_refused),
		cmocka_unit_test(each_text_is_that_of_one_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
