/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command `complete`, which the completion scripts of all shells call: `weir complete -- weir
 * gate --base` prints the words that may stand for the last one, each in a line with a tab and its
 * meaning. A line ":files" or ":folders" asks the shell for its own completion.
 */
#include <stdlib.h>
#include <string.h>

#include "baselines/address.h"
#include "baselines/store.h"
#include "engine/analysis/roofline/devices.h"
#include "engine/base/arena.h"
#include "engine/cli/command.h"
#include "engine/cli/help.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/classify.h"
#include "engine/readers/reader.h"
#include "rules/fixes.h"

/* The words of a command line, and the place of the last one. */
struct line {
	const struct weir_command *const *commands;
	const char *const *words; /* the first one is the program */
	size_t count;
	const struct weir_command *command;   /* NULL: not given yet */
	const struct weir_option *option;     /* whose value the last word is; NULL: none */
	const struct weir_option *collecting; /* that takes further words; NULL: none */
	const char *db;                       /* value of --db; NULL: not given */
	const char *first;                    /* first argument of the command; NULL: none */
	size_t arguments;                     /* of the command, before the last word */
	bool options_ended;
	const char *last;   /* the last word, or its part behind "=" */
	const char *before; /* the part before that, "--format="; "" */
	size_t before_length;
	struct weir_text *out;
};

/* ---- the place of the last word ---- */

static const struct weir_option *find_option(const struct weir_command *command, const char *word)
{
	const struct weir_option *options = command ? command->options : NULL, *option;
	size_t length = strcspn(word + 2, "=");

	for (size_t i = 0; (option = weir_option_at(options, i)); i++)
		if (word[1] == '-' ? strlen(option->name) == length &&
		                             strncmp(option->name, word + 2, length) == 0
		                   : option->letter && option->letter == word[1] && !word[2])
			return option;
	return NULL;
}

/* Takes a word that is an option, with its value. Moves *at to its last word, at most to the last
 * word of the line, which is then its value. */
static void take_option(struct line *line, size_t *at)
{
	const char *word = line->words[*at];
	const struct weir_option *option = find_option(line->command, word);

	if (!option || option->kind == WEIR_OPTION_FLAG || (word[1] == '-' && strchr(word, '=')))
		return;
	++*at;
	if (*at + 1 < line->count && strcmp(line->words[*at], "=") == 0) /* bash splits there */
		++*at;
	if (*at + 1 >= line->count)
		line->option = option;
	else if (strcmp(option->name, "db") == 0)
		line->db = line->words[*at];
	line->collecting = option->collects ? option : NULL;
}

static void take_argument(struct line *line, const char *word)
{
	if (!line->command) {
		line->command = weir_command_find(line->commands, word);
		return;
	}
	if (line->arguments++ == 0)
		line->first = word;
}

static bool is_option(const struct line *line, const char *word)
{
	return !line->options_ended && word[0] == '-' && word[1];
}

/* Finds the place of the last word behind those before it. */
static void find_place(struct line *line)
{
	const char *last = line->words[line->count - 1], *equals = strchr(last, '=');

	for (size_t at = 1; at + 1 < line->count; at++) {
		const char *word = line->words[at];

		if (!line->options_ended && strcmp(word, "--") == 0)
			line->options_ended = true;
		else if (is_option(line, word))
			take_option(line, &at);
		else if (!line->collecting)
			take_argument(line, word);
	}
	line->last = strcmp(last, "=") == 0 ? "" : last;
	line->before = "";
	if (!line->option && is_option(line, last) && last[1] == '-' && equals) {
		line->option = find_option(line->command, last);
		line->before = last;
		line->before_length = (size_t)(equals + 1 - last);
		line->last = equals + 1;
	}
	if (!line->option && !is_option(line, last))
		line->option = line->options_ended ? NULL : line->collecting;
}

/* ---- the words ---- */

/* Offers a word if it begins as the last one does. */
static void offer(const struct line *line, const char *word, const char *meaning)
{
	if (strncmp(word, line->last, strlen(line->last)) != 0)
		return;
	weir_text_add(line->out, line->before, line->before_length);
	weir_text_printf(line->out, "%s\t%s\n", word, meaning ? meaning : "");
}

static void offer_commands(const struct line *line)
{
	for (size_t i = 0; line->commands[i]; i++)
		if (!line->commands[i]->hidden)
			offer(line, line->commands[i]->name, line->commands[i]->summary);
}

static void offer_options(const struct line *line)
{
	const struct weir_option *options = line->command ? line->command->options : NULL, *option;

	for (size_t i = 0; (option = weir_option_at(options, i)); i++) {
		struct weir_text word = {0};

		weir_text_printf(&word, "--%s", option->name);
		if (!option->hidden)
			offer(line, word.data, option->help);
		weir_text_release(&word);
	}
}

