/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"

#define DCGMI       (&weir_reader_dcgmi)
#define NAMES       "#Entity   GRACT        SMACT        DRAMA        \n"
#define UNITS       "ID                                               \n"
#define NOTHING     "GPU 0     N/A          N/A          N/A          \n"
#define ZERO        "GPU 0     0.000        0.000        0.000        \n"
#define BUSY        "GPU 7     1.000        0.875        0.250        \n"
#define ZERO_SAMPLE "0 utilization=0 sm_active=0 dram_active=0\n"
#define BUSY_SAMPLE "7 utilization=1 sm_active=0.875 dram_active=0.25\n"

static void columns_are_cut_where_the_names_begin(void **state)
{
	(void)state;
	expect_samples(DCGMI, NAMES UNITS BUSY ZERO, BUSY_SAMPLE ZERO_SAMPLE);
	expect_samples(DCGMI,
	               "#Entity         POWER             DVCCTR                SMCLK      \n"
	               "ID              W                                       MHz        \n"
	               "GPU 0           612.125           4                     1980       \n",
	               "0 reasons=0x4 power_w=612.125 sm_clock_mhz=1980\n");
}

static void a_tick_without_values_is_not_a_sample(void **state)
{
	(void)state;
	expect_samples(DCGMI, NAMES UNITS NOTHING ZERO, ZERO_SAMPLE);
	reading_refuses(DCGMI, NAMES UNITS NOTHING, WEIR_E_EMPTY, "no row with a value");
	reading_refuses(DCGMI, NAMES UNITS NOTHING NOTHING, WEIR_E_EMPTY,
	                "N/A in all 2 rows for GRACT, SMACT, DRAMA; fields of profiling (1001 and "
	                "later) need a data-centre GPU");
}

static void a_blank_cell_shifts_nothing(void **state)
{
	(void)state;
	expect_samples(DCGMI, NAMES "GPU 0                  0.500                     \n",
	               "0 sm_active=0.5\n");
	expect_samples(DCGMI, NAMES "GPU 0     0.100\n", "0 utilization=0.1\n");
}

static void the_header_repeats(void **state)
{
	struct weir_text text = {0}, expected = {0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		weir_text_puts(&text, NAMES UNITS);
		weir_text_repeat(&text, ZERO, 14);
		weir_text_repeat(&expected, ZERO_SAMPLE, 14);
	}
	expect_samples(DCGMI, text.data, expected.data);
	weir_text_release(&text);
	weir_text_release(&expected);
}

static void only_devices_and_their_instances_are_kept(void **state)
{
	static const char text[] = NAMES "GPU-I 3   0.500        0.000        0.000        \n"
					 "GPU-CI 1  0.400        0.000        0.000        \n"
					 "Switch 2  0.300        0.000        0.000        \n"
					 "CPU 0     0.200        0.000        0.000        \n" ZERO;

	(void)state;
	expect_samples(DCGMI, text,
	               "GPU-I 3 utilization=0.5 sm_active=0 dram_active=0\n" ZERO_SAMPLE);
	expect_warned(DCGMI, text, WEIR_WARN_RAGGED_ROW, 0);
	expect_samples(DCGMI,
	               "#Entity         GRACT        SMACT        \n"
	               "GPU 0 LINK 3    0.700        0.800        \n"
	               "GPU 0           0.500        0.600        \n",
	               "0 utilization=0.5 sm_active=0.6\n");
}

static void a_reformatted_file_is_split_at_blanks(void **state)
{
	(void)state;
	expect_samples(DCGMI,
	               "#Entity GRACT SMACT DRAMA\nID\nGPU 7 1.000 0.875 0.250\nGPU 0 N/A 0 0\n",
	               BUSY_SAMPLE "0 sm_active=0 dram_active=0\n");
	expect_samples(DCGMI, "# Entity  GRACT  SMACT\n   GPU 0 0.5 0.25\n",
	               "0 utilization=0.5 sm_active=0.25\n");
}

static void a_row_whose_id_holds_a_zero_byte_is_left_out(void **state)
{
	static const char text[] = NAMES "GPU \0   0.500        0.500        0.500        \n" ZERO;
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	const struct weir_input *input = NULL;

	(void)state;
	assert_int_equal(reading_try(DCGMI, text, sizeof(text) - 1, profile, &err), WEIR_OK);
	input = &profile->inputs[0];
	assert_int_equal(input->telemetry->count, 1);
	assert_string_equal(input->telemetry->devices[0].id, "0");
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	weir_profile_free(profile);
}

static void fields_are_in_the_units_of_the_gauges(void **state)
{
	(void)state;
	expect_samples(
		DCGMI,
		"#Entity GPUTL MCUTL FBUSD FBTTL PCITX PCIRX NVLTX NVLRX PVIOL TVIOL TOTEC TENSO\n"
		"GPU 0 50 25 1 2 3 4 5 6 7 8 9000 0.5\n",
		"0 utilization=0.5 memory_activity=0.25 memory_used_bytes=1048576 "
		"memory_total_bytes=2097152 tensor_active=0.5 to_host_bytes_per_s=3 "
		"from_host_bytes_per_s=4 link_sent_bytes_per_s=5 link_received_bytes_per_s=6 "
		"power_capped_ns=7 thermal_ns=8 energy_j=9\n");
	expect_samples(DCGMI,
	               "#Entity   PVIOL      TVIOL      \nID        us                    \n"
	               "GPU 0     7          8          \n",
	               "0 power_capped_ns=7000 thermal_ns=8\n");
}

