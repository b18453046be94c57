/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/compared.h"
#include "engine/analysis/compare/pairing.h"
#include "engine/base/arena.h"
#include "engine/stats/outlier.h"
#include "engine/stats/quantile.h"

/* Longest over shortest run; above it, all are cut to the shortest \. */
#define UNEQUAL_LENGTHS 1.25
#define TICK_SHARE      1e-3 /* a timer step below this share of the median has no effect */
#define TICK_SAMPLES    2048 /* samples per subject, over all runs, to search for the step */
#define TICK_PROBE      64   /* samples that are enough to exclude a step */
#define WITHIN_BATCHES  10

/* ---- subjects ---- */

/* The tables of a run. */
enum part {
	PART_STAGES,
	PART_DEVICE,
	PART_OPERATORS,
	PART_CALLS,
	PART_METRICS,
};

static const struct weir_series_table *table_of(const struct weir_run *run, enum part part)
{
	const struct weir_series_table *const tables[] = {
		[PART_STAGES] = &run->stages,       [PART_DEVICE] = &run->device,
		[PART_OPERATORS] = &run->operators, [PART_CALLS] = &run->calls,
		[PART_METRICS] = &run->metrics,
	};

	return tables[part];
}

static const enum part part_of[] = {
	[WEIR_SCOPE_STAGE] = PART_STAGES,
	[WEIR_SCOPE_DEVICE] = PART_DEVICE,
	[WEIR_SCOPE_OPERATOR] = PART_OPERATORS,
	[WEIR_SCOPE_METRIC] = PART_METRICS,
};

/* A series and the run that holds it. */
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

