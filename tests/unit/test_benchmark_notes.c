/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes about results of benchmark programs and of Locust. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/model/report.h"
#include "engine/pipeline/benchmarks.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define ENTRY(name, time)                                                                          \
	"{\"name\":\"" name "\",\"run_name\":\"" name "\",\"run_type\":\"iteration\","             \
	"\"real_time\":" time ",\"time_unit\":\"us\"}"
#define LOCUST_HEAD "Type,Name,Request Count,Failure Count,Median Response Time,Requests/s,99%\n"
#define LOCUST_ALL  ",Aggregated,9,0,5,1,9\n"

/* Reads a text and expects a note on the number of requests, and one on benchmarks or kinds of
 * requests; NULL: none. */
static void expect_notes(const struct weir_reader *reader, const char *text, const char *count,
                         const char *expected)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report;

	reading_of(reader, text, profile);
	profile->inputs[0].format = reader->name;
	report = weir_report_new(profile);
	weir_note_benchmarks(report);
	assert_int_equal(report->note_count, (count != NULL) + (expected != NULL));
	if (count)
		assert_string_equal(report->notes[0].text, count);
	if (expected)
		assert_string_equal(report->notes[count != NULL].text, expected);
	weir_report_free(report);
	weir_profile_free(profile);
}

static void expect_note(const struct weir_reader *reader, const char *text, const char *expected)
{
	expect_notes(reader, text, NULL, expected);
}

static void google(const char *entries, const char *expected)
{
	struct weir_text text = {0};

	weir_text_printf(&text, "{\"context\":{},\"benchmarks\":[%s]}", entries);
	expect_note(&weir_reader_google_benchmark, text.data, expected);
	weir_text_release(&text);
}

static void the_slowest_benchmarks_come_first(void **state)
{
	(void)state;
	google(ENTRY("BM_A", "1"), "benchmarks in the file: 1; median: BM_A 1.00 us");
	google(ENTRY("/x/{id}", "1"), "benchmarks in the file: 1; median: /x/{id} 1.00 us");
	google(ENTRY("BM_A", "1") "," ENTRY("BM_B", "3") "," ENTRY("BM_C", "2"),
	       "benchmarks in the file: 3; the slowest by their medians: BM_B 3.00 us, BM_C 2.00 "
	       "us, BM_A 1.00 us");
	google(ENTRY("BM_A", "1") "," ENTRY("BM_B", "3") "," ENTRY("BM_C", "2") "," ENTRY("BM_D",
	                                                                                  "4"),
	       "benchmarks in the file: 4; the slowest by their medians: BM_D 4.00 us, BM_B 3.00 "
	       "us, BM_C 2.00 us (weir convert prints all)");
}

static void names_that_are_cut_alike_show_where_they_differ(void **state)
{
	(void)state;
	google(ENTRY("suite/of/long/names::benchmark_of_a_kernel[A-some-shape-of-rows-float32]",
	             "2") "," ENTRY("suite/of/long/"
	                            "names::benchmark_of_a_kernel[B-some-shape-of-rows-float32]",
	                            "1"),
	       "benchmarks in the file: 2; the slowest by their medians: "
	       "suite/of/lo\xE2\x80\xA6[A-some-shape-of-rows-float32] 2.00 us, "
	       "suite/of/lo\xE2\x80\xA6[B-some-shape-of-rows-float32] 1.00 us");
}

/* Ten repetitions are samples, nine are one figure. */
static void benchmarks_with_samples_alone_are_stages(void **state)
{
#define THREE ENTRY("BM_A", "1.9") "," ENTRY("BM_A", "2") "," ENTRY("BM_A", "2.1") ","
#define NINE  THREE THREE THREE
	(void)state;
	google(NINE ENTRY("BM_A", "2"), NULL);
	google(NINE ENTRY("BM_B", "9"),
	       "benchmarks in the file: 2; the slowest by their medians: BM_B 9.00 us, BM_A 2.00 "
	       "us");
	google(NINE ENTRY("BM_A", "2") "," ENTRY("BM_B", "1"),
	       "benchmarks in the file: 2; the slowest by their medians: BM_A 2.00 us (10 "
	       "samples), BM_B 1.00 us");
}

