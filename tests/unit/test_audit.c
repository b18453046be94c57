/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic of audits, and their words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pipeline/audit.h"
#include "engine/report/advice_writers.h"
#include "tests/unit/near.h"

#define MAX_ADVICE 4

struct bench {
	struct weir_profile *profile;
	struct weir_report *before, *after;
	struct weir_recommendation before_advice[MAX_ADVICE], after_advice[MAX_ADVICE];
	struct weir_audit *audit;
};

static struct weir_report *make_report(const struct weir_profile *profile,
                                       struct weir_recommendation *advice)
{
	struct weir_report *report = weir_report_new(profile);

	report->has_gpu = true;
	report->recommendations = advice;
	return report;
}

static int open_bench(void **state)
{
	static struct bench bench;

	bench = (struct bench){.profile = weir_profile_new(), .audit = weir_audit_new()};
	bench.before = make_report(bench.profile, bench.before_advice);
	bench.after = make_report(bench.profile, bench.after_advice);
	bench.audit->before =
		(struct weir_audit_side){.path = "b.json", .step_ns = 4e6, .basis = "b"};
	bench.audit->after =
		(struct weir_audit_side){.path = "a.json", .step_ns = 2e6, .basis = "a"};
	*state = &bench;
	return 0;
}

static int close_bench(void **state)
{
	struct bench *bench = *state;

	weir_audit_free(bench->audit);
	weir_report_free(bench->before);
	weir_report_free(bench->after);
	weir_profile_free(bench->profile);
	return 0;
}

/* Adds a recommendation that promises step_ns in place of 4 ms. */
static struct weir_recommendation *promise(struct weir_report *report, const char *id,
                                           double step_ns)
{
	struct weir_recommendation *advice =
		&report->recommendations[report->recommendation_count++];

	*advice = (struct weir_recommendation){
		.id = id,
		.title = "Title",
		.saving_basis = isnan(step_ns) ? NULL : "basis",
		.saving_step_ns = step_ns,
		.saving_low_ns = 0.9 * step_ns,
		.saving_high_ns = 1.2 * step_ns,
		.saving_before_ns = 4e6,
		.saving_speedup = 4e6 / step_ns,
	};
	return advice;
}

static const struct weir_audit_fix *compare(struct bench *bench, const char *fix)
{
	struct weir_error err = {0};

	if (weir_audit_compare(bench->audit, bench->before, bench->after, fix, &err))
		fail_msg("%s", err.message);
	return bench->audit->fixes;
}

static void fail_to_compare(struct bench *bench, const char *fix, const char *says)
{
	struct weir_error err = {0};

	assert_int_equal(weir_audit_compare(bench->audit, bench->before, bench->after, fix, &err),
	                 WEIR_E_NOT_COMPARED);
	if (!strstr(err.message, says))
		fail_msg("%s", err.message);
}

static void an_error_is_relative_to_the_measured_step(void **state)
{
	struct bench *bench = *state;
	const struct weir_audit_fix *fix;

	promise(bench->before, "a", 2.1e6);
	fix = compare(bench, NULL);
	assert_int_equal(bench->audit->fix_count, 1);
	assert_near(fix->error, 0.05, 1e-9);
	assert_near(fix->speedup, 4 / 2.1, 1e-9);
	assert_near(fix->measured_speedup, 2, 1e-9);
	assert_near(fix->measured_ns, 2e6, 0);
	assert_true(fix->within);
}

static void the_ends_of_a_range_are_within_it(void **state)
{
	static const struct {
		double step_ns;
		bool within;
	} cases[] = {
		{2e6 / 0.9 + 1, false}, {2e6 / 0.9, true}, {2e6, true}, {2e6 / 1.2 - 1, false}};
	struct bench *bench = *state;

	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		bench->before->recommendation_count = 0;
		bench->audit->fix_count = 0;
		promise(bench->before, "a", cases[i].step_ns);
		assert_int_equal(compare(bench, NULL)->within, cases[i].within);
	}
}

static void one_fix_can_be_compared_alone(void **state)
{
	struct bench *bench = *state;

	promise(bench->before, "a", 2e6);
	promise(bench->before, "b", 3e6);
	promise(bench->before, "c", NAN);
	assert_string_equal(compare(bench, "b")->id, "b");
	assert_int_equal(bench->audit->fix_count, 1);
	bench->audit->fix_count = 0;
	compare(bench, NULL);
	assert_int_equal(bench->audit->fix_count, 2);
}

