/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define FOLDER "tests/data/key_averages/"
#define SAMPLE "samples/kineto/self_key_averages_table.txt"
#define TABLES "tests/data/captures/key_averages_"

static const struct weir_reader *const reader = &weir_reader_key_averages;

static void expect_total(const struct weir_run *run, const char *name, double ns, double calls)
{
	const struct weir_series *time = weir_series_find(&run->operators, name),
				 *count = weir_series_find(&run->calls, name);

	if (!time || !count)
		fail_msg("no operator is called %s", name);
	else if (time->value[0] != ns || count->value[0] != calls)
		fail_msg("%s: %.17g ns, %.17g calls", name, time->value[0], count->value[0]);
}

/* The header is shifted by titles that are longer than their columns; rows are not. */
static void rows_lie_under_the_dashes(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, FOLDER "table.txt", profile);

	(void)state;
	expect_total(input->run, "aten::mm", 3750000, 15);
	expect_total(input->run, "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_6...", 4000000,
	             10);
	assert_int_equal(input->run->operators.count, 2);
	reading_expects_figure(input->run, "self_host_time_total_ms", 10, false, "ms");
	reading_expects_figure(input->run, "self_device_time_total_ms", 4, false, "ms");
	weir_profile_free(profile);
}

/* A range of the program with more than all device time is no separate work. */
static void ranges_among_the_kernels_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, FOLDER "table.txt", profile);

	(void)state;
	assert_null(weir_series_find(&input->run->operators, "decode"));
	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		assert_int_equal(input->warnings[i].count, 0);
	weir_profile_free(profile);
}

static void a_table_of_the_host_alone_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, FOLDER "host.txt", profile);

	(void)state;
	expect_total(input->run, "aten::addmm", 1.5e9, 1);
	expect_total(input->run, "aten::relu", 5e8, 100);
	assert_null(weir_series_find(&input->run->metrics, "self_device_time_total_ms"));
	weir_profile_free(profile);
}

#define DASHES                                                                                     \
	"------------  ------------  ------------  ------------  ------------  ------------  \n"
#define TITLES                                                                                     \
	"        Name    Self CPU %      Self CPU   CPU total %  CPU time avg    # of Calls  \n"
#define ROW "           a        50.00%       1.000ms        50.00%       1.000ms             1  \n"

#define DEVICE_TITLES                                                                              \
	"        Name    Self CPU %      Self CPU   CPU total %     Self CUDA    # of Calls  \n"
#define LAUNCH                                                                                     \
	"cudaLaunchKe        50.00%       1.000ms        50.00%       0.000us             7  \n"
#define ADD "   aten::add        50.00%       1.000ms        50.00%       2.000us             3  \n"

