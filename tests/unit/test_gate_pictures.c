/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ci/policy/causes.h"
#include "tests/unit/make_runs.h"
#include "tests/unit/near.h"

/* A comparison with its pictures, which live in the result. */
struct scene {
	struct runs runs;
	struct weir_gate_result *result;
	const struct weir_gate_pictures *pictures;
};

/* Compares the runs of the scene and draws them. */
static void draw(struct scene *scene)
{
	struct weir_compare_input input = input_of_runs(&scene->runs);
	struct weir_comparing *comparing;
	struct weir_error err = {0};

	scene->result = weir_gate_result_new();
	if (weir_compare_keep(&input, scene->result, &comparing, &err))
		fail_msg("%s", err.message);
	weir_gate_find_causes(scene->result);
	scene->pictures = weir_compare_draw(comparing, scene->result);
	weir_comparing_free(comparing);
}

static void scene_release(struct scene *scene)
{
	weir_gate_result_free(scene->result);
	runs_release(&scene->runs);
}

static const struct weir_row *row_drawn(const struct scene *scene, size_t index)
{
	return &scene->result->rows[scene->pictures->rows[index].row];
}

/* Returns the mean, on logarithms, of the drawn values of a side. */
static double mean_of(const struct scene *scene, size_t index, bool candidate)
{
	const struct weir_drawn_row *row = &scene->pictures->rows[index];
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < row->value_count; i++)
		if (scene->pictures->runs[i].candidate == candidate && !isnan(row->values[i])) {
			sum += log(row->values[i]);
			count++;
		}
	return exp(sum / (double)count);
}

static void the_figures_of_a_finding_are_means_of_its_runs(void **state)
{
	struct scene scene = {.result = NULL};

	(void)state;
	runs_init(&scene.runs, 6, 5, 3);
	add_stage(&scene.runs, "decode", (struct shape){.factor = 1.2});
	add_stage(&scene.runs, "prefill", (struct shape){.factor = 1});
	draw(&scene);
	assert_int_equal(scene.pictures->run_count, 11);
	assert_false(scene.pictures->runs[5].candidate);
	assert_true(scene.pictures->runs[6].candidate);
	assert_int_equal(scene.pictures->row_count, 1);
	assert_string_equal(row_drawn(&scene, 0)->scope, "stage:decode");
	assert_near(mean_of(&scene, 0, false), row_drawn(&scene, 0)->baseline, 1e-4);
	assert_near(mean_of(&scene, 0, true), row_drawn(&scene, 0)->candidate, 1e-4);
	scene_release(&scene);
}

static void without_a_finding_judged_rows_are_drawn(void **state)
{
	struct scene scene = {.result = NULL};

	(void)state;
	runs_init(&scene.runs, 6, 5, 3);
	for (char name[] = "a"; name[0] < 'h'; name[0]++)
		add_stage(&scene.runs, name, (struct shape){.factor = name[0] == 'e' ? 0.8 : 1});
	add_metric(&scene.runs, "speed", true, (struct shape){.level = 60, .factor = 1.3});
	draw(&scene);
	assert_int_equal(scene.result->finding_count, 0);
	assert_int_equal(scene.pictures->row_count, 4);
	assert_string_equal(row_drawn(&scene, 0)->scope, "stage:e"); /* improvements first */
	assert_string_equal(row_drawn(&scene, 1)->scope, "metric:speed");
	assert_string_equal(row_drawn(&scene, 2)->scope, "stage:a");
	assert_int_equal(scene.pictures->curve_count, 3); /* a figure of whole runs has none */
	scene_release(&scene);
}

/* Multiplies all samples of a stage in one run. */
static void scale(struct weir_run *run, double factor)
{
	struct weir_series *series = weir_series_get(&run->stages, "decode");

	for (size_t i = 0; i < series->count; i++)
		series->value[i] *= factor;
}

static void a_run_far_from_its_side_is_odd(void **state)
{
	struct scene scene = {.result = NULL};

	(void)state;
	runs_init(&scene.runs, 8, 3, 5);
	add_stage(&scene.runs, "decode", (struct shape){.factor = 1});
	scale(scene.runs.base[4], 1.2);
	scale(scene.runs.head[1], 1.2); /* of three runs, none is odd */
	draw(&scene);
	assert_int_equal(scene.pictures->rows[0].odd_count, 1);
	assert_int_equal(scene.pictures->rows[0].odd[0], 4);
	scene_release(&scene);
}

static void a_run_within_half_the_margin_is_not_odd(void **state)
{
	struct scene scene = {.result = NULL};

	(void)state;
	runs_init(&scene.runs, 8, 3, 5);
	add_stage(&scene.runs, "decode", (struct shape){.within = 1e-4, .spread = 1e-5});
	scale(scene.runs.base[4], 1.01);
	draw(&scene);
	assert_int_equal(scene.pictures->rows[0].odd_count, 0);
	scene_release(&scene);
}

