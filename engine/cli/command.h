/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command of the program: a row of the table in commands.c. docs/adding-a-command.md shows how to
 * add one. */
#ifndef WEIR_CLI_COMMAND_H
#define WEIR_CLI_COMMAND_H

#include "engine/base/error.h"
#include "engine/cli/options.h"
#include "engine/pipeline/exit.h"

#define WEIR_ENDS(code) (1u << (code))

struct weir_command {
	const char *name;
	const char *summary;   /* one line for `weir --help` */
	bool hidden;           /* left out of help, man page and completion */
	const char *arguments; /* "INPUT..."; "" for none */
	const char
		*description; /* text of `weir help NAME` and the man page; \n\n ends a paragraph */
	const struct weir_option *options; /* its own options, ends with a NULL name; NULL: none */
	const char *const
		*words; /* possible first arguments ("list", "show"), ends with NULL; NULL: any */
	enum weir_completion
		completes; /* of its arguments; with `words`, of those after the first */
	/* Replaces `completes` for argument `index` after the first one, which is `word`; NULL: it
	 * does not. */
	enum weir_completion (*completes_after)(const char *word, size_t index);
	unsigned exits;            /* WEIR_ENDS() of its exit codes besides 0, 2 and 9 */
	const char *example;       /* command line; golden/help-examples runs it */
	const char *example_shows; /* effect of the example in one line */
	/* Runs the command and returns the exit code. After a failure, err holds the reason, which
	 * main prints. */
	enum weir_exit (*run)(const struct weir_arguments *arguments, struct weir_error *err);
	/* Does the same for commands that need the table of all commands; run is NULL. */
	enum weir_exit (*run_about)(const struct weir_command *const *commands,
	                            const struct weir_arguments *arguments, struct weir_error *err);
	/* Flag whose presence asks for exit codes of `git bisect run`, also if the arguments are
	 * wrong; NULL: none. */
	const char *bisect_option;
	/* Called after main has printed the reason of a failure; NULL: not called. */
	void (*after_failure)(enum weir_exit code);
};

/* Commands in the order of `weir --help`, ends with NULL. */
extern const struct weir_command *const weir_commands[];

/* Returns the command of this name, or NULL. */
const struct weir_command *weir_command_find(const struct weir_command *const *commands,
                                             const char *name);

/* Returns true if the command can exit with this code; all can exit with 0, 2 and 9. */
bool weir_command_ends_with(const struct weir_command *command, enum weir_exit code);

/* Returns WEIR_E_USAGE with a message for a name that is not a command: it names the nearest
 * command, or `weir classify` if the name is a file. */
enum weir_status weir_command_unknown(const struct weir_command *const *commands, const char *name,
                                      struct weir_error *err);

/* The rows of the table, each defined in its own cmd_*.c. */
extern const struct weir_command weir_command_classify;
extern const struct weir_command weir_command_advise;
extern const struct weir_command weir_command_baseline;
extern const struct weir_command weir_command_convert;
extern const struct weir_command weir_command_part;
extern const struct weir_command weir_command_merge;
extern const struct weir_command weir_command_gate;
extern const struct weir_command weir_command_compare;
extern const struct weir_command weir_command_record;
extern const struct weir_command weir_command_bisect;
extern const struct weir_command weir_command_report;
extern const struct weir_command weir_command_query;
extern const struct weir_command weir_command_history;
extern const struct weir_command weir_command_doctor;
extern const struct weir_command weir_command_comment;
extern const struct weir_command weir_command_rules;
extern const struct weir_command weir_command_formats;
extern const struct weir_command weir_command_help;
extern const struct weir_command weir_command_completion;
extern const struct weir_command weir_command_complete;

#endif
