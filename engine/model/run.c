/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/model/run.h"

static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = weir_alloc(size);

	memcpy(copy, text, size);
	return copy;
}

struct weir_run *weir_run_new(void)
{
	return weir_alloc(sizeof(struct weir_run));
}

static void release_table(struct weir_series_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		free(table->items[i].name);
		free(table->items[i].value);
		free(table->items[i].unit);
	}
	free(table->items);
}

void weir_run_free(struct weir_run *run)
{
	if (!run)
		return;
	release_table(&run->stages);
	release_table(&run->device);
	release_table(&run->operators);
	release_table(&run->calls);
	release_table(&run->metrics);
	for (size_t i = 0; i < run->label_count; i++) {
		free(run->labels[i].key);
		free(run->labels[i].value);
	}
	free(run->labels);
	free(run);
}

static struct weir_series *find_series(const struct weir_series_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++) {
		if (strcmp(table->items[i].name, name) == 0)
			return &table->items[i];
	}
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
	series = &table->items[table->count++];
	*series = (struct weir_series){.name = copy_text(name)};
	return series;
}

void weir_series_push(struct weir_series *series, double value)
{
	series->value = weir_grow(series->value, &series->capacity, series->count + 1,
	                          sizeof(*series->value));
	series->value[series->count++] = value;
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
	char *copy = copy_text(value); /* value may be the one that is replaced */

	if (label) {
		free(label->value);
		label->value = copy;
		return;
	}
	run->labels = weir_grow(run->labels, &run->label_capacity, run->label_count + 1,
	                        sizeof(*run->labels));
	run->labels[run->label_count++] = (struct weir_run_label){copy_text(key), copy};
}

const char *weir_run_label(const struct weir_run *run, const char *key)
{
	const struct weir_run_label *label = find_label(run, key);

	return label ? label->value : NULL;
}
