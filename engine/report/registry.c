/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/report/writer.h"

const struct weir_writer *const weir_writers[] = {
	&weir_writer_text, &weir_writer_json, &weir_writer_markdown, &weir_writer_html, NULL,
};

#define WRITERS (sizeof(weir_writers) / sizeof(weir_writers[0]) - 1)

/* "text, json, markdown, html" or, by suffix, ".txt, .json, .md, .html". */
static void list_writers(struct weir_text *out, bool by_suffix)
{
	for (size_t i = 0; i < WRITERS; i++) {
		weir_text_puts(out, i ? ", " : "");
		weir_text_puts(out, by_suffix ? weir_writers[i]->suffix : weir_writers[i]->name);
	}
}

static enum weir_status fail_unknown_name(const char *name, struct weir_error *err)
{
	const char *names[WRITERS + 1] = {NULL};
	struct weir_text known = {0};
	const char *nearest;
	enum weir_status status;

	for (size_t i = 0; i < WRITERS; i++)
		names[i] = weir_writers[i]->name;
	nearest = weir_text_nearest(name, names);
	list_writers(&known, false);
	status = weir_fail(err, WEIR_E_USAGE, "no format \"%.60s\"%s%s%s; known: %s", name,
	                   nearest ? ", did you mean \"" : "", nearest ? nearest : "",
	                   nearest ? "\"?" : "", known.data);
	weir_text_release(&known);
	return status;
}

enum weir_status weir_writer_find(const char *name, const struct weir_writer **out,
                                  struct weir_error *err)
{
	for (size_t i = 0; i < WRITERS; i++) {
		if (!strcmp(weir_writers[i]->name, name)) {
			*out = weir_writers[i];
			return WEIR_OK;
		}
	}
	return fail_unknown_name(name, err);
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t path_length = strlen(path), length = strlen(suffix);

	return path_length > length && !strcmp(path + path_length - length, suffix);
}

enum weir_status weir_writer_for_path(const char *path, const struct weir_writer **out,
                                      struct weir_error *err)
{
	struct weir_text known = {0};
	enum weir_status status;

	for (size_t i = 0; i < WRITERS; i++) {
		if (has_suffix(path, weir_writers[i]->suffix)) {
			*out = weir_writers[i];
			return WEIR_OK;
		}
	}
	list_writers(&known, true);
	status = weir_fail(err, WEIR_E_USAGE, "%.200s: the suffix picks the format; known: %s",
	                   path, known.data);
	weir_text_release(&known);
	return status;
}