#define PYTEST(stats) "{\"machine_info\":{},\"benchmarks\":[" stats "]}"
#define STATS(name, mean, stddev, iqr, rounds)                                                     \
	"{\"fullname\":\"" name "\",\"stats\":{\"median\":1e-6,\"mean\":" mean                     \
	",\"stddev\":" stddev ",\"iqr\":" iqr ",\"rounds\":" rounds "}}"

static void expect_unsteady(const char *text, const char *expected)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report;

	reading_of(&weir_reader_pytest_benchmark, text, profile);
	profile->inputs[0].format = "pytest-benchmark";
	report = weir_report_new(profile);
	weir_note_benchmarks(report);
	assert_int_equal(report->note_count, 1 + (expected != NULL));
	if (expected)
		assert_string_equal(report->notes[1].text, expected);
	weir_report_free(report);
	weir_profile_free(profile);
}

/* A standard deviation above a third of the mean, quartiles above a fifth of the median apart. */
static void unsteady_benchmarks_are_noted(void **state)
{
	(void)state;
	expect_unsteady(PYTEST(STATS("a", "3e-6", "0.99e-6", "0.2e-6", "3")), NULL);
	expect_unsteady(PYTEST(STATS("a", "3e-6", "1.02e-6", "0.1e-6", "3")),
	                "unsteady benchmarks: 1 of 1: a (standard deviation 34 % of the mean)");
	expect_unsteady(PYTEST(STATS("a", "3e-6", "0.1e-6", "0.22e-6",
	                             "3") "," STATS("b", "3e-6", "0.1e-6", "0.1e-6", "3")),
	                "unsteady benchmarks: 1 of 2: a (quartiles 22 % of the median apart)");
	expect_unsteady(PYTEST(STATS("a", "3e-6", "2e-6", "1e-6", "2")), NULL);
}

static void times_of_rounds_tell_whether_they_are_unsteady(void **state)
{
	(void)state;
	expect_note(&weir_reader_pytest_benchmark,
	            PYTEST("{\"fullname\":\"a\",\"stats\":{\"data\":[1,1,1,9]}}"),
	            "unsteady benchmarks: 1 of 1: a (standard deviation 133 % of the mean)");
	expect_note(&weir_reader_pytest_benchmark,
	            PYTEST("{\"fullname\":\"a\",\"stats\":{\"data\":[1,1.1,1.1,1.2]}}"), NULL);
	expect_note(&weir_reader_pytest_benchmark,
	            PYTEST("{\"fullname\":\"a\",\"stats\":{\"data\":[1,9]}}"), NULL);
}

static void figures_of_cargo_bench_are_times(void **state)
{
	(void)state;
	expect_note(&weir_reader_cargo_bench, "a   time:   [1.0 us 2.0 us 3.0 us]\n",
	            "benchmarks in the file: 1; time: a 2.00 us");
	expect_note(&weir_reader_cargo_bench,
	            "a   time:   [1.0 us 2.0 us 3.0 us]\nb   time:   [1.0 us 3.0 us 3.0 us]\n",
	            "benchmarks in the file: 2; the slowest by their times: b 3.00 us, a 2.00 us");
}

static void kinds_of_requests_have_median_and_p99(void **state)
{
	(void)state;
	expect_notes(&weir_reader_locust, LOCUST_HEAD LOCUST_ALL,
	             "requests in the file: 9 completed", NULL);
	expect_notes(&weir_reader_locust,
	             LOCUST_HEAD "GET,/a,4,0,2,1,8\nPOST,/b,6,1,7,1,90\n,Aggregated,10,1,5,1,9\n",
	             "requests in the file: 9 completed, 1 failed",
	             "kinds of requests in the file: 2; the slowest by their medians: POST /b 7.00 "
	             "ms (p99 90.0 ms, 5 completed, 1 failed), GET /a 2.00 ms (p99 8.00 ms, 4 "
	             "completed)");
	expect_notes(&weir_reader_locust,
	             "Type,Name,Request Count,Failure Count,Median Response Time,Requests/s\n"
	             "GET,/a,4,0,2,1\n",
	             NULL,
	             "kinds of requests in the file: 1; median: GET /a 2.00 ms (4 completed)");
}

