/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"

#define QUERY (&weir_reader_smi_query)
#define HEADER                                                                                     \
	"timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], "               \
	"clocks.current.sm [MHz], clocks_event_reasons.active\n"
#define FIRST                                                                                      \
	"2026/01/05 10:00:00.000, 0, 98 %, 32362 MiB, 627.40 W, 1980 MHz, 0x0000000000000004\n"
#define FIRST_SAMPLE                                                                               \
	"0 @1767607200000000000 reasons=0x4 utilization=0.98 memory_used_bytes=33934016512 "       \
	"power_w=627.4 sm_clock_mhz=1980\n"
#define SECOND "2026/01/05 10:00:00.001, 1, [N/A], 614 MiB, [N/A], 345 MHz, 0x0000000000000001\n"
#define SECOND_SAMPLE                                                                              \
	"1 @1767607200001000000 reasons=0x1 memory_used_bytes=643825664 sm_clock_mhz=345\n"

static void rows_of_two_devices_become_samples_in_the_units_of_the_gauges(void **state)
{
	(void)state;
	expect_samples(QUERY, HEADER FIRST SECOND, FIRST_SAMPLE SECOND_SAMPLE);
}

static void values_without_units_take_those_of_the_header(void **state)
{
	(void)state;
	expect_samples(QUERY,
	               HEADER "2026/01/05 10:00:00.000, 0, 98, 32362, 627.40, 1980, "
	                      "0x0000000000000004\n",
	               FIRST_SAMPLE);
	expect_samples(QUERY, "power.draw [mW], index\n500, 2\n", "2 power_w=0.5\n");
}

static void a_unit_of_the_value_goes_before_that_of_the_header(void **state)
{
	(void)state;
	expect_samples(QUERY, "memory.used [MiB], power.draw [W]\n2 GiB, 100 mW\n",
	               "0 memory_used_bytes=2147483648 power_w=0.1\n");
}

static void a_value_in_a_unit_of_another_measure_is_dropped(void **state)
{
	(void)state;
	expect_warned(QUERY, "power.draw [W], utilization.gpu [%]\n5 MiB, 1 %\n6 parsecs, 1 %\n",
	              WEIR_WARN_BAD_NUMBER, 2);
}

static void older_names_and_aliases_are_known(void **state)
{
	(void)state;
	expect_samples(QUERY,
	               "index, clocks.sm [MHz], clocks.mem [MHz], clocks_throttle_reasons.active, "
	               "clocks_throttle_reasons.sw_thermal_slowdown\n"
	               "0, 900 MHz, 1215 MHz, 0x0000000000000001, Active\n",
	               "0 reasons=0x21 sm_clock_mhz=900 memory_clock_mhz=1215\n");
}

static void a_mask_is_hexadecimal_in_either_case_and_keeps_unknown_bits(void **state)
{
	(void)state;
	expect_samples(QUERY, "clocks_event_reasons.active, index\n0x2aF, 0\n0X2Af, 0\n12, 0\n",
	               "0 reasons=0x2af\n0 reasons=0x2af\n0 reasons=0xc\n");
	expect_warned(QUERY,
	              "clocks_event_reasons.active, temperature.gpu\n0x, 40\n0xfg, 40\n1.5, 40\n",
	              WEIR_WARN_BAD_NUMBER, 3);
}

static void reasons_in_separate_columns_become_bits(void **state)
{
	(void)state;
	expect_samples(QUERY,
	               "index, clocks_event_reasons.gpu_idle, clocks_event_reasons.sw_power_cap, "
	               "clocks_event_reasons.hw_slowdown, "
	               "clocks_event_reasons.hw_power_brake_slowdown\n"
	               "0, Not Active, Active, Not Active, Active\n"
	               "0, Not Active, Not Active, [N/A], Not Active\n"
	               "0, [N/A], [N/A], [N/A], [N/A]\n",
	               "0 reasons=0x84\n0 reasons=0x0\n");
	expect_warned(QUERY, "temperature.gpu, clocks_event_reasons.gpu_idle\n4, Perhaps\n4, 17\n",
	              WEIR_WARN_BAD_NUMBER, 2);
}

