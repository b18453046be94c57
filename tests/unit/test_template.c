/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/model/feature.h"
#include "engine/model/template.h"
#include "tests/unit/rule_features.h"

static void assert_expands(const char *template, const double *values, const char *expected)
{
	struct weir_text text = {0};

	weir_text_puts(&text, "");
	weir_template_expand(template, &rule_features, values, &text);
	assert_string_equal(text.data ? text.data : "", expected);
	weir_text_release(&text);
}

static void assert_refused(const char *template, unsigned subjects, const char *reason)
{
	struct weir_error err = {0};

	assert_int_equal(weir_template_check(template, &rule_features, subjects, &err),
	                 WEIR_E_USAGE);
	if (!strstr(err.message, reason))
		fail_msg("\"%s\" says \"%s\", expected \"%s\" in it", template, err.message,
		         reason);
}

static void assert_accepted(const char *template, unsigned subjects)
{
	struct weir_error err = {0};

	if (weir_template_check(template, &rule_features, subjects, &err))
		fail_msg("\"%s\" is refused: %s", template, err.message);
}

static void a_figure_is_written_in_its_own_unit(void **state)
{
	double values[F_COUNT];

	(void)state;
	all_unknown(values);
	values[F_IDLE_HOST] = 0.864;
	values[F_KERNEL_P50] = 2600;
	values[F_KERNELS] = 7290.4;
	values[F_PEAK_BYTES] = 256.0 * 1024 * 1024;
	values[F_SPEEDUP] = 2.9;
	values[F_WORK] = 1.34e11;
	values[F_GRAPHED] = 1;
	assert_expands("waits {idle_host} of the time", values, "waits 86 % of the time");
	assert_expands("{kernel_p50_ns}, {kernels} kernels", values, "2.60 us, 7,290 kernels");
	assert_expands("{peak_bytes}", values, "256 MiB");
	assert_expands("{speedup}x", values, "2.90x");
	assert_expands("{work} {graphed}", values, "134 GFLOP yes");
}

static void a_named_format_wins_over_the_unit(void **state)
{
	double values[F_COUNT];

	(void)state;
	all_unknown(values);
	values[F_SPEEDUP] = 0.5;
	values[F_KERNELS] = 12.0;
	values[F_SHARE] = 0.5;
	assert_expands("{speedup:share} {kernels:ratio} {share:ratio}", values, "50 % 12.0 0.50");
	assert_expands("{kernels:duration}", values, "12 ns");
}

static void counts_out_of_range_do_not_overflow(void **state)
{
	double values[F_COUNT];

	(void)state;
	all_unknown(values);
	values[F_KERNELS] = -3;
	assert_expands("{kernels}", values, "-3");
	values[F_KERNELS] = 1e18;
	assert_expands("{kernels}", values, "1000000000000000000");
	values[F_KERNELS] = INFINITY;
	assert_expands("{kernels}", values, "?");
}

static void what_was_not_measured_is_a_question_mark(void **state)
{
	double values[F_COUNT];

	(void)state;
	all_unknown(values);
	assert_expands("waits {idle_host} of {kernels:count}", values, "waits ? of ?");
}

static void doubled_braces_are_braces(void **state)
{
	double values[F_COUNT];

	(void)state;
	all_unknown(values);
	values[F_KERNELS] = 3;
	assert_accepted("a {{set}} of {kernels}", WEIR_FOR_PROFILE);
	assert_expands("a {{set}} of {kernels}", values, "a {set} of 3");
}

static void quoted_text_expands_to_itself(void **state)
{
	static const char *const plain[] = {"{kernels}", "}{", "{{", "no braces", "", "end{"};
	double values[F_COUNT];

	(void)state;
	all_unknown(values);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		struct weir_text quoted = {0};
		weir_template_quote(plain[i], &quoted);
		assert_expands(quoted.data ? quoted.data : "", values, plain[i]);
		weir_text_release(&quoted);
	}
}

static void faults_are_refused_with_a_reason(void **state)
{
	(void)state;
	assert_refused("{gpu_activ}", WEIR_FOR_PROFILE, "the nearest is \"gpu_active\"");
	assert_refused("{share:percent}", WEIR_FOR_PROFILE, "formats are");
	assert_refused("{share:}", WEIR_FOR_PROFILE, "formats are");
	assert_refused("a { b", WEIR_FOR_PROFILE, "stray brace at character 3");
	assert_refused("{share", WEIR_FOR_PROFILE, "stray brace at character 1");
	assert_refused("share}", WEIR_FOR_PROFILE, "stray brace at character 6");
	assert_refused("{share{kernels}}", WEIR_FOR_PROFILE, "stray brace");
	assert_refused("{}", WEIR_FOR_PROFILE, "braces hold a feature");
	assert_refused("{:share}", WEIR_FOR_PROFILE, "braces hold a feature");
	assert_refused("{aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	               "aaaaaa}",
	               WEIR_FOR_PROFILE, "braces hold a feature");
}

static void a_figure_that_a_subject_lacks_is_refused(void **state)
{
	(void)state;
	assert_accepted("{gpu_active}", WEIR_FOR_PROFILE | WEIR_FOR_STAGE);
	assert_refused("{gpu_active}", WEIR_FOR_STAGE | WEIR_FOR_OPERATOR,
	               "not measured per operator");
	assert_refused("{peak_bytes}", WEIR_FOR_PROFILE | WEIR_FOR_STAGE, "not measured per stage");
}

static void an_unchecked_fault_is_written_as_it_stands(void **state)
{
	double values[F_COUNT];

	(void)state;
	all_unknown(values);
	assert_expands("{nope} { {share:x} }", values, "{nope} { {share:x} }");
}

static void features_are_found_by_their_whole_id(void **state)
{
	(void)state;
	assert_int_equal(weir_feature_find(&rule_features, "kernels_x", 7), F_KERNELS);
	assert_true(weir_feature_find(&rule_features, "kernel", 6) == WEIR_NO_FEATURE);
	assert_true(weir_feature_find(&rule_features, "kernelss", 8) == WEIR_NO_FEATURE);
	assert_true(weir_feature_find(&rule_features, "", 0) == WEIR_NO_FEATURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_figure_is_written_in_its_own_unit),
		cmocka_unit_test(a_named_format_wins_over_the_unit),
		cmocka_unit_test(counts_out_of_range_do_not_overflow),
		cmocka_unit_test(what_was_not_measured_is_a_question_mark),
		cmocka_unit_test(doubled_braces_are_braces),
		cmocka_unit_test(quoted_text_expands_to_itself),
		cmocka_unit_test(faults_are_refused_with_a_reason),
		cmocka_unit_test(a_figure_that_a_subject_lacks_is_refused),
		cmocka_unit_test(an_unchecked_fault_is_written_as_it_stands),
		cmocka_unit_test(features_are_found_by_their_whole_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
