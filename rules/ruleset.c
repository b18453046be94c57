/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/embed.h"
#include "engine/base/json.h"
#include "engine/base/source.h"
#include "engine/base/text.h"
#include "engine/model/feature.h"
#include "rules/ruleset.h"

#define CATALOG "rules/catalog/"
#define SUFFIX  ".json"

struct weir_ruleset {
	const struct weir_feature_table *features;
	struct weir_arena *arena;
	struct weir_rule **rules; /* in order; each in the arena */
	size_t count, capacity;
	const char **kept; /* texts of weir_ruleset_keep() */
	size_t kept_count, kept_capacity;
};

/* --- the set --- */

static struct weir_ruleset *set_new(const struct weir_feature_table *features)
{
	struct weir_ruleset *set = weir_alloc(sizeof *set);

	set->features = features;
	set->arena = weir_arena_new();
	return set;
}

void weir_ruleset_free(struct weir_ruleset *set)
{
	if (!set)
		return;
	weir_arena_free(set->arena);
	free(set->rules);
	free(set->kept);
	free(set);
}

size_t weir_ruleset_count(const struct weir_ruleset *set)
{
	return set->count;
}

const struct weir_rule *weir_ruleset_rule(const struct weir_ruleset *set, size_t index)
{
	return set->rules[index];
}

const struct weir_rule *weir_ruleset_find(const struct weir_ruleset *set, const char *id)
{
	for (size_t i = 0; i < set->count; i++) {
		if (strcmp(set->rules[i]->id, id) == 0)
			return set->rules[i];
	}
	return NULL;
}

const char *weir_ruleset_nearest(const struct weir_ruleset *set, const char *id)
{
	const char **ids = weir_alloc((set->count + 1) * sizeof *ids);
	const char *nearest;

	for (size_t i = 0; i < set->count; i++)
		ids[i] = set->rules[i]->id;
	nearest = weir_text_nearest(id, ids);
	free(ids);
	return nearest;
}

const struct weir_feature_table *weir_ruleset_features(const struct weir_ruleset *set)
{
	return set->features;
}

const char *weir_ruleset_keep(struct weir_ruleset *set, const char *text)
{
	for (size_t i = 0; i < set->kept_count; i++) {
		if (strcmp(set->kept[i], text) == 0)
			return set->kept[i];
	}
	set->kept =
		weir_grow(set->kept, &set->kept_capacity, set->kept_count + 1, sizeof *set->kept);
	set->kept[set->kept_count] = weir_arena_copy(set->arena, text, strlen(text));
	return set->kept[set->kept_count++];
}

/* --- one file --- */

static enum weir_status add_rule(struct weir_ruleset *set, const char *file, const cJSON *node,
                                 struct weir_error *err)
{
	const struct weir_rule_parser parser = {set->features, set->arena};
	struct weir_rule *rule = weir_arena_alloc(set->arena, sizeof *rule);
	const struct weir_rule *other;
	enum weir_status status;

	if (set->count == WEIR_RULESET_MAX_RULES)
		return weir_fail(err, WEIR_E_USAGE, "more than %d rules", WEIR_RULESET_MAX_RULES);
	status = weir_rule_parse(&parser, node, rule, err);
	if (status)
		return status;
	rule->file = file;
	other = weir_ruleset_find(set, rule->id);
	if (other)
		return weir_fail(err, WEIR_E_USAGE, "id: a rule of %s has the same id",
		                 other->file);
	set->rules = weir_grow(set->rules, &set->capacity, set->count + 1, sizeof *set->rules);
	set->rules[set->count++] = rule;
	return WEIR_OK;
}

static enum weir_status rule_failed(const cJSON *node, size_t index, struct weir_error *err)
{
	const cJSON *id = cJSON_GetObjectItemCaseSensitive(node, "id");

	if (cJSON_IsString(id))
		return weir_fail_in(err, "rules[%zu] (%.64s)", index, id->valuestring);
	return weir_fail_in(err, "rules[%zu]", index);
}