/* An operator of a run is device time, not the time of calls on the host. */
static void a_row_without_device_time_is_no_operator_of_the_device(void **state)
{
	static const struct {
		const char *rows;
		size_t operators;
		double ns; /* of the launches; 0: not listed */
	} cases[] = {
		{LAUNCH ADD DASHES, 1, 0},
		{LAUNCH DASHES "Self CPU time total: 2.000ms\nSelf CUDA time total: 1.480ms\n", 0,
	         0},
		{LAUNCH DASHES "Self CPU time total: 2.000ms\nSelf CUDA time total: 0.000us\n", 1,
	         1e6},
		{LAUNCH DASHES, 1, 1e6},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_run *run;

		weir_text_printf(&text, "%s%s%s%s", DASHES, DEVICE_TITLES, DASHES, cases[i].rows);
		run = reading_of(reader, text.data, profile)->run;
		assert_int_equal(run->operators.count, cases[i].operators);
		assert_int_equal(run->calls.count, cases[i].operators);
		if (cases[i].ns > 0)
			expect_total(run, "cudaLaunchKe", cases[i].ns, 7);
		else
			assert_null(weir_series_find(&run->operators, "cudaLaunchKe"));
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

#define CUT_DASHES   "--------------  ------------  ------------  ------------  ------------  "
#define CUT_TITLES   "          Name      Self CPU     Self CUDA    CUDA total    # of Calls  "
#define CUT_KERNEL   "void k<int>...       0.000us       1.000ms       1.000ms             5  "
#define CUT_OPERATOR "aten::a_lon...       2.000us       4.000ms       4.000ms             2  "

/* Rows of a table without shapes have different names, unless the table cut them. */
static void names_that_the_table_cut_stay_apart(void **state)
{
	static const struct {
		const char *dashes, *title;
		bool apart;
	} cases[] = {
		{"", "", true},
		{"------------", "Input Shapes", false},
		{"---------------", "Source Location", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_run *run;

		weir_text_printf(&text, CUT_DASHES "%s\n" CUT_TITLES "%s\n" CUT_DASHES "%s\n",
		                 cases[i].dashes, cases[i].title, cases[i].dashes);
		weir_text_puts(&text, CUT_KERNEL "\n" CUT_KERNEL "\n" CUT_OPERATOR "\n" CUT_DASHES);
		weir_text_printf(&text, "%s\nSelf CPU time total: 2.000ms\n", cases[i].dashes);
		run = reading_of(reader, text.data, profile)->run;
		expect_total(run, "aten::a_lon...", 4e6, 2);
		expect_total(run, "void k<int>...", cases[i].apart ? 1e6 : 2e6,
		             cases[i].apart ? 5 : 10);
		if (cases[i].apart)
			expect_total(run, "void k<int>... (2)", 1e6, 5);
		assert_int_equal(run->operators.count, cases[i].apart ? 3 : 2);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

/* A range on the device has the time of the kernels inside it, which have rows; its row of the host
 * tells that it is no kernel. An operator may have a row for each of its shapes. */
static void a_range_that_the_host_names_as_well_is_no_kernel(void **state)
{
	static const char rows[] =
		DASHES DEVICE_TITLES DASHES "       Model         0.00%       0.000us         "
					    "0.00%       9.000us             1  \n"
					    "      gemm_8         0.00%       0.000us         "
					    "0.00%       7.000us             4  \n"
					    "       Model        50.00%       1.000ms        "
					    "50.00%       0.000us             1  \n"
					    "    aten::mm        25.00%       0.500ms        "
					    "25.00%       7.000us             4  \n"
					    "    aten::mm        25.00%       0.500ms        "
					    "25.00%       0.000us             1  \n" DASHES;
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader, rows, profile)->run;

	(void)state;
	assert_int_equal(run->operators.count, 2);
	expect_total(run, "gemm_8", 7000, 4);
	expect_total(run, "aten::mm", 7000, 4);
	weir_profile_free(profile);
}

#define SHARE_TITLES                                                                               \
	"        Name    Self CPU %      Self CPU     Self CUDA   Self CUDA %    # of Calls  \n"
#define SHARE_HEAD DASHES SHARE_TITLES DASHES
#define SHARE_ROW(host, host_share, device, share)                                                 \
	"    aten::mm    " host_share "    " host "    " device "    " share "             3  \n"

static void a_table_cut_before_its_totals_has_those_of_its_shares(void **state)
{
	static const struct {
		const char *text;
		double host_ms, device_ms; /* 0: not known */
	} cases[] = {
		{SHARE_HEAD SHARE_ROW("   1.000ms", "     2.00%", "   8.000ms", "    40.00%"), 50,
	         20},
		{SHARE_HEAD SHARE_ROW("   1.000ms", "     0.50%", "   1.000ms", "     0.49%"), 200,
	         0},
		{SHARE_HEAD SHARE_ROW("   1.000ms", "     2.00%", "   8.000ms", "   140.00%"), 50,
	         0},
		{SHARE_HEAD SHARE_ROW("   1.000ms", "     2.00%", "   0.000us", "     0.00%"), 50,
	         0},
		{SHARE_HEAD SHARE_ROW("   1.000ms", "     2.00%", "   8.000ms", "    40.00%") DASHES
	         "Self CPU time total: 51.000ms\nSelf CUDA time total: 19.000ms\n",
	         51, 19},
		{SHARE_HEAD SHARE_ROW("   1.000ms", "     2.00%", "   8.000ms", "    40.00%") DASHES
	         "Self CPU time total: 51.000ms\n",
	         51, 20},
	};
	static const char *const names[] = {"self_host_time_total_ms", "self_device_time_total_ms"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_run *run = reading_of(reader, cases[i].text, profile)->run;
		double expected[] = {cases[i].host_ms, cases[i].device_ms};

		for (size_t j = 0; j < 2; j++) {
			const struct weir_series *series =
				weir_series_find(&run->metrics, names[j]);

			assert_int_equal(series != NULL, expected[j] > 0);
			if (series)
				assert_near(series->value[0], expected[j], 1e-9);
		}
		weir_profile_free(profile);
	}
}

static void blank_lines_may_lie_between_the_lines_of_a_table(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, DASHES "\n" TITLES "\r\n" DASHES " \n" ROW "\n" DASHES, profile);

	(void)state;
	expect_total(input->run, "a", 1000000, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 0);
	weir_profile_free(profile);
}

static void further_tables_are_left_out_and_counted(void **state)
{
#define FURTHER "Self CPU time total: 2.0ms\n\na title\n" DASHES TITLES DASHES ROW DASHES
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, DASHES TITLES DASHES ROW DASHES FURTHER FURTHER, profile);

	(void)state;
	expect_total(input->run, "a", 1000000, 1);
	reading_expects_figure(input->run, "self_host_time_total_ms", 2, false, "ms");
	assert_int_equal(input->warnings[WEIR_WARN_OTHER_TABLE].count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_TRAILING].count, 0);
	weir_profile_free(profile);
#undef FURTHER
}

/* Times of one call may be negative in tables of old versions, and so is their total. */
static void a_table_with_a_negative_total_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, FOLDER "bottleneck.txt", profile);

	(void)state;
	expect_total(input->run, "MyModel.forward", 2e6, 2);
	reading_expects_figure(input->run, "self_host_time_total_ms", 5, false, "ms");
	reading_expects_figure(input->run, "self_device_time_total_ms", 2, false, "ms");
	assert_int_equal(input->events, 2);
	assert_int_equal(input->warnings[WEIR_WARN_OTHER_TABLE].count, 2);
	assert_string_equal(
		input->warnings[WEIR_WARN_OTHER_TABLE].detail,
		"a table of cProfile, then one with a negative total; the next one was read");
	assert_int_equal(input->warnings[WEIR_WARN_NEGATIVE_DURATION].count, 0);
	weir_profile_free(profile);
	reading_refuses(reader,
	                DASHES TITLES DASHES ROW DASHES "Self CPU time total: -2.000ms\n" DASHES,
	                WEIR_E_FORMAT, "negative total");
	reading_refuses(reader, DASHES TITLES DASHES ROW DASHES "Self CPU time total: -2.000ms\n",
	                WEIR_E_FORMAT, "negative total");
}

