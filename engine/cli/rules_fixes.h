/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fixes of `weir rules`: lists them, shows one, and runs their examples. */
#ifndef WEIR_CLI_RULES_FIXES_H
#define WEIR_CLI_RULES_FIXES_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/model/fix.h"

/* Appends "  LABEL     words", wrapped; nothing without words. */
void weir_rules_entry(struct weir_text *text, const char *label, const char *words);

/* Returns the length of the longest id. */
size_t weir_fixes_width(const struct weir_fix_catalogue *fixes);
/* Appends a line for each fix, with ids in `width` columns. */
void weir_fixes_list(const struct weir_fix_catalogue *fixes, size_t width, struct weir_text *text);

/* Appends one fix. */
void weir_fixes_show(const struct weir_fix_entry *fix, struct weir_text *text);

struct weir_fixes_checked {
	size_t examples, failed;
};

/* Runs the examples of all fixes; appends a line for each failure and one with the counts. */
enum weir_status weir_fixes_check(struct weir_text *text, struct weir_fixes_checked *checked,
                                  struct weir_error *err);

#endif
