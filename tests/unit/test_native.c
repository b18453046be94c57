/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"

#define HEAD "{\"schema\": \"weir.run/1\", \"unit\": \"ms\", "

static enum weir_status read_text(const char *text, struct weir_profile *profile,
                                  struct weir_error *err)
{
	struct weir_input *input = weir_profile_add_input(profile, "test");
	const struct weir_reader *reader;
	struct weir_source *source;
	enum weir_status status;

	assert_int_equal(weir_source_open_memory("test", text, strlen(text), &source, err),
	                 WEIR_OK);
	status = weir_reader_choose(source, &reader, err);
	if (!status) {
		assert_ptr_equal(reader, &weir_reader_native);
		status = reader->read(source, input, err);
	}
	weir_source_free(source);
	return status;
}

static void expect_refused(const char *text, enum weir_status status, const char *message)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	assert_int_equal(read_text(text, profile, &err), status);
	if (!strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
	weir_profile_free(profile);
}

static void the_documented_example_is_read(void **state)
{
	static const char text[] =
		"{ \"schema\": \"weir.run/1\", \"unit\": \"ms\", \"labels\": { \"gpu\": "
		"\"Example\", \"torch\": \"2.11.0\" },"
		"  \"stages\": { \"prefill\": [3.41, 3.38], \"decode\": [0.57, 0.57] },"
		"  \"device\": { \"decode\": [0.55, 0.55] },"
		"  \"operators\": { \"decode/aten::mm\": [0.081, 0.080] },"
		"  \"calls\": { \"decode/aten::mm\": [112, 112] },"
		"  \"metrics\": { \"tokens_per_s\": { \"values\": [1743.0], \"better\": "
		"\"higher\", \"unit\": \"1/s\" },"
		"               \"peak_memory\": { \"values\": [61.2], \"better\": \"lower\", "
		"\"unit\": \"GB\" } } }";
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	const struct weir_series *series;
	const struct weir_run *run;

	(void)state;
	if (read_text(text, profile, &err))
		fail_msg("%s", err.message);
	run = profile->inputs[0].run;
	series = weir_series_find(&run->stages, "prefill");
	assert_int_equal(series->count, 2);
	assert_true(series->value[0] > 3409999.9 && series->value[0] < 3410000.1);
	assert_true(weir_series_find(&run->calls, "decode/aten::mm")->value[1] == 112);
	assert_true(weir_series_find(&run->device, "decode")->count == 2);
	assert_true(weir_series_find(&run->operators, "decode/aten::mm")->value[0] > 80999);
	series = weir_series_find(&run->metrics, "tokens_per_s");
	assert_true(series->higher_is_better);
	assert_true(series->value[0] == 1743.0);
	assert_string_equal(series->unit, "1/s");
	assert_false(weir_series_find(&run->metrics, "peak_memory")->higher_is_better);
	assert_string_equal(weir_run_label(run, "torch"), "2.11.0");
	assert_int_equal(profile->inputs[0].events, 4);
	weir_profile_free(profile);
}

static void every_unit_becomes_nanoseconds(void **state)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 2}, {"us", 2e3}, {"ms", 2e6}, {"s", 2e9}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};

		weir_text_printf(
			&text,
			"{\"schema\": \"weir.run/1\", \"unit\": \"%s\", \"stages\": {\"a\": [2]}}",
			units[i].unit);
		assert_int_equal(read_text(text.data, profile, NULL), WEIR_OK);
		assert_true(profile->inputs[0].run->stages.items[0].value[0] == units[i].ns);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void malformed_durations_are_errors(void **state)
{
	(void)state;
	expect_refused(HEAD "\"stages\": {\"a\": [0, -1]}}", WEIR_E_FORMAT,
	               "stages.a: [1]: expected times of at least 0");
	expect_refused(HEAD "\"stages\": {\"a\": [1e999]}}", WEIR_E_FORMAT, "stages.a");
	expect_refused(HEAD "\"stages\": {\"a\": [1e308]}}", WEIR_E_FORMAT, "stages.a: [0]");
	expect_refused(HEAD "\"stages\": {\"a\": [null]}}", WEIR_E_FORMAT, "stages.a: [0]");
	expect_refused(HEAD "\"stages\": {\"a\": [\"1\"]}}", WEIR_E_FORMAT, "stages.a: [0]");
	expect_refused(HEAD "\"stages\": {\"a\": 1}}", WEIR_E_FORMAT, "stages.a: expected a list");
	expect_refused(HEAD "\"stages\": {\"a\": [NaN]}}", WEIR_E_FORMAT, "");
}

