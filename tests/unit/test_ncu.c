/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/counters/counters.h"
#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define NCU (&weir_reader_ncu)
#define IDS                                                                                        \
	"\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","        \
	"\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\""
#define NO_IDS "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\""
#define LAUNCH(id, name)                                                                           \
	"\"" id "\",\"7\",\"app\",\"host\",\"" name                                                \
	"\",\"1\",\"7\",\"(256, 1, 1)\",\"(132, 2, 1)\",\"0\",\"9.0\""
#define DETAILS                                                                                    \
	IDS ",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\","    \
	    "\"Rule Type\",\"Rule Description\",\"Estimated Speedup Type\","                       \
	    "\"Estimated Speedup\"\n"
#define METRIC(id, section, name, unit, value)                                                     \
	LAUNCH(id, "k")                                                                            \
	",\"" section "\",\"" name "\",\"" unit "\",\"" value "\",\n"
#define SOL                       "GPU Speed Of Light Throughput"
#define DURATION(id, unit, value) METRIC(id, SOL, "Duration", unit, value)
#define RAW                                                                                        \
	IDS ",\"dram__bytes.sum\",\"gpu__time_duration.sum\","                                     \
	    "\"sm__throughput.avg.pct_of_peak_sustained_elapsed\"\n" NO_IDS                        \
	    ",\"Mbyte\",\"us\",\"%\"\n"

static const struct weir_counters *counters_of(const char *text, struct weir_profile *profile)
{
	return reading_of(NCU, text, profile)->counters;
}

static const char *name_of(const struct weir_counters *counters, uint32_t id)
{
	return weir_names_text(counters->names, id);
}

static void the_raw_page_gives_a_launch_a_row_in_the_units_of_its_second_row(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters = counters_of(
		RAW LAUNCH("0", "gemm(float const*, int)") ",\"12.50\",\"1,234.56\",\"82.10\"\n",
		profile);
	const struct weir_counted_kernel *kernel = counters->kernels;

	(void)state;
	assert_int_equal(counters->count, 1);
	assert_string_equal(name_of(counters, kernel->name), "gemm(float const*, int)");
	assert_int_equal(kernel->duration_ns, 1234560);
	assert_int_equal(kernel->grid[0], 132);
	assert_int_equal(kernel->grid[1], 2);
	assert_int_equal(kernel->block[0], 256);
	assert_near(kernel->value[WEIR_COUNTER_DRAM_BYTES], 12.5e6, 1);
	assert_near(kernel->value[WEIR_COUNTER_SM], 0.821, 1e-9);
	assert_near(kernel->value[WEIR_COUNTER_BLOCKS], 264, 0);
	assert_near(kernel->value[WEIR_COUNTER_DRAM_BYTES_PER_S], 12.5e6 / 1234.56e-6, 1);
	assert_true(isnan(kernel->value[WEIR_COUNTER_DRAM]));
	weir_profile_free(profile);
}

static void the_details_page_scales_each_row_by_its_own_unit(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters =
		counters_of(DETAILS DURATION("0", "ms", "1.39") DURATION("1", "ns", "2,048")
	                            DURATION("2", "usecond", "3.1"),
	                    profile);

	(void)state;
	assert_int_equal(counters->count, 3);
	assert_int_equal(counters->kernels[0].duration_ns, 1390000);
	assert_int_equal(counters->kernels[1].duration_ns, 2048);
	assert_int_equal(counters->kernels[2].duration_ns, 3100);
	weir_profile_free(profile);
}

