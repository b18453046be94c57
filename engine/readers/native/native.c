/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads weir.run/1: one run, written by `weir convert` or by hand. */
#include <math.h>
#include <string.h>

#include "engine/model/run_document.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define SCHEMA "weir.run/1"

static const struct weir_mark marks[] = {
	{.first = "{", .keys = {{"schema"}, .all = 1}, .texts = {{"\"" SCHEMA "\""}, .all = 1}},
	{0},
};

static const char *const top_keys[] = {"schema",    "unit",  "labels",  "stages", "device",
                                       "operators", "calls", "metrics", NULL};

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

/* The values of each table; metrics have another form. */
static const struct values {
	const char *what; /* for messages */
	bool scaled;      /* by the unit of the document */
} values_of[WEIR_RUN_METRICS] = {
	/* A request may not wait in a stage; operators and the device may not run in each iteration
         * of one. */
	[WEIR_RUN_STAGES] = {"times of at least 0", true},
	[WEIR_RUN_DEVICE] = {"times of at least 0", true},
	[WEIR_RUN_OPERATORS] = {"times of at least 0", true},
	[WEIR_RUN_CALLS] = {"numbers of at least 0", false},
};

static enum weir_status read_values(const cJSON *list, const struct values *values, double unit_ns,
                                    struct weir_series *series, struct weir_error *err)
{
	double scale = values->scaled ? unit_ns : 1;
	const cJSON *value;

	if (!cJSON_IsArray(list))
		return weir_fail(err, WEIR_E_FORMAT, "expected a list of %s", values->what);
	cJSON_ArrayForEach (value, list) {
		if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble * scale) ||
		    value->valuedouble < 0)
			return weir_fail(err, WEIR_E_FORMAT, "[%zu]: expected %s", series->count,
			                 values->what);
		weir_series_push(series, value->valuedouble * scale);
	}
	return series->count ? WEIR_OK
	                     : weir_fail(err, WEIR_E_EMPTY, "no values: expected a list of %s",
	                                 values->what);
}

static enum weir_status read_table(const cJSON *document, enum weir_run_table which, double unit_ns,
                                   struct weir_run *run, struct weir_error *err)
{
	struct weir_series_table *table = weir_run_table(run, which);
	const char *key = weir_run_table_name(which);
	const cJSON *object, *item;
	enum weir_status status = weir_json_object(document, key, &object, err);

	if (status || !object)
		return status;
	cJSON_ArrayForEach (item, object) {
		if (weir_series_find(table, item->string))
			status = weir_fail(err, WEIR_E_FORMAT, "given twice");
		else if (which == WEIR_RUN_METRICS)
			status = weir_run_read_metric(item, weir_series_get(table, item->string),
			                              err);
		else
			status = read_values(item, &values_of[which], unit_ns,
			                     weir_series_get(table, item->string), err);
		if (status)
			return weir_fail_in(err, "%s.%s", key, item->string);
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
	double unit_ns = 1;
	enum weir_status status = read_schema(document, err);

	if (!status)
		status = read_unit(document, &unit_ns, err);
	if (!status)
		status = weir_run_read_labels(document, run, err);
	for (unsigned t = 0; !status && t < WEIR_RUN_TABLE_COUNT; t++)
		status = read_table(document, (enum weir_run_table)t, unit_ns, run, err);
	/* A benchmark may have only figures; totals of kernels have no stages. */
	if (!status && !run->stages.count && !run->metrics.count && !run->device.count &&
	    !run->operators.count)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "stages: missing or empty, expected a list of times per stage");
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
	.title = "weir.run/1 documents, one value per iteration",
	.gives = "native run",
	.marks = marks,
	.read = read_native,
};
