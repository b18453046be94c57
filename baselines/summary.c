/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/identity.h"
#include "baselines/summary.h"
#include "engine/base/arena.h"
#include "engine/model/bound.h"
#include "engine/model/comparison.h"
#include "engine/model/run_document.h"

static const char *const series_keys[] = {"count", "p50",   "p90",    "p95",  "p99",
                                          "shift", "value", "better", "unit", NULL};
static const char *const table_keys[] = {"stages", "device", "operators", "metrics", NULL};
static const char *const summary_keys[] = {"bound", "cause", "labels", "quantiles", NULL};

/* ---- writing ---- */

static void write_series(struct weir_jsonout *json, const struct weir_series *series, bool metric)
{
	weir_jsonout_begin_object_inline(json, series->name);
	weir_jsonout_int(json, "count", (int64_t)(series->count ? series->count : series->dropped));
	for (unsigned m = 0; m < WEIR_METRIC_RUN_COUNT; m++)
		weir_jsonout_double(json, weir_metric_name((enum weir_metric)m),
		                    series->quantiles[m]);
	if (metric) {
		weir_jsonout_text(json, "better", series->higher_is_better ? "higher" : "lower");
		if (series->unit)
			weir_jsonout_text(json, "unit", series->unit);
	}
	weir_jsonout_end(json);
}

void weir_summary_write_quantiles(struct weir_jsonout *json, const struct weir_run *run)
{
	weir_jsonout_begin_object(json, "quantiles");
	for (unsigned t = 0; t < WEIR_RUN_TABLE_COUNT; t++) {
		enum weir_run_table which = (enum weir_run_table)t;
		const struct weir_series **sorted;
		size_t count = weir_run_table_of(run, which)->count;

		if (which == WEIR_RUN_CALLS || count == 0)
			continue;
		sorted = weir_series_sorted(weir_run_table_of(run, which));
		weir_jsonout_begin_object(json, weir_run_table_name(which));
		for (size_t i = 0; i < count; i++)
			if (sorted[i]->quantiles)
				write_series(json, sorted[i], which == WEIR_RUN_METRICS);
		weir_jsonout_end(json);
		free(sorted);
	}
	weir_jsonout_end(json);
}

void weir_summary_write(const struct weir_baseline_run *run, struct weir_text *out)
{
	struct weir_jsonout json;

	weir_jsonout_init(&json, out, false);
	weir_jsonout_begin_object(&json, NULL);
	if (run->bound)
		weir_jsonout_text(&json, "bound", run->bound);
	if (run->cause)
		weir_jsonout_text(&json, "cause", run->cause);
	weir_run_write_labels(&json, run->run);
	weir_summary_write_quantiles(&json, run->run);
	weir_jsonout_end(&json);
}

/* ---- reading ---- */

static enum weir_status read_figures(const cJSON *object, struct weir_series *series,
                                     struct weir_error *err)
{
	double count;
	enum weir_status status = weir_json_number(object, "count", &count, err);

	series->quantiles = weir_alloc(WEIR_METRIC_RUN_COUNT * sizeof *series->quantiles);
	for (unsigned m = 0; !status && m < WEIR_METRIC_RUN_COUNT; m++) {
		const char *key = weir_metric_name((enum weir_metric)m);

		status = weir_json_number(object, key, &series->quantiles[m], err);
		if (!status && isinf(series->quantiles[m]))
			status = weir_fail(err, WEIR_E_FORMAT, "%s: expected a number", key);
	}
	if (status)
		return status;
	if (!(count >= 1 && count <= WEIR_RUN_MAX_VALUES) || count != floor(count))
		return weir_fail(err, WEIR_E_FORMAT, "count: expected a number of samples");
	series->dropped = (size_t)count;
	return WEIR_OK;
}

static enum weir_status read_series(const cJSON *object, struct weir_series_table *table,
                                    struct weir_error *err)
{
	const char *better = NULL, *unit = NULL;
	struct weir_series *series;
	enum weir_status status;

