/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages of Nsight Compute as text: layouts of all versions give launches and their counters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define NCU     (&weir_reader_ncu)
#define NEW     "tests/data/ncu/text.txt"
#define OLD     "tests/data/ncu/text_2019.txt"
#define SCALE   "  scale(float *) (8, 2, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.6\n"
#define SECTION "    Section: GPU Speed Of Light Throughput\n"
#define RULE    "    ----------------------- ----------- ------------\n"
#define NAMES   "    Metric Name             Metric Unit Metric Value\n"
#define TOP     SECTION RULE NAMES RULE
#define TIME    "    Duration                         us        12.50\n"
#define SM      "    Compute (SM) Throughput           %        60.50\n"

static const struct weir_counters *counters_of(const char *text, struct weir_profile *profile)
{
	return reading_of(NCU, text, profile)->counters;
}

static const char *name_of(const struct weir_counters *counters, uint32_t id)
{
	return weir_names_text(counters->names, id);
}

static void each_launch_has_the_figures_of_its_tables(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(NCU, NEW, profile);
	const struct weir_counters *counters = input->counters;
	const struct weir_counted_kernel *kernel = counters->kernels;

	(void)state;
	assert_int_equal(counters->count, 3);
	assert_string_equal(name_of(counters, kernel->name),
	                    "void scale<float>(float *, const float *, int)");
	assert_int_equal(kernel->process, 4711);
	assert_int_equal(kernel[2].launch, 2);
	assert_int_equal(kernel->duration_ns, 98240);
	assert_int_equal(kernel[1].duration_ns, 1240000);
	assert_int_equal(kernel->grid[0], 65536);
	assert_int_equal(kernel->block[0], 256);
	assert_true(kernel->rounded);
	assert_near(kernel->value[WEIR_COUNTER_SM], 0.1192, 1e-9);
	assert_near(kernel->value[WEIR_COUNTER_DRAM], 0.9137, 1e-9);
	assert_near(kernel->value[WEIR_COUNTER_L1], 0.2461, 1e-9);
	assert_near(kernel->value[WEIR_COUNTER_L2], 0.358, 1e-9);
	assert_near(kernel->value[WEIR_COUNTER_SM_HZ], 1.1e9, 1);
	assert_near(kernel->value[WEIR_COUNTER_CYCLES], 107655, 0);
	assert_near(kernel->value[WEIR_COUNTER_SM_ACTIVE_CYCLES], 105870.42, 1e-9);
	assert_near(kernel->value[WEIR_COUNTER_REGISTERS], 16, 0);
	assert_near(kernel->value[WEIR_COUNTER_SMS], 108, 0);
	assert_near(kernel->value[WEIR_COUNTER_OCCUPANCY], 0.8841, 1e-9);
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(input->warnings[code].count, 0);
	weir_profile_free(profile);
}

/* Until 2021 tables have no line of names, and launches a date in place of their shapes. */
static void early_layouts_are_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters = reading_file(NCU, OLD, profile)->counters;
	const struct weir_counted_kernel *kernel = counters->kernels;

	(void)state;
	assert_int_equal(counters->count, 1);
	assert_string_equal(name_of(counters, kernel->name), "axpy(int, float, float*, float*)");
	assert_int_equal(kernel->duration_ns, 40220);
	assert_int_equal(kernel->grid[0], 0);
	assert_near(kernel->value[WEIR_COUNTER_BLOCKS], 4096, 0);
	assert_near(kernel->value[WEIR_COUNTER_DRAM], 0.8417, 1e-9);
	assert_near(kernel->value[WEIR_COUNTER_MEMORY], 0.8417, 1e-9);
	assert_near(kernel->value[WEIR_COUNTER_L2], 0.3275, 1e-9);
	assert_near(kernel->value[WEIR_COUNTER_L1], 0.2603, 1e-9);
	assert_near(kernel->value[WEIR_COUNTER_SM], 0.1438, 1e-9);
	assert_int_equal(counters->finding_count, 1);
	assert_string_equal(name_of(counters, counters->findings[0].kind), "OK");
	weir_profile_free(profile);
}

static void advice_keeps_its_words_and_estimate(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters =
		counters_of(SCALE TOP TIME RULE
	                    "\n    OPT   Est. Local Speedup: 12.5%\n          First line,   \n"
	                    "          second line.\n\n"
	                    "    INF   This kernel typically has latency issues.\n"
	                    "    WRN   Est. Speedup: many\n      Another column.\n",
	                    profile);
	const struct weir_counter_finding *finding = counters->findings;

	(void)state;
	assert_int_equal(counters->finding_count, 3);
	assert_string_equal(name_of(counters, finding[0].text), "First line, second line.");
	assert_string_equal(name_of(counters, finding[0].rule), "GPU Speed Of Light Throughput");
	assert_int_equal(finding[0].scope, WEIR_FINDING_LOCAL);
	assert_near(finding[0].speedup, 0.125, 1e-9);
	assert_string_equal(name_of(counters, finding[1].rule), "SOLBottleneck");
	assert_true(isnan(finding[1].speedup));
	assert_true(isnan(finding[2].speedup));
	weir_profile_free(profile);
}

