/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ci/policy/causes.h"
#include "tests/unit/near.h"

#define MOST 600

/* Result under construction. */
struct scene {
	struct weir_gate_result *result;
};

static struct scene begin(void)
{
	struct scene scene = {weir_gate_result_new()};

	scene.result->rows =
		weir_arena_alloc(scene.result->arena, MOST * sizeof *scene.result->rows);
	return scene;
}

/* Adds a row of a scope whose baseline takes `ns`. */
static struct weir_row *add(struct scene *scene, const char *scope, enum weir_metric metric,
                            double ns, double change)
{
	struct weir_row *row = &scene->result->rows[scene->result->row_count++];
	const char *name, *slash;

	assert_true(scene->result->row_count <= MOST);
	*row = (struct weir_row){.scope = scope,
	                         .metric = metric,
	                         .baseline = ns,
	                         .candidate = ns * (1 + change),
	                         .change = change,
	                         .margin = 0.03,
	                         .outcome = change > 0.03 ? WEIR_OUTCOME_REGRESSION
	                                                  : WEIR_OUTCOME_NO_CHANGE,
	                         .contributed_ns = ns * change};
	assert_true(weir_scope_parse(scope, &row->kind, &name));
	slash = strchr(name, '/');
	row->name = row->kind == WEIR_SCOPE_OPERATOR ? slash + 1 : name;
	row->stage = row->kind == WEIR_SCOPE_OPERATOR
	                     ? weir_arena_copy(scene->result->arena, name, (size_t)(slash - name))
	                     : name;
	return row;
}

static void add_times(struct scene *scene, const char *scope, double ns, double change)
{
	add(scene, scope, WEIR_METRIC_P50, ns, change);
	add(scene, scope, WEIR_METRIC_SHIFT, ns, change);
}

static const struct weir_gate_finding *find(const struct scene *scene, const char *scope)
{
	for (size_t i = 0; i < scene->result->finding_count; i++)
		if (!strcmp(scene->result->findings[i].scope, scope))
			return &scene->result->findings[i];
	return NULL;
}

/* Finds the causes and checks their number. */
static void conclude(struct scene *scene, size_t expected)
{
	weir_gate_find_causes(scene->result);
	if (scene->result->finding_count != expected)
		for (size_t i = 0; i < scene->result->finding_count; i++)
			print_error("found %s\n", scene->result->findings[i].scope);
	assert_int_equal(scene->result->finding_count, expected);
}

static void metrics_of_a_stage_and_its_device_time_are_one_finding(void **state)
{
	struct scene scene = begin();

	(void)state;
	add(&scene, "stage:decode", WEIR_METRIC_P95, 1100, 0.06);
	add_times(&scene, "stage:decode", 1000, 0.05);
	add_times(&scene, "device:decode", 800, 0.06);
	add_times(&scene, "stage:prefill", 1000, 0.0);
	conclude(&scene, 1);
	assert_string_equal(scene.result->findings[0].scope, "stage:decode");
	assert_int_equal(scene.result->findings[0].row_count, 5);
	assert_int_equal(scene.result->findings[0].rows[0], 1); /* p50 is quoted */
	assert_near(scene.result->findings[0].added_ns, 50, 1e-9);
	assert_ptr_equal(scene.result->rows[3].finding, &scene.result->findings[0]);
	assert_null(scene.result->rows[6].finding);
	weir_gate_result_free(scene.result);
}

static void an_operator_is_the_cause_if_it_explains_half_of_its_stage(void **state)
{
	struct scene scene = begin();

	(void)state;
	add_times(&scene, "stage:decode", 1000, 0.05); /* +50 */
	add_times(&scene, "device:decode", 900, 0.05); /* +45 */
	add_times(&scene, "operator:decode/mm", 100, 0.226);
	conclude(&scene, 1);
	assert_string_equal(scene.result->findings[0].scope, "operator:decode/mm");
	assert_int_equal(scene.result->findings[0].row_count, 6);
	assert_int_equal(scene.result->findings[0].rows[0], 4);
	weir_gate_result_free(scene.result);
	scene = begin();
	add_times(&scene, "stage:decode", 1000, 0.05);
	add_times(&scene, "device:decode", 900, 0.05);
	add_times(&scene, "operator:decode/mm", 100, 0.224); /* 22.4 of 45 */
	conclude(&scene, 1);
	assert_string_equal(scene.result->findings[0].scope, "stage:decode");
	weir_gate_result_free(scene.result);
}

static void host_time_that_no_operator_explains_is_a_finding_of_its_own(void **state)
{
	struct scene scene = begin();

	(void)state;
	add_times(&scene, "stage:decode", 1000, 0.30);
	add_times(&scene, "device:decode", 500, 0.05);
	add_times(&scene, "operator:decode/mm", 100, 0.25);
	conclude(&scene, 2);
	assert_string_equal(scene.result->findings[0].scope, "stage:decode"); /* adds more */
	assert_string_equal(scene.result->findings[1].scope, "operator:decode/mm");
	weir_gate_result_free(scene.result);
}