static void counters_of_one_kind_are_added_up_in_nanoseconds(void **state)
{
	(void)state;
	expect_samples(QUERY,
	               "index, clocks_event_reasons_counters.sw_power_cap [us], "
	               "clocks_event_reasons_counters.hw_power_brake_slowdown [us], "
	               "clocks_event_reasons_counters.sw_thermal_slowdown [us], "
	               "clocks_throttle_reasons_counters.hw_thermal_slowdown [us]\n"
	               "0, 834002687 us, 13 us, 7 us, [N/A]\n",
	               "0 power_capped_ns=834002700000 thermal_ns=7000\n");
}

static void preferred_columns_come_first_and_others_fill_gaps(void **state)
{
	(void)state;
	expect_samples(QUERY,
	               "power.draw.instant [W], power.draw.average [W], power.draw [W], "
	               "power.limit [W], enforced.power.limit [W]\n"
	               "1.0 W, 2.0 W, 3.0 W, 700.00 W, 650.00 W\n"
	               "1.0 W, [N/A], [N/A], 700.00 W, [N/A]\n",
	               "0 power_w=3 power_limit_w=650\n0 power_w=1 power_limit_w=700\n");
}

static void every_spelling_of_a_missing_value_is_known(void **state)
{
	static const char text[] =
		"index, temperature.gpu, utilization.gpu [%]\n"
		"0, [N/A], 1 %\n0, N/A, 1 %\n0, [Not Supported], 1 %\n0, , 1 %\n"
		"0, [Requested functionality has been deprecated], 1 %\n"
		"0, [Function Not Found], 1 %\n0, [Insufficient Permissions], 1 %\n0, -, 1 %\n"
		"0, 9223372036854775794, 1 %\n0, 2147483632, 1 %\n0, 140737488355328.000, 1 %\n"
		"0, <<<NOT_SUPPORTED>>>, 1 %\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry = telemetry_of(QUERY, text, profile);

	(void)state;
	assert_int_equal(telemetry->count, 12);
	for (size_t i = 0; i < telemetry->count; i++)
		assert_true(telemetry->samples[i].value[WEIR_GAUGE_TEMPERATURE_C] !=
		            telemetry->samples[i].value[WEIR_GAUGE_TEMPERATURE_C]);
	for (size_t i = 0; i < WEIR_WARN_COUNT; i++)
		assert_int_equal(profile->inputs[0].warnings[i].count, 0);
	weir_profile_free(profile);
}

static void a_device_that_does_not_answer_is_reported(void **state)
{
	(void)state;
	expect_warned(QUERY,
	              HEADER FIRST
	              "2026/01/05 10:00:01.000, 0, [Unknown Error], [GPU is lost], "
	              "[GPU requires reset], 1980 MHz, 0x0\n"
	              "Unable to determine the device handle for GPU0000:83:00.0: Unknown Error\n",
	              WEIR_WARN_DEVICE_ERROR, 4);
}

static void an_impossible_value_is_dropped(void **state)
{
	(void)state;
	expect_samples(QUERY,
	               "utilization.gpu [%], temperature.gpu, power.draw [W]\n"
	               "4294967295 %, 41, -1 W\nEnabled, 42, 5 W\n",
	               "0 temperature_c=41\n0 power_w=5 temperature_c=42\n");
	expect_warned(QUERY,
	              "utilization.gpu [%], temperature.gpu, power.draw [W]\n"
	              "4294967295 %, 41, -1 W\nEnabled, 42, 5 W\n",
	              WEIR_WARN_BAD_NUMBER, 3);
}

static void a_repeated_header_applies_to_the_rows_below(void **state)
{
	(void)state;
	expect_samples(QUERY, HEADER FIRST "index, temperature.gpu\n3, 50\n" HEADER SECOND,
	               FIRST_SAMPLE "3 temperature_c=50\n" SECOND_SAMPLE);
}

