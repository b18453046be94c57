/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of nsys stats: the figures of each report, in each known form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define KERNELS                                                                                    \
	"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "           \
	"(ns),Name\n"
#define GEMM "void gemm<float>(float const*, int)"

#define TEXT                                                                                       \
	" Time (%)  Total Time (ns)  Instances   Avg (ns)    Med (ns)        Name        \n"       \
	" --------  ---------------  ---------  ----------  ----------  ------------------\n"

static const struct weir_run *run_of(const char *text, struct weir_profile *profile)
{
	return reading_of(&weir_reader_nsys_stats, text, profile)->run;
}

static void a_report_becomes_totals_and_means(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		run_of(KERNELS "66.7,80000,2,40000.0,40000.0,38000,42000,2828.4,\"" GEMM "\"\n"
	                       "33.3,40000,1,40000.0,40000.0,40000,40000,0.0,softmax_kernel\n",
	               profile);

	(void)state;
	reading_expects_figure(run, "kernels/total_ns", 120000, false, "ns");
	reading_expects_figure(run, "kernels/count", 3, false, NULL);
	reading_expects_figure(run, "kernels/" GEMM "/total_ns", 80000, false, "ns");
	reading_expects_figure(run, "kernels/" GEMM "/mean_ns", 40000, false, "ns");
	assert_int_equal(run->metrics.count, 6);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static const struct {
	const char *text, *figure;
	double value;
	const char *unit;
} reports[] = {
	{"Time (%),Total Time (us),Num Calls,Avg (us),Name\n9,1.5,3,0.5,cudaFree\n",
         "calls/cudaFree/total_ns", 1500, "ns"},
	{"Time (%),Total Time (ms),Count,Operation\n9,1.5,3,[CUDA memset]\n",
         "memsets/[CUDA memset]/mean_ns", 500000, "ns"},
	{"Time (%),Total Time (ms),Count,Operation\n94,1.5,3,[CUDA memset]\n"
         "6,0.1,1,[CUDA memcpy Host-to-Device]\n",
         "copies/total_ns", 100000, "ns"},
	{"Total (MB),Count,Avg (MB),Operation\n1.500,3,0.5,[CUDA memset]\n",
         "memset_sizes/[CUDA memset]/total_bytes", 1500000, "B"},
	{"Time (%),Total Time (s),Instances,Style,Range\n9,1.5,1,PushPop,:decode\n",
         "ranges/:decode/total_ns", 1.5e9, "ns"},
	{"NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Kernel Name\n"
         ":a,PushPop,1,1,1,2,30,k\n:b,PushPop,1,1,1,1,40,k\n",
         "range_kernels/k/total_ns", 70, "ns"},
	{"Start (ns),Duration (ns),CorrId,Device,Name\n5,7,1,gpu,k\n9,8,2,gpu,k\n"
         "20,100,3,gpu,[CUDA memcpy Device-to-Host]\n",
         "kernels/k/mean_ns", 7.5, "ns"},
	{"Start (ns),Duration (ns),CorrId,Device,Name\n5,7,1,gpu,k\n"
         "20,100,3,gpu,[CUDA memcpy Device-to-Host]\n",
         "copies/total_ns", 100, "ns"},
	{"Start (ns),Duration (ns),CorrId,Device,Name\n5,7,1,gpu,k\n20,100,3,gpu,[CUDA memset]\n",
         "memsets/total_ns", 100, "ns"},
	{"Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name\n"
         "1,5,4,0,4,step\n6,9,3,0,3,step\n",
         "ranges/step/total_ns", 7, "ns"},
	{"Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),NumGPUOps\n"
         "step,1,9,1,4\n",
         "projected_ranges/step/total_ns", 9, "ns"},
	{"Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,StdDev,Name\n"
         "100.0,50,2,25,20,30,1,k\n",
         "kernels/k/mean_ns", 25, "ns"},
};

static void every_report_is_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		struct weir_profile *profile = weir_profile_new();

		assert_string_equal(reading_claims(reports[i].text), "nsys-stats");
		reading_expects_figure(run_of(reports[i].text, profile), reports[i].figure,
		                       reports[i].value, false, reports[i].unit);
		weir_profile_free(profile);
	}
}

