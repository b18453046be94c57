/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/cli/command.h"
#include "engine/cli/help.h"
#include "engine/cli/output.h"

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	const char *shell = weir_arguments_at(arguments, 0);
	struct weir_text text = {0};
	enum weir_status status;

	if (!shell || weir_arguments_count(arguments) != 1 || strcmp(shell, "bash") != 0)
		return weir_exit_of(weir_fail(
			err, WEIR_E_USAGE, "completion is written for bash: weir completion bash"));
	weir_help_bash_completion(&text);
	status = weir_output_write(NULL, &text, err);
	weir_text_release(&text);
	return weir_exit_of(status);
}

static const char *const words[] = {"bash", NULL};

const struct weir_command weir_command_completion = {
	.name = "completion",
	.summary = "the completion script of a shell",
	.hidden = true,
	.arguments = "bash",
	.description =
		"Writes a script for bash that completes commands, options and their values.",
	.words = words,
	.example = "eval \"$(weir completion bash)\"",
	.example_shows = "completes weir in this shell",
	.run = run,
};
