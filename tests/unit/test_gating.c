/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two sides under a policy: what the pipeline adds to the comparison and the policy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/pipeline/exit.h"
#include "engine/pipeline/findings.h"
#include "engine/pipeline/gating.h"
#include "tests/unit/make_runs.h"

#define AFTER 5 /* percent that the candidate of these tests is slower */

/* ---- sides ---- */

static struct weir_baseline *baseline_of(const char *const *bounds, size_t count)
{
	struct weir_baseline *baseline = weir_baseline_new("main");

	for (size_t i = 0; i < count; i++) {
		struct weir_baseline_run *run =
			weir_baseline_take(baseline, weir_run_new(), "2026-11-20T14:00:00Z");

		run->bound = bounds[i];
		run->cause = bounds[i] ? "cause" : NULL;
	}
	return baseline;
}

static bool side_has_bound(const char *const *bounds, size_t count, enum weir_bound *bound)
{
	struct weir_baseline *baseline = baseline_of(bounds, count);
	struct weir_gating_side side;
	bool has;

	weir_gating_side_init(&side, baseline);
	assert_int_equal(side.count, count);
	has = side.has_bound;
	*bound = side.bound;
	weir_gating_side_release(&side);
	weir_baseline_free(baseline);
	return has;
}

static void a_side_has_the_bound_that_its_runs_agree_on(void **state)
{
	enum weir_bound bound;

	(void)state;
	assert_true(side_has_bound((const char *const[]){"memory", "memory"}, 2, &bound));
	assert_int_equal(bound, WEIR_BOUND_MEMORY);
	assert_true(side_has_bound((const char *const[]){NULL, "memory", NULL}, 3, &bound));
	assert_false(
		side_has_bound((const char *const[]){"memory", "runtime", "memory"}, 3, &bound));
	assert_false(side_has_bound((const char *const[]){NULL, NULL}, 2, &bound));
	assert_false(side_has_bound((const char *const[]){"luck"}, 1, &bound));
	assert_false(side_has_bound(NULL, 0, &bound));
}

/* ---- comparisons ---- */

struct scene {
	struct runs runs;
	struct weir_policy *policy;
};

static void scene_init(struct scene *scene, size_t base, size_t head, const char *configuration)
{
	struct weir_error err = {0};

	runs_init(&scene->runs, base, head, 11);
	add_stage(&scene->runs, "decode", (struct shape){.factor = 1 + AFTER / 100.0});
	if (weir_policy_parse("weir.json", configuration, strlen(configuration), &scene->policy,
	                      &err))
		fail_msg("%s", err.message);
}

static void scene_release(struct scene *scene)
{
	runs_release(&scene->runs);
	weir_policy_free(scene->policy);
}

static void label(struct weir_run *const *runs, size_t count, const char *key,
                  const char *const *values)
{
	for (size_t i = 0; i < count; i++)
		weir_run_set_label(runs[i], key, values[i]);
}

static struct weir_gate_result *compare_under(const struct scene *scene,
                                              const struct weir_gate_terms *terms)
{
	const struct weir_gating_side before = {.runs = (const struct weir_run **)scene->runs.base,
	                                        .count = scene->runs.base_count};
	const struct weir_gating_side after = {.runs = (const struct weir_run **)scene->runs.head,
	                                       .count = scene->runs.head_count};
	struct weir_gate_result *result = weir_gate_result_new();
	struct weir_error err = {0};

	if (weir_gating_compare(result, terms, &before, &after, &err))
		fail_msg("%s", err.message);
	return result;
}

static struct weir_gate_result *compare(const struct scene *scene, bool never_fail)
{
	const struct weir_gate_terms terms = {.policy = scene->policy, .never_fail = never_fail};

	return compare_under(scene, &terms);
}

static enum weir_outcome outcome_under(const char *configuration)
{
	struct weir_gate_result *result;
	enum weir_outcome outcome;
	struct scene scene;

	scene_init(&scene, 6, 6, configuration);
	result = compare(&scene, false);
	outcome = row_of(result, "stage:decode", WEIR_METRIC_P50)->outcome;
	weir_gate_result_free(result);
	scene_release(&scene);
	return outcome;
}

static void the_margin_of_the_policy_decides(void **state)
{
	(void)state;
	assert_int_equal(outcome_under("{\"version\":1}"), WEIR_OUTCOME_REGRESSION);
	assert_int_equal(outcome_under("{\"version\":1,\"margins\":{\"p50\":0.03}}"),
	                 WEIR_OUTCOME_REGRESSION);
	assert_int_not_equal(outcome_under("{\"version\":1,\"margins\":{\"p50\":0.07}}"),
	                     WEIR_OUTCOME_REGRESSION);
}