static void lines_may_end_with_a_carriage_return(void **state)
{
	(void)state;
	expect_samples(QUERY, "index, temperature.gpu\r\n0, 50\r\n1, 51\r\n",
	               "0 temperature_c=50\n1 temperature_c=51\n");
}

static void a_comma_in_a_name_costs_its_row(void **state)
{
	static const char text[] =
		"name, index, temperature.gpu\nGPU, Ltd, 0, 50\nGPU, 1\nGPU, 2, 52\n";

	(void)state;
	expect_samples(QUERY, text, "2 temperature_c=52\n");
	expect_warned(QUERY, text, WEIR_WARN_RAGGED_ROW, 2);
}

#define UNITS "index, utilization.gpu [%], memory.used [MiB]\n0, 50 %, 840 MiB"

static void a_cut_row_is_a_warning(void **state)
{
	static const char cut[] = HEADER FIRST "2026/01/05 10:00:01.000, 0, 97 %, 32";
	static const char half[] = "index, temperature.gpu, utilization.gpu [%]\n0, 50, 1";

	(void)state;
	expect_samples(QUERY, cut, FIRST_SAMPLE);
	expect_warned(QUERY, cut, WEIR_WARN_TRUNCATED, 1);
	expect_warned(QUERY, cut, WEIR_WARN_RAGGED_ROW, 0);
	/* The last cell is empty, or lacks the unit that others have. */
	expect_warned(QUERY, HEADER FIRST "2026/01/05 10:00:01.000, 0, 97 %, ", WEIR_WARN_TRUNCATED,
	              1);
	expect_warned(QUERY, UNITS "\n0, 51 %, 840 M", WEIR_WARN_TRUNCATED, 1);
	expect_warned(QUERY, UNITS "\n0, 51 %, 840 MiB", WEIR_WARN_TRUNCATED, 0);
	expect_samples(QUERY, half, "0 temperature_c=50\n"); /* 1, 12 or 100 % */
}

static void times_are_local_and_exact(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry =
		telemetry_of(QUERY,
	                     "timestamp, temperature.gpu\n2024/02/29 23:59:59.999, 1\n"
	                     "2024/03/01 00:00:00, 1\n2000/01/01 00:00:00.000, 1\n",
	                     profile);

	(void)state;
	assert_true(telemetry->local_time);
	assert_false(telemetry->no_date);
	assert_int_equal(telemetry->samples[0].at_ns, INT64_C(1709251199999000000));
	assert_int_equal(telemetry->samples[1].at_ns, INT64_C(1709251200000000000));
	assert_int_equal(telemetry->samples[2].at_ns, INT64_C(946684800000000000));
	weir_profile_free(profile);
}

