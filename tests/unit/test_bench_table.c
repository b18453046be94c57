/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define KEYS                                                                                       \
	"request_throughput,output_throughput,mean_ttft_ms,median_ttft_ms,std_ttft_ms,"            \
	"p99_ttft_ms,p99.9_ttft_ms"
#define VALUES "2,202,150,140,20,220,250"
#define PRINTED                                                                                    \
	"Successful requests,Benchmark duration (s),Request throughput (req/s),"                   \
	"Output token throughput (tok/s),Mean TTFT (ms),P99 TTFT (ms)\n"

static const struct weir_reader *const reader = &weir_reader_bench_table;

static void a_row_becomes_figures_and_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, "gpu,max_concurrency," KEYS "\none,8," VALUES "\n", profile);

	(void)state;
	reading_expects_figure(input->run, "request_throughput", 2, true, "1/s");
	reading_expects_figure(input->run, "output_throughput", 202, true, "tokens/s");
	reading_expects_figure(input->run, "mean_ttft_ms", 150, false, "ms");
	reading_expects_figure(input->run, "median_ttft_ms", 140, false, "ms");
	reading_expects_figure(input->run, "p99_ttft_ms", 220, false, "ms");
	reading_expects_figure(input->run, "p99.9_ttft_ms", 250, false, "ms");
	assert_int_equal(input->run->metrics.count, 6); /* no deviation */
	reading_expects_label(input->run, "gpu", "one");
	reading_expects_label(input->run, "max_concurrency", "8");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void printed_labels_are_columns_as_well(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, PRINTED "10,5.00,2.00,200.00,150.00,220.00\n", profile);

	(void)state;
	reading_expects_figure(input->run, "request_throughput", 2, true, "1/s");
	reading_expects_figure(input->run, "p99_ttft_ms", 220, false, "ms");
	reading_expects_label(input->run, "completed", "10");
	weir_profile_free(profile);
}

static void each_condition_that_differs_is_in_the_names(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader,
	                                            "gpu,model,max_concurrency," KEYS
	                                            "\none,m,8," VALUES "\ntwo,m,32," VALUES "\n",
	                                            profile);

	(void)state;
	reading_expects_figure(input->run, "concurrency@8/gpu@one/mean_ttft_ms", 150, false, "ms");
	reading_expects_figure(input->run, "concurrency@32/gpu@two/mean_ttft_ms", 150, false, "ms");
	reading_expects_label(input->run, "model", "m"); /* the same in all rows */
	assert_null(input->repeats);
	weir_profile_free(profile);
}

static void rows_of_unknown_loads_are_no_repeats(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, KEYS "\n" VALUES "\n" VALUES "\n", profile);

	(void)state;
	reading_expects_figure(input->run, "load/row@1/mean_ttft_ms", 150, false, "ms");
	reading_expects_figure(input->run, "load/row@2/mean_ttft_ms", 150, false, "ms");
	assert_null(input->repeats);
	weir_profile_free(profile);
}

static void concurrency_beside_its_limit_is_measured(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, "concurrency," KEYS "\n8," VALUES "\n16," VALUES "\n", profile);

	(void)state;
	reading_expects_figure(input->run, "concurrency@16/mean_ttft_ms", 150, false, "ms");
	weir_profile_free(profile);
	profile = weir_profile_new();
	input = reading_of(reader,
	                   "concurrency,max_concurrency," KEYS "\n7.9,8," VALUES "\n15.8,16," VALUES
	                   "\n",
	                   profile);
	reading_expects_figure(input->run, "concurrency@16/mean_ttft_ms", 150, false, "ms");
	weir_profile_free(profile);
}

static void unknown_results_are_no_conditions(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, "decode_latency,x_ms,Unnamed: 0,," KEYS "\n1.5,2.5,0,," VALUES "\n",
		profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 6);
	assert_int_equal(input->run->label_count, 1);
	reading_expects_label(input->run, "row", "1");
	weir_profile_free(profile);
}

static void rows_without_an_answer_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, "completed," KEYS "\n0," VALUES "\n1," VALUES "\n", profile);

	(void)state;
	reading_expects_figure(input->run, "mean_ttft_ms", 150, false, "ms");
	weir_profile_free(profile);
	reading_refuses(reader, "completed," KEYS "\n0," VALUES "\n", WEIR_E_FORMAT,
	                "no request completed");
}

static void damage_is_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "gpu," KEYS "\none," VALUES "\ntwo,2,3\nthree,x,-1,150,140,20,220,\n"
	                   "four," VALUES,
	                   profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	reading_expects_figure(input->run, "load/gpu@four/p99_ttft_ms", 220, false, "ms");
	assert_null(weir_series_find(&input->run->metrics, "load/gpu@four/p99.9_ttft_ms"));
	weir_profile_free(profile);
	reading_refuses(reader, KEYS "\n", WEIR_E_EMPTY, "no result in this table");
	reading_refuses(reader, "a,b\n1,2\n", WEIR_E_FORMAT, "line 1: expected a header");
	reading_survives_damage(reader, "gpu,max_concurrency,completed," KEYS "\none,8,2," VALUES
	                                "\ntwo,8,2," VALUES "\n");
}

static void more_than_means_tells_it_from_lmdeploys_table(void **state)
{
#define MEANS "completed,request_throughput,output_throughput,mean_ttft_ms"
	(void)state;
	assert_string_equal(reading_claims(MEANS "\n"), "lmdeploy");
	assert_string_equal(reading_claims(MEANS ",median_ttft_ms\n"), "bench-table");
	assert_string_equal(reading_claims(MEANS ",p99_ttft_ms\n"), "bench-table");
	assert_string_equal(reading_claims(PRINTED), "bench-table");
	assert_string_equal(reading_claims("Request throughput (req/s),Mean TTFT (ms),x\n"),
	                    "none"); /* two results */
	assert_string_equal(reading_claims("mean_ttft_ms,p99_ttft_ms,mean_itl_ms,p99_itl_ms\n"),
	                    "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_becomes_figures_and_labels),
		cmocka_unit_test(printed_labels_are_columns_as_well),
		cmocka_unit_test(each_condition_that_differs_is_in_the_names),
		cmocka_unit_test(rows_of_unknown_loads_are_no_repeats),
		cmocka_unit_test(concurrency_beside_its_limit_is_measured),
		cmocka_unit_test(unknown_results_are_no_conditions),
		cmocka_unit_test(rows_without_an_answer_are_left_out),
		cmocka_unit_test(damage_is_counted),
		cmocka_unit_test(more_than_means_tells_it_from_lmdeploys_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
