/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/cli/command.h"
#include "engine/cli/help.h"
#include "engine/cli/output.h"

static const struct weir_option options[] = {
	{.name = "man", .hidden = true, .help = "the man page in roff"},
	{.name = NULL},
};

static enum weir_status compose(const struct weir_command *const *commands,
                                const struct weir_arguments *arguments, struct weir_text *text,
                                struct weir_error *err)
{
	const struct weir_command *command;

	if (weir_option_given(arguments, "man")) {
		weir_help_man_page(text, commands);
		return WEIR_OK;
	}
	if (weir_arguments_count(arguments) == 0) {
		weir_help_overview(text, commands);
		return WEIR_OK;
	}
	if (weir_arguments_count(arguments) > 1)
		return weir_fail(err, WEIR_E_USAGE, "help is about one command at a time");
	command = weir_command_find(commands, weir_arguments_at(arguments, 0));
	if (!command)
		return weir_command_unknown(commands, weir_arguments_at(arguments, 0), err);
	weir_help_command(text, command);
	return WEIR_OK;
}

static enum weir_exit run(const struct weir_command *const *commands,
                          const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status = compose(commands, arguments, &text, err);

	if (!status)
		status = weir_output_write(NULL, &text, err);
	weir_text_release(&text);
	return weir_exit_of(status);
}

const struct weir_command weir_command_help = {
	.name = "help",
	.summary = "show the options, exit codes and an example of a command",
	.arguments = "[COMMAND]",
	.description = "Without COMMAND, shows the same overview as weir --help. weir COMMAND "
		       "--help shows the same as weir help COMMAND.",
	.options = options,
	.completes = WEIR_COMPLETES_COMMANDS,
	.example = "weir help classify",
	.example_shows = "shows the options and exit codes of weir classify, with an example",
	.run_about = run,
};
