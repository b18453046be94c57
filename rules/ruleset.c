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
#include "rules/parse.h"
#include "rules/ruleset.h"

#define CATALOG "rules/catalog/"
#define SUFFIX  ".json"

struct weir_ruleset {
	const struct weir_feature_table *features;
	struct weir_arena *arena;
	struct weir_clause_db *db;
	struct weir_rule **rules; /* in order; each in the arena */
	size_t count, capacity;
	const char **kept; /* texts made while judging */
	size_t kept_count, kept_capacity;
};

/* --- the set --- */

static enum weir_status set_new(const struct weir_feature_table *features,
                                struct weir_ruleset **out, struct weir_error *err)
{
	struct weir_ruleset *set = weir_alloc(sizeof(*set));

	set->features = features;
	set->arena = weir_arena_new();
	enum weir_status status = weir_clause_db_new(features, &set->db, err);
	if (status) {
		weir_ruleset_free(set);
		return status;
	}
	*out = set;
	return WEIR_OK;
}

void weir_ruleset_free(struct weir_ruleset *set)
{
	if (!set)
		return;
	weir_clause_db_free(set->db);
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
	const char **ids = weir_alloc((set->count + 1) * sizeof(*ids));

	for (size_t i = 0; i < set->count; i++)
		ids[i] = set->rules[i]->id;
	const char *nearest = weir_text_nearest(id, ids);
	free(ids);
	return nearest;
}

const struct weir_feature_table *weir_ruleset_features(const struct weir_ruleset *set)
{
	return set->features;
}

struct weir_clause_db *weir_ruleset_db(const struct weir_ruleset *set)
{
	return set->db;
}

const char *weir_ruleset_keep(struct weir_ruleset *set, const char *text)
{
	for (size_t i = 0; i < set->kept_count; i++) {
		if (strcmp(set->kept[i], text) == 0)
			return set->kept[i];
	}
	set->kept =
		weir_grow(set->kept, &set->kept_capacity, set->kept_count + 1, sizeof(*set->kept));
	set->kept[set->kept_count] = weir_arena_copy(set->arena, text, strlen(text));
	return set->kept[set->kept_count++];
}

/* --- one file --- */

static enum weir_status add_rule(struct weir_ruleset *set, const char *file, const cJSON *node,
                                 struct weir_error *err)
{
	struct weir_rule_parser parser = {set->features, set->arena, set->db};

	if (set->count == WEIR_RULESET_MAX_RULES)
		return weir_fail(err, WEIR_E_USAGE, "more than %d rules", WEIR_RULESET_MAX_RULES);
	struct weir_rule *rule = weir_arena_alloc(set->arena, sizeof(*rule));
	enum weir_status status = weir_rule_parse(&parser, node, rule, err);
	if (status)
		return status;
	rule->file = file;
	const struct weir_rule *other = weir_ruleset_find(set, rule->id);
	if (other)
		return weir_fail(err, WEIR_E_USAGE, "id: another rule of %s has it", other->file);
	set->rules = weir_grow(set->rules, &set->capacity, set->count + 1, sizeof(*set->rules));
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

/* Faults of a rule file are the user's configuration, whatever the layer below called them. */
static enum weir_status usage(struct weir_error *err)
{
	if (err)
		err->status = WEIR_E_USAGE;
	return WEIR_E_USAGE;
}

/* A defect of ours stays one. */
static enum weir_status file_failed(enum weir_status status, const char *file,
                                    struct weir_error *err)
{
	weir_fail_in(err, "%s", file);
	return status == WEIR_E_INTERNAL ? status : usage(err);
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

/* --- the whole --- */

static enum weir_status probe_rule(const struct weir_rule *rule, struct weir_error *err)
{
	enum weir_truth truth;

	for (size_t i = 0; i < rule->clause_count; i++) {
		if (weir_clause_evaluate(rule->clauses[i], &truth, err))
			return weir_fail_in(err, "%s: rule %s: when[%zu]", rule->file, rule->id, i);
	}
	return WEIR_OK;
}

/* SQL shows the type of a result only when there is one: try every clause on a few rows. */
static enum weir_status probe(struct weir_ruleset *set, struct weir_error *err)
{
	static const double rows[] = {NAN, 0, 0.5, 1, 1e9};

	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		enum weir_status status = weir_clause_db_fill(set->db, rows[row], err);
		for (size_t i = 0; !status && i < set->count; i++)
			status = probe_rule(set->rules[i], err);
		if (status)
			return status;
	}
	return WEIR_OK;
}

/* A rule file before it is read: an embedded one, or one of a folder. */
struct rule_file {
	char *name;                           /* last part of the path, owned */
	const struct weir_embedded *embedded; /* NULL: in a folder */
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
	size_t size = strlen(name) + 1;

	if (!is_rule_file(name))
		return;
	list->items =
		weir_grow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	struct rule_file *file = &list->items[list->count++];
	file->name = memcpy(weir_alloc(size), name, size);
	file->embedded = embedded;
}

/* The order of docs/decisions/0003: a lower layer is looked at only where the layer above has
 * nothing to say. */
static size_t layer_of(const char *name)
{
	static const char *const layers[] = {"batching.json", "runtime.json", "communication.json",
	                                     "memory.json",   "kernel.json",  "hardware.json"};
	size_t layer = 0;

	while (layer < sizeof(layers) / sizeof(layers[0]) && strcmp(layers[layer], name) != 0)
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

/* Stops one byte behind the limit, which add_text() then reports. */
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

/* dir NULL: embedded files. */
static enum weir_status add_files(struct weir_ruleset *set, const char *dir, struct file_list *list,
                                  struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	if (list->count > WEIR_RULESET_MAX_FILES)
		return weir_fail(err, WEIR_E_USAGE, "%s: %zu rule files, at most %d",
		                 dir ? dir : CATALOG, list->count, WEIR_RULESET_MAX_FILES);
	if (list->count > 1)
		qsort(list->items, list->count, sizeof(*list->items), compare_files);
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

/* Releases the list. dir NULL: embedded files. A set without a rule is a fault. */
static enum weir_status load(const struct weir_feature_table *features, const char *dir,
                             struct file_list *list, struct weir_ruleset **out,
                             struct weir_error *err)
{
	struct weir_ruleset *set = NULL;
	enum weir_status status = set_new(features, &set, err);

	if (!status)
		status = add_files(set, dir, list, err);
	if (!status && set->count == 0)
		status = weir_fail(err, WEIR_E_USAGE, "%s: no rules (expected *.json)",
		                   dir ? dir : CATALOG);
	if (!status)
		status = probe(set, err);
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
	struct weir_ruleset *set = NULL;
	enum weir_status status = set_new(features, &set, err);

	if (!status)
		status = add_text(set, file, text, length, err);
	if (!status)
		status = probe(set, err);
	if (status)
		weir_ruleset_free(set);
	else
		*out = set;
	return status;
}
