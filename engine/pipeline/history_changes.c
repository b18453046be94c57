/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/pipeline/history_changes.h"
#include "engine/report/plain/escape.h"

#define MOST 0.75 /* share of the runs of a level that have one value of a label */

const char *weir_history_commit(const struct weir_run *run)
{
	static const char *const keys[] = {"commit", "git_commit", "revision", "sha"};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (weir_run_label(run, keys[i]))
			return weir_run_label(run, keys[i]);
	return NULL;
}

/* Runs between two change points. */
struct level {
	const struct weir_baseline_run *runs;
	size_t count;
};

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct weir_change *)a)->key, ((const struct weir_change *)b)->key);
}

static bool is_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Finds the value that a label has in most runs of a level, NULL if they lack it (R. S. Boyer and J
 * S. Moore, MJRTY, 1981). Returns false if fewer than MOST of the runs have one value. */
static bool find_most(const struct level *level, const char *key, const char **value)
{
	size_t lead = 0, have = 0;

	*value = NULL;
	for (size_t i = 0; i < level->count; i++) {
		const char *label = weir_run_label(level->runs[i].run, key);

		if (lead == 0)
			*value = label;
		if (is_equal(label, *value))
			lead++;
		else
			lead--;
	}
	for (size_t i = 0; i < level->count; i++)
		have += is_equal(weir_run_label(level->runs[i].run, key), *value);
	return (double)have >= MOST * (double)level->count;
}

static bool is_listed(const struct weir_change *changes, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(changes[i].key, key) == 0)
			return true;
	return false;
}

/* Appends each label of the runs of a level once, without commits and sessions found by weir. */
static struct weir_change *add_keys(struct weir_change *changes, size_t *count,
                                    const struct level *level)
{
	size_t capacity = *count;

	for (size_t i = 0; i < level->count; i++) {
		const struct weir_run *run = level->runs[i].run;

		for (size_t l = 0; l < run->label_count; l++) {
			const struct weir_run_label *label = &run->labels[l];

			if (weir_run_label_is_derived(label) ||
			    label->value == weir_history_commit(run) ||
			    is_listed(changes, *count, label->key))
				continue;
			changes = weir_grow(changes, &capacity, *count + 1, sizeof *changes);
			changes[(*count)++] = (struct weir_change){.key = label->key};
		}
	}
	return changes;
}

void weir_changes_find(struct weir_changes *changes, const struct weir_baseline *baseline,
                       const size_t *cuts, size_t cut_count, size_t at)
{
	size_t first = 0, end = baseline->count, keys = 0;
	struct level before, after;

	for (size_t i = 0; i < cut_count; i++) {
		if (cuts[i] < at)
			first = cuts[i];
		if (cuts[i] > at && cuts[i] < end)
			end = cuts[i];
	}
	before = (struct level){baseline->runs + first, at - first};
	after = (struct level){baseline->runs + at, end - at};
	changes->items = add_keys(add_keys(NULL, &keys, &before), &keys, &after);
	changes->count = 0;
	for (size_t i = 0; i < keys; i++) {
		struct weir_change one = changes->items[i];

		if (find_most(&before, one.key, &one.from) && find_most(&after, one.key, &one.to) &&
		    !is_equal(one.from, one.to))
			changes->items[changes->count++] = one;
	}
	if (changes->count > 0)
		qsort(changes->items, changes->count, sizeof *changes->items, by_key);
}

void weir_changes_release(struct weir_changes *changes)
{
	free(changes->items);
	*changes = (struct weir_changes){0};
}

static void add_value(struct weir_text *text, const char *value)
{
	if (value)
		weir_escape_plain(text, value);
	else
		weir_text_puts(text, "(none)");
}

void weir_changes_text(const struct weir_changes *changes, const char *prefix,
                       struct weir_text *text)
{
	for (size_t i = 0; i < changes->count; i++) {
		weir_text_puts(text, i ? ", " : prefix);
		weir_escape_plain(text, changes->items[i].key);
		weir_text_puts(text, " ");
		add_value(text, changes->items[i].from);
		weir_text_puts(text, " -> ");
		add_value(text, changes->items[i].to);
	}
}

void weir_changes_json(const struct weir_changes *changes, struct weir_jsonout *json)
{
	weir_jsonout_begin_object_inline(json, "changed");
	for (size_t i = 0; i < changes->count; i++) {
		weir_jsonout_begin_object_inline(json, changes->items[i].key);
		weir_jsonout_text(json, "from", changes->items[i].from);
		weir_jsonout_text(json, "to", changes->items[i].to);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
}