/* Collects every series with values, sorted by name, then by run. The caller frees the list. */
static struct occurrence *collect(const struct weir_comparing *comparing, enum part part,
                                  size_t *count)
{
	struct occurrence *all = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t r = 0; r < comparing->run_count; r++) {
		const struct weir_series_table *table = table_of(comparing->runs[r], part);

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

/* Returns the index after the last entry with the name of entry `from`. */
static size_t name_end(const struct occurrence *all, size_t count, size_t from)
{
	size_t end = from + 1;

	while (end < count && strcmp(all[end].series->name, all[from].series->name) == 0)
		end++;
	return end;
}

static size_t kept_samples(const struct weir_comparing *comparing, const struct weir_compared *item,
                           size_t run)
{
	const struct weir_series *series = item->series[run];
	int dropped = item->kind == WEIR_SCOPE_METRIC ? 0 : comparing->input->policy->warmup;
	size_t warmup = dropped > 0 ? (size_t)dropped : 0;

	return series && series->count > warmup ? series->count - warmup : 0;
}

const struct weir_compared *weir_compared_find(const struct weir_compared_set *set,
                                               const char *name, size_t length)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *other = set->items[middle].name;
		int order = strncmp(other, name, length);

		if (order == 0 && other[length] == '\0')
			return &set->items[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Returns the length of the stage in "STAGE/OPERATOR": the longest prefix that is a stage, as
 * either name may contain a slash; 0: no stage. */
static size_t stage_length(const struct weir_comparing *comparing, const char *name)
{
	const char *first = strchr(name, '/');

	for (size_t i = first ? strlen(name) : 0; i-- > 0;)
		if (name[i] == '/' && (weir_compared_find(&comparing->stages, name, i) ||
		                       weir_compared_find(&comparing->devices, name, i)))
			return i;
	return first ? (size_t)(first - name) : 0;
}

static void name_subject(struct weir_comparing *comparing, struct weir_compared *item,
                         const char *name)
{
	struct weir_arena *arena = comparing->result->arena;
	size_t length;

	item->name = weir_arena_copy(arena, name, strlen(name));
	item->scope = weir_arena_format(arena, "%s%s", weir_scope_word(item->kind), name);
	if (item->kind == WEIR_SCOPE_STAGE || item->kind == WEIR_SCOPE_DEVICE)
		item->stage = item->name;
	if (item->kind != WEIR_SCOPE_OPERATOR)
		return;
	length = stage_length(comparing, name);
	if (length > 0) {
		item->stage = weir_arena_copy(arena, name, length);
		item->name += length + 1;
	}
}

static void count_samples(const struct weir_comparing *comparing, struct weir_compared *item)
{
	uint64_t least[2] = {UINT64_MAX, UINT64_MAX};
	size_t present[2] = {0, 0};

	for (size_t r = 0; r < comparing->run_count; r++) {
		int side = r >= comparing->input->baseline_count;
		size_t kept = kept_samples(comparing, item, r);

		if (!item->series[r])
			continue;
		present[side]++;
		least[side] = kept < least[side] ? kept : least[side];
	}
	item->baseline_present = present[0];
	item->candidate_present = present[1];
	item->baseline_samples = present[0] ? least[0] : 0;
	item->candidate_samples = present[1] ? least[1] : 0;
}

static void fill_subject(struct weir_comparing *comparing, struct weir_compared *item,
                         const struct occurrence *all, size_t count)
{
	const struct weir_series *first = all->series;

	item->series = weir_alloc(comparing->run_count * sizeof *item->series);
	for (size_t i = 0; i < count; i++)
		item->series[all[i].run] = all[i].series;
	item->baseline_calls = item->candidate_calls = NAN;
	item->baseline_ns = item->candidate_ns = NAN;
	name_subject(comparing, item, first->name);
	item->higher_is_better = first->higher_is_better;
	if (item->kind == WEIR_SCOPE_METRIC && first->unit)
		item->unit =
			weir_arena_copy(comparing->result->arena, first->unit, strlen(first->unit));
	count_samples(comparing, item);
}

/* Returns the mean, over the runs of one side, of the median number of calls. */
static double mean_calls(const struct occurrence *calls, size_t count, size_t first, size_t end)
{
	double sum = 0;
	size_t runs = 0;

	for (size_t i = 0; i < count; i++)
		if (calls[i].run >= first && calls[i].run < end) {
			sum += weir_median(calls[i].series->value, calls[i].series->count);
			runs++;
		}
	return runs > 0 ? sum / (double)runs : NAN;
}

/* Merges the calls into the set; both lists are sorted by the same names. */
static void pair_calls(struct weir_comparing *comparing, struct weir_compared_set *set)
{
	size_t count, split = comparing->input->baseline_count, item = 0;
	struct occurrence *all = collect(comparing, PART_CALLS, &count);

	for (size_t i = 0, end; i < count; i = end) {
		int order = -1;

		end = name_end(all, count, i);
		while (item < set->count &&
		       (order = strcmp(set->items[item].scope +
		                               strlen(weir_scope_word(set->items->kind)),
		                       all[i].series->name)) < 0)
			item++;
		if (order != 0)
			continue;
		set->items[item].baseline_calls = mean_calls(all + i, end - i, 0, split);
		set->items[item].candidate_calls =
			mean_calls(all + i, end - i, split, comparing->run_count);
	}
	free(all);
}

static enum weir_status pair_subjects(struct weir_comparing *comparing,
                                      struct weir_compared_set *set, enum weir_scope_kind kind,
                                      struct weir_error *err)
{
	size_t count, names = 0;
	struct occurrence *all = collect(comparing, part_of[kind], &count);

	set->rows = kind == WEIR_SCOPE_METRIC ? 1 : WEIR_COMPARE_ROWS;
	for (size_t i = 0; i < count; i = name_end(all, count, i))
		names++;
	if (names > WEIR_COMPARE_MOST_NAMES) {
		free(all);
		return weir_fail(err, WEIR_E_LIMIT,
		                 "%zu names that begin with \"%s\", expected at most %d", names,
		                 weir_scope_word(kind), WEIR_COMPARE_MOST_NAMES);
	}
	set->items = weir_alloc((names + 1) * sizeof *set->items);
	for (size_t i = 0, end; i < count; i = end) {
		end = name_end(all, count, i);
		set->items[set->count].kind = kind;
		fill_subject(comparing, &set->items[set->count++], &all[i], end - i);
	}
	free(all);
	if (kind == WEIR_SCOPE_OPERATOR)
		pair_calls(comparing, set);
	return WEIR_OK;
}

/* ---- runs to logarithms ---- */

static const enum weir_metric time_metrics[WEIR_COMPARE_ROWS] = {
	WEIR_METRIC_P50, WEIR_METRIC_P90, WEIR_METRIC_P95, WEIR_METRIC_P99, WEIR_METRIC_SHIFT};
/* The scatter of shift within a run is assumed to equal that of the median. */
static const double row_probs[WEIR_COMPARE_ROWS] = {0.50, 0.90, 0.95, 0.99, 0.50};

enum weir_metric weir_compared_metric(const struct weir_compared_set *set, size_t row)
{
	return set->rows == 1 ? WEIR_METRIC_VALUE : time_metrics[row];
}

static uint64_t least_samples(enum weir_metric metric)
{
	/* The fewest samples for which a one-sided bound of the quantile exists, plus some for
	 * power: docs/statistics.md. */
	static const uint64_t least[WEIR_METRIC_COUNT] = {
		[WEIR_METRIC_P50] = 10,  [WEIR_METRIC_P90] = 30,   [WEIR_METRIC_P95] = 60,
		[WEIR_METRIC_P99] = 250, [WEIR_METRIC_SHIFT] = 10, [WEIR_METRIC_VALUE] = 1,
		[WEIR_METRIC_DRIFT] = 1,
	};

	return least[metric];
}

/* Copies samples of the first iterations of each run, without those of an idle operator. */
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

/* Returns the step of the timer: the smallest difference between samples; 0 if that is noise. */
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

/* Returns the number of samples of each run that count: all, or those of the shortest run if
 * lengths differ too much. */
static size_t common_length(const struct weir_comparing *comparing,
                            const struct weir_compared *item)
{
	size_t least = SIZE_MAX, most = 0;

	for (size_t r = 0; r < comparing->run_count; r++) {
		size_t here = kept_samples(comparing, item, r);

		if (!item->series[r])
			continue;
		least = here < least ? here : least;
		most = here > most ? here : most;
	}
	return least > 0 && (double)most > UNEQUAL_LENGTHS * (double)least ? least : SIZE_MAX;
}

/* Returns the least value of a quantile: the step of the timer. An operator that is idle in some
 * iterations has no logarithm in quantiles that are 0; the step must not replace them. */
static double least_quantile(const double *values, size_t count, double tick)
{
	for (size_t i = 0; i < count; i++)
		if (values[i] <= 0)
			return 0;
	return tick;
}

/* Reduces one run to its rows. */
static void reduce_run(const double *values, size_t count, double tick, double *scratch,
                       double rows[WEIR_COMPARE_ROWS])
{
	memcpy(scratch, values, count * sizeof *scratch);
	weir_log_rows(scratch, count, least_quantile(values, count, tick), rows);
}

struct samples {
	const double *value;
	size_t count;
};

/* Returns the samples of a run that count. */
static struct samples samples_of(const struct weir_comparing *comparing,
                                 const struct weir_compared *item, size_t run, size_t length)
{
	size_t kept = kept_samples(comparing, item, run);

	if (kept == 0)
		return (struct samples){NULL, 0};
	return (struct samples){item->series[run]->value + (item->series[run]->count - kept),
	                        kept > length ? length : kept};
}

static struct samples samples_of_subject(const struct weir_subject *subject, size_t run)
{
	const struct weir_compared *item = &subject->set->items[subject->index];

	return samples_of(subject->comparing, item, run, common_length(subject->comparing, item));
}

void weir_subject_rows(const struct weir_subject *subject, size_t run,
                       double rows[WEIR_COMPARE_ROWS])
{
	struct samples samples = samples_of_subject(subject, run);
	double *scratch = weir_alloc((samples.count + 1) * sizeof *scratch);

	for (size_t k = 0; k < WEIR_COMPARE_ROWS; k++)
		rows[k] = NAN;
	if (samples.count > 0)
		reduce_run(samples.value, samples.count, subject->set->ticks[subject->index],
		           scratch, rows);
	free(scratch);
}

void weir_subject_quantiles(const struct weir_subject *subject, size_t run, const double *probs,
                            size_t n, double *out)
{
	struct samples samples = samples_of_subject(subject, run);
	double least =
		least_quantile(samples.value, samples.count, subject->set->ticks[subject->index]);

	weir_quantiles(samples.value, samples.count, probs, n, out);
	for (size_t i = 0; i < n; i++)
		if (!isnan(out[i]))
			out[i] = fmax(out[i], least);
}

/* Adds the contribution of a run to the squared standard error of the log ratio, as estimated from
 * the scatter within the run. */
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

/* Returns the mean p50 in ns over the runs first..end; an idle operator counts as 0. */
static double mean_p50(const struct weir_comparing *comparing, const struct weir_compared *item,
                       const double *y, size_t first, size_t end)
{
	double sum = 0;
	size_t runs = 0;

	for (size_t r = first; r < end; r++)
		if (kept_samples(comparing, item, r) > 0) {
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

/* Returns the mean of the values of a row over the runs first..end that have one. */
static double mean_of(const double *y, size_t first, size_t end)
{
	double sum = 0;
	size_t runs = 0;

	for (size_t r = first; r < end; r++) {
		sum += isnan(y[r]) ? 0 : y[r];
		runs += isnan(y[r]) ? 0 : 1;
	}
	return runs > 0 ? sum / (double)runs : NAN;
}

/* Fills the share of iterations in the tail of each run for one row. The tail begins half-way, in
 * logarithms, between the quantiles of the two sides; `quantile` is the row of this quantile. */
static void share_tail(const struct weir_comparing *comparing, struct weir_compared_set *set,
                       size_t index, size_t row, size_t quantile)
{
	const struct weir_compared *item = &set->items[index];
	size_t at = row * set->count + index, length = common_length(comparing, item);
	size_t split = comparing->input->baseline_count, least = SIZE_MAX;
	const double *y = set->y + (quantile * set->count + index) * comparing->run_count;
	double limit = exp((mean_of(y, 0, split) + mean_of(y, split, comparing->run_count)) / 2);

	for (size_t r = 0; r < comparing->run_count; r++) {
		struct samples samples = samples_of(comparing, item, r, length);

		set->tail[at * comparing->run_count + r] =
			weir_tail_share(samples.value, samples.count, limit);
		if (samples.count > 0 && samples.count < least)
			least = samples.count;
	}
	if (!isnan(limit) && least < SIZE_MAX)
		set->tail_floor[at] = 1 / (double)least;
}

/* Returns true if the row also needs a larger share of iterations beyond its quantile. In one run
 * of many the tail reaches p90 by chance, which is also the last decile of shift. */
static bool needs_share(const struct weir_compared *item, enum weir_metric metric)
{
	bool tail = metric == WEIR_METRIC_P95 || metric == WEIR_METRIC_P99;
	bool upper = metric == WEIR_METRIC_P90 || metric == WEIR_METRIC_SHIFT;

	return tail || (upper && item->method == WEIR_METHOD_SINGLE_RUN);
}

static void share_tails(const struct weir_comparing *comparing, struct weir_compared_set *set)
{
	size_t cells = set->rows * set->count;

	set->tail = weir_alloc((cells * comparing->run_count + 1) * sizeof *set->tail);
	set->tail_floor = weir_alloc((cells + 1) * sizeof *set->tail_floor);
	for (size_t i = 0; i < cells * comparing->run_count; i++)
		set->tail[i] = NAN;
	for (size_t i = 0; i < cells; i++)
		set->tail_floor[i] = NAN;
	for (size_t k = 0; k < set->rows; k++) {
		enum weir_metric metric = weir_compared_metric(set, k);

		for (size_t i = 0; i < set->count; i++)
			if (set->tested[k * set->count + i] && needs_share(&set->items[i], metric))
				share_tail(comparing, set, i, k,
				           metric == WEIR_METRIC_SHIFT ? WEIR_METRIC_P50 : k);
	}
}

/* Reduces a per-run figure to one number per run; reverses the sign if higher is better. */
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

/* True if the ladder allows testing the row. */
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

/* Returns why the data do not allow testing a row; NULL: they do. */
static const char *objection(const struct weir_comparing *comparing,
                             const struct weir_compared_set *set, size_t index, size_t row)
{
	const struct weir_compared *item = &set->items[index];
	enum weir_metric metric = weir_compared_metric(set, row);
	uint64_t least = least_samples(metric);
	uint64_t have = item->baseline_samples < item->candidate_samples ? item->baseline_samples
	                                                                 : item->candidate_samples;

	if (have < least)
		return weir_arena_format(comparing->result->arena,
		                         "%llu samples per run, %llu needed to judge it",
		                         (unsigned long long)have, (unsigned long long)least);
	if (!all_known(comparing, set, index, row))
		return item->kind == WEIR_SCOPE_METRIC
		               ? "not above zero in every run, so there is no ratio"
		               : "zero in some iterations, so there is no ratio";
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

static void reduce_set(struct weir_comparing *comparing, struct weir_compared_set *set)
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
	if (set->rows > 1 && comparing->method != WEIR_METHOD_OUTLIER)
		share_tails(comparing, set);
	free(scratch.values);
}

/* ---- methods ---- */

/* Returns the rung of the ladder (docs/statistics.md) for these numbers of runs, without other
 * operators to compare with. */
static enum weir_method method_of_runs(size_t baseline, size_t candidate)
{
	if (baseline >= WEIR_GATE_LEAST_BASELINE && candidate >= 3 &&
	    baseline + candidate >= 2 + WEIR_GATE_LEAST_DF)
		return WEIR_METHOD_FULL;
	if (candidate == 2 && baseline >= 4)
		return WEIR_METHOD_TWO_RUN;
	if (candidate == 1 && baseline >= 5)
		return WEIR_METHOD_SINGLE_RUN;
	return WEIR_METHOD_NONE;
}

static void choose_method(struct weir_comparing *comparing)
{
	const struct weir_compared_set *operators = &comparing->operators;
	size_t shared = 0;

	for (size_t i = 0; i < operators->count; i++)
		shared += operators->items[i].baseline_present > 0 &&
		          operators->items[i].candidate_present > 0;
	comparing->method =
		method_of_runs(comparing->input->baseline_count, comparing->input->candidate_count);
	if (comparing->method == WEIR_METHOD_NONE && shared >= WEIR_GATE_LEAST_OPERATORS)
		comparing->method = WEIR_METHOD_OUTLIER;
}

/* Sets the method of each subject by the runs that have it. */
static void choose_methods(struct weir_comparing *comparing, struct weir_compared_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct weir_compared *item = &set->items[i];

		item->method = method_of_runs(item->baseline_present, item->candidate_present);
		if (comparing->method == WEIR_METHOD_OUTLIER && item->kind == WEIR_SCOPE_OPERATOR)
			item->method = WEIR_METHOD_OUTLIER;
	}
}

enum weir_status weir_comparing_init(struct weir_comparing *comparing,
                                     const struct weir_compare_input *input,
                                     struct weir_gate_result *result, struct weir_error *err)
{
	/* Stages come first: they tell where the name of an operator begins. */
	struct weir_compared_set *sets[] = {&comparing->stages, &comparing->devices,
	                                    &comparing->operators, &comparing->metrics};
	static const enum weir_scope_kind kinds[] = {WEIR_SCOPE_STAGE, WEIR_SCOPE_DEVICE,
	                                             WEIR_SCOPE_OPERATOR, WEIR_SCOPE_METRIC};
	enum weir_status status = WEIR_OK;

	*comparing = (struct weir_comparing){.input = input, .result = result};
	comparing->run_count = input->baseline_count + input->candidate_count;
	comparing->columns = comparing->run_count;
	comparing->baseline_columns = input->baseline_count;
	comparing->runs = weir_alloc(comparing->run_count * sizeof(const struct weir_run *));
	for (size_t r = 0; r < comparing->run_count; r++)
		comparing->runs[r] = r < input->baseline_count
		                             ? input->baseline[r]
		                             : input->candidate[r - input->baseline_count];
	for (size_t s = 0; !status && s < sizeof sets / sizeof *sets; s++)
		status = pair_subjects(comparing, sets[s], kinds[s], err);
	if (status)
		return status;
	weir_pairing_apply(comparing);
	for (size_t i = 0; i < comparing->operators.count; i++)
		count_samples(comparing, &comparing->operators.items[i]);
	choose_method(comparing);
	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
		choose_methods(comparing, sets[s]);
		reduce_set(comparing, sets[s]);
	}
	return WEIR_OK;
}

static void release_set(struct weir_compared_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->items[i].series);
	free(set->items);
	free(set->y);
	free(set->ticks);
	free(set->tested);
	free(set->notes);
	free(set->margins);
	free(set->within);
	free(set->tail);
	free(set->tail_floor);
	free(set->errors);
	free(set->by_run);
	free(set->cells);
}

void weir_comparing_release(struct weir_comparing *comparing)
{
	release_set(&comparing->stages);
	release_set(&comparing->devices);
	release_set(&comparing->operators);
	release_set(&comparing->metrics);
	for (size_t i = 0; i < comparing->made_count; i++) {
		free(comparing->made[i]->value);
		free(comparing->made[i]);
	}
	free(comparing->made);
	free(comparing->session);
	free(comparing->runs);
}
