/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsonout.h"
#include "engine/report/run_json.h"

#define EXACT_WHOLE 9007199254740992.0 /* 2^53: a double below it is the integer it shows */

static int by_series_name(const void *a, const void *b)
{
	const struct weir_series *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

static int by_label_key(const void *a, const void *b)
{
	const struct weir_run_label *const *left = a, *const *right = b;

	return strcmp((*left)->key, (*right)->key);
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

static void write_metric(struct weir_jsonout *json, const char *key,
                         const struct weir_series *series)
{
	weir_jsonout_begin_object_inline(json, key);
	write_values(json, "values", series);
	weir_jsonout_text(json, "better", series->higher_is_better ? "higher" : "lower");
	if (series->unit)
		weir_jsonout_text(json, "unit", series->unit);
	weir_jsonout_end(json);
}

static void
write_table(struct weir_jsonout *json, const char *key, const struct weir_series_table *table,
            void (*write)(struct weir_jsonout *, const char *, const struct weir_series *))
{
	const struct weir_series **sorted = weir_alloc((table->count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < table->count; i++)
		sorted[i] = &table->items[i];
	qsort(sorted, table->count, sizeof(*sorted), by_series_name);
	weir_jsonout_begin_object(json, key);
	for (size_t i = 0; i < table->count; i++)
		write(json, sorted[i]->name, sorted[i]);
	weir_jsonout_end(json);
	free(sorted);
}

static void write_labels(struct weir_jsonout *json, const struct weir_run *run)
{
	const struct weir_run_label **sorted = weir_alloc((run->label_count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < run->label_count; i++)
		sorted[i] = &run->labels[i];
	qsort(sorted, run->label_count, sizeof(*sorted), by_label_key);
	weir_jsonout_begin_object(json, "labels");
	for (size_t i = 0; i < run->label_count; i++)
		weir_jsonout_text(json, sorted[i]->key, sorted[i]->value);
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
	if (run->label_count)
		write_labels(&json, run);
	write_table(&json, "stages", &run->stages, write_values);
	if (run->device.count)
		write_table(&json, "device", &run->device, write_values);
	if (run->operators.count)
		write_table(&json, "operators", &run->operators, write_values);
	if (run->calls.count)
		write_table(&json, "calls", &run->calls, write_values);
	if (run->metrics.count)
		write_table(&json, "metrics", &run->metrics, write_metric);
	weir_jsonout_end(&json);
	weir_text_puts(out, "\n");
}