/* A thread is in a call of CUDA and in one of the OS at the same time. */
static void calls_of_cuda_and_of_the_os_have_no_sum(void **state)
{
#define CALLS "Time (%),Total Time (ns),Num Calls,Name\n"
	static const struct {
		const char *text;
		double calls, os_calls; /* NAN: no such table */
	} cases[] = {
		{"Processing [x] with [/r/cuda_api_sum.py]...\n" CALLS "100.0,70,1,f\n\n"
	         "Processing [x] with [/r/osrt_sum.py]...\n" CALLS "100.0,90,1,g\n",
	         70, 90},
		{CALLS "100.0,90,1,poll\n\n" CALLS "100.0,70,1,cudaFree\n", 70, 90},
		{CALLS "90.0,90,1,pthread_cond_wait\n10.0,10,1,unheard_of\n", NAN, 100},
		{CALLS "80.0,80,1,sem_wait\n", NAN, 100},
		{CALLS "100.0,90,1,cuLaunchKernel\n", 90, NAN},
		{" ** CUDA API Summary (cuda_api_sum):\n\n" CALLS "100.0,90,1,read\n", 90, NAN},
		{" ** OS Runtime Summary (osrt_sum):\n\n" CALLS "100.0,90,1,other\n\n" CALLS
	         "100.0,5,1,cudaFree\n",
	         5, 90},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_run *run = run_of(cases[i].text, profile);

		if (isnan(cases[i].calls))
			assert_null(weir_series_find(&run->metrics, "calls/total_ns"));
		else
			reading_expects_figure(run, "calls/total_ns", cases[i].calls, false, "ns");
		if (isnan(cases[i].os_calls))
			assert_null(weir_series_find(&run->metrics, "os_calls/total_ns"));
		else
			reading_expects_figure(run, "os_calls/total_ns", cases[i].os_calls, false,
			                       "ns");
		weir_profile_free(profile);
	}
}

/* Each row may lack half a tenth of a percent by rounding; 0.5 are left for other tables. */
static void shares_below_all_tell_that_rows_are_missing(void **state)
{
	static const struct {
		const char *text;
		double total;
		unsigned warnings;
	} cases[] = {
		{KERNELS "80.0,800,2,1,1,1,1,1,k\n", 1000, 1},
		{KERNELS "60.0,600,2,1,1,1,1,1,k\n20.0,200,2,1,1,1,1,1,g\n", 1000, 1},
		{KERNELS "99.5,995,2,1,1,1,1,1,k\n", 995, 0},
		{KERNELS "99.4,994,2,1,1,1,1,1,k\n", 1000, 1},
		{KERNELS "100.0,800,2,1,1,1,1,1,k\n", 800, 0},
		{KERNELS "0.0,800,2,1,1,1,1,1,k\n", 800, 0},
		{KERNELS "x,800,2,1,1,1,1,1,k\n", 800, 0},
		{KERNELS "50.0,500,2,1,1,1,1,1,k\n\n" KERNELS "50.0,500,2,1,1,1,1,1,k\n", 2000, 2},
		{TEXT "     80.0              800          2     400.0     400.0  k\n", 1000, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();

		reading_expects_figure(run_of(cases[i].text, profile), "kernels/total_ns",
		                       cases[i].total, false, "ns");
		assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_MISSING_ROWS].count,
		                 cases[i].warnings);
		weir_profile_free(profile);
	}
}

static void what_the_program_says_is_passed_over(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const char *text =
		"Generating SQLite file x.sqlite from x.nsys-rep\n"
		"Processing [x.sqlite] with [/opt/reports/cuda_gpu_kern_sum.py]... \n\n" KERNELS
		"100.0,50,2,25.0,25,20,30,1.0,k\n\n"
		"SKIPPED: x.sqlite does not contain NV Tools Extension (NVTX) data.\n\n"
		"Processing [x.sqlite] with [/opt/reports/cuda_api_sum.py]... \r\n\r\n"
		"Time (%),Total Time (ns),Num Calls,Name\r\n100.0,70,1,cudaFree\r\n";
	const struct weir_run *run = run_of(text, profile);

	(void)state;
	assert_string_equal(reading_claims(text), "nsys-stats");
	reading_expects_figure(run, "kernels/total_ns", 50, false, "ns");
	reading_expects_figure(run, "calls/total_ns", 70, false, "ns");
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(profile->inputs[0].warnings[code].count,
		                 code == WEIR_WARN_MEANS_ONLY);
	weir_profile_free(profile);
}

