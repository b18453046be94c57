/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The overview that nvidia-smi prints without options: a sample of each device for each overview.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"

#define DATA     "tests/data/monitors/overviews.txt"
#define OVERVIEW (&weir_reader_smi_overview)
#define DATE     "Tue Jan  6 10:00:00 2026       \n"
#define TITLE    "| NVIDIA-SMI 440.64.00    Driver Version: 440.64.00    CUDA Version: 10.2     |\n"
#define DEVICE(id)                                                                                 \
	"|   " id "  Tesla T4            On   | 00000000:07:00.0 Off |                    0 |\n"
#define ROW(a, b, c) "| " a " | " b " | " c " |\n"
#define FIGURES      ROW("N/A   60C    P0    29W /  70W", "1MiB / 2MiB", "35%      Default")
#define MIG          ROW("   ", "   ", "N/A")
#define SAMPLE                                                                                     \
	"utilization=0.35 memory_used_bytes=1048576 memory_total_bytes=2097152 power_w=29 "        \
	"power_limit_w=70 temperature_c=60\n"

static void layouts_of_all_drivers_give_samples(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(OVERVIEW, DATA, profile);
	const struct weir_telemetry *telemetry = input->telemetry;

	(void)state;
	assert_int_equal(telemetry->count, 4);
	assert_int_equal(telemetry->device_count, 2);
	assert_true(telemetry->local_time);
	assert_string_equal(telemetry->devices[0].name, "NVIDIA A100-SXM4-40GB");
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(input->warnings[code].count, 0);
	weir_profile_free(profile);
	expect_samples(OVERVIEW, DATE TITLE DEVICE("0") FIGURES MIG DEVICE("1") FIGURES MIG,
	               "0 @1767693600000000000 " SAMPLE "1 @1767693600000000000 " SAMPLE);
	expect_samples(OVERVIEW, TITLE DEVICE("0") FIGURES "step 7\n" TITLE DEVICE("0") FIGURES,
	               "0 " SAMPLE "0 " SAMPLE);
}

#define HABANA (&weir_reader_hl_smi)
#define HABANA_TITLE                                                                               \
	"| HL-SMI Version:                              hl-1.18.0-fw-53.1.1.1          |\n"
#define HABANA_DEVICE(id) "|   " id "  HL-225   N/A  | 0000:19:00.0     N/A |            0  |\n"

static void the_table_of_habana_gaudi_gives_samples(void **state)
{
	static const char log[] =
		"2026-01-06 10:00:00,123 | INFO | Executing: hl-smi\n" HABANA_TITLE HABANA_DEVICE(
			"0") ROW("N/A   60C   N/A   29W /  70W", "1MiB / 2MiB",
	                         "35%     N/A") HABANA_DEVICE("1")
			ROW("N/A   60C   N/A   29W /  70W", "1Mib / 2Mib",
	                    "35%     N/A") "| Compute Processes:                               AIP "
					   "Memory |\n"
					   "|  AIP       PID   Type   Process name             "
					   "Usage      |\n"
					   "|   0       2210     C    python3                  "
					   "1MiB       |\n"
					   "2026-01-06 10:00:01,123 | INFO | Total time: 302s\n";
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	expect_samples(HABANA, log, "0 " SAMPLE "1 " SAMPLE);
	assert_string_equal(telemetry_of(HABANA, log, profile)->devices[0].name, "HL-225");
	expect_chosen(log, HABANA, NULL);
	reading_survives_damage(HABANA, log);
	reading_refuses(HABANA, HABANA_TITLE, WEIR_E_EMPTY, "hl-smi");
	weir_profile_free(profile);
}

static void figures_that_are_not_available_are_unknown(void **state)
{
	static const struct {
		const char *row, *sample;
	} cases[] = {
		{ROW("30%  60C  P8  N/A /  N/A", "N/A", "N/A  Default"), "0 temperature_c=60\n"},
		{ROW("ERR! 60C  P8  9W /  N/A", "Not Supported", "0%  Default"),
	         "0 utilization=0 power_w=9 temperature_c=60\n"},
		{ROW("0%   N/A  P15  N/A / 70W", "1MiB / N/A", "N/A  E. Process"),
	         "0 memory_used_bytes=1048576 power_limit_w=70\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_text text = {0};

		weir_text_printf(&text, "%s%s%s", TITLE, DEVICE("0"), cases[i].row);
		expect_samples(OVERVIEW, text.data, cases[i].sample);
		weir_text_release(&text);
	}
}

/* Rows of MIG devices and processes are no devices. */
static void other_tables_are_left_out(void **state)
{
	static const char text[] = TITLE DEVICE("0") FIGURES "| MIG devices:  |\n" DEVICE("1")
		FIGURES "| Processes:  |\n" DEVICE("2") FIGURES;

	(void)state;
	expect_samples(OVERVIEW, text, "0 " SAMPLE);
	expect_warned(OVERVIEW, text, WEIR_WARN_RAGGED_ROW, 0);
}

static void lines_that_are_damaged_are_counted(void **state)
{
	static const char alone[] = TITLE FIGURES DEVICE("0") FIGURES DEVICE("1") MIG FIGURES;
	static const char cut[] = TITLE DEVICE("0") FIGURES DEVICE("1") "| N/A  60C  P0 | 1MiB";

	(void)state;
	expect_samples(OVERVIEW, alone, "0 " SAMPLE);
	expect_warned(OVERVIEW, alone, WEIR_WARN_RAGGED_ROW, 3);
	expect_samples(OVERVIEW, cut, "0 " SAMPLE);
	expect_warned(OVERVIEW, cut, WEIR_WARN_TRUNCATED, 1);
	expect_clean_cuts(OVERVIEW, DATE TITLE DEVICE("0") FIGURES MIG);
	reading_survives_damage(OVERVIEW, DATE TITLE DEVICE("0") FIGURES MIG);
}

/* A log may begin inside an overview. */
static void overviews_before_the_first_time_are_left_out(void **state)
{
	static const char text[] = TITLE DEVICE("0") FIGURES DATE TITLE DEVICE("0") FIGURES;

	(void)state;
	expect_samples(OVERVIEW, text, "0 @1767693600000000000 " SAMPLE);
	expect_warned(OVERVIEW, text, WEIR_WARN_NO_TIME, 1);
}

static void the_overview_is_recognised(void **state)
{
	(void)state;
	expect_chosen(DATE TITLE DEVICE("0") FIGURES, OVERVIEW, NULL);
	expect_chosen(TITLE DEVICE("0") FIGURES "index, temperature.gpu\n0, 50\n",
	              &weir_reader_smi_query, NULL);
	expect_chosen(TITLE DEVICE("0") FIGURES "# gpu    sm\n# Idx     %\n    0    50\n",
	              &weir_reader_smi_dmon, NULL);
	expect_chosen(DATE TITLE, NULL, "without the figures of a device");
	reading_refuses(OVERVIEW, "hello\n", WEIR_E_EMPTY, "nvidia-smi without options");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_of_all_drivers_give_samples),
		cmocka_unit_test(the_table_of_habana_gaudi_gives_samples),
		cmocka_unit_test(figures_that_are_not_available_are_unknown),
		cmocka_unit_test(other_tables_are_left_out),
		cmocka_unit_test(lines_that_are_damaged_are_counted),
		cmocka_unit_test(overviews_before_the_first_time_are_left_out),
		cmocka_unit_test(the_overview_is_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
