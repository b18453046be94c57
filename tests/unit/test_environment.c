/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ci/policy/gate.h"

struct sides {
	struct weir_run *base[3], *head[2];
	struct weir_policy *policy;
	struct weir_gate_result *result;
};

static int set_up(void **state)
{
	static struct sides sides;
	struct weir_error err = {0};
	const char *text = "{\"environment\": {\"must\": [\"gpu\", \"gpu_count\"], \"warn\": "
			   "[\"torch\", \"gpu\"]},"
			   "\"environment_aliases\": {\"H200 NVL\": \"H200\"}}";

	for (size_t i = 0; i < 3; i++)
		sides.base[i] = weir_run_new();
	for (size_t i = 0; i < 2; i++)
		sides.head[i] = weir_run_new();
	if (weir_policy_parse("weir.json", text, strlen(text), &sides.policy, &err))
		return -1;
	sides.result = weir_gate_result_new();
	*state = &sides;
	return 0;
}

static int tear_down(void **state)
{
	struct sides *sides = *state;

	for (size_t i = 0; i < 3; i++)
		weir_run_free(sides->base[i]);
	for (size_t i = 0; i < 2; i++)
		weir_run_free(sides->head[i]);
	weir_policy_free(sides->policy);
	weir_gate_result_free(sides->result);
	return 0;
}

static void label_base(struct sides *sides, const char *key, const char *value)
{
	for (size_t i = 0; i < 3; i++)
		weir_run_set_label(sides->base[i], key, value);
}

static void label_head(struct sides *sides, const char *key, const char *value)
{
	for (size_t i = 0; i < 2; i++)
		weir_run_set_label(sides->head[i], key, value);
}

static bool match(struct sides *sides)
{
	return weir_gate_environment(sides->result, sides->policy,
	                             (const struct weir_run *const *)sides->base, 3,
	                             (const struct weir_run *const *)sides->head, 2);
}

static void equal_labels_match(void **state)
{
	struct sides *sides = *state;

	label_base(sides, "gpu", "H200");
	label_head(sides, "gpu", "H200");
	label_base(sides, "torch", "2.11");
	label_head(sides, "torch", "2.11");
	assert_true(match(sides));
	assert_true(sides->result->environment_match);
	assert_int_equal(sides->result->difference_count, 0);
	assert_int_equal(sides->result->baseline.runs, 3);
	assert_int_equal(sides->result->candidate.runs, 2);
	assert_int_equal(sides->result->baseline.label_count, 2);
	assert_string_equal(sides->result->baseline.labels[0].value, "H200");
}

static void a_must_label_that_differs_stops_with_both_values(void **state)
{
	struct sides *sides = *state;
	const struct weir_difference *found;

	label_base(sides, "gpu", "H100");
	label_head(sides, "gpu", "H200");
	assert_false(match(sides));
	assert_false(sides->result->environment_match);
	assert_int_equal(sides->result->difference_count, 1); /* once, though it is in both lists */
	found = sides->result->differences;
	assert_string_equal(found->key, "gpu");
	assert_string_equal(found->baseline, "H100");
	assert_string_equal(found->candidate, "H200");
	assert_int_equal(found->policy, WEIR_ENVIRONMENT_MUST);
}

static void a_warn_label_that_differs_is_listed_and_no_more(void **state)
{
	struct sides *sides = *state;

	label_base(sides, "torch", "2.10");
	label_head(sides, "torch", "2.11");
	assert_true(match(sides));
	assert_int_equal(sides->result->difference_count, 1);
	assert_int_equal(sides->result->differences[0].policy, WEIR_ENVIRONMENT_WARN);
}

static void a_label_that_no_list_names_says_nothing(void **state)
{
	struct sides *sides = *state;

	label_base(sides, "host", "a");
	label_head(sides, "host", "b");
	assert_true(match(sides));
	assert_int_equal(sides->result->difference_count, 0);
}

static void aliases_are_the_same_device(void **state)
{
	struct sides *sides = *state;

	label_base(sides, "gpu", "H200 NVL");
	label_head(sides, "gpu", "H200");
	assert_true(match(sides));
	weir_run_set_label(sides->base[1], "gpu", "H200"); /* within a side as well */
	assert_true(match(sides));
}

static void a_value_unknown_on_one_side_does_not_match(void **state)
{
	struct sides *sides = *state;

	label_head(sides, "gpu", "H200");
	assert_false(match(sides));
	assert_null(sides->result->differences[0].baseline);
	assert_string_equal(sides->result->differences[0].candidate, "H200");
}

static void unknown_on_both_sides_matches(void **state)
{
	assert_true(match(*state));
}

static void runs_of_one_side_must_agree(void **state)
{
	struct sides *sides = *state;

	label_base(sides, "gpu", "H200");
	label_head(sides, "gpu", "H200");
	weir_run_set_label(sides->base[2], "gpu", "H100");
	assert_false(match(sides));
	assert_string_equal(sides->result->differences[0].baseline, "(several)");
	for (size_t i = 0; i < sides->result->baseline.label_count; i++)
		assert_string_not_equal(sides->result->baseline.labels[i].key, "gpu");
}

static void both_sides_mixed_alike_still_differ(void **state)
{
	struct sides *sides = *state;

	label_base(sides, "gpu", "H200");
	label_head(sides, "gpu", "H200");
	weir_run_set_label(sides->base[0], "gpu", "H100");
	weir_run_set_label(sides->head[0], "gpu", "H100");
	assert_false(match(sides));
}

static void a_label_that_only_some_runs_have_is_not_shared(void **state)
{
	struct sides *sides = *state;

	/* The rest of either side says nothing: that is not "unknown on both sides". */
	weir_run_set_label(sides->base[1], "gpu", "H100");
	weir_run_set_label(sides->head[1], "gpu", "H200");
	assert_false(match(sides));
	weir_run_set_label(sides->head[1], "gpu", "H100");
	assert_false(match(sides));
}

/* NOLINTNEXTLINE(readability-identifier-naming) */
#define test_of(promise) cmocka_unit_test_setup_teardown(promise, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(equal_labels_match),
		test_of(a_must_label_that_differs_stops_with_both_values),
		test_of(a_warn_label_that_differs_is_listed_and_no_more),
		test_of(a_label_that_no_list_names_says_nothing),
		test_of(aliases_are_the_same_device),
		test_of(a_value_unknown_on_one_side_does_not_match),
		test_of(unknown_on_both_sides_matches),
		test_of(runs_of_one_side_must_agree),
		test_of(both_sides_mixed_alike_still_differ),
		test_of(a_label_that_only_some_runs_have_is_not_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
