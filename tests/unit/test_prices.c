/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define HEADER "instance_type,gpus,price_per_hour,currency\n"

static void expect_refused(const char *text, enum weir_status status, const char *message)
{
	reading_refuses(&weir_reader_prices, text, status, message);
}

static void prices_are_read_by_the_names_of_their_columns(void **state)
{
	static const char text[] = "currency,price_per_hour,gpus,instance_type,note\r\n"
				   "USD,98.32,8,p5.48xlarge,on demand\r\n"
				   "EUR,0.8048,1,g6.xlarge,\r\n";
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	const struct weir_billing *billing;

	(void)state;
	assert_int_equal(reading_try(&weir_reader_prices, text, strlen(text), profile, &err),
	                 WEIR_OK);
	billing = profile->inputs[0].billing;
	assert_int_equal(billing->price_count, 2);
	assert_int_equal(profile->inputs[0].events, 2);
	assert_string_equal(weir_names_text(billing->names, billing->prices[0].instance_type),
	                    "p5.48xlarge");
	assert_string_equal(weir_names_text(billing->names, billing->prices[1].currency), "EUR");
	assert_near(billing->prices[0].gpus, 8, 0);
	assert_near(billing->prices[0].per_hour, 98.32, 0);
	weir_profile_free(profile);
}

static void malformed_prices_are_refused_with_their_place(void **state)
{
	(void)state;
	expect_refused(HEADER "a,8,$3,USD\n", WEIR_E_FORMAT,
	               "line 2, column price_per_hour: \"$3\"");
	expect_refused(HEADER "a,8,0,USD\n", WEIR_E_FORMAT,
	               "price_per_hour: \"0\", expected a price");
	expect_refused(HEADER "a,8,-1,USD\n", WEIR_E_FORMAT, "price_per_hour: \"-1\"");
	expect_refused(HEADER "a,8,,USD\n", WEIR_E_FORMAT, "price_per_hour: empty, expected");
	expect_refused(HEADER "a,0,1,USD\n", WEIR_E_FORMAT, "line 2, column gpus: \"0\"");
	expect_refused(HEADER "a,0.5,1,USD\n", WEIR_E_FORMAT, "line 2, column gpus: \"0.5\"");
	expect_refused(HEADER "a,,1,USD\n", WEIR_E_FORMAT, "line 2, column gpus: empty");
	expect_refused(HEADER "a,9999999,1,USD\n", WEIR_E_FORMAT, "line 2, column gpus");
	expect_refused(HEADER "a,8,1,\n", WEIR_E_FORMAT, "line 2, column currency: empty");
	expect_refused(HEADER ",8,1,USD\n", WEIR_E_FORMAT, "line 2, column instance_type: empty");
	expect_refused(HEADER "a,8,1,USD\nb,8,1,USD\na,4,1,USD\n", WEIR_E_FORMAT,
	               "line 4, column instance_type: \"a\", expected one row per instance");
	expect_refused(HEADER "a,8,1\n", WEIR_E_FORMAT, "line 2: 3 cells");
	expect_refused(HEADER, WEIR_E_EMPTY, "no prices");
	expect_refused("instance_type,price_per_hour\n", WEIR_E_FORMAT, "no column gpus");
}

static void too_many_prices_meet_a_limit(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, HEADER);
	for (unsigned i = 0; i <= WEIR_MAX_PRICES; i++)
		weir_text_printf(&text, "type-%u,1,1.5,USD\n", i);
	expect_refused(text.data, WEIR_E_LIMIT, "more than 4096 prices");
	weir_text_release(&text);
}

static void a_file_cut_short_at_any_byte_reads_or_is_refused(void **state)
{
	static const char text[] = HEADER "p5.48xlarge,8,98.32,USD\ng6.xlarge,1,0.8048,USD\n";

	(void)state;
	reading_survives_damage(&weir_reader_prices, text);
}

static void lists_are_known_by_their_header(void **state)
{
	static const struct {
		const char *text;
		int bits;
	} heads[] = {
		{HEADER, 8 * (13 + 4 + 14 + 8)},
		{"\"price_per_hour\",\"instance_type\"\r\n", 8 * (14 + 13)},
		{"instance_type,gpus,currency\n", 0},
		{"instance_types,price_per_hour\n", 0},
		{"x\n" HEADER, 0},
		{"", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		assert_int_equal(weir_sniff_reader(&weir_reader_prices, heads[i].text,
		                                   strlen(heads[i].text)),
		                 heads[i].bits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prices_are_read_by_the_names_of_their_columns),
		cmocka_unit_test(malformed_prices_are_refused_with_their_place),
		cmocka_unit_test(too_many_prices_meet_a_limit),
		cmocka_unit_test(a_file_cut_short_at_any_byte_reads_or_is_refused),
		cmocka_unit_test(lists_are_known_by_their_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