static void sentinels_are_missing_values(void **state)
{
	(void)state;
	expect_samples(DCGMI,
	               "#Entity MMTMP TMPTR PCITX POWER\n"
	               "GPU 0 2147483634 40 9223372036854775794 140737488355329.000\n",
	               "0 temperature_c=40\n");
}

static void a_last_message_is_not_damage_but_a_lost_line_is(void **state)
{
	(void)state;
	expect_warned(DCGMI, NAMES ZERO "dmon was stopped by the user.\n", WEIR_WARN_RAGGED_ROW, 0);
	expect_warned(DCGMI, NAMES "   0.5 0.6\n" ZERO "x\n", WEIR_WARN_RAGGED_ROW, 1);
}

static void an_error_is_reported(void **state)
{
	static const char error[] = "Error setting watches. Result: The third-party Profiling "
				    "module returned an unrecoverable error\n";
	char text[256] = NAMES UNITS;

	(void)state;
	reading_refuses(DCGMI, error, WEIR_E_EMPTY,
	                "no sample: dcgmi says \"Error setting watches. Result: The third-party "
	                "Profiling module "
	                "returned an unrecoverable error\"");
	memcpy(text + strlen(text), error, sizeof(error));
	reading_refuses(DCGMI, text, WEIR_E_EMPTY,
	                "no sample: dcgmi says \"Error setting watches. Result: The third-party "
	                "Profiling module "
	                "returned an unrecoverable error\"");
	expect_warned(DCGMI, NAMES ZERO "Error: connection lost\n" ZERO, WEIR_WARN_DEVICE_ERROR, 1);
}

static void a_number_cut_in_the_middle_is_left_out(void **state)
{
	static const char text[] = NAMES ZERO "GPU 0     0.500        0.12";

	(void)state;
	expect_samples(DCGMI, text, ZERO_SAMPLE "0 utilization=0.5\n");
	expect_warned(DCGMI, text, WEIR_WARN_TRUNCATED, 1);
}

static void the_format_is_recognised_by_its_header(void **state)
{
	(void)state;
	expect_chosen(NAMES, DCGMI, NULL);
	expect_chosen("# Entity  GRACT\n", DCGMI, NULL);
	expect_chosen("Entity  GRACT\n", NULL, "no reader knows");
	expect_chosen("#Entity\n", NULL, "no reader knows");
	reading_refuses(DCGMI, ZERO, WEIR_E_FORMAT, "no header");
}

static void the_entity_of_a_header_is_one_word_or_two(void **state)
{
	static const char *const entities[] = {"#Entity", "# Entity", "# EntityId", "#EntityId",
	                                       "# Entity Id"};

	(void)state;
	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
		struct weir_text text = {0};

		weir_text_printf(&text, "%s      GPUTL       MCUTL  DRAMA\n", entities[i]);
		expect_chosen(text.data, DCGMI, NULL);
		weir_text_puts(&text, "    GPU 2          79          43  0.382\n");
		expect_samples(DCGMI, text.data,
		               "2 utilization=0.79 memory_activity=0.43 dram_active=0.382\n");
		weir_text_release(&text);
	}
	expect_chosen("# EntityName  GRACT\n", NULL, "no reader knows");
}

static void instances_of_a_gpu_are_parts(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry =
		telemetry_of(DCGMI, NAMES "GPU-I 3   0.5 0.5 0.5\n" ZERO, profile);

	(void)state;
	assert_true(telemetry->devices[0].is_part);
	assert_false(telemetry->devices[1].is_part);
	weir_profile_free(profile);
}

static void a_file_cut_anywhere_reads_or_is_refused(void **state)
{
	(void)state;
	expect_clean_cuts(DCGMI, "# EntityId  GRACT  SMACT\n GPU 0 0.5 0.25\n GPU-I 1 0.5 0.25\n");
	expect_clean_cuts(DCGMI, NAMES UNITS NOTHING BUSY NAMES UNITS ZERO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_cut_where_the_names_begin),
		cmocka_unit_test(a_tick_without_values_is_not_a_sample),
		cmocka_unit_test(a_blank_cell_shifts_nothing),
		cmocka_unit_test(the_header_repeats),
		cmocka_unit_test(only_devices_and_their_instances_are_kept),
		cmocka_unit_test(a_reformatted_file_is_split_at_blanks),
		cmocka_unit_test(a_row_whose_id_holds_a_zero_byte_is_left_out),
		cmocka_unit_test(fields_are_in_the_units_of_the_gauges),
		cmocka_unit_test(sentinels_are_missing_values),
		cmocka_unit_test(a_last_message_is_not_damage_but_a_lost_line_is),
		cmocka_unit_test(an_error_is_reported),
		cmocka_unit_test(a_number_cut_in_the_middle_is_left_out),
		cmocka_unit_test(the_format_is_recognised_by_its_header),
		cmocka_unit_test(the_entity_of_a_header_is_one_word_or_two),
		cmocka_unit_test(instances_of_a_gpu_are_parts),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