static void nothing_promised_is_not_compared(void **state)
{
	struct bench *bench = *state;

	fail_to_compare(bench, NULL, "b.json promises nothing");
	promise(bench->before, "c", NAN)->instead = "d, e";
	fail_to_compare(bench, NULL, "no recommendation has a predicted step");
	fail_to_compare(bench, "c", "without a predicted step");
	fail_to_compare(bench, "e", "only as an alternative to c");
	fail_to_compare(bench, "f", "does not recommend f");
	bench->before->has_gpu = false;
	fail_to_compare(bench, NULL, "no timeline");
}

static enum weir_audit_seen see(struct bench *bench)
{
	bench->audit->fix_count = 0;
	return compare(bench, NULL)->seen;
}

static void the_after_side_shows_the_fix(void **state)
{
	struct bench *bench = *state;
	struct weir_recommendation *still;

	promise(bench->before, "a", 2e6);
	assert_int_equal(see(bench), WEIR_SEEN_GONE);
	still = promise(bench->after, "a", 3.9e6);
	assert_int_equal(see(bench), WEIR_SEEN_SMALLER);
	still->saving_step_ns = 2e6;
	assert_int_equal(see(bench), WEIR_SEEN_UNCHANGED);
	still->saving_step_ns = NAN;
	assert_int_equal(see(bench), WEIR_SEEN_UNCHANGED);
	still->id = "b";
	still->instead = "c, a";
	assert_int_equal(see(bench), WEIR_SEEN_UNCHANGED);
	bench->after->has_gpu = false;
	assert_int_equal(see(bench), WEIR_SEEN_UNKNOWN);
}

static void the_step_of_a_run_is_found_by_name(void **state)
{
	struct weir_run *run = weir_run_new();

	(void)state;
	assert_null(weir_audit_series(run, NULL));
	weir_series_push(weir_series_get(&run->stages, "decode"), 1);
	assert_string_equal(weir_audit_series(run, "prefill")->name, "decode");
	weir_series_push(weir_series_get(&run->stages, "prefill"), 2);
	assert_string_equal(weir_audit_series(run, "prefill")->name, "prefill");
	assert_null(weir_audit_series(run, NULL));
	weir_series_push(weir_series_get(&run->stages, "iteration"), 3);
	assert_string_equal(weir_audit_series(run, NULL)->name, "iteration");
	assert_string_equal(weir_audit_series(run, "decode")->name, "decode");
	weir_run_free(run);
}

static void assert_says(struct bench *bench, const char *says)
{
	struct weir_text text = {0};

	weir_write_audit_text(bench->audit, NULL, &text);
	if (!strstr(text.data, says))
		fail_msg("\"%s\" is not in:\n%s", says, text.data);
	weir_text_release(&text);
}

static void words_follow_the_figures(void **state)
{
	struct bench *bench = *state;

	promise(bench->before, "a", 2.1e6);
	compare(bench, NULL);
	assert_says(bench, "2.10 ms (1.89 ms to 2.52 ms), 1.9x faster than 4.00 ms");
	assert_says(bench, "the promise was 5 % too slow, within its");
	assert_says(bench, "not recorded");
	bench->audit->fixes[0].error = -0.3;
	bench->audit->fixes[0].within = false;
	bench->audit->fixes[0].measured_speedup = 0.5;
	assert_says(bench, "2.0x slower: the promise was 30 % too fast, outside its");
	bench->audit->fixes[0].error = 0.001;
	bench->audit->fixes[0].low_ns = bench->audit->fixes[0].high_ns = 2.1e6;
	assert_says(bench, "as promised\n");
	bench->audit->after.device = "X";
	assert_says(bench, "X (before: not recorded)");
}

static void several_fixes_are_told_apart(void **state)
{
	struct bench *bench = *state;

	promise(bench->before, "a", 2e6);
	promise(bench->before, "b", 3e6);
	compare(bench, NULL);
	assert_says(bench, "each promise is for its fix alone");
}

int main(void)
{
#define AUDIT_TEST(test) cmocka_unit_test_setup_teardown(test, open_bench, close_bench)
	const struct CMUnitTest tests[] = {
		AUDIT_TEST(an_error_is_relative_to_the_measured_step),
		AUDIT_TEST(the_ends_of_a_range_are_within_it),
		AUDIT_TEST(one_fix_can_be_compared_alone),
		AUDIT_TEST(nothing_promised_is_not_compared),
		AUDIT_TEST(the_after_side_shows_the_fix),
		cmocka_unit_test(the_step_of_a_run_is_found_by_name),
		AUDIT_TEST(words_follow_the_figures),
		AUDIT_TEST(several_fixes_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