/* Offers the baselines of a store in a file. A server is not asked: a key press must not wait. */
static void offer_baselines(const struct line *line)
{
	const char *environment = getenv("WEIR_DB"), *path = line->db;
	struct weir_store *store = NULL;
	struct weir_store_list *list = NULL;

	if (!path)
		path = environment && *environment ? environment : WEIR_DEFAULT_DB;
	if (weir_address_is_server(path) || weir_store_open(path, WEIR_STORE_READ, &store, NULL))
		return;
	if (!weir_store_list(store, &list, NULL)) {
		for (size_t i = 0; i < list->count; i++)
			offer(line, list->rows[i].name, list->rows[i].gpu);
		weir_store_list_free(list);
	}
	weir_store_free(store);
}

static void offer_fixes(const struct line *line)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_fix_catalogue fixes = {0};

	if (!weir_fixes_load(arena, &fixes, NULL))
		for (size_t i = 0; i < fixes.count; i++)
			offer(line, fixes.items[i].id, fixes.items[i].title);
	weir_arena_free(arena);
}

static void offer_rules(const struct line *line)
{
	struct weir_ruleset *rules;

	if (weir_load_rules(NULL, &rules, NULL))
		return;
	for (size_t i = 0; i < weir_ruleset_count(rules); i++)
		offer(line, weir_ruleset_rule(rules, i)->id, weir_ruleset_rule(rules, i)->title);
	weir_ruleset_free(rules);
	offer_fixes(line);
}

static void offer_devices(const struct line *line)
{
	struct weir_device_table devices = {0};

	if (!weir_device_table_load(&devices, NULL))
		for (size_t i = 0; i < devices.count; i++)
			offer(line, devices.items[i].name, NULL);
	weir_device_table_release(&devices);
}

static void offer_readers(const struct line *line)
{
	for (size_t i = 0; weir_readers[i]; i++)
		offer(line, weir_readers[i]->name, weir_readers[i]->title);
}

static void offer_kind(const struct line *line, enum weir_completion kind)
{
	switch (kind) {
	case WEIR_COMPLETES_NOTHING:
		break;
	case WEIR_COMPLETES_FILES:
		weir_text_puts(line->out, ":files\n");
		break;
	case WEIR_COMPLETES_FOLDERS:
		weir_text_puts(line->out, ":folders\n");
		break;
	case WEIR_COMPLETES_COMMANDS:
		offer_commands(line);
		break;
	case WEIR_COMPLETES_BASELINES:
		offer_baselines(line);
		break;
	case WEIR_COMPLETES_RULES:
		offer_rules(line);
		break;
	case WEIR_COMPLETES_FIXES:
		offer_fixes(line);
		break;
	case WEIR_COMPLETES_DEVICES:
		offer_devices(line);
		break;
	case WEIR_COMPLETES_READERS:
		offer_readers(line);
		break;
	}
}

static void offer_value(const struct line *line)
{
	const struct weir_option *option = line->option;

	for (size_t i = 0; option->choices && option->choices[i]; i++)
		offer(line, option->choices[i], NULL);
	if (option->kind == WEIR_OPTION_FILE)
		offer_kind(line, WEIR_COMPLETES_FILES);
	else if (option->kind == WEIR_OPTION_FOLDER)
		offer_kind(line, WEIR_COMPLETES_FOLDERS);
	else
		offer_kind(line, option->completes);
}

static void offer_argument(const struct line *line)
{
	const struct weir_command *command = line->command;

	if (line->arguments == 0 && command->words)
		for (size_t i = 0; command->words[i]; i++)
			offer(line, command->words[i], NULL);
	else if (line->arguments > 0 && command->completes_after)
		offer_kind(line, command->completes_after(line->first, line->arguments));
	else
		offer_kind(line, command->completes);
}

void weir_help_complete(struct weir_text *text, const struct weir_command *const *commands,
                        const char *const *words, size_t count)
{
	struct line line = {.commands = commands, .words = words, .count = count, .out = text};

	find_place(&line);
	if (line.option)
		offer_value(&line);
	else if (is_option(&line, line.last))
		offer_options(&line);
	else if (!line.command)
		offer_commands(&line);
	else
		offer_argument(&line);
}

static enum weir_exit run(const struct weir_command *const *commands,
                          const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_text text = {0};
	size_t count = weir_arguments_count(arguments);
	enum weir_status status;

	if (count < 2)
		return weir_exit_of(weir_fail(err, WEIR_E_USAGE,
		                              "complete needs the words of a command line: weir "
		                              "complete -- weir gate --base"));
	weir_help_complete(&text, commands, weir_arguments_list(arguments), count);
	status = weir_output_write(NULL, &text, err);
	weir_text_release(&text);
	return weir_exit_of(status);
}

const struct weir_command weir_command_complete = {
	.name = "complete",
	.summary = "print the words that may complete a command line",
	.hidden = true,
	.arguments = "-- WORD...",
	.description = "Prints the words that may stand for the last WORD of a command line, which "
		       "begins with the name of the program. The scripts that weir completion "
		       "writes call it.",
	.example = "weir complete -- weir gate --base",
	.example_shows = "prints --baseline with its meaning",
	.run_about = run,
};