static void the_severity_of_a_rule_decides_what_becomes_of_a_row(void **state)
{
	static const char ignored[] = "{\"version\":1,\"rules\":[{\"scope\":\"stage:decode\","
				      "\"severity\":\"ignore\"}]}";
	struct weir_gate_result *result;
	struct scene scene;

	(void)state;
	assert_int_equal(outcome_under("{\"version\":1,\"rules\":[{\"scope\":\"stage:decode\","
	                               "\"severity\":\"fail\"}]}"),
	                 WEIR_OUTCOME_REGRESSION);
	assert_int_not_equal(outcome_under("{\"version\":1,\"rules\":[{\"scope\":\"stage:decode\","
	                                   "\"severity\":\"warn\"}]}"),
	                     WEIR_OUTCOME_REGRESSION);
	scene_init(&scene, 6, 6, ignored);
	result = compare(&scene, false);
	assert_null(find_row(result, "stage:decode", WEIR_METRIC_P50));
	weir_gate_result_free(result);
	scene_release(&scene);
}

static void another_environment_stops_a_gate_but_not_a_comparison(void **state)
{
	static const char *const a[] = {"A", "A", "A", "A"}, *const b[] = {"B", "B", "B", "B"};
	struct weir_gate_result *result;
	struct scene scene;

	(void)state;
	scene_init(&scene, 4, 4, "{\"version\":1}");
	label(scene.runs.base, 4, "gpu", a);
	label(scene.runs.head, 4, "gpu", b);
	result = compare(&scene, false);
	assert_int_equal(result->verdict, WEIR_GATE_ENVIRONMENT);
	assert_int_equal(result->exit_code, 5);
	assert_int_equal(result->row_count, 0);
	weir_gate_result_free(result);
	result = compare(&scene, true);
	assert_int_equal(result->exit_code, 0);
	assert_true(result->row_count > 0);
	weir_gate_result_free(result);
	scene_release(&scene);
}

/* The outcome of the p50 row if baseline and candidate come from these sessions. */
static enum weir_outcome outcome_of_sessions(const char *const *before, const char *const *after)
{
	struct weir_gate_result *result;
	enum weir_outcome outcome;
	struct scene scene;

	scene_init(&scene, 6, 3, "{\"version\":1}");
	if (before)
		label(scene.runs.base, 6, "session", before);
	if (after)
		label(scene.runs.head, 3, "session", after);
	result = compare(&scene, false);
	outcome = row_of(result, "stage:decode", WEIR_METRIC_P50)->outcome;
	weir_gate_result_free(result);
	scene_release(&scene);
	return outcome;
}

/* Two sessions may differ by the state of the machine alone: one against another decides nothing.
 */
static void one_session_against_another_is_inconclusive(void **state)
{
	static const char *const one[] = {"a", "a", "a", "a", "a", "a"};
	static const char *const two[] = {"a", "a", "a", "b", "b", "b"};
	static const char *const other[] = {"z", "z", "z"}, *const several[] = {"x", "y", "z"};
	static const char *const same[] = {"a", "a", "a"};

	(void)state;
	assert_int_equal(outcome_of_sessions(NULL, NULL), WEIR_OUTCOME_REGRESSION);
	assert_int_equal(outcome_of_sessions(one, other), WEIR_OUTCOME_INCONCLUSIVE);
	assert_int_equal(outcome_of_sessions(one, same), WEIR_OUTCOME_REGRESSION);
	assert_int_equal(outcome_of_sessions(two, same), WEIR_OUTCOME_REGRESSION);
	assert_int_equal(outcome_of_sessions(two, other), WEIR_OUTCOME_INCONCLUSIVE);
	assert_int_equal(outcome_of_sessions(one, several), WEIR_OUTCOME_INCONCLUSIVE);
	assert_int_equal(outcome_of_sessions(NULL, other), WEIR_OUTCOME_REGRESSION);
}

