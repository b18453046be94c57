/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/analysis/compare/explain.h"
#include "tests/unit/near.h"

#define RUNS 12

struct scene {
	struct weir_run *run[RUNS];
	double value[RUNS];
};

/* Runs of two levels: `driver` and `gpu` change with the level, `host` alternates. */
static void make(struct scene *scene)
{
	for (size_t i = 0; i < RUNS; i++) {
		struct weir_run *run = scene->run[i] = weir_run_new();
		char commit[16];

		snprintf(commit, sizeof commit, "c%zu", i);
		weir_run_set_label(run, "torch", "2.11");
		weir_run_set_label(run, "gpu", i < 7 ? "A" : "B");
		weir_run_set_label(run, "host", i % 2 ? "x" : "y");
		weir_run_set_label(run, "driver", i < 7 ? "550" : "570");
		weir_run_set_label(run, "commit", commit);
		scene->value[i] = (i < 7 ? 100 : 110) + (double)(i * 5 % 3) / 10;
	}
}

static void release(struct scene *scene)
{
	for (size_t i = 0; i < RUNS; i++)
		weir_run_free(scene->run[i]);
}

static struct weir_explain explain(const struct scene *scene)
{
	struct weir_explain found;

	weir_explain((const struct weir_run *const *)scene->run, scene->value, RUNS, &found);
	return found;
}

static void the_label_that_changes_with_the_level_comes_first(void **state)
{
	struct scene scene;
	struct weir_explain found;

	(void)state;
	make(&scene);
	found = explain(&scene);
	assert_int_equal(found.runs, RUNS);
	assert_int_equal(found.count, 4);
	assert_int_equal(found.groups[0].state, WEIR_EXPLAIN_TESTED);
	assert_true(found.groups[0].share > 0.99);
	assert_true(found.groups[0].p_adjusted < 1e-9);
	/* Two labels were tested. */
	assert_near(found.groups[0].p_adjusted, 2 * found.groups[0].p, 1e-12);
	assert_string_equal(found.groups[1].keys[0], "host");
	assert_true(found.groups[1].p_adjusted > 0.1);
	weir_explain_release(&found);
	release(&scene);
}

static void labels_that_divide_the_runs_alike_are_one_group(void **state)
{
	struct scene scene;
	struct weir_explain found;

	(void)state;
	make(&scene);
	found = explain(&scene);
	assert_int_equal(found.groups[0].key_count, 2);
	assert_string_equal(found.groups[0].keys[0], "driver");
	assert_string_equal(found.groups[0].keys[1], "gpu");
	weir_explain_release(&found);
	weir_run_set_label(scene.run[0], "gpu", "B");
	found = explain(&scene);
	assert_int_equal(found.count, 5);
	assert_int_equal(found.groups[0].key_count, 1);
	assert_string_equal(found.groups[0].keys[0], "driver");
	assert_string_equal(found.groups[1].keys[0], "gpu");
	assert_true(found.groups[1].share < found.groups[0].share);
	weir_explain_release(&found);
	release(&scene);
}

static void one_value_and_one_value_per_run_explain_nothing(void **state)
{
	struct scene scene;
	struct weir_explain found;

	(void)state;
	make(&scene);
	found = explain(&scene);
	assert_string_equal(found.groups[2].keys[0], "torch");
	assert_int_equal(found.groups[2].state, WEIR_EXPLAIN_ONE_VALUE);
	assert_string_equal(found.groups[3].keys[0], "commit");
	assert_int_equal(found.groups[3].state, WEIR_EXPLAIN_VALUE_PER_RUN);
	assert_int_equal(found.groups[3].values, RUNS);
	for (size_t g = 2; g < 4; g++) {
		assert_true(isnan(found.groups[g].share));
		assert_true(isnan(found.groups[g].p_adjusted));
	}
	weir_explain_release(&found);
	/* Two runs of one commit are enough for a test. */
	weir_run_set_label(scene.run[1], "commit", "c0");
	found = explain(&scene);
	for (size_t g = 0; g < found.count; g++)
		assert_int_not_equal(found.groups[g].state, WEIR_EXPLAIN_VALUE_PER_RUN);
	weir_explain_release(&found);
	release(&scene);
}

static void a_run_without_the_figure_is_left_out(void **state)
{
	struct scene scene;
	struct weir_explain found;

	(void)state;
	make(&scene);
	scene.value[11] = NAN;
	scene.value[0] = 0;
	found = explain(&scene);
	assert_int_equal(found.runs, RUNS - 2);
	assert_int_equal(found.groups[0].values, 2);
	weir_explain_release(&found);
	release(&scene);
}

static void a_missing_label_is_a_value(void **state)
{
	struct scene scene;
	struct weir_explain found;

	(void)state;
	make(&scene);
	for (size_t i = 7; i < RUNS; i++)
		weir_run_set_label(scene.run[i], "flag", "on");
	found = explain(&scene);
	assert_int_equal(found.groups[0].key_count, 3);
	assert_string_equal(found.groups[0].keys[1], "flag");
	assert_int_equal(found.groups[0].values, 2);
	weir_explain_release(&found);
	release(&scene);
}

static void equal_figures_have_no_variance(void **state)
{
	struct scene scene;
	struct weir_explain found;

	(void)state;
	make(&scene);
	for (size_t i = 0; i < RUNS; i++)
		scene.value[i] = 3.3;
	found = explain(&scene);
	for (size_t g = 0; g < found.count; g++) {
		assert_int_not_equal(found.groups[g].state, WEIR_EXPLAIN_TESTED);
		assert_true(isnan(found.groups[g].p));
	}
	weir_explain_release(&found);
	for (size_t i = 0; i < RUNS; i++)
		scene.value[i] = NAN;
	found = explain(&scene);
	assert_int_equal(found.runs, 0);
	assert_int_equal(found.count, 0);
	weir_explain_release(&found);
	release(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_label_that_changes_with_the_level_comes_first),
		cmocka_unit_test(labels_that_divide_the_runs_alike_are_one_group),
		cmocka_unit_test(one_value_and_one_value_per_run_explain_nothing),
		cmocka_unit_test(a_run_without_the_figure_is_left_out),
		cmocka_unit_test(a_missing_label_is_a_value),
		cmocka_unit_test(equal_figures_have_no_variance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
