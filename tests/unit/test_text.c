/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/slice.h"
#include "engine/base/text.h"
#include "tests/unit/near.h"
#include "tests/unit/shelf.h"

static void a_size_has_a_unit(void **state)
{
	static const char *const bad[] = {"",       "60",   "B",     "0GB",  "0.4B",
	                                  "1.5MBB", "-1GB", "9e9TB", "1 MB "};
	uint64_t bytes = 0;

	(void)state;
	assert_true(weir_parse_bytes("500MB", &bytes) && bytes == 500000000);
	assert_true(weir_parse_bytes("1.5 GiB", &bytes) && bytes == 1610612736);
	assert_true(weir_parse_bytes("9007TB", &bytes) && bytes == UINT64_C(9007000000000000));
	assert_false(weir_parse_bytes("9008TB", &bytes)); /* beyond 2^53 */
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(weir_parse_bytes(bad[i], &bytes));
}

static void a_url_gets_every_other_byte_as_percent(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_percent(&text, "az AZ/09%\xc3\xa4~", "-._~");
	assert_string_equal(text.data, "az%20AZ%2F09%25%C3%A4~");
	weir_text_clear(&text);
	weir_text_percent(&text, "/tmp/a,b", "/,");
	assert_string_equal(text.data, "/tmp/a,b");
	weir_text_release(&text);
}

static void a_text_grows_and_clears(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_clear(&text);
	weir_text_puts(&text, "idle");
	weir_text_add(&text, ", by cause and more", 10);
	weir_text_repeat(&text, "=-", 3);
	weir_text_printf(&text, "%d|%.2f", 7, 2.5);
	assert_string_equal(text.data, "idle, by cause=-=-=-7|2.50");
	assert_int_equal(text.length, strlen(text.data));
	weir_text_clear(&text);
	assert_int_equal(text.length, 0);
	weir_text_printf(&text, "%*s", 5000, "x");
	assert_int_equal(text.length, 5000);
	assert_int_equal(text.data[4999], 'x');
	weir_text_release(&text);
	assert_null(text.data);
}

static void assert_us(const char *text, bool valid, int64_t expected)
{
	int64_t ns = 77;
	bool is = weir_parse_us_as_ns(text, strlen(text), &ns);

	if (is != valid || ns != (valid ? expected : 77)) {
		fail_msg("\"%s\" gives %s %" PRId64 ", expected %s %" PRId64, text,
		         is ? "true" : "false", ns, valid ? "true" : "false",
		         valid ? expected : 77);
	}
}

static void microseconds_become_exact_nanoseconds(void **state)
{
	(void)state;
	assert_us("1712195495519689.047", true, 1712195495519689047);
	assert_us("1712195495519689", true, 1712195495519689000);
	assert_us("0", true, 0);
	assert_us("-0", true, 0);
	assert_us("12.5", true, 12500);
	assert_us("+3", true, 3000);
	assert_us(".5", true, 500);
	assert_us("5.", true, 5000);
	assert_us("-7.25", true, -7250);
	assert_us("1.0004", true, 1000);
	assert_us("1.0005", true, 1001);
	assert_us("1.00049999999999999999999", true, 1000);
	assert_us("-1.0005", true, -1001);
	assert_us("0.9999", true, 1000);
	assert_us("1e3", true, 1000000);
	assert_us("1.5E+2", true, 150000);
	assert_us("1712195495519689047e-3", true, 1712195495519689047);
	assert_us("4e-4", true, 0);
	assert_us("5e-4", true, 1);
	assert_us("9e-5", true, 0);
	assert_us("0e999999999999999999999999", true, 0);
	assert_us("1e-999999999999999999999999", true, 0);
	assert_us("000000000000000000000000000001", true, 1000);
	assert_us("9223372036854775.807", true, INT64_MAX);
	assert_us("-9223372036854775.808", true, INT64_MIN);
}

