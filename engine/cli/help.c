/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/cli/help.h"

#define NAME_COLUMNS   14 /* width of the names of commands in the overview */
#define OPTION_COLUMNS 28 /* width of the options in front of their help */

/* Returns the length of the next line: up to the last blank within `room`, else to the first. */
static size_t line_length(const char *words, size_t room)
{
	size_t best = 0;

	for (size_t end = 0;; end++) {
		bool stops = words[end] == '\0' || words[end] == '\n';

		if ((stops || words[end] == ' ') && (end <= room || best == 0))
			best = end;
		if (stops || (end >= room && best > 0))
			return best;
	}
}

void weir_help_wrap(struct weir_text *text, const char *words, size_t indent, size_t columns)
{
	size_t room = columns > indent ? columns - indent : 1;

	while (*words) {
		size_t len = line_length(words, room);

		if (len)
			weir_text_repeat(text, " ", indent);
		weir_text_add(text, words, len);
		weir_text_puts(text, "\n");
		words += len;
		words += *words ? 1 : 0; /* the blank or line feed that the line ended at */
	}
}

/* "-o, --output FILE" */
static void add_spelling(struct weir_text *text, const struct weir_option *option)
{
	if (option->letter)
		weir_text_printf(text, "-%c, ", option->letter);
	else
		weir_text_puts(text, "    ");
	weir_text_printf(text, "--%s", option->name);
	if (option->value)
		weir_text_printf(text, " %s", option->value);
}

void weir_help_row(struct weir_text *text, const char *left, const char *right, size_t indent)
{
	struct weir_text wrapped = {0};
	size_t columns = weir_text_columns(left) + 2;

	weir_help_wrap(&wrapped, right, indent, WEIR_HELP_COLUMNS);
	weir_text_printf(text, "  %s", left);
	if (columns >= indent)
		weir_text_puts(text, "\n"); /* no room beside it */
	weir_text_puts(text, wrapped.data + (columns >= indent ? 0 : columns));
	weir_text_release(&wrapped);
}

static void add_option(struct weir_text *text, const struct weir_option *option)
{
	struct weir_text left = {0}, right = {0};

	add_spelling(&left, option);
	weir_text_printf(&right, "%s%s", option->help,
	                 option->repeatable ? "; may be repeated" : "");
	weir_help_row(text, left.data, right.data, OPTION_COLUMNS);
	weir_text_release(&left);
	weir_text_release(&right);
}

static void add_options(struct weir_text *text, const struct weir_option *options)
{
	const struct weir_option *option;

	weir_text_puts(text, "options\n");
	for (size_t i = 0; (option = weir_option_at(options, i)); i++)
		if (!option->hidden)
			add_option(text, option);
}

void weir_help_command(struct weir_text *text, const struct weir_command *command)
{
	weir_text_printf(text, "weir %s: %s\n\nusage  weir %s [OPTION...]%s%s\n\n", command->name,
	                 command->summary, command->name, *command->arguments ? " " : "",
	                 command->arguments);
	weir_help_wrap(text, command->description, 0, WEIR_HELP_COLUMNS);
	weir_text_puts(text, "\n");
	add_options(text, command->options);
	weir_text_puts(text, "\nexit codes\n");
	for (unsigned code = 0; code < WEIR_EXIT_COUNT; code++)
		if (weir_command_ends_with(command, (enum weir_exit)code))
			weir_text_printf(text, "  %-3u%s\n", code,
			                 weir_exit_meaning((enum weir_exit)code));
	weir_text_printf(text, "\nexample\n  %s\n", command->example);
	weir_help_wrap(text, command->example_shows, 6, WEIR_HELP_COLUMNS);
}

void weir_help_overview(struct weir_text *text, const struct weir_command *const *commands)
{
	weir_text_puts(
		text,
		"weir: shows where the time of an AI-inference workload goes and what bounds it\n\n"
		"usage  weir COMMAND [OPTION...] [ARGUMENT...]\n\n"
		"commands\n");
	for (size_t i = 0; commands[i]; i++) {
		const struct weir_command *command = commands[i];

		if (!command->hidden)
			weir_text_printf(text, "  %-*s%s\n", NAME_COLUMNS, command->name,
			                 command->summary);
	}
	weir_text_puts(text, "\n");
	add_options(text, NULL);
	weir_text_puts(
		text,
		"\nstart with\n"
		"  weir classify trace.json.gz         what bounds this trace, with evidence\n"
		"  weir help classify                  options, exit codes and an example\n\n"
		"Results go to standard output, everything else to standard error. Inputs may be\n"
		"compressed (gzip, zstd); - is standard input.\n");
}
