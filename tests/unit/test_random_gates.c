/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole results of comparisons of random runs, against tests/data/random_gates: from one to eight
 * runs a side, sessions of every design, operators that come, go, move or change their name, short
 * series, and margins of both sides. `WEIR_UPDATE_GATES=1 test_random_gates` rewrites the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ci/policy/causes.h"
#include "tests/unit/make_runs.h"
#include "tests/unit/near.h"
#include "tests/unit/record.h"

#define ROUNDS 26

static size_t pick(struct runs *runs, size_t count)
{
	return next_number(&runs->seed) % count;
}

static double any(struct runs *runs, const double *list, size_t count)
{
	return list[pick(runs, count)];
}

#define ANY(runs, ...)                                                                             \
	any(runs, (const double[]){__VA_ARGS__},                                                   \
	    sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

/* Draws one field after the other: compilers evaluate arguments in any order. */
static struct shape draw_shape(struct runs *runs, double level)
{
	struct shape shape = {.level = level};

	shape.factor = ANY(runs, 1, 1, 1, 1, 1.01, 1.04, 1.06, 1.1, 1.4, 0.9, 0.7);
	shape.within = ANY(runs, 0.005, 0.02, 0.02, 0.1);
	shape.spread = ANY(runs, 0.0005, 0.001, 0.004, 0.02);
	shape.count = (size_t)ANY(runs, 4, 10, 29, 60, 60, 60, 120, 250, 260);
	return shape;
}

/* Gives each run the number of calls of an operator. */
static void add_calls(struct runs *runs, const char *name)
{
	double before = ANY(runs, 1, 2, 28), after = ANY(runs, before, before, before + 1);

	for (size_t i = 0; i < runs->base_count; i++)
		if (weir_series_find(&runs->base[i]->operators, name))
			weir_series_push(weir_series_get(&runs->base[i]->calls, name), before);
	for (size_t i = 0; i < runs->head_count; i++)
		if (weir_series_find(&runs->head[i]->operators, name))
			weir_series_push(weir_series_get(&runs->head[i]->calls, name), after);
}

/* Adds an operator that both sides have, or one that the candidate calls otherwise. */
static void add_one(struct runs *runs, const char *stage, size_t number)
{
	static const char *const before[] = {"aten::mm",
	                                     "gemm_64x64_v1",
	                                     "aten::add",
	                                     "softmax",
	                                     "nvjet_sm90_tst_192x8_64x8_1x1_v_bz_TNT",
	                                     "copy"};
	static const char *const after[] = {"aten::linear",
	                                    "gemm_128x64_v1",
	                                    "aten::add_",
	                                    "softmax_fused",
	                                    "nvjet_sm90_tst_128x8_64x12_4x1_v_bz_TNT",
	                                    "copy"};
	double level = ANY(runs, 2e4, 5e4, 2e5, 4e5);
	struct shape shape = draw_shape(runs, level);
	char name[96], other[96];

	(void)snprintf(name, sizeof name, "%s/%s", stage, before[number]);
	(void)snprintf(other, sizeof other, "%s/%s", stage, after[number]);
	if (pick(runs, 3) > 0) {
		add_operator(runs, name, shape);
	} else {
		add_operator_to(runs, false, name, shape);
		if (pick(runs, 4) > 0)
			add_operator_to(runs, true, other, shape);
	}
	if (pick(runs, 2)) {
		add_calls(runs, name);
		if (strcmp(name, other) != 0)
			add_calls(runs, other);
	}
}

static void add_work(struct runs *runs, const char *stage)
{
	size_t few = pick(runs, 7), many = pick(runs, 4) / 2;

	add_stage(runs, stage, draw_shape(runs, 1e6));
	if (pick(runs, 3) > 0)
		add_device(runs, stage, draw_shape(runs, 8e5));
	for (size_t i = 0; i < few; i++)
		add_one(runs, stage, i);
	if (many > 0) {
		size_t count = many * 8;

		add_operators(runs, stage, count, draw_shape(runs, 0));
	}
}

/* Measures the runs in one session, in a session a side, in sessions that both sides share, or in
 * unknown ones. */
static void add_sessions(struct runs *runs)
{
	size_t drawn = pick(runs, 8), design = drawn < 4 ? 0 : drawn - 3;

	for (size_t i = 0; design > 0 && i < runs->base_count + runs->head_count; i++) {
		bool head = i >= runs->base_count;
		size_t number = head ? i - runs->base_count : i;
		size_t session = design == 1   ? 0
		                 : design == 2 ? head
		                 : design == 3 ? number / 2
		                               : 2 * (number / 2) + head;
		char text[32];

		(void)snprintf(text, sizeof text, "job %zu", session);
		weir_run_set_label(head ? runs->head[number] : runs->base[number], WEIR_RUN_SESSION,
		                   text);
	}
}

/* Makes the first iterations of each run of a stage slow, as caches that are cold do. */
static void slow_first(struct runs *runs, const char *stage)
{
	size_t slow = pick(runs, 2) * pick(runs, 12);

	for (size_t i = 0; i < runs->base_count + runs->head_count; i++) {
		struct weir_run *run =
			i < runs->base_count ? runs->base[i] : runs->head[i - runs->base_count];
		struct weir_series *series = weir_series_get(&run->stages, stage);

		for (size_t k = 0; k < slow && k < series->count; k++)
			series->value[k] *= 3;
	}
}

static void draw_runs(struct runs *runs, uint64_t seed)
{
	static const char *const stages[] = {"decode", "prefill", "tokenize"};
	struct runs sizes = {.seed = seed};
	size_t base = (size_t)ANY(&sizes, 1, 2, 3, 5, 6, 8, 8);
	size_t head = (size_t)ANY(&sizes, 1, 1, 2, 3, 4, 6);

	runs_init(runs, base, head, sizes.seed);
	for (size_t i = 0; i <= pick(runs, 3); i++)
		add_work(runs, stages[i]);
	slow_first(runs, stages[0]);
	add_metric(runs, "tokens_per_s", true, draw_shape(runs, 800));
	if (pick(runs, 2))
		add_metric(runs, "memory", false, draw_shape(runs, 8e9));
	add_sessions(runs);
}

/* ---- the record ---- */

static const char *or_none(const char *text)
{
	return text ? text : "-";
}

static void add_row(struct weir_text *out, const struct weir_row *row)
{
	weir_text_printf(out, "%s %s %s: %.8g -> %.8g %s, %.8g (%.8g to %.8g) of %.8g", row->scope,
	                 weir_metric_name(row->metric), weir_outcome_name(row->outcome),
	                 row->baseline, row->candidate, or_none(row->unit), row->change, row->low,
	                 row->high, row->margin);
	weir_text_printf(out, ", p %.8g %.8g, detects %.8g, needs %.8g", row->p, row->p_adjusted,
	                 row->mde, row->runs_needed);
	weir_text_printf(out, ", %d and %d samples, adds %.8g, calls %.8g %.8g, spread %.8g",
	                 (int)row->baseline_samples, (int)row->candidate_samples,
	                 row->contributed_ns, row->baseline_calls, row->candidate_calls,
	                 row->spread);
	weir_text_printf(out, " | %s %s %s %s %s %s\n", or_none(row->stage), or_none(row->name),
	                 or_none(row->renamed), or_none(row->family), or_none(row->reason),
	                 or_none(row->note));
}

static void add_stage_parts(struct weir_text *out, const struct weir_drawn_stage *stage)
{
	weir_text_printf(out, "stage %s%s: %.0f -> %.0f\n", stage->name,
	                 stage->device_only ? " on the device" : "", (double)stage->baseline_ns,
	                 (double)stage->candidate_ns);
	for (size_t i = 0; i < stage->part_count; i++) {
		const struct weir_drawn_part *part = &stage->parts[i];

		weir_text_printf(out, "\t%s %s %s %s of %d: %.0f -> %.0f, calls %.8g %.8g\n",
		                 weir_drawn_kind_name(part->kind), or_none(part->name),
		                 or_none(part->renamed), or_none(part->family),
		                 (int)part->operators, (double)part->baseline_ns,
		                 (double)part->candidate_ns, part->baseline_calls,
		                 part->candidate_calls);
	}
}

static void add_drawn_row(struct weir_text *out, const struct weir_drawn_row *row)
{
	weir_text_printf(out, "row %d:", (int)row->row);
	for (size_t i = 0; i < row->value_count; i++)
		weir_text_printf(out, " %.8g", row->values[i]);
	weir_text_puts(out, ", odd");
	for (size_t i = 0; i < row->odd_count; i++)
		weir_text_printf(out, " %d", (int)row->odd[i]);
	weir_text_puts(out, "\n");
}

static void add_pictures(struct weir_text *out, const struct weir_gate_pictures *pictures)
{
	for (size_t i = 0; i < pictures->run_count; i++)
		weir_text_printf(out, "%s run of session %d\n",
		                 pictures->runs[i].candidate ? "candidate" : "baseline",
		                 (int)pictures->runs[i].session);
	for (size_t i = 0; i < pictures->row_count; i++)
		add_drawn_row(out, &pictures->rows[i]);
	for (size_t i = 0; i < pictures->curve_count; i++) {
		const struct weir_drawn_curve *curve = &pictures->curves[i];

		weir_text_printf(out, "curve %s\n", curve->scope);
		for (size_t k = 0; k < curve->point_count; k++) {
			const struct weir_drawn_percentile *at = &curve->points[k];

			weir_text_printf(out, "\t%d: %.8g (%.8g %.8g) -> %.8g (%.8g %.8g)\n",
			                 (int)at->percent, at->baseline, at->baseline_low,
			                 at->baseline_high, at->candidate, at->candidate_low,
			                 at->candidate_high);
		}
	}
	for (size_t i = 0; i < pictures->stage_count; i++)
		add_stage_parts(out, &pictures->stages[i]);
}

static void add_result(struct weir_text *out, const struct weir_gate_result *result)
{
	weir_text_printf(
		out, "%s, sessions %s %d %d %d, alpha %.8g %.8g\n",
		weir_method_name(result->method), weir_session_design_name(result->sessions.design),
		(int)result->sessions.baseline, (int)result->sessions.candidate,
		(int)result->sessions.shared, result->alpha_operators, result->alpha_stages);
	for (size_t i = 0; i < result->row_count; i++)
		add_row(out, &result->rows[i]);
	for (size_t i = 0; i < result->contribution_count; i++) {
		const struct weir_contribution *one = &result->contributions[i];

		weir_text_printf(out, "%s of %s: %.8g, calls %.8g %.8g %s\n", one->operator,
		                 one->stage, one->delta_ns, one->baseline_calls,
		                 one->candidate_calls, or_none(one->renamed));
	}
	for (size_t i = 0; i < result->remark_count; i++)
		weir_text_printf(out, "%s\n", result->remarks[i]);
	add_pictures(out, result->pictures);
}

/* Compares the runs, and draws what the result shows. */
static void describe(const struct runs *runs, struct weir_text *out)
{
	struct weir_compare_policy policy = plain_policy;
	struct weir_compare_input input = input_of_runs(runs);
	struct weir_gate_result *result = weir_gate_result_new();
	struct weir_comparing *comparing;
	struct weir_error err = {0};

	policy.warmup = runs->seed % 4 ? -1 : 5;
	input.policy = &policy;
	input.one_session = runs->seed % 7 == 0;
	if (weir_compare_keep(&input, result, &comparing, &err))
		fail_msg("%s", err.message);
	weir_gate_find_causes(result);
	result->pictures = weir_compare_draw(comparing, result);
	add_result(out, result);
	weir_comparing_free(comparing);
	weir_gate_result_free(result);
}

static void comparisons_of_random_runs_keep_every_figure(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct weir_text text = {0};
		struct runs runs;
		char path[64];

		(void)snprintf(path, sizeof path, "tests/data/random_gates/%u.txt", round);
		draw_runs(&runs, 1000 + round);
		describe(&runs, &text);
		record_check(path, &text, "WEIR_UPDATE_GATES");
		weir_text_release(&text);
		runs_release(&runs);
	}
}