static void what_is_no_number_or_too_large_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		".",
		"-",
		"+",
		"e5",
		"1e",
		"1e+",
		"1.5.2",
		" 1",
		"1 ",
		"1,5",
		"0x10",
		"NaN",
		"inf",
		"--1",
		"+-1",
		"1e5.0",
		"1.2e",
		"1.2x",
		"12a",
		"a12",
		"1.-2",
		"1.2345a",
		"\"1\"",
		"1_0",
		"N/A",
		"1e1e1",
		"1.12a",
		"1.a",
		"1e19",
		"1e999999",
		"9223372036854775.808",
		"-9223372036854775.809",
		"9223372036854775.8075",
		"99999999999999999999999999",
		"9223372036854776",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_us(bad[i], false, 0);
	assert_false(weir_parse_us_as_ns("12\0003", 4, &(int64_t){0}));
}

static void seconds_become_exact_nanoseconds(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {{"0.0123", 12300000},
	             {"4.2e-05", 42000},
	             {"1712195495", INT64_C(1712195495000000000)},
	             {"0.0000000005", 1},
	             {"0.00000000049", 0},
	             {"-1.5", -1500000000},
	             {"0", 0}};
	static const char *const bad[] = {"", "NaN", "1 ", "1e10", "9223372037", "0x1"};
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(weir_parse_s_as_ns(cases[i].text, strlen(cases[i].text), &ns));
		assert_int_equal(ns, cases[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(weir_parse_s_as_ns(bad[i], strlen(bad[i]), &ns));
}

/* Writes `ns` as microseconds with the point moved by `shift` places and an exponent that moves it
 * back. */
static void write_shifted(char *out, size_t size, uint64_t ns, int shift, const char *below)
{
	char digits[128];
	int len = snprintf(digits, sizeof(digits), "%0*" PRIu64, 40, ns);
	int point = len - 3 + shift; /* digits before the point */

	snprintf(out, size, "%.*s.%s%se%d", point, digits, digits + point, below, -shift);
}

/* The text is made from the answer, so that no second parser is needed. */
static void any_spelling_of_a_time_reads_back(void **state)
{
	uint64_t seed = 20240404;
	char text[256];

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t ns = next_number(&seed) >> (1 + next_number(&seed) % 63);
		unsigned below = (unsigned)(next_number(&seed) % 1000);
		int shift = (int)(next_number(&seed) % 40) - 36; /* point within the 40 digits */
		char more[16];

		if (ns > INT64_MAX - 1)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
		assert_us(text, true, (int64_t)ns);
		snprintf(text, sizeof(text), "-%" PRIu64 ".%03" PRIu64 "%03u", ns / 1000, ns % 1000,
		         below);
		assert_us(text, true, -(int64_t)(ns + (below >= 500)));
		snprintf(more, sizeof(more), "%03u", below);
		write_shifted(text, sizeof(text), ns, shift, more);
		assert_us(text, true, (int64_t)(ns + (below >= 500)));
	}
}

static void integers_are_parsed_whole_or_not_at_all(void **state)
{
	static const char *const bad[] = {"",    "-",   "1.0", "1e3", "1 ",
	                                  "0x1", "1.",  ".1",  "abc", "9223372036854775808",
	                                  "--1", "1\n", "+",   "- 1", "-9223372036854775809"};
	int64_t value = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(weir_parse_i64(bad[i], strlen(bad[i]), &value));
	assert_true(weir_parse_i64("9223372036854775807", 19, &value));
	assert_true(value == INT64_MAX);
	assert_true(weir_parse_i64("-9223372036854775808", 20, &value));
	assert_true(value == INT64_MIN);
	assert_true(weir_parse_i64("-0", 2, &value));
	assert_int_equal(value, 0);
	assert_true(weir_parse_i64("1234", 2, &value)); /* the length decides */
	assert_int_equal(value, 12);
}

static void doubles_equal_those_of_strtod(void **state)
{
	uint64_t seed = 7;
	char text[128];

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t digits = next_number(&seed) >> next_number(&seed) % 64;
		int exponent = (int)(next_number(&seed) % 640) - 330;
		uint64_t tail = next_number(&seed) % 1000000;
		double value = 0;

		if (i % 2)
			snprintf(text, sizeof(text), "-%" PRIu64 ".%" PRIu64, digits >> 20, tail);
		else
			snprintf(text, sizeof(text), "%" PRIu64 ".%" PRIu64 "e%d", digits, tail,
			         exponent);
		if (isinf(strtod(text, NULL))) {
			assert_false(weir_parse_double(text, strlen(text), &value));
			continue;
		}
		assert_true(weir_parse_double(text, strlen(text), &value));
		assert_true(value == strtod(text, NULL));
	}
}