/* Scripts write the time of `date` in place of nvidia-smi's. */
static void times_since_1970_are_known_by_their_size(void **state)
{
	static const struct {
		const char *time;
		int64_t at_ns; /* 0: not a time */
	} cases[] = {
		{"1764189075", INT64_C(1764189075000000000)},
		{"1764189075.25", INT64_C(1764189075250000000)},
		{"1764189075123", INT64_C(1764189075123000000)},
		{"1764189075123456", INT64_C(1764189075123456000)},
		{"1764189075123456789", INT64_C(1764189075123456789)},
		{"1000000000", INT64_C(1000000000000000000)},
		{"999999999", 0},
		{"7258118400", INT64_C(7258118400000000000)},
		{"7258118401", 0},
		{"-1764189075", 0},
		{"1764189075 s", 0},
		{"12.5", 0},
		{"99999999999999999999999", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};

		weir_text_printf(&text, "timestamp,temperature.gpu\n%s,1\n", cases[i].time);
		if (cases[i].at_ns) {
			const struct weir_telemetry *telemetry =
				telemetry_of(QUERY, text.data, profile);

			assert_int_equal(telemetry->count, 1);
			assert_int_equal(telemetry->samples[0].at_ns, cases[i].at_ns);
			assert_false(telemetry->local_time);
			assert_false(telemetry->no_date);
		} else {
			reading_refuses(
				QUERY, text.data, WEIR_E_EMPTY,
				"no row has a time that can be read (the first at byte 26)");
		}
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void dates_may_have_dashes(void **state)
{
	(void)state;
	expect_samples(QUERY,
	               "timestamp, temperature.gpu\n2026-01-05 10:00:00, 1\n"
	               "2026-01-05T10:00:01.5, 2\n",
	               "0 @1767607200000000000 temperature_c=1\n"
	               "0 @1767607201500000000 temperature_c=2\n");
	expect_warned(QUERY,
	              "timestamp, temperature.gpu\n2026-01-05 10:00:00, 1\n2026-01/05 10:00:00, 1\n"
	              "2026/01/05T10:00:00, 1\n",
	              WEIR_WARN_NO_TIME, 2);
}

static void times_with_a_zone_are_utc(void **state)
{
	static const struct {
		const char *time;
		bool good; /* it is 10:00:00 UTC */
	} cases[] = {
		{"2026-01-05T10:00:00Z", true},       {"2026-01-05T10:00:00z", true},
		{"2026-01-05T18:00:00+08:00", true},  {"2026-01-05 18:00:00+0800", true},
		{"2026-01-05T18:00:00+08", true},     {"2026/01/05 04:30:00.000-05:30", true},
		{"2026-01-06T09:59:00+23:59", true},  {"2026-01-06T09:59:00+24:00", false},
		{"2026-01-05T18:00:00+08:60", false}, {"2026-01-05T18:00:00+8", false},
		{"2026-01-05T18:00:00+", false},      {"2026-01-05T10:00:00Zulu", false},
		{"1970-01-01T00:00:00+01:00", false}, {"2026-01-05+08:00", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		char text[96];

		snprintf(text, sizeof text, "timestamp,temperature.gpu\n%s,1\n", cases[i].time);
		if (cases[i].good) {
			const struct weir_telemetry *telemetry = telemetry_of(QUERY, text, profile);

			assert_int_equal(telemetry->samples[0].at_ns, INT64_C(1767607200000000000));
			assert_false(telemetry->local_time);
		} else {
			reading_refuses(QUERY, text, WEIR_E_EMPTY,
			                "no row has a time that can be read");
		}
		weir_profile_free(profile);
	}
}

/* The zone of local times is unknown, so that they do not compare with times since 1970. */
static void the_first_sample_decides_on_the_clock(void **state)
{
	static const char header[] = "timestamp, temperature.gpu\n",
			  local[] = "2026/01/05 10:00:00.000, 1\n", utc[] = "1767607200, 2\n";
	char text[256];

	(void)state;
	snprintf(text, sizeof text, "%s%s%s", header, local, utc);
	expect_samples(QUERY, text, "0 @1767607200000000000 temperature_c=1\n");
	expect_warned(QUERY, text, WEIR_WARN_NO_TIME, 1);
	snprintf(text, sizeof text, "%s%s%s", header, utc, local);
	expect_samples(QUERY, text, "0 @1767607200000000000 temperature_c=2\n");
	expect_warned(QUERY, text, WEIR_WARN_NO_TIME, 1);
}

static void a_row_without_a_time_among_others_is_left_out(void **state)
{
	static const char text[] = "timestamp, temperature.gpu\n2024/02/29 23:59:59.999, 1\n"
				   "[N/A], 1\n2024/13/01 00:00:00.000, 1\n24/01/01, 1\n"
				   "2024/01/01 24:00:00.000, 1\n2024/01/01 00:00:00.x, 1\n";

	(void)state;
	expect_samples(QUERY, text, "0 @1709251199999000000 temperature_c=1\n");
	expect_warned(QUERY, text, WEIR_WARN_NO_TIME, 5);
}

static void a_clock_that_goes_back_is_a_warning_per_device(void **state)
{
	static const char back[] = "timestamp, index, temperature.gpu\n"
				   "2026/10/25 02:59:59.000, 0, 1\n2026/10/25 02:59:58.900, 1, 1\n"
				   "2026/10/25 02:00:00.000, 0, 1\n2026/10/25 02:00:00.000, 1, 1\n"
				   "2026/10/25 02:00:01.000, 0, 1\n";

	(void)state;
	expect_warned(QUERY, back, WEIR_WARN_CLOCK_BACKWARDS, 2);
}

static void files_without_times_have_none(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry =
		telemetry_of(QUERY, "index, temperature.gpu\n0, 50\n", profile);

	(void)state;
	assert_false(telemetry->local_time);
	assert_int_equal(telemetry->samples[0].at_ns, WEIR_NO_TIME);
	weir_profile_free(profile);
}

static void devices_are_identified_by_any_known_column(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry =
		telemetry_of(QUERY,
	                     "uuid, pci.bus_id, name, temperature.gpu\n"
	                     "GPU-1, 00000000:83:00.0, NVIDIA H200, 1\n"
	                     "GPU-2, [N/A], [N/A], 1\n",
	                     profile);

	(void)state;
	assert_int_equal(telemetry->device_count, 2);
	assert_string_equal(telemetry->devices[0].id, "00000000:83:00.0");
	assert_string_equal(telemetry->devices[0].name, "NVIDIA H200");
	assert_string_equal(telemetry->devices[1].id, "GPU-2");
	assert_null(telemetry->devices[1].name);
	weir_profile_free(profile);
}

/* Scripts that ask for one device at a time get the index 0 for each. */
static void a_number_that_a_script_adds_left_of_the_gauges_is_the_device(void **state)
{
	(void)state;
	expect_samples(QUERY, "gpu,index,power.draw\n0, 0, 70\n1, 0, 80\n",
	               "0 power_w=70\n1 power_w=80\n");
	expect_samples(QUERY, "index,power.draw,gpu\n0, 70, 97\n0, 80, 98\n",
	               "0 power_w=70\n0 power_w=80\n");
	expect_samples(QUERY, "gpu,index,power.draw\n5 %, 2, 70\n, 3, 80\n",
	               "2 power_w=70\n3 power_w=80\n");
}

static void rows_of_one_time_are_of_several_devices(void **state)
{
	(void)state;
	expect_samples(QUERY,
	               "timestamp, power.draw [W]\n2026/01/05 10:00:00.500, 1 W\n"
	               "2026/01/05 10:00:00.500, 2 W\n2026/01/05 10:00:01.500, 3 W\n"
	               "2026/01/05 10:00:01.500, 4 W\n2026/01/05 10:00:02.500, 5 W\n",
	               "0 @1767607200500000000 power_w=1\n1 @1767607200500000000 power_w=2\n"
	               "0 @1767607201500000000 power_w=3\n1 @1767607201500000000 power_w=4\n"
	               "0 @1767607202500000000 power_w=5\n");
}

static void devices_told_apart_by_times_share_a_name_that_all_rows_have(void **state)
{
	static const char *const names[] = {"L4", "T4"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_telemetry *telemetry;
		char text[256];

		snprintf(text, sizeof text,
		         "timestamp, name, power.draw\n2026/01/05 10:00:00.5, L4, 1\n"
		         "2026/01/05 10:00:00.5, %s, 2\n2026/01/05 10:00:01.5, L4, 3\n"
		         "2026/01/05 10:00:01.5, %s, 4\n",
		         names[i], names[i]);
		telemetry = telemetry_of(QUERY, text, profile);
		assert_int_equal(telemetry->device_count, 2);
		if (i)
			assert_null(telemetry->devices[1].name);
		else
			assert_string_equal(telemetry->devices[1].name, "L4");
		weir_profile_free(profile);
	}
}

/* Whole seconds repeat if one device is asked several times a second; uneven rows are no devices.
 */
static void rows_of_one_time_that_may_be_of_one_device_are_a_warning(void **state)
{
	static const char *const texts[] = {
		"timestamp, power.draw\n2026/01/05 10:00:00, 1\n2026/01/05 10:00:00, 2\n"
		"2026/01/05 10:00:01, 3\n2026/01/05 10:00:01, 4\n",
		"timestamp, power.draw\n2026/01/05 10:00:00.5, 1\n2026/01/05 10:00:00.5, 2\n"
		"2026/01/05 10:00:01.5, 3\n2026/01/05 10:00:02.5, 4\n",
		"timestamp, power.draw\n2026/01/05 10:00:00.5, 1\n2026/01/05 10:00:00.5, 2\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct weir_profile *profile = weir_profile_new();

		assert_int_equal(telemetry_of(QUERY, texts[i], profile)->device_count, 1);
		weir_profile_free(profile);
		expect_warned(QUERY, texts[i], WEIR_WARN_UNNAMED_DEVICES, 1);
	}
	expect_warned(QUERY,
	              "timestamp, power.draw\n2026/01/05 10:00:00, 1\n2026/01/05 10:00:01, 2\n",
	              WEIR_WARN_UNNAMED_DEVICES, 0);
}

#define AT(clock) "2026/01/05 10:00:" clock ", 1\n"

/* nvidia-smi -lms prints its devices within milliseconds. A pause of one device is no group. */
static void rows_in_groups_may_be_of_several_devices(void **state)
{
	static const struct {
		const char *rows;
		unsigned warnings;
	} cases[] = {
		{AT("00.100") AT("00.104") AT("00.109") AT("00.210"), 1},
		{AT("00.100") AT("00.130") AT("01.100") AT("01.135") AT("02.100"), 1},
		{AT("00.100") AT("00.104") AT("00.210") AT("00.314") AT("00.320") AT("00.326"), 0},
		{AT("00.100") AT("00.200") AT("00.300") AT("09.000") AT("09.100"), 0},
		{AT("00.100") AT("00.200") AT("00.300") AT("00.400"), 0},
		{AT("00.100") AT("00.104"), 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[512];

		snprintf(text, sizeof text, "timestamp, power.draw\n%s", cases[i].rows);
		expect_warned(QUERY, text, WEIR_WARN_UNNAMED_DEVICES, cases[i].warnings);
	}
}

static void a_topology_is_refused_as_one(void **state)
{
	(void)state;
	expect_chosen("        GPU0    GPU1    CPU Affinity    NUMA Affinity\n"
	              "GPU0     X      SYS     0-127   0\n",
	              NULL, "the topology of nvidia-smi topo -m");
}

static void rows_before_any_header_are_refused(void **state)
{
	(void)state;
	reading_refuses(QUERY, FIRST SECOND, WEIR_E_FORMAT, "line 1: a row before any header");
	expect_chosen(FIRST, QUERY, NULL);
	expect_chosen("2026/01/05 10:00:00.000, 0, 98\n", QUERY, NULL);
	expect_chosen("98 %, 614 MiB, 5.0 W\n", QUERY, NULL);
	assert_int_equal(weir_sniff_reader(QUERY, "a,98%,99%,99.9%,100%\n", 21), 0);
}

/* The message names both tables, so that one new recording is enough. */
static void rows_without_header_above_a_list_of_processes_name_both(void **state)
{
	(void)state;
	reading_refuses(QUERY,
	                "512 MiB, 15872 MiB\n600 MiB, 15784 MiB\n"
	                "pid, process_name, used_gpu_memory [MiB]\n1, a, 88 MiB\n",
	                WEIR_E_FORMAT,
	                "line 1: rows without a header (format noheader), so their columns are "
	                "unknown; line 3: a list of processes");
	reading_refuses(QUERY, "512 MiB, 15872 MiB\n", WEIR_E_FORMAT, "line 1: a row before any");
}

static void outputs_without_samples_are_refused_with_a_reason(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{"No devices were found\n", "found no device"},
		{"Failed to initialize NVML: Driver/library version mismatch\n",
	         "could not initialise NVML"},
		{"Field \"power.drawn\" is not a valid field to query.\n", "does not know a field"},
		{"Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.\n",
	         "could not reach a device"},
		{"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n",
	         "could not reach the driver"},
		{"timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
	         "2026/07/03 22:11:09.916, GPU-0, 10291, C:\\a (b), c.exe, 2566 MiB\n",
	         "list of processes (nvidia-smi --query-compute-apps)"},
		{"# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command \n"
	         "# Idx           #    C/G      %      %      %      %      %      %    name \n"
	         "    0      10291     C      -      -      -      -      -      -    a b         "
	         "\n",
	         "list of processes (nvidia-smi pmon)"},
		{"\t\x1b[4mGPU0\tCPU Affinity\n", "topology"},
		{"##########\n# nvidia_gpu_exporter GPU capture\n", "transcript"},
		{"\n==============NVSMI LOG==============\n", "nvidia-smi -q"},
		{"Mon Jan  5 14:00:00 2026\n+-----------+\n| NVIDIA-SMI 550.54.15     Driver "
	         "Version: 550.54.15 |\n",
	         "overview of nvidia-smi without"},
		{"<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"a.dtd\">\n"
	         "<nvidia_smi_log>\n",
	         "XML of nvidia-smi -q -x"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		expect_chosen(cases[i].text, NULL, cases[i].reason);
		reading_refuses(QUERY, cases[i].text, WEIR_E_FORMAT, cases[i].reason);
		reading_refuses(&weir_reader_smi_dmon, cases[i].text, WEIR_E_FORMAT,
		                cases[i].reason);
	}
	reading_refuses(QUERY, HEADER, WEIR_E_EMPTY, "no row with a value");
	reading_refuses(QUERY, HEADER "No devices were found\n", WEIR_E_EMPTY, "found no device");
	reading_refuses(QUERY, "a, b\n", WEIR_E_FORMAT, "no header");
}

#define OVERVIEW                                                                                   \
	"Mon Jan  5 14:00:00 2026       \n"                                                        \
	"+-----------------------------+\n| NVIDIA-SMI 550.54.15        |\n"                       \
	"|-----------------------------+\n|   0  NVIDIA L4  |     0%     |\n"                      \
	"+-----------------------------+\n                               \n"                       \
	"+-----------------------------+\n| Processes:                  |\n"                       \
	"|  No running processes found |\n|                             |\n"                       \
	"|                             |\n|                             |\n"                       \
	"|                             |\n|                             |\n"                       \
	"|                             |\n|                             |\n"                       \
	"+-----------------------------+\n"

static void a_table_below_an_overview_is_read(void **state)
{
	static const char query[] = OVERVIEW "index, temperature.gpu\n0, 50\n",
			  dmon[] = OVERVIEW "# gpu    sm\n# Idx     %\n    0    50\n",
			  between[] = "index, temperature.gpu\n0, 50\n" OVERVIEW "0, 51\n";

	(void)state;
	expect_chosen(query, QUERY, NULL);
	expect_samples(QUERY, query, "0 temperature_c=50\n");
	expect_warned(QUERY, query, WEIR_WARN_RAGGED_ROW, 0);
	expect_chosen(dmon, &weir_reader_smi_dmon, NULL);
	expect_samples(&weir_reader_smi_dmon, dmon, "0 utilization=0.5\n");
	expect_samples(QUERY, between, "0 temperature_c=50\n0 temperature_c=51\n");
	expect_warned(QUERY, between, WEIR_WARN_RAGGED_ROW, 1); /* the line with the date */
	expect_chosen(OVERVIEW, NULL, "overview of nvidia-smi without");
}

static void a_header_needs_a_known_gauge(void **state)
{
	(void)state;
	expect_chosen(HEADER, QUERY, NULL);
	expect_chosen("\nFailed to initialize NVML: Unknown Error\n" HEADER, QUERY, NULL);
	expect_chosen("name,index,value\n", NULL, "no reader knows");
	expect_chosen("timestamp, name\n2026/07/03 22:11:09.916, 3 MiB\n", NULL, "no reader");
}

static void an_even_selection_of_too_many_rows_is_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry;
	struct weir_text text = {0};
	size_t of_device[2] = {0};

	(void)state;
	weir_text_puts(&text, "index, temperature.gpu\n");
	weir_text_repeat(&text, "0, 1\n1, 2\n", WEIR_MONITOR_MAX_SAMPLES / 2 + 100);
	telemetry = telemetry_of(QUERY, text.data, profile);
	for (size_t i = 0; i < telemetry->count; i++)
		of_device[telemetry->samples[i].device]++;
	assert_int_equal(of_device[0], WEIR_MONITOR_MAX_SAMPLES / 4 + 50);
	assert_int_equal(of_device[1], WEIR_MONITOR_MAX_SAMPLES / 4 + 50);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_THINNED].count, 1);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void too_many_devices_are_refused(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "index, temperature.gpu\n");
	for (int i = 0; i <= WEIR_MAX_TELEMETRY_DEVICES; i++)
		weir_text_printf(&text, "%d, 1\n", i);
	reading_refuses(QUERY, text.data, WEIR_E_LIMIT, "more than 4096 devices");
	weir_text_release(&text);
}

static void a_file_cut_anywhere_reads_or_is_refused(void **state)
{
	(void)state;
	expect_clean_cuts(QUERY, HEADER FIRST SECOND "\r\n" FIRST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_two_devices_become_samples_in_the_units_of_the_gauges),
		cmocka_unit_test(values_without_units_take_those_of_the_header),
		cmocka_unit_test(a_unit_of_the_value_goes_before_that_of_the_header),
		cmocka_unit_test(a_value_in_a_unit_of_another_measure_is_dropped),
		cmocka_unit_test(older_names_and_aliases_are_known),
		cmocka_unit_test(a_mask_is_hexadecimal_in_either_case_and_keeps_unknown_bits),
		cmocka_unit_test(reasons_in_separate_columns_become_bits),
		cmocka_unit_test(counters_of_one_kind_are_added_up_in_nanoseconds),
		cmocka_unit_test(preferred_columns_come_first_and_others_fill_gaps),
		cmocka_unit_test(every_spelling_of_a_missing_value_is_known),
		cmocka_unit_test(a_device_that_does_not_answer_is_reported),
		cmocka_unit_test(an_impossible_value_is_dropped),
		cmocka_unit_test(a_repeated_header_applies_to_the_rows_below),
		cmocka_unit_test(lines_may_end_with_a_carriage_return),
		cmocka_unit_test(a_comma_in_a_name_costs_its_row),
		cmocka_unit_test(a_cut_row_is_a_warning),
		cmocka_unit_test(times_are_local_and_exact),
		cmocka_unit_test(times_since_1970_are_known_by_their_size),
		cmocka_unit_test(dates_may_have_dashes),
		cmocka_unit_test(times_with_a_zone_are_utc),
		cmocka_unit_test(the_first_sample_decides_on_the_clock),
		cmocka_unit_test(a_row_without_a_time_among_others_is_left_out),
		cmocka_unit_test(a_clock_that_goes_back_is_a_warning_per_device),
		cmocka_unit_test(files_without_times_have_none),
		cmocka_unit_test(devices_are_identified_by_any_known_column),
		cmocka_unit_test(a_number_that_a_script_adds_left_of_the_gauges_is_the_device),
		cmocka_unit_test(rows_of_one_time_are_of_several_devices),
		cmocka_unit_test(devices_told_apart_by_times_share_a_name_that_all_rows_have),
		cmocka_unit_test(rows_of_one_time_that_may_be_of_one_device_are_a_warning),
		cmocka_unit_test(rows_in_groups_may_be_of_several_devices),
		cmocka_unit_test(a_topology_is_refused_as_one),
		cmocka_unit_test(rows_before_any_header_are_refused),
		cmocka_unit_test(rows_without_header_above_a_list_of_processes_name_both),
		cmocka_unit_test(outputs_without_samples_are_refused_with_a_reason),
		cmocka_unit_test(a_table_below_an_overview_is_read),
		cmocka_unit_test(a_header_needs_a_known_gauge),
		cmocka_unit_test(an_even_selection_of_too_many_rows_is_kept),
		cmocka_unit_test(too_many_devices_are_refused),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
