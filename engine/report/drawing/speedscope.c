/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file format of speedscope: one sampled profile for each root, weights in nanoseconds. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsonout.h"
#include "engine/report/plain/escape.h"
#include "engine/report/writer.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* speedscope has one frame for each name. */
struct naming {
	const char *name;
	uint32_t frame, id;
};

static int by_name(const void *left, const void *right)
{
	const struct naming *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order != 0 ? order : (a->frame > b->frame) - (a->frame < b->frame);
}

static void write_text(struct weir_jsonout *json, const char *key, const char *name)
{
	struct weir_text plain = {0};

	weir_escape_name(&plain, name);
	weir_jsonout_text(json, key, plain.data);
	weir_text_release(&plain);
}

/* Writes the list of names. Returns the id of each frame, which the caller frees. */
static uint32_t *write_names(const struct weir_flame *flame, struct weir_jsonout *json)
{
	struct naming *namings = weir_alloc((flame->count + 1) * sizeof *namings);
	uint32_t *id = weir_alloc((flame->count + 1) * sizeof *id), names = 0;

	for (size_t i = 0; i < flame->count; i++)
		namings[i] = (struct naming){flame->frames[i].name, (uint32_t)i, 0};
	qsort(namings, flame->count, sizeof *namings, by_name);
	weir_jsonout_begin_object(json, "shared");
	weir_jsonout_begin_array(json, "frames");
	for (size_t i = 0; i < flame->count; i++) {
		if (i == 0 || strcmp(namings[i].name, namings[i - 1].name) != 0) {
			weir_jsonout_begin_object(json, NULL);
			write_text(json, "name", namings[i].name);
			weir_jsonout_end(json);
			names++;
		}
		id[namings[i].frame] = names - 1;
	}
	weir_jsonout_end(json);
	weir_jsonout_end(json);
	free(namings);
	return id;
}

static void write_stack(const struct weir_flame *flame, const uint32_t *id, size_t at,
                        struct weir_jsonout *json)
{
	uint32_t stack[WEIR_FLAME_MAX_DEPTH];
	size_t depth = 0;

	for (uint32_t frame = (uint32_t)at; frame != WEIR_FLAME_NOBODY;
	     frame = flame->frames[frame].parent)
		stack[depth++] = id[frame];
	weir_jsonout_begin_array_inline(json, NULL);
	while (depth > 0)
		weir_jsonout_int(json, NULL, stack[--depth]);
	weir_jsonout_end(json);
}

/* Writes the frames [root, end) of one root. */
static void write_profile(const struct weir_flame *flame, const uint32_t *id, size_t root,
                          size_t end, struct weir_jsonout *json)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "type", "sampled");
	write_text(json, "name", flame->frames[root].name);
	weir_jsonout_text(json, "unit", "nanoseconds");
	weir_jsonout_int(json, "startValue", 0);
	weir_jsonout_int(json, "endValue", flame->frames[root].total_ns);
	weir_jsonout_begin_array(json, "samples");
	for (size_t i = root; i < end; i++)
		if (flame->frames[i].self_ns > 0)
			write_stack(flame, id, i, json);
	weir_jsonout_end(json);
	weir_jsonout_begin_array(json, "weights");
	for (size_t i = root; i < end; i++)
		if (flame->frames[i].self_ns > 0)
			weir_jsonout_int(json, NULL, flame->frames[i].self_ns);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

void weir_write_speedscope(const struct weir_report *report,
                           const struct weir_write_options *options, struct weir_text *out)
{
	static const struct weir_flame none = {NULL, 0};
	const struct weir_flame *flame = report->detail ? &report->detail->flame : &none;
	struct weir_jsonout json;
	uint32_t *id;

	(void)options;
	weir_jsonout_init(&json, out, false);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "$schema", SCHEMA);
	weir_jsonout_text(&json, "exporter", "weir");
	id = write_names(flame, &json);
	weir_jsonout_begin_array(&json, "profiles");
	for (size_t i = 0, end; i < flame->count; i = end) {
		for (end = i + 1; end < flame->count && flame->frames[end].depth > 0;)
			end++;
		write_profile(flame, id, i, end, &json);
	}
	weir_jsonout_end(&json);
	weir_jsonout_end(&json);
	weir_text_puts(out, "\n");
	free(id);
}