static void two_operators_are_two_findings(void **state)
{
	struct scene scene = begin();

	(void)state;
	add_times(&scene, "stage:decode", 1000, 0.05);
	add_times(&scene, "device:decode", 900, 0.05);
	add_times(&scene, "operator:decode/a", 100, 0.20);
	add_times(&scene, "operator:decode/b", 100, 0.25);
	conclude(&scene, 2);
	assert_string_equal(scene.result->findings[0].scope, "operator:decode/b");
	assert_int_equal(scene.result->findings[0].row_count, 6);
	assert_int_equal(scene.result->findings[1].row_count, 2);
	weir_gate_result_free(scene.result);
}

static void more_than_three_operators_have_the_cause_of_their_stage(void **state)
{
	static const char *const names[] = {"operator:decode/a", "operator:decode/b",
	                                    "operator:decode/c", "operator:decode/d"};

	(void)state;
	for (size_t count = 3; count <= 4; count++) {
		struct scene scene = begin();

		add_times(&scene, "stage:decode", 1000, 0.05);
		for (size_t i = 0; i < count; i++)
			add_times(&scene, names[i], 20, 0.5 + (double)i);
		conclude(&scene, count == 3 ? 3 : 1);
		assert_non_null(find(&scene, count == 3 ? names[2] : "stage:decode"));
		weir_gate_result_free(scene.result);
	}
}

static const char *numbered(struct scene *scene, const char *prefix, int i)
{
	return weir_arena_format(scene->result->arena, "%s%d", prefix, i);
}

/* Operators of two stages by 8 %; one of them by `other`. */
static struct scene throttle(int count, double other)
{
	struct scene scene = begin();

	add_times(&scene, "stage:decode", 1000, 0.08);
	add_times(&scene, "stage:prefill", 1000, 0.07);
	for (int i = 0; i < count; i++)
		add_times(&scene,
		          numbered(&scene, i % 2 ? "operator:decode/o" : "operator:prefill/o", i),
		          100, i ? 0.07 + 0.01 * (i % 3) : other);
	return scene;
}

static void five_operators_that_changed_alike_are_one_finding(void **state)
{
	struct scene scene = throttle(5, 0.08);

	(void)state;
	conclude(&scene, 1);
	assert_string_equal(scene.result->findings[0].scope, "all-operators");
	assert_near(scene.result->findings[0].alike, 0.08, 0.005);
	assert_int_equal(scene.result->findings[0].alike_count, 5);
	assert_near(scene.result->findings[0].added_ns, 150, 1e-6); /* of the stages */
	weir_gate_result_free(scene.result);
	scene = throttle(4, 0.08); /* too few for a common factor */
	conclude(&scene, 2);       /* the stages */
	assert_null(find(&scene, "all-operators"));
	weir_gate_result_free(scene.result);
}

static void an_operator_that_changed_more_keeps_its_finding(void **state)
{
	struct scene scene = throttle(5, 0.5);

	(void)state;
	conclude(&scene, 2);
	assert_non_null(find(&scene, "operator:prefill/o0"));
	assert_non_null(find(&scene, "all-operators"));
	weir_gate_result_free(scene.result);
	scene = begin(); /* 3 of 5 are no common factor */
	for (int i = 0; i < 5; i++)
		add_times(&scene, numbered(&scene, "stage:s", i), 100, i < 3 ? 0.08 : 0.0);
	conclude(&scene, 3);
	weir_gate_result_free(scene.result);
}

static void five_stages_that_changed_alike_are_one_finding(void **state)
{
	struct scene scene = begin();

	(void)state;
	for (int i = 0; i < 5; i++)
		add_times(&scene, numbered(&scene, "stage:s", i), 100, 0.08);
	add(&scene, "metric:sm_clock_mhz", WEIR_METRIC_VALUE, 1980, -0.075)->outcome =
		WEIR_OUTCOME_REGRESSION;
	add(&scene, "metric:tokens_per_s", WEIR_METRIC_VALUE, 100, -0.075)->outcome =
		WEIR_OUTCOME_REGRESSION;
	conclude(&scene, 2);
	assert_int_equal(find(&scene, "all-stages")->row_count, 11); /* with the clock */
	assert_non_null(find(&scene, "metric:tokens_per_s"));
	weir_gate_result_free(scene.result);
}

