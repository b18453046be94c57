/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "baselines/exchange.h"
#include "baselines/identity.h"
#include "engine/base/arena.h"
#include "engine/base/jsonout.h"

static void write_values(struct weir_jsonout *json, const char *key,
                         const struct weir_series *series)
{
	weir_jsonout_begin_array_inline(json, key);
	for (size_t i = 0; i < series->count; i++)
		weir_jsonout_double(json, NULL, series->value[i] + 0.0); /* -0 becomes 0 */
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

static int by_series_name(const void *a, const void *b)
{
	const struct weir_series *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

static void write_table(struct weir_jsonout *json, enum weir_run_table which,
                        const struct weir_series_table *table)
{
	const struct weir_series **sorted = weir_alloc((table->count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < table->count; i++)
		sorted[i] = &table->items[i];
	qsort(sorted, table->count, sizeof(*sorted), by_series_name);
	weir_jsonout_begin_object(json, weir_run_table_name(which));
	for (size_t i = 0; i < table->count; i++) {
		if (which == WEIR_RUN_METRICS)
			write_metric(json, sorted[i]);
		else
			write_values(json, sorted[i]->name, sorted[i]);
	}
	weir_jsonout_end(json);
	free(sorted);
}

static int by_label_key(const void *a, const void *b)
{
	const struct weir_run_label *const *left = a, *const *right = b;

	return strcmp((*left)->key, (*right)->key);
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

static void write_run(struct weir_jsonout *json, const struct weir_baseline_run *run)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "recorded", run->recorded);
	if (run->history)
		weir_jsonout_bool(json, "history", true);
	if (run->bound)
		weir_jsonout_text(json, "bound", run->bound);
	if (run->cause)
		weir_jsonout_text(json, "cause", run->cause);
	if (run->run->label_count)
		write_labels(json, run->run);
	for (unsigned t = 0; t < WEIR_RUN_TABLE_COUNT; t++) {
		enum weir_run_table which = (enum weir_run_table)t;
		const struct weir_series_table *table = weir_run_table_of(run->run, which);

		if (table->count)
			write_table(json, which, table);
	}
	weir_jsonout_end(json);
}

void weir_baseline_write(const struct weir_baseline *baseline, struct weir_text *out)
{
	struct weir_jsonout json;

	weir_jsonout_init(&json, out, true);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "schema", "weir.baseline/1");
	weir_jsonout_text(&json, "name", baseline->name);
	weir_jsonout_text(&json, "unit", "ns");
	weir_jsonout_begin_array(&json, "runs");
	for (size_t i = 0; i < baseline->count; i++)
		write_run(&json, &baseline->runs[i]);
	weir_jsonout_end(&json);
	weir_jsonout_end(&json);
	weir_text_puts(out, "\n");
}
