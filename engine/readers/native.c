/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads weir.run/1: one run as `weir convert` writes it, or as anyone can write it by hand. */
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/json.h"
#include "engine/readers/readers.h"
#include "engine/readers/sniff.h"

#define SCHEMA "weir.run/1"

static const char *const schema_key[] = {"schema", NULL};

static int sniff(const char *head, size_t len)
{
	const char *at, *end = head + len;

	if (weir_sniff_first(head, len) != '{' || !weir_sniff_keys(head, len, schema_key))
		return 0;
	for (at = head; (at = memchr(at, '"', (size_t)(end - at))) != NULL; at++)
		if ((size_t)(end - at) > sizeof(SCHEMA) &&
		    !memcmp(at + 1, SCHEMA "\"", sizeof(SCHEMA)))
			return 8 * (int)(sizeof("schema") + sizeof(SCHEMA) - 2);
	return 0;
}

static const char *const top_keys[] = {"schema",    "unit",  "labels",  "stages", "device",
                                       "operators", "calls", "metrics", NULL};
static const char *const metric_keys[] = {"values", "better", "unit", NULL};

static const struct {
	const char *name;
	double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

static enum weir_status read_unit(const cJSON *document, double *scale, struct weir_error *err)
{
	const char *unit;
	enum weir_status status = weir_json_text(document, "unit", &unit, err);

	if (status)
		return status;
	if (!unit)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "unit: missing, expected \"ns\", \"us\", \"ms\" or \"s\"");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i].name) == 0) {
			*scale = units[i].ns;
			return WEIR_OK;
		}
	return weir_fail(err, WEIR_E_FORMAT,
	                 "unit: expected \"ns\", \"us\", \"ms\" or \"s\", not \"%s\"", unit);
}

/* What the values of a table are. */
struct table {
	const char *key;
	const char *what; /* a value is expected to be this */
	bool positive;    /* else 0 is one too */
	bool scaled;      /* times, by the unit */
};

static enum weir_status read_values(const cJSON *list, const struct table *table, double scale,
                                    struct weir_series *series, struct weir_error *err)
{
	const cJSON *value;
	size_t i = 0;

	cJSON_ArrayForEach (value, list) {
		if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) ||
		    value->valuedouble < 0 || (table->positive && value->valuedouble <= 0) ||
		    !isfinite(value->valuedouble * scale))
			return weir_fail(err, WEIR_E_FORMAT, "[%zu]: expected %s", i, table->what);
		weir_series_push(series, value->valuedouble * scale);
		i++;
	}
	return i ? WEIR_OK
	         : weir_fail(err, WEIR_E_EMPTY, "no values: expected a list of %s", table->what);
}

static enum weir_status read_table(const cJSON *document, const struct table *table, double scale,
                                   struct weir_series_table *out, struct weir_error *err)
{
	const cJSON *object, *list;
	enum weir_status status = weir_json_object(document, table->key, &object, err);

	if (status || !object)
		return status;
	cJSON_ArrayForEach (list, object) {
		if (!cJSON_IsArray(list))
			status =
				weir_fail(err, WEIR_E_FORMAT, "expected a list of %s", table->what);
		else if (weir_series_find(out, list->string))
			status = weir_fail(err, WEIR_E_FORMAT, "given twice");
		else
			status = read_values(list, table, table->scaled ? scale : 1,
			                     weir_series_get(out, list->string), err);
		if (status)
			return weir_fail_in(err, "%s.%s", table->key, list->string);
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

static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = weir_alloc(size);

	memcpy(copy, text, size);
	return copy;
}

/* Metrics may be negative: they are figures, not times. */
static enum weir_status read_metric_values(const cJSON *metric, struct weir_series *series,
                                           struct weir_error *err)
{
	const cJSON *list, *value;
	size_t i = 0;
	enum weir_status status = weir_json_array(metric, "values", &list, err);