static void a_count_of_calls_may_be_zero(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	assert_int_equal(read_text(HEAD "\"stages\": {\"a\": [1]}, \"calls\": {\"a/b\": [0]}}",
	                           profile, NULL),
	                 WEIR_OK);
	weir_profile_free(profile);
}

static void a_run_without_stages_is_empty(void **state)
{
	(void)state;
	expect_refused(HEAD "\"labels\": {}}", WEIR_E_EMPTY, "stages");
	expect_refused(HEAD "\"stages\": {}}", WEIR_E_EMPTY, "stages");
	expect_refused(HEAD "\"stages\": {\"a\": []}}", WEIR_E_EMPTY, "stages.a: no values");
}

static void a_run_may_have_only_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	assert_int_equal(read_text(HEAD "\"metrics\": {\"a\": {\"values\": [1], \"better\": "
	                                "\"lower\"}}}",
	                           profile, NULL),
	                 WEIR_OK);
	assert_int_equal(profile->inputs[0].run->metrics.count, 1);
	weir_profile_free(profile);
}

static void operators_alone_are_a_run(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(read_text(HEAD "\"stages\": {}, \"operators\": {\"kernels/gemm\": [1]}}",
	                           profile, &err),
	                 WEIR_OK);
	assert_int_equal(profile->inputs[0].run->operators.count, 1);
	weir_profile_free(profile);
	expect_refused(HEAD "\"stages\": {}, \"calls\": {\"kernels/gemm\": [1]}}", WEIR_E_EMPTY,
	               "stages: missing or empty");
}

static void unknown_keys_are_refused_by_name(void **state)
{
	(void)state;
	expect_refused(HEAD "\"stage\": {\"a\": [1]}}", WEIR_E_FORMAT, "stage");
	expect_refused("{\"schema\": \"weir.run/1\", \"unit\": \"min\", \"stages\": {\"a\": [1]}}",
	               WEIR_E_FORMAT,
	               "unit: expected \"ns\", \"us\", \"ms\" or \"s\", not \"min\"");
	expect_refused("{\"schema\": \"weir.run/1\", \"stages\": {\"a\": [1]}}", WEIR_E_FORMAT,
	               "unit: missing");
	expect_refused(HEAD "\"stages\": {\"a\": [1]}, \"metrics\": {\"m\": {\"values\": [1], "
	                    "\"better\": \"more\"}}}",
	               WEIR_E_FORMAT, "metrics.m: better: expected \"higher\" or \"lower\"");
	expect_refused(HEAD "\"stages\": {\"a\": [1], \"a\": [2]}}", WEIR_E_FORMAT, "stages.a");
	expect_refused(HEAD "\"stages\": {\"a\": [1]}, \"labels\": {\"x\": 1}}", WEIR_E_FORMAT,
	               "labels.x: expected text");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_documented_example_is_read),
		cmocka_unit_test(every_unit_becomes_nanoseconds),
		cmocka_unit_test(malformed_durations_are_errors),
		cmocka_unit_test(a_count_of_calls_may_be_zero),
		cmocka_unit_test(a_run_without_stages_is_empty),
		cmocka_unit_test(a_run_may_have_only_figures),
		cmocka_unit_test(operators_alone_are_a_run),
		cmocka_unit_test(unknown_keys_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
