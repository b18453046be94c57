/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests tables of device figures by scripts: names of columns, units and times. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/model/telemetry.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define DATA "tests/data/monitors/script.csv"
#define TABLE                                                                                      \
	"time,gpu_id,gpu_util_pct,mem_used_mb,power_w\n10:00:00,0,97,512,300.5\n"                  \
	"10:00:01,1,\"3\",16,70\n"
#define MIB (1024.0 * 1024.0)

static const struct weir_reader *const reader = &weir_reader_gpu_log;

static uint64_t warned(const struct weir_input *input, enum weir_warning_code code)
{
	return input->warnings[code].count;
}

static int sniffed(const char *text)
{
	return weir_sniff_reader(reader, text, strlen(text));
}

static void a_table_by_a_script_becomes_samples(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA, profile);
	const struct weir_telemetry *telemetry = input->telemetry;
	const double *first = telemetry->samples[0].value;

	(void)state;
	assert_int_equal(telemetry->count, 6);
	assert_int_equal(telemetry->device_count, 2);
	assert_string_equal(telemetry->devices[1].id, "1");
	assert_true(telemetry->local_time);
	assert_int_equal(telemetry->samples[2].at_ns - telemetry->samples[0].at_ns, 1000000000);
	assert_near(first[WEIR_GAUGE_UTILIZATION], 0.82, 0);
	assert_near(first[WEIR_GAUGE_MEMORY_USED_BYTES], 30720 * MIB, 0);
	assert_near(first[WEIR_GAUGE_MEMORY_TOTAL_BYTES], 81920 * MIB, 0);
	assert_near(first[WEIR_GAUGE_POWER_W], 310.5, 0);
	assert_near(first[WEIR_GAUGE_TEMPERATURE_C], 58, 0);
	assert_near(first[WEIR_GAUGE_SM_CLOCK_MHZ], 1755, 0);
	assert_int_equal(warned(input, WEIR_WARN_UNKNOWN_COLUMN), 1);
	assert_string_equal(input->warnings[WEIR_WARN_UNKNOWN_COLUMN].detail, "step");
	weir_profile_free(profile);
}

/* Expects what a column of this name holds beside a use of 50 %: a gauge, or an unknown column. */
static void expect_column(const char *name, const char *cell, enum weir_gauge gauge, double value)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_input *input;
	double got;

	weir_text_printf(&text, "time,gpu_util,%s\n2026-01-05 10:00:00,50,%s\n", name, cell);
	input = reading_of(reader, text.data, profile);
	got = input->telemetry->samples[0].value[gauge];
	if (isnan(value) ? !isnan(got) : fabs(got - value) > 1e-9 * value)
		fail_msg("%s: %g, expected %g", name, got, value);
	if (isnan(value) != (warned(input, WEIR_WARN_UNKNOWN_COLUMN) == 1))
		fail_msg("%s: known and unknown", name);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void names_are_known_in_any_spelling(void **state)
{
	(void)state;
	expect_column("memory_used_mb", "512", WEIR_GAUGE_MEMORY_USED_BYTES, 512 * MIB);
	expect_column("mem_used_MiB", "512", WEIR_GAUGE_MEMORY_USED_BYTES, 512 * MIB);
	expect_column("GPU Memory (GB)", "2", WEIR_GAUGE_MEMORY_USED_BYTES, 2048 * MIB);
	expect_column("gpu-mem-used [KiB]", "1024", WEIR_GAUGE_MEMORY_USED_BYTES, MIB);
	expect_column("vram_used_bytes", "4096", WEIR_GAUGE_MEMORY_USED_BYTES, 4096);
	expect_column("power_w", "75.5", WEIR_GAUGE_POWER_W, 75.5);
	expect_column("power_draw_watts", "75.5", WEIR_GAUGE_POWER_W, 75.5);
	expect_column("power_mw", "75500", WEIR_GAUGE_POWER_W, 75.5);
	expect_column("gpu.power.usage", "75.5", WEIR_GAUGE_POWER_W, 75.5);
	expect_column("power_limit_w", "300", WEIR_GAUGE_POWER_LIMIT_W, 300);
	expect_column("temp_c", "61", WEIR_GAUGE_TEMPERATURE_C, 61);
	expect_column("temperature_gpu_c", "61", WEIR_GAUGE_TEMPERATURE_C, 61);
	expect_column("mem_temp_c", "71", WEIR_GAUGE_MEMORY_TEMPERATURE_C, 71);
	expect_column("sm_clock_mhz", "1410", WEIR_GAUGE_SM_CLOCK_MHZ, 1410);
	expect_column("gpu_clock_ghz", "1.41", WEIR_GAUGE_SM_CLOCK_MHZ, 1410);
	expect_column("mem_clock_mhz", "2619", WEIR_GAUGE_MEMORY_CLOCK_MHZ, 2619);
	expect_column("utilization_memory_pct", "12", WEIR_GAUGE_MEMORY_ACTIVITY, 0.12);
}

