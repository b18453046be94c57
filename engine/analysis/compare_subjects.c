/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs what the runs hold by name and reduces each run to its rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare_impl.h"
#include "engine/base/arena.h"
#include "engine/stats/outlier.h"
#include "engine/stats/quantile.h"

#define UNEQUAL_LENGTHS 1.25 /* longest run over shortest: above, all are cut to the shortest */
#define TICK_SHARE      1e-3 /* a timer step below this share of the median does not matter */
#define TICK_SAMPLES    2048 /* of a subject, over all runs, that the step is looked for in */
#define WITHIN_BATCHES  10
#define MAX_COMPARED    100000 /* names of one kind over all runs */

static const enum weir_metric time_metrics[WEIR_COMPARE_ROWS] = {
	WEIR_METRIC_P50, WEIR_METRIC_P90, WEIR_METRIC_P95, WEIR_METRIC_P99, WEIR_METRIC_SHIFT};
static const double row_probs[WEIR_COMPARE_ROWS] = {0.50, 0.90, 0.95, 0.99, 0.50};

enum weir_metric weir_compared_metric(const struct weir_compared_set *set, size_t row)
{
	return set->rows == 1 ? WEIR_METRIC_VALUE : time_metrics[row];
}

uint64_t weir_compare_least_samples(enum weir_metric metric)
{
	/* A quantile needs so many for a one-sided bound to exist, and some more for power:
	 * docs/statistics.md. */
	static const uint64_t least[WEIR_METRIC_COUNT] = {
		[WEIR_METRIC_P50] = 10,  [WEIR_METRIC_P90] = 30,   [WEIR_METRIC_P95] = 60,
		[WEIR_METRIC_P99] = 250, [WEIR_METRIC_SHIFT] = 10, [WEIR_METRIC_VALUE] = 1,
	};

	return least[metric];
}

static const char *const scope_words[] = {
	[WEIR_SCOPE_STAGE] = "stage:",
	[WEIR_SCOPE_DEVICE] = "device:",
	[WEIR_SCOPE_OPERATOR] = "operator:",
	[WEIR_SCOPE_METRIC] = "metric:",
	[WEIR_SCOPE_ALL_OPERATORS] = "all-operators",
};

static const struct weir_series_table *table_of(const struct weir_run *run,
                                                enum weir_scope_kind kind)
{
	switch (kind) {
	case WEIR_SCOPE_STAGE:
		return &run->stages;
	case WEIR_SCOPE_DEVICE:
		return &run->device;
	case WEIR_SCOPE_OPERATOR:
		return &run->operators;
	case WEIR_SCOPE_METRIC:
	case WEIR_SCOPE_ALL_OPERATORS:
		return &run->metrics;
	}
	return &run->metrics;
}

/* A series and the run that holds it; sorted by name, then by run. */
struct occurrence {
	const struct weir_series *series;
	size_t run;
};

static int by_name(const void *left, const void *right)
{
	const struct occurrence *a = left, *b = right;
	int order = strcmp(a->series->name, b->series->name);

	return order != 0 ? order : (a->run > b->run) - (a->run < b->run);
}

static struct occurrence *collect(const struct weir_comparing *comparing, enum weir_scope_kind kind,
                                  size_t *count)
{
	struct occurrence *all = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t r = 0; r < comparing->run_count; r++) {
		const struct weir_series_table *table = table_of(comparing->runs[r], kind);

		for (size_t i = 0; i < table->count; i++) {
			if (table->items[i].count == 0)
				continue;
			all = weir_grow(all, &capacity, *count + 1, sizeof *all);
			all[(*count)++] = (struct occurrence){&table->items[i], r};
		}
	}
	if (*count > 1)
		qsort(all, *count, sizeof *all, by_name);
	return all;
}

static size_t warmup_of(const struct weir_comparing *comparing)
{
	return comparing->input->policy->warmup > 0 ? (size_t)comparing->input->policy->warmup : 0;
}

/* Samples of a series behind the warm-up. */
static size_t kept(const struct weir_comparing *comparing, const struct weir_series *series)
{
	size_t warmup = warmup_of(comparing);

	return series->count > warmup ? series->count - warmup : 0;
}

