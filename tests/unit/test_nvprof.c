/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of nvprof: early and late, as text and CSV. */
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

#define NVPROF (&weir_reader_nvprof)
#define FOLDER "tests/data/nvprof/"
#define GEMM   "kernels/void gemm<float, int=4>(float*, int)/"
#define HEADER "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
#define UNITS  ",%,ms,,us,us,us,\n"
#define EARLY  "Time(%),Time,Calls,Avg,Min,Max,Name\n"
#define TEXT   "Time(%)      Time     Calls       Avg       Min       Max  Name\n"

static const struct weir_run *run_of(const char *text, struct weir_profile *profile)
{
	return reading_of(NVPROF, text, profile)->run;
}

static void text_and_csv_say_the_same(void **state)
{
	static const char *const files[] = {FOLDER "summary.csv", FOLDER "summary.txt"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_file(NVPROF, files[i], profile);

		reading_expects_figure(input->run, GEMM "total_ns", 5e6, false, "ns");
		reading_expects_figure(input->run, GEMM "mean_ns", 250e3, false, "ns");
		reading_expects_figure(input->run, "kernels/total_ns", 7e6, false, "ns");
		reading_expects_figure(input->run, "kernels/count", 60, false, NULL);
		reading_expects_figure(input->run, "copies/total_ns", 800e3, false, "ns");
		reading_expects_figure(input->run, "memsets/total_ns", 200e3, false, "ns");
		reading_expects_figure(input->run, "calls/cudaLaunchKernel/total_ns", 90e6, false,
		                       "ns");
		for (int code = 0; code < WEIR_WARN_COUNT; code++)
			assert_int_equal(input->warnings[code].count, code == WEIR_WARN_MEANS_ONLY);
		weir_profile_free(profile);
	}
}

static void migrations_and_page_faults_of_unified_memory_are_figures(void **state)
{
	static const char *const files[] = {FOLDER "unified.csv", FOLDER "unified.txt"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_file(NVPROF, files[i], profile);
		const struct weir_run *run = input->run;

		reading_expects_figure(run, "kernels/total_ns", 7e6, false, "ns");
		reading_expects_figure(run, "migrated/Host To Device/total_bytes", 0x1p20, false,
		                       "B");
		reading_expects_figure(run, "migrated/Device To Host/mean_bytes", 0x1p17, false,
		                       "B");
		reading_expects_figure(run, "migrated/count", 12, false, NULL);
		reading_expects_figure(run, "gpu_page_fault_groups", 16, false, NULL);
		reading_expects_figure(run, "cpu_page_faults", 49, false, NULL);
		for (int code = 0; code < WEIR_WARN_COUNT; code++)
			assert_int_equal(input->warnings[code].count, code == WEIR_WARN_MEANS_ONLY);
		weir_profile_free(profile);
	}
}

static void odd_rows_of_unified_memory_are_counted(void **state)
{
#define UNIFIED                                                                                    \
	HEADER UNITS "GPU activities,100,1,1,1,1,1,k\n\n\"Device\",\"Count\",\"Total "             \
		     "Size\",\"\"\n"
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		NVPROF,
		UNIFIED "d,8,5,Host To Device\nd,x,5B,Host To Device\nd,1,2B,Device To Host\n",
		profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 2);
	reading_expects_figure(input->run, "migrated/total_bytes", 2, false, "B");
	assert_null(weir_series_find(&input->run->metrics, "cpu_page_faults"));
	weir_profile_free(profile);
	reading_survives_damage(NVPROF,
	                        UNIFIED "d,8,5KB,Host To Device\nTotal CPU Page faults: 4\n");
}

#define OUTPUT(id, command, rows)                                                                  \
	"==" id "== NVPROF is profiling process " id ", command: " command "\n==" id               \
	"== Profiling result:\n            Type  " TEXT rows "\n"
#define WORK(time)  " GPU activities:  100.00%  " time "  1  1.0us  1.0us  1.0us  k(int)\n"
#define CALLS(time) "      API calls:  100.00%  " time "  1  1.0us  1.0us  1.0us  cudaFree\n"
#define MOVES                                                                                      \
	"Unified Memory profiling result:\nDevice \"d (0)\"\n   Count  Avg Size  Min Size  Max "   \
	"Size  Total Size  Total Time  Name\n  1  1.0KB  1.0KB  1.0KB  1.0KB  1.0us  Host To "     \
	"Device\n"