/* The default of nsys stats: text with columns separated by blanks. */
static void tables_of_text_are_read(void **state)
{
	static const char text[] =
		"Processing [x.sqlite] with [/opt/reports/cuda_gpu_kern_sum.py]...\n\n"
		" ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n" TEXT
		"     98.6        1,024,143          2   512,071.5   512,071.5  void f(int *, "
		"int)\n"
		"      1.4              803          1       803.0       803.0  g\n"
		"...\n      0.0                1          1         1.0         1.0  g\n\n"
		" ** CUDA GPU MemOps Summary (by Size) (cuda_gpu_mem_size_sum):\n\n"
		" Total (MB)  Count  Avg (MB)          Operation\n"
		" ----------  -----  --------  ---------------------------\n"
		"      1.500      3     0.500  [CUDA memcpy Host-to-Device]\n\nall done 1 2 3 4\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(text, profile);

	(void)state;
	assert_string_equal(reading_claims(text), "nsys-stats");
	reading_expects_figure(run, "kernels/total_ns", 1024947, false, "ns");
	reading_expects_figure(run, "kernels/count", 4, false, NULL);
	reading_expects_figure(run, "kernels/void f(int *, int)/total_ns", 1024143, false, "ns");
	reading_expects_figure(run, "kernels/g/total_ns", 804, false, "ns");
	reading_expects_figure(run, "copied/[CUDA memcpy Host-to-Device]/total_bytes", 1500000,
	                       false, "B");
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(profile->inputs[0].warnings[code].count,
		                 code == WEIR_WARN_MEANS_ONLY);
	weir_profile_free(profile);
	reading_survives_damage(&weir_reader_nsys_stats, text);
}

/* nsys stats --format table. */
static void drawn_tables_are_read(void **state)
{
	static const char text[] =
		" ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
		"+----------+-----------------+-----------+----------+-----------+\n"
		"| Time (%) | Total Time (ns) | Instances | Avg (ns) |   Name    |\n"
		"+----------+-----------------+-----------+----------+-----------+\n"
		"|     98.6 |         1024143 |         2 | 512071.5 | f(int|u,) |\n"
		"|      1.4 |             803 |         1 |    803.0 | g         |\n"
		"+----------+-----------------+-----------+----------+-----------+\n\n";
	struct weir_profile *profile = weir_profile_new();
	struct weir_text cut = {0};
	const struct weir_run *run = run_of(text, profile);

	(void)state;
	assert_string_equal(reading_claims(text), "nsys-stats");
	reading_expects_figure(run, "kernels/total_ns", 1024946, false, "ns");
	reading_expects_figure(run, "kernels/f(int|u,)/total_ns", 1024143, false, "ns");
	reading_expects_figure(run, "kernels/g/mean_ns", 803, false, "ns");
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(profile->inputs[0].warnings[code].count,
		                 code == WEIR_WARN_MEANS_ONLY);
	weir_profile_free(profile);
	reading_survives_damage(&weir_reader_nsys_stats, text);
	/* The line at the end of a row shows that it is whole. */
	for (int whole = 0; whole < 2; whole++) {
		profile = weir_profile_new();
		weir_text_clear(&cut);
		weir_text_add(&cut, text, (size_t)(strstr(text, "| g  ") - text));
		weir_text_puts(&cut, whole ? "| 0 | 1 | 1 | 1 | g |" : "| 0 | 1 | 1 | 1 | g");
		run_of(cut.data, profile);
		assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_TRUNCATED].count, !whole);
		weir_profile_free(profile);
	}
	weir_text_release(&cut);
}