	if (!cJSON_IsObject(object))
		return weir_fail(err, WEIR_E_FORMAT, "expected an object");
	if (table->count >= WEIR_RUN_MAX_SERIES || strlen(object->string) > WEIR_RUN_MAX_NAME)
		return weir_fail(err, WEIR_E_LIMIT, "more than %d series, or a longer name",
		                 WEIR_RUN_MAX_SERIES);
	if (weir_series_find(table, object->string))
		return weir_fail(err, WEIR_E_FORMAT, "given twice");
	series = weir_series_get(table, object->string);
	status = weir_json_known_keys(object, series_keys, err);
	if (!status)
		status = read_figures(object, series, err);
	if (!status)
		status = weir_json_text(object, "better", &better, err);
	if (!status)
		status = weir_json_text(object, "unit", &unit, err);
	if (status)
		return status;
	if (unit && strlen(unit) > WEIR_RUN_MAX_NAME)
		return weir_fail(err, WEIR_E_LIMIT, "unit: more than %d bytes", WEIR_RUN_MAX_NAME);
	series->higher_is_better = better && strcmp(better, "higher") == 0;
	series->unit = weir_alloc_text(unit);
	return WEIR_OK;
}

static enum weir_status read_table(const cJSON *quantiles, const char *key, struct weir_run *run,
                                   struct weir_error *err)
{
	enum weir_run_table which = WEIR_RUN_STAGES;
	const cJSON *table, *series;
	enum weir_status status = weir_json_object(quantiles, key, &table, err);

	if (status || !table || !weir_run_table_parse(key, &which))
		return status;
	cJSON_ArrayForEach (series, table)
		if (read_series(series, weir_run_table(run, which), err))
			return weir_fail_in(err, "%s.%.200s", key, series->string);
	return WEIR_OK;
}

enum weir_status weir_summary_read_quantiles(const cJSON *object, struct weir_run *run, bool *found,
                                             struct weir_error *err)
{
	const cJSON *quantiles;
	enum weir_status status = weir_json_object(object, "quantiles", &quantiles, err);

	*found = !status && quantiles;
	if (!*found)
		return status;
	status = weir_json_known_keys(quantiles, table_keys, err);
	for (size_t i = 0; !status && table_keys[i]; i++)
		status = read_table(quantiles, table_keys[i], run, err);
	return status ? weir_fail_in(err, "quantiles") : WEIR_OK;
}

static enum weir_status read_document(const cJSON *document, struct weir_baseline *baseline,
                                      struct weir_baseline_run *run, struct weir_error *err)
{
	const char *bound = NULL, *cause = NULL;
	enum weir_bound known;
	bool found = false;
	enum weir_status status;

	if (!cJSON_IsObject(document))
		return weir_fail(err, WEIR_E_FORMAT, "expected an object");
	status = weir_json_known_keys(document, summary_keys, err);
	if (!status)
		status = weir_json_text(document, "bound", &bound, err);
	if (!status)
		status = weir_json_text(document, "cause", &cause, err);
	if (!status && bound && !weir_bound_parse(bound, &known))
		status = weir_fail(err, WEIR_E_FORMAT, "bound: \"%.40s\" is not a bound", bound);
	if (!status)
		status = weir_run_read_labels(document, run->run, err);
	if (!status)
		status = weir_summary_read_quantiles(document, run->run, &found, err);
	if (!status && !found)
		status = weir_fail(err, WEIR_E_FORMAT, "quantiles: expected an object");
	if (status)
		return status;
	run->bound = weir_baseline_text(baseline, bound);
	run->cause = weir_baseline_text(baseline, cause);
	weir_run_count(run);
	return WEIR_OK;
}

enum weir_status weir_summary_read(const char *text, struct weir_baseline *baseline,
                                   struct weir_baseline_run *run, struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_parse(text, strlen(text), &document, err);

	if (!status)
		status = read_document(document, baseline, run, err);
	cJSON_Delete(document);
	return status;
}
