/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of gpustat, with and without the line of the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"

#define GPUSTAT (&weir_reader_gpustat)
#define HOST    "node3    Mon Jan  5 10:00:00 2026  550.54.15\n"
#define DEVICE  "[0] Tesla V100 | 41'C,  35 % |     1 /     2 MB | ada(1M)\n"
#define SAMPLE                                                                                     \
	"utilization=0.35 memory_used_bytes=1048576 memory_total_bytes=2097152 temperature_c=41\n"

static void devices_have_the_time_of_the_line_above(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry;

	(void)state;
	expect_samples(GPUSTAT, HOST DEVICE "node3 Mon Jan  5 10:00:05 2026  550\n" DEVICE,
	               "0 @1767607200000000000 " SAMPLE "0 @1767607205000000000 " SAMPLE);
	telemetry = telemetry_of(GPUSTAT, HOST DEVICE, profile);
	assert_true(telemetry->local_time);
	assert_string_equal(telemetry->devices[0].name, "Tesla V100");
	weir_profile_free(profile);
}

static void the_line_of_the_host_may_be_missing(void **state)
{
	(void)state;
	expect_samples(GPUSTAT, DEVICE DEVICE, "0 " SAMPLE "0 " SAMPLE);
}

/* A log may begin between two lines of the host. */
static void devices_before_the_first_time_are_left_out(void **state)
{
	(void)state;
	expect_samples(GPUSTAT, DEVICE HOST DEVICE, "0 @1767607200000000000 " SAMPLE);
	expect_warned(GPUSTAT, DEVICE HOST DEVICE, WEIR_WARN_NO_TIME, 1);
}

static void the_time_may_be_in_the_form_of_a_locale(void **state)
{
	static const struct {
		const char *time;
		bool known;
	} cases[] = {
		{"Mon 05 Jan 2026 10:00:00 AM UTC  550.54.15", true},
		{"Mon 05 Jan 2026 10:00:00 UTC", true},
		{"Mon Jan  5 10:00:00 2026", true},
		{"Mon Jan 32 10:00:00 2026", false},
		{"Mon Jan  5 25:00:00 2026", false},
		{"Mon Jan  5 10:00:00", false},
		{"550.54.15", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_text text = {0};

		weir_text_printf(&text, "node3  %s\n%s", cases[i].time, DEVICE);
		expect_samples(GPUSTAT, text.data,
		               cases[i].known ? "0 @1767607200000000000 " SAMPLE : "0 " SAMPLE);
		expect_warned(GPUSTAT, text.data, WEIR_WARN_RAGGED_ROW, !cases[i].known);
		weir_text_release(&text);
	}
}

static void noon_and_midnight_have_twelve_hours(void **state)
{
	(void)state;
	expect_samples(GPUSTAT, "a Mon 05 Jan 2026 12:00:00 AM\n" DEVICE,
	               "0 @1767571200000000000 " SAMPLE);
	expect_samples(GPUSTAT, "a Mon 05 Jan 2026 12:00:00 PM\n" DEVICE,
	               "0 @1767614400000000000 " SAMPLE);
	expect_samples(GPUSTAT, "a Mon 05 Jan 2026 11:00:00 PM\n" DEVICE,
	               "0 @1767654000000000000 " SAMPLE);
}

/* Options add the fan, the codecs and the power. */
static void further_figures_are_known(void **state)
{
	(void)state;
	expect_samples(
		GPUSTAT,
		"[1] A | 49'C,  38 %,  71 % (E:   9 %  D:   8 %),  212 / 300 W |  1 /  2 MB |\n"
		"[1] A | 49\xc2\xb0"
		"C,  71 %,  212 W |  1 /  2 MB\n"
		"[1] A | ?\?'C,  ?\? %,   ?\? / ?\? W |  1 /  2 MB |\n",
		"1 utilization=0.71 memory_used_bytes=1048576 memory_total_bytes=2097152 "
		"power_w=212 power_limit_w=300 temperature_c=49\n"
		"1 utilization=0.71 memory_used_bytes=1048576 memory_total_bytes=2097152 "
		"power_w=212 temperature_c=49\n"
		"1 memory_used_bytes=1048576 memory_total_bytes=2097152\n");
}

static void a_cut_line_is_a_warning(void **state)
{
	static const char whole[] = DEVICE "[0] Tesla V100 | 41'C,  35 % |     1 /     2 MB | a";
	static const char cut[] = DEVICE "[0] Tesla V100 | 41'C,  35 % |     1 /     2 MB";

	(void)state;
	expect_samples(GPUSTAT, whole, "0 " SAMPLE "0 " SAMPLE);
	expect_samples(GPUSTAT, cut, "0 " SAMPLE);
	expect_warned(GPUSTAT, cut, WEIR_WARN_TRUNCATED, 1);
}

static void the_format_is_known_by_a_device(void **state)
{
	(void)state;
	expect_chosen(HOST DEVICE, GPUSTAT, NULL);
	expect_chosen(DEVICE, GPUSTAT, NULL);
	expect_chosen("text\n[0] a | b | c\n", NULL, "no reader knows");
	expect_chosen("text\n[x] a | 41'C, 35 % | 1 / 2 MB |\n", NULL, "no reader knows");
	expect_chosen("text\n[0] a | 41'C, 35 % | 1 / 2 GB |\n", NULL, "with memory in GB");
	reading_refuses(GPUSTAT, "hello\n", WEIR_E_EMPTY, "no line of gpustat");
}

static void a_file_cut_anywhere_reads_or_is_refused(void **state)
{
	(void)state;
	expect_clean_cuts(GPUSTAT, HOST DEVICE "[1] A | 49'C,  38 %,  71 % (E: 0 %),  212 / 300 W "
	                                       "|  1 /  2 MB | ada(1M)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_have_the_time_of_the_line_above),
		cmocka_unit_test(the_line_of_the_host_may_be_missing),
		cmocka_unit_test(devices_before_the_first_time_are_left_out),
		cmocka_unit_test(the_time_may_be_in_the_form_of_a_locale),
		cmocka_unit_test(noon_and_midnight_have_twelve_hours),
		cmocka_unit_test(further_figures_are_known),
		cmocka_unit_test(a_cut_line_is_a_warning),
		cmocka_unit_test(the_format_is_known_by_a_device),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