/* A name is the last cell: only its brackets show if it is complete. */
static void a_complete_last_line_needs_no_line_break(void **state)
{
#define LAST_TEXT "     50.0        1,000,000          1  1,000.0  "
#define LAST_CSV  "50.0,1000000,1,1000.0,"
	static const struct {
		const char *line;
		bool text, cut;
	} cases[] = {
		{LAST_TEXT "[CUDA memset]", true, false},
		{LAST_TEXT "gemm", true, false},
		{LAST_TEXT "void k<int>(int *)", true, false},
		{LAST_TEXT "void k<int\xe2\x80\xa6", true, false},
		{LAST_TEXT "void k<int>(int *", true, true},
		{LAST_TEXT "void k<int", true, true},
		{LAST_TEXT "[CUDA mem", true, true},
		{"     50.0        1,000,000          1  1,000.0", true, true},
		{"     50.0        1,00", true, true},
		{LAST_CSV "\"void k(int, int)\"", false, false},
		{LAST_CSV "\"void k(int, int)", false, true},
		{LAST_CSV "\"void k", false, true},
		{LAST_CSV, false, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};

		weir_text_puts(&text,
		               cases[i].text
		                       ? "Time (%)  Total Time (ns)  Instances  Avg (ns)  Name\n"
		                         "--------  ---------------  ---------  --------  ----\n"
		                         "    50.0        1,000,000          1   1,000.0  a\n"
		                       : "Time (%),Total Time (ns),Instances,Avg (ns),Name\n"
		                         "50.0,1000000,1,1000.0,a\n");
		weir_text_puts(&text, cases[i].line);
		reading_expects_figure(run_of(text.data, profile), "kernels/a/total_ns", 1e6, false,
		                       "ns");
		assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_TRUNCATED].count,
		                 cases[i].cut);
		assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_MISSING_ROWS].count,
		                 cases[i].cut);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

/* nsys cuts long names in text; a sum has one row for each whole name. */
static void names_that_the_table_cut_stay_apart(void **state)
{
	static const char *const cuts[] = {"\xe2\x80\xa6", "..."};

	(void)state;
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0}, figure = {0};
		const struct weir_run *run;

		weir_text_printf(&text,
		                 "%s 50.0 500 5 100 100 void f<int%s\n 40.0 400 2 200 200 g\n"
		                 " 10.0 600 2 300 300 void f<int%s\n 1.0 10 1 10 10 g\n",
		                 TEXT, cuts[i], cuts[i]);
		run = run_of(text.data, profile);
		weir_text_printf(&figure, "kernels/void f<int%s/total_ns", cuts[i]);
		reading_expects_figure(run, figure.data, 600, false, "ns");
		weir_text_clear(&figure);
		weir_text_printf(&figure, "kernels/void f<int%s (2)/total_ns", cuts[i]);
		reading_expects_figure(run, figure.data, 500, false, "ns");
		reading_expects_figure(run, "kernels/g/total_ns", 410, false, "ns");
		reading_expects_figure(run, "kernels/total_ns", 1510, false, "ns");
		weir_text_release(&figure);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

/* Names of up to 512 bytes are kept; those of longer ones must not add up. */
static void names_that_are_equal_after_shortening_stay_apart(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_run *run;
	char name[513], figure[600];

	(void)state;
	memset(name, 'k', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	weir_text_printf(&text,
	                 "Start (ns),Duration (ns),CorrId,Name\n1,10,1,%sa\n2,20,2,%sb\n"
	                 "3,30,3,%sa\n4,5,4,%s\n",
	                 name, name, name, name);
	run = run_of(text.data, profile);
	snprintf(figure, sizeof(figure), "kernels/%s/total_ns", name);
	reading_expects_figure(run, figure, 40, false, "ns");
	snprintf(figure, sizeof(figure), "kernels/%s (2)/total_ns", name);
	reading_expects_figure(run, figure, 20, false, "ns");
	snprintf(figure, sizeof(figure), "kernels/%s (3)/total_ns", name);
	reading_expects_figure(run, figure, 5, false, "ns");
	reading_expects_figure(run, "kernels/total_ns", 65, false, "ns");
	weir_text_release(&text);
	weir_profile_free(profile);
}

/* Commas must separate groups of three digits. */
static void numbers_of_a_text_may_be_grouped(void **state)
{
	static const struct {
		const char *number;
		double ns;
	} cases[] = {{"1,234", 1234},    {"12,345,678.5", 12345678.5},
	             {"1234.5", 1234.5}, {"1,23", NAN},
	             {"1,2345", NAN},    {"1234,567", NAN},
	             {",123", NAN},      {"1,234,", NAN},
	             {"1.234,567", NAN}, {"12345678901234567890123456789012345", NAN}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_run *run;
		char text[512];

		snprintf(text, sizeof(text), "%s1 1 1 1 1 k\n 1 %s 1 1 1 k\n", TEXT,
		         cases[i].number);
		run = run_of(text, profile);
		reading_expects_figure(run, "kernels/k/total_ns",
		                       isnan(cases[i].ns) ? 1 : 1 + cases[i].ns, false, "ns");
		assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_BAD_NUMBER].count,
		                 isnan(cases[i].ns));
		weir_profile_free(profile);
	}
}