/* Both sides of an A/B job are measured by turns, even if each command names a session. */
static void sides_of_one_job_are_one_session_whatever_their_labels_say(void **state)
{
	static const char *const a[] = {"a", "a", "a", "a", "a", "a"}, *const z[] = {"z", "z", "z"};
	struct weir_gate_terms terms = {.one_session = true};
	struct weir_gate_result *result;
	struct scene scene;

	(void)state;
	scene_init(&scene, 6, 3, "{\"version\":1}");
	label(scene.runs.base, 6, "session", a);
	label(scene.runs.head, 3, "session", z);
	terms.policy = scene.policy;
	result = compare_under(&scene, &terms);
	assert_int_equal(row_of(result, "stage:decode", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	weir_gate_result_free(result);
	scene_release(&scene);
}

static void a_bisection_ends_only_where_no_other_commit_would_help(void **state)
{
	(void)state;
	assert_int_equal(weir_exit_for_bisect(WEIR_EXIT_PASS), 0);
	assert_int_equal(weir_exit_for_bisect(WEIR_EXIT_REGRESSION), 1);
	assert_int_equal(weir_exit_for_bisect(WEIR_EXIT_INCONCLUSIVE), 125);
	assert_int_equal(weir_exit_for_bisect(WEIR_EXIT_COVERAGE), 125);
	assert_int_equal(weir_exit_for_bisect(WEIR_EXIT_USAGE), 130);
	assert_int_equal(weir_exit_for_bisect(WEIR_EXIT_NO_BASELINE), 132);
	assert_int_equal(weir_exit_for_bisect(WEIR_EXIT_INPUT), 135);
}

/* ---- a whole gate ---- */

static const char *const runs[] = {"tests/data/runs/none-01.json", "tests/data/runs/none-02.json"},
			 *const others[] = {"tests/data/runs/none-03.json",
                                            "tests/data/runs/none-04.json"};

struct stored {
	char folder[32], db[48];
	struct weir_policy *policy;
};

static void stored_init(struct stored *stored)
{
	*stored = (struct stored){.folder = "/tmp/weir-gating-XXXXXX"};
	assert_non_null(mkdtemp(stored->folder));
	snprintf(stored->db, sizeof stored->db, "%s/db", stored->folder);
	stored->policy = weir_policy_new();
}

static void stored_release(struct stored *stored)
{
	unlink(stored->db);
	rmdir(stored->folder);
	weir_policy_free(stored->policy);
}

static struct weir_gate_result *gate(const struct stored *stored, const char *const *candidate,
                                     bool bootstrap)
{
	const struct weir_gate_request request = {
		.terms = {.policy = stored->policy},
		.measuring = {.recorded = "2026-11-20T14:00:00Z", .consequence = "nothing"},
		.candidate = candidate,
		.candidate_count = 2,
		.db = stored->db,
		.name = "main",
		.bootstrap = bootstrap,
	};
	struct weir_gate_result *result = weir_gate_result_new();
	struct weir_error err = {0};

	if (weir_gate_runs(&request, result, &err))
		fail_msg("%s", err.message);
	return result;
}

static void without_a_baseline_the_result_says_so(void **state)
{
	struct weir_gate_result *result;
	struct stored stored;

	(void)state;
	stored_init(&stored);
	result = gate(&stored, runs, false);
	assert_int_equal(result->verdict, WEIR_GATE_NO_BASELINE);
	assert_int_equal(result->exit_code, 4);
	assert_int_equal(result->candidate.runs, 2);
	assert_int_equal(result->remark_count, 1);
	weir_gate_result_free(result);
	stored_release(&stored);
}

static void bootstrap_records_once_and_compares_then(void **state)
{
	struct weir_gate_result *result;
	struct stored stored;

	(void)state;
	stored_init(&stored);
	result = gate(&stored, runs, true);
	assert_int_equal(result->verdict, WEIR_GATE_NO_BASELINE);
	assert_int_equal(result->exit_code, 0);
	assert_string_equal(result->remarks[0], "2 runs were recorded as main");
	weir_gate_result_free(result);
	result = gate(&stored, others, true);
	assert_int_not_equal(result->verdict, WEIR_GATE_NO_BASELINE);
	assert_int_equal(result->baseline.runs, 2);
	assert_string_equal(result->baseline_name, "main");
	assert_string_equal(result->recorded_first, "2026-11-20T14:00:00Z");
	assert_true(result->row_count > 0);
	weir_gate_result_free(result);
	stored_release(&stored);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_side_has_the_bound_that_its_runs_agree_on),
		cmocka_unit_test(the_margin_of_the_policy_decides),
		cmocka_unit_test(the_severity_of_a_rule_decides_what_becomes_of_a_row),
		cmocka_unit_test(another_environment_stops_a_gate_but_not_a_comparison),
		cmocka_unit_test(one_session_against_another_is_inconclusive),
		cmocka_unit_test(sides_of_one_job_are_one_session_whatever_their_labels_say),
		cmocka_unit_test(a_bisection_ends_only_where_no_other_commit_would_help),
		cmocka_unit_test(without_a_baseline_the_result_says_so),
		cmocka_unit_test(bootstrap_records_once_and_compares_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
