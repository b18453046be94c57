/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"

#define DMON (&weir_reader_smi_dmon)
#define NAMES                                                                                      \
	"# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk \n"
#define UNITS                                                                                      \
	"# Idx      W      C      C      %      %      %      %      %      %    MHz    MHz \n"
#define FIRST                                                                                      \
	"    0    630     53     41    100      8      0      0      0      0   3201   1980 \n"
#define FIRST_SAMPLE                                                                               \
	"0 utilization=1 memory_activity=0.08 power_w=630 sm_clock_mhz=1980 "                      \
	"memory_clock_mhz=3201 temperature_c=53 memory_temperature_c=41\n"
#define SECOND                                                                                     \
	"    1     70     42      -      -      -      -      -      -      -   2619    345 \n"
#define SECOND_SAMPLE "1 power_w=70 sm_clock_mhz=345 memory_clock_mhz=2619 temperature_c=42\n"

static void columns_are_named_by_the_header_and_a_dash_is_missing(void **state)
{
	(void)state;
	expect_samples(DMON, NAMES UNITS FIRST SECOND, FIRST_SAMPLE SECOND_SAMPLE);
	expect_warned(DMON, NAMES UNITS FIRST SECOND, WEIR_WARN_BAD_NUMBER, 0);
}

static void headers_repeat_and_may_change(void **state)
{
	(void)state;
	expect_samples(DMON,
	               NAMES UNITS FIRST NAMES UNITS SECOND
	               "# gpu   temp   pclk\n# Idx      C    MHz\n    0     40    900\n",
	               FIRST_SAMPLE SECOND_SAMPLE "0 sm_clock_mhz=900 temperature_c=40\n");
}

static void lines_of_other_programs_between_the_rows_are_no_rows(void **state)
{
	static const char text[] = NAMES UNITS FIRST
		"$ sudo nvidia-smi -i 1 -lgc 1500\n"
		"one two three four five six seven eight nine ten eleven twelve\n" SECOND;

	(void)state;
	expect_samples(DMON, text, FIRST_SAMPLE SECOND_SAMPLE);
	expect_warned(DMON, text, WEIR_WARN_RAGGED_ROW, 0);
	expect_warned(DMON, NAMES UNITS FIRST "    1     70\n", WEIR_WARN_RAGGED_ROW, 1);
}

static void units_come_from_the_line_below_the_names(void **state)
{
	(void)state;
	expect_samples(DMON, "# gpu fb rxpci txpci\n# Idx MB MB/s GB/s\n0 2 3 4\n",
	               "0 memory_used_bytes=2097152 to_host_bytes_per_s=4000000000 "
	               "from_host_bytes_per_s=3000000\n");
	expect_samples(DMON, "# gpu pwr sm\n0 5 50\n", "0 utilization=0.5 power_w=5\n");
}

static void date_and_time_make_a_local_time(void **state)
{
	static const char text[] = "#Date       Time        gpu    pwr\n"
				   "#YYYYMMDD   HH:MM:SS    Idx      W\n"
				   " 20260105   10:00:00      0    100\n"
				   " 20260106   00:00:01      0    101\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry = telemetry_of(DMON, text, profile);

	(void)state;
	assert_true(telemetry->local_time);
	assert_false(telemetry->no_date);
	weir_profile_free(profile);
	expect_samples(DMON, text,
	               "0 @1767607200000000000 power_w=100\n0 @1767657601000000000 power_w=101\n");
}

static void a_time_without_a_date_goes_on_past_midnight(void **state)
{
	static const char text[] = "#Time        gpu    pwr\n#HH:MM:SS    Idx      W\n"
				   " 23:59:59      0    100\n 00:00:01      0    101\n"
				   " 12:00:01      0    102\n 00:00:00      0    103\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry = telemetry_of(DMON, text, profile);

	(void)state;
	assert_true(telemetry->no_date);
	weir_profile_free(profile);
	expect_samples(DMON, text,
	               "0 @86399000000000 power_w=100\n0 @86401000000000 power_w=101\n"
	               "0 @129601000000000 power_w=102\n0 @172800000000000 power_w=103\n");
	expect_warned(DMON, text, WEIR_WARN_CLOCK_BACKWARDS, 0);
}

