/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files compiled into the program by engine/cmake/Embed.cmake, such as rules and the device table.
 */
#ifndef WEIR_BASE_EMBED_H
#define WEIR_BASE_EMBED_H

#include <stddef.h>

struct weir_embedded {
	const char *name; /* path below the project's root: "rules/catalog/runtime.json" */
	const char *data; /* NUL-terminated */
	size_t length;    /* without the NUL */
};

/* Ends with a NULL name. */
extern const struct weir_embedded weir_embedded_files[];

/* Returns the file, or NULL if it is not embedded. */
const struct weir_embedded *weir_embedded_find(const char *name);

#endif
