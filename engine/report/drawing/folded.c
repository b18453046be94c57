/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folded stacks: a line for each stack with self time, "root;frame;frame NANOSECONDS". */
#include <inttypes.h>

#include "engine/report/plain/escape.h"
#include "engine/report/writer.h"

/* Appends a name with ":" in place of ";", which separates frames. Blanks may stay: only the last
 * one of a line precedes the count. */
static void write_frame(const char *name, struct weir_text *plain, struct weir_text *out)
{
	weir_text_clear(plain);
	weir_escape_name(plain, name);
	for (size_t i = 0; i < plain->length; i++)
		if (plain->data[i] == ';')
			plain->data[i] = ':';
	weir_text_add(out, plain->data, plain->length);
}

void weir_write_folded(const struct weir_report *report, const struct weir_write_options *options,
                       struct weir_text *out)
{
	const struct weir_flame *flame = report->detail ? &report->detail->flame : NULL;
	size_t length_at[WEIR_FLAME_MAX_DEPTH + 1] = {0}; /* length of the stack, by depth */
	struct weir_text stack = {0}, plain = {0};

	(void)options;
	for (size_t i = 0; flame && i < flame->count; i++) {
		const struct weir_flame_frame *frame = &flame->frames[i];

		if (stack.length > length_at[frame->depth])
			stack.length = length_at[frame->depth];
		if (frame->depth > 0)
			weir_text_puts(&stack, ";");
		write_frame(frame->name, &plain, &stack);
		length_at[frame->depth + 1] = stack.length;
		if (frame->self_ns > 0) {
			weir_text_add(out, stack.data, stack.length);
			weir_text_printf(out, " %" PRId64 "\n", frame->self_ns);
		}
	}
	weir_text_release(&plain);
	weir_text_release(&stack);
}
