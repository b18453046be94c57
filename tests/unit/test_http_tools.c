/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of autocannon, siege, bombardier, fortio and artillery. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/http_report.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA "tests/data/http_load/"
#define BAR  "\xe2\x94\x82"

#define CANNON_HEAD "Running 2s test @ http://127.0.0.1:1\n8 connections\n"
#define CANNON_TABLE                                                                               \
	BAR " Stat " BAR " 2.5% " BAR " 50% " BAR " 97.5% " BAR " 99% " BAR " Avg " BAR            \
	    " Stdev " BAR " Max " BAR "\n" BAR " Latency " BAR " 1 ms " BAR " 2 ms " BAR           \
	    " 3 ms " BAR " 4 ms " BAR " 2.5 ms " BAR " 0.5 ms " BAR " 9 ms " BAR "\n"
#define CANNON_RATES                                                                               \
	BAR " Stat " BAR " 1% " BAR " 2.5% " BAR " 50% " BAR " 97.5% " BAR " Avg " BAR             \
	    " Stdev " BAR " Min " BAR "\n" BAR " Req/Sec " BAR " 1,000 " BAR " 1,000 " BAR         \
	    " 1,100 " BAR " 1,200 " BAR " 1,119.75 " BAR " 4 " BAR " 1,000 " BAR "\n"
#define CANNON CANNON_HEAD CANNON_TABLE CANNON_RATES
#define CANNON_JSON                                                                                \
	"{\"url\":\"a\",\"connections\":4,\"pipelining\":2,\"duration\":2,\"errors\":5,"           \
	"\"timeouts\":2,\"non2xx\":30,\"1xx\":0,\"2xx\":70,\"3xx\":10,\"4xx\":12,\"5xx\":8,"       \
	"\"latency\":{\"average\":2.5,\"min\":1,\"max\":9,\"p2_5\":1,\"p50\":2,\"p99_9\":8},"      \
	"\"requests\":{\"average\":50,\"sent\":"

#define SIEGE                                                                                      \
	"Transactions:\t\t 100 hits\nAvailability:\t 100.00 %\nElapsed time:\t\t 2.00 secs\n"      \
	"Response time:\t\t 0.04 secs\nTransaction rate:\t 50.00 trans/sec\n"                      \
	"Concurrency:\t\t 2.10\n"

#define BOMB_HEAD "Bombarding http://127.0.0.1:1 for 2s using 8 connection(s)\n"
#define BOMB_TABLE                                                                                 \
	"Statistics        Avg      Stdev        Max\n  Reqs/sec  50.00  1.00  60.00\n"            \
	"  Latency  10.00ms  500us  1.20s\n"
#define BOMB_JSON                                                                                  \
	"{\"spec\":{\"numberOfConnections\":8,\"testType\":\"timed\"},\"result\":"                 \
	"{\"timeTakenSeconds\":2,\"req2xx\":80,\"req5xx\":15,\"others\":5,\"latency\":"            \
	"{\"mean\":10000,\"percentiles\":{\"95\":20500}},\"rps\":{\"mean\":50}}}\n"

#define FORTIO_HEAD "Fortio 1.6.8 running at 0 queries per second, 4->4 procs, for 10 calls: a\n"
#define FORTIO                                                                                     \
	FORTIO_HEAD                                                                                \
	"Starting at max qps with 2 thread(s) [gomax 4] for exactly 10 calls\n"                    \
	"Ended after 1m2s : 10 calls. qps=5\n"                                                     \
	"Aggregated Function Time : count 10 avg 0.002 +/- 0.001 min 1.5e-05 max 0.005 "           \
	"sum 0.02\n# target 50% 0.0015\n"
#define FORTIO_END "All done 10 calls (plus 0 warmup) 2.000 ms avg, 5.0 qps\n"

static double figure_of(const struct weir_input *input, const char *name)
{
	const struct weir_series *series = weir_series_find(&input->run->metrics, name);

	return series ? series->value[0] : NAN;
}

