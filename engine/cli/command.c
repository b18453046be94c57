/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <sys/stat.h>

#include "engine/base/text.h"
#include "engine/cli/command.h"

const struct weir_command *weir_command_find(const struct weir_command *const *commands,
                                             const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

bool weir_command_ends_with(const struct weir_command *command, enum weir_exit code)
{
	const unsigned everybody = WEIR_ENDS(WEIR_EXIT_PASS) | WEIR_ENDS(WEIR_EXIT_USAGE) |
	                           WEIR_ENDS(WEIR_EXIT_INTERNAL);

	return ((command->exits | everybody) & WEIR_ENDS(code)) != 0;
}

#define MAX_COMMANDS 32

static const char *nearest_command(const struct weir_command *const *commands, const char *name)
{
	const char *names[MAX_COMMANDS + 1] = {NULL};
	size_t count = 0;

	for (size_t i = 0; commands[i] && count < MAX_COMMANDS; i++)
		if (!commands[i]->hidden)
			names[count++] = commands[i]->name;
	return weir_text_nearest(name, names);
}

enum weir_status weir_command_unknown(const struct weir_command *const *commands, const char *name,
                                      struct weir_error *err)
{
	const char *nearest = nearest_command(commands, name);
	struct stat info;

	if (nearest)
		return weir_fail(err, WEIR_E_USAGE, "unknown command %s; did you mean: weir %s?",
		                 name, nearest);
	if (strcmp(name, "-") == 0 || stat(name, &info) == 0)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s is an input, not a command; did you mean: weir classify %s?",
		                 name, name);
	return weir_fail(err, WEIR_E_USAGE, "unknown command %s; weir --help lists the commands",
	                 name);
}
