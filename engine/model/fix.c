/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/model/fix.h"

WEIR_ENUM_TEXTS(weir_effort, [WEIR_EFFORT_LOW] = "low", [WEIR_EFFORT_MEDIUM] = "medium",
                [WEIR_EFFORT_HIGH] = "high")

WEIR_ENUM_TEXTS(weir_need_state, [WEIR_NEED_UNKNOWN] = "unknown", [WEIR_NEED_MET] = "met",
                [WEIR_NEED_NOT_MET] = "not met")

const struct weir_fix_entry *weir_fix_find(const struct weir_fix_catalogue *catalogue,
                                           const char *id)
{
	for (size_t i = 0; i < catalogue->count; i++)
		if (strcmp(catalogue->items[i].id, id) == 0)
			return &catalogue->items[i];
	return NULL;
}