static void other_columns_are_named_and_left_out(void **state)
{
	(void)state;
	expect_column("memory_used", "512", WEIR_GAUGE_MEMORY_USED_BYTES, NAN); /* no unit */
	expect_column("memory_used_pct", "51", WEIR_GAUGE_MEMORY_USED_BYTES, NAN);
	expect_column("power_pct", "51", WEIR_GAUGE_POWER_W, NAN);
	expect_column("loss", "0.25", WEIR_GAUGE_POWER_W, NAN);
	expect_column("cpu_temp_c", "61", WEIR_GAUGE_TEMPERATURE_C, NAN);
	expect_column("a_b_c_d_e_f_g_h_power_w", "61", WEIR_GAUGE_POWER_W, NAN);
	expect_column("power_of_a_name_that_is_longer_than_names_are_in_w", "61",
	              WEIR_GAUGE_POWER_W, NAN);
}

static void beside_figures_of_the_host_a_device_must_be_named(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "timestamp,cpu_percent,mem_used_mb,temp_c,gpu_util_pct,gpu_mem_used_mb\n"
	                   "1767607200.5,12,9000,70,88,512\n",
	                   profile);
	const double *value = input->telemetry->samples[0].value;

	(void)state;
	assert_near(value[WEIR_GAUGE_UTILIZATION], 0.88, 0);
	assert_near(value[WEIR_GAUGE_MEMORY_USED_BYTES], 512 * MIB, 0);
	assert_true(isnan(value[WEIR_GAUGE_TEMPERATURE_C]));
	assert_int_equal(warned(input, WEIR_WARN_UNKNOWN_COLUMN), 3);
	assert_string_equal(input->warnings[WEIR_WARN_UNKNOWN_COLUMN].detail,
	                    "cpu_percent, mem_used_mb, temp_c");
	weir_profile_free(profile);
}

/* Expects the time of the first sample, and whether it is local. */
static void expect_time(const char *header, const char *cell, int64_t at_ns, bool local)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_telemetry *telemetry;

	weir_text_printf(&text, "%s,gpu_util_pct\n%s,50\n", header, cell);
	telemetry = reading_of(reader, text.data, profile)->telemetry;
	if (telemetry->samples[0].at_ns != at_ns || telemetry->local_time != local)
		fail_msg("%s %s: %lld", header, cell, (long long)telemetry->samples[0].at_ns);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void times_have_the_form_that_their_first_row_shows(void **state)
{
	(void)state;
	expect_time("timestamp", "2026-01-05 10:00:00", INT64_C(1767607200000000000), true);
	expect_time("Time", "1767607200", INT64_C(1767607200000000000), false);
	expect_time("timestamp_s", "1767607200.5", INT64_C(1767607200500000000), false);
	expect_time("time", "10:00:00", INT64_C(36000000000000), true);
	expect_time("time", "12.5", INT64_C(12500000000), false); /* since the start */
	expect_time("elapsed_s", "12.5", INT64_C(12500000000), false);
	expect_time("time_sec", "12.5", INT64_C(12500000000), false);
	expect_time("elapsed", "0", 0, false);
	expect_time("t", "12.5", INT64_C(12500000000), false);
	expect_time("t_s", "12.5", INT64_C(12500000000), false);
	expect_time("elapsed_ms", "1250.5", INT64_C(1250500000), false);
	expect_time("Time (ms)", "1250", INT64_C(1250000000), false);
	expect_time("time_us", "1250", INT64_C(1250000), false);
	expect_time("timestamp_ms", "1767607200250", INT64_C(1767607200250000000), false);
	expect_time("timestamp_ms", "1250", INT64_C(1250000000), false);
	expect_time("elapsed_ms", "1767607200250", INT64_C(1767607200250000000), false);
}

#define JAN_5  INT64_C(1767607200000000000)
#define MAY_1  INT64_C(1777629600000000000)
#define DAY_NS (INT64_C(86400) * 1000000000)

static void dates_may_have_their_year_last(void **state)
{
	(void)state;
	expect_time("time", "2026/01/05 10:00:00.250", JAN_5 + 250000000, true);
	expect_time("time", "05-01-2026 10:00:00", JAN_5, true);
	expect_time("time", "05/01/2026 10:00:00.250", JAN_5 + 250000000, true);
	expect_time("time", "5/1/2026T10:00:00", JAN_5, true);
	expect_time("time", "05.01.2026 10:00:00", JAN_5, true);
	expect_time("time", "01/13/2026 10:00:00", JAN_5 + 8 * DAY_NS, true);
	expect_time("time", "13/01/2026 10:00:00", JAN_5 + 8 * DAY_NS, true);
	reading_refuses(reader, "time,gpu_util_pct\n13/13/2026 10:00:00,5\n", WEIR_E_EMPTY,
	                "no row has a time");
	reading_refuses(reader, "time,gpu_util_pct\n32/01/2026 10:00:00,5\n", WEIR_E_EMPTY,
	                "no row has a time");
	reading_refuses(reader, "time,gpu_util_pct\n05/01-2026 10:00:00,5\n", WEIR_E_EMPTY,
	                "no row has a time");
}

