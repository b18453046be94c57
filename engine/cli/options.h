/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One table of options per command gives parsing, usage text, man page section and completion. GNU
 * style: --name VALUE or --name=VALUE, -n VALUE or -nVALUE, flags of one letter may be joined
 * (-qv), "--" ends the options, "-" is an argument. Options and arguments may be mixed.
 */
#ifndef WEIR_CLI_OPTIONS_H
#define WEIR_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

enum weir_option_kind {
	WEIR_OPTION_FLAG,
	WEIR_OPTION_TEXT,
	WEIR_OPTION_CHOICE,     /* one of `choices` */
	WEIR_OPTION_COUNT,      /* a whole number from 1 to WEIR_OPTION_MAX_COUNT */
	WEIR_OPTION_PERCENTILE, /* a number above 0 and below 100 */
	WEIR_OPTION_PRICE,      /* a finite number above 0 */
	WEIR_OPTION_FILE,
	WEIR_OPTION_FOLDER,
};

#define WEIR_OPTION_MAX_COUNT 1000000

struct weir_option {
	const char *name; /* without the dashes; NULL ends a table */
	char letter;      /* 0: none */
	enum weir_option_kind kind;
	const char *value;          /* as help shows it: "FILE"; NULL for a flag */
	const char *const *choices; /* NULL-terminated; only WEIR_OPTION_CHOICE */
	bool repeatable;            /* else the last one counts */
	bool collects;              /* the arguments behind its value are values too */
	bool hidden;                /* not in help, man page or completion */
	const char *help;           /* one line without a full stop */
};

/* What every command takes: quiet, verbose, color, help, version. */
extern const struct weir_option weir_common_options[];

struct weir_arguments; /* opaque; borrows the texts of argv and the tables */

/*
 * Parses argv[0..argc). command is its name for messages, NULL before a command is known.
 * WEIR_E_USAGE names the nearest option or value. On success the caller frees *out with
 * weir_arguments_free().
 */
enum weir_status weir_arguments_parse(const char *command, const struct weir_option *options,
                                      int argc, char *const *argv, struct weir_arguments **out,
                                      struct weir_error *err);
void weir_arguments_free(struct weir_arguments *arguments);

size_t weir_arguments_count(const struct weir_arguments *arguments); /* what is no option */
const char *weir_arguments_at(const struct weir_arguments *arguments, size_t index);
const char *const *weir_arguments_list(const struct weir_arguments *arguments);

/* Options by their long name; a name that is in no table is an assertion. */
bool weir_option_given(const struct weir_arguments *arguments, const char *name);
const char *weir_option_text(const struct weir_arguments *arguments,
                             const char *name); /* the last; NULL: not given */
size_t weir_option_count(const struct weir_arguments *arguments, const char *name, size_t fallback);
/* Of a WEIR_OPTION_PERCENTILE or WEIR_OPTION_PRICE. */
double weir_option_number(const struct weir_arguments *arguments, const char *name,
                          double fallback);
/* Every value of a repeatable option, in order: call with index 0, 1, ... until NULL. */
const char *weir_option_each(const struct weir_arguments *arguments, const char *name,
                             size_t index);

/* Index of the first of argv[0..argc) that is neither a common option nor its value: the command.
 * argc: none. */
int weir_arguments_find_command(int argc, char *const *argv);

/* Walks the command's own table, then the common one; NULL at the end. */
const struct weir_option *weir_option_at(const struct weir_option *options, size_t index);

#endif
