/* SPDX-License-Identifier: GPL-3.0-or-later */
/* xpu-smi dump of Intel GPUs: devices, tiles, times with and without a date. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/monitors.h"

#define XPU  (&weir_reader_xpu_smi)
#define HEAD "Timestamp, DeviceId, GPU Utilization (%), GPU Power (W), GPU Frequency (MHz)\n"

static void devices_have_rows_of_their_own(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry;

	(void)state;
	expect_samples(XPU,
	               HEAD "10:00:00.500,    0, 50.00, 280.50, 1600.00\n"
	                    "10:00:00.500,    1,  N/A, 90.00,  N/A\n",
	               "0 @36000500000000 utilization=0.5 power_w=280.5 sm_clock_mhz=1600\n"
	               "1 @36000500000000 power_w=90\n");
	telemetry = telemetry_of(XPU, HEAD "10:00:00.500, 0, 50.00, 280.50, 1600.00\n", profile);
	assert_true(telemetry->local_time && telemetry->no_date);
	weir_profile_free(profile);
}

static void a_date_before_the_time_is_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry;

	(void)state;
	expect_samples(XPU, HEAD "2026-01-05 10:00:00.000, 0, 0.00, 280.50, 1600.00\n",
	               "0 @1767607200000000000 utilization=0 power_w=280.5 sm_clock_mhz=1600\n");
	telemetry = telemetry_of(XPU, HEAD "2026-01-05 10:00:00.000, 0, 1, 2, 3\n", profile);
	assert_true(telemetry->local_time && !telemetry->no_date);
	weir_profile_free(profile);
}

static void tiles_are_parts_of_their_device(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry;

	(void)state;
	telemetry = telemetry_of(XPU,
	                         "Timestamp, DeviceId, TileId, GPU Power (W)\n10:00:00, 0, 0, 9\n"
	                         "10:00:00, 0, 1, 8\n",
	                         profile);
	assert_int_equal(telemetry->device_count, 2);
	assert_string_equal(telemetry->devices[1].id, "0/1");
	assert_true(telemetry->devices[1].is_part);
	weir_profile_free(profile);
}

static void other_figures_are_kept_in_their_units(void **state)
{
	(void)state;
	expect_samples(XPU,
	               "Timestamp, DeviceId, GPU Core Temperature (Celsius Degree), GPU Memory "
	               "Temperature (Celsius Degree), GPU Memory Used (MiB), GPU Energy Consumed "
	               "(J), GPU Memory Utilization (%)\n10:00:00, 0, 61, 50, 2, 7.5, 40\n",
	               "0 @36000000000000 memory_used_bytes=2097152 temperature_c=61 "
	               "memory_temperature_c=50 energy_j=7.5\n");
}

static void damaged_rows_are_counted(void **state)
{
	(void)state;
	expect_warned(XPU, HEAD "10:00:00, 0, x, 1, 2\n10:00:00, 0, 1, 1, 2\n",
	              WEIR_WARN_BAD_NUMBER, 1);
	expect_warned(XPU, HEAD "10:00:00, 0, 1, 2\n10:00:00, 0, 1, 1, 2\n", WEIR_WARN_RAGGED_ROW,
	              1);
	expect_warned(XPU, HEAD "noon, 0, 1, 1, 2\n10:00:00, 0, 1, 1, 2\n", WEIR_WARN_NO_TIME, 1);
	expect_clean_cuts(XPU, HEAD "10:00:00, 0, 1, 1, 2\n");
	reading_survives_damage(XPU, HEAD "10:00:00, 0, 1, 1, 2\n");
}

static void the_header_is_known(void **state)
{
	(void)state;
	expect_chosen(HEAD "10:00:00, 0, 1, 1, 2\n", XPU, NULL);
	assert_string_equal(reading_claims("Timestamp, DeviceId, Reset Counter\n1, 2, 3\n"),
	                    "none");
	assert_string_equal(reading_claims("Timestamp, Device, GPU Power (W)\n1, 2, 3\n"),
	                    "gpu-log");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_have_rows_of_their_own),
		cmocka_unit_test(a_date_before_the_time_is_kept),
		cmocka_unit_test(tiles_are_parts_of_their_device),
		cmocka_unit_test(other_figures_are_kept_in_their_units),
		cmocka_unit_test(damaged_rows_are_counted),
		cmocka_unit_test(the_header_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