static void name_subject(struct weir_comparing *comparing, struct weir_compared *item,
                         const char *name)
{
	struct weir_arena *arena = comparing->result->arena;
	const char *slash = strchr(name, '/');

	item->name = weir_arena_copy(arena, name, strlen(name));
	item->scope = weir_arena_format(arena, "%s%s", scope_words[item->kind], name);
	if (item->kind == WEIR_SCOPE_STAGE || item->kind == WEIR_SCOPE_DEVICE)
		item->stage = item->name;
	if (item->kind == WEIR_SCOPE_OPERATOR && slash) {
		item->stage = weir_arena_copy(arena, name, (size_t)(slash - name));
		item->name += slash - name + 1;
	}
}

static void count_samples(const struct weir_comparing *comparing, struct weir_compared *item)
{
	uint64_t least[2] = {UINT64_MAX, UINT64_MAX};
	size_t present[2] = {0, 0};

	for (size_t r = 0; r < comparing->run_count; r++) {
		int side = r >= comparing->input->baseline_count;

		if (!item->series[r])
			continue;
		present[side]++;
		if (kept(comparing, item->series[r]) < least[side])
			least[side] = kept(comparing, item->series[r]);
	}
	item->baseline_present = present[0];
	item->candidate_present = present[1];
	item->baseline_samples = present[0] ? least[0] : 0;
	item->candidate_samples = present[1] ? least[1] : 0;
}

static void fill_subject(struct weir_comparing *comparing, struct weir_compared *item,
                         enum weir_scope_kind kind, const struct occurrence *all, size_t count)
{
	item->kind = kind;
	item->series = weir_alloc(comparing->run_count * sizeof *item->series);
	item->calls = weir_alloc(comparing->run_count * sizeof *item->calls);
	name_subject(comparing, item, all->series->name);
	for (size_t i = 0; i < count; i++) {
		item->series[all[i].run] = all[i].series;
		if (kind == WEIR_SCOPE_OPERATOR)
			item->calls[all[i].run] = weir_series_find(
				&comparing->runs[all[i].run]->calls, all->series->name);
	}
	item->higher_is_better = all->series->higher_is_better;
	if (kind == WEIR_SCOPE_METRIC && all->series->unit)
		item->unit = weir_arena_copy(comparing->result->arena, all->series->unit,
		                             strlen(all->series->unit));
	count_samples(comparing, item);
}

static void pair_subjects(struct weir_comparing *comparing, struct weir_compared_set *set,
                          enum weir_scope_kind kind)
{
	size_t count, names = 0;
	struct occurrence *all = collect(comparing, kind, &count);

	set->rows = kind == WEIR_SCOPE_METRIC ? 1 : WEIR_COMPARE_ROWS;
	for (size_t i = 0; i < count; i++)
		names += i == 0 || strcmp(all[i].series->name, all[i - 1].series->name) != 0;
	names = names > MAX_COMPARED ? MAX_COMPARED : names;
	set->items = weir_alloc((names + 1) * sizeof *set->items);
	for (size_t i = 0, end; i < count && set->count < names; i = end) {
		for (end = i + 1;
		     end < count && strcmp(all[end].series->name, all[i].series->name) == 0;)
			end++;
		fill_subject(comparing, &set->items[set->count++], kind, &all[i], end - i);
	}
	free(all);
}

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The timer's step: the smallest difference of samples, where it is no noise. Looked for in the
 * first of each run. */
static double find_tick(const struct weir_comparing *comparing, const struct weir_compared *item)
{
	double pooled[TICK_SAMPLES], least = INFINITY;
	size_t each = TICK_SAMPLES / comparing->run_count, count = 0;

	for (size_t r = 0; r < comparing->run_count; r++) {
		size_t here = item->series[r] ? item->series[r]->count : 0;

		for (size_t i = 0; i < here && i < each; i++)
			pooled[count++] = item->series[r]->value[i];
	}
	if (count < 2)
		return 0;
	qsort(pooled, count, sizeof *pooled, by_value);
	for (size_t i = 1; i < count; i++)
		if (pooled[i] > pooled[i - 1] && pooled[i] - pooled[i - 1] < least)
			least = pooled[i] - pooled[i - 1];
	return isfinite(least) && least >= TICK_SHARE * pooled[count / 2] ? least : 0;
}