static void rows_with_negative_times_are_left_out_and_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		DASHES TITLES DASHES ROW
		"           b        50.00%     -1.000ms        50.00%       1.000ms     "
		"        1  \n" DASHES "Self CPU time total: 1.000ms\n",
		profile);

	(void)state;
	assert_int_equal(input->run->operators.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_NEGATIVE_DURATION].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

/* The time of a call with all calls inside it has the larger share of the same total. */
static void a_total_follows_from_the_largest_share_of_calls_with_those_inside(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, FOLDER "shapes.txt", profile);

	(void)state;
	reading_expects_figure(input->run, "self_host_time_total_ms", 200.123, false, "ms");
	assert_null(weir_series_find(&input->run->metrics, "self_device_time_total_ms"));
	assert_int_equal(input->run->operators.count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_MISSING_ROWS].count, 1);
	weir_profile_free(profile);
}

static void rows_of_the_host_beside_device_time_are_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, FOLDER "table.txt", profile)->run;

	(void)state;
	reading_expects_figure(run, "host/aten::mm/total_ns", 7e6, false, "ns");
	reading_expects_figure(run, "host/cudaLaunchKernel/total_ns", 2e6, false, "ns");
	weir_profile_free(profile);
}

static void what_is_cut_or_no_number_is_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		DASHES TITLES DASHES ROW
		"           b        50.00%           one        50.00%       1.000ms     "
		"        1  \n"
		"           c        50.00%       1.0",
		profile);

	(void)state;
	assert_int_equal(input->run->operators.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 2);
	weir_profile_free(profile);
}