/* Expects counts and the rate of a report; NAN: it has none. */
static void expect_counts(const struct weir_reader *reader, const char *text, const char *completed,
                          const char *failed, double rate)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, text, profile);
	double stated = figure_of(input, "request_throughput");

	reading_expects_label(input->run, "completed", completed);
	reading_expects_label(input->run, "failed", failed);
	assert_true(isnan(rate) ? isnan(stated) : fabs(stated - rate) < 1e-9);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

/* Expects one figure of a report. */
static void expect_figure(const struct weir_reader *reader, const char *text, const char *name,
                          double value)
{
	struct weir_profile *profile = weir_profile_new();
	double stated = figure_of(reading_of(reader, text, profile), name);

	assert_true(isnan(value) ? isnan(stated) : fabs(stated - value) < 1e-9);
	weir_profile_free(profile);
}

static void expect_remark(const struct weir_reader *reader, const char *text, const char *remark)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, text, profile);
	const struct weir_warning *failed = &input->warnings[WEIR_WARN_FAILED_COUNTED];
	const struct weir_warning *other = &input->warnings[WEIR_WARN_OF_TOOL];

	/* a remark stands behind the failed requests, if there are any */
	if (remark)
		assert_non_null(strstr(failed->count ? failed->detail : other->detail, remark));
	else
		assert_int_equal(failed->count + other->count, 0);
	weir_profile_free(profile);
}

/* ---- numbers ---- */

