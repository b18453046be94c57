/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/embed.h"
#include "engine/base/json.h"
#include "engine/base/text.h"
#include "rules/fixes.h"

#define MAX_FIXES 256

/* Texts are copied into the arena. */
struct reading {
	struct weir_arena *arena;
	struct weir_error *err;
};

static enum weir_status keep_text(const struct reading *reading, const cJSON *node, const char *key,
                                  bool required, const char **out)
{
	const char *text = NULL;

	*out = NULL;
	if (weir_json_text(node, key, &text, reading->err))
		return reading->err->status;
	if (!text && required)
		return weir_fail(reading->err, WEIR_E_FORMAT, "%s: is missing", key);
	if (text)
		*out = weir_arena_copy(reading->arena, text, strlen(text));
	return WEIR_OK;
}

static enum weir_status read_need(const struct reading *reading, const cJSON *node,
                                  struct weir_fix_need *need)
{
	static const char *const keys[] = {"what", "check", "first", NULL};

	if (weir_json_known_keys(node, keys, reading->err) ||
	    keep_text(reading, node, "what", true, &need->what) ||
	    keep_text(reading, node, "check", false, &need->check) ||
	    keep_text(reading, node, "first", false, &need->first))
		return reading->err->status;
	return WEIR_OK;
}

static enum weir_status read_needs(const struct reading *reading, const cJSON *node,
                                   struct weir_fix_entry *entry)
{
	const cJSON *list = NULL, *item;

	if (weir_json_array(node, "needs", &list, reading->err))
		return reading->err->status;
	cJSON_ArrayForEach (item, list) {
		if (entry->need_count == WEIR_MAX_NEEDS)
			return weir_fail(reading->err, WEIR_E_FORMAT, "needs: expected at most %d",
			                 WEIR_MAX_NEEDS);
		if (read_need(reading, item, &entry->needs[entry->need_count++]))
			return weir_fail_in(reading->err, "needs[%zu]", entry->need_count - 1);
	}
	return WEIR_OK;
}

static enum weir_status read_hows(const struct reading *reading, const cJSON *node,
                                  struct weir_fix_entry *entry)
{
	static const char *const keys[] = {
		"any", "pytorch-cuda", "pytorch-rocm", "jax", "cuda", "rocm", NULL};
	const cJSON *object = NULL;

	if (weir_json_object(node, "how", &object, reading->err))
		return reading->err->status;
	if (!object)
		return weir_fail(reading->err, WEIR_E_FORMAT, "how: is missing");
	if (weir_json_known_keys(object, keys, reading->err))
		return weir_fail_in(reading->err, "how");
	for (size_t k = 0; keys[k]; k++) {
		const char *text;

		if (keep_text(reading, object, keys[k], k == 0, &text))
			return weir_fail_in(reading->err, "how");
		if (text)
			entry->hows[entry->how_count++] = (struct weir_fix_how){keys[k], text};
	}
	return WEIR_OK;
}

static enum weir_status read_entry(const struct reading *reading, const cJSON *node,
                                   struct weir_fix_entry *entry)
{
	static const char *const keys[] = {"id",  "title", "why",      "effort", "numerics",
	                                   "how", "needs", "examples", NULL};
	const char *effort = NULL;

	if (weir_json_known_keys(node, keys, reading->err) ||
	    keep_text(reading, node, "id", true, &entry->id) ||
	    keep_text(reading, node, "title", true, &entry->title) ||
	    keep_text(reading, node, "why", true, &entry->why) ||
	    keep_text(reading, node, "numerics", true, &entry->numerics) ||
	    keep_text(reading, node, "effort", true, &effort) || read_hows(reading, node, entry) ||
	    read_needs(reading, node, entry))
		return reading->err->status;
	if (!weir_effort_parse(effort, &entry->effort))
		return weir_fail(reading->err, WEIR_E_FORMAT,
		                 "effort: expected low, medium or high");
	return WEIR_OK;
}

/* Appends the entries of a document to the catalogue. */
static enum weir_status read_entries(const struct reading *reading, const cJSON *root,
                                     struct weir_fix_entry *entries, struct weir_fix_catalogue *out)
{
	static const char *const keys[] = {"fixes", NULL};
	const cJSON *list = NULL, *item;
	size_t at = 0;

	if (weir_json_known_keys(root, keys, reading->err) ||
	    weir_json_array(root, "fixes", &list, reading->err))
		return reading->err->status;
	cJSON_ArrayForEach (item, list) {
		struct weir_fix_entry *entry = &entries[out->count];

		if (out->count == MAX_FIXES)
			return weir_fail(reading->err, WEIR_E_FORMAT,
			                 "fixes: expected at most %d in all files", MAX_FIXES);
		if (read_entry(reading, item, entry))
			return weir_fail_in(reading->err, "fixes[%zu]", at);
		if (weir_fix_find(out, entry->id))
			return weir_fail(reading->err, WEIR_E_FORMAT, "fixes[%zu]: id %s repeats",
			                 at, entry->id);
		out->count++;
		at++;
	}
	return WEIR_OK;
}

enum weir_status weir_fixes_parse(const char *file, const char *text, size_t length,
                                  struct weir_arena *arena, struct weir_fix_catalogue *out,
                                  struct weir_error *err)
{
	const struct reading reading = {arena, err};
	struct weir_fix_entry *entries = weir_arena_alloc(arena, (MAX_FIXES + 1) * sizeof *entries);
	cJSON *root = NULL;
	enum weir_status status;

	if (out->count > 0)
		memcpy(entries, out->items, out->count * sizeof *entries);
	out->items = entries;
	status = weir_json_parse(text, length, &root, err);
	if (!status)
		status = read_entries(&reading, root, entries, out);
	cJSON_Delete(root);
	if (!status)
		return WEIR_OK;
	weir_fail_in(err, "%s", file);
	return err->status = WEIR_E_USAGE;
}

enum weir_status weir_fixes_load(struct weir_arena *arena, struct weir_fix_catalogue *out,
                                 struct weir_error *err)
{
	const struct weir_embedded *file = weir_embedded_files;

	*out = (struct weir_fix_catalogue){0};
	for (; file->name; file++)
		if (strncmp(file->name, WEIR_FIXES_FOLDER, strlen(WEIR_FIXES_FOLDER)) == 0 &&
		    weir_fixes_parse(file->name, file->data, file->length, arena, out, err))
			return err->status;
	return WEIR_OK;
}

const char *weir_fix_nearest(const struct weir_fix_catalogue *catalogue, const char *id)
{
	const char **ids = weir_alloc((catalogue->count + 1) * sizeof *ids);
	const char *nearest;

	for (size_t i = 0; i < catalogue->count; i++)
		ids[i] = catalogue->items[i].id;
	nearest = weir_text_nearest(id, ids);
	free(ids);
	return nearest;
}