/* A text table that cannot be split at blanks, or has no units, is not read. */
static void other_tables_of_text_are_not_claimed(void **state)
{
	static const struct {
		const char *text, *hint;
	} cases[] = {
		{" Start (ns)  Duration (ns)  CorrId  Device  Name\n 1  2  3  A B (0)  k\n",
	         "text"},
		{"NVTX Range  Style  Kern Inst  Total Time (ns)  Kernel Name\na b  P  1  2  k\n",
	         "text"},
		{"CUDA API Statistics (nanoseconds)\n\nTime(%)  Total Time  Calls  Name\n",
	         "nsys stats --format csv"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *hint = weir_sniff_refusal(&weir_reader_nsys_stats, cases[i].text,
		                                      strlen(cases[i].text));

		assert_string_equal(reading_claims(cases[i].text), "none");
		assert_non_null(strstr(hint ? hint : "text", cases[i].hint));
	}
}

/* nsys stats prints a line in place of a report that the recording has no data for. */
static void skipped_reports_say_what_to_record(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{"SKIPPED: run.sqlite does not contain CUDA trace data.\n",
	         "does not contain CUDA trace data): record the program anew with nsys profile"},
		{"Processing [run.sqlite] with [cuda_gpu_kern_sum.py]...\n"
	         "SKIPPED: run.sqlite does not contain CUDA kernel data.\n",
	         "a time in which kernels run"},
		{"SKIPPED: run.sqlite does not contain NV Tools Extension (NVTX) data.\n",
	         "a program that marks ranges"},
		{"SKIPPED: run.sqlite does not contain OS Runtime trace data.\n", "osrt"},
	};
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *hint = weir_sniff_refusal(&weir_reader_nsys_stats, cases[i].text,
		                                      strlen(cases[i].text));

		assert_string_equal(reading_claims(cases[i].text), "none");
		assert_non_null(hint);
		assert_non_null(strstr(hint, cases[i].reason));
		reading_refuses(&weir_reader_nsys_stats, cases[i].text, WEIR_E_EMPTY,
		                cases[i].reason);
	}
	assert_null(weir_sniff_refusal(&weir_reader_nsys_stats, "SKIPPED: 3 tests\n", 17));
	reading_expects_figure(
		run_of("SKIPPED: run.sqlite does not contain CUDA trace data.\n\n" KERNELS
	               "100.0,50,1,50.0,50,50,50,0.0,k\n",
	               profile),
		"kernels/total_ns", 50, false, "ns");
	weir_profile_free(profile);
}

static void a_sum_and_a_trace_of_the_same_count_once(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		run_of("Start (ns),Duration (ns),CorrId,Name\n5,50,1,k\n\n" KERNELS
	               "100.0,50,1,50.0,50,50,50,0.0,k\n",
	               profile);

	(void)state;
	reading_expects_figure(run, "kernels/total_ns", 50, false, "ns");
	reading_expects_figure(run, "kernels/count", 1, false, NULL);
	weir_profile_free(profile);
}