/* Expects the time of the first sample, and whether the order of day and month is assumed. */
static void expect_order(const char *rows, int64_t at_ns, bool assumed)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_input *input;

	weir_text_printf(&text, "time,gpu_util_pct\n%s", rows);
	input = reading_of(reader, text.data, profile);
	assert_int_equal(input->telemetry->samples[0].at_ns, at_ns);
	assert_int_equal(warned(input, WEIR_WARN_ASSUMED_DATE), assumed);
	assert_int_equal(warned(input, WEIR_WARN_CLOCK_BACKWARDS), 0);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void a_part_above_12_in_any_row_is_the_day(void **state)
{
	struct weir_text rows = {0};

	(void)state;
	expect_order("05/01/2026 10:00:00,5\n", JAN_5, true);
	expect_order("05/01/2026 10:00:00,5\n12/01/2026 10:00:00,5\n", JAN_5, true);
	expect_order("05/01/2026 10:00:00,5\n13/01/2026 10:00:00,5\n", JAN_5, false);
	expect_order("05/01/2026 10:00:00,5\n05/13/2026 10:00:00,5\n", MAY_1, false);
	expect_order("05.01.2026 10:00:00,5\n", JAN_5, false);
	expect_order("01/01/2026 10:00:00,5\n", JAN_5 - 4 * DAY_NS, false); /* one reading */
	/* A row behind the head shows it. */
	for (int i = 0; i < 5000; i++)
		weir_text_puts(&rows, "05/01/2026 10:00:00,5\n");
	weir_text_puts(&rows, "05/13/2026 10:00:00,5\n");
	expect_order(rows.data, MAY_1, false);
	weir_text_release(&rows);
}

/* Expects the use of a device in the first row of a wide table; NAN: it has no such device. */
static void expect_use_of(const char *header, const char *row, const char *id, double use)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_telemetry *telemetry;
	double got = NAN;

	weir_text_printf(&text, "%s\n%s\n", header, row);
	telemetry = reading_of(reader, text.data, profile)->telemetry;
	for (size_t i = 0; i < telemetry->count; i++)
		if (!strcmp(telemetry->devices[telemetry->samples[i].device].id, id))
			got = telemetry->samples[i].value[WEIR_GAUGE_UTILIZATION];
	if (isnan(use) ? !isnan(got) : !(fabs(got - use) < 1e-9))
		fail_msg("%s: %g, expected %g", header, got, use);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void a_row_may_hold_several_devices(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"elapsed_ms,gpu0_util_pct,gpu_0_memory_used_mb,GPU 1 util (%),gpu1_name,power_w\n"
		"0,97,512,3,A100,600\n1500,98,513,,A100,610\n",
		profile);
	const struct weir_telemetry *telemetry = input->telemetry;

	(void)state;
	assert_int_equal(telemetry->count, 3); /* the last cell of device 1 is empty */
	assert_int_equal(telemetry->device_count, 2);
	assert_string_equal(telemetry->devices[1].name, "A100");
	assert_near(telemetry->samples[0].value[WEIR_GAUGE_MEMORY_USED_BYTES], 512 * MIB, 0);
	assert_true(isnan(telemetry->samples[1].value[WEIR_GAUGE_MEMORY_USED_BYTES]));
	assert_near(telemetry->samples[1].value[WEIR_GAUGE_UTILIZATION], 0.03, 1e-12);
	assert_int_equal(telemetry->samples[2].at_ns, 1500000000);
	/* A power without a number may belong to all devices: it is left out. */
	assert_true(isnan(telemetry->samples[0].value[WEIR_GAUGE_POWER_W]));
	assert_string_equal(input->warnings[WEIR_WARN_UNKNOWN_COLUMN].detail, "power_w");
	weir_profile_free(profile);
	expect_use_of("t,util_gpu0,util_gpu1", "0,97,3", "1", 0.03);
	expect_use_of("t,util_gpu_0,util_gpu_3", "0,97,3", "3", 0.03);
	expect_use_of("t,GPU0 Utilization [%],GPU1 Utilization [%]", "0,97,3", "0", 0.97);
	expect_use_of("t,util_pct_gpu0,util_pct_gpu1", "0,97,3", "1", 0.03);
	expect_use_of("t,cuda:0 util,cuda:1 util", "0,97,3", "1", 0.03);
	expect_use_of("t,gpu0_util,gpu12345_util", "0,97,3", "12345", NAN);
	expect_use_of("t,gpu0_util,cpu0_util", "0,97,3", "0", 0.97);
	assert_int_equal(sniffed("time,gpu0,gpu1\n1,2,3\n"), 0);
	assert_int_equal(sniffed("time,cpu0_util,cpu1_util\n1,2,3\n"), 0);
}