static void tables_with_commas_are_read(void **state)
{
	(void)state;
	expect_samples(DMON, "#gpu, pwr, sm, mtemp\n#Idx, W, %, C\n0, 630, 100, -\n",
	               "0 utilization=1 power_w=630\n");
	expect_samples(DMON, "#gpu,pwr,sm\n0,630,100\n", "0 utilization=1 power_w=630\n");
}

/* 20 % of the time is one of five samples. */
static void shares_of_violations_become_that_share_of_samples(void **state)
{
	(void)state;
	expect_samples(DMON,
	               "# gpu pviol tviol\n# Idx % bool\n0 20 0\n0 20 1\n0 20 0\n0 20 0\n0 20 0\n"
	               "0 20 0\n1 100 0\n1 0 0\n1 - -\n",
	               "0 reasons=0x0\n0 reasons=0x20\n0 reasons=0x4\n0 reasons=0x0\n"
	               "0 reasons=0x0\n0 reasons=0x0\n1 reasons=0x4\n1 reasons=0x0\n");
}

static void rows_with_other_columns_are_left_out(void **state)
{
	static const char text[] = NAMES FIRST "    0    630 \n" SECOND "    0    630     5";

	(void)state;
	expect_samples(DMON, text, FIRST_SAMPLE SECOND_SAMPLE);
	expect_warned(DMON, text, WEIR_WARN_RAGGED_ROW, 1);
	expect_warned(DMON, text, WEIR_WARN_TRUNCATED, 1);
}

static void an_error_among_rows_is_reported(void **state)
{
	(void)state;
	expect_warned(DMON,
	              NAMES FIRST
	              "Unable to determine the device handle for GPU 0: Unknown Error\n",
	              WEIR_WARN_DEVICE_ERROR, 1);
	reading_refuses(DMON, NAMES UNITS "Not supported on the device(s)\n", WEIR_E_EMPTY,
	                "does not support this monitor");
}

static void other_tables_are_refused(void **state)
{
	(void)state;
	expect_chosen(NAMES UNITS, DMON, NULL);
	expect_chosen("#gpu, pwr\n", DMON, NULL);
	expect_chosen("# gpu name\n", NULL, "no reader knows");
	expect_chosen("# pwr sm\n", NULL, "no reader knows");
	expect_chosen("# gpu pid type sm command\n", NULL, "pmon");
	expect_chosen(FIRST, NULL, "no reader knows");
	reading_refuses(DMON, FIRST, WEIR_E_FORMAT, "no header");
	reading_refuses(DMON, NAMES UNITS, WEIR_E_EMPTY, "no row with a value");
}

static void a_file_cut_anywhere_reads_or_is_refused(void **state)
{
	(void)state;
	expect_clean_cuts(DMON, NAMES UNITS FIRST SECOND NAMES UNITS FIRST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_named_by_the_header_and_a_dash_is_missing),
		cmocka_unit_test(headers_repeat_and_may_change),
		cmocka_unit_test(lines_of_other_programs_between_the_rows_are_no_rows),
		cmocka_unit_test(units_come_from_the_line_below_the_names),
		cmocka_unit_test(date_and_time_make_a_local_time),
		cmocka_unit_test(a_time_without_a_date_goes_on_past_midnight),
		cmocka_unit_test(tables_with_commas_are_read),
		cmocka_unit_test(shares_of_violations_become_that_share_of_samples),
		cmocka_unit_test(rows_with_other_columns_are_left_out),
		cmocka_unit_test(an_error_among_rows_is_reported),
		cmocka_unit_test(other_tables_are_refused),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
