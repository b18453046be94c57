/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command is a row of the table in commands.c. To add one, see docs/adding-a-command.md. */
#ifndef WEIR_CLI_COMMAND_H
#define WEIR_CLI_COMMAND_H

#include "engine/base/error.h"
#include "engine/cli/options.h"
#include "engine/pipeline/exit.h"

#define WEIR_ENDS(code) (1u << (code))

struct weir_command {
	const char *name;
	const char *summary;     /* one line for `weir --help` */
	bool hidden;             /* not in help, man page or completion */
	const char *arguments;   /* "INPUT..."; "" for none */
	const char *description; /* paragraphs of `weir help NAME` and of the man page; any line
	                            length */
	const struct weir_option
		*options; /* its own, ends with a NULL name; NULL: only the common ones */
	const char *const
		*words; /* first arguments it knows ("list", "show"), ends with NULL; NULL: none */
	bool takes_files;          /* completion offers files */
	bool takes_command;        /* completion offers the names of all commands */
	unsigned exits;            /* WEIR_ENDS() of the codes besides 0, 2 and 9 */
	const char *example;       /* one command line */
	const char *example_shows; /* what the example does, one line */
	/* Returns the exit code. If that is the code of a failure, the reason is in err, and main
	 * prints it. */
	enum weir_exit (*run)(const struct weir_arguments *arguments, struct weir_error *err);
	/* In place of run, for commands about the table of all commands. */
	enum weir_exit (*run_about)(const struct weir_command *const *commands,
	                            const struct weir_arguments *arguments, struct weir_error *err);
	/* Called after main has printed the reason of a failure; NULL: nothing to add. */
	void (*after_failure)(enum weir_exit code);
};

/* All commands in the order of `weir --help`, ends with NULL. */
extern const struct weir_command *const weir_commands[];

/* Returns NULL if there is no such command. */
const struct weir_command *weir_command_find(const struct weir_command *const *commands,
                                             const char *name);

/* True if the command can end with this code: 0, 2 and 9 are possible for all. */
bool weir_command_ends_with(const struct weir_command *command, enum weir_exit code);

/* Fails with WEIR_E_USAGE for a name that is not a command: says so if it is a file, else names the
 * nearest command. */
enum weir_status weir_command_unknown(const struct weir_command *const *commands, const char *name,
                                      struct weir_error *err);

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
