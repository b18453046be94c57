/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "baselines/exchange.h"
#include "baselines/identity.h"
#include "baselines/summary.h"
#include "engine/model/bound.h"
#include "engine/model/run_document.h"

#define SCHEMA "weir.baseline/1"

static const char *const top_keys[] = {"schema", "name", "unit", "runs", NULL};
static const char *const run_keys[] = {"recorded", "history", "bound",     "cause", "labels",
                                       "stages",   "device",  "operators", "calls", "metrics",
                                       "pinned",   "id",      "quantiles", NULL};

/* --- series --- */

/* Accepts numbers that a double holds; weir_run_check() checks their ranges. */
static enum weir_status read_values(const cJSON *list, struct weir_series *series,
                                    struct weir_error *err)
{
	const cJSON *value;

	if (!cJSON_IsArray(list))
		return weir_fail(err, WEIR_E_FORMAT, "expected a list of numbers");
	cJSON_ArrayForEach (value, list) {
		if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble))
			return weir_fail(err, WEIR_E_FORMAT, "[%zu]: expected a number",
			                 series->count);
		weir_series_push(series, value->valuedouble);
	}
	return WEIR_OK;
}

static enum weir_status read_series(const cJSON *item, enum weir_run_table which,
                                    struct weir_series_table *table, struct weir_error *err)
{
	if (weir_series_find(table, item->string))
		return weir_fail(err, WEIR_E_FORMAT, "given twice");
	if (table->count >= WEIR_RUN_MAX_SERIES)
		return weir_fail(err, WEIR_E_LIMIT, "more than %d series", WEIR_RUN_MAX_SERIES);
	if (which == WEIR_RUN_METRICS)
		return weir_run_read_metric(item, weir_series_get(table, item->string), err);
	return read_values(item, weir_series_get(table, item->string), err);
}

static enum weir_status read_table(const cJSON *object, enum weir_run_table which,
                                   struct weir_run *run, struct weir_error *err)
{
	const char *key = weir_run_table_name(which);
	const cJSON *table, *item;
	enum weir_status status = weir_json_object(object, key, &table, err);

	if (status || !table)
		return status;
	cJSON_ArrayForEach (item, table) {
		if (read_series(item, which, weir_run_table(run, which), err))
			return weir_fail_in(err, "%s.%.200s", key, item->string);
	}
	return WEIR_OK;
}

/* --- a run --- */

static enum weir_status read_head(const cJSON *object, struct weir_baseline *baseline,
                                  struct weir_baseline_run *run, struct weir_error *err)
{
	const char *recorded = NULL, *bound = NULL, *cause = NULL, *id = NULL;
	enum weir_bound known;
	enum weir_status status = weir_json_text(object, "recorded", &recorded, err);

	if (!status)
		status = weir_json_text(object, "bound", &bound, err);
	if (!status)
		status = weir_json_text(object, "cause", &cause, err);
	if (!status)
		status = weir_json_bool(object, "history", false, &run->history, err);
	if (!status)
		status = weir_json_bool(object, "pinned", false, &run->pinned, err);
	if (!status)
		status = weir_json_text(object, "id", &id, err);
	if (status)
		return status;
	if (!recorded || !weir_recorded_valid(recorded))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "recorded: expected a time like 2026-11-20T14:00:00Z");
	if (bound && !weir_bound_parse(bound, &known))
		return weir_fail(err, WEIR_E_FORMAT, "bound: \"%.40s\" is not a bound", bound);
	run->recorded = weir_baseline_text(baseline, recorded);
	run->bound = weir_baseline_text(baseline, bound);
	run->cause = weir_baseline_text(baseline, cause);
	run->id = weir_baseline_text(baseline, id);
	return WEIR_OK;
}

static enum weir_status read_run(const cJSON *object, struct weir_baseline *baseline,
                                 struct weir_error *err)
{
	struct weir_baseline_run *run = weir_baseline_take(baseline, weir_run_new(), NULL);
	enum weir_status status;

	if (!cJSON_IsObject(object))
		return weir_fail(err, WEIR_E_FORMAT, "expected an object");
	status = weir_json_known_keys(object, run_keys, err);
	if (!status)
		status = read_head(object, baseline, run, err);
	if (!status)
		status = weir_run_read_labels(object, run->run, err);
	if (!status)
		status = weir_summary_read_quantiles(object, run->run, &run->pruned, err);
	for (unsigned t = 0; !status && !run->pruned && t < WEIR_RUN_TABLE_COUNT; t++)
		status = read_table(object, (enum weir_run_table)t, run->run, err);
	return status || run->pruned ? status : weir_run_check(run->run, err);
}

/* --- the document --- */

static enum weir_status expect_text(const cJSON *document, const char *key, const char *expected,
                                    struct weir_error *err)
{
	const char *text = NULL;
	enum weir_status status = weir_json_text(document, key, &text, err);

	if (!status && (!text || strcmp(text, expected) != 0))
		status = weir_fail(err, WEIR_E_FORMAT, "%s: expected \"%s\"", key, expected);
	return status;
}

static enum weir_status read_top(const cJSON *document, const char **name, const cJSON **runs,
                                 struct weir_error *err)
{
	enum weir_status status;

	if (!cJSON_IsObject(document))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "expected an object with \"schema\": \"" SCHEMA "\"");
	status = expect_text(document, "schema", SCHEMA, err);
	if (!status)
		status = weir_json_known_keys(document, top_keys, err);
	if (!status)
		status = expect_text(document, "unit", "ns", err);
	if (!status)
		status = weir_json_text(document, "name", name, err);
	if (!status)
		status = weir_json_array(document, "runs", runs, err);
	if (status)
		return status;
	if (!*name || weir_baseline_check_name(*name, err))
		return weir_fail(err, WEIR_E_FORMAT, "name: expected the name of a baseline");
	if (!*runs || !(*runs)->child)
		return weir_fail(err, WEIR_E_EMPTY, "runs: expected a list of runs");
	return WEIR_OK;
}

static enum weir_status read_document(const cJSON *document, struct weir_baseline **out,
                                      struct weir_error *err)
{
	const char *name = NULL;
	const cJSON *runs = NULL, *run;
	enum weir_status status = read_top(document, &name, &runs, err);

	if (status)
		return status;
	*out = weir_baseline_new(name);
	cJSON_ArrayForEach (run, runs) {
		if ((*out)->count >= WEIR_EXCHANGE_MAX_RUNS)
			return weir_fail(err, WEIR_E_LIMIT, "runs: more than %d",
			                 WEIR_EXCHANGE_MAX_RUNS);
		if (read_run(run, *out, err))
			return weir_fail_in(err, "runs[%zu]", (*out)->count - 1);
	}
	return WEIR_OK;
}

enum weir_status weir_baseline_read(struct weir_source *source, struct weir_baseline **out,
                                    struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_read(source, &document, err);

	*out = NULL;
	if (!status)
		status = read_document(document, out, err);
	cJSON_Delete(document);
	if (status) {
		weir_baseline_free(*out);
		*out = NULL;
		return weir_fail_in(err, "%s", weir_source_name(source));
	}
	return WEIR_OK;
}