static void sessions_are_numbered_over_both_sides(void **state)
{
	static const uint64_t expected[] = {1, 2, 0, 1, 2, 3};
	static const char *const names[] = {"b", "a", NULL, "b", "a", "c"};
	struct scene scene = {.result = NULL};

	(void)state;
	runs_init(&scene.runs, 3, 3, 5);
	add_stage(&scene.runs, "decode", (struct shape){.factor = 1});
	for (size_t i = 0; i < 6; i++)
		if (names[i])
			weir_run_set_label(i < 3 ? scene.runs.base[i] : scene.runs.head[i - 3],
			                   WEIR_RUN_SESSION, names[i]);
	draw(&scene);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(scene.pictures->runs[i].session, expected[i]);
	scene_release(&scene);
}

static void only_the_newest_runs_of_a_side_are_drawn(void **state)
{
	enum { MANY = WEIR_DRAWN_RUNS + 7 };
	const struct weir_run *baseline[MANY];
	struct scene scene = {.result = NULL};
	struct weir_compare_input input;
	struct weir_comparing *comparing;
	struct weir_error err = {0};

	(void)state;
	runs_init(&scene.runs, 2, 3, 5);
	add_stage(&scene.runs, "decode", (struct shape){.factor = 1});
	input = input_of_runs(&scene.runs);
	for (size_t i = 0; i < MANY; i++)
		baseline[i] = scene.runs.base[i == MANY - 1];
	input.baseline = baseline;
	input.baseline_count = MANY;
	scene.result = weir_gate_result_new();
	assert_int_equal(weir_compare_keep(&input, scene.result, &comparing, &err), WEIR_OK);
	scene.pictures = weir_compare_draw(comparing, scene.result);
	weir_comparing_free(comparing);
	assert_int_equal(scene.pictures->run_count, WEIR_DRAWN_RUNS + 3);
	assert_int_equal(scene.pictures->older_baseline, 7);
	assert_int_equal(scene.pictures->older_candidate, 0);
	assert_true(scene.pictures->rows[0].values[WEIR_DRAWN_RUNS - 1] !=
	            scene.pictures->rows[0].values[0]);
	scene_release(&scene);
}

static void a_curve_meets_the_rows_and_ends_where_samples_do(void **state)
{
	const struct weir_drawn_curve *curve;
	const struct weir_row *row;
	struct scene scene = {.result = NULL};

	(void)state;
	runs_init(&scene.runs, 6, 5, 3);
	add_stage(&scene.runs, "decode", (struct shape){.factor = 1.2, .count = 40});
	draw(&scene);
	curve = &scene.pictures->curves[0];
	assert_string_equal(curve->scope, "stage:decode");
	assert_int_equal(curve->points[0].percent, 5);
	/* One of 40 samples is beyond p97, none beyond p99. */
	assert_int_equal(curve->points[curve->point_count - 1].percent, 97);
	row = row_of(scene.result, "stage:decode", WEIR_METRIC_P50);
	for (size_t i = 0; i < curve->point_count; i++) {
		const struct weir_drawn_percentile *point = &curve->points[i];

		assert_true(point->baseline_low < point->baseline);
		assert_true(point->baseline < point->baseline_high);
		assert_true(point->candidate_low < point->candidate);
		if (point->percent != 50)
			continue;
		assert_near(point->baseline, row->baseline, 1e-4);
		assert_near(point->candidate, row->candidate, 1e-4);
	}
	scene_release(&scene);
}

static void a_percentile_of_an_idle_operator_is_unknown(void **state)
{
	struct weir_series *series;
	struct scene scene = {.result = NULL};

	(void)state;
	runs_init(&scene.runs, 3, 3, 3);
	add_operator(&scene.runs, "decode/sort", (struct shape){.factor = 1.5});
	for (size_t r = 0; r < 3; r++) {
		series = weir_series_get(&scene.runs.base[r]->operators, "decode/sort");
		for (size_t i = 0; i < series->count; i += 4)
			series->value[i] = 0;
	}
	draw(&scene);
	assert_string_equal(row_drawn(&scene, 0)->scope, "operator:decode/sort");
	assert_true(isnan(scene.pictures->curves[0].points[0].baseline));
	assert_true(scene.pictures->curves[0].points[0].candidate > 0);
	assert_true(scene.pictures->curves[0].points[10].baseline > 0);
	scene_release(&scene);
}

/* ---- the time of a stage ---- */

/* Asserts that the parts add up to the stage, and returns the part of that name or kind. */
static const struct weir_drawn_part *part_of(const struct weir_drawn_stage *stage, const char *name,
                                             enum weir_drawn_kind kind)
{
	const struct weir_drawn_part *found = NULL;
	int64_t baseline_ns = 0, candidate_ns = 0;

	for (size_t i = 0; i < stage->part_count; i++) {
		const struct weir_drawn_part *part = &stage->parts[i];

		baseline_ns += part->baseline_ns;
		candidate_ns += part->candidate_ns;
		if (name ? part->name && strcmp(part->name, name) == 0 : part->kind == kind)
			found = part;
	}
	assert_int_equal(baseline_ns, stage->baseline_ns);
	assert_int_equal(candidate_ns, stage->candidate_ns);
	return found;
}