static enum weir_status add_document(struct weir_ruleset *set, const char *file,
                                     const cJSON *document, struct weir_error *err)
{
	static const char *const keys[] = {"rules", NULL};
	const cJSON *rules, *node;
	size_t index = 0;
	enum weir_status status = weir_rule_check_keys(document, keys, err);

	if (!status)
		status = weir_json_array(document, "rules", &rules, err);
	if (status)
		return status;
	if (!rules)
		return weir_fail(err, WEIR_E_USAGE, "rules: is missing");
	cJSON_ArrayForEach (node, rules) {
		status = add_rule(set, file, node, err);
		if (status)
			return rule_failed(node, index, err);
		index++;
	}
	return WEIR_OK;
}

/* Makes a fault of any layer below a fault of the user's configuration. */
static enum weir_status usage(struct weir_error *err)
{
	if (err)
		err->status = WEIR_E_USAGE;
	return WEIR_E_USAGE;
}

static enum weir_status file_failed(enum weir_status status, const char *file,
                                    struct weir_error *err)
{
	weir_fail_in(err, "%s", file);
	return status == WEIR_E_INTERNAL ? status : usage(err); /* a defect of weir stays one */
}

static enum weir_status add_text(struct weir_ruleset *set, const char *file, const char *text,
                                 size_t length, struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status;

	file = weir_arena_copy(set->arena, file, strlen(file));
	if (length > WEIR_RULESET_MAX_FILE_SIZE)
		status = weir_fail(err, WEIR_E_USAGE, "%zu bytes, at most %u", length,
		                   WEIR_RULESET_MAX_FILE_SIZE);
	else
		status = weir_json_parse(text, length, &document, err);
	if (!status)
		status = add_document(set, file, document, err);
	cJSON_Delete(document);
	return status ? file_failed(status, file, err) : WEIR_OK;
}

/* --- lists of files --- */

/* A rule file that is to be loaded. */
struct rule_file {
	char *name;                           /* without the folder; owned */
	const struct weir_embedded *embedded; /* NULL: a file of a folder */
};

struct file_list {
	struct rule_file *items;
	size_t count, capacity;
};

static void file_list_release(struct file_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].name);
	free(list->items);
}

static bool is_rule_file(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SUFFIX);

	return name[0] != '.' && length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

static void file_list_add(struct file_list *list, const char *name,
                          const struct weir_embedded *embedded)
{
	if (!is_rule_file(name))
		return;
	list->items = weir_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
	list->items[list->count++] = (struct rule_file){weir_alloc_text(name), embedded};
}

/* Returns the file's place among the layers, which docs/decisions/0003 orders; other files come
 * last. */
static size_t layer_of(const char *name)
{
	static const char *const layers[] = {"batching.json", "runtime.json", "communication.json",
	                                     "memory.json",   "kernel.json",  "hardware.json"};
	size_t layer = 0;

	while (layer < sizeof layers / sizeof *layers && strcmp(layers[layer], name) != 0)
		layer++;
	return layer;
}

static int compare_files(const void *a, const void *b)
{
	const struct rule_file *left = a, *right = b;
	size_t upper = layer_of(left->name), lower = layer_of(right->name);

	if (upper != lower)
		return upper < lower ? -1 : 1;
	return strcmp(left->name, right->name);
}

/* Reads a file up to the limit on its size; add_text() refuses what exceeds it. */
static enum weir_status read_file(const char *path, struct weir_text *text, struct weir_error *err)
{
	struct weir_source *source = NULL;
	const char *data;
	size_t len;
	enum weir_status status = weir_source_open(path, &source, err);

	if (status)
		return status;
	do {
		status = weir_source_next(source, &data, &len, err);
		if (!status)
			weir_text_add(text, data, len);
	} while (!status && len > 0 && text->length <= WEIR_RULESET_MAX_FILE_SIZE);
	weir_source_free(source);
	return status;
}

static enum weir_status add_from_folder(struct weir_ruleset *set, const char *dir, const char *name,
                                        struct weir_error *err)
{
	struct weir_text text = {0};
	const char *path = weir_arena_format(set->arena, "%s/%s", dir, name);
	enum weir_status status = read_file(path, &text, err);

