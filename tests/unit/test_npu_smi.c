/* SPDX-License-Identifier: GPL-3.0-or-later */
/* npu-smi of Huawei Ascend: a sample of each chip from the page, and from the rows of watch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"

#define NPU (&weir_reader_npu_smi)
#define TITLES(chip)                                                                               \
	"| NPU   Name      | Health        | Power(W)    Temp(C)      Hugepages-Usage(page)|\n"    \
	"| Chip " chip "   | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)   |\n"
#define UPPER(health, power) "| 0     910B3 | " health " | " power " 40   0    / 0 |\n"
#define LOWER(chip, hbm)     "| " chip " | 0000:C1:00.0  | 25   0    / 0   " hbm " |\n"
#define PAGE                 TITLES("") UPPER("OK", "90.5") LOWER("0", "1 / 2")
#define SAMPLE                                                                                     \
	"utilization=0.25 memory_used_bytes=1048576 memory_total_bytes=2097152 power_w=90.5 "      \
	"temperature_c=40\n"

static void a_page_gives_a_sample_of_each_chip(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	expect_samples(NPU, PAGE, "0 " SAMPLE);
	expect_samples(NPU, PAGE PAGE, "0 " SAMPLE "0 " SAMPLE);
	assert_string_equal(telemetry_of(NPU, PAGE, profile)->devices[0].name, "910B3");
	weir_profile_free(profile);
	expect_chosen(PAGE, NPU, NULL);
}

/* The power of a card stands at its first chip: that of the second is unknown, not 0. */
static void two_chips_of_a_card_have_their_numbers_in_the_machine(void **state)
{
	(void)state;
	expect_samples(NPU,
	               TITLES("Phy-ID") UPPER("OK", "90.5") LOWER("0  6", "1/ 2") UPPER("OK", "-")
	                       LOWER("1  7", "1/ 2"),
	               "6 " SAMPLE "7 utilization=0.25 memory_used_bytes=1048576 "
	               "memory_total_bytes=2097152 temperature_c=40\n");
	expect_samples(NPU,
	               TITLES("") UPPER("OK", "90.5") LOWER("0", "1/ 2") UPPER("OK", "90.5")
	                       LOWER("1", "1/ 2"),
	               "0 " SAMPLE "0/1 " SAMPLE);
}

/* A chip without HBM has its memory in the column before, and one without that has "0 / 0". */
static void the_memory_that_a_chip_has_is_read(void **state)
{
	(void)state;
	expect_samples(NPU,
	               "| NPU Name | Health | Power(W) Temp(C) Hugepages-Usage(page) |\n"
	               "| Chip Device | Bus-Id | AICore(%) Memory-Usage(MB) |\n"
	               "| 0 310P3 | OK | NA 42 0 / 0 |\n| 0 0 | 0000:82:00.0 | 0 1 / 2 |\n",
	               "0 utilization=0 memory_used_bytes=1048576 memory_total_bytes=2097152 "
	               "temperature_c=42\n");
	expect_samples(NPU, TITLES("") UPPER("OK", "NA") LOWER("0", "0 / 0"),
	               "0 utilization=0.25 temperature_c=40\n");
}

static void a_chip_that_is_not_well_is_a_warning(void **state)
{
	(void)state;
	expect_warned(NPU, TITLES("") UPPER("Alarm", "9") LOWER("0", "1 / 2"), WEIR_WARN_OF_TOOL,
	              1);
	expect_warned(NPU, PAGE, WEIR_WARN_OF_TOOL, 0);
}

#define WATCH                                                                                      \
	"NpuID(Idx)  ChipId(Idx) Pwr(W)      Temp(C)     AI Core(%)  AI Cpu(%)   Memory(%)   "     \
	"Memory BW(%)\n"

static void the_table_of_watch_gives_a_sample_for_each_row(void **state)
{
	(void)state;
	expect_samples(NPU,
	               WATCH "2   0   90.5   40   25   3   50   10   \n"
	                     "2   1   NA     40   25   3   50   10   \n",
	               "2 utilization=0.25 memory_activity=0.1 power_w=90.5 temperature_c=40 "
	               "memory_used_share=0.5\n"
	               "2/1 utilization=0.25 memory_activity=0.1 temperature_c=40 "
	               "memory_used_share=0.5\n");
	expect_samples(NPU, "NpuID(Idx)  Pwr(W)  Temp(C)\n3  9.5  50\n",
	               "3 power_w=9.5 temperature_c=50\n");
	expect_chosen(WATCH, NPU, NULL);
}

static void processes_and_damage_are_no_chips(void **state)
{
	(void)state;
	expect_samples(NPU,
	               PAGE "| NPU Chip | Process id | Process name | Process memory(MB) |\n"
	                    "| 0 0 | 4711 | python3 | 30210 |\n",
	               "0 " SAMPLE);
	expect_warned(NPU, PAGE UPPER("OK", "9 9") LOWER("0", "1 / 2"), WEIR_WARN_RAGGED_ROW, 2);
	expect_warned(NPU, PAGE UPPER("OK", "9") LOWER("0", "1"), WEIR_WARN_RAGGED_ROW, 0);
	expect_warned(NPU, PAGE LOWER("0", "1 / 2"), WEIR_WARN_RAGGED_ROW, 1);
	expect_warned(NPU, PAGE UPPER("OK", "9") "| 0 | 0000", WEIR_WARN_TRUNCATED, 1);
	reading_refuses(NPU, TITLES(""), WEIR_E_EMPTY, "npu-smi info with a chip");
	reading_refuses(NPU, WATCH, WEIR_E_EMPTY, "npu-smi info with a chip");
	expect_chosen("| npu-smi 25.2.0     Version: 25.2.0   |\n", NULL, "record npu-smi info");
	reading_survives_damage(NPU, PAGE WATCH "2   0   90.5   40   25   3   50   10\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_gives_a_sample_of_each_chip),
		cmocka_unit_test(two_chips_of_a_card_have_their_numbers_in_the_machine),
		cmocka_unit_test(the_memory_that_a_chip_has_is_read),
		cmocka_unit_test(a_chip_that_is_not_well_is_a_warning),
		cmocka_unit_test(the_table_of_watch_gives_a_sample_for_each_row),
		cmocka_unit_test(processes_and_damage_are_no_chips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