static void a_table_of_many_devices_is_read(void **state)
{
	struct weir_text header = {0}, row = {0};

	(void)state;
	weir_text_puts(&header, "t");
	weir_text_puts(&row, "0");
	for (int i = 0; i < 64; i++) {
		weir_text_printf(&header, ",gpu%d_util,gpu%d_power_w,gpu%d_temp_c", i, i, i);
		weir_text_puts(&row, ",97,300,60");
	}
	expect_use_of(header.data, row.data, "63", 0.97);
	weir_text_release(&header);
	weir_text_release(&row);
}

/* Expects the uses of two rows without a unit. */
static void expect_uses(const char *first, const char *second, double wanted)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};

	weir_text_printf(&text, "time,gpu_load\n1,%s\n2,%s\n", first, second);
	assert_near(reading_of(reader, text.data, profile)
	                    ->telemetry->samples[1]
	                    .value[WEIR_GAUGE_UTILIZATION],
	            wanted, 1e-12);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void a_use_without_a_unit_may_be_a_share_of_1(void **state)
{
	(void)state;
	expect_uses("0.5", "1", 1);
	expect_uses("0", "0.97", 0.97);
	expect_uses("0", "1", 0.01); /* whole numbers are per cent */
	expect_uses("0.5", "1.01", 0.0101);
	expect_uses("0.5", "97", 0.97);
}

static void power_that_no_device_draws_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, "gpu,power_w,temp_c\n0,3000,50\n", profile);

	(void)state;
	assert_near(input->telemetry->samples[0].value[WEIR_GAUGE_POWER_W], 3000, 0);
	input = reading_of(reader, "gpu,power_w,temp_c\n0,80,50\n0,3001,50\n", profile);
	assert_true(isnan(input->telemetry->samples[0].value[WEIR_GAUGE_POWER_W]));
	assert_int_equal(warned(input, WEIR_WARN_INCONSISTENT), 1);
	reading_refuses(reader, "time,power_w\n0,4939\n", WEIR_E_FORMAT, "power_mw");
	weir_profile_free(profile);
}

static void only_tables_of_a_device_are_claimed(void **state)
{
	(void)state;
	assert_true(sniffed("timestamp,gpu_util\n1,2\n") > 0);
	assert_true(sniffed("gpu_util_pct,power_w\n1,2\n") > 0);
	assert_int_equal(sniffed("gpu_util_pct,loss\n1,2\n"), 0); /* neither time nor device */
	assert_int_equal(sniffed("timestamp,mem_used_mb\n1,2\n"), 0);
	assert_int_equal(sniffed("timestamp,cpu_util\n1,2\n"), 0);
	assert_int_equal(sniffed("timestamp,cpu_percent,util\n1,2,3\n"), 0);
	assert_int_equal(sniffed("timestamp,usage\n1,2\n"), 0);
	assert_int_equal(sniffed("name,value,unit\n"), 0);
	assert_int_equal(sniffed("gpu_util\n1\n"), 0);
}

static void a_damaged_table_reads_or_is_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, TABLE);
	reading_survives_damage(reader, "time,gpu0_util_pct,gpu_1_util\n"
	                                "05/01/2026 10:00:00,97,3\n05/13/2026 10:00:01,9,4\n");
	reading_refuses(reader, "timestamp,gpu_util\n", WEIR_E_EMPTY, "no row with a value");
	reading_refuses(reader, "a,b\n1,2\n", WEIR_E_FORMAT, "no header of");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_by_a_script_becomes_samples),
		cmocka_unit_test(names_are_known_in_any_spelling),
		cmocka_unit_test(other_columns_are_named_and_left_out),
		cmocka_unit_test(beside_figures_of_the_host_a_device_must_be_named),
		cmocka_unit_test(times_have_the_form_that_their_first_row_shows),
		cmocka_unit_test(dates_may_have_their_year_last),
		cmocka_unit_test(a_part_above_12_in_any_row_is_the_day),
		cmocka_unit_test(a_row_may_hold_several_devices),
		cmocka_unit_test(a_table_of_many_devices_is_read),
		cmocka_unit_test(a_use_without_a_unit_may_be_a_share_of_1),
		cmocka_unit_test(power_that_no_device_draws_is_left_out),
		cmocka_unit_test(only_tables_of_a_device_are_claimed),
		cmocka_unit_test(a_damaged_table_reads_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
