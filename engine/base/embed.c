/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/embed.h"

const struct weir_embedded *weir_embedded_find(const char *name)
{
	for (const struct weir_embedded *file = weir_embedded_files; file->name; file++) {
		if (strcmp(file->name, name) == 0)
			return file;
	}
	return NULL;
}
