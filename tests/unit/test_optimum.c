/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests reports of optimum-benchmark. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define LATENCY(unit, values)                                                                      \
	"\"latency\": {\"unit\": \"" unit "\", \"values\": [" values                               \
	"], \"mean\": 1, \"p50\": 0.5, \"stdev\": 0, \"stdev_\": 0}"
#define REPORT                                                                                     \
	"{\"load\": {\"memory\": {\"unit\": \"MB\", \"max_ram\": 12.5, \"max_reserved\": "         \
	"null}, " LATENCY(                                                                         \
		"s", "2") ", \"throughput\": null, \"energy\": null}, \"decode\": "                \
			  "{" LATENCY("ms", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10") ", \"throughput\": "  \
									     "{\"unit\": "         \
									     "\"tokens/s\", "      \
									     "\"value\": 69.5}}}"

static const struct weir_reader *const reader = &weir_reader_optimum;

static void expect_report(const char *text)
{
	static const double ns[] = {1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 7e6, 8e6, 9e6, 10e6};
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, text, profile);

	reading_expects_figure(input->run, "load", 2e9, false, "ns");
	reading_expects_figure(input->run, "load/max_ram", 12.5, false, "MB");
	reading_expects_figure(input->run, "decode/throughput", 69.5, true, "tokens/s");
	reading_expects_stage(input->run, "decode", 10, ns);
	assert_int_equal(input->run->metrics.count, 3);
	weir_profile_free(profile);
}

static void parts_are_stages_or_medians_with_their_metrics(void **state)
{
	(void)state;
	expect_report(REPORT);
	expect_report("{\"config\": {\"name\": \"a\"}, \"report\": " REPORT "}");
}

static void a_part_without_values_has_its_median(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, "{\"forward\": {" LATENCY("s", "") "}}", profile);

	(void)state;
	reading_expects_figure(input->run, "forward", 0.5e9, false, "ns");
	weir_profile_free(profile);
}

static void damaged_reports_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, REPORT);
	reading_refuses(reader, "{\"load\": {" LATENCY("h", "1") "}}", WEIR_E_FORMAT,
	                "load: latency: unit: expected");
	reading_refuses(reader, "{\"load\": {" LATENCY("s", "\"x\"") "}}", WEIR_E_FORMAT,
	                "load: latency: values: [0]: expected a time");
	reading_refuses(reader, "{\"load\": {" LATENCY("s", "-1, 1e999, 0") "}}", WEIR_E_EMPTY,
	                "no times");
	assert_string_equal(reading_claims(REPORT), "optimum-benchmark");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_stages_or_medians_with_their_metrics),
		cmocka_unit_test(a_part_without_values_has_its_median),
		cmocka_unit_test(damaged_reports_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
