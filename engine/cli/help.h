/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes overview, help, man page and completion from the tables of commands and options. Each
 * function appends to `text`. */
#ifndef WEIR_CLI_HELP_H
#define WEIR_CLI_HELP_H

#include "engine/base/text.h"
#include "engine/cli/command.h"

#define WEIR_HELP_COLUMNS 80

/* Appends the text of `weir --help`. commands is the table, which ends with NULL. */
void weir_help_overview(struct weir_text *text, const struct weir_command *const *commands);
/* Appends the text of `weir help NAME`. */
void weir_help_command(struct weir_text *text, const struct weir_command *command);
/* Appends the man page, docs/weir.1. */
void weir_help_man_page(struct weir_text *text, const struct weir_command *const *commands);

/* Appends the words that may stand for the last one of a command line with two words or more, of
 * which the first is the program; each in a line with a tab and its meaning. A line ":files" or
 * ":folders" stands for those of the shell. */
void weir_help_complete(struct weir_text *text, const struct weir_command *const *commands,
                        const char *const *words, size_t count);

/* Appends words in lines of at most `columns` columns, each indented by `indent`. A line feed in
 * `words` starts a new line, two line feeds a paragraph. */
void weir_help_wrap(struct weir_text *text, const char *words, size_t indent, size_t columns);

/* Appends "  left   right"; the lines of `right` are indented by `indent` columns. */
void weir_help_row(struct weir_text *text, const char *left, const char *right, size_t indent);

#endif