/* How many samples of each run count: all, or those of the shortest where lengths differ too much.
 */
static size_t common_length(const struct weir_comparing *comparing,
                            const struct weir_compared *item)
{
	size_t least = SIZE_MAX, most = 0;

	for (size_t r = 0; r < comparing->run_count; r++) {
		size_t here = item->series[r] ? kept(comparing, item->series[r]) : 0;

		if (!item->series[r])
			continue;
		least = here < least ? here : least;
		most = here > most ? here : most;
	}
	return least > 0 && (double)most > UNEQUAL_LENGTHS * (double)least ? least : SIZE_MAX;
}

struct scratch {
	double *values;
	size_t capacity;
};

static void reduce_time(struct weir_comparing *comparing, struct weir_compared_set *set,
                        size_t index, struct scratch *scratch)
{
	struct weir_compared *item = &set->items[index];
	size_t length = common_length(comparing, item), warmup = warmup_of(comparing);

	item->tick = find_tick(comparing, item);
	set->ticks[index] = item->tick;
	for (size_t r = 0; r < comparing->run_count; r++) {
		double rows[WEIR_COMPARE_ROWS] = {NAN, NAN, NAN, NAN, NAN};
		size_t count = item->series[r] ? kept(comparing, item->series[r]) : 0;

		count = count > length ? length : count;
		if (count > 0) {
			const double *from = item->series[r]->value + warmup;

			scratch->values =
				weir_grow(scratch->values, &scratch->capacity, count, sizeof *from);
			memcpy(scratch->values, from, count * sizeof *from);
			for (size_t k = 0; set->within && k < set->rows; k++)
				set->within[k * set->count + index] +=
					pow(weir_outlier_batch_error(from, count, row_probs[k],
				                                     WITHIN_BATCHES),
				            2);
			weir_log_rows(scratch->values, count, item->tick, rows);
		}
		for (size_t k = 0; k < set->rows; k++)
			set->y[(k * set->count + index) * comparing->run_count + r] = rows[k];
	}
	for (size_t k = 0; set->within && k < set->rows; k++)
		set->within[k * set->count + index] = sqrt(set->within[k * set->count + index]);
}

/* A per-run figure: one number a run; the sign is turned where higher is better. */
static void reduce_metric(struct weir_comparing *comparing, struct weir_compared_set *set,
                          size_t index)
{
	struct weir_compared *item = &set->items[index];

	for (size_t r = 0; r < comparing->run_count; r++) {
		double value = item->series[r]
		                       ? weir_median(item->series[r]->value, item->series[r]->count)
		                       : NAN;
		double y = value > 0 ? log(value) : NAN;

		set->y[index * comparing->run_count + r] = item->higher_is_better ? -y : y;
	}
}

static bool all_known(const struct weir_comparing *comparing, const struct weir_compared_set *set,
                      size_t index, size_t row)
{
	const double *y = &set->y[(row * set->count + index) * comparing->run_count];

	for (size_t r = 0; r < comparing->run_count; r++)
		if (set->items[index].series[r] && isnan(y[r]))
			return false;
	return true;
}

/* What the ladder lets a row be tested with. */
static bool method_tests(enum weir_method method, enum weir_metric metric)
{
	switch (method) {
	case WEIR_METHOD_FULL:
	case WEIR_METHOD_TWO_RUN:
		return true;
	case WEIR_METHOD_SINGLE_RUN:
	case WEIR_METHOD_OUTLIER:
		return metric != WEIR_METRIC_P95 && metric != WEIR_METRIC_P99;
	case WEIR_METHOD_NONE:
		return false;
	}
	return false;
}

