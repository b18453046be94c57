/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the command, runs it, prints its error and returns its exit code. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/json.h"
#include "engine/base/sandbox.h"
#include "engine/base/text.h"
#include "engine/cli/command.h"
#include "engine/cli/help.h"
#include "engine/cli/memory_limit.h"
#include "engine/cli/output.h"

static enum weir_exit print_text(struct weir_text *text, struct weir_error *err)
{
	enum weir_status status = weir_output_write(NULL, text, err);

	weir_text_release(text);
	return weir_exit_of(status);
}

static enum weir_exit print_version(struct weir_error *err)
{
	struct weir_text text = {0};

	weir_text_printf(&text, "weir %s\n", WEIR_VERSION);
	return print_text(&text, err);
}

static enum weir_exit print_help(const struct weir_command *command, struct weir_error *err)
{
	struct weir_text text = {0};

	if (command)
		weir_help_command(&text, command);
	else
		weir_help_overview(&text, weir_commands);
	return print_text(&text, err);
}

/* Runs a command, or answers --help and --version. command is NULL if only options were given. */
static enum weir_exit run(const struct weir_command *command,
                          const struct weir_arguments *arguments, struct weir_error *err)
{
	if (weir_option_given(arguments, "help"))
		return print_help(command, err);
	if (weir_option_given(arguments, "version"))
		return print_version(err);
	if (command && command->run_about)
		return command->run_about(weir_commands, arguments, err);
	if (command)
		return command->run(arguments, err);
	return weir_exit_of(weir_fail(err, WEIR_E_USAGE,
	                              "no command was given; weir --help lists the commands"));
}

/* Returns the exit code for arguments that cannot be parsed. */
static enum weir_exit misuse(const struct weir_command *command, int count, char *const *words)
{
	for (int i = 0; command && command->bisect_option && i < count; i++)
		if (strncmp(words[i], "--", 2) == 0 &&
		    strcmp(words[i] + 2, command->bisect_option) == 0)
			return (enum weir_exit)weir_exit_for_bisect(WEIR_EXIT_USAGE);
	return WEIR_EXIT_USAGE;
}

/* Checks the files that get the results, so that hours of work are not lost for a mistyped folder.
 */
static enum weir_status check_outputs(const struct weir_command *command,
                                      const struct weir_arguments *arguments,
                                      struct weir_error *err)
{
	const struct weir_option *option = command ? command->options : NULL;
	enum weir_status status = WEIR_OK;
	const char *path;

	while (option && option->name &&
	       (option->kind != WEIR_OPTION_FILE || strcmp(option->name, "output") != 0))
		option++;
	if (!option || !option->name)
		return WEIR_OK;
	for (size_t i = 0; !status && (path = weir_option_each(arguments, "output", i)); i++)
		status = weir_output_check(path, err);
	return status;
}

/* Says which protection the kernel lacks, for --verbose. */
static void tell_sandbox(const struct weir_arguments *arguments)
{
	static const char *const lacks[] = {
		"the inputs were read with all rights: this kernel has neither Landlock nor "
		"seccomp",
		"the inputs were read without the filter of seccomp, which this kernel lacks: "
		"Landlock alone refuses writes, programs and, since Linux 6.7, TCP",
		"the inputs were read without Landlock, which this kernel lacks: the filter of "
		"seccomp alone refuses writes, sockets and programs",
	};
	unsigned used = weir_sandbox_used();

	if (weir_option_given(arguments, "verbose") &&
	    !weir_option_given(arguments, "no-sandbox") && used < sizeof lacks / sizeof *lacks)
		weir_say(lacks[used]);
}

/* Parses and runs; words are all arguments but the name of the command, so that common options may
 * precede it. */
static enum weir_exit parse_and_run(const struct weir_command *command, int count,
                                    char *const *words, struct weir_error *err)
{
	struct weir_arguments *arguments;
	enum weir_exit code;

	if (weir_arguments_parse(command ? command->name : NULL, command ? command->options : NULL,
	                         count, words, &arguments, err))
		return misuse(command, count, words);
	if (!weir_option_given(arguments, "no-sandbox"))
		weir_sandbox_allow(WEIR_SANDBOX_ALL);
	if (weir_memory_limit(arguments, err))
		code = weir_exit_of(err->status);
	else if (check_outputs(command, arguments, err))
		code = misuse(command, count, words);
	else
		code = run(command, arguments, err);
	tell_sandbox(arguments);
	weir_arguments_free(arguments);
	return code;
}

static enum weir_exit dispatch(int argc, char *const *argv, const struct weir_command **found,
                               struct weir_error *err)
{
	int at = 1 + weir_arguments_find_command(argc - 1, argv + 1);
	const struct weir_command *command =
		at < argc ? weir_command_find(weir_commands, argv[at]) : NULL;
	enum weir_exit code;
	char **words;
	int count = 0;

	if (at < argc && !command)
		return weir_exit_of(weir_command_unknown(weir_commands, argv[at], err));
	*found = command;
	words = weir_alloc((size_t)argc * sizeof(*words));
	for (int i = 1; i < argc; i++)
		if (i != at)
			words[count++] = argv[i];
	code = parse_and_run(command, count, words, err);
	free(words);
	return code;
}

int main(int argc, char **argv)
{
	const struct weir_command *command = NULL;
	struct weir_error err = {0};
	enum weir_exit code;

	signal(SIGPIPE, SIG_IGN); /* a write into a closed pipe returns an error instead */
	weir_memory_tune();
	weir_json_own_memory();
	weir_trace_start();
	code = argc > 0 ? dispatch(argc, argv, &command, &err) : WEIR_EXIT_USAGE;
	weir_trace_finish();
	if (err.status)
		weir_say(err.message);
	if (err.status && command && command->after_failure)
		command->after_failure(code);
	return (int)code;
}