static void a_line_of_dots_stands_for_missing_rows(void **state)
{
	static const char *const dots[] = {"...\n", "  . . .  \n", "\xe2\x80\xa6\n"};

	(void)state;
	for (size_t i = 0; i < sizeof dots / sizeof *dots; i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_input *input;

		weir_text_printf(&text, "%s%s%s%s%s%s", DASHES, TITLES, DASHES, ROW, dots[i],
		                 DASHES);
		input = reading_of(reader, text.data, profile);
		assert_int_equal(input->run->operators.count, 1);
		assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
		assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 1);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void what_has_no_rows_is_refused(void **state)
{
	(void)state;
	reading_refuses(reader, DASHES TITLES DASHES DASHES, WEIR_E_EMPTY, "no row with a time");
	reading_refuses(reader, "hello\n", WEIR_E_EMPTY, "no row with a time");
}

static void tables_are_known_by_their_titles(void **state)
{
	(void)state;
	assert_string_equal(reading_claims("a log\n" DASHES TITLES DASHES), "key_averages");
	assert_string_equal(reading_claims(DASHES), "none");
	assert_string_equal(reading_claims(TITLES), "none");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(reader,
	                        DASHES TITLES DASHES ROW DASHES "Self CPU time total: 1.0ms\n");
}

static void captures_are_read_without_warnings(void **state)
{
	static const struct {
		const char *file, *name;
		double ns, calls;
	} captures[] = {
		{TABLES "large_matmul.txt", "aten::mul", 7399000, 120},
		{TABLES "decode_stack.txt", "aten::mm", 3437000, 330},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_file(reader, captures[i].file, profile);

		expect_total(input->run, captures[i].name, captures[i].ns, captures[i].calls);
		for (int j = 0; j < WEIR_WARN_COUNT; j++)
			assert_int_equal(input->warnings[j].count, 0);
		weir_profile_free(profile);
	}
}

static void a_sample_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_sample(SAMPLE, reader, NULL, profile);

	(void)state;
	assert_int_equal(input->run->operators.count, 1);
	weir_profile_free(profile);
}

/* PyTorch 1.1 to 1.6: times on the device hold the calls inside, so that only those on the host
 * add up. */
static void a_table_of_an_old_version_gives_times_on_the_host(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, FOLDER "old.txt", profile);

	(void)state;
	expect_total(input->run, "linear", 100000, 2);
	expect_total(input->run, "addmm", 3900000, 2);
	assert_int_equal(input->run->operators.count, 2);
	reading_expects_figure(input->run, "self_host_time_total_ms", 4, false, "ms");
	assert_null(weir_series_find(&input->run->metrics, "self_device_time_total_ms"));
	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		assert_int_equal(input->warnings[i].count, 0);
	weir_profile_free(profile);
}

static void a_table_without_self_times_is_refused_by_its_version(void **state)
{
	(void)state;
	assert_string_equal(
		reading_claims("------------  ------------  ------------  ------------  "
	                       "------------  ------------\n"
	                       "Name              CPU time     CUDA time         Calls     "
	                       "CPU total    CUDA total\n"),
		"none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_lie_under_the_dashes),
		cmocka_unit_test(ranges_among_the_kernels_are_left_out),
		cmocka_unit_test(a_table_of_the_host_alone_is_read),
		cmocka_unit_test(a_row_without_device_time_is_no_operator_of_the_device),
		cmocka_unit_test(names_that_the_table_cut_stay_apart),
		cmocka_unit_test(a_range_that_the_host_names_as_well_is_no_kernel),
		cmocka_unit_test(a_table_cut_before_its_totals_has_those_of_its_shares),
		cmocka_unit_test(blank_lines_may_lie_between_the_lines_of_a_table),
		cmocka_unit_test(further_tables_are_left_out_and_counted),
		cmocka_unit_test(a_table_with_a_negative_total_is_left_out),
		cmocka_unit_test(rows_with_negative_times_are_left_out_and_counted),
		cmocka_unit_test(a_total_follows_from_the_largest_share_of_calls_with_those_inside),
		cmocka_unit_test(rows_of_the_host_beside_device_time_are_figures),
		cmocka_unit_test(what_is_cut_or_no_number_is_counted),
		cmocka_unit_test(a_line_of_dots_stands_for_missing_rows),
		cmocka_unit_test(what_has_no_rows_is_refused),
		cmocka_unit_test(tables_are_known_by_their_titles),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(captures_are_read_without_warnings),
		cmocka_unit_test(a_sample_is_read),
		cmocka_unit_test(a_table_of_an_old_version_gives_times_on_the_host),
		cmocka_unit_test(a_table_without_self_times_is_refused_by_its_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