static void choose_tests(struct weir_comparing *comparing, struct weir_compared_set *set)
{
	const struct weir_compare_policy *policy = comparing->input->policy;

	for (size_t k = 0; k < set->rows; k++)
		for (size_t i = 0; i < set->count; i++) {
			const struct weir_compared *item = &set->items[i];
			enum weir_metric metric = weir_compared_metric(set, k);
			uint64_t least = weir_compare_least_samples(metric);

			set->margins[k * set->count + i] =
				policy->margin(policy->context, item->scope, metric);
			set->tested[k * set->count + i] =
				item->baseline_samples >= least &&
				item->candidate_samples >= least &&
				all_known(comparing, set, i, k) &&
				method_tests(comparing->method, metric) &&
				policy->treatment(policy->context, item->scope, metric) ==
					WEIR_TREAT_JUDGE;
		}
}

static void reduce_set(struct weir_comparing *comparing, struct weir_compared_set *set)
{
	size_t cells = set->rows * set->count + 1;
	struct scratch scratch = {0};

	set->y = weir_alloc(cells * comparing->run_count * sizeof *set->y);
	set->ticks = weir_alloc((set->count + 1) * sizeof *set->ticks);
	set->tested = weir_alloc(cells * sizeof *set->tested);
	set->margins = weir_alloc(cells * sizeof *set->margins);
	set->cells = weir_alloc(cells * sizeof *set->cells);
	if (comparing->method == WEIR_METHOD_OUTLIER)
		set->within = weir_alloc(cells * sizeof *set->within);
	for (size_t i = 0; i < set->count; i++) {
		if (set->rows == 1)
			reduce_metric(comparing, set, i);
		else
			reduce_time(comparing, set, i, &scratch);
	}
	choose_tests(comparing, set);
	free(scratch.values);
}

/* The ladder of docs/statistics.md. */
static enum weir_method choose_method(size_t baseline, size_t candidate, size_t operators)
{
	if (baseline >= 3 && candidate >= 3 && baseline + candidate >= 2 + WEIR_GATE_LEAST_DF)
		return WEIR_METHOD_FULL;
	if (candidate == 2 && baseline >= 4)
		return WEIR_METHOD_TWO_RUN;
	if (candidate == 1 && baseline >= 5)
		return WEIR_METHOD_SINGLE_RUN;
	return operators >= WEIR_GATE_LEAST_OPERATORS ? WEIR_METHOD_OUTLIER : WEIR_METHOD_NONE;
}

void weir_comparing_init(struct weir_comparing *comparing, const struct weir_compare_input *input,
                         struct weir_gate_result *result)
{
	struct weir_compared_set *sets[] = {&comparing->stages, &comparing->devices,
	                                    &comparing->operators, &comparing->metrics};
	static const enum weir_scope_kind kinds[] = {WEIR_SCOPE_STAGE, WEIR_SCOPE_DEVICE,
	                                             WEIR_SCOPE_OPERATOR, WEIR_SCOPE_METRIC};

	*comparing = (struct weir_comparing){.input = input, .result = result};
	comparing->run_count = input->baseline_count + input->candidate_count;
	comparing->runs = weir_alloc(comparing->run_count * sizeof *comparing->runs);
	for (size_t r = 0; r < comparing->run_count; r++)
		comparing->runs[r] = r < input->baseline_count
		                             ? input->baseline[r]
		                             : input->candidate[r - input->baseline_count];
	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
		pair_subjects(comparing, sets[s], kinds[s]);
	comparing->method = choose_method(input->baseline_count, input->candidate_count,
	                                  comparing->operators.count);
	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
		reduce_set(comparing, sets[s]);
}

static void release_set(struct weir_compared_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->items[i].series);
		free(set->items[i].calls);
	}
	free(set->items);
	free(set->y);
	free(set->ticks);
	free(set->tested);
	free(set->margins);
	free(set->within);
	free(set->cells);
}

void weir_comparing_release(struct weir_comparing *comparing)
{
	release_set(&comparing->stages);
	release_set(&comparing->devices);
	release_set(&comparing->operators);
	release_set(&comparing->metrics);
	free(comparing->runs);
}