/* Here the statistics removed the common mode, so the operators themselves are not bad. */
static void the_common_mode_of_the_statistics_takes_the_stages(void **state)
{
	struct scene scene = begin();

	(void)state;
	add(&scene, "all-operators", WEIR_METRIC_SHIFT, NAN, 0.08);
	add_times(&scene, "stage:decode", 1000, 0.075);
	add_times(&scene, "device:decode", 900, 0.08);
	for (int i = 0; i < 20; i++)
		add(&scene, numbered(&scene, "operator:decode/o", i), WEIR_METRIC_SHIFT, 100, 0.08)
			->outcome = WEIR_OUTCOME_NO_CHANGE;
	conclude(&scene, 1);
	assert_string_equal(scene.result->findings[0].scope, "all-operators");
	assert_int_equal(scene.result->findings[0].row_count, 5);
	assert_int_equal(scene.result->findings[0].alike_count, 20);
	weir_gate_result_free(scene.result);
}

static void ranks_that_changed_alike_are_one_finding(void **state)
{
	struct scene scene = begin();

	(void)state;
	add_times(&scene, "stage:rank 0 decode", 1000, 0.05);
	add_times(&scene, "stage:rank 1 decode", 1000, 0.06);
	conclude(&scene, 1);
	assert_string_equal(scene.result->findings[0].scope, "stage:rank * decode");
	assert_near(scene.result->findings[0].added_ns, 60, 1e-9); /* the slowest rank */
	assert_int_equal(scene.result->findings[0].row_count, 4);
	weir_gate_result_free(scene.result);
	scene = begin();
	add_times(&scene, "stage:rank 0 decode", 1000, 0.05);
	add_times(&scene, "stage:rank 1 decode", 1000, 0.0); /* a straggler is not a common cause */
	conclude(&scene, 1);
	assert_string_equal(scene.result->findings[0].scope, "stage:rank 0 decode");
	weir_gate_result_free(scene.result);
}

static void findings_are_ranked_by_the_time_that_they_add(void **state)
{
	struct scene scene = begin();

	(void)state;
	add_times(&scene, "stage:short", 100, 0.50);
	add_times(&scene, "stage:long", 10000, 0.05);
	add(&scene, "stage:tail", WEIR_METRIC_P99, 60000, 0.5); /* 1 % of the iterations */
	add(&scene, "metric:load", WEIR_METRIC_VALUE, 10, 0.5)->contributed_ns = NAN;
	add(&scene, "stage:suspect", WEIR_METRIC_P50, 1e6, 0.5)->outcome = WEIR_OUTCOME_SUSPECT;
	conclude(&scene, 5);
	assert_string_equal(scene.result->findings[0].scope, "stage:long");
	assert_string_equal(scene.result->findings[1].scope, "stage:tail");
	assert_near(scene.result->findings[1].added_ns, 300, 1e-9);
	assert_string_equal(scene.result->findings[2].scope, "stage:short");
	assert_string_equal(scene.result->findings[3].scope, "metric:load");
	assert_string_equal(scene.result->findings[4].scope, "stage:suspect");
	weir_gate_result_free(scene.result);
}

static void a_waiver_must_cover_the_largest_change_and_its_margin(void **state)
{
	struct scene scene = begin();

	(void)state;
	add_times(&scene, "stage:decode", 1000, 0.05);
	add_times(&scene, "operator:decode/mm", 20, 0.5); /* +1 % of the stage */
	conclude(&scene, 1);
	assert_near(scene.result->findings[0].up_to, 0.08, 1e-9);
	scene.result->rows[1].above_ceiling = true; /* no waiver covers a ceiling */
	conclude(&scene, 1);
	assert_true(isnan(scene.result->findings[0].up_to));
	weir_gate_result_free(scene.result);
}

static void without_bad_rows_there_is_no_finding(void **state)
{
	struct scene scene = begin();

	(void)state;
	conclude(&scene, 0);
	for (int i = 0; i < 6; i++)
		add_times(&scene, numbered(&scene, "stage:s", i), 100, 0.02); /* under the margin */
	conclude(&scene, 0);
	weir_gate_result_free(scene.result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_of_a_stage_and_its_device_time_are_one_finding),
		cmocka_unit_test(an_operator_is_the_cause_if_it_explains_half_of_its_stage),
		cmocka_unit_test(host_time_that_no_operator_explains_is_a_finding_of_its_own),
		cmocka_unit_test(two_operators_are_two_findings),
		cmocka_unit_test(more_than_three_operators_have_the_cause_of_their_stage),
		cmocka_unit_test(five_operators_that_changed_alike_are_one_finding),
		cmocka_unit_test(an_operator_that_changed_more_keeps_its_finding),
		cmocka_unit_test(five_stages_that_changed_alike_are_one_finding),
		cmocka_unit_test(the_common_mode_of_the_statistics_takes_the_stages),
		cmocka_unit_test(ranks_that_changed_alike_are_one_finding),
		cmocka_unit_test(findings_are_ranked_by_the_time_that_they_add),
		cmocka_unit_test(a_waiver_must_cover_the_largest_change_and_its_margin),
		cmocka_unit_test(without_bad_rows_there_is_no_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
