/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define BATCH(prefill, decode, total, active)                                                      \
	"{\"request_id\": \"secret\", \"prompt_tokens\": 8, \"generated_tokens\": 32, "            \
	"\"prefill_ms\": " prefill ", \"decode_ms\": " decode ", \"total_ms\": " total             \
	", \"prefill_tokens_per_sec\": 800.0, \"decode_tokens_per_sec\": 160.0, "                  \
	"\"peak_memory_gb\": 1" active ", \"gpu_active_pct\": " active                             \
	", \"batch_size\": 4, \"timestamp\": 1700000000.5}"
#define FIRST  BATCH("10.0", "200.25", "210.5", "90")
#define SECOND BATCH("0", "0.0", "105.25", "120")
#define THIRD  BATCH("12.0", "210.0", "222.0", "80")
#define BATCHES                                                                                    \
	"{\"model\": \"org/m\", \"traces\": [" FIRST ", " SECOND ", " THIRD                        \
	"], \"summary\": {\"total_ms\": 1}}"
#define CUT "{\"traces\": [" FIRST ", {\"total_ms\": 5}, [], {\"total_ms\": \"x\"}, {\"total_ms"
#define LATENCY                                                                                    \
	"{\"p50_ms\": 10.5, \"p90_ms\": 12.0, \"p95_ms\": 13.0, \"p99_ms\": 15.0, \"mean_ms\": "   \
	"10.9, \"min_ms\": 9.0, \"max_ms\": 16.0, \"std_ms\": 1.0, \"num_iterations\": 100}"
#define CONFIGURATION(rate)                                                                        \
	"{\"metrics\": {\"tokens_per_sec\": " rate ", \"p95_ms\": 12.5, \"peak_memory_gb\": 3, "   \
	"\"note\": \"x\"}, \"timestamp\": \"2026-01-01T00:00:00\"}"

static const struct weir_reader *const reader = &weir_reader_wrapper;

static void batches_become_stages_in_their_order(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, BATCHES, profile);

	(void)state;
	reading_expects_stage(input->run, "total", 3, (double[]){210500000, 105250000, 222000000});
	reading_expects_stage(input->run, "decode", 2, (double[]){200250000, 210000000});
	reading_expects_stage(input->run, "prefill", 2, (double[]){10000000, 12000000});
	assert_int_equal(input->events, 3);
	assert_string_equal(weir_run_label(input->run, "batch_size"), "4");
	assert_string_equal(weir_run_label(input->run, "model"), "org/m");
	weir_profile_free(profile);
}

static void figures_are_computed_from_the_batches(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader, BATCHES, profile)->run;

	(void)state;
	reading_expects_figure(run, "peak_memory_gb", 1120, false, "GB");
	reading_expects_figure(run, "decode_tokens_per_sec", 160, true, "tokens/s");
	reading_expects_figure(run, "output_throughput", 96 / 0.53775, true, "tokens/s");
	/* Weighted by time; shares above 100 % come from the skew of two timers. */
	reading_expects_figure(run, "gpu_active_pct",
	                       (90 * 210.5 + 100 * 105.25 + 80 * 222.0) / 537.75, true, "%");
	weir_profile_free(profile);
}

static void phases_that_a_wrapper_could_not_split_are_unknown(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader, "{\"traces\": [" BATCH("0", "0", "5", "0") "]}", profile)->run;

	(void)state;
	assert_int_equal(run->stages.count, 1);
	assert_null(weir_series_find(&run->metrics, "prefill_tokens_per_sec"));
	assert_null(weir_series_find(&run->metrics, "gpu_active_pct"));
	weir_profile_free(profile);
}

static void batches_cut_short_are_read_as_far_as_they_go(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, CUT, profile);

	(void)state;
	reading_expects_stage(input->run, "total", 2, (double[]){210500000, 5000000});
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	assert_true(input->warnings[WEIR_WARN_SKIPPED_EVENT].count >= 1);
	weir_profile_free(profile);
}

