/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tegrastats of Jetson: lines of early and late versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/requests/telemetry.h"
#include "engine/analysis/rows/rows.h"
#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"

#define TEGRASTATS (&weir_reader_tegrastats)
#define MEMORY     "RAM 1/2MB (lfb 3x4MB) "
#define IN_MEMORY  "memory_used_bytes=1048576 memory_total_bytes=2097152"

static void a_line_becomes_a_sample(void **state)
{
	(void)state;
	expect_samples(TEGRASTATS,
	               "01-05-2026 10:00:00 " MEMORY
	               "SWAP 0/4096MB (cached 0MB) CPU [12%@1510,off] "
	               "EMC_FREQ 14%@2133 GR3D_FREQ 62%@[612,918] APE 174 cpu@48.5C gpu@44.25C "
	               "VDD_GPU_SOC 4200mW/4100mW VIN_SYS_5V0 3400mW/3390mW\n",
	               "0 @1767607200000000000 utilization=0.62 memory_activity=0.14 " IN_MEMORY
	               " power_w=4.2 sm_clock_mhz=918 memory_clock_mhz=2133 temperature_c=44.25 "
	               "board_power_w=7.6\n");
}

static void lines_without_a_time_are_samples_without_one(void **state)
{
	(void)state;
	expect_samples(TEGRASTATS, MEMORY "IRAM 0/252kB(lfb 252kB) GR3D_FREQ 45%@76 GPU@25.5C\n",
	               "0 utilization=0.45 " IN_MEMORY " sm_clock_mhz=76 temperature_c=25.5\n");
}

/* Scripts put their own time before the line. */
static void a_time_of_a_script_is_read(void **state)
{
	(void)state;
	expect_samples(TEGRASTATS, "2026-01-05 10:00:00 " MEMORY "GR3D_FREQ 1%\n",
	               "0 @1767607200000000000 utilization=0.01 " IN_MEMORY "\n");
	expect_samples(TEGRASTATS, "1767607200 " MEMORY "GR3D_FREQ 1%\n",
	               "0 @1767607200000000000 utilization=0.01 " IN_MEMORY "\n");
	expect_samples(TEGRASTATS, "jetson: " MEMORY "GR3D_FREQ 1%\n",
	               "0 utilization=0.01 " IN_MEMORY "\n");
}

static void a_line_that_lost_its_time_is_left_out(void **state)
{
	static const char text[] = "01-05-2026 10:00:00 " MEMORY "\n" MEMORY "\n13-05-2026 "
				   "10:00:00 " MEMORY "\n01-05-2026 24:00:00 " MEMORY "\n";

	(void)state;
	expect_samples(TEGRASTATS, text, "0 @1767607200000000000 " IN_MEMORY "\n");
	expect_warned(TEGRASTATS, text, WEIR_WARN_NO_TIME, 3);
}

/* The device has the power of its rail. The input of a module holds all rails; else their sum is
 * the power of the board. */