static void kinds_of_requests_that_all_failed_are_named(void **state)
{
	static const struct weir_reader *const locust = &weir_reader_locust;
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	struct weir_report *report;

	(void)state;
	weir_text_puts(&text, LOCUST_HEAD "GET,/a,4,0,2,1,8\nGET,/b,4,1,2,1,8\n");
	for (int i = 0; i < 9; i++)
		weir_text_printf(&text, "POST,/f%d,2,2,9,1,90\n", i);
	weir_text_puts(&text, ",Aggregated,26,19,5,1,9\n");
	reading_of(locust, text.data, profile);
	profile->inputs[0].format = locust->name;
	report = weir_report_new(profile);
	weir_note_benchmarks(report);
	assert_int_equal(report->note_count, 3);
	assert_string_equal(report->notes[1].text,
	                    "kinds of requests that all failed: 9: POST /f0, POST /f1, POST /f2, "
	                    "POST /f3, POST /f4, POST /f5, POST /f6, POST /f7, and others (weir "
	                    "convert prints all)");
	assert_non_null(strstr(report->notes[2].text, "other kinds of requests in the file: 2;"));
	weir_report_free(report);
	weir_profile_free(profile);
	weir_text_release(&text);
}

/* A run holds one time of each command. */
static void times_of_hyperfine_are_summarised_over_the_runs(void **state)
{
	(void)state;
	expect_note(
		&weir_reader_hyperfine,
		"{\"results\":[{\"command\":\"a\",\"times\":[0.003,0.0028,0.0032],\"stddev\":1},"
		"{\"command\":\"b\",\"times\":[0.0],\"stddev\":null}]}",
		"commands in the file: 2; medians: a 3.00 ms (mean 3.00 ms, min 2.80 ms, max "
		"3.20 ms, 3 times); b 0 ns (mean 0 ns, min 0 ns, max 0 ns, 1 time)");
}

static void other_runs_have_no_such_note(void **state)
{
	(void)state;
	expect_note(&weir_reader_native,
	            "{\"schema\":\"weir.run/1\",\"unit\":\"ns\",\"stages\":{},\"metrics\":{\"a\":"
	            "{\"values\":[5],\"better\":\"lower\",\"unit\":\"ns\"}}}",
	            NULL);
}

static void percentiles_out_of_order_are_noted(void **state)
{
	static const struct {
		const char *rows, *note; /* NULL: in order */
	} files[] = {
		{",Aggregated,9,0,5,1,5\n", NULL},
		{",Aggregated,9,0,5,1,4\n",
	         "percentiles over all requests are not in order: median 5 ms, p99 4 ms;"},
		{"GET,/a,4,0,9,1,8\nGET,/b,4,0,9,1,8\n,Aggregated,9,0,5,1,9\n",
	         "percentiles of GET /a are not in order: median 9 ms, p99 8 ms, and other rows "
	         "are like it;"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		struct weir_report *report;

		weir_text_printf(&text, "%s%s", LOCUST_HEAD, files[i].rows);
		reading_of(&weir_reader_locust, text.data, profile);
		profile->inputs[0].format = weir_reader_locust.name;
		report = weir_report_new(profile);
		weir_note_benchmarks(report);
		assert_int_equal(weir_report_has_note(report, "percentile_order"),
		                 files[i].note != NULL);
		if (files[i].note)
			assert_non_null(strstr(report->notes[1].text, files[i].note));
		weir_text_release(&text);
		weir_report_free(report);
		weir_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slowest_benchmarks_come_first),
		cmocka_unit_test(names_that_are_cut_alike_show_where_they_differ),
		cmocka_unit_test(benchmarks_with_samples_alone_are_stages),
		cmocka_unit_test(unsteady_benchmarks_are_noted),
		cmocka_unit_test(times_of_rounds_tell_whether_they_are_unsteady),
		cmocka_unit_test(figures_of_cargo_bench_are_times),
		cmocka_unit_test(kinds_of_requests_have_median_and_p99),
		cmocka_unit_test(kinds_of_requests_that_all_failed_are_named),
		cmocka_unit_test(times_of_hyperfine_are_summarised_over_the_runs),
		cmocka_unit_test(percentiles_out_of_order_are_noted),
		cmocka_unit_test(other_runs_have_no_such_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