static void a_label_means_what_its_section_says(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters = counters_of(
		DETAILS DURATION("0", "us", "10") METRIC("0", SOL, "Memory Throughput", "%", "61.8")
			METRIC("0", "Memory Workload Analysis", "Memory Throughput", "Gbyte/s",
	                       "919.52"),
		profile);

	(void)state;
	assert_near(counters->kernels[0].value[WEIR_COUNTER_MEMORY], 0.618, 1e-9);
	assert_near(counters->kernels[0].value[WEIR_COUNTER_DRAM_BYTES_PER_S], 919.52e9, 1);
	assert_near(counters->kernels[0].value[WEIR_COUNTER_DRAM_BYTES], 919.52e4, 1);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

static void labels_of_2021_and_raw_names_are_known(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters =
		counters_of(DETAILS METRIC("0", "GPU Speed Of Light", "Duration", "usecond", "10")
	                            METRIC("0", "GPU Speed Of Light", "SM [%]", "%", "10.5")
	                                    METRIC("0", "GPU Speed Of Light", "SOL DRAM", "%", "20")
	                                            METRIC("0", "Command line profiler metrics",
	                                                   "lts__t_sector_hit_rate.pct", "%", "55"),
	                    profile);

	(void)state;
	assert_near(counters->kernels[0].value[WEIR_COUNTER_SM], 0.105, 1e-9);
	assert_near(counters->kernels[0].value[WEIR_COUNTER_DRAM], 0.2, 1e-9);
	assert_near(counters->kernels[0].value[WEIR_COUNTER_L2_HITS], 0.55, 1e-9);
	weir_profile_free(profile);
}

#define TENSOR(type, value)                                                                        \
	METRIC("0", "Command line profiler metrics", "sm__ops_path_tensor_src_" type ".sum", "",   \
	       value)

static void a_count_that_is_not_there_leaves_the_sum_unknown(void **state)
{
	static const struct {
		const char *text;
		double flops; /* NAN: unknown */
	} cases[] = {
		{TENSOR("bf16_dst_fp32", "8") TENSOR("fp16", "4"), 12},
		{TENSOR("bf16_dst_fp32", "0") TENSOR("bf16_dst_bf16", "n/a"), NAN},
		{TENSOR("bf16_dst_fp32", "8") TENSOR("fp16", "n/a"), NAN},
		{TENSOR("fp16", "n/a") TENSOR("fp16_dst_fp32", "8"), 8},
		{TENSOR("bf16_dst_fp32", "8") TENSOR("bf16_dst_fp32_sparsity_off", "8"), 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		double flops;

		weir_text_printf(&text, "%s%s", DETAILS DURATION("0", "us", "10"), cases[i].text);
		flops = counters_of(text.data, profile)
		                ->kernels[0]
		                .value[WEIR_COUNTER_MATRIX_FLOPS];
		assert_int_equal(isnan(flops), isnan(cases[i].flops));
		if (!isnan(flops))
			assert_near(flops, cases[i].flops, 0);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void cycles_that_the_file_states_are_not_computed(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters = counters_of(
		DETAILS DURATION("0", "us", "10") METRIC("0", SOL, "SM Frequency", "Ghz", "2")
			METRIC("0", SOL, "Elapsed Cycles", "cycle", "19,000")
				METRIC("0", SOL, "SM Active Cycles", "cycle", "9,495.42")
					DURATION("1", "us", "10")
						METRIC("1", SOL, "SM Frequency", "Ghz", "2"),
		profile);

	(void)state;
	assert_near(counters->kernels[0].value[WEIR_COUNTER_SM_CYCLES], 19000, 0);
	assert_near(counters->kernels[0].value[WEIR_COUNTER_SM_ACTIVE_CYCLES], 9495.42, 1e-9);
	assert_near(counters->kernels[1].value[WEIR_COUNTER_SM_CYCLES], 20000, 0);
	assert_true(isnan(counters->kernels[1].value[WEIR_COUNTER_SM_ACTIVE_CYCLES]));
	weir_profile_free(profile);
}

static void findings_keep_the_profilers_words_and_estimate(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters = counters_of(
		DETAILS DURATION("0", "us", "10") LAUNCH(
			"0",
			"k") ",\"Occupancy\",\"\",\"\",\"\",\"AchievedOccupancy\",\"OPT\",\"Text, "
			     "\"\"quoted\"\"\nof two lines\",\"local\",\"12.5\"\n" LAUNCH(
				     "0",
				     "k") ",\"X\",\"\",\"\",\"\",\"SOLBottleneck\",\"INF\",\"All "
					  "well\",\"\",\"\"\n",
		profile);
	const struct weir_counter_finding *finding = counters->findings;

	(void)state;
	assert_int_equal(counters->finding_count, 2);
	assert_string_equal(name_of(counters, finding->rule), "AchievedOccupancy");
	assert_string_equal(name_of(counters, finding->kind), "OPT");
	assert_string_equal(name_of(counters, finding->text), "Text, \"quoted\"\nof two lines");
	assert_int_equal(finding->scope, WEIR_FINDING_LOCAL);
	assert_near(finding->speedup, 0.125, 1e-9);
	assert_true(isnan(finding[1].speedup));
	weir_profile_free(profile);
}

static void what_programs_print_around_the_table_is_passed_over(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters = counters_of(
		"==PROF== Connected to process 7 (/bin/app)\nstep 1\n\"an open quote\n" DETAILS
			DURATION("0", "us", "10") "step 2, 3\n" DURATION(
				"1", "us", "20") "glued" DURATION("2", "us", "30")
				DETAILS DURATION("3", "us", "40"),
		profile);

	(void)state;
	assert_int_equal(counters->count, 3);
	assert_int_equal(counters->kernels[2].duration_ns, 40000);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_SKIPPED_EVENT].count, 1);
	weir_profile_free(profile);
}

static void values_that_were_not_measured_are_unknown(void **state)
{
	static const char *const absent[] = {"", "n/a", "(!) n/a", "nan", "inf"};

	(void)state;
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_counters *counters;

		weir_text_printf(&text, "%s%s,\"%s\",\"5\",\"%s\"\n", RAW, LAUNCH("0", "k"),
		                 absent[i], absent[i]);
		counters = counters_of(text.data, profile);
		assert_true(isnan(counters->kernels[0].value[WEIR_COUNTER_SM]));
		assert_true(isnan(counters->kernels[0].value[WEIR_COUNTER_DRAM_BYTES]));
		assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_BAD_NUMBER].count, 0);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void a_unit_of_something_else_is_no_value(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters = counters_of(
		DETAILS DURATION("0", "us", "10") METRIC("0", SOL, "DRAM Throughput", "byte", "5"),
		profile);

	(void)state;
	assert_true(isnan(counters->kernels[0].value[WEIR_COUNTER_DRAM]));
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	weir_profile_free(profile);
}

/* A number that fits one style decides how those are read that fit both. */
static void a_number_of_one_style_decides_for_the_whole_file(void **state)
{
	static const struct {
		const char *bytes, *duration, *percent;
		double duration_ns, throughput;
	} cases[] = {
		{"1.234.567", "117.344", "65,77", 117344000, 0.6577},
		{"5", "117.344", "65,770000", 117344000, 0.6577},
		{"1.234.567", "117.344", "65", 117344000, 0.65},
		{"5", "1.117,5", "n/a", 1117500, NAN},
		{"1,234,567", "117.344", "65", 117344, 0.65},
		{"5", "117.344", "65", 117344, 0.65},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_counted_kernel *kernel;

		weir_text_printf(&text, "%s%s,\"%s\",\"%s\",\"%s\"\n\n", RAW, LAUNCH("0", "k"),
		                 cases[i].bytes, cases[i].duration, cases[i].percent);
		kernel = counters_of(text.data, profile)->kernels;
		assert_int_equal(kernel->duration_ns, (int64_t)cases[i].duration_ns);
		if (isnan(cases[i].throughput))
			assert_true(isnan(kernel->value[WEIR_COUNTER_SM]));
		else
			assert_near(kernel->value[WEIR_COUNTER_SM], cases[i].throughput, 1e-9);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

/* Addresses of hosts and shapes of blocks are no numbers of metrics. */
static void texts_beside_the_metrics_decide_nothing(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters = counters_of(
		DETAILS
		"\"0\",\"7\",\"app\",\"192.168.100.200\",\"k\",\"1\",\"7\",\"(1, 1, 1)\",\"(1, "
		"1, 1)\",\"0\",\"9.0\",\"" SOL "\",\"Duration\",\"us\",\"117.344\",\n\n",
		profile);

	(void)state;
	assert_int_equal(counters->kernels[0].duration_ns, 117344);
	weir_profile_free(profile);
}

static void a_file_with_numbers_of_both_styles_is_refused(void **state)
{
	(void)state;
	reading_refuses(NCU, DETAILS DURATION("0", "us", "65,77") DURATION("1", "us", "1.25") "\n",
	                WEIR_E_FORMAT, "LC_ALL=C");
}

static void numbers_of_another_language_are_refused(void **state)
{
	static const char *const numbers[] = {"1 234,56", "1'234.56", "1.23.456"};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct weir_text text = {0};

		weir_text_printf(&text, "%s%s,\"1\",\"%s\",\"1\"\n", RAW, LAUNCH("0", "k"),
		                 numbers[i]);
		reading_refuses(NCU, text.data, WEIR_E_FORMAT,
		                "LC_ALL=C, on Windows with the format of numbers");
		weir_text_release(&text);
	}
}

static void what_holds_no_kernel_is_refused_with_the_reason(void **state)
{
	(void)state;
	reading_refuses(NCU, "==ERROR== ERR_NVGPUCTRPERM - no permission\n", WEIR_E_EMPTY,
	                "NVreg_RestrictProfilingToAdminUsers");
	reading_refuses(NCU, "==ERROR== Failed to prepare kernel\n", WEIR_E_EMPTY,
	                "ncu reports: Failed to prepare kernel");
	reading_refuses(NCU, "==PROF== Disconnected\n", WEIR_E_FORMAT, "--page raw");
	reading_refuses(NCU, RAW, WEIR_E_EMPTY, "no kernel below the header");
	reading_refuses(NCU, DETAILS METRIC("0", SOL, "DRAM Throughput", "%", "5"), WEIR_E_EMPTY,
	                "no kernel has a duration");
	reading_refuses(NCU,
	                "ID,Process ID,Process Name,Host Name,Kernel Name,Context,Stream,Block "
	                "Size,Grid Size,Device,CC,Section Name,Metric Name,Metric Unit,Metric "
	                "Value\n0,7,app,host,k(),1,7,(256, 1, 1),(132, 2, 1),0,9.0,Section,"
	                "dram__bytes_read.sum,byte,10\n",
	                WEIR_E_FORMAT,
	                "the header has 15 fields, and rows of kernels below it up to 19");
	reading_refuses(
		NCU, IDS ",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n",
		WEIR_E_FORMAT, "--print-summary");
}

static void a_row_cut_at_the_end_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *counters = counters_of(
		RAW LAUNCH("0", "k") ",\"1\",\"10\",\"5\"\n" LAUNCH("1", "k") ",\"1\",\"2",
		profile);

	(void)state;
	assert_int_equal(counters->count, 1);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

static void damage_anywhere_reads_or_says_why_not(void **state)
{
	(void)state;
	reading_survives_damage(NCU, RAW LAUNCH("0", "k") ",\"12.50\",\"1,234.56\",\"82.10\"\n");
	reading_survives_damage(NCU, DETAILS DURATION("0", "us", "10"));
}

static void the_header_or_the_profilers_own_lines_tell_the_format(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(RAW), "ncu");
	assert_string_equal(reading_claims("x\n" DETAILS), "ncu");
	assert_string_equal(reading_claims("==PROF== Connected to process 1\n"), "ncu");
	assert_string_equal(reading_claims("\"ID\",\"Name\"\n"), "none");
}

/* ---- classes ---- */

static enum weir_roofline class_of(double sm, double memory, double dram, double waves,
                                   double call_ns)
{
	double value[WEIR_COUNTER_COUNT];

	for (size_t i = 0; i < WEIR_COUNTER_COUNT; i++)
		value[i] = NAN;
	value[WEIR_COUNTER_SM] = sm;
	value[WEIR_COUNTER_MEMORY] = memory;
	value[WEIR_COUNTER_DRAM] = dram;
	value[WEIR_COUNTER_WAVES] = waves;
	return weir_counted_class(value, call_ns);
}

static void the_heavier_side_names_the_class(void **state)
{
	(void)state;
	assert_int_equal(class_of(0.90, 0.30, 0.20, 5, 1e6), WEIR_ROOFLINE_COMPUTE);
	assert_int_equal(class_of(0.20, 0.85, 0.85, 5, 1e6), WEIR_ROOFLINE_MEMORY);
	assert_int_equal(class_of(0.70, 0.65, 0.65, 5, 1e6), WEIR_ROOFLINE_BALANCED);
	assert_int_equal(class_of(NAN, 0.65, 0.65, 5, 1e6), WEIR_ROOFLINE_UNKNOWN);
}

static void busy_caches_do_not_make_a_busy_multiprocessor_wait_for_memory(void **state)
{
	(void)state;
	assert_int_equal(class_of(0.93, 0.95, 0.19, 5, 1e6), WEIR_ROOFLINE_COMPUTE);
	assert_int_equal(class_of(0.30, 0.95, 0.19, 5, 1e6), WEIR_ROOFLINE_MEMORY);
}

static void low_on_both_sides_is_size_where_that_explains_it(void **state)
{
	(void)state;
	assert_int_equal(class_of(0.3, 0.3, 0.3, 0.5, 1e6), WEIR_ROOFLINE_LATENCY);
	assert_int_equal(class_of(0.3, 0.3, 0.3, 5, 2e3), WEIR_ROOFLINE_LATENCY);
	assert_int_equal(class_of(0.3, 0.3, 0.3, 5, 1e6), WEIR_ROOFLINE_INEFFICIENT);
}

static void pages_about_one_launch_count_once(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_counted *counted;

	(void)state;
	counters_of(DETAILS DURATION("0", "us", "10.1") METRIC("0", SOL, "DRAM Throughput", "%",
	                                                       "40") DURATION("1", "us", "20"),
	            profile);
	counters_of(RAW LAUNCH("0", "k") ",\"1\",\"10.12\",\"5\"\n", profile);
	counted = weir_counted_new(profile);
	assert_int_equal(counted->count, 1);
	assert_int_equal(counted->items[0].count, 2);
	assert_near(counted->total_ns, 30120, 1e-6);
	assert_near(counted->items[0].value[WEIR_COUNTER_DRAM], 0.4, 1e-9);
	assert_near(counted->items[0].value[WEIR_COUNTER_SM], 0.05, 1e-9);
	weir_counted_free(counted);
	weir_profile_free(profile);
}

static void a_product_beside_idle_matrix_units_says_so(void **state)
{
	double value[WEIR_COUNTER_COUNT], features[WEIR_F_COUNT];

	(void)state;
	for (size_t i = 0; i < WEIR_COUNTER_COUNT; i++)
		value[i] = NAN;
	value[WEIR_COUNTER_SM] = 0.9;
	value[WEIR_COUNTER_DRAM] = 0.1;
	weir_features_clear(features);
	weir_counted_features(value, "ampere_sgemm_128x64_nn", features);
	assert_near(features[WEIR_F_MATRIX_UNITS_IDLE], 1, 0);
	value[WEIR_COUNTER_TENSOR] = 0.8;
	weir_counted_features(value, "ampere_sgemm_128x64_nn", features);
	assert_near(features[WEIR_F_MATRIX_UNITS_IDLE], 0, 0);
	assert_near(features[WEIR_F_INTENSITY_RATIO], 9, 1e-9);
}

/* ---- files that Nsight Compute wrote ---- */

#define CAPTURE "tests/data/captures/ncu_small."

/* The details page rounds to two decimals. */
static void both_pages_of_a_capture_agree(void **state)
{
	static const enum weir_counter same[] = {WEIR_COUNTER_SM, WEIR_COUNTER_MEMORY,
	                                         WEIR_COUNTER_DRAM, WEIR_COUNTER_OCCUPANCY};
	struct weir_profile *profile = weir_profile_new();
	const struct weir_counters *raw =
		reading_file(NCU, CAPTURE "raw.csv.gz", profile)->counters;
	const struct weir_counters *details =
		reading_file(NCU, CAPTURE "details.csv.gz", profile)->counters;

	(void)state;
	assert_true(raw->count > 0);
	assert_int_equal(details->count, raw->count);
	for (size_t i = 0; i < raw->count; i++) {
		const struct weir_counted_kernel *a = &raw->kernels[i], *b = &details->kernels[i];

		assert_string_equal(weir_names_text(raw->names, a->name),
		                    weir_names_text(details->names, b->name));
		assert_near((double)b->duration_ns, (double)a->duration_ns, 5e-3);
		for (size_t j = 0; j < sizeof(same) / sizeof(same[0]); j++)
			assert_near(b->value[same[j]], a->value[same[j]], 1e-2);
	}
	weir_profile_free(profile);
}

static void a_published_details_page_reads(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_sample(
		"samples/ncu/nsightful_copy_blocked_details.csv", NCU, NULL, profile);

	(void)state;
	assert_int_equal(input->counters->count, 1);
	assert_near(input->counters->kernels[0].value[WEIR_COUNTER_SM], 0.013, 1e-3);
	assert_near(input->counters->kernels[0].value[WEIR_COUNTER_MEMORY], 0.618, 1e-3);
	assert_true(input->counters->finding_count > 0);
	weir_profile_free(profile);
}

/* Threads' instructions of one launch that took 100 cycles, as the raw page has them. */
static const double *flops_of(const char *columns, const char *units, const char *values,
                              struct weir_profile *profile)
{
	struct weir_text csv = {0};

	weir_text_printf(&csv,
	                 IDS ",\"gpu__time_duration.sum\",\"smsp__cycles_elapsed.avg\"%s\n" NO_IDS
	                     ",\"ns\",\"cycle\"%s\n" LAUNCH("0", "k") ",\"50\",\"100\"%s\n",
	                 columns, units, values);
	counters_of(csv.data, profile);
	weir_text_release(&csv);
	return profile->inputs[profile->input_count - 1].counters->kernels[0].value;
}

#define OP(name)   ",\"smsp__sass_thread_inst_executed_op_" name "_pred_on.sum\""
#define RATE(name) ",\"smsp__sass_thread_inst_executed_op_" name "_pred_on.sum.per_cycle_elapsed\""
#define MATRIX(of) ",\"sm__ops_path_tensor_src_" of ".sum\""
#define INST3      ",\"inst\",\"inst\",\"inst\""

static void operations_are_added_up_by_what_an_instruction_does(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const double *value = flops_of(OP("fadd") OP("ffma") OP("fmul"), INST3,
	                               ",\"1,000\",\"20\",\"3\"", profile);

	(void)state;
	assert_near(value[WEIR_COUNTER_VECTOR_FLOPS], 1000 + 2 * 20 + 3, 0);
	assert_true(isnan(value[WEIR_COUNTER_MATRIX_FLOPS]));
	value = flops_of(RATE("fadd") RATE("ffma") RATE("fmul"),
	                 ",\"inst/cycle\",\"inst/cycle\",\"inst/cycle\"", ",\"1.5\",\"0.25\",\"0\"",
	                 profile);
	assert_near(value[WEIR_COUNTER_VECTOR_FLOPS], 100 * (1.5 + 2 * 0.25), 1e-12);
	/* fp16 works on pairs. */
	value = flops_of(OP("dadd") OP("dfma") OP("dmul") OP("fadd") OP("ffma") OP("fmul")
	                         OP("hadd") OP("hfma") OP("hmul"),
	                 INST3 INST3 INST3,
	                 ",\"1\",\"10\",\"100\",\"0\",\"0\",\"0\",\"1\",\"1\",\"1\"", profile);
	assert_near(value[WEIR_COUNTER_VECTOR_FLOPS], 1 + 20 + 100 + 2 + 4 + 2, 0);
	weir_profile_free(profile);
}

static void operations_that_are_not_all_counted_are_unknown(void **state)
{
	static const struct {
		const char *columns, *units, *values;
	} rows[] = {
		{OP("fadd") OP("ffma"), ",\"inst\",\"inst\"", ",\"1\",\"2\""},
		{OP("hadd") OP("hfma") OP("hmul"), INST3, ",\"1\",\"2\",\"3\""},
		{OP("fadd") OP("ffma") OP("fmul"), INST3, ",\"1\",\"n/a\",\"3\""},
		{OP("dadd") OP("fadd") OP("ffma") OP("fmul"), INST3 ",\"inst\"",
	         ",\"0\",\"1\",\"2\",\"3\""},
		/* Half as a sum, half as a rate. */
		{OP("fadd") RATE("ffma") RATE("fmul"), ",\"inst\",\"inst/cycle\",\"inst/cycle\"",
	         ",\"1\",\"2\",\"3\""},
		/* The utilisation of the pipe does not give the number of its operations. */
		{",\"sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active\"",
	         ",\"%\"", ",\"50\""},
	};
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const double *value =
			flops_of(rows[i].columns, rows[i].units, rows[i].values, profile);

		assert_true(isnan(value[WEIR_COUNTER_VECTOR_FLOPS]));
		assert_true(isnan(value[WEIR_COUNTER_MATRIX_FLOPS]));
	}
	weir_profile_free(profile);
}