static void swap_sides(struct runs *runs)
{
	for (size_t i = 0; i < MOST_RUNS; i++) {
		struct weir_run *run = runs->base[i];

		runs->base[i] = runs->head[i];
		runs->head[i] = run;
	}
	runs->base_count += runs->head_count;
	runs->head_count = runs->base_count - runs->head_count;
	runs->base_count -= runs->head_count;
}

/* Compares the runs of rounds with regressions the other way round, so that there are only
 * improvements. */
static void comparisons_the_other_way_round_keep_every_figure(void **state)
{
	static const unsigned rounds[] = {1, 3, 6, 7, 11, 16, 17, 25};

	(void)state;
	for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
		struct weir_text text = {0};
		struct runs runs;
		char path[64];

		(void)snprintf(path, sizeof path, "tests/data/random_gates/back%u.txt", rounds[i]);
		draw_runs(&runs, 1000 + rounds[i]);
		swap_sides(&runs);
		describe(&runs, &text);
		record_check(path, &text, "WEIR_UPDATE_GATES");
		weir_text_release(&text);
		runs_release(&runs);
	}
}

/* Runs of few iterations: one to four on each side, in stages and on the device. */
static void comparisons_of_few_iterations_keep_every_figure(void **state)
{
	(void)state;
	for (unsigned count = 1; count <= 4; count++) {
		const struct shape slow = {.count = count, .factor = 1.3}, same = {.count = count};
		struct weir_text text = {0};
		struct runs runs;
		char path[64];

		runs_init(&runs, 8, 5, 2000 + count);
		add_stage(&runs, "decode", slow);
		add_stage(&runs, "prefill", same);
		add_device(&runs, "decode", slow);
		describe(&runs, &text);
		(void)snprintf(path, sizeof path, "tests/data/random_gates/few%u.txt", count);
		record_check(path, &text, "WEIR_UPDATE_GATES");
		weir_text_release(&text);
		runs_release(&runs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons_of_random_runs_keep_every_figure),
		cmocka_unit_test(comparisons_the_other_way_round_keep_every_figure),
		cmocka_unit_test(comparisons_of_few_iterations_keep_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