static void commas_separate_groups_of_three_digits(void **state)
{
	static const struct {
		const char *text;
		double number;
	} cases[] = {
		{"1,119.75", 1119.75},
		{"1,234,567", 1234567},
		{"12,345", 12345},
		{"123", 123},
		{"7,", 7},
		{"1.5),", 1.5},
		{"1,119,75", NAN},
		{"1,1190", NAN},
		{"1.119,75", NAN},
		{",119", NAN},
		{"1234,567", NAN},
		{"", NAN},
		{"1,119.7,5", NAN},
		{"1,11a", NAN},
		{"1,000,000,000,000,000,000,000,000,000,000,000", NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double number = weir_http_parse_number(weir_slice_of(cases[i].text));

		assert_true(isnan(cases[i].number) ? isnan(number) : number == cases[i].number);
	}
}

/* ---- autocannon ---- */

static void autocannon_states_percentiles_in_two_tables(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(&weir_reader_autocannon, DATA "autocannon.txt", profile);

	(void)state;
	reading_expects_figure(input->run, "mean_latency_ms", 6.56, false, "ms");
	reading_expects_figure(input->run, "stdev_latency_ms", 3.41, false, "ms");
	reading_expects_figure(input->run, "median_latency_ms", 6, false, "ms");
	reading_expects_figure(input->run, "p97.5_latency_ms", 12, false, "ms");
	reading_expects_figure(input->run, "p99.9_latency_ms", 44, false, "ms");
	reading_expects_figure(input->run, "max_latency_ms", 47, false, "ms");
	reading_expects_figure(input->run, "request_throughput", 4296 / 4.02, true, "1/s");
	assert_null(weir_series_find(&input->run->metrics, "p25_latency_ms"));
	reading_expects_label(input->run, "completed", "4296");
	reading_expects_label(input->run, "failed", "226");
	reading_expects_label(input->run, "concurrency", "8");
	weir_profile_free(profile);
}

/* "4k requests" are rounded, and requests that were sent. */
static void autocannon_does_not_state_how_many_requests_succeeded_if_all_did(void **state)
{
	(void)state;
	expect_counts(&weir_reader_autocannon, CANNON "4k requests in 4.04s, 927 kB read\n", NULL,
	              NULL, 1119.75);
	expect_counts(&weir_reader_autocannon,
	              CANNON "90 2xx responses, 10 non 2xx responses\n100 requests in 2s, 9 kB "
	                     "read\n5 errors (2 timeouts)\n",
	              "90", "15", 45);
	expect_remark(&weir_reader_autocannon,
	              CANNON "90 2xx responses, 10 non 2xx responses\n100 requests in 2s, 9 kB "
	                     "read\n5 errors (2 timeouts)\n",
	              "15 of 105 requests failed: bad status 10, timeouts 2, other errors 3");
	expect_remark(&weir_reader_autocannon,
	              CANNON "1k requests in 2s, 9 kB read\n5 errors (2 timeouts)\n",
	              "5 requests failed, of an unknown number");
	reading_refuses(&weir_reader_autocannon, CANNON "0 2xx responses, 9 non 2xx responses\n",
	                WEIR_E_FORMAT, "no request completed");
}

static void the_json_of_autocannon_counts_statuses_and_lost_requests(void **state)
{
	(void)state;
	/* 80 responses below 400, 20 above, 5 errors, 8 under way */
	expect_counts(&weir_reader_autocannon, CANNON_JSON "113}}", "80", "25", 40);
	expect_remark(&weir_reader_autocannon, CANNON_JSON "113}}",
	              "25 of 105 requests failed: bad status 20, timeouts 2, other errors 3; "
	              "times ");
	expect_remark(&weir_reader_autocannon, CANNON_JSON "114}}", "; 1 more got no answer");
	expect_figure(&weir_reader_autocannon, CANNON_JSON "113}}", "p99.9_latency_ms", 8);
	expect_figure(&weir_reader_autocannon, CANNON_JSON "113}}", "p2.5_latency_ms", NAN);
	expect_figure(&weir_reader_autocannon, CANNON_JSON "null}}", "median_latency_ms", 2);
}

static void early_versions_of_autocannon_state_means(void **state)
{
	static const char text[] = CANNON_HEAD "\nStat         Avg      Stdev   Max\n"
					       "Latency (ms) 0.27     0.79    43\n"
					       "Req/Sec      26988.8  2184.21 28319\n"
					       "270k requests in 10s, 30 MB read\n";

	(void)state;
	assert_string_equal(reading_claims(text), "autocannon");
	expect_figure(&weir_reader_autocannon, text, "mean_latency_ms", 0.27);
	expect_figure(&weir_reader_autocannon, text, "max_latency_ms", 43);
	expect_counts(&weir_reader_autocannon, text, NULL, NULL, 26988.8);
}

/* ---- siege ---- */

static void siege_states_a_mean_in_steps_that_its_concurrency_refines(void **state)
{
	static const struct {
		const char *text;
		double mean;
	} cases[] = {
		{SIEGE, 42},                       /* 2.10 * 2.00 / 100 */
		{SIEGE "Concurrency: 2.25\n", 42}, /* the first counts */
		{"Transactions: 100 hits\nElapsed time: 2.00 secs\nResponse time: 0.04 secs\n", 40},
		/* 46 ms, 50 ms: within and beyond the steps of both */
		{"Transactions: 100 hits\nElapsed time: 2.00 secs\nResponse time: 0.04 secs\n"
	         "Concurrency: 2.25\n",
	         45},
		{"Transactions: 100 hits\nElapsed time: 2.00 secs\nResponse time: 0.04 secs\n"
	         "Concurrency: 2.50\n",
	         40},
		/* 0.01 in flight is as rough */
		{"Transactions: 100 hits\nElapsed time: 99.00 secs\nResponse time: 0.01 secs\n"
	         "Concurrency: 0.01\n",
	         9.9},
		{"Transactions: 10 hits\nElapsed time: 99.00 secs\nResponse time: 0.10 secs\n"
	         "Concurrency: 0.01\n",
	         100},
		{"Transactions: 100 hits\nResponse time: 12.85 ms\n", 12.85},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_figure(&weir_reader_siege, cases[i].text, "mean_latency_ms", cases[i].mean);
}

static void siege_counts_failures_beside_its_transactions(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(&weir_reader_siege, DATA "siege.json", profile);

	(void)state;
	reading_expects_label(input->run, "completed", "380");
	reading_expects_label(input->run, "failed", "20");
	reading_expects_figure(input->run, "max_latency_ms", 30, false, "ms");
	assert_null(weir_series_find(&input->run->metrics, "min_latency_ms"));
	weir_profile_free(profile);
	expect_counts(&weir_reader_siege, SIEGE "Successful transactions: 100\n", "100", NULL, 50);
	expect_counts(&weir_reader_siege,
	              SIEGE "Successful transactions: 75\nFailed transactions: 5\n", "75", "30",
	              37.5);
	reading_refuses(&weir_reader_siege, SIEGE "Successful transactions: 0\n", WEIR_E_FORMAT,
	                "no request completed");
}

static void each_report_of_siege_is_a_load(void **state)
{
	static const char twice[] =
		"** SIEGE 4.0.7\n** Preparing 2 concurrent users for battle.\n"
		"HTTP/1.1 200     0.02 secs:      39 bytes ==> GET  /some\n" SIEGE
		"** Preparing 4 concurrent users for battle.\n" SIEGE;
	static const char json[] = "{\t\"transactions\":\t\t 100,\n\t\"elapsed_time\":\t 2.00,\n"
				   "\t\"response_time\":\t 0.04,\n\t\"concurrency\":\t 2.10\n}\n";
	struct weir_text text = {0};

	(void)state;
	assert_string_equal(reading_claims(twice), "siege");
	expect_figure(&weir_reader_siege, twice, "concurrency@2/mean_latency_ms", 42);
	expect_figure(&weir_reader_siege, twice, "concurrency@4/mean_latency_ms", 42);
	weir_text_puts(&text, json);
	weir_text_puts(&text, json);
	expect_figure(&weir_reader_siege, text.data, "load#2/mean_latency_ms", 42);
	weir_text_release(&text);
	expect_figure(&weir_reader_siege,
	              "{\"transactions\":100,\"elapsed_time\":2,\"response_time\":0.04,"
	              "\"concurrency\":2.1}\n",
	              "mean_latency_ms", 42);
	reading_refuses(&weir_reader_siege,
	                "HTTP/1.1 200     0.02 secs:      39 bytes ==> GET  /some\n", WEIR_E_EMPTY,
	                "of the report at the end");
}

/* ---- bombardier ---- */

static void both_forms_of_bombardier_say_the_same(void **state)
{
	static const char *const files[] = {DATA "bombardier.txt", DATA "bombardier.json"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_file(&weir_reader_bombardier, files[i], profile);

		assert_int_equal(input->run->metrics.count, 10);
		reading_expects_figure(input->run, "p95_latency_ms", 26.4, false, "ms");
		reading_expects_figure(input->run, "max_latency_ms", 128.91, false, "ms");
		assert_true(fabs(figure_of(input, "mean_latency_ms") - 15.34) < 0.001);
		reading_expects_label(input->run, "completed", "10304");
		reading_expects_label(input->run, "failed", "121");
		weir_profile_free(profile);
	}
}

static void bombardier_prints_its_json_below_other_lines(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(BOMB_HEAD "Done!\n" BOMB_JSON), "bombardier");
	expect_counts(&weir_reader_bombardier, BOMB_HEAD "Done!\n" BOMB_JSON, "80", "20", 40);
	expect_counts(&weir_reader_bombardier, BOMB_JSON, "80", "20", 40);
	expect_figure(&weir_reader_bombardier, BOMB_HEAD BOMB_JSON, "p95_latency_ms", 20.5);
}

static void bombardier_counts_requests_by_their_status(void **state)
{
	(void)state;
	expect_counts(&weir_reader_bombardier, BOMB_HEAD BOMB_TABLE, NULL, NULL, 50);
	expect_counts(&weir_reader_bombardier,
	              BOMB_HEAD BOMB_TABLE
	              "1xx - 1, 2xx - 80, 3xx - 2, 4xx - 3, 5xx - 4\nothers - 10\n",
	              "83", "17", 41.5);
	expect_figure(&weir_reader_bombardier,
	              BOMB_HEAD BOMB_TABLE "  Latency Distribution (2xx)\n     50%  5.00ms\n",
	              "median_latency_ms", NAN);
	expect_figure(&weir_reader_bombardier,
	              BOMB_HEAD BOMB_TABLE "  Latency Distribution (Total)\n     50%  6.00ms\n"
	                                   "  Latency Distribution (2xx)\n     50%  5.00ms\n",
	              "median_latency_ms", 6);
	reading_refuses(&weir_reader_bombardier, BOMB_HEAD BOMB_TABLE "others - 10\n",
	                WEIR_E_FORMAT, "no request completed");
}

/* ---- fortio ---- */

static void both_forms_of_fortio_say_the_same(void **state)
{
	static const char *const files[] = {DATA "fortio.txt", DATA "fortio.json"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_file(&weir_reader_fortio, files[i], profile);

		assert_int_equal(input->run->metrics.count, 11);
		reading_expects_figure(input->run, "mean_latency_ms", 7.731845, false, "ms");
		assert_true(fabs(figure_of(input, "median_latency_ms") - 7.28042) < 1e-5);
		assert_true(fabs(figure_of(input, "p99.9_latency_ms") - 24.5577) < 1e-4);
		reading_expects_label(input->run, "completed", "388");
		reading_expects_label(input->run, "failed", "12");
		reading_expects_label(input->run, "concurrency", "4");
		weir_profile_free(profile);
	}
}

static void fortio_counts_requests_by_their_code(void **state)
{
	(void)state;
	expect_counts(&weir_reader_fortio, FORTIO FORTIO_END, "10", NULL, 5);
	expect_counts(&weir_reader_fortio,
	              FORTIO "Code 200 : 7 (70.0 %)\nCode  -1 : 3 (30.0 %)\n" FORTIO_END, "7", "3",
	              7 / 62.);
	expect_counts(&weir_reader_fortio, FORTIO "tcp OK : 10 (100.0 %)\n", "10", NULL, 10 / 62.);
	expect_counts(&weir_reader_fortio,
	              FORTIO "tcp OK : 6 (60.0 %)\ntcp short read : 4 (40.0 %)\n", "6", "4",
	              6 / 62.);
	expect_counts(&weir_reader_fortio, FORTIO "Health SERVING : 9\nHealth ERROR : 1\n", "9",
	              "1", 9 / 62.);
	expect_figure(&weir_reader_fortio, FORTIO, "min_latency_ms", 0.015);
	expect_figure(&weir_reader_fortio,
	              FORTIO "Error cases : count 1 avg 1 +/- 0 min 1 max 1 sum 1\n"
	                     "# target 99% 1\n",
	              "p99_latency_ms", NAN);
	reading_refuses(&weir_reader_fortio, FORTIO "Code 503 : 10 (100.0 %)\n", WEIR_E_FORMAT,
	                "no request completed");
}

/* ---- artillery ---- */

#define ARTILLERY(counters)                                                                        \
	"{\"aggregate\":{\"counters\":{" counters "},\"rates\":{\"http.request_rate\":13},"        \
	"\"firstMetricAt\":1000,\"lastMetricAt\":3000,\"summaries\":{\"http.response_time\":"      \
	"{\"min\":1,\"mean\":null,\"p50\":4,\"p999\":9}}},\"intermediate\":[]}"
#define ARTILLERY_1(counts)                                                                        \
	"{\"aggregate\":{\"scenariosCreated\":9,\"requestsCompleted\":" counts                     \
	",\"latency\":{\"min\":1,\"p95\":8},\"rps\":{\"count\":100,\"mean\":50},"                  \
	"\"errors\":{\"ETIMEDOUT\":3}},\"intermediate\":[]}"
#define ARTILLERY_TEXT                                                                             \
	"Metrics for period to: 1\n\nhttp.requests: ...... 9\nhttp.response_time:\n"               \
	"  min: ...... 7\nvusers.created: ...... 9\n"

static void all_forms_of_artillery_say_the_same(void **state)
{
	static const struct {
		const char *path;
		size_t figures;
		double rate;
	} files[] = {
		{DATA "artillery.json", 11, 588 / 30.175},
		{DATA "artillery_1.json", 7, 588 / (600 / 19.87)},
		{DATA "artillery.txt", 7, NAN},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_file(&weir_reader_artillery, files[i].path, profile);
		double rate = figure_of(input, "request_throughput");

		assert_int_equal(input->run->metrics.count, files[i].figures);
		reading_expects_figure(input->run, "median_latency_ms", 40.9, false, "ms");
		reading_expects_figure(input->run, "p99_latency_ms", 186.8, false, "ms");
		reading_expects_label(input->run, "completed", "588");
		reading_expects_label(input->run, "failed", "12");
		assert_true(isnan(files[i].rate) ? isnan(rate) : fabs(rate - files[i].rate) < 1e-9);
		assert_string_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].detail,
		                    "12 of 600 requests failed: bad status 7, timeouts 3, other "
		                    "errors 2; times may include theirs");
		weir_profile_free(profile);
	}
}

