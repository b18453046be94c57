/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tables of writers have in common: a format is picked by its name or by a file's suffix.
 */
#ifndef WEIR_REPORT_FORMAT_NAME_H
#define WEIR_REPORT_FORMAT_NAME_H

#include <stddef.h>

#include "engine/base/error.h"

#define WEIR_FORMAT_MAX_NAMES 16

/* Both borrowed. */
struct weir_format_name {
	const char *name;
	const char *suffix; /* ".md"; NULL: no file is known by it */
};

/* A table of writers, seen through their names. */
struct weir_format_names {
	size_t count; /* at most WEIR_FORMAT_MAX_NAMES */
	struct weir_format_name (*at)(size_t index);
};

/* Index of the format in *out; of several suffixes the longest counts. WEIR_E_USAGE: none is; the
 * message lists what there is. */
enum weir_status weir_format_by_name(const struct weir_format_names *formats, const char *name,
                                     size_t *out, struct weir_error *err);
enum weir_status weir_format_by_path(const struct weir_format_names *formats, const char *path,
                                     size_t *out, struct weir_error *err);

#endif