static void power_is_that_of_the_device_and_of_the_board(void **state)
{
	static const struct {
		const char *rails, *power;
	} cases[] = {
		{"POM_5V_IN 2654/2244 POM_5V_GPU 76/65 POM_5V_CPU 1152/900",
	         " power_w=0.076 board_power_w=2.654"},
		{"VDD_IN 4000mW/4100mW VDD_CPU_GPU_CV 900mW/800mW", " power_w=0.9 board_power_w=4"},
		{"GPU 1500/1400 CPU 500/450 SYS5V 1000/1000", " power_w=1.5 board_power_w=3"},
		{"VDD_GPU_SOC 4200mW/4100mW VDD_X 12mA/13mA", " power_w=4.2 board_power_w=4.2"},
		{"VDD_IN 4000mW/4100mW VDD_CPU_CV 900mW/800mW", " board_power_w=4"},
		{"VDD_GPU 700mW/1mW VDD_SYS_GPU 9/9", " power_w=0.7 board_power_w=0.709"},
		{"VDD_GPU_SOC 4200mW/ SWAP 0/4096MB", ""},
		{"VDD_GPU_SOC 4200mW", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_text text = {0}, expected = {0};

		weir_text_printf(&text, MEMORY "%s\n", cases[i].rails);
		weir_text_printf(&expected, "0 " IN_MEMORY "%s\n", cases[i].power);
		expect_samples(TEGRASTATS, text.data, expected.data);
		weir_text_release(&text);
		weir_text_release(&expected);
	}
}

static void the_rail_of_the_device_is_named(void **state)
{
	static const struct {
		const char *rails, *rail;
	} cases[] = {
		{"VDD_IN 4000/4000 VDD_SYS_GPU 153/153 VDD_GPU 1/1", "VDD_SYS_GPU"},
		{"VDD_CPU_GPU_CV 900mW/800mW", "VDD_CPU_GPU_CV"},
		{"VDD_IN 4000/4000", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const char *rail;

		weir_text_printf(&text, MEMORY "%s\n", cases[i].rails);
		rail = telemetry_of(TEGRASTATS, text.data, profile)->power_rail;
		if (!cases[i].rail)
			assert_null(rail);
		else
			assert_string_equal(rail, cases[i].rail);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

/* A board that was idle has its power as well. */
static void power_of_rail_and_board_is_noted(void **state)
{
	static const char text[] =
		MEMORY "GR3D_FREQ 0% VDD_SYS_GPU 100/100 VDD_IN 2000/2000\n" MEMORY
		       "GR3D_FREQ 0% VDD_SYS_GPU 100/100 VDD_IN 3000/3000\n";
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report;

	(void)state;
	telemetry_of(TEGRASTATS, text, profile);
	report = weir_report_new(profile);
	report->has_telemetry = true;
	weir_telemetry_figures(profile, 0, 0, report->arena, &report->telemetry);
	weir_note_telemetry(report);
	assert_string_equal(report->notes[0].text,
	                    "the whole board, host and device, takes 2.5 W, 3 W at most");
	assert_string_equal(report->notes[1].text,
	                    "the power of the device is measured at its rail VDD_SYS_GPU");
	weir_report_free(report);
	weir_profile_free(profile);
}

static void a_sum_of_rails_is_called_one(void **state)
{
	static const struct {
		const char *rails, *note;
	} cases[] = {
		{"VDD_GPU_SOC 100/100 VDD_CPU_CV 200/200 VIN_SYS_5V0 700/700",
	         "the 3 rails of the module together, host and device, take 1 W, 1 W at most; "
	         "the monitor states no power at the input of the board"},
		{"VDD_GPU_SOC 1000/1000",
	         "the whole board, host and device, takes 1 W, 1 W at most"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		struct weir_report *report;

		weir_text_printf(&text, MEMORY "GR3D_FREQ 0%% %s\n", cases[i].rails);
		telemetry_of(TEGRASTATS, text.data, profile);
		report = weir_report_new(profile);
		report->has_telemetry = true;
		weir_telemetry_figures(profile, 0, 0, report->arena, &report->telemetry);
		weir_note_telemetry(report);
		assert_string_equal(report->notes[0].text, cases[i].note);
		weir_report_free(report);
		weir_profile_free(profile);
		weir_text_release(&text);
	}
}

/* Scripts write the date before they start the tool. */
static void a_line_with_a_date_is_no_damage(void **state)
{
	(void)state;
	expect_warned(TEGRASTATS, "Sun Jan 10 23:46:54 UTC 2021\n2021-01-10 23:46:54\n" MEMORY "\n",
	              WEIR_WARN_RAGGED_ROW, 0);
	expect_warned(TEGRASTATS, "Sun Jan 10 23:46:54 UTC\n" MEMORY "\n", WEIR_WARN_RAGGED_ROW, 1);
}

static void a_figure_may_be_missing_or_off(void **state)
{
	static const struct {
		const char *cells, *gauges;
	} cases[] = {
		{"GR3D_FREQ @[1000,1001]", " sm_clock_mhz=1001"},
		{"GR3D_FREQ 0%", ""},
		{"GR3D 5%@100", " sm_clock_mhz=100"},
		{"GR3D_FREQ 101%@", ""},
		{"GR3D_FREQ off", ""},
		{"gpu@-256C", ""},
		{"gpu@-100C", ""},
		{"gpu@-99C", " temperature_c=-99"},
		{"GR3D_FREQ", ""},
		{"GR3D_FREQ %@[", ""},
	};
	static const char *const shares[] = {"", "utilization=0 ", "utilization=0.05 ",
	                                     "utilization=1 "};
	static const int share_of_case[] = {0, 1, 2, 3, 0, 0, 0, 0, 0, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_text text = {0}, expected = {0};

		weir_text_printf(&text, MEMORY "%s\n", cases[i].cells);
		weir_text_printf(&expected, "0 %s" IN_MEMORY "%s\n", shares[share_of_case[i]],
		                 cases[i].gauges);
		expect_samples(TEGRASTATS, text.data, expected.data);
		weir_text_release(&text);
		weir_text_release(&expected);
	}
}

static void other_lines_are_damage(void **state)
{
	static const char text[] = MEMORY "\n\nhello\nDRAM 1/2MB (lfb 3x4MB)\n" MEMORY "\n";

	(void)state;
	expect_samples(TEGRASTATS, text, "0 " IN_MEMORY "\n0 " IN_MEMORY "\n");
	expect_warned(TEGRASTATS, text, WEIR_WARN_RAGGED_ROW, 2);
}

/* The last cell may be half a number, and the sum lacks the rails behind it. */
static void of_a_cut_line_the_whole_cells_are_read(void **state)
{
	static const char text[] = MEMORY "GR3D_FREQ 45% VDD_A 100mW/100mW VDD_B 20";

	(void)state;
	expect_samples(TEGRASTATS, text, "0 utilization=0.45 " IN_MEMORY "\n");
	expect_warned(TEGRASTATS, text, WEIR_WARN_TRUNCATED, 1);
	expect_samples(TEGRASTATS, MEMORY "VDD_IN 100mW/100mW VDD_B 20",
	               "0 " IN_MEMORY " board_power_w=0.1\n");
}

static void the_format_is_known_by_its_memory(void **state)
{
	(void)state;
	expect_chosen(MEMORY "SWAP 0/1MB CPU [1%@2]\n", TEGRASTATS, NULL);
	expect_chosen("a line\n01-05-2026 10:00:00 " MEMORY "GR3D_FREQ 1%\n", TEGRASTATS, NULL);
	expect_chosen("RAM 1/2GB\n", NULL, "no reader knows");
	reading_refuses(TEGRASTATS, "hello\n", WEIR_E_EMPTY, "no line of tegrastats");
}

static void a_file_cut_anywhere_reads_or_is_refused(void **state)
{
	(void)state;
	expect_clean_cuts(TEGRASTATS, "01-05-2026 10:00:00 " MEMORY
	                              "CPU [1%@2,off] GR3D_FREQ 62%@[612,0] gpu@44.25C "
	                              "VDD_IN 4200mW/4100mW\n" MEMORY "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_becomes_a_sample),
		cmocka_unit_test(lines_without_a_time_are_samples_without_one),
		cmocka_unit_test(a_time_of_a_script_is_read),
		cmocka_unit_test(a_line_that_lost_its_time_is_left_out),
		cmocka_unit_test(power_is_that_of_the_device_and_of_the_board),
		cmocka_unit_test(the_rail_of_the_device_is_named),
		cmocka_unit_test(power_of_rail_and_board_is_noted),
		cmocka_unit_test(a_sum_of_rails_is_called_one),
		cmocka_unit_test(a_line_with_a_date_is_no_damage),
		cmocka_unit_test(a_figure_may_be_missing_or_off),
		cmocka_unit_test(other_lines_are_damage),
		cmocka_unit_test(of_a_cut_line_the_whole_cells_are_read),
		cmocka_unit_test(the_format_is_known_by_its_memory),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
