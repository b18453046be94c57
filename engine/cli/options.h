/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses the arguments of a command. Each command has one table of options, from which help, man
 * page and completion are made as well. It follows the syntax of GNU: --name VALUE or --name=VALUE,
 * -n VALUE or -nVALUE, joined flags (-qv); "--" ends the options, "-" is an argument, and options
 * and arguments may be mixed.
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
	WEIR_OPTION_SIZE,       /* bytes with a unit: "2GiB" */
	WEIR_OPTION_PERCENTILE, /* a number above 0 and below 100 */
	WEIR_OPTION_PRICE,      /* a finite number above 0 */
	WEIR_OPTION_FILE,
	WEIR_OPTION_FOLDER,
};

#define WEIR_OPTION_MAX_COUNT 1000000

/* Words that a shell offers for an argument or for the value of an option. */
enum weir_completion {
	WEIR_COMPLETES_NOTHING,
	WEIR_COMPLETES_FILES,
	WEIR_COMPLETES_FOLDERS,
	WEIR_COMPLETES_COMMANDS,
	WEIR_COMPLETES_BASELINES, /* names in the store */
	WEIR_COMPLETES_RULES,     /* ids of rules and fixes */
	WEIR_COMPLETES_FIXES,
	WEIR_COMPLETES_DEVICES, /* names in the table of devices */
	WEIR_COMPLETES_READERS, /* names for --input-format */
};

struct weir_option {
	const char *name; /* long name without dashes; NULL ends a table */
	char letter;      /* 0: none */
	enum weir_option_kind kind;
	const char *value;              /* placeholder in help: "FILE"; NULL for a flag */
	const char *const *choices;     /* of a CHOICE; suggested for a TEXT; ends with NULL */
	enum weir_completion completes; /* of a TEXT */
	bool repeatable;                /* false: the last value counts */
	bool collects;    /* true: the arguments that follow its value are values too */
	bool hidden;      /* left out of help, man page and completion */
	const char *help; /* one line without a full stop */
};

/* Options of every command: quiet, verbose, color, max-memory, no-sandbox, help,
 * version. */
extern const struct weir_option weir_common_options[];

struct weir_arguments; /* opaque; borrows argv and the tables */

/*
 * Parses argv[0..argc) and checks the values. command is the name in messages; NULL: no command was
 * given. The message of WEIR_E_USAGE names the nearest option or value. On success the caller frees
 * *out with weir_arguments_free().
 */
enum weir_status weir_arguments_parse(const char *command, const struct weir_option *options,
                                      int argc, char *const *argv, struct weir_arguments **out,
                                      struct weir_error *err);
void weir_arguments_free(struct weir_arguments *arguments);

/* Arguments that are not options. weir_arguments_at() returns NULL behind the last one. */
size_t weir_arguments_count(const struct weir_arguments *arguments);
const char *weir_arguments_at(const struct weir_arguments *arguments, size_t index);
const char *const *weir_arguments_list(const struct weir_arguments *arguments);

/* Options by their long name, which must be in a table of the command. */
bool weir_option_given(const struct weir_arguments *arguments, const char *name);
/* Returns the last value of an option, or NULL if it was not given. */
const char *weir_option_text(const struct weir_arguments *arguments, const char *name);
/* Returns the value of a WEIR_OPTION_COUNT, or fallback if it was not given. */
size_t weir_option_count(const struct weir_arguments *arguments, const char *name, size_t fallback);
/* Returns the bytes of a WEIR_OPTION_SIZE, or fallback if it was not given. */
uint64_t weir_option_size(const struct weir_arguments *arguments, const char *name,
                          uint64_t fallback);
/* Returns the value of a WEIR_OPTION_PERCENTILE or WEIR_OPTION_PRICE, or fallback if it was not
 * given. */
double weir_option_number(const struct weir_arguments *arguments, const char *name,
                          double fallback);
/* Returns value `index` of a repeatable option, or NULL behind the last one. */
const char *weir_option_each(const struct weir_arguments *arguments, const char *name,
                             size_t index);

/* Returns the values of a repeatable option and sets their number. The caller frees the list. */
const char **weir_option_list(const struct weir_arguments *arguments, const char *name,
                              size_t *count);

/* Returns the index of the command: the first of argv[0..argc) that is neither a common option nor
 * its value; argc if no command was given. */
int weir_arguments_find_command(int argc, char *const *argv);

/* Returns option `index` of the command's own table followed by the common one, or NULL behind the
 * last one. */
const struct weir_option *weir_option_at(const struct weir_option *options, size_t index);

#endif
