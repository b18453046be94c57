/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests what cargo bench prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA    "tests/data/benchmarks/cargo_bench.txt"
#define LIBTEST "test fib 20 ... bench:      26,251.50 ns/iter (+/- 123) = 8 MB/s\n"
#define LINES                                                                                      \
	LIBTEST "fib                     time:   [26.029 us 26.251 us 26.505 us]\n"                \
		"a/long/name\n                        time:   [1 s 1.5 s 2 s]\n"

static const struct weir_reader *const reader = &weir_reader_cargo_bench;

static void lines_of_both_programs_become_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA, profile);

	(void)state;
	reading_expects_figure(input->run, "tokens::long", 14310, false, "ns");
	reading_expects_figure(input->run, "tokens::short", 412, false, "ns");
	reading_expects_figure(input->run, "parse/small", 1683500, false, "ns");
	reading_expects_figure(input->run, "parse/a_name_that_leaves_no_room", 815020, false, "ns");
	assert_string_equal(weir_run_label(input->run, "tokens::long/spread_ns"), "215");
	assert_string_equal(weir_run_label(input->run, "parse/small/low_ns"), "1671200");
	assert_string_equal(weir_run_label(input->run, "parse/small/high_ns"), "1697100");
	assert_int_equal(input->run->metrics.count, 4);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	input = reading_of(reader, LINES, profile);
	reading_expects_figure(input->run, "fib 20", 26251.5, false, "ns");
	reading_expects_figure(input->run, "fib", 26251, false, "ns");
	reading_expects_figure(input->run, "a/long/name", 1.5e9, false, "ns");
	weir_profile_free(profile);
}

static void other_lines_are_passed_over(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		LIBTEST "test a ... ok\ntest b ... bench: x ns/iter (+/- 1)\n"
			"test c ... bench: 5 weeks/iter (+/- 1)\ntest d ... bench: 5 ns\n"
			"e   time:   [-1.0% +2.0% +3.0%]\nf   time:   [1 us 2 us 3 us\n"
			"g   time:   [1 us]\nh   time:   [0 ns 0 ns 0 ns]\n",
		profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 1);
	weir_profile_free(profile);
}

static void a_damaged_log_reads_or_is_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, LINES);
	reading_refuses(reader, LIBTEST LIBTEST, WEIR_E_FORMAT, "line 2: a second benchmark");
	reading_refuses(reader, "running 2 tests\n", WEIR_E_EMPTY, "no times");
	reading_refuses(reader, "   time:   [1 us 2 us 3 us]\n", WEIR_E_EMPTY, "no times");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_both_programs_become_figures),
		cmocka_unit_test(other_lines_are_passed_over),
		cmocka_unit_test(a_damaged_log_reads_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