static void percentiles_of_a_latency_are_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, LATENCY, profile);

	(void)state;
	reading_expects_figure(input->run, "mean_latency_ms", 10.9, false, "ms");
	reading_expects_figure(input->run, "median_latency_ms", 10.5, false, "ms");
	reading_expects_figure(input->run, "p99_latency_ms", 15, false, "ms");
	assert_int_equal(input->run->metrics.count, 5);
	assert_string_equal(weir_run_label(input->run, "num_iterations"), "100");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void one_configuration_is_a_run_under_its_name(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader, "{\"batch8\": " CONFIGURATION("100.5") "}", profile)->run;

	(void)state;
	reading_expects_figure(run, "tokens_per_sec", 100.5, true, "1/s");
	reading_expects_figure(run, "p95_ms", 12.5, false, "ms");
	reading_expects_figure(run, "peak_memory_gb", 3, false, "GB");
	assert_int_equal(run->metrics.count, 3);
	assert_string_equal(weir_run_label(run, "config"), "batch8");
	assert_string_equal(weir_run_label(run, "date"), "2026-01-01T00:00:00");
	weir_profile_free(profile);
}

static void figures_of_several_configurations_have_prefixes(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   "{\"b1\": " CONFIGURATION("10") ", \"b8\": " CONFIGURATION("80") "}",
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "b1/tokens_per_sec", 10, true, "1/s");
	reading_expects_figure(run, "b8/tokens_per_sec", 80, true, "1/s");
	assert_int_equal(run->metrics.count, 6);
	assert_null(weir_run_label(run, "config"));
	assert_null(weir_run_label(run, "date"));
	weir_profile_free(profile);
}

static void reports_without_figures_are_refused(void **state)
{
	(void)state;
	reading_refuses(reader,
	                "{\"traces\": [{\"prefill_ms\": 0, \"decode_ms\": 0, "
	                "\"total_ms\": 0}]}",
	                WEIR_E_EMPTY, "no timing");
	reading_refuses(reader, "{\"p50_ms\": null, \"p99_ms\": 0, \"mean_ms\": \"x\"}",
	                WEIR_E_EMPTY, "no timing");
	reading_refuses(reader, "{\"a\": {\"metrics\": {}, \"timestamp\": 1}}", WEIR_E_EMPTY,
	                "no figure");
	reading_refuses(reader, "{\"a\": 1}", WEIR_E_FORMAT, "not a wrapper's report");
	reading_refuses(reader, LATENCY LATENCY, WEIR_E_FORMAT, "one input is one run");
}

static void damage_is_read_around_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, BATCHES);
	reading_survives_damage(reader, LATENCY);
	reading_survives_damage(reader, "{\"b1\": " CONFIGURATION("10") ", \"b8\": 1}");
}

static void weak_signatures_are_claimed_by_what_is_inside(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(BATCHES), reader->name);
	assert_string_equal(reading_claims(LATENCY), reader->name);
	assert_string_equal(reading_claims("{\"b1\": " CONFIGURATION("10") "}"), reader->name);
	assert_string_equal(reading_claims("{\"traces\": []}"), "none");
	assert_string_equal(reading_claims("{\"p50_ms\": 1}"), "none");
	assert_string_equal(reading_claims("{\"a\": {\"metrics\": [], \"timestamp\": 1}}"), "none");
	assert_string_equal(reading_claims("{\"metrics\": {}, \"timestamp\": 1}"), "none");
	/* A weir.run document may have a label "metrics". */
	assert_string_equal(
		reading_claims("{\"labels\": {\"metrics\": {}, \"timestamp\": \"\"}, \"schema\": "
	                       "\"weir.run/1\"}"),
		"weir.run");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_become_stages_in_their_order),
		cmocka_unit_test(figures_are_computed_from_the_batches),
		cmocka_unit_test(phases_that_a_wrapper_could_not_split_are_unknown),
		cmocka_unit_test(batches_cut_short_are_read_as_far_as_they_go),
		cmocka_unit_test(percentiles_of_a_latency_are_figures),
		cmocka_unit_test(one_configuration_is_a_run_under_its_name),
		cmocka_unit_test(figures_of_several_configurations_have_prefixes),
		cmocka_unit_test(reports_without_figures_are_refused),
		cmocka_unit_test(damage_is_read_around_or_refused),
		cmocka_unit_test(weak_signatures_are_claimed_by_what_is_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
