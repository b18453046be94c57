/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/history.h"
#include "engine/base/arena.h"
#include "engine/stats/changepoint.h"
#include "engine/stats/quantile.h"

/* Few points make every pair of runs a level of its own; the level of the tests is that of the
 * gate. */
#define LEAST_SEGMENT 3
#define PERMUTATIONS  999
#define CUT_ALPHA     0.01
#define CUT_SEED      20240607
#define MAX_CUTS      64

bool weir_history_parse(const char *text, struct weir_history_metric *out)
{
	enum weir_scope_kind kind;
	const char *name, *last;

	if (!weir_scope_parse(text, &kind, &name) || kind == WEIR_SCOPE_ALL_OPERATORS || !*name)
		return false;
	*out = (struct weir_history_metric){.kind = kind, .name = name};
	out->metric = kind == WEIR_SCOPE_METRIC ? WEIR_METRIC_VALUE : WEIR_METRIC_P50;
	last = strrchr(name, ':');
	if (last && last > name && weir_metric_parse(last + 1, &out->metric))
		out->name_length = (size_t)(last - name);
	else
		out->name_length = strlen(name);
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

double weir_history_value(const struct weir_run *run, const struct weir_history_metric *metric)
{
	const struct weir_series_table *table = table_of(run, metric->kind);
	double rows[WEIR_LOG_ROWS], value = NAN, *copy;

	for (size_t i = 0; i < table->count; i++) {
		const struct weir_series *series = &table->items[i];

		if (strlen(series->name) != metric->name_length ||
		    memcmp(series->name, metric->name, metric->name_length) != 0)
			continue;
		if (metric->metric == WEIR_METRIC_VALUE)
			return weir_median(series->value, series->count);
		copy = weir_alloc((series->count + 1) * sizeof *copy);
		memcpy(copy, series->value, series->count * sizeof *copy);
		weir_log_rows(copy, series->count, 0, rows);
		value = exp(rows[metric->metric]);
		free(copy);
		return value;
	}
	return value;
}

size_t weir_history_cuts(const double *values, size_t count, size_t *cuts, size_t most)
{
	const struct weir_changepoint_rule rule = {LEAST_SEGMENT, PERMUTATIONS, CUT_ALPHA,
	                                           CUT_SEED};
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
