/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the man page in roff with the man macros; the test lint/manpage checks it with mandoc. */
#include "engine/cli/help.h"

/* Escapes dashes, backslashes, and dots and quotes at the begin of a line, which roff interprets.
 */
static void add_literal(struct weir_text *text, const char *words)
{
	bool line_begins = true;

	for (; *words; words++) {
		if (line_begins && (*words == '.' || *words == '\''))
			weir_text_puts(text, "\\&");
		line_begins = *words == '\n';
		if (*words == '\\')
			weir_text_puts(text, "\\e");
		else if (*words == '-')
			weir_text_puts(text, "\\-");
		else
			weir_text_add(text, words, 1);
	}
}

/* Writes paragraphs; roff breaks their lines. */
static void add_paragraphs(struct weir_text *text, const char *words)
{
	struct weir_text one = {0};

	for (; *words; words++) {
		if (words[0] == '\n' && words[1] == '\n') {
			add_literal(text, one.data);
			weir_text_puts(text, "\n.PP\n");
			weir_text_clear(&one);
			words++;
			continue;
		}
		weir_text_add(&one, words, 1);
	}
	if (one.length) {
		add_literal(text, one.data);
		weir_text_puts(text, "\n");
	}
	weir_text_release(&one);
}

static void add_option(struct weir_text *text, const struct weir_option *option)
{
	weir_text_puts(text, ".TP\n");
	if (option->letter)
		weir_text_printf(text, "\\fB\\-%c\\fR, ", option->letter);
	weir_text_puts(text, "\\fB\\-\\-");
	add_literal(text, option->name);
	weir_text_puts(text, "\\fR");
	if (option->value)
		weir_text_printf(text, " \\fI%s\\fR", option->value);
	weir_text_puts(text, "\n");
	add_literal(text, option->help);
	weir_text_puts(text, option->repeatable ? "; may be repeated\n" : "\n");
}

static void add_options(struct weir_text *text, const struct weir_option *options)
{
	for (size_t i = 0; options && options[i].name; i++)
		if (!options[i].hidden)
			add_option(text, &options[i]);
}

static void add_command(struct weir_text *text, const struct weir_command *command)
{
	weir_text_printf(text, ".SS weir %s [OPTION...]%s%s\n", command->name,
	                 *command->arguments ? " " : "", command->arguments);
	add_paragraphs(text, command->description);
	add_options(text, command->options);
	weir_text_puts(text, ".PP\nExample:\n.PP\n.nf\n.RS 4\n");
	add_literal(text, command->example);
	weir_text_puts(text, "\n.RE\n.fi\n.PP\n");
	add_literal(text, command->example_shows);
	weir_text_puts(text, ".\n");
}

static void add_exit_codes(struct weir_text *text, const struct weir_command *const *commands)
{
	unsigned all = 0;

	for (size_t i = 0; commands[i]; i++)
		for (unsigned code = 0; code < WEIR_EXIT_COUNT; code++)
			if (weir_command_ends_with(commands[i], (enum weir_exit)code))
				all |= WEIR_ENDS(code);
	weir_text_puts(text, ".SH EXIT STATUS\n");
	for (unsigned code = 0; code < WEIR_EXIT_COUNT; code++) {
		if (!(all & WEIR_ENDS(code)))
			continue;
		weir_text_printf(text, ".TP\n\\fB%u\\fR\n", code);
		add_literal(text, weir_exit_meaning((enum weir_exit)code));
		weir_text_puts(text, "\n");
	}
}

static void add_environment(struct weir_text *text)
{
	weir_text_puts(
		text,
		".SH ENVIRONMENT\n"
		".TP\n\\fBNO_COLOR\\fR\n"
		"If set and not empty: no colour, unless \\fB\\-\\-color always\\fR is given.\n"
		".TP\n\\fBCOLUMNS\\fR\n"
		"Width of the text report (default: the width of the terminal, else 80).\n"
		".TP\n\\fBTERM\\fR\n"
		"If it is \\(lqdumb\\(rq: neither colour nor progress.\n"
		".TP\n\\fBWEIR_DB\\fR\n"
		"Path of the store or address of its PostgreSQL server, unless "
		"\\fB\\-\\-db\\fR is given.\n"
		".TP\n\\fBWEIR_TRACE\\fR\n"
		"Path of a file to which weir appends its phases, one JSON object per line: "
		"name, time, count, thread and nesting.\n");
}

void weir_help_man_page(struct weir_text *text, const struct weir_command *const *commands)
{
	weir_text_printf(
		text,
		".\\\" Written by weir help --man from the tables of commands and options.\n"
		".TH WEIR 1 \"\" \"weir %s\" \"User Commands\"\n"
		".SH NAME\n"
		"weir \\- shows where the time of an AI\\-inference workload goes and what bounds "
		"it\n"
		".SH SYNOPSIS\n"
		".B weir\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
		".SH DESCRIPTION\n",
		WEIR_VERSION);
	add_paragraphs(
		text,
		"weir reads profiles of inference workloads, measures where the time goes, and "
		"names what bounds the workload, with the evidence.\n\n"
		"Inputs may be compressed with gzip or zstd. Their formats are recognised by "
		"content; - is standard input. Results go to standard output, everything else "
		"to standard error.");
	weir_text_puts(text, ".SH OPTIONS\nEvery command takes:\n");
	add_options(text, weir_common_options);
	weir_text_puts(text, ".SH COMMANDS\n");
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			add_command(text, commands[i]);
	add_exit_codes(text, commands);
	add_environment(text);
}