static void doubles_are_parsed_whole_or_not_at_all(void **state)
{
	static const char *const bad[] = {"",   "nan",   "inf", "-inf", "infinity", "0x1p3", " 1",
	                                  "1 ", "1.2.3", "1e",  ".",    "1,5",      "1e400", "1d3"};
	double value = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(weir_parse_double(bad[i], strlen(bad[i]), &value));
	assert_true(weir_parse_double("1e-400", 6, &value));
	assert_true(value == 0);
	assert_true(weir_parse_double("-0.0", 4, &value));
	assert_true(value == 0 && signbit(value));
	assert_true(weir_parse_double("0.864x", 5, &value));
	assert_true(value == 0.864);
}

/* Needs an installed locale with a decimal comma; numbers must not depend on it. */
static void a_decimal_comma_changes_nothing(void **state)
{
	locale_t comma = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
	struct weir_text text = {0};
	locale_t before;
	double value = 0;

	(void)state;
	if (!comma)
		shelf_skip("no locale de_DE.UTF-8");
	before = uselocale(comma);
	assert_true(weir_parse_double("1.25e10", 7, &value));
	weir_text_printf(&text, "%.2f", value / 1e10);
	uselocale(before);
	freelocale(comma);
	assert_string_equal(text.data, "1.25");
	weir_text_release(&text);
}

typedef void (*add_number)(struct weir_text *, double);

