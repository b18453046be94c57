/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/model/run_document.h"

#define EXACT_WHOLE 9007199254740992.0 /* 2^53: whole doubles below it are exact */

static const char *const metric_keys[] = {"values", "better", "unit", NULL};

/* ---- reading ---- */

enum weir_status weir_run_read_labels(const cJSON *object, struct weir_run *run,
                                      struct weir_error *err)
{
	const cJSON *labels, *label;
	enum weir_status status = weir_json_object(object, "labels", &labels, err);

	if (status || !labels)
		return status;
	if (cJSON_GetArraySize(labels) > WEIR_RUN_MAX_LABELS)
		return weir_fail(err, WEIR_E_LIMIT, "labels: more than %d of them",
		                 WEIR_RUN_MAX_LABELS);
	cJSON_ArrayForEach (label, labels) {
		if (!cJSON_IsString(label))
			return weir_fail(err, WEIR_E_FORMAT, "labels.%.200s: expected text",
			                 label->string);
		if (weir_run_label(run, label->string))
			return weir_fail(err, WEIR_E_FORMAT, "labels.%.200s: given twice",
			                 label->string);
		weir_run_set_label(run, label->string, label->valuestring);
	}
	return WEIR_OK;
}

static enum weir_status read_direction(const cJSON *metric, bool *higher, struct weir_error *err)
{
	const char *better;
	enum weir_status status = weir_json_text(metric, "better", &better, err);

	if (status)
		return status;
	if (!better || (strcmp(better, "higher") != 0 && strcmp(better, "lower") != 0))
		return weir_fail(err, WEIR_E_FORMAT, "better: expected \"higher\" or \"lower\"");
	*higher = strcmp(better, "higher") == 0;
	return WEIR_OK;
}

static enum weir_status read_metric_values(const cJSON *metric, struct weir_series *series,
                                           struct weir_error *err)
{
	const cJSON *list, *value;
	enum weir_status status = weir_json_array(metric, "values", &list, err);

	if (status)
		return status;
	cJSON_ArrayForEach (value, list) {
		if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble))
			return weir_fail(err, WEIR_E_FORMAT, "values[%zu]: expected a number",
			                 series->count);
		weir_series_push(series, value->valuedouble);
	}
	return series->count ? WEIR_OK
	                     : weir_fail(err, WEIR_E_EMPTY, "values: expected a list of numbers");
}

enum weir_status weir_run_read_metric(const cJSON *metric, struct weir_series *series,
                                      struct weir_error *err)
{
	const char *unit = NULL;
	enum weir_status status;

	if (!cJSON_IsObject(metric))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "expected an object with \"values\" and \"better\"");
	status = weir_json_known_keys(metric, metric_keys, err);
	if (!status)
		status = weir_json_text(metric, "unit", &unit, err);
	if (!status)
		status = read_direction(metric, &series->higher_is_better, err);
	if (!status)
		status = read_metric_values(metric, series, err);
	if (!status)
		series->unit = weir_alloc_text(unit);
	return status;
}

/* ---- writing ---- */

void weir_run_write_labels(struct weir_jsonout *json, const struct weir_run *run)
{
	const struct weir_run_label **sorted;

	if (!run->label_count)
		return;
	sorted = weir_run_labels_sorted(run);
	weir_jsonout_begin_object(json, "labels");
	for (size_t i = 0; i < run->label_count; i++)
		weir_jsonout_text(json, sorted[i]->key, sorted[i]->value);
	weir_jsonout_end(json);
	free(sorted);
}

static void write_value(struct weir_jsonout *json, double value)
{
	if (value == floor(value) && fabs(value) < EXACT_WHOLE)
		weir_jsonout_int(json, NULL, (int64_t)value);
	else
		weir_jsonout_double(json, NULL, value);
}

static void write_values(struct weir_jsonout *json, const char *key,
                         const struct weir_series *series)
{
	weir_jsonout_begin_array_inline(json, key);
	for (size_t i = 0; i < series->count; i++)
		write_value(json, series->value[i]);
	weir_jsonout_end(json);
}

static void write_metric(struct weir_jsonout *json, const struct weir_series *series)
{
	weir_jsonout_begin_object_inline(json, series->name);
	write_values(json, "values", series);
	weir_jsonout_text(json, "better", series->higher_is_better ? "higher" : "lower");
	if (series->unit)
		weir_jsonout_text(json, "unit", series->unit);
	weir_jsonout_end(json);
}

void weir_run_write_table(struct weir_jsonout *json, const struct weir_run *run,
                          enum weir_run_table table)
{
	const struct weir_series_table *series = weir_run_table_of(run, table);
	const struct weir_series **sorted = weir_series_sorted(series);

	weir_jsonout_begin_object(json, weir_run_table_name(table));
	for (size_t i = 0; i < series->count; i++) {
		if (table == WEIR_RUN_METRICS)
			write_metric(json, sorted[i]);
		else
			write_values(json, sorted[i]->name, sorted[i]);
	}
	weir_jsonout_end(json);
	free(sorted);
}

void weir_run_json(const struct weir_run *run, struct weir_text *out)
{
	struct weir_jsonout json;

	weir_jsonout_init(&json, out, true);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "schema", "weir.run/1");
	weir_jsonout_text(&json, "unit", "ns");
	weir_run_write_labels(&json, run);
	for (unsigned i = 0; i < WEIR_RUN_TABLE_COUNT; i++) {
		enum weir_run_table table = (enum weir_run_table)i;

		if (table == WEIR_RUN_STAGES || weir_run_table_of(run, table)->count)
			weir_run_write_table(&json, run, table);
	}
	weir_jsonout_end(&json);
	weir_text_puts(out, "\n");
}
