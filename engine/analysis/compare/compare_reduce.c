/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each run to the logs of its rows, and what of it the data allow to test (docs/statistics.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/compare_impl.h"
#include "engine/base/arena.h"
#include "engine/stats/outlier.h"
#include "engine/stats/quantile.h"

#define UNEQUAL_LENGTHS 1.25 /* longest run over shortest: above, all are cut to the shortest */
#define TICK_SHARE      1e-3 /* a timer step below this share of the median does not matter */
#define TICK_SAMPLES    2048 /* of a subject, over all runs, that the step is looked for in */
#define TICK_PROBE      64   /* so many show that there is no step, where there is none */
#define WITHIN_BATCHES  10

static const enum weir_metric time_metrics[WEIR_COMPARE_ROWS] = {
	WEIR_METRIC_P50, WEIR_METRIC_P90, WEIR_METRIC_P95, WEIR_METRIC_P99, WEIR_METRIC_SHIFT};
/* The scatter of shift within a run is taken for that of the median. */
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

/* Samples of the first iterations of each run, without those in which an operator rests. */
static size_t pool(const struct weir_comparing *comparing, const struct weir_compared *item,
                   double pooled[TICK_SAMPLES])
{
	size_t each = TICK_SAMPLES / comparing->run_count + 1, count = 0;

	for (size_t r = 0; r < comparing->run_count; r++) {
		const struct weir_series *series = item->series[r];

		for (size_t i = 0; series && i < series->count && i < each && count < TICK_SAMPLES;
		     i++)
			if (series->value[i] > 0)
				pooled[count++] = series->value[i];
	}
	return count;
}

/* The timer's step: the smallest difference of samples, where it is no noise; 0 otherwise. */
static double find_tick(const struct weir_comparing *comparing, const struct weir_compared *item)
{
	double pooled[TICK_SAMPLES], least = INFINITY;
	size_t count = pool(comparing, item, pooled);
	double relevant = TICK_SHARE * weir_median(pooled, count);

	for (size_t sorted = 0; sorted < count;) {
		sorted = sorted == 0 && count > TICK_PROBE ? TICK_PROBE : count;
		weir_sort_values(pooled, sorted);
		for (size_t i = 1; i < sorted; i++)
			if (pooled[i] > pooled[i - 1])
				least = fmin(least, pooled[i] - pooled[i - 1]);
		if (least < relevant)
			return 0;
	}
	return isfinite(least) ? least : 0;
}

/* How many samples of each run count: all, or those of the shortest where lengths differ too much.
 */
static size_t common_length(const struct weir_comparing *comparing,
                            const struct weir_compared *item)
{
	size_t least = SIZE_MAX, most = 0;

	for (size_t r = 0; r < comparing->run_count; r++) {
		size_t here = weir_compared_kept(comparing, item, r);

		if (!item->series[r])
			continue;
		least = here < least ? here : least;
		most = here > most ? here : most;
	}
	return least > 0 && (double)most > UNEQUAL_LENGTHS * (double)least ? least : SIZE_MAX;
}

/* The rows of one run. An operator that rests in some iterations has no log in the quantiles that
 * are 0: the timer's step must not stand for them. */
static void reduce_run(const double *values, size_t count, double tick, double *scratch,
                       double rows[WEIR_COMPARE_ROWS])
{
	bool rests = false;

	for (size_t i = 0; i < count; i++) {
		scratch[i] = values[i];
		rests = rests || values[i] <= 0;
	}
	weir_log_rows(scratch, count, rests ? 0 : tick, rows);
}

struct samples {
	const double *value;
	size_t count;
};

/* Those of a run that count. */
static struct samples samples_of(const struct weir_comparing *comparing,
                                 const struct weir_compared *item, size_t run, size_t length)
{
	size_t kept = weir_compared_kept(comparing, item, run);

	if (kept == 0)
		return (struct samples){NULL, 0};
	return (struct samples){item->series[run]->value + (item->series[run]->count - kept),
	                        kept > length ? length : kept};
}

/* Adds what a run adds to the squared standard error of the log ratio, seen from within it. */
static void add_within(const struct weir_comparing *comparing, struct weir_compared_set *set,
                       size_t index, size_t run, struct samples samples)
{
	const struct weir_compared *item = &set->items[index];
	double runs = (double)(run < comparing->input->baseline_count ? item->baseline_present
	                                                              : item->candidate_present);

	for (size_t k = 0; k < set->rows; k++) {
		double error = weir_outlier_batch_error(samples.value, samples.count, row_probs[k],
		                                        WITHIN_BATCHES);

		set->within[k * set->count + index] += error * error / (runs * runs);
	}
}

/* Mean over the runs first..end of the p50 in ns, 0 where an operator rests. */
static double mean_p50(const struct weir_comparing *comparing, const struct weir_compared *item,
                       const double *y, size_t first, size_t end)
{
	double sum = 0;
	size_t runs = 0;

	for (size_t r = first; r < end; r++)
		if (weir_compared_kept(comparing, item, r) > 0) {
			sum += isnan(y[r]) ? 0 : exp(y[r]);
			runs++;
		}
	return runs > 0 ? sum / (double)runs : NAN;
}

struct scratch {
	double *values;
	size_t capacity;
};

static void reduce_time(const struct weir_comparing *comparing, struct weir_compared_set *set,
                        size_t index, struct scratch *scratch)
{
	struct weir_compared *item = &set->items[index];
	size_t length = common_length(comparing, item), split = comparing->input->baseline_count;
	double *y = set->y + index * comparing->run_count;

	set->ticks[index] = find_tick(comparing, item);
	for (size_t r = 0; r < comparing->run_count; r++) {
		struct samples samples = samples_of(comparing, item, r, length);
		double rows[WEIR_COMPARE_ROWS] = {NAN, NAN, NAN, NAN, NAN};

		if (samples.count > 0) {
			scratch->values = weir_grow(scratch->values, &scratch->capacity,
			                            samples.count, sizeof *scratch->values);
			reduce_run(samples.value, samples.count, set->ticks[index], scratch->values,
			           rows);
			if (set->within)
				add_within(comparing, set, index, r, samples);
		}
		for (size_t k = 0; k < set->rows; k++)
			y[k * set->count * comparing->run_count + r] = rows[k];
	}
	for (size_t k = 0; set->within && k < set->rows; k++)
		set->within[k * set->count + index] = sqrt(set->within[k * set->count + index]);
	item->baseline_ns = mean_p50(comparing, item, y, 0, split);
	item->candidate_ns = mean_p50(comparing, item, y, split, comparing->run_count);
}

/* A per-run figure: one number a run; the sign is turned where higher is better. */
static void reduce_metric(const struct weir_comparing *comparing, struct weir_compared_set *set,
                          size_t index)
{
	const struct weir_compared *item = &set->items[index];

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

bool weir_compared_is_tail_of_one(const struct weir_compared *item, enum weir_metric metric)
{
	return item->method == WEIR_METHOD_SINGLE_RUN &&
	       (item->kind == WEIR_SCOPE_STAGE || item->kind == WEIR_SCOPE_DEVICE) &&
	       (metric == WEIR_METRIC_P95 || metric == WEIR_METRIC_P99);
}

/* Why the data do not allow to test a row; NULL: they do. */
static const char *objection(const struct weir_comparing *comparing,
                             const struct weir_compared_set *set, size_t index, size_t row)
{
	const struct weir_compared *item = &set->items[index];
	enum weir_metric metric = weir_compared_metric(set, row);
	uint64_t least = weir_compare_least_samples(metric);
	uint64_t have = item->baseline_samples < item->candidate_samples ? item->baseline_samples
	                                                                 : item->candidate_samples;

	if (have < least)
		return weir_arena_format(comparing->result->arena,
		                         "%llu samples a run, %llu needed to judge it",
		                         (unsigned long long)have, (unsigned long long)least);
	if (!all_known(comparing, set, index, row))
		return item->kind == WEIR_SCOPE_METRIC
		               ? "not above zero in every run, so it has no ratio"
		               : "zero in some iterations, so it has no ratio";
	return method_tests(item->method, metric) || weir_compared_is_tail_of_one(item, metric)
	               ? NULL
	               : "too few runs to judge it";
}

static void choose_tests(struct weir_comparing *comparing, struct weir_compared_set *set)
{
	const struct weir_compare_policy *policy = comparing->input->policy;

	for (size_t k = 0; k < set->rows; k++)
		for (size_t i = 0; i < set->count; i++) {
			const char *scope = set->items[i].scope;
			enum weir_metric metric = weir_compared_metric(set, k);
			size_t at = k * set->count + i;

			set->margins[at] = policy->margin(policy->context, scope, metric);
			if (weir_compared_is_tail_of_one(&set->items[i], metric))
				set->margins[at] *= WEIR_TAIL_MARGINS;
			set->notes[at] = objection(comparing, set, i, k);
			set->tested[at] = !set->notes[at] &&
			                  policy->treatment(policy->context, scope, metric) ==
			                          WEIR_TREAT_JUDGE;
		}
}

void weir_compare_reduce(struct weir_comparing *comparing, struct weir_compared_set *set)
{
	size_t cells = set->rows * set->count + 1;
	struct scratch scratch = {0};

	set->y = weir_alloc(cells * comparing->run_count * sizeof *set->y);
	set->ticks = weir_alloc((set->count + 1) * sizeof *set->ticks);
	set->tested = weir_alloc(cells * sizeof *set->tested);
	set->notes = weir_alloc(cells * sizeof(const char *));
	set->margins = weir_alloc(cells * sizeof *set->margins);
	set->cells = weir_alloc(cells * sizeof *set->cells);
	if (comparing->method == WEIR_METHOD_OUTLIER && set == &comparing->operators)
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