static void assert_reads(add_number add, double value, const char *expected)
{
	struct weir_text text = {0};

	add(&text, value);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void durations_have_three_digits_in_the_unit_people_use(void **state)
{
	(void)state;
	assert_reads(weir_text_duration, 3350000, "3.35 ms");
	assert_reads(weir_text_duration, 11200, "11.2 us");
	assert_reads(weir_text_duration, 412, "412 ns");
	assert_reads(weir_text_duration, 1.29e9, "1.29 s");
	assert_reads(weir_text_duration, 0, "0 ns");
	assert_reads(weir_text_duration, 7, "7 ns");
	assert_reads(weir_text_duration, 7.5, "7.50 ns");
	assert_reads(weir_text_duration, 999.4, "999 ns");
	assert_reads(weir_text_duration, 999.6, "1.00 us");
	assert_reads(weir_text_duration, 9994, "9.99 us");
	assert_reads(weir_text_duration, 9996, "10.0 us");
	assert_reads(weir_text_duration, 99960, "100 us");
	assert_reads(weir_text_duration, 999600, "1.00 ms");
	assert_reads(weir_text_duration, 102e6, "102 ms");
	assert_reads(weir_text_duration, 90e9, "90.0 s");
	assert_reads(weir_text_duration, 1290e9, "21.5 min");
	assert_reads(weir_text_duration, 36000e9, "10.0 h");
	assert_reads(weir_text_duration, -3350000, "-3.35 ms");
	assert_reads(weir_text_duration, NAN, "-");
	assert_reads(weir_text_duration, INFINITY, "-");
}

static void shares_have_the_digits_that_mean_something(void **state)
{
	(void)state;
	assert_reads(weir_text_share, 0.864, "86 %");
	assert_reads(weir_text_share, 0.004, "0.4 %");
	assert_reads(weir_text_share, 0.0096, "1 %");
	assert_reads(weir_text_share, 0.0001, "<0.1 %");
	assert_reads(weir_text_share, 0, "0 %");
	assert_reads(weir_text_share, 1, "100 %");
	assert_reads(weir_text_share, -0.05, "-5 %");
	assert_reads(weir_text_part, 0.864, "86 %");
	assert_reads(weir_text_part, 0.994, "99 %");
	assert_reads(weir_text_part, 0.995, "nearly all");
	assert_reads(weir_text_part, 1, "all");
	assert_reads(weir_text_part, NAN, "-");
	assert_reads(weir_text_rounded, 86.54, "86.5");
	assert_reads(weir_text_rounded, 999.4, "999");
	assert_reads(weir_text_rounded, 999.5, "1,000");
	assert_reads(weir_text_rounded, 12412.4, "12,412");
	assert_reads(weir_text_rounded, 0.0512, "0.0512");
	assert_reads(weir_text_rounded, -7, "-7");
	assert_reads(weir_text_rounded, 2e15, "2e+15");
	assert_reads(weir_text_rounded, NAN, "-");
	assert_reads(weir_text_share, NAN, "-");
}

static void bytes_are_in_binary_units(void **state)
{
	(void)state;
	assert_reads(weir_text_bytes, 268435456, "256 MiB");
	assert_reads(weir_text_bytes, 1536, "1.50 KiB");
	assert_reads(weir_text_bytes, 0, "0 B");
	assert_reads(weir_text_bytes, 1023, "1023 B");
	assert_reads(weir_text_bytes, 1024, "1 KiB");
	assert_reads(weir_text_bytes, 150754820096.0, "140 GiB");
	assert_reads(weir_text_bytes, NAN, "-");
}

static void counts_are_grouped_by_thousands(void **state)
{
	static const struct {
		uint64_t count;
		const char *expected;
	} cases[] = {{0, "0"},
	             {999, "999"},
	             {7290, "7,290"},
	             {1000000, "1,000,000"},
	             {UINT64_MAX, "18,446,744,073,709,551,615"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_text text = {0};

		weir_text_count(&text, cases[i].count);
		assert_string_equal(text.data, cases[i].expected);
		weir_text_release(&text);
	}
}

static void columns_count_characters(void **state)
{
	(void)state;
	assert_int_equal(weir_text_columns(""), 0);
	assert_int_equal(weir_text_columns("stage"), 5);
	assert_int_equal(weir_text_columns("\xe2\x96\x88\xe2\x96\x88 \xc2\xb7"), 4);
}

static void wide_characters_take_two_columns_and_marks_none(void **state)
{
	(void)state;
	assert_int_equal(weir_text_columns("解碼"), 4);
	assert_int_equal(weir_text_columns("디코드"), 6);
	assert_int_equal(weir_text_columns("デコード"), 8);
	assert_int_equal(weir_text_columns("ﾃﾞｺｰﾄﾞ"), 6); /* halfwidth */
	assert_int_equal(weir_text_columns("ＡＢ"), 4);   /* fullwidth */
	assert_int_equal(weir_text_columns("e\xcc\x81"), 1);
	assert_int_equal(weir_text_columns("🚀"), 2);
	assert_int_equal(weir_text_columns("𠀀"), 2);
	assert_int_equal(weir_text_columns("│·█"), 3);
	assert_int_equal(weir_text_columns("\xff\x80z"), 3);
	assert_int_equal(weir_text_columns_in("解碼", 3), 2);
}

static void prefixes_and_suffixes_end_between_characters(void **state)
{
	(void)state;
	assert_int_equal(weir_text_prefix("解碼器", 4), 6);
	assert_int_equal(weir_text_prefix("解碼器", 5), 6);
	assert_int_equal(weir_text_prefix("解碼器", 1), 0);
	assert_int_equal(weir_text_prefix("e\xcc\x81x", 1), 3);
	assert_int_equal(weir_text_prefix("ab", 9), 2);
	assert_int_equal(weir_text_suffix("解碼器", 2), 6);
	assert_int_equal(weir_text_suffix("解碼器", 3), 6);
	assert_int_equal(weir_text_suffix("解碼器", 9), 0);
	assert_int_equal(weir_text_suffix("xe\xcc\x81", 0), 4);
}

/* The definition, without a table: slow and short. */
static size_t slow_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t best, other;

	if (a_len == 0 || b_len == 0)
		return a_len + b_len;
	best = slow_distance(a, a_len - 1, b, b_len - 1) + (a[a_len - 1] != b[b_len - 1]);
	other = slow_distance(a, a_len - 1, b, b_len) + 1;
	best = other < best ? other : best;
	other = slow_distance(a, a_len, b, b_len - 1) + 1;
	best = other < best ? other : best;
	if (a_len > 1 && b_len > 1 && a[a_len - 1] == b[b_len - 2] &&
	    a[a_len - 2] == b[b_len - 1]) {
		other = slow_distance(a, a_len - 2, b, b_len - 2) + 1;
		best = other < best ? other : best;
	}
	return best;
}

static void distance_is_the_smallest_number_of_edits(void **state)
{
	uint64_t seed = 3;

	(void)state;
	assert_int_equal(weir_text_distance("classify", "classify"), 0);
	assert_int_equal(weir_text_distance("clasify", "classify"), 1);
	assert_int_equal(weir_text_distance("calssify", "classify"), 1);
	assert_int_equal(weir_text_distance("", "gate"), 4);
	for (int i = 0; i < 2000; i++) {
		char a[8] = "", b[8] = "";

		for (size_t j = 0; j < 6; j++) {
			a[j] = "abc\0"[next_number(&seed) % 4];
			b[j] = "abc\0"[next_number(&seed) % 4];
		}
		assert_int_equal(weir_text_distance(a, b),
		                 slow_distance(a, strlen(a), b, strlen(b)));
	}
}

static void nearest_suggests_only_what_is_near(void **state)
{
	static const char *const commands[] = {"classify", "compare", "convert", "gate", NULL};
	static const char *const none[] = {NULL};

	(void)state;
	assert_string_equal(weir_text_nearest("clasify", commands), "classify");
	assert_string_equal(weir_text_nearest("gaet", commands), "gate");
	assert_string_equal(weir_text_nearest("compre", commands), "compare");
	assert_null(weir_text_nearest("benchmark", commands));
	assert_null(weir_text_nearest("", commands));
	assert_null(weir_text_nearest("gate", none));
}

static void a_slice_loses_the_blanks_at_its_ends(void **state)
{
	(void)state;
	assert_true(weir_slice_equals(weir_slice_trim(weir_slice_of(" \ta b\t\r")), "a b"));
	assert_true(weir_slice_equals(weir_slice_trim(weir_slice_of("a")), "a"));
	assert_int_equal(weir_slice_trim(weir_slice_of(" \t\r")).length, 0);
	assert_int_equal(weir_slice_trim((struct weir_slice){"\0", 1}).length, 1); /* no blank */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slice_loses_the_blanks_at_its_ends),
		cmocka_unit_test(a_size_has_a_unit),
		cmocka_unit_test(a_url_gets_every_other_byte_as_percent),
		cmocka_unit_test(a_text_grows_and_clears),
		cmocka_unit_test(microseconds_become_exact_nanoseconds),
		cmocka_unit_test(seconds_become_exact_nanoseconds),
		cmocka_unit_test(what_is_no_number_or_too_large_is_refused),
		cmocka_unit_test(any_spelling_of_a_time_reads_back),
		cmocka_unit_test(integers_are_parsed_whole_or_not_at_all),
		cmocka_unit_test(doubles_equal_those_of_strtod),
		cmocka_unit_test(doubles_are_parsed_whole_or_not_at_all),
		cmocka_unit_test(a_decimal_comma_changes_nothing),
		cmocka_unit_test(durations_have_three_digits_in_the_unit_people_use),
		cmocka_unit_test(shares_have_the_digits_that_mean_something),
		cmocka_unit_test(bytes_are_in_binary_units),
		cmocka_unit_test(counts_are_grouped_by_thousands),
		cmocka_unit_test(columns_count_characters),
		cmocka_unit_test(wide_characters_take_two_columns_and_marks_none),
		cmocka_unit_test(prefixes_and_suffixes_end_between_characters),
		cmocka_unit_test(distance_is_the_smallest_number_of_edits),
		cmocka_unit_test(nearest_suggests_only_what_is_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
