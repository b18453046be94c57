/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `completion`: writes a bash function with a case for each command. */
#include <string.h>

#include "engine/cli/help.h"
#include "engine/cli/output.h"

static void add_option_words(struct weir_text *text, const struct weir_option *options)
{
	const struct weir_option *option;
	const char *blank = "";

	for (size_t i = 0; (option = weir_option_at(options, i)); i++) {
		if (option->hidden)
			continue;
		weir_text_printf(text, "%s--%s", blank, option->name);
		blank = " ";
	}
}

static void add_words(struct weir_text *text, const char *const *words)
{
	for (size_t i = 0; words && words[i]; i++)
		weir_text_printf(text, "%s%s", i ? " " : "", words[i]);
}

static void add_choices(struct weir_text *text, const struct weir_option *option)
{
	weir_text_puts(text, "COMPREPLY=($(compgen -W \"");
	add_words(text, option->choices);
	weir_text_puts(text, "\" -- \"$word\"))");
}

/* Writes the completion of an option's value: its choices, files or folders; nothing for free text.
 */
static void add_value_case(struct weir_text *text, const char *command,
                           const struct weir_option *option)
{
	weir_text_printf(text, "\t%s:--%s", command, option->name);
	if (option->letter)
		weir_text_printf(text, " | %s:-%c", command, option->letter);
	weir_text_puts(text, ") ");
	switch (option->kind) {
	case WEIR_OPTION_CHOICE:
		add_choices(text, option);
		break;
	case WEIR_OPTION_FILE:
		weir_text_puts(text,
		               "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\"))");
		break;
	case WEIR_OPTION_FOLDER:
		weir_text_puts(text,
		               "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$word\"))");
		break;
	case WEIR_OPTION_TEXT:
		if (option->choices)
			add_choices(text, option);
		else
			weir_text_puts(text, ":");
		break;
	case WEIR_OPTION_FLAG:
	case WEIR_OPTION_COUNT:
	case WEIR_OPTION_PERCENTILE:
	case WEIR_OPTION_PRICE:
		weir_text_puts(text, ":");
		break;
	}
	weir_text_puts(text, "; return ;;\n");
}

static void add_value_cases(struct weir_text *text, const char *command,
                            const struct weir_option *options)
{
	const struct weir_option *option;

	for (size_t i = 0; (option = weir_option_at(options, i)); i++)
		if (!option->hidden && option->kind != WEIR_OPTION_FLAG)
			add_value_case(text, command, option);
}

static void add_commands(struct weir_text *text, const struct weir_command *const *commands)
{
	const char *blank = "";

	for (size_t i = 0; commands[i]; i++) {
		if (commands[i]->hidden)
			continue;
		weir_text_printf(text, "%s%s", blank, commands[i]->name);
		blank = " ";
	}
}

static void add_command_case(struct weir_text *text, const struct weir_command *const *commands,
                             const struct weir_command *command)
{
	weir_text_printf(text, "\t%s)\n\t\toptions=\"", command->name);
	add_option_words(text, command->options);
	weir_text_puts(text, "\"\n\t\twords=\"");
	add_words(text, command->words);
	if (command->takes_command)
		add_commands(text, commands);
	weir_text_printf(text, "\"\n\t\tfiles=%d ;;\n", command->takes_files ? 1 : 0);
}

void weir_help_bash_completion(struct weir_text *text, const struct weir_command *const *commands)
{
	weir_text_puts(text, "# bash completion for weir; written by: weir completion bash\n"
	                     "_weir()\n{\n"
	                     "\tlocal word=\"${COMP_WORDS[COMP_CWORD]}\" "
	                     "before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
	                     "\tlocal command=\"\" options=\"\" words=\"\" files=0 i\n\n"
	                     "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	                     "\t\tcase \"${COMP_WORDS[i]}\" in\n");
	for (size_t i = 0; weir_common_options[i].name; i++)
		if (weir_common_options[i].kind != WEIR_OPTION_FLAG)
			weir_text_printf(text, "\t\t--%s) ((i++)) ;;\n",
			                 weir_common_options[i].name);
	weir_text_puts(text, "\t\t-*) ;;\n"
	                     "\t\t*) command=\"${COMP_WORDS[i]}\"; break ;;\n"
	                     "\t\tesac\n\tdone\n"
	                     "\tCOMPREPLY=()\n"
	                     "\tcase \"$command:$before\" in\n");
	add_value_cases(text, "", NULL);
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			add_value_cases(text, commands[i]->name, commands[i]->options);
	weir_text_puts(text, "\tesac\n\tcase \"$command\" in\n\t\"\")\n\t\toptions=\"");
	add_option_words(text, NULL);
	weir_text_puts(text, "\"\n\t\twords=\"");
	add_commands(text, commands);
	weir_text_puts(text, "\" ;;\n");
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			add_command_case(text, commands, commands[i]);
	weir_text_puts(text, "\tesac\n"
	                     "\tif [[ $word == -* ]]; then\n"
	                     "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
	                     "\t\treturn\n"
	                     "\tfi\n"
	                     "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	                     "\tif ((files)); then\n"
	                     "\t\tcompopt -o filenames\n"
	                     "\t\tCOMPREPLY+=($(compgen -f -- \"$word\"))\n"
	                     "\tfi\n"
	                     "}\n"
	                     "complete -F _weir weir\n");
}

static enum weir_exit run(const struct weir_command *const *commands,
                          const struct weir_arguments *arguments, struct weir_error *err)
{
	const char *shell = weir_arguments_at(arguments, 0);
	struct weir_text text = {0};
	enum weir_status status;

	if (!shell || weir_arguments_count(arguments) != 1 || strcmp(shell, "bash") != 0)
		return weir_exit_of(weir_fail(
			err, WEIR_E_USAGE, "completion is written for bash: weir completion bash"));
	weir_help_bash_completion(&text, commands);
	status = weir_output_write(NULL, &text, err);
	weir_text_release(&text);
	return weir_exit_of(status);
}

static const char *const words[] = {"bash", NULL};

const struct weir_command weir_command_completion = {
	.name = "completion",
	.summary = "write a completion script for the shell",
	.hidden = true,
	.arguments = "bash",
	.description = "Writes a script that completes commands, options and their values in bash.",
	.words = words,
	.example = "eval \"$(weir completion bash)\"",
	.example_shows = "completes weir in this shell",
	.run_about = run,
};
