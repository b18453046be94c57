/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "tests/unit/make_runs.h"
#include "tests/unit/near.h"

void runs_init(struct runs *runs, size_t base, size_t head, uint64_t seed)
{
	*runs = (struct runs){.base_count = base, .head_count = head, .seed = seed};
	assert_true(base <= MOST_RUNS && head <= MOST_RUNS);
	for (size_t i = 0; i < base; i++)
		runs->base[i] = weir_run_new();
	for (size_t i = 0; i < head; i++)
		runs->head[i] = weir_run_new();
}

void runs_release(struct runs *runs)
{
	for (size_t i = 0; i < runs->base_count; i++)
		weir_run_free(runs->base[i]);
	for (size_t i = 0; i < runs->head_count; i++)
		weir_run_free(runs->head[i]);
}

/* Returns an approximately standard normal number: the sum of twelve uniform numbers, less their
 * mean. */
static double normal(struct runs *runs)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(next_number(&runs->seed) >> 11) * 0x1p-53;
	return sum;
}

static struct shape usual(struct shape shape)
{
	shape.level = shape.level > 0 ? shape.level : 1e6;
	shape.factor = shape.factor > 0 ? shape.factor : 1;
	shape.within = shape.within > 0 ? shape.within : 0.02;
	shape.spread = shape.spread > 0 ? shape.spread : 0.004;
	shape.count = shape.count > 0 ? shape.count : 60;
	return shape;
}

double make_value(struct runs *runs, const struct shape *shape)
{
	struct shape full = usual(*shape);

	return full.level * exp(full.spread * normal(runs));
}

void fill_series(struct runs *runs, struct weir_series *series, const struct shape *shape)
{
	struct shape full = usual(*shape);
	double level = make_value(runs, shape);

	for (size_t i = 0; i < full.count; i++)
		weir_series_push(series, level * exp(full.within * normal(runs)));
}

typedef struct weir_series_table *table_of_run(struct weir_run *run);

static void add_side(struct runs *runs, bool head, table_of_run *table, const char *name,
                     const struct shape *shape)
{
	size_t count = head ? runs->head_count : runs->base_count;

	for (size_t i = 0; i < count; i++) {
		struct weir_run *run = head ? runs->head[i] : runs->base[i];
		struct shape own = usual(*shape);

		own.level *= head ? own.factor : 1;
		fill_series(runs, weir_series_get(table(run), name), &own);
	}
}

static struct weir_series_table *stages_of(struct weir_run *run)
{
	return &run->stages;
}

static struct weir_series_table *device_of(struct weir_run *run)
{
	return &run->device;
}

static struct weir_series_table *operators_of(struct weir_run *run)
{
	return &run->operators;
}

static struct weir_series_table *metrics_of(struct weir_run *run)
{
	return &run->metrics;
}

void add_stage(struct runs *runs, const char *name, struct shape shape)
{
	add_side(runs, false, stages_of, name, &shape);
	add_side(runs, true, stages_of, name, &shape);
}

void add_device(struct runs *runs, const char *name, struct shape shape)
{
	add_side(runs, false, device_of, name, &shape);
	add_side(runs, true, device_of, name, &shape);
}

void add_operator_to(struct runs *runs, bool head, const char *name, struct shape shape)
{
	add_side(runs, head, operators_of, name, &shape);
}

void add_operator(struct runs *runs, const char *name, struct shape shape)
{
	add_operator_to(runs, false, name, shape);
	add_operator_to(runs, true, name, shape);
}

void add_operators(struct runs *runs, const char *stage, size_t count, struct shape shape)
{
	for (size_t i = 0; i < count; i++) {
		struct shape own = shape;
		char name[64];

		snprintf(name, sizeof name, "%s/op%02zu", stage, i);
		own.level = 1e4 * (double)(i + 1);
		add_operator(runs, name, own);
	}
}

void add_metric(struct runs *runs, const char *name, bool higher_is_better, struct shape shape)
{
	shape.count = 1;
	add_side(runs, false, metrics_of, name, &shape);
	add_side(runs, true, metrics_of, name, &shape);
	for (size_t i = 0; i < runs->base_count; i++)
		weir_series_get(&runs->base[i]->metrics, name)->higher_is_better = higher_is_better;
	for (size_t i = 0; i < runs->head_count; i++)
		weir_series_get(&runs->head[i]->metrics, name)->higher_is_better = higher_is_better;
}

static double plain_margin(const void *context, const char *scope, enum weir_metric metric)
{
	static const double margins[WEIR_METRIC_COUNT] = {
		[WEIR_METRIC_P50] = 0.03, [WEIR_METRIC_P90] = 0.05,   [WEIR_METRIC_P95] = 0.05,
		[WEIR_METRIC_P99] = 0.10, [WEIR_METRIC_SHIFT] = 0.03, [WEIR_METRIC_VALUE] = 0.05,
	};

	(void)context;
	(void)scope;
	return margins[metric];
}

static enum weir_treatment judge_all(const void *context, const char *scope,
                                     enum weir_metric metric)
{
	(void)context;
	(void)scope;
	(void)metric;
	return WEIR_TREAT_JUDGE;
}

const struct weir_compare_policy plain_policy = {
	.margin = plain_margin,
	.treatment = judge_all,
	.alpha_operators = 0.01,
	.alpha_stages = 0.01,
	.warmup = -1,
};

struct weir_compare_input input_of_runs(const struct runs *runs)
{
	return (struct weir_compare_input){
		.baseline = (const struct weir_run *const *)runs->base,
		.candidate = (const struct weir_run *const *)runs->head,
		.baseline_count = runs->base_count,
		.candidate_count = runs->head_count,
		.policy = &plain_policy,
	};
}

struct weir_gate_result *compare_with(const struct weir_compare_input *input)
{
	struct weir_gate_result *result = weir_gate_result_new();
	struct weir_error err = {0};

	if (weir_compare(input, result, &err))
		fail_msg("%s", err.message);
	return result;
}

struct weir_gate_result *compare_runs(const struct runs *runs)
{
	struct weir_compare_input input = input_of_runs(runs);

	return compare_with(&input);
}

const struct weir_row *find_row(const struct weir_gate_result *result, const char *scope,
                                enum weir_metric metric)
{
	for (size_t i = 0; i < result->row_count; i++)
		if (result->rows[i].metric == metric && strcmp(result->rows[i].scope, scope) == 0)
			return &result->rows[i];
	return NULL;
}

const struct weir_row *row_of(const struct weir_gate_result *result, const char *scope,
                              enum weir_metric metric)
{
	const struct weir_row *row = find_row(result, scope, metric);

	if (!row)
		fail_msg("no row %s %s", scope, weir_metric_name(metric));
	return row;
}

size_t count_outcomes(const struct weir_gate_result *result, enum weir_outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < result->row_count; i++)
		count += result->rows[i].outcome == outcome;
	return count;
}
