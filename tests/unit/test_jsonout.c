/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "engine/base/jsonout.h"
#include "tests/unit/near.h"

static void write_sample(struct weir_text *text, bool pretty)
{
	struct weir_jsonout out;

	weir_jsonout_init(&out, text, pretty);
	weir_jsonout_begin_object(&out, NULL);
	weir_jsonout_text(&out, "schema", "weir.report/1");
	weir_jsonout_begin_object_inline(&out, "gpu");
	weir_jsonout_share(&out, "active", 0.125);
	weir_jsonout_begin_array(&out, "p");
	weir_jsonout_int(&out, NULL, 1);
	weir_jsonout_int(&out, NULL, 2);
	weir_jsonout_end(&out);
	weir_jsonout_end(&out);
	weir_jsonout_begin_array(&out, "stages");
	weir_jsonout_bool(&out, NULL, true);
	weir_jsonout_begin_object(&out, NULL);
	weir_jsonout_end(&out);
	weir_jsonout_end(&out);
	weir_jsonout_begin_array_inline(&out, "none");
	weir_jsonout_end(&out);
	weir_jsonout_text(&out, "cause", NULL);
	weir_jsonout_end(&out);
	assert_int_equal(out.depth, 0);
}

static void compact_and_pretty_say_the_same(void **state)
{
	struct weir_text compact = {0}, pretty = {0};
	cJSON *one = NULL, *other = NULL;

	(void)state;
	write_sample(&compact, false);
	write_sample(&pretty, true);
	assert_string_equal(compact.data,
	                    "{\"schema\":\"weir.report/1\",\"gpu\":{\"active\":0.125,\"p\":[1,2]},"
	                    "\"stages\":[true,{}],\"none\":[],\"cause\":null}");
	assert_string_equal(pretty.data, "{\n  \"schema\": \"weir.report/1\",\n"
	                                 "  \"gpu\": {\"active\": 0.125, \"p\": [1, 2]},\n"
	                                 "  \"stages\": [\n    true,\n    {}\n  ],\n"
	                                 "  \"none\": [],\n  \"cause\": null\n}");
	assert_int_equal(weir_json_parse(compact.data, compact.length, &one, NULL), WEIR_OK);
	assert_int_equal(weir_json_parse(pretty.data, pretty.length, &other, NULL), WEIR_OK);
	assert_true(cJSON_Compare(one, other, true));
	cJSON_Delete(one);
	cJSON_Delete(other);
	weir_text_release(&compact);
	weir_text_release(&pretty);
}

typedef void (*put_double)(struct weir_jsonout *, const char *, double);

static struct weir_text written(put_double put, double value)
{
	struct weir_text text = {0};
	struct weir_jsonout out;

	weir_jsonout_init(&out, &text, false);
	put(&out, NULL, value);
	return text;
}

static void assert_written(put_double put, double value, const char *expected)
{
	struct weir_text text = written(put, value);

	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void doubles_read_back_equal(void **state)
{
	uint64_t seed = 99;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t bits = next_number(&seed);
		struct weir_text text;
		double value;

		memcpy(&value, &bits, sizeof(value)); /* every exponent, subnormal numbers too */
		if (i % 2)
			value = (double)(bits >> 40) / 1000;
		if (!isfinite(value))
			continue;
		text = written(weir_jsonout_double, value);
		assert_true(strtod(text.data, NULL) == value);
		weir_text_release(&text);
	}
}

static void doubles_are_as_short_as_they_can_be(void **state)
{
	(void)state;
	assert_written(weir_jsonout_double, 0.1, "0.1");
	assert_written(weir_jsonout_double, 0.1 + 0.2, "0.30000000000000004");
	assert_written(weir_jsonout_double, 1.0 / 3, "0.3333333333333333");
	assert_written(weir_jsonout_double, 100, "100");
	assert_written(weir_jsonout_double, 1e300, "1e+300");
	assert_written(weir_jsonout_double, 5e-324, "5e-324");
	assert_written(weir_jsonout_double, DBL_MAX, "1.7976931348623157e+308");
	assert_written(weir_jsonout_double, NAN, "null");
	assert_written(weir_jsonout_double, -INFINITY, "null");
}

static void shares_have_six_decimals_at_most(void **state)
{
	(void)state;
	assert_written(weir_jsonout_share, 0.8640004, "0.864");
	assert_written(weir_jsonout_share, 1.0 / 3, "0.333333");
	assert_written(weir_jsonout_share, 0, "0");
	assert_written(weir_jsonout_share, 1, "1");
	assert_written(weir_jsonout_share, 10, "10");
	assert_written(weir_jsonout_share, -0.0000001, "0");
	assert_written(weir_jsonout_share, -0.25, "-0.25");
	assert_written(weir_jsonout_share, NAN, "null");
}

static void rounded_values_are_integers(void **state)
{
	(void)state;
	assert_written(weir_jsonout_rounded, 1712195495519.5, "1712195495520");
	assert_written(weir_jsonout_rounded, 2.4, "2");
	assert_written(weir_jsonout_rounded, -0.2, "0");
	assert_written(weir_jsonout_rounded, 1e18, "1000000000000000000");
	assert_written(weir_jsonout_rounded, NAN, "null");
}

static void assert_quoted(const char *value, const char *expected)
{
	struct weir_text text = {0};
	struct weir_jsonout out;

	weir_jsonout_init(&out, &text, false);
	weir_jsonout_text(&out, NULL, value);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void texts_are_escaped(void **state)
{
	(void)state;
	assert_quoted("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
	assert_quoted("##[group]a##vso[b", "\"\\u0023#[group]a\\u0023#vso[b\"");
	assert_quoted("#a ##b", "\"#a ##b\"");
	assert_quoted("\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"");
	assert_quoted("", "\"\"");
}

#define BAD "\xef\xbf\xbd"

static void invalid_utf8_is_replaced_byte_by_byte(void **state)
{
	(void)state;
	assert_quoted("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
	              "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
	assert_quoted("a\xff"
	              "b",
	              "\"a" BAD "b\"");
	assert_quoted("\xc3", "\"" BAD "\"");                         /* cut */
	assert_quoted("\xe2\x82", "\"" BAD BAD "\"");                 /* cut */
	assert_quoted("\xc0\xaf", "\"" BAD BAD "\"");                 /* too long a form */
	assert_quoted("\xe0\x80\xaf", "\"" BAD BAD BAD "\"");         /* too long a form */
	assert_quoted("\xf0\x80\x80\xaf", "\"" BAD BAD BAD BAD "\""); /* too long a form */
	assert_quoted("\xed\xa0\x80", "\"" BAD BAD BAD "\"");         /* a surrogate */
	assert_quoted("\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\""); /* above U+10FFFF */
	assert_quoted("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
	              "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"");
	assert_quoted("\xc3\"", "\"" BAD "\\\"\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compact_and_pretty_say_the_same),
		cmocka_unit_test(doubles_read_back_equal),
		cmocka_unit_test(doubles_are_as_short_as_they_can_be),
		cmocka_unit_test(shares_have_six_decimals_at_most),
		cmocka_unit_test(rounded_values_are_integers),
		cmocka_unit_test(texts_are_escaped),
		cmocka_unit_test(invalid_utf8_is_replaced_byte_by_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
