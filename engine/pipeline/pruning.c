/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/history.h"
#include "engine/base/arena.h"
#include "engine/pipeline/pruning.h"

/* The tables that a history shows. */
static const struct {
	enum weir_run_table table;
	enum weir_scope_kind kind;
} shown[] = {
	{WEIR_RUN_STAGES, WEIR_SCOPE_STAGE},
	{WEIR_RUN_DEVICE, WEIR_SCOPE_DEVICE},
	{WEIR_RUN_OPERATORS, WEIR_SCOPE_OPERATOR},
	{WEIR_RUN_METRICS, WEIR_SCOPE_METRIC},
};

static double *quantiles_of(const struct weir_run *run, enum weir_scope_kind kind, const char *name)
{
	double *quantiles = weir_alloc(WEIR_METRIC_RUN_COUNT * sizeof *quantiles);

	for (unsigned m = 0; m < WEIR_METRIC_RUN_COUNT; m++) {
		const struct weir_history_metric metric = {
			.kind = kind,
			.name = name,
			.name_length = strlen(name),
			.metric = (enum weir_metric)m,
		};
		double value = weir_history_value(run, &metric);

		quantiles[m] = isfinite(value) ? value : NAN;
	}
	return quantiles;
}

static void summarize(struct weir_run *run)
{
	for (size_t t = 0; t < sizeof shown / sizeof *shown; t++) {
		struct weir_series_table *table = weir_run_table(run, shown[t].table);

		for (size_t i = 0; i < table->count; i++)
			table->items[i].quantiles =
				quantiles_of(run, shown[t].kind, table->items[i].name);
	}
}

enum weir_status weir_prune(struct weir_store *store, const struct weir_store_choice *choice,
                            bool dry_run, struct weir_baseline **out, size_t *pruned,
                            struct weir_error *err)
{
	enum weir_status status = weir_store_prunable(store, choice, out, err);

	*pruned = 0;
	if (status || dry_run || (*out)->count == 0)
		return status;
	for (size_t i = 0; i < (*out)->count; i++)
		summarize((*out)->runs[i].run);
	status = weir_store_prune(store, *out, pruned, err);
	if (status) {
		weir_baseline_free(*out);
		*out = NULL;
	}
	return status;
}