static void only_the_largest_names_are_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_run *run;

	(void)state;
	weir_text_puts(&text, KERNELS);
	for (int i = 1; i <= 300; i++)
		weir_text_printf(&text, "0.4,%d,1,1.0,1,1,1,0.0,kernel_%d\n", i, i);
	run = run_of(text.data, profile);
	reading_expects_figure(run, "kernels/total_ns", 45150, false, "ns");
	assert_int_equal(run->metrics.count, 2 + 2 * 200);
	assert_non_null(weir_series_find(&run->metrics, "kernels/kernel_101/mean_ns"));
	assert_null(weir_series_find(&run->metrics, "kernels/kernel_100/mean_ns"));
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void odd_rows_are_left_out_and_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(KERNELS "99.9,50,1,50.0,50,50,50,0.0,k\n"
	                                            "1.0,n/a,1,50.0,50,50,50,0.0,k\n"
	                                            "1.0,-5,1,50.0,50,50,50,0.0,k\n"
	                                            "Time,5,1,5.0,5,5,5,0.0,Name\n"
	                                            "1.0,50,1,50.0,k\n"
	                                            "1.0,60,1,50.0,50,50,50,0.0,cu(",
	                                    profile);
	const struct weir_warning *warnings = profile->inputs[0].warnings;

	(void)state;
	reading_expects_figure(run, "kernels/total_ns", 55, false, "ns");
	assert_int_equal(warnings[WEIR_WARN_BAD_NUMBER].count, 2);
	assert_int_equal(warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	assert_int_equal(warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

static void what_is_no_report_is_refused(void **state)
{
	(void)state;
	reading_refuses(&weir_reader_nsys_stats, KERNELS, WEIR_E_EMPTY, "nsys stats --format csv");
	reading_refuses(&weir_reader_nsys_stats, "a,b,c\n1,2,3\n", WEIR_E_EMPTY,
	                "a header such as");
	assert_string_equal(reading_claims("Time (%),Total,Name\n1,2,3\n"), "none");
	assert_string_equal(reading_claims("Start (h),Duration (h),CorrId,Name\n1,2,3,k\n"),
	                    "none");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(&weir_reader_nsys_stats,
	                        "Processing [x] with [y]\n\n" KERNELS
	                        "66.7,80000,2,40000.0,40000.0,38000,42000,2828.4,\"" GEMM "\"\n\n"
	                        "Start (ns),Duration (ns),CorrId,Name\n5,7,1,\"a \"\"k\"\"\"\n");
}

static void ranges_hold_each_other_and_have_no_sum(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		run_of("Time (%),Total Time (ns),Instances,Style,Range\n50,10,1,PushPop,:outer\n"
	               "50,10,2,PushPop,:inner\n",
	               profile);

	(void)state;
	reading_expects_figure(run, "ranges/:outer/total_ns", 10, false, "ns");
	reading_expects_figure(run, "ranges/:inner/mean_ns", 5, false, "ns");
	assert_null(weir_series_find(&run->metrics, "ranges/total_ns"));
	assert_null(weir_series_find(&run->metrics, "ranges/count"));
	weir_profile_free(profile);
}

/* The total counts all rows, of which only some state their calls. */
static void a_cut_list_has_no_number_of_calls(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		run_of("Time (%),Total Time (ns),Instances,Name\n80.0,800,4,k\n", profile);

	(void)state;
	reading_expects_figure(run, "kernels/total_ns", 1000, false, "ns");
	assert_null(weir_series_find(&run->metrics, "kernels/count"));
	assert_string_equal(profile->inputs[0].warnings[WEIR_WARN_MISSING_ROWS].detail,
	                    "kernels: the 1 row in the file holds 80.0 %");
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_becomes_totals_and_means),
		cmocka_unit_test(every_report_is_known),
		cmocka_unit_test(calls_of_cuda_and_of_the_os_have_no_sum),
		cmocka_unit_test(shares_below_all_tell_that_rows_are_missing),
		cmocka_unit_test(what_the_program_says_is_passed_over),
		cmocka_unit_test(tables_of_text_are_read),
		cmocka_unit_test(drawn_tables_are_read),
		cmocka_unit_test(a_complete_last_line_needs_no_line_break),
		cmocka_unit_test(names_that_the_table_cut_stay_apart),
		cmocka_unit_test(names_that_are_equal_after_shortening_stay_apart),
		cmocka_unit_test(numbers_of_a_text_may_be_grouped),
		cmocka_unit_test(other_tables_of_text_are_not_claimed),
		cmocka_unit_test(a_sum_and_a_trace_of_the_same_count_once),
		cmocka_unit_test(only_the_largest_names_are_kept),
		cmocka_unit_test(odd_rows_are_left_out_and_counted),
		cmocka_unit_test(skipped_reports_say_what_to_record),
		cmocka_unit_test(what_is_no_report_is_refused),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(ranges_hold_each_other_and_have_no_sum),
		cmocka_unit_test(a_cut_list_has_no_number_of_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
