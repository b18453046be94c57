/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/history.h"
#include "engine/base/arena.h"
#include "engine/base/splitmix.h"
#include "engine/stats/changepoint.h"
#include "engine/stats/quantile.h"

/* With fewer points, every pair of runs could become a separate level. The significance level is
 * that of the gate. */
#define LEAST_SEGMENT 3
#define PERMUTATIONS  999
#define LONG_HISTORY  1000 /* runs from which fewer permutations must do */
#define FEWER         199  /* the least p is 0.5 % */
#define CUT_ALPHA     0.01
#define CUT_SEED      20240607
#define MAX_CUTS      64
#define NORMAL_975    1.959963984540054 /* 0.975 quantile of the normal distribution */

bool weir_history_parse(const char *text, struct weir_history_metric *out)
{
	enum weir_scope_kind kind;
	enum weir_metric metric;
	const char *name, *last;

	if (!weir_scope_parse(text, &kind, &name) || kind == WEIR_SCOPE_ALL_OPERATORS || !*name)
		return false;
	*out = (struct weir_history_metric){.kind = kind, .name = name};
	out->metric = kind == WEIR_SCOPE_METRIC ? WEIR_METRIC_VALUE : WEIR_METRIC_P50;
	last = strrchr(name, ':');
	out->name_length = strlen(name);
	if (last && last > name && weir_metric_parse(last + 1, &metric) &&
	    metric != WEIR_METRIC_DRIFT) {
		out->metric = metric;
		out->name_length = (size_t)(last - name);
	}
	return true;
}

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

static const struct weir_series *series_of(const struct weir_run *run,
                                           const struct weir_history_metric *metric)
{
	char *name = weir_alloc(metric->name_length + 1);
	const struct weir_series *series;

	memcpy(name, metric->name, metric->name_length);
	series = weir_series_find(table_of(run, metric->kind), name);
	free(name);
	return series;
}

double weir_history_value(const struct weir_run *run, const struct weir_history_metric *metric)
{
	const struct weir_series *series = series_of(run, metric);
	double rows[WEIR_LOG_ROWS], *copy;

	if (!series)
		return NAN;
	if (series->quantiles) /* the samples were dropped */
		return series->quantiles[metric->metric];
	if (metric->metric == WEIR_METRIC_VALUE)
		return weir_median(series->value, series->count);
	copy = weir_alloc((series->count + 1) * sizeof *copy);
	memcpy(copy, series->value, series->count * sizeof *copy);
	weir_log_rows(copy, series->count, 0, rows);
	free(copy);
	return exp(rows[metric->metric]);
}

size_t weir_history_cuts(const double *values, size_t count, size_t *cuts, size_t most)
{
	const struct weir_changepoint_rule rule = {
		LEAST_SEGMENT, count > LONG_HISTORY ? FEWER : PERMUTATIONS, CUT_ALPHA, CUT_SEED};
	struct weir_changepoint found[MAX_CUTS];
	double *logs = weir_alloc((count + 1) * sizeof *logs);
	size_t *index = weir_alloc((count + 1) * sizeof *index);
	size_t known = 0, number;

	for (size_t i = 0; i < count; i++)
		if (values[i] > 0) {
			index[known] = i;
			logs[known++] = log(values[i]);
		}
	number = weir_changepoints(logs, known, &rule, found, most < MAX_CUTS ? most : MAX_CUTS);
	for (size_t i = 0; i < number; i++)
		cuts[i] = index[found[i].at];
	free(logs);
	free(index);
	return number;
}

/* Returns the mean of the level that contains a run, between two cuts. */
static double level_of(const double *values, size_t count, const size_t *cuts, size_t cut_count,
                       size_t run)
{
	size_t first = 0, end = count, known = 0;
	double sum = 0;

	for (size_t i = 0; i < cut_count; i++) {
		if (cuts[i] <= run)
			first = cuts[i];
		else if (cuts[i] < end)
			end = cuts[i];
	}
	for (size_t i = first; i < end; i++)
		if (!isnan(values[i])) {
			sum += values[i];
			known++;
		}
	return known ? sum / (double)known : NAN;
}

double weir_history_step_at(const double *values, size_t count, const size_t *cuts,
                            size_t cut_count, size_t at)
{
	return at > 0 ? level_of(values, count, cuts, cut_count, at) /
	                                level_of(values, count, cuts, cut_count, at - 1) -
	                        1
	              : NAN;
}

/* ---- trials ---- */

void weir_trial_draw(uint64_t seed, uint64_t draw, size_t count, size_t *order)
{
	uint64_t state = weir_splitmix64(seed ^ weir_splitmix64(draw));

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t i = count; i > 1; i--) {
		size_t other, swap = order[i - 1];

		state = weir_splitmix64(state);
		other = (size_t)(state % i); /* The bias is i / 2^64. */
		order[i - 1] = order[other];
		order[other] = swap;
	}
}

void weir_trial_interval(double rate, double trials, double *low, double *high)
{
	double n = trials, z2 = NORMAL_975 * NORMAL_975, middle, half;

	*low = *high = NAN;
	if (!(trials > 0))
		return;
	middle = (rate + z2 / (2 * n)) / (1 + z2 / n);
	half = NORMAL_975 * sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n);
	*low = fmax(middle - half, 0);
	*high = fmin(middle + half, 1);
}

double weir_trial_independent(size_t units, size_t degree, size_t draws)
{
	if (units == 0 || draws == 0)
		return 0;
	return 1 / ((double)degree / (double)units + 1 / (double)draws);
}
