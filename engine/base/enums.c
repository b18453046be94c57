/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/enums.h"

const char *weir_enum_name(const struct weir_enum *table, size_t value)
{
	return value < table->count ? table->texts[value] : "?";
}

bool weir_enum_parse(const struct weir_enum *table, const char *text, size_t len, unsigned *out)
{
	for (size_t i = 0; i < table->count; i++) {
		const char *known = table->texts[i];

		if (known && strlen(known) == len && memcmp(known, text, len) == 0) {
			*out = (unsigned)i;
			return true;
		}
	}
	return false;
}
