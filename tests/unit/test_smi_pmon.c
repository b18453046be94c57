/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nvidia-smi pmon: the sum over the processes of a device at one moment is a sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"

#define PMON  (&weir_reader_smi_pmon)
#define NAMES "# gpu         pid   type     sm    mem     fb    command \n"
#define UNITS "# Idx           #    C/G      %      %     MB    name \n"
#define HEAD  NAMES UNITS
#define A     "    0       4711     C     62     30     2    python\n"
#define B     "    0       4712     C     31     10     1    a b\n"
#define NONE  "    1          -     -      -      -     -    -\n"
#define BOTH  "0 utilization=0.93 memory_activity=0.4 memory_used_bytes=3145728\n"
#define ALONE "0 utilization=0.62 memory_activity=0.3 memory_used_bytes=2097152\n"

static void processes_of_a_device_add_up(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry =
		reading_file(PMON, "tests/data/monitors/pmon.txt", profile)->telemetry;

	(void)state;
	assert_int_equal(telemetry->count, 4);
	assert_int_equal(telemetry->device_count, 2);
	assert_true(telemetry->samples[2].value[WEIR_GAUGE_UTILIZATION] == 1);
	assert_true(telemetry->samples[2].at_ns - telemetry->samples[0].at_ns == 1000000000);
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(profile->inputs[0].warnings[code].count, 0);
	weir_profile_free(profile);
	expect_samples(PMON, HEAD A B, BOTH);
}

static void a_moment_ends_where_a_process_or_a_header_repeats(void **state)
{
	(void)state;
	expect_samples(PMON, HEAD A B A B, BOTH BOTH);
	expect_samples(PMON, HEAD A A, ALONE ALONE);
	expect_samples(PMON, HEAD A NONE A NONE, ALONE ALONE);
	expect_samples(PMON, HEAD A HEAD B,
	               ALONE "0 utilization=0.31 memory_activity=0.1 memory_used_bytes=1048576\n");
}

static void the_sum_is_at_most_the_device(void **state)
{
	(void)state;
	expect_samples(PMON, "# gpu pid sm command\n0 1 60 a\n0 2 40 b\n", "0 utilization=1\n");
	expect_samples(PMON, "# gpu pid sm command\n0 1 60 a\n0 2 41 b\n", "0 utilization=1\n");
	expect_samples(PMON, "# gpu pid sm command\n0 1 60 a\n0 2 39 b\n", "0 utilization=0.99\n");
}

static void figures_that_are_not_stated_are_unknown(void **state)
{
	(void)state;
	expect_samples(PMON, HEAD "0 1 C - - 1 a\n0 2 C 5 - - b\n",
	               "0 utilization=0.05 memory_used_bytes=1048576\n");
	expect_samples(
		PMON,
		"#gpu, pid, type, sm, fb, command\n#Idx, #, C/G, %, MB, name\n0, 1, C, 5, 1, a\n",
		"0 utilization=0.05 memory_used_bytes=1048576\n");
}

static void rows_that_are_damaged_are_counted(void **state)
{
	static const char cut[] = HEAD A "    0       4712     C     3";

	(void)state;
	expect_samples(PMON, cut, ALONE);
	expect_warned(PMON, cut, WEIR_WARN_TRUNCATED, 1);
	expect_warned(PMON, HEAD A "    0   7\n", WEIR_WARN_RAGGED_ROW, 1);
	expect_clean_cuts(PMON, HEAD A B);
	reading_survives_damage(PMON, HEAD A B NONE);
}

static void lists_without_figures_are_refused(void **state)
{
	(void)state;
	expect_chosen(HEAD A, PMON, NULL);
	expect_chosen(HEAD NONE, NULL, "nvidia-smi pmon -s um");
	expect_chosen("# gpu pid type command\n0 1 C a\n", NULL, "nvidia-smi dmon");
	reading_refuses(PMON, HEAD NONE, WEIR_E_EMPTY, "no row with a value");
	reading_refuses(PMON, A, WEIR_E_FORMAT, "nvidia-smi pmon");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_of_a_device_add_up),
		cmocka_unit_test(a_moment_ends_where_a_process_or_a_header_repeats),
		cmocka_unit_test(the_sum_is_at_most_the_device),
		cmocka_unit_test(figures_that_are_not_stated_are_unknown),
		cmocka_unit_test(rows_that_are_damaged_are_counted),
		cmocka_unit_test(lists_without_figures_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
