/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define FOLDER "tests/data/rocprof_summary/"
#define TITLE  "KERNELS_SUMMARY:\n"
#define HEADER                                                                                     \
	"Name Calls DURATION (nsec) AVERAGE (nsec) PERCENT (INC) MIN (nsec) MAX (nsec) STD_DEV\n"

static const struct weir_reader *const reader = &weir_reader_rocprof_summary;

static void expect_work(const struct weir_run *run, const char *name, double ns, double calls)
{
	const struct weir_series *time = weir_series_find(&run->operators, name),
				 *count = weir_series_find(&run->calls, name);

	if (!time || !count) {
		fail_msg("no kernel or copy is called %s", name);
		return;
	}
	assert_near(time->value[0], ns, 1e-6);
	assert_near(count->value[0], calls, 0);
}

static void kernels_and_copies_of_all_processes_count_once(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, FOLDER "summary.txt", profile)->run;

	(void)state;
	expect_work(run, "void gemm<float, 4>(float const*, float*, int)", 60000000, 400);
	expect_work(run, "scale(float*)", 30000000, 400);
	expect_work(run, "init", 10000000, 1);
	expect_work(run, "MEMORY_COPY_HOST_TO_DEVICE", 8000000, 4);
	assert_int_equal(run->operators.count, 4);
	weir_profile_free(profile);
}

static void calls_of_the_runtime_are_no_work_of_the_device(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, FOLDER "summary.txt", profile);

	(void)state;
	reading_expects_figure(input->run, "calls/hipMemcpy/total_ns", 9000000, false, "ns");
	reading_expects_figure(input->run, "calls/hipMemcpy/mean_ns", 2250000, false, "ns");
	reading_expects_figure(input->run, "calls/hipLaunchKernel/total_ns", 4005000, false, "ns");
	assert_int_equal(input->run->metrics.count, 4);
	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		assert_int_equal(input->warnings[i].count, 0);
	weir_profile_free(profile);
}

static void tables_with_bars_are_read_in_their_unit(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, FOLDER "bars.txt", profile);

	(void)state;
	expect_work(input->run, "void gemm<float, 4>(float const*, float*, int)", 60000000, 400);
	assert_int_equal(input->run->operators.count, 3);
	reading_expects_figure(input->run, "calls/hipMemcpy/total_ns", 9000000, false, "ns");
	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		assert_int_equal(input->warnings[i].count, 0);
	weir_profile_free(profile);
}

static void rows_whose_figures_disagree_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		TITLE HEADER "a 2 200 100.0 50.0 90 110 14.1\nb 2 900 100.0 50.0 90 110 1.0\n",
		profile);

	(void)state;
	expect_work(input->run, "a", 200, 2);
	assert_int_equal(input->run->operators.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	weir_profile_free(profile);
}

static void a_row_that_is_cut_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, TITLE HEADER "a 2 200 100.0 50.0 90 110 14.1\nk 2 3 4 12 100.0", profile);

	(void)state;
	assert_int_equal(input->run->operators.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

static void a_summary_without_rows_is_refused(void **state)
{
	(void)state;
	reading_refuses(reader, TITLE HEADER, WEIR_E_EMPTY, "no row of kernels, copies or calls");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(reader, TITLE HEADER
	                        "a b 2 200 100.0 50.0 90 110 14.1\n\nHIP_SUMMARY:\n" HEADER
	                        "hipFree 1 5 5.0 100.0 5 5 NaN\n"
	                        "| NAME | DOMAIN | CALLS | DURATION (usec) | AVERAGE (usec) |\n"
	                        "| k | KERNEL_DISPATCH | 1 | 2 | 2 | 100 | 2 | 2 | 0 |\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_and_copies_of_all_processes_count_once),
		cmocka_unit_test(calls_of_the_runtime_are_no_work_of_the_device),
		cmocka_unit_test(tables_with_bars_are_read_in_their_unit),
		cmocka_unit_test(rows_whose_figures_disagree_are_left_out),
		cmocka_unit_test(a_row_that_is_cut_is_left_out),
		cmocka_unit_test(a_summary_without_rows_is_refused),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
