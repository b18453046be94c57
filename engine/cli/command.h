/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a command is: a row of the table in command.c. To add one, see docs/adding-a-command.md.
 * Here too are the exit codes of the contract: one enum, one order of precedence, one mapping from
 * enum weir_status.
 */
#ifndef WEIR_CLI_COMMAND_H
#define WEIR_CLI_COMMAND_H

#include "engine/base/error.h"
#include "engine/cli/options.h"

enum weir_exit {
	WEIR_EXIT_PASS = 0,
	WEIR_EXIT_REGRESSION = 1,
	WEIR_EXIT_USAGE = 2,
	WEIR_EXIT_INCONCLUSIVE = 3,
	WEIR_EXIT_NO_BASELINE = 4,
	WEIR_EXIT_ENVIRONMENT = 5,
	WEIR_EXIT_COVERAGE = 6,
	WEIR_EXIT_INPUT = 7,
	WEIR_EXIT_STORE = 8,
	WEIR_EXIT_INTERNAL = 9,
	WEIR_EXIT_NO_TOKEN = 10, /* from here on: `weir comment` alone */
	WEIR_EXIT_FORBIDDEN = 11,
	WEIR_EXIT_NETWORK = 12,
	WEIR_EXIT_NO_PULL_REQUEST = 13,
	WEIR_EXIT_REFUSED = 14,
	WEIR_EXIT_COUNT
};

/* The one that counts when both apply: the first of 9, 8, 7, 2, 1, 6, 5, 4, 3, 0. */
enum weir_exit weir_exit_worse(enum weir_exit a, enum weir_exit b);
enum weir_exit weir_exit_of(enum weir_status status);
const char *weir_exit_meaning(enum weir_exit code); /* one line for help */

#define WEIR_ENDS(code) (1u << (code))

struct weir_command {
	const char *name;
	const char *summary;   /* one line for `weir --help` */
	bool hidden;           /* not in help, man page or completion */
	const char *arguments; /* "INPUT..."; "" for none */
	const char
		*description; /* paragraphs of `weir help NAME` and the man page; any line length */
	const struct weir_option
		*options; /* its own, ends with a NULL name; NULL: only the common ones */
	const char *const
		*words; /* first arguments it knows ("list", "show"), NULL-terminated; NULL: none */
	bool takes_files;          /* for completion */
	unsigned exits;            /* WEIR_ENDS() of the codes beside 0, 2 and 9 */
	const char *example;       /* one command line */
	const char *example_shows; /* what that does, one line */
	/* Returns its exit code; where that is the code of a failure, the reason is in err and main
	 * prints it. */
	enum weir_exit (*run)(const struct weir_arguments *arguments, struct weir_error *err);
	/* Called once the reason of a failure has been printed; NULL: nothing to add. */
	void (*after_failure)(enum weir_exit code);
};

extern const struct weir_command
	*const weir_commands[]; /* ends with NULL; the order of `weir --help` */

const struct weir_command *weir_command_find(const char *name); /* NULL: no such command */

/* Whether it can end with this code: 0, 2 and 9 are everybody's. */
bool weir_command_ends_with(const struct weir_command *command, enum weir_exit code);

/* WEIR_E_USAGE for a name that is no command: a file, or mistyped with the nearest named. */
enum weir_status weir_command_unknown(const char *name, struct weir_error *err);

/* The rows of the table, each defined in its own cmd_*.c. */
extern const struct weir_command weir_command_classify;
extern const struct weir_command weir_command_baseline;
extern const struct weir_command weir_command_convert;
extern const struct weir_command weir_command_gate;
extern const struct weir_command weir_command_compare;
extern const struct weir_command weir_command_report;
extern const struct weir_command weir_command_history;
extern const struct weir_command weir_command_doctor;
extern const struct weir_command weir_command_comment;
extern const struct weir_command weir_command_rules;
extern const struct weir_command weir_command_formats;
extern const struct weir_command weir_command_help;
extern const struct weir_command weir_command_completion;

#endif