	if (status)
		status = usage(err);
	else
		status = add_text(set, path, text.data ? text.data : "", text.length, err);
	weir_text_release(&text);
	return status;
}

/* Adds the files of a folder, or the embedded files if `dir` is NULL. */
static enum weir_status add_files(struct weir_ruleset *set, const char *dir, struct file_list *list,
                                  struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	if (list->count > WEIR_RULESET_MAX_FILES)
		return weir_fail(err, WEIR_E_USAGE, "%s: %zu rule files, at most %d",
		                 dir ? dir : CATALOG, list->count, WEIR_RULESET_MAX_FILES);
	if (list->count > 1)
		qsort(list->items, list->count, sizeof *list->items, compare_files);
	for (size_t i = 0; !status && i < list->count; i++) {
		const struct rule_file *file = &list->items[i];
		if (file->embedded)
			status = add_text(set, file->name, file->embedded->data,
			                  file->embedded->length, err);
		else
			status = add_from_folder(set, dir, file->name, err);
	}
	return status;
}

/* Makes a set of the listed files and releases the list. `dir` is NULL for embedded files. */
static enum weir_status load(const struct weir_feature_table *features, const char *dir,
                             struct file_list *list, struct weir_ruleset **out,
                             struct weir_error *err)
{
	struct weir_ruleset *set = set_new(features);
	enum weir_status status = add_files(set, dir, list, err);

	if (!status && set->count == 0)
		status = weir_fail(err, WEIR_E_USAGE, "%s: no rules (expected *.json)",
		                   dir ? dir : CATALOG);
	if (status)
		weir_ruleset_free(set);
	else
		*out = set;
	file_list_release(list);
	return status;
}

enum weir_status weir_ruleset_load_embedded(const struct weir_feature_table *features,
                                            struct weir_ruleset **out, struct weir_error *err)
{
	struct file_list list = {0};

	for (const struct weir_embedded *file = weir_embedded_files; file->name; file++) {
		if (strncmp(file->name, CATALOG, strlen(CATALOG)) == 0)
			file_list_add(&list, file->name + strlen(CATALOG), file);
	}
	return load(features, NULL, &list, out, err);
}

enum weir_status weir_ruleset_load_dir(const struct weir_feature_table *features, const char *dir,
                                       struct weir_ruleset **out, struct weir_error *err)
{
	struct file_list list = {0};
	DIR *folder = opendir(dir);

	if (!folder)
		return weir_fail(err, WEIR_E_USAGE, "cannot open the folder %s: %s", dir,
		                 strerror(errno));
	for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
		file_list_add(&list, entry->d_name, NULL);
	closedir(folder);
	return load(features, dir, &list, out, err);
}

enum weir_status weir_ruleset_load_text(const struct weir_feature_table *features, const char *file,
                                        const char *text, size_t length, struct weir_ruleset **out,
                                        struct weir_error *err)
{
	struct weir_ruleset *set = set_new(features);
	enum weir_status status = add_text(set, file, text, length, err);

	if (status)
		weir_ruleset_free(set);
	else
		*out = set;
	return status;
}

/* --- the examples --- */

static void explain(const struct weir_rule *rule, const struct weir_feature_table *features,
                    struct weir_example_failure *failure)
{
	failure->evidence_count = rule->clause_count;
	for (size_t i = 0; i < rule->clause_count; i++)
		weir_clause_explain(&rule->clauses[i], features,
		                    rule->examples[failure->example].values, &failure->evidence[i]);
}

size_t weir_ruleset_check(const struct weir_ruleset *set, weir_example_report *report,
                          void *context)
{
	size_t failures = 0;

	for (size_t r = 0; r < set->count; r++) {
		const struct weir_rule *rule = set->rules[r];

		for (size_t i = 0; i < rule->example_count; i++) {
			struct weir_example_failure failure = {
				.rule = rule,
				.example = i,
				.expected = rule->examples[i].expect,
				.got = weir_rule_evaluate(rule, rule->examples[i].values)};

			if (failure.got == failure.expected)
				continue;
			failures++;
			explain(rule, set->features, &failure);
			if (report)
				report(context, &failure);
		}
	}
	return failures;
}