/* Errors may be of responses that had another content. */
static void requests_of_artillery_without_a_response_failed(void **state)
{
	(void)state;
	expect_counts(&weir_reader_artillery,
	              ARTILLERY("\"http.requests\":10,\"http.responses\":10,"
	                        "\"errors.Failed capture or match\":4"),
	              "10", NULL, 5);
	expect_counts(&weir_reader_artillery,
	              ARTILLERY("\"http.requests\":10,\"http.responses\":8,"
	                        "\"http.codes.200\":7,\"http.codes.404\":1,"
	                        "\"errors.ETIMEDOUT\":4"),
	              "7", "3", 3.5);
	expect_counts(&weir_reader_artillery, ARTILLERY_1("96"), "96", "4", 48);
	expect_figure(&weir_reader_artillery, ARTILLERY("\"http.requests\":1,\"http.responses\":1"),
	              "p99.9_latency_ms", 9);
	reading_refuses(&weir_reader_artillery, ARTILLERY("\"http.requests\":10"), WEIR_E_FORMAT,
	                "no request completed");
}

static void artillery_reports_periods_before_the_whole_test(void **state)
{
	static const char text[] =
		ARTILLERY_TEXT "Summary report @ 14:00:00(+0000)\nhttp.requests: ...... 20\n"
			       "http.responses: ...... 20\nhttp.response_time:\n  min: ...... 5\n"
			       "http.response_time.2xx:\n  min: ...... 6\n  max: ...... 8\n";

	(void)state;
	assert_string_equal(reading_claims(text), "artillery");
	expect_figure(&weir_reader_artillery, text, "min_latency_ms", 5);
	expect_figure(&weir_reader_artillery, text, "max_latency_ms", NAN);
	expect_counts(&weir_reader_artillery, text, "20", NULL, NAN);
	reading_refuses(&weir_reader_artillery, ARTILLERY_TEXT, WEIR_E_EMPTY,
	                "in the summary report");
	reading_survives_damage(&weir_reader_artillery, text);
	reading_survives_damage(&weir_reader_artillery, ARTILLERY("\"http.codes.200\":7"));
	reading_survives_damage(&weir_reader_artillery, ARTILLERY_1("96"));
}