static void tables_of_several_processes_are_not_added_up(void **state)
{
	static const struct {
		const char *text, *detail;
		double kernels, calls; /* 0: none */
		unsigned left_out;
	} cases[] = {
		{OUTPUT("7", "./a", WORK("1us") CALLS("5us")), "", 1e3, 5e3, 0},
		{OUTPUT("7", "./a", WORK("1us") CALLS("5us")) "==7== " MOVES, "", 1e3, 5e3, 0},
		{OUTPUT("7", "./a", WORK("1us") CALLS("5us")) OUTPUT("8", "./a 15", WORK("2us")),
	         "process 7 of ./a was read", 1e3, 5e3, 1},
		/* Containers repeat the number of the process. */
		{OUTPUT("7", "./a", WORK("1us")) OUTPUT("7", "./a 15", WORK("2us")),
	         "process 7 of ./a was read", 1e3, 0, 1},
		{OUTPUT("7", "./a", WORK("1us")) OUTPUT("8", "./b", WORK("2us"))
	                 OUTPUT("9", "./c", WORK("4us") CALLS("8us")),
	         "process 7 of ./a was read", 1e3, 0, 2},
		/* The first lines of both processes come before the tables of the first. */
		{"==8== NVPROF is profiling process 8, command: ./b\n" OUTPUT(
			 "7", "./a", WORK("1us")) "==8== Profiling result:\n            Type  " TEXT
	                 WORK("2us") "\n==7== " MOVES,
	         "process 7 of ./a was read", 1e3, 0, 1},
		/* A process without device work starts the one that has it. */
		{OUTPUT("7", "./a", CALLS("5us")) OUTPUT("8", "./b", WORK("2us") CALLS("3us")),
	         "process 8 of ./b was read", 2e3, 3e3, 1},
		/* Page faults of the host are no device work. */
		{OUTPUT("7", "./a", CALLS("5us")) "==7== Unified Memory profiling result:\n"
	                                          "Total CPU Page faults: 2\n" OUTPUT("8", "./b",
	                                                                              WORK("2us")),
	         "process 8 of ./b was read", 2e3, 0, 1},
		{OUTPUT("7", "./a", CALLS("5us")) OUTPUT("8", "./b", CALLS("3us")),
	         "process 7 of ./a was read", 0, 5e3, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_run *run = run_of(cases[i].text, profile);
		const struct weir_warning *warnings = profile->inputs[0].warnings;

		if (cases[i].kernels > 0)
			reading_expects_figure(run, "kernels/total_ns", cases[i].kernels, false,
			                       "ns");
		else
			assert_null(weir_series_find(&run->metrics, "kernels/total_ns"));
		if (cases[i].calls > 0)
			reading_expects_figure(run, "calls/total_ns", cases[i].calls, false, "ns");
		else
			assert_null(weir_series_find(&run->metrics, "calls/total_ns"));
		assert_int_equal(warnings[WEIR_WARN_OTHER_PROCESS].count, cases[i].left_out);
		assert_string_equal(warnings[WEIR_WARN_OTHER_PROCESS].detail, cases[i].detail);
		assert_int_equal(warnings[WEIR_WARN_INCONSISTENT].count, 0);
		weir_profile_free(profile);
	}
	reading_survives_damage(NVPROF,
	                        OUTPUT("7", "a", WORK("1us")) OUTPUT("8", "b", WORK("2us")));
}

/* Before CUDA 9 a message says which table follows, and names are not quoted. */
static void early_tables_have_no_types(void **state)
{
	static const char *const texts[] = {
		EARLY "50%,1.5ms,3,500us,1us,1ms,f(int*, int)\n50%,1.5ms,1,1.5ms,1us,1ms,[CUDA "
		      "memcpy HtoD]\n==7== API calls:\n" EARLY "100%,2s,4,500ms,1us,1ms,cudaFree\n",
		"==7== Profiling result:\n" TEXT
		" 50.00%  1.5000ms         3  500.00us  1.0000us  1.0000ms  f(int*, int)\n"
		" 50.00%  1.5000ms         1  1.5000ms  1.0000us  1.0000ms  [CUDA memcpy HtoD]\n\n"
		"==7== API calls:\n" TEXT
		"100.00%  2.00000s         4  500.00ms  1.0000us  1.0000ms  cudaFree\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_run *run = run_of(texts[i], profile);

		assert_string_equal(reading_claims(texts[i]), "nvprof");
		reading_expects_figure(run, "kernels/f(int*, int)/total_ns", 1.5e6, false, "ns");
		reading_expects_figure(run, "kernels/count", 3, false, NULL);
		reading_expects_figure(run, "copies/count", 1, false, NULL);
		reading_expects_figure(run, "calls/cudaFree/mean_ns", 5e8, false, "ns");
		weir_profile_free(profile);
	}
}

static void a_memset_is_no_copy(void **state)
{
	static const char *const texts[] = {
		EARLY "50%,2ms,3,1ms,1us,1ms,[CUDA memset]\n50%,1ms,1,1ms,1us,1ms,[CUDA memcpy "
		      "HtoD]\n",
		"==7== Profiling result:\n" TEXT
		" 50.00%  2.0000ms         3  500.00us  1.0000us  1.0000ms  [CUDA memset]\n"
		" 50.00%  1.0000ms         1  1.5000ms  1.0000us  1.0000ms  [CUDA memcpy HtoD]\n",
		HEADER UNITS "\"GPU activities\",50,2,3,1,1,1,\"[CUDA memset]\"\n"
			     ",50,1,1,1,1,1,\"[CUDA memcpy HtoD]\"\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_run *run = run_of(texts[i], profile);

		reading_expects_figure(run, "copies/total_ns", 1e6, false, "ns");
		reading_expects_figure(run, "memsets/total_ns", 2e6, false, "ns");
		weir_profile_free(profile);
	}
}

static void a_list_of_work_is_added_up_by_name(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(NVPROF, FOLDER "gpu_trace.csv", profile)->run;

	(void)state;
	reading_expects_figure(run, "kernels/gemm(float*, int)/total_ns", 510e3, false, "ns");
	reading_expects_figure(run, "kernels/gemm(float*, int)/mean_ns", 255e3, false, "ns");
	reading_expects_figure(run, "copies/[CUDA memcpy HtoD]/total_ns", 300e3, false, "ns");
	weir_profile_free(profile);
}

/* Work of other kinds, such as OpenACC, repeats that of the device. */
static void rows_of_other_types_are_passed_over(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		run_of(HEADER UNITS "\"GPU activities\",50,1,1,1,1,1,\"k\"\n"
	                            "\"OpenACC (excl)\",50,1,1,1,1,1,\"acc\"\n",
	               profile);

	(void)state;
	assert_int_equal(run->metrics.count, 3); /* half of the kernels: no number of calls */
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

#define ROW(type, share, time, name) "\"" type "\"," share "," time ",1,1us,1us,1us,\"" name "\"\n"

/* Each type adds up to all; half a hundredth of each share may be lost by rounding, and 0.5 are
 * left.
 */
static void shares_below_all_tell_that_rows_are_missing(void **state)
{
	static const struct {
		const char *text, *figure;
		double total;
		unsigned warnings;
	} cases[] = {
		{HEADER ROW("GPU activities", "80.00", "800ns", "k"), "kernels/total_ns", 1000, 1},
		{HEADER ROW("GPU activities", "99.50", "995ns", "k"), "kernels/total_ns", 995, 0},
		{HEADER ROW("GPU activities", "99.49", "9949ns", "k"), "kernels/total_ns", 10000,
	         1},
		{HEADER ROW("GPU activities", "80.00", "800ns", "k")
	                 ROW("GPU activities", "20.00", "200ns", "[CUDA memcpy HtoD]")
	                         ROW("API calls", "50.00", "30ns", "cudaFree"),
	         "kernels/total_ns", 800, 1},
		{HEADER ROW("GPU activities", "100.00", "800ns", "k")
	                 ROW("API calls", "50.00", "30ns", "cudaFree"),
	         "calls/total_ns", 60, 1},
		{"==7== Profiling result:\n" TEXT
	         " 75.00%  1.5000ms         3  500.00us  1.0000us  1.0000ms  f(int*, int)\n\n"
	         "==7== API calls:\n" TEXT
	         "100.00%  2.00000s         4  500.00ms  1.0000us  1.0000ms  cudaFree\n",
	         "kernels/total_ns", 2e6, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_series *series =
			weir_series_find(&run_of(cases[i].text, profile)->metrics, cases[i].figure);

		assert_non_null(series);
		assert_near(series->value[0], cases[i].total, 1e-9);
		assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_MISSING_ROWS].count,
		                 cases[i].warnings);
		weir_profile_free(profile);
	}
}

static void a_number_without_a_unit_is_no_time(void **state)
{
	static const struct {
		const char *units, *time;
		double ns; /* 0: no time */
	} cases[] = {
		{UNITS, "2", 2e6},
		{",%,us,,us,us,us,\n", "2", 2e3},
		{",%,s,,us,us,us,\n", "2", 2e9},
		{UNITS, "2us", 2e3},
		{"", "2us", 2e3},
		{"", "2", 0},
		{"", "2h", 0},
		{UNITS, "-2", 0},
		{UNITS, "1e30", 0},
		{UNITS, "", 0},
		{UNITS, "ms", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_run *run;

		weir_text_printf(&text,
		                 "%s%s\"GPU activities\",100,1ns,1,1,1,1,\"j\"\n"
		                 "\"GPU activities\",0,%s,1,1,1,1,\"k\"\n",
		                 HEADER, cases[i].units, cases[i].time);
		run = run_of(text.data, profile);
		reading_expects_figure(run, "kernels/total_ns", 1 + cases[i].ns, false, "ns");
		assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_BAD_NUMBER].count,
		                 cases[i].ns == 0);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void odd_and_cut_rows_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(EARLY "50%,1us,1,1us,1us,1us,k\n50%,1us,1\n"
	                                          "50%,1us,1.5,1us,1us,1us,k\n"
	                                          "50%,1us,1,1us,1us,1us,k(int",
	                                    profile);
	const struct weir_warning *warnings = profile->inputs[0].warnings;

	(void)state;
	reading_expects_figure(run, "kernels/total_ns", 2000, false, "ns");
	assert_int_equal(warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	assert_int_equal(warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	assert_int_equal(warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

/* A name is the last cell: only its brackets show if it is complete. */
static void a_complete_last_line_needs_no_line_break(void **state)
{
	static const struct {
		const char *line;
		bool text, cut;
	} cases[] = {
		{"50.00%  1.0000us  1  1.0us  1.0us  1.0us  cudaFree", true, false},
		{"50.00%  1.0000us  1  1.0us  1.0us  1.0us  void k<int>(int*)", true, false},
		{"50.00%  1.0000us  1  1.0us  1.0us  1.0us  [CUDA memset]", true, false},
		{"50.00%  1.0000us  1  1.0us  1.0us  1.0us  void k<int>(int*", true, true},
		{"50.00%  1.0000us  1  1.0us  1.0us  1.0us  void k<int>", true, true},
		{"50.00%  1.0000us  1  1.0us  1.0us  1.0us  [CUDA mem", true, true},
		{"50.00%  1.0000us  1  1.0us  1.0us", true, true},
		{"50%,1us,1,1us,1us,1us,\"k(int*, int)\"", false, false},
		{"50%,1us,1,1us,1us,1us,\"k", false, true},
		{"50%,1us,1,1us,1us,1us,", false, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};

		weir_text_puts(&text, cases[i].text ? TEXT "50.00%  1.0000us  1  1.0us  1.0us  "
		                                           "1.0us  a\n"
		                                    : EARLY "50%,1us,1,1us,1us,1us,a\n");
		weir_text_puts(&text, cases[i].line);
		run_of(text.data, profile);
		assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_TRUNCATED].count,
		                 cases[i].cut);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void the_format_is_known_by_its_header(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(HEADER), "nvprof");
	assert_string_equal(reading_claims("==7== NVPROF is profiling process 7\n" TEXT), "nvprof");
	assert_string_equal(reading_claims("Time(%),Time,Calls,Name\n"), "none");
	reading_refuses(NVPROF, HEADER UNITS, WEIR_E_EMPTY, "no row of a table of nvprof");
	reading_refuses(NVPROF, "hello\n", WEIR_E_EMPTY, "no row of a table of nvprof");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(NVPROF, HEADER UNITS "\"GPU activities\",50,1,1,1,1,1,\"k [1]\"\n");
	reading_survives_damage(NVPROF,
	                        "==7== Profiling result:\n" TEXT
	                        " GPU activities:  50.00%  1.5ms  3  5us  1us  1ms  f(int)\n");
	reading_survives_damage(NVPROF, EARLY "50%,1us,1,1us,1us,1us,f(a, b)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_csv_say_the_same),
		cmocka_unit_test(migrations_and_page_faults_of_unified_memory_are_figures),
		cmocka_unit_test(odd_rows_of_unified_memory_are_counted),
		cmocka_unit_test(tables_of_several_processes_are_not_added_up),
		cmocka_unit_test(early_tables_have_no_types),
		cmocka_unit_test(a_memset_is_no_copy),
		cmocka_unit_test(a_list_of_work_is_added_up_by_name),
		cmocka_unit_test(rows_of_other_types_are_passed_over),
		cmocka_unit_test(shares_below_all_tell_that_rows_are_missing),
		cmocka_unit_test(a_number_without_a_unit_is_no_time),
		cmocka_unit_test(odd_and_cut_rows_are_counted),
		cmocka_unit_test(a_complete_last_line_needs_no_line_break),
		cmocka_unit_test(the_format_is_known_by_its_header),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
