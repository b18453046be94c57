/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes help in every form from the tables of commands and options. Each call adds to `text`. */
#ifndef WEIR_CLI_HELP_H
#define WEIR_CLI_HELP_H

#include "engine/base/text.h"
#include "engine/cli/command.h"

#define WEIR_HELP_COLUMNS 80

/* commands: the table, ends with NULL. */
void weir_help_overview(struct weir_text *text,
                        const struct weir_command *const *commands); /* weir --help */
void weir_help_command(struct weir_text *text,
                       const struct weir_command *command); /* weir help NAME */
void weir_help_man_page(struct weir_text *text,
                        const struct weir_command *const *commands); /* docs/weir.1 */
void weir_help_bash_completion(struct weir_text *text, const struct weir_command *const *commands);

/* Adds words, broken at `columns`, each line after `indent` blanks. A line feed in `words` starts a
 * new line, two of them a paragraph. */
void weir_help_wrap(struct weir_text *text, const char *words, size_t indent, size_t columns);

/* Adds "  left   right"; the lines of `right` start after `indent` columns. */
void weir_help_row(struct weir_text *text, const char *left, const char *right, size_t indent);

#endif