/* ---- all ---- */

static void reports_in_one_text_are_side_by_side(void **state)
{
	(void)state;
	expect_figure(&weir_reader_autocannon,
	              CANNON "16 connections with 10 pipelining factor\n" CANNON_TABLE,
	              "concurrency@16/mean_latency_ms", 2.5);
	expect_figure(&weir_reader_bombardier, BOMB_HEAD BOMB_TABLE BOMB_HEAD BOMB_TABLE,
	              "concurrency@8#2/mean_latency_ms", 10);
	expect_figure(&weir_reader_fortio, FORTIO FORTIO_END FORTIO,
	              "concurrency@2#2/mean_latency_ms", 2);
}

static void damaged_reports_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(&weir_reader_autocannon,
	                        CANNON "9 2xx responses, 1 non 2xx responses\n1 errors (1 "
	                               "timeouts)\n");
	reading_survives_damage(&weir_reader_autocannon, CANNON_JSON "113}}");
	reading_survives_damage(&weir_reader_siege, SIEGE "Longest transaction: 0.13\n");
	reading_survives_damage(&weir_reader_bombardier, BOMB_HEAD BOMB_TABLE
	                        "1xx - 1, 2xx - 80, 3xx - 2, 4xx - 3, 5xx - 4\n" BOMB_JSON);
	reading_survives_damage(&weir_reader_bombardier, BOMB_JSON);
	reading_survives_damage(&weir_reader_fortio, FORTIO "Code 200 : 10 (100.0 %)\n" FORTIO_END);
	reading_survives_damage(&weir_reader_fortio,
	                        "{\"RunType\":\"HTTP\",\"ActualQPS\":5,\"NumThreads\":2,"
	                        "\"DurationHistogram\":{\"Count\":2,\"Avg\":0.5,\"Percentiles\":"
	                        "[{\"Percentile\":50,\"Value\":1e-3}]},\"RetCodes\":{\"200\":2}}");
}

