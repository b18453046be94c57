/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the catalogue of fixes, the files of rules/fixes. rules/README.md describes the format. */
#ifndef WEIR_RULES_FIXES_H
#define WEIR_RULES_FIXES_H

#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/model/fix.h"

#define WEIR_FIXES_FOLDER "rules/fixes/"

/* Appends the fixes of one file to the catalogue; its texts belong to the arena. Faults are
 * WEIR_E_USAGE with the file, the entry and the reason. */
enum weir_status weir_fixes_parse(const char *file, const char *text, size_t length,
                                  struct weir_arena *arena, struct weir_fix_catalogue *out,
                                  struct weir_error *err);
/* Fills the catalogue from the files that are compiled in, in the order of their names. */
enum weir_status weir_fixes_load(struct weir_arena *arena, struct weir_fix_catalogue *out,
                                 struct weir_error *err);

/* Returns the nearest id of the catalogue; NULL: none is near. */
const char *weir_fix_nearest(const struct weir_fix_catalogue *catalogue, const char *id);

#endif
