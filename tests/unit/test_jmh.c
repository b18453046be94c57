/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests results of JMH. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define RESULT(name, mode, metric)                                                                 \
	"{\"jmhVersion\": \"1.36\", \"benchmark\": \"" name "\", \"mode\": \"" mode                \
	"\", \"params\": {\"n\": \"4\"}, \"primaryMetric\": {\"score\": 2.5, " metric "}}"
#define UNIT(unit) "\"scoreUnit\": \"" unit "\""
#define RAW(data)  ", \"rawData\": [" data "]"
#define TEN        "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"
#define HEADER     "Benchmark  (n)   Mode  Cnt    Score   Error   Units\n"
#define PM         " \xc2\xb1 "

static const struct weir_reader *const reader = &weir_reader_jmh;

static void the_unit_decides_which_direction_is_better(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "\n" HEADER "a.A.x   4  thrpt   25  123.456" PM "1.234  ops/us\n"
	                   "a.A.y   4   avgt   25    0,456" PM "0,012   ms/op\n"
	                   "a.A.y   4 sample   25    0.5" PM "0.012   ms/op\n"
	                   "a.A.y:y\xc2\xb7p0.99   4 sample       0.9   ms/op\n"
	                   "a.A.z   4     ss         8.5   s/op\n"
	                   "a.A.w   4   avgt    5   \xe2\x89\x88 10\xe2\x81\xbb\xe2\x81\xb4  "
	                   "ns/op\n\nB 4 avgt 1 1 s/op\n",
	                   profile);

	(void)state;
	reading_expects_figure(input->run, "a.A.x:4/thrpt", 123.456, true, "ops/us");
	reading_expects_figure(input->run, "a.A.y:4/avgt", 456000, false, "ns");
	reading_expects_figure(input->run, "a.A.y:4/sample", 500000, false, "ns");
	reading_expects_figure(input->run, "a.A.y:y\xc2\xb7p0.99:4/sample", 900000, false, "ns");
	reading_expects_figure(input->run, "a.A.z:4/ss", 8.5e9, false, "ns");
	reading_expects_label(input->run, "a.A.x:4/thrpt/error", "1.234");
	reading_expects_label(input->run, "a.A.y:4/avgt/error_ns", "12000");
	assert_int_equal(input->run->metrics.count, 5);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void iterations_are_samples_and_forks_repeats(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "[" RESULT("A.x", "avgt", UNIT("us/op") RAW(TEN ", [11]")) "," RESULT(
				   "A.y", "thrpt", UNIT("ops/s") RAW("[1, 3, 2], [5]")) "]",
	                   profile);
	const double ns[] = {1e3, 2e3, 3e3, 4e3, 5e3, 6e3, 7e3, 8e3, 9e3, 1e4, 11e3};

	(void)state;
	reading_expects_stage(input->run, "A.x:n=4/avgt", 11, ns);
	reading_expects_figure(input->run, "A.y:n=4/thrpt", 2.5, true, "ops/s");
	reading_expects_label(input->run, "jmh", "1.36");
	reading_expects_stage(input->repeats, "A.x:n=4/avgt", 10, ns);
	reading_expects_figure(input->repeats, "A.y:n=4/thrpt", 2, true, "ops/s");
	reading_expects_figure(input->repeats->next, "A.x:n=4/avgt", 11e3, false, "ns");
	reading_expects_figure(input->repeats->next, "A.y:n=4/thrpt", 5, true, "ops/s");
	reading_expects_label(input->repeats->next, "run", "2");
	assert_null(input->repeats->next->next);
	weir_profile_free(profile);
}

static void forks_of_uneven_number_are_no_repeats(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "[" RESULT("A.x", "avgt", UNIT("s/op") RAW("[1], [2]")) "," RESULT(
				   "A.y", "avgt", UNIT("min/op") RAW("[1]")) "]",
	                   profile);

	(void)state;
	reading_expects_figure(input->run, "A.x:n=4/avgt", 1.5e9, false, "ns");
	reading_expects_figure(input->run, "A.y:n=4/avgt", 60e9, false, "ns");
	assert_null(input->repeats);
	input = reading_of(reader, "[" RESULT("A.x", "ss", UNIT("s/op")) "]", profile);
	reading_expects_figure(input->run, "A.x:n=4/ss", 2.5e9, false, "ns");
	input = reading_of(
		reader,
		"[" RESULT("A.x", "sample",
	                   UNIT("ns/op") ", \"rawDataHistogram\": [[[[5, 9], [7, 2]]]]") "]",
		profile);
	assert_int_equal(weir_series_find(&input->run->stages, "A.x:n=4/sample")->count, 11);
	weir_profile_free(profile);
}

static void damaged_results_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, HEADER "a.A.x   4  thrpt   25  123.456" PM "1.2  ops/us\n");
	reading_survives_damage(reader,
	                        "[" RESULT("A.x", "avgt", UNIT("us/op") RAW("[1], [2]")) "]");
	reading_refuses(reader, "[" RESULT("A.x", "avgt", UNIT("parsecs")) "]", WEIR_E_FORMAT,
	                "[0]: primaryMetric: scoreUnit: expected");
	reading_refuses(reader, "[" RESULT("A.x", "avgt", UNIT("s/op") RAW("[\"NaN\"]")) "]",
	                WEIR_E_FORMAT, "expected a score");
	reading_refuses(reader, "[" RESULT("A.x", "avgt", UNIT("s/op") RAW("[-1, 1e999]")) "]",
	                WEIR_E_EMPTY, "no times");
	reading_refuses(
		reader,
		"[" RESULT("A.x", "ss", UNIT("s/op") ", \"rawDataHistogram\": [[[[5, 1e9]]]]") "]",
		WEIR_E_FORMAT, "how often");
	reading_refuses(reader, HEADER, WEIR_E_EMPTY, "no times");
	reading_refuses(reader, HEADER "x avgt 5 1 s/op\nx avgt 5 1 s/op\n", WEIR_E_FORMAT,
	                "line 3: a second benchmark");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_unit_decides_which_direction_is_better),
		cmocka_unit_test(iterations_are_samples_and_forks_repeats),
		cmocka_unit_test(forks_of_uneven_number_are_no_repeats),
		cmocka_unit_test(damaged_results_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