/* A number at the end of a file without a line break may be the start of another. */
static void a_count_at_the_end_of_a_cut_file_is_left_out(void **state)
{
	(void)state;
	expect_counts(&weir_reader_bombardier, BOMB_HEAD BOMB_TABLE "1xx - 0, 2xx - 80", NULL, NULL,
	              50);
	expect_counts(&weir_reader_fortio, FORTIO "Code 200 : 1", "10", NULL, 10 / 62.);
}

static void each_text_is_that_of_one_reader(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(CANNON), "autocannon");
	assert_string_equal(reading_claims(CANNON_JSON "113}}"), "none"); /* no throughput */
	assert_string_equal(reading_claims(SIEGE), "siege");
	assert_string_equal(reading_claims(BOMB_HEAD BOMB_TABLE), "bombardier");
	assert_string_equal(reading_claims(BOMB_JSON), "bombardier");
	assert_string_equal(reading_claims(FORTIO), "fortio");
	assert_string_equal(reading_claims("Statistics  Avg\n  Latency  1ms\n"), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_separate_groups_of_three_digits),
		cmocka_unit_test(autocannon_states_percentiles_in_two_tables),
		cmocka_unit_test(autocannon_does_not_state_how_many_requests_succeeded_if_all_did),
		cmocka_unit_test(the_json_of_autocannon_counts_statuses_and_lost_requests),
		cmocka_unit_test(early_versions_of_autocannon_state_means),
		cmocka_unit_test(siege_states_a_mean_in_steps_that_its_concurrency_refines),
		cmocka_unit_test(siege_counts_failures_beside_its_transactions),
		cmocka_unit_test(each_report_of_siege_is_a_load),
		cmocka_unit_test(both_forms_of_bombardier_say_the_same),
		cmocka_unit_test(bombardier_prints_its_json_below_other_lines),
		cmocka_unit_test(bombardier_counts_requests_by_their_status),
		cmocka_unit_test(both_forms_of_fortio_say_the_same),
		cmocka_unit_test(fortio_counts_requests_by_their_code),
		cmocka_unit_test(all_forms_of_artillery_say_the_same),
		cmocka_unit_test(requests_of_artillery_without_a_response_failed),
		cmocka_unit_test(artillery_reports_periods_before_the_whole_test),
		cmocka_unit_test(reports_in_one_text_are_side_by_side),
		cmocka_unit_test(damaged_reports_are_read_or_refused),
		cmocka_unit_test(a_count_at_the_end_of_a_cut_file_is_left_out),
		cmocka_unit_test(each_text_is_that_of_one_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
