/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/arena.h"
#include "engine/model/pictures.h"
#include "engine/model/report.h"

WEIR_ENUM_TEXTS(weir_strip_kind, [WEIR_STRIP_STAGE] = "stage", [WEIR_STRIP_OPERATOR] = "operator",
                [WEIR_STRIP_LAUNCH] = "launch", [WEIR_STRIP_WAIT] = "wait",
                [WEIR_STRIP_CALL] = "call", [WEIR_STRIP_IDLE] = "idle",
                [WEIR_STRIP_COMPUTE] = "compute", [WEIR_STRIP_COMMUNICATION] = "communication",
                [WEIR_STRIP_COPY] = "copy", [WEIR_STRIP_OTHER_STEP] = "other_step")

WEIR_ENUM_TEXTS(
	weir_strip_row, [WEIR_STRIP_STAGES] = "stages", [WEIR_STRIP_HOST] = "host",
	[WEIR_STRIP_CALLS] = "calls", [WEIR_STRIP_GAPS] = "gaps", [WEIR_STRIP_STREAM] = "stream")

WEIR_ENUM_TEXTS(weir_step_mark, [WEIR_MARK_STEADY] = "steady", [WEIR_MARK_WARM_UP] = "warm-up",
                [WEIR_MARK_INCOMPLETE] = "incomplete", [WEIR_MARK_ONE_OFF] = "one-off")

struct weir_pictures *weir_report_pictures(struct weir_report *report)
{
	if (!report->pictures)
		report->pictures = weir_arena_alloc(report->arena, sizeof *report->pictures);
	return report->pictures;
}
