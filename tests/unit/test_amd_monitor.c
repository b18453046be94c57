/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text table of amd-smi monitor: a sample for each row, with the titles of any release. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"

#define AMD (&weir_reader_amd)
#define DEGREE                                                                                     \
	"\xc2\xb0"                                                                                 \
	"C"
#define EARLY                                                                                      \
	"GPU  POWER  GPU_TEMP  MEM_TEMP  GFX_UTIL  GFX_CLOCK  MEM_UTIL  MEM_CLOCK  VRAM_USED  "    \
	"VRAM_TOTAL   PCIE_BW\n"
#define EARLY_ROW                                                                                  \
	"  0  200 W     90 " DEGREE "     80 " DEGREE "      75 %   1500 MHz      25 %   1000 MHz" \
	"    1 MB    2 MB  N/A Mb/s\n"
#define LATE "GPU  XCP  POWER  PWR_CAP   GPU_T   GFX_CLK   GFX%   MEM%   ENC%      VRAM_USAGE\n"
#define LATE_ROW                                                                                   \
	"  0    0   30 W     90 W   58 " DEGREE "  1100 MHz    6 %    1 %    N/A    2.0/  8.0 "    \
	"GB\n"

static void the_titles_of_all_releases_give_samples(void **state)
{
	(void)state;
	expect_samples(AMD, "$ amd-smi monitor -q\n" EARLY EARLY_ROW,
	               "0 utilization=0.75 memory_activity=0.25 memory_used_bytes=1048576 "
	               "memory_total_bytes=2097152 power_w=200 sm_clock_mhz=1500 "
	               "memory_clock_mhz=1000 temperature_c=90 memory_temperature_c=80\n");
	expect_samples(AMD, LATE LATE_ROW,
	               "0 utilization=0.06 memory_activity=0.01 memory_used_bytes=2147483648 "
	               "memory_total_bytes=8589934592 power_w=30 power_limit_w=90 "
	               "sm_clock_mhz=1100 temperature_c=58\n");
	expect_chosen(EARLY, AMD, NULL);
	expect_chosen("GPU  VRAM_USAGE\n  0  1.0/2.0 GB\n", AMD, NULL);
	expect_chosen("GPU  NAME\n0  A\n", NULL, "no reader knows");
}

/* -w prints the time of each row, and the titles again and again. */
static void watched_tables_give_a_sample_for_each_row_and_time(void **state)
{
#define WATCH " TIMESTAMP  GPU  POWER\n"
	(void)state;
	expect_samples(AMD,
	               "'CTRL' + 'C' to stop watching output:\n" WATCH
	               "1767693600    0    5 W\n1767693600    1    6 W\n" WATCH
	               "1767693601    0    7 W\nhello\n",
	               "0 @1767693600000000000 power_w=5\n1 @1767693600000000000 power_w=6\n"
	               "0 @1767693601000000000 power_w=7\n");
}

/* Columns that the device does not state are unknown, never 0. */
static void missing_values_and_parts_of_a_gpu_are_told_apart(void **state)
{
	(void)state;
	expect_samples(AMD,
	               "GPU  XCP  POWER   GFX%      VRAM_USAGE\n"
	               "  0    0    5 W   10 %    1.0/  2.0 GB\n"
	               "  1    1    N/A    N/A    0.5/  1.0 GB\n"
	               "  2    2    N/A    N/A             N/A\n",
	               "0 utilization=0.1 memory_used_bytes=1073741824 "
	               "memory_total_bytes=2147483648 power_w=5\n"
	               "1/1 memory_used_bytes=536870912 memory_total_bytes=1073741824\n");
}

static void the_list_of_processes_below_is_no_device(void **state)
{
	(void)state;
	expect_samples(AMD,
	               "GPU  POWER\n  0    5 W\n\nPROCESS INFO:\nGPU  NAME  PID\n  0     a    7\n"
	               "  0     7 B\n",
	               "0 power_w=5\n");
}

static void damaged_rows_are_counted(void **state)
{
	(void)state;
	expect_warned(AMD, "GPU  POWER\n  0    5 W\n  1    5 W  9\n", WEIR_WARN_RAGGED_ROW, 1);
	expect_warned(AMD, "GPU  POWER  GFX%\n  0    5 W  7 %\n  1    5 W", WEIR_WARN_TRUNCATED, 1);
	expect_warned(AMD, "GPU  POWER  GFX%\n  0    5 W  7 %\n  1    5 W  7", WEIR_WARN_TRUNCATED,
	              1);
	expect_warned(AMD, "GPU  POWER  GFX%\n  0    5 W  7 %\n  1    5 W  7 %",
	              WEIR_WARN_TRUNCATED, 0);
	reading_refuses(AMD, EARLY, WEIR_E_EMPTY, "no row with a value below the header");
	reading_refuses(AMD,
	                "GPU  XCP  POWER  PWR_CAP  GPU_T  MEM_T  GFX_CLK  GFX%  MEM%  MEM_CLOCK\n"
	                "  0    0    N/A      N/A    N/A    N/A      N/A   N/A   N/A        N/A\n",
	                WEIR_E_EMPTY, "MEM%");
	reading_survives_damage(AMD, EARLY EARLY_ROW LATE LATE_ROW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_titles_of_all_releases_give_samples),
		cmocka_unit_test(watched_tables_give_a_sample_for_each_row_and_time),
		cmocka_unit_test(missing_values_and_parts_of_a_gpu_are_told_apart),
		cmocka_unit_test(the_list_of_processes_below_is_no_device),
		cmocka_unit_test(damaged_rows_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
