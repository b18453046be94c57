/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pipeline/run_checks.h"

struct sides {
	struct weir_baseline *baseline, *candidate;
	struct weir_gate_result *result;
	struct weir_error err;
};

/* Adds a run with a stage of `count` iterations, all different from those of other seeds. */
static struct weir_run *add(struct weir_baseline *side, const char *path, size_t count, double seed)
{
	struct weir_run *run = weir_run_new();

	for (size_t i = 0; i < count; i++)
		weir_series_push(weir_series_get(&run->stages, "decode"), seed + (double)(i % 7));
	weir_baseline_take(side, run, "2026-11-20T14:00:00Z")->path =
		weir_baseline_text(side, path);
	return run;
}

static void sides_init(struct sides *sides)
{
	*sides = (struct sides){
		weir_baseline_new("main"), weir_baseline_new(""), weir_gate_result_new(), {0}};
}

static void sides_release(struct sides *sides)
{
	weir_baseline_free(sides->baseline);
	weir_baseline_free(sides->candidate);
	weir_gate_result_free(sides->result);
}

static enum weir_status distinct(struct sides *sides, const char *name)
{
	return weir_run_checks_distinct(sides->baseline, sides->candidate, name, &sides->err);
}

static void two_files_with_the_same_run_are_refused(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	add(sides.candidate, "a.json", 10, 100);
	add(sides.candidate, "b.json", 10, 200);
	assert_int_equal(distinct(&sides, NULL), WEIR_OK);
	weir_run_set_label(add(sides.candidate, "c.json", 10, 100), "session", "7");
	assert_int_equal(distinct(&sides, NULL), WEIR_E_USAGE);
	assert_string_equal(sides.err.message,
	                    "a.json and c.json are the same run; give each run once");
	sides_release(&sides);
}

static void runs_of_few_values_may_be_equal(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	add(sides.candidate, "a.json", WEIR_RUN_TELLING_VALUES - 1, 100);
	add(sides.candidate, "b.json", WEIR_RUN_TELLING_VALUES - 1, 100);
	assert_int_equal(distinct(&sides, NULL), WEIR_OK);
	sides_release(&sides);
}

static void a_run_of_the_baseline_is_no_candidate(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	weir_run_set_label(add(sides.baseline, NULL, 20, 100), "session", "1");
	add(sides.baseline, NULL, 20, 300);
	add(sides.candidate, "b.json", 20, 200);
	assert_int_equal(distinct(&sides, "main"), WEIR_OK);
	add(sides.candidate, "a.json", 20, 100);
	assert_int_equal(distinct(&sides, "main"), WEIR_E_USAGE);
	assert_non_null(strstr(sides.err.message, "a.json is a run of the baseline main itself"));
	sides_release(&sides);
}

static void runs_of_a_baseline_may_differ_in_labels_alone(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	weir_run_set_label(add(sides.baseline, NULL, 20, 100), "session", "1");
	weir_run_set_label(add(sides.baseline, NULL, 20, 100), "session", "2");
	add(sides.candidate, "b.json", 20, 200);
	assert_int_equal(distinct(&sides, "main"), WEIR_OK);
	sides_release(&sides);
}

static void both_sides_may_not_hold_one_run(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	add(sides.baseline, "a.json", 20, 100);
	add(sides.candidate, "b.json", 20, 100);
	assert_int_equal(distinct(&sides, NULL), WEIR_E_USAGE);
	assert_non_null(strstr(sides.err.message, "given as baseline and as candidate"));
	sides_release(&sides);
}

/* Checks two full runs of `usual` iterations and one of `count`. */
static bool is_cut_short(size_t usual, size_t count)
{
	struct sides sides;
	bool cut;

	sides_init(&sides);
	for (unsigned i = 0; i < 3; i++)
		add(sides.baseline, NULL, usual, 100 + i);
	add(sides.candidate, "a.json", usual, 200);
	add(sides.candidate, "b.json", count, 300);
	add(sides.candidate, "c.json", usual, 400);
	weir_run_checks_complete(sides.baseline, sides.candidate, sides.result);
	cut = sides.candidate->runs[1].left_out;
	assert_int_equal(sides.candidate->runs[1].incomplete, cut);
	assert_int_equal(sides.result->incomplete != NULL, cut);
	assert_int_equal(sides.result->remark_count, cut);
	assert_false(sides.candidate->runs[0].left_out || sides.candidate->runs[2].left_out ||
	             sides.baseline->runs[0].left_out);
	sides_release(&sides);
	return cut;
}

static void a_run_below_a_quarter_of_the_others_is_cut_short(void **state)
{
	(void)state;
	assert_true(is_cut_short(300, 5));
	assert_true(is_cut_short(300, 74));
	assert_false(is_cut_short(300, 75));
	assert_true(is_cut_short(301, 75));
	assert_false(is_cut_short(300, 300));
	assert_true(is_cut_short(WEIR_RUN_LEAST_FULL, 4));
	assert_false(is_cut_short(WEIR_RUN_LEAST_FULL - 1, 4));
}

