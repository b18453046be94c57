/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/model/audit.h"

WEIR_ENUM_TEXTS(weir_audit_seen, [WEIR_SEEN_UNKNOWN] = NULL, [WEIR_SEEN_GONE] = "gone",
                [WEIR_SEEN_SMALLER] = "smaller", [WEIR_SEEN_UNCHANGED] = "unchanged")

struct weir_audit *weir_audit_new(void)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_audit *audit = weir_arena_alloc(arena, sizeof *audit);

	audit->arena = arena;
	audit->before.step_ns = audit->after.step_ns = NAN;
	return audit;
}

void weir_audit_free(struct weir_audit *audit)
{
	if (audit)
		weir_arena_free(audit->arena);
}
