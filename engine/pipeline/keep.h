/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps lines of a report that were put together. */
#ifndef WEIR_PIPELINE_KEEP_H
#define WEIR_PIPELINE_KEEP_H

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/report.h"

/* Returns the text as a template in the report's arena, and releases the text. */
static inline const char *weir_keep_line(struct weir_report *report, struct weir_text *text)
{
	const char *copy =
		weir_arena_copy(report->arena, text->data ? text->data : "", text->length);

	weir_text_release(text);
	return copy;
}

#endif