/* People paste such pages: without their indentation, with notes beside them, in part. */
static void tables_that_people_moved_are_read(void **state)
{
	static const char *const texts[] = {
		SCALE TOP TIME SM RULE,
		"scale (8, 2, 1)x(256, 1, 1)\n" SECTION RULE TIME SM RULE,
		"scale (8, 2, 1)x(256, 1, 1), Context 1, Stream 7\nSection: GPU Speed Of Light\n"
		"--- -- ---\nDuration us 12.50\nCompute (SM) Throughput % 60.50\n--- -- ---\n",
		"void scale<2>(a), 2021-Jan-01 10:00:00, Context 1, Stream 7\r\n" SECTION RULE
		"    Duration                         us        12.50  <-- here\r\n" SM RULE,
		"==PROF== Profiling \"scale\" - 0: 0%....50%....100% - 9 passes\n" SCALE
		"    Section: Command line profiler metrics\n" RULE
		"    gpu__time_duration.sum           us        12.50\n"
		"    sm__throughput.avg.pct_of_peak_sustained_elapsed           %        60.50\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_counters *counters = counters_of(texts[i], profile);

		assert_int_equal(counters->count, 1);
		assert_int_equal(counters->kernels[0].duration_ns, 12500);
		assert_near(counters->kernels[0].value[WEIR_COUNTER_SM], 0.605, 1e-9);
		assert_string_equal(reading_claims(texts[i]), "ncu");
		weir_profile_free(profile);
	}
}

static void rows_outside_of_tables_are_no_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters = counters_of(
		"Duration us 7\n" SCALE TOP TIME RULE "Compute (SM) Throughput % 99\n" SECTION
		"Compute (SM) Throughput % 99\nx, Context a, Stream 7\n(1, 1, 1)x(1, 1, 1)\n",
		profile);

	(void)state;
	assert_int_equal(counters->count, 1);
	assert_true(isnan(counters->kernels[0].value[WEIR_COUNTER_SM]));
	weir_profile_free(profile);
}

static void a_file_that_was_cut_loses_the_cut_line_alone(void **state)
{
	static const char row[] =
		SCALE TOP TIME "    Compute (SM) Throughput           %        60";
	static const char line[] = SCALE TOP TIME RULE "  scale(float *) (8, 2, 1)x(256, 1, 1)";
	static const char whole[] =
		SCALE TOP TIME "    Compute (SM) Throughput           %        60.50";
	static const char begins_late[] = TOP TIME RULE SCALE TOP TIME RULE;
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(NCU, row, profile);

	(void)state;
	assert_true(isnan(input->counters->kernels[0].value[WEIR_COUNTER_SM]));
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	input = reading_of(NCU, line, profile);
	assert_int_equal(input->counters->count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	input = reading_of(NCU, whole, profile);
	assert_near(input->counters->kernels[0].value[WEIR_COUNTER_SM], 0.605, 1e-9);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 0);
	input = reading_of(NCU, begins_late, profile);
	assert_int_equal(input->counters->count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 1);
	weir_profile_free(profile);
}

static void pages_without_figures_are_refused_with_the_reason(void **state)
{
	(void)state;
	reading_refuses(NCU, TOP TIME RULE, WEIR_E_FORMAT, "line of their launch");
	reading_refuses(NCU, SCALE TOP SM RULE, WEIR_E_EMPTY, "no kernel has a duration");
	reading_refuses(NCU,
	                "  scale (8, 1, 1)x(256, 1, 1), Device 0, CC 8.7, Invocations 3\n" SECTION,
	                WEIR_E_FORMAT, "without --print-summary");
	reading_refuses(NCU,
	                SCALE TOP "    Duration                         us     12.345,6\n" RULE,
	                WEIR_E_FORMAT, "LC_ALL=C");
	assert_string_equal(reading_claims("a, Context 1, Stream 7\nhello\n"), "none");
}

#define FAILED "    Duration                    nsecond      (!) nan\n"

static void a_failed_launch_is_refused_with_the_error_of_ncu(void **state)
{
	(void)state;
	reading_refuses(NCU,
	                "==ERROR== LaunchFailed\n==ERROR== The application returned an error code "
	                "(9).\n" SCALE TOP FAILED RULE,
	                WEIR_E_EMPTY, "the profile failed; ncu reports: LaunchFailed:");
	reading_refuses(NCU, SCALE TOP FAILED RULE, WEIR_E_EMPTY, "no duration is a number");
	/* The duration was not recorded, whatever failed. */
	reading_refuses(NCU, "==ERROR== LaunchFailed\n" SCALE TOP SM RULE, WEIR_E_EMPTY,
	                "no kernel has a duration: record with --set basic");
}

static void one_launch_of_several_may_fail(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters = counters_of(
		"==ERROR== LaunchFailed\n" SCALE TOP TIME RULE SCALE TOP FAILED RULE, profile);

	(void)state;
	assert_int_equal(counters->kernels[0].duration_ns, 12500);
	weir_profile_free(profile);
}

static void damage_anywhere_reads_or_says_why_not(void **state)
{
	(void)state;
	reading_survives_damage(NCU,
	                        "[7] a@b\n" SCALE TOP TIME SM RULE
	                        "\n    OPT   Est. Speedup: 5%\n          A line.\n" SCALE TOP TIME);
	reading_survives_damage(
		NCU, "a(), 2019-Nov-12 10:15:30, Context 1, Stream 7\n" SECTION RULE TIME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_launch_has_the_figures_of_its_tables),
		cmocka_unit_test(early_layouts_are_read),
		cmocka_unit_test(advice_keeps_its_words_and_estimate),
		cmocka_unit_test(tables_that_people_moved_are_read),
		cmocka_unit_test(rows_outside_of_tables_are_no_figures),
		cmocka_unit_test(a_file_that_was_cut_loses_the_cut_line_alone),
		cmocka_unit_test(pages_without_figures_are_refused_with_the_reason),
		cmocka_unit_test(a_failed_launch_is_refused_with_the_error_of_ncu),
		cmocka_unit_test(one_launch_of_several_may_fail),
		cmocka_unit_test(damage_anywhere_reads_or_says_why_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
