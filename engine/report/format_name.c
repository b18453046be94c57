/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/report/format_name.h"

static enum weir_status fail_unknown_name(const struct weir_format_names *formats, const char *name,
                                          struct weir_error *err)
{
	const char *names[WEIR_FORMAT_MAX_NAMES + 1] = {NULL};
	struct weir_text known = {0};
	const char *nearest;
	enum weir_status status;

	for (size_t i = 0; i < formats->count; i++) {
		names[i] = formats->at(i).name;
		weir_text_printf(&known, "%s%s", i ? ", " : "", names[i]);
	}
	nearest = weir_text_nearest(name, names);
	status = weir_fail(err, WEIR_E_USAGE, "no format \"%.60s\"%s%s%s; known: %s", name,
	                   nearest ? ", did you mean \"" : "", nearest ? nearest : "",
	                   nearest ? "\"?" : "", known.data);
	weir_text_release(&known);
	return status;
}

enum weir_status weir_format_by_name(const struct weir_format_names *formats, const char *name,
                                     size_t *out, struct weir_error *err)
{
	for (size_t i = 0; i < formats->count; i++) {
		if (!strcmp(formats->at(i).name, name)) {
			*out = i;
			return WEIR_OK;
		}
	}
	return fail_unknown_name(formats, name, err);
}

/* Length of the suffix that the path ends with, 0: it does not. A suffix of two parts also fits a
 * file of just that name: "speedscope.json". */
static size_t suffix_length(const char *path, const char *suffix)
{
	size_t path_length = strlen(path), length = suffix ? strlen(suffix) : 0;
	const char *slash = strrchr(path, '/');

	if (!length)
		return 0;
	if (path_length > length && !strcmp(path + path_length - length, suffix))
		return length;
	return strchr(suffix + 1, '.') && !strcmp(slash ? slash + 1 : path, suffix + 1) ? length
	                                                                                : 0;
}

enum weir_status weir_format_by_path(const struct weir_format_names *formats, const char *path,
                                     size_t *out, struct weir_error *err)
{
	struct weir_text known = {0};
	enum weir_status status = WEIR_OK;
	size_t longest = 0;

	*out = formats->count;
	for (size_t i = 0; i < formats->count; i++) {
		const char *suffix = formats->at(i).suffix;
		size_t length = suffix_length(path, suffix);

		if (suffix)
			weir_text_printf(&known, "%s%s", known.length ? ", " : "", suffix);
		if (length > longest) {
			longest = length;
			*out = i;
		}
	}
	if (!longest)
		status = weir_fail(err, WEIR_E_USAGE,
		                   "%.200s: the suffix picks the format; known: %s", path,
		                   known.data);
	weir_text_release(&known);
	return status;
}