	if (status)
		return status;
	cJSON_ArrayForEach (value, list) {
		if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble))
			return weir_fail(err, WEIR_E_FORMAT, "values[%zu]: expected a number", i);
		weir_series_push(series, value->valuedouble);
		i++;
	}
	return i ? WEIR_OK : weir_fail(err, WEIR_E_EMPTY, "values: expected a list of numbers");
}

static enum weir_status read_metric(const cJSON *metric, struct weir_series *series,
                                    struct weir_error *err)
{
	const char *unit;
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
	if (!status && unit)
		series->unit = copy_text(unit);
	return status;
}

static enum weir_status read_metrics(const cJSON *document, struct weir_series_table *out,
                                     struct weir_error *err)
{
	const cJSON *object, *metric;
	enum weir_status status = weir_json_object(document, "metrics", &object, err);

	if (status || !object)
		return status;
	cJSON_ArrayForEach (metric, object) {
		if (weir_series_find(out, metric->string))
			status = weir_fail(err, WEIR_E_FORMAT, "given twice");
		else
			status = read_metric(metric, weir_series_get(out, metric->string), err);
		if (status)
			return weir_fail_in(err, "metrics.%s", metric->string);
	}
	return WEIR_OK;
}

static enum weir_status read_labels(const cJSON *document, struct weir_run *run,
                                    struct weir_error *err)
{
	const cJSON *object, *label;
	enum weir_status status = weir_json_object(document, "labels", &object, err);

	if (status || !object)
		return status;
	cJSON_ArrayForEach (label, object) {
		if (!cJSON_IsString(label))
			return weir_fail(err, WEIR_E_FORMAT, "labels.%s: expected text",
			                 label->string);
		weir_run_set_label(run, label->string, label->valuestring);
	}
	return WEIR_OK;
}

static enum weir_status read_schema(const cJSON *document, struct weir_error *err)
{
	const char *schema = NULL;
	enum weir_status status;

	if (!cJSON_IsObject(document))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "expected an object with \"schema\": \"" SCHEMA "\"");
	status = weir_json_text(document, "schema", &schema, err);
	if (status)
		return status;
	if (!schema || strcmp(schema, SCHEMA) != 0)
		return weir_fail(err, WEIR_E_FORMAT, "schema: expected \"" SCHEMA "\"");
	return weir_json_known_keys(document, top_keys, err);
}

static enum weir_status read_run(const cJSON *document, struct weir_run *run,
                                 struct weir_error *err)
{
	static const struct table stages = {"stages", "positive times", true, true};
	/* An operator or the device may not run in every iteration of a stage. */
	static const struct table device = {"device", "times from 0", false, true};
	static const struct table operators = {"operators", "times from 0", false, true};
	static const struct table calls = {"calls", "numbers from 0", false, false};
	double scale = 1;
	enum weir_status status = read_schema(document, err);

	if (!status)
		status = read_unit(document, &scale, err);
	if (!status)
		status = read_labels(document, run, err);
	if (!status)
		status = read_table(document, &stages, scale, &run->stages, err);
	if (!status)
		status = read_table(document, &device, scale, &run->device, err);
	if (!status)
		status = read_table(document, &operators, scale, &run->operators, err);
	if (!status)
		status = read_table(document, &calls, scale, &run->calls, err);
	if (!status)
		status = read_metrics(document, &run->metrics, err);
	/* A benchmark may keep nothing but its figures. */
	if (!status && !run->stages.count && !run->metrics.count)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "stages: missing or empty, expected a list of times a stage");
	return status;
}

static uint64_t count_values(const struct weir_series_table *table)
{
	uint64_t count = 0;

	for (size_t i = 0; i < table->count; i++)
		count += table->items[i].count;
	return count;
}

static enum weir_status read_native(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_read(source, &document, err);

	if (status)
		return status;
	input->run = weir_run_new();
	status = read_run(document, input->run, err);
	input->events = count_values(&input->run->stages);
	cJSON_Delete(document);
	return status;
}

const struct weir_reader weir_reader_native = {
	.name = "weir.run",
	.title = "weir.run/1 documents, one value an iteration",
	.gives = "native run",
	.sniff = sniff,
	.read = read_native,
};