static void the_usual_count_is_the_lower_median_of_the_other_runs(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	add(sides.baseline, NULL, 300, 100);
	add(sides.candidate, "a.json", 400, 200);
	add(sides.candidate, "short.json", 25, 300);
	add(sides.candidate, "b.json", 200, 201);
	add(sides.candidate, "c.json", 100, 202);
	weir_run_checks_complete(sides.baseline, sides.candidate, sides.result);
	assert_false(sides.candidate->runs[0].left_out);
	/* of 100, 200 and 400 */
	assert_string_equal(sides.result->incomplete,
	                    "short.json has 25 iterations of decode, and the other runs 200: leave "
	                    "it out or measure it again");
	add(sides.candidate, "d.json", 100, 203);
	add(sides.candidate, "e.json", 100, 204);
	sides.result->incomplete = NULL;
	weir_run_checks_complete(sides.baseline, sides.candidate, sides.result);
	assert_null(sides.result->incomplete); /* of 100, 100, 100, 200 and 400: 100 */
	sides_release(&sides);
}

static void each_stage_has_its_own_usual_count(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	add(sides.baseline, NULL, 300, 100);
	for (unsigned i = 0; i < 3; i++) {
		struct weir_run *run = add(sides.candidate, "a.json", 300, 200 + i);

		for (unsigned k = 0; k < 10; k++)
			weir_series_push(weir_series_get(&run->stages, "prefill"), 7);
	}
	weir_run_checks_complete(sides.baseline, sides.candidate, sides.result);
	assert_null(sides.result->incomplete);
	sides_release(&sides);
}

static void the_message_says_which_run_to_leave_out(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	add(sides.baseline, NULL, 300, 100);
	add(sides.candidate, "a.json", 300, 200);
	add(sides.candidate, "short.json", 1, 300);
	weir_run_checks_complete(sides.baseline, sides.candidate, sides.result);
	assert_string_equal(sides.result->incomplete,
	                    "short.json has 1 iteration of decode, and the other runs 300: leave "
	                    "it out or measure it again");
	sides_release(&sides);
}

static void a_short_run_of_the_baseline_loses_no_coverage(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	add(sides.baseline, NULL, 300, 100);
	add(sides.baseline, NULL, 5, 101);
	add(sides.baseline, NULL, 300, 102);
	add(sides.candidate, "a.json", 300, 200);
	weir_run_checks_complete(sides.baseline, sides.candidate, sides.result);
	assert_true(sides.baseline->runs[1].left_out);
	assert_null(sides.result->incomplete);
	assert_int_equal(sides.result->remark_count, 1);
	sides_release(&sides);
}

static void unequal_sides_are_not_cut_short(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	for (unsigned i = 0; i < 3; i++) {
		add(sides.baseline, NULL, 1000, 100 + i);
		add(sides.candidate, "a.json", 100, 200 + i);
	}
	weir_run_checks_complete(sides.baseline, sides.candidate, sides.result);
	assert_null(sides.result->incomplete);
	sides_release(&sides);
}

static void a_stage_that_one_candidate_lacks_is_named(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	for (unsigned i = 0; i < 3; i++)
		weir_series_push(
			weir_series_get(&add(sides.baseline, NULL, 20, 100 + i)->stages, "prefill"),
			7);
	weir_series_push(
		weir_series_get(&add(sides.candidate, "a.json", 20, 200)->stages, "prefill"), 7);
	add(sides.candidate, "b.json", 20, 201);
	weir_run_checks_complete(sides.baseline, sides.candidate, sides.result);
	assert_string_equal(sides.result->incomplete,
	                    "b.json lacks the stage prefill, which 1 of 2 candidate runs and all "
	                    "baseline runs have");
	assert_false(sides.candidate->runs[0].incomplete);
	assert_true(sides.candidate->runs[1].incomplete);
	assert_false(sides.candidate->runs[1].left_out);
	sides_release(&sides);
}

static void a_stage_that_no_candidate_has_is_not_a_fault_of_one_run(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides);
	weir_series_push(weir_series_get(&add(sides.baseline, NULL, 20, 100)->stages, "prefill"),
	                 7);
	add(sides.baseline, NULL, 20, 101); /* and this stage is not in every run */
	weir_series_push(weir_series_get(&sides.baseline->runs[0].run->stages, "rare"), 7);
	weir_series_push(weir_series_get(&add(sides.candidate, "a.json", 20, 200)->stages, "rare"),
	                 7);
	add(sides.candidate, "b.json", 20, 201);
	weir_run_checks_complete(sides.baseline, sides.candidate, sides.result);
	assert_null(sides.result->incomplete);
	sides_release(&sides);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_files_with_the_same_run_are_refused),
		cmocka_unit_test(runs_of_few_values_may_be_equal),
		cmocka_unit_test(a_run_of_the_baseline_is_no_candidate),
		cmocka_unit_test(runs_of_a_baseline_may_differ_in_labels_alone),
		cmocka_unit_test(both_sides_may_not_hold_one_run),
		cmocka_unit_test(a_run_below_a_quarter_of_the_others_is_cut_short),
		cmocka_unit_test(the_usual_count_is_the_lower_median_of_the_other_runs),
		cmocka_unit_test(each_stage_has_its_own_usual_count),
		cmocka_unit_test(the_message_says_which_run_to_leave_out),
		cmocka_unit_test(a_short_run_of_the_baseline_loses_no_coverage),
		cmocka_unit_test(unequal_sides_are_not_cut_short),
		cmocka_unit_test(a_stage_that_one_candidate_lacks_is_named),
		cmocka_unit_test(a_stage_that_no_candidate_has_is_not_a_fault_of_one_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
