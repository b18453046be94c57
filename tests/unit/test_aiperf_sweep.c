/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define HEADER                                                                                     \
	"concurrency,request_latency_mean,request_latency_std,request_latency_cv,"                 \
	"request_latency_p99_mean,request_throughput_mean,goodput_mean,request_count_mean,"        \
	"good_request_count_mean,good_request_fraction_mean,unknown_metric_mean\n"

static const struct weir_reader *const reader = &weir_reader_aiperf_sweep;

static void each_row_is_a_load(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(reader, "tests/data/aiperf_sweep/sweep.csv", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "concurrency@1/mean_ttft_ms", 38.5, false, "ms");
	reading_expects_figure(run, "concurrency@4/mean_tpot_ms", 12, false, "ms");
	reading_expects_figure(run, "concurrency@32/request_throughput", 9.99, true, "1/s");
	reading_expects_figure(run, "concurrency@32/request_goodput", 0.2, true, "1/s");
	reading_expects_figure(run, "concurrency@4/output_throughput", 312.45, true, "tokens/s");
	assert_string_equal(weir_run_label(run, "concurrency@32/completed"), "600");
	assert_string_equal(weir_run_label(run, "concurrency@32/good"), "12");
	assert_string_equal(weir_run_label(run, "concurrency@4/duration_s"), "60.01");
	assert_int_equal(input->warnings[WEIR_WARN_CONTRADICTION].count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 0);
	weir_profile_free(profile);
}

static void percentiles_and_means_have_their_names(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader,
	                                        HEADER "8,500.25,1,0.01,900.5,2,0,100,0,0,7\n"
	                                               "short,row\n",
	                                        profile)
	                                     ->run;

	(void)state;
	reading_expects_figure(run, "mean_e2el_ms", 500.25, false, "ms");
	reading_expects_figure(run, "p99_e2el_ms", 900.5, false, "ms");
	assert_int_equal(run->metrics.count, 3);
	assert_string_equal(weir_run_label(run, "concurrency"), "8");
	assert_string_equal(weir_run_label(run, "good"), "0");
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	weir_profile_free(profile);
}

static void tables_without_a_load_are_refused(void **state)
{
	(void)state;
	reading_refuses(reader, HEADER, WEIR_E_EMPTY, "no load in this table");
	reading_refuses(reader, HEADER "8,500,1,0,900,2,0,0,0,0,7\n", WEIR_E_FORMAT,
	                "no request completed");
}

static void the_table_is_known_by_its_columns(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(HEADER), "aiperf-sweep");
	assert_int_equal(reader->sniff("request_latency_mean,goodput_mean\n", 34), 0);
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(reader, HEADER "8,500.25,1,0.01,900.5,2,0,100,0,0,7\n"
	                                       "16,700.25,1,0.01,990.5,3,0,150,0,0,7\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_a_load),
		cmocka_unit_test(percentiles_and_means_have_their_names),
		cmocka_unit_test(tables_without_a_load_are_refused),
		cmocka_unit_test(the_table_is_known_by_its_columns),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