static void operations_of_the_matrix_units_are_counted_once(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	assert_near(flops_of(MATRIX("bf16_dst_fp32") MATRIX("fp64") MATRIX("tf32_dst_fp32"),
	                     ",\"\",\"\",\"\"", ",\"1,116,691,496,960\",\"0\",\"4\"",
	                     profile)[WEIR_COUNTER_MATRIX_FLOPS],
	            1116691496964., 0);
	/* The whole, and its parts. */
	assert_near(flops_of(MATRIX("fp16") MATRIX("fp16_dst_fp16") MATRIX("fp16_dst_fp32"),
	                     ",\"\",\"\",\"\"", ",\"30\",\"10\",\"20\"",
	                     profile)[WEIR_COUNTER_MATRIX_FLOPS],
	            30, 0);
	weir_profile_free(profile);
}

static void the_size_of_the_cache_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	assert_near(flops_of(",\"device__attribute_l2_cache_size\"", ",\"\"", ",\"62,914,560\"",
	                     profile)[WEIR_COUNTER_L2_SIZE],
	            62914560, 0);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_raw_page_gives_a_launch_a_row_in_the_units_of_its_second_row),
		cmocka_unit_test(the_details_page_scales_each_row_by_its_own_unit),
		cmocka_unit_test(a_label_means_what_its_section_says),
		cmocka_unit_test(labels_of_2021_and_raw_names_are_known),
		cmocka_unit_test(a_count_that_is_not_there_leaves_the_sum_unknown),
		cmocka_unit_test(cycles_that_the_file_states_are_not_computed),
		cmocka_unit_test(findings_keep_the_profilers_words_and_estimate),
		cmocka_unit_test(what_programs_print_around_the_table_is_passed_over),
		cmocka_unit_test(values_that_were_not_measured_are_unknown),
		cmocka_unit_test(a_unit_of_something_else_is_no_value),
		cmocka_unit_test(a_number_of_one_style_decides_for_the_whole_file),
		cmocka_unit_test(texts_beside_the_metrics_decide_nothing),
		cmocka_unit_test(a_file_with_numbers_of_both_styles_is_refused),
		cmocka_unit_test(numbers_of_another_language_are_refused),
		cmocka_unit_test(what_holds_no_kernel_is_refused_with_the_reason),
		cmocka_unit_test(a_row_cut_at_the_end_is_left_out),
		cmocka_unit_test(damage_anywhere_reads_or_says_why_not),
		cmocka_unit_test(the_header_or_the_profilers_own_lines_tell_the_format),
		cmocka_unit_test(the_heavier_side_names_the_class),
		cmocka_unit_test(busy_caches_do_not_make_a_busy_multiprocessor_wait_for_memory),
		cmocka_unit_test(low_on_both_sides_is_size_where_that_explains_it),
		cmocka_unit_test(pages_about_one_launch_count_once),
		cmocka_unit_test(a_product_beside_idle_matrix_units_says_so),
		cmocka_unit_test(both_pages_of_a_capture_agree),
		cmocka_unit_test(a_published_details_page_reads),
		cmocka_unit_test(operations_are_added_up_by_what_an_instruction_does),
		cmocka_unit_test(operations_that_are_not_all_counted_are_unknown),
		cmocka_unit_test(operations_of_the_matrix_units_are_counted_once),
		cmocka_unit_test(the_size_of_the_cache_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