static void a_stage_is_divided_among_operators_device_and_the_rest(void **state)
{
	const struct weir_drawn_stage *stage;
	const struct weir_drawn_part *part;
	const struct weir_row *row;
	struct scene scene = {.result = NULL};

	(void)state;
	runs_init(&scene.runs, 6, 5, 3);
	add_stage(&scene.runs, "decode", (struct shape){.level = 1e6, .factor = 1.3});
	add_device(&scene.runs, "decode", (struct shape){.level = 7e5, .factor = 1.4});
	add_operator(&scene.runs, "decode/aten::mm", (struct shape){.level = 4e5, .factor = 1.7});
	add_operator(&scene.runs, "decode/aten::softmax", (struct shape){.level = 1e5});
	add_operator_to(&scene.runs, true, "decode/aten::silu", (struct shape){.level = 5e4});
	add_operator(&scene.runs, "prefill/aten::mm", (struct shape){.level = 3e6});
	draw(&scene);
	assert_int_equal(scene.pictures->stage_count, 1);
	stage = &scene.pictures->stages[0];
	assert_string_equal(stage->name, "decode");
	row = row_of(scene.result, "stage:decode", WEIR_METRIC_P50);
	assert_near((double)(stage->candidate_ns - stage->baseline_ns), row->contributed_ns, 1);
	assert_int_equal(stage->part_count, 5);
	assert_string_equal(stage->parts[0].name, "aten::mm"); /* the largest growth */
	assert_string_equal(stage->parts[0].family, "gemm");
	row = row_of(scene.result, "operator:decode/aten::mm", WEIR_METRIC_P50);
	assert_near((double)(stage->parts[0].candidate_ns - stage->parts[0].baseline_ns),
	            row->contributed_ns, 1);
	part = part_of(stage, "aten::silu", WEIR_DRAWN_OPERATOR);
	assert_int_equal(part->baseline_ns, 0);
	assert_true(part->candidate_ns > 0);
	assert_non_null(part_of(stage, NULL, WEIR_DRAWN_DEVICE));
	part = part_of(stage, NULL, WEIR_DRAWN_REST);
	assert_near((double)part->baseline_ns, 3e5, 3e4);
	scene_release(&scene);
}

static void operators_beyond_the_limit_are_one_part(void **state)
{
	const struct weir_drawn_part *part;
	struct scene scene = {.result = NULL};

	(void)state;
	runs_init(&scene.runs, 6, 5, 3);
	add_device(&scene.runs, "decode", (struct shape){.level = 5e6, .factor = 1.3});
	add_operators(&scene.runs, "decode", 60, (struct shape){.factor = 1.3});
	draw(&scene);
	assert_int_equal(scene.pictures->stage_count, 1);
	assert_true(scene.pictures->stages[0].device_only);
	part = part_of(&scene.pictures->stages[0], NULL, WEIR_DRAWN_OPERATORS);
	assert_int_equal(part->operators, 60 - WEIR_DRAWN_BY_CHANGE - WEIR_DRAWN_BY_TIME);
	assert_int_equal(scene.pictures->stages[0].part_count,
	                 WEIR_DRAWN_BY_CHANGE + WEIR_DRAWN_BY_TIME + 2);
	assert_null(part_of(&scene.pictures->stages[0], NULL, WEIR_DRAWN_DEVICE));
	scene_release(&scene);
}

static void a_stage_without_parts_or_change_is_not_divided(void **state)
{
	struct scene scene = {.result = NULL};

	(void)state;
	runs_init(&scene.runs, 6, 5, 3);
	add_stage(&scene.runs, "decode", (struct shape){.factor = 1.3}); /* no operators */
	add_stage(&scene.runs, "prefill", (struct shape){.level = 3e6});
	add_operator(&scene.runs, "prefill/aten::mm", (struct shape){.level = 2e6});
	draw(&scene);
	assert_int_equal(scene.pictures->row_count, 1);
	assert_int_equal(scene.pictures->stage_count, 0);
	scene_release(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_figures_of_a_finding_are_means_of_its_runs),
		cmocka_unit_test(without_a_finding_judged_rows_are_drawn),
		cmocka_unit_test(a_run_far_from_its_side_is_odd),
		cmocka_unit_test(a_run_within_half_the_margin_is_not_odd),
		cmocka_unit_test(sessions_are_numbered_over_both_sides),
		cmocka_unit_test(only_the_newest_runs_of_a_side_are_drawn),
		cmocka_unit_test(a_curve_meets_the_rows_and_ends_where_samples_do),
		cmocka_unit_test(a_stage_is_divided_among_operators_device_and_the_rest),
		cmocka_unit_test(operators_beyond_the_limit_are_one_part),
		cmocka_unit_test(a_stage_without_parts_or_change_is_not_divided),
		cmocka_unit_test(a_percentile_of_an_idle_operator_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
