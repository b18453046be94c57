/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define ONE                                                                                        \
	"{\"hw\": \"h100\", \"conc\": 4, \"framework\": \"vllm\", \"tput_per_gpu\": 1400.5, "      \
	"\"mean_ttft\": 0.05, \"p99_ttft\": \"x\", \"mean_tpot\": 0.0075, \"mean_intvty\": 133.3}"

static const struct weir_reader *const reader = &weir_reader_bench_inferencex;

static void times_are_seconds_and_rates_are_of_a_gpu(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_file(reader, "tests/data/inferencex/results.json", profile)->run;

	(void)state;
	reading_expects_figure(run, "concurrency@4/mean_ttft_ms", 50, false, "ms");
	reading_expects_figure(run, "concurrency@64/median_e2el_ms", 20000, false, "ms");
	reading_expects_figure(run, "concurrency@64/total_token_throughput_per_gpu", 22408, true,
	                       "tokens/s");
	reading_expects_figure(run, "concurrency@4/output_throughput_per_gpu", 700.25, true,
	                       "tokens/s");
	assert_string_equal(weir_run_label(run, "backend"), "vllm");
	assert_string_equal(weir_run_label(run, "hardware"), "h100");
	assert_string_equal(weir_run_label(run, "tp"), "2");
	weir_profile_free(profile);
}

static void one_result_has_plain_names(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, ONE, profile);

	(void)state;
	reading_expects_figure(input->run, "mean_tpot_ms", 7.5, false, "ms");
	assert_int_equal(input->run->metrics.count, 3); /* no interactivity */
	assert_string_equal(weir_run_label(input->run, "max_concurrency"), "4");
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	weir_profile_free(profile);
}

static void an_agentic_scenario_has_its_own_places(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(reader, "tests/data/inferencex/agentic.json", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "mean_ttft_ms", 800, false, "ms");
	reading_expects_figure(run, "p90_e2el_ms", 7200, false, "ms");
	reading_expects_figure(run, "output_throughput", 500.5, true, "tokens/s");
	reading_expects_figure(run, "total_token_throughput_per_gpu", 375.125, true, "tokens/s");
	assert_string_equal(weir_run_label(run, "completed"), "100");
	/* The errors may be of the warm-up. */
	assert_null(weir_run_label(run, "failed"));
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].count, 1);
	weir_profile_free(profile);
}

static void damage_is_survived(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(ONE), "bench-inferencex");
	reading_survives_damage(reader, "[" ONE ", " ONE "]");
	reading_refuses(reader, "[]", WEIR_E_EMPTY, "no result of InferenceX");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_seconds_and_rates_are_of_a_gpu),
		cmocka_unit_test(one_result_has_plain_names),
		cmocka_unit_test(an_agentic_scenario_has_its_own_places),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
