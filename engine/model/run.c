/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/model/run.h"

WEIR_ENUM_TEXTS(weir_run_table, [WEIR_RUN_STAGES] = "stages", [WEIR_RUN_DEVICE] = "device",
                [WEIR_RUN_OPERATORS] = "operators", [WEIR_RUN_CALLS] = "calls",
                [WEIR_RUN_METRICS] = "metrics")

static const size_t table_offsets[WEIR_RUN_TABLE_COUNT] = {
	[WEIR_RUN_STAGES] = offsetof(struct weir_run, stages),
	[WEIR_RUN_DEVICE] = offsetof(struct weir_run, device),
	[WEIR_RUN_OPERATORS] = offsetof(struct weir_run, operators),
	[WEIR_RUN_CALLS] = offsetof(struct weir_run, calls),
	[WEIR_RUN_METRICS] = offsetof(struct weir_run, metrics),
};

struct weir_series_table *weir_run_table(struct weir_run *run, enum weir_run_table table)
{
	return (struct weir_series_table *)(void *)((char *)run + table_offsets[table]);
}

const struct weir_series_table *weir_run_table_of(const struct weir_run *run,
                                                  enum weir_run_table table)
{
	return (const struct weir_series_table *)(const void *)((const char *)run +
	                                                        table_offsets[table]);
}

struct weir_run *weir_run_new(void)
{
	return weir_alloc(sizeof(struct weir_run));
}

static void release_series(struct weir_series *series)
{
	free(series->name);
	free(series->value);
	free(series->unit);
	free(series->quantiles);
}

static void release_table(struct weir_series_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		release_series(&table->items[i]);
	free(table->items);
	weir_rowmap_release(&table->of_name);
}

static void free_one(struct weir_run *run)
{
	for (unsigned i = 0; i < WEIR_RUN_TABLE_COUNT; i++)
		release_table(weir_run_table(run, (enum weir_run_table)i));
	for (size_t i = 0; i < run->label_count; i++) {
		free(run->labels[i].key);
		free(run->labels[i].value);
	}
	free(run->labels);
	free(run);
}

void weir_run_free(struct weir_run *run)
{
	while (run) {
		struct weir_run *next = run->next;

		free_one(run);
		run = next;
	}
}

static uint32_t hash_name(const char *name)
{
	return (uint32_t)(weir_hash_text(name, strlen(name), 0) >> 32);
}

static struct weir_series *find_series(const struct weir_series_table *table, const char *name)
{
	uint32_t row, hash = hash_name(name);
	size_t probe = 0;

	while ((row = weir_rowmap_next(&table->of_name, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (strcmp(table->items[row].name, name) == 0)
			return &table->items[row];
	return NULL;
}

const struct weir_series *weir_series_find(const struct weir_series_table *table, const char *name)
{
	return find_series(table, name);
}

struct weir_series *weir_series_get(struct weir_series_table *table, const char *name)
{
	struct weir_series *series = find_series(table, name);

	if (series)
		return series;
	table->items =
		weir_grow(table->items, &table->capacity, table->count + 1, sizeof(*table->items));
	weir_rowmap_add(&table->of_name, hash_name(name), (uint32_t)table->count);
	series = &table->items[table->count++];
	*series = (struct weir_series){.name = weir_alloc_text(name)};
	return series;
}

void weir_series_push(struct weir_series *series, double value)
{
	series->value = weir_grow(series->value, &series->capacity, series->count + 1,
	                          sizeof(*series->value));
	series->value[series->count++] = value;
}

void weir_run_add_metric(struct weir_run *run, const char *name, double value, const char *unit,
                         bool higher_is_better)
{
	struct weir_series *series;

	if (!isfinite(value) || weir_series_find(&run->metrics, name))
		return;
	series = weir_series_get(&run->metrics, name);
	series->higher_is_better = higher_is_better;
	series->unit = unit ? weir_alloc_text(unit) : NULL;
	weir_series_push(series, value);
}

void weir_series_index(struct weir_series_table *table)
{
	weir_rowmap_clear(&table->of_name);
	for (size_t i = 0; i < table->count; i++)
		weir_rowmap_add(&table->of_name, hash_name(table->items[i].name), (uint32_t)i);
}

uint64_t weir_series_drop_empty(struct weir_series_table *table)
{
	uint64_t values = 0;
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++) {
		struct weir_series *series = &table->items[i];

		if (!series->count) {
			release_series(series);
			continue;
		}
		values += series->count;
		table->items[kept++] = *series;
	}
	table->count = kept;
	weir_series_index(table);
	return values;
}

static int by_series_name(const void *a, const void *b)
{
	const struct weir_series *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

const struct weir_series **weir_series_sorted(const struct weir_series_table *table)
{
	const struct weir_series **sorted = weir_alloc((table->count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < table->count; i++)
		sorted[i] = &table->items[i];
	qsort(sorted, table->count, sizeof(*sorted), by_series_name);
	return sorted;
}

static struct weir_run_label *find_label(const struct weir_run *run, const char *key)
{
	for (size_t i = 0; i < run->label_count; i++) {
		if (strcmp(run->labels[i].key, key) == 0)
			return &run->labels[i];
	}
	return NULL;
}

void weir_run_set_label(struct weir_run *run, const char *key, const char *value)
{
	struct weir_run_label *label = find_label(run, key);
	char *copy = weir_alloc_text(value); /* the value may be the one that is replaced */

	if (label) {
		free(label->value);
		label->value = copy;
		return;
	}
	run->labels = weir_grow(run->labels, &run->label_capacity, run->label_count + 1,
	                        sizeof(*run->labels));
	run->labels[run->label_count++] = (struct weir_run_label){weir_alloc_text(key), copy};
}

const char *weir_run_label(const struct weir_run *run, const char *key)
{
	const struct weir_run_label *label = find_label(run, key);

	return label ? label->value : NULL;
}

static int by_label_key(const void *a, const void *b)
{
	const struct weir_run_label *const *left = a, *const *right = b;

	return strcmp((*left)->key, (*right)->key);
}

const struct weir_run_label **weir_run_labels_sorted(const struct weir_run *run)
{
	const struct weir_run_label **sorted = weir_alloc((run->label_count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < run->label_count; i++)
		sorted[i] = &run->labels[i];
	qsort(sorted, run->label_count, sizeof(*sorted), by_label_key);
	return sorted;
}

bool weir_run_label_is_derived(const struct weir_run_label *label)
{
	return strcmp(label->key, WEIR_RUN_SESSION) == 0 &&
	       strncmp(label->value, WEIR_RUN_DERIVED, strlen(WEIR_RUN_DERIVED)) == 0;
}
