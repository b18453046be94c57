/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/cli/options.h"

static const char *const color_choices[] = {"auto", "always", "never", NULL};

const struct weir_option weir_common_options[] = {
	{.name = "quiet",
         .letter = 'q',
         .help = "print only the result: no progress and no remarks on standard error"},
	{.name = "verbose",
         .letter = 'v',
         .help = "list on standard error the inputs that were read"},
	{.name = "color",
         .kind = WEIR_OPTION_CHOICE,
         .value = "WHEN",
         .choices = color_choices,
         .help = "auto (colour on a terminal, unless NO_COLOR is set), always or never"},
	{.name = "max-memory",
         .kind = WEIR_OPTION_SIZE,
         .value = "SIZE",
         .help = "end with an error rather than use more memory, such as 2GiB (default: that of "
                 "the machine or container)"},
	{.name = "no-sandbox",
         .help = "read the inputs with all rights of the program; without it the kernel refuses "
                 "writes, sockets and programs while they are read"},
	{.name = "help", .letter = 'h', .help = "show this help"},
	{.name = "version", .help = "show the version"},
	{.name = NULL},
};

struct given {
	const struct weir_option *option;
	const char *value; /* NULL for a flag */
};

struct weir_arguments {
	const char *command;
	const struct weir_option *options;
	struct given *given; /* options in the order of argv */
	size_t given_count, given_capacity;
	const char **list; /* arguments that are not options; ends with NULL */
	size_t list_count, list_capacity;
};

const struct weir_option *weir_option_at(const struct weir_option *options, size_t index)
{
	size_t own = 0;

	while (options && options[own].name) {
		if (own == index)
			return &options[own];
		own++;
	}
	for (size_t i = 0; weir_common_options[i].name; i++)
		if (own + i == index)
			return &weir_common_options[i];
	return NULL;
}

static const struct weir_option *find_long(const struct weir_option *options, const char *name,
                                           size_t len)
{
	const struct weir_option *option;

	for (size_t i = 0; (option = weir_option_at(options, i)); i++)
		if (strlen(option->name) == len && memcmp(option->name, name, len) == 0)
			return option;
	return NULL;
}

static const struct weir_option *find_letter(const struct weir_option *options, char letter)
{
	const struct weir_option *option;

	for (size_t i = 0; (option = weir_option_at(options, i)); i++)
		if (option->letter == letter)
			return option;
	return NULL;
}

static enum weir_status fail_unknown(const struct weir_arguments *arguments, const char *text,
                                     const char *nearest, struct weir_error *err)
{
	const char *command = arguments->command;
	const char *space = command ? " " : "";

	command = command ? command : "";
	if (nearest)
		return weir_fail(err, WEIR_E_USAGE,
		                 "unknown option %s; did you mean --%s? (see: weir help%s%s)", text,
		                 nearest, space, command);
	return weir_fail(err, WEIR_E_USAGE, "unknown option %s (see: weir help%s%s)", text, space,
	                 command);
}

#define MAX_OPTIONS 64 /* options of a command that can be suggested */

static enum weir_status fail_unknown_long(const struct weir_arguments *arguments, const char *text,
                                          struct weir_error *err)
{
	const char *names[MAX_OPTIONS + 1] = {NULL};
	const struct weir_option *option;
	struct weir_text typed = {0};
	enum weir_status status;
	size_t count = 0;

	for (size_t i = 0; count < MAX_OPTIONS && (option = weir_option_at(arguments->options, i));
	     i++)
		if (!option->hidden)
			names[count++] = option->name;
	weir_text_add(&typed, text + 2, strcspn(text + 2, "="));
	status = fail_unknown(arguments, text, weir_text_nearest(typed.data, names), err);
	weir_text_release(&typed);
	return status;
}

static enum weir_status check_choice(const struct weir_option *option, const char *value,
                                     struct weir_error *err)
{
	struct weir_text all = {0};
	const char *nearest = weir_text_nearest(value, option->choices);

	for (size_t i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], value) == 0) {
			weir_text_release(&all);
			return WEIR_OK;
		}
		weir_text_printf(&all, "%s%s", i ? ", " : "", option->choices[i]);
	}
	if (nearest)
		weir_fail(err, WEIR_E_USAGE, "--%s is \"%s\"; did you mean %s? (expected: %s)",
		          option->name, value, nearest, all.data);
	else
		weir_fail(err, WEIR_E_USAGE, "--%s is \"%s\"; expected: %s", option->name, value,
		          all.data);
	weir_text_release(&all);
	return WEIR_E_USAGE;
}

static bool parse_count(const char *value, size_t *out)
{
	int64_t number;

	if (!weir_parse_i64(value, strlen(value), &number) || number < 1 ||
	    number > WEIR_OPTION_MAX_COUNT)
		return false;
	*out = (size_t)number;
	return true;
}

static bool is_percentile(const char *value)
{
	double number;

	return weir_parse_double(value, strlen(value), &number) && number > 0 && number < 100;
}

static bool is_price(const char *value)
{
	double number;

	return weir_parse_double(value, strlen(value), &number) && number > 0 && isfinite(number);
}

static enum weir_status check_value(const struct weir_option *option, const char *value,
                                    struct weir_error *err)
{
	uint64_t bytes;
	size_t count;

	switch (option->kind) {
	case WEIR_OPTION_CHOICE:
		return check_choice(option, value, err);
	case WEIR_OPTION_COUNT:
		if (!parse_count(value, &count))
			return weir_fail(err, WEIR_E_USAGE,
			                 "--%s is \"%s\"; expected a whole number from 1 to %d",
			                 option->name, value, WEIR_OPTION_MAX_COUNT);
		return WEIR_OK;
	case WEIR_OPTION_SIZE:
		if (!weir_parse_bytes(value, &bytes))
			return weir_fail(err, WEIR_E_USAGE,
			                 "--%s is \"%.40s\"; expected a size such as 500MB or 2GiB",
			                 option->name, value);
		return WEIR_OK;
	case WEIR_OPTION_PERCENTILE:
		if (!is_percentile(value))
			return weir_fail(err, WEIR_E_USAGE,
			                 "--%s is \"%s\"; expected a number above 0 and below 100",
			                 option->name, value);
		return WEIR_OK;
	case WEIR_OPTION_PRICE:
		if (!is_price(value))
			return weir_fail(err, WEIR_E_USAGE,
			                 "--%s is \"%s\"; expected a price above 0, such as 3.2",
			                 option->name, value);
		return WEIR_OK;
	case WEIR_OPTION_FLAG:
	case WEIR_OPTION_TEXT:
	case WEIR_OPTION_FILE:
	case WEIR_OPTION_FOLDER:
		break;
	}
	if (!*value)
		return weir_fail(err, WEIR_E_USAGE, "--%s is empty; expected %s", option->name,
		                 option->value);
	return WEIR_OK;
}

static enum weir_status add_given(struct weir_arguments *arguments,
                                  const struct weir_option *option, const char *value,
                                  struct weir_error *err)
{
	if (value && check_value(option, value, err))
		return WEIR_E_USAGE;
	arguments->given = weir_grow(arguments->given, &arguments->given_capacity,
	                             arguments->given_count + 1, sizeof(*arguments->given));
	arguments->given[arguments->given_count++] = (struct given){option, value};
	return WEIR_OK;
}

static void add_argument(struct weir_arguments *arguments, const char *text)
{
	arguments->list = weir_grow(arguments->list, &arguments->list_capacity,
	                            arguments->list_count + 2, sizeof(*arguments->list));
	arguments->list[arguments->list_count++] = text;
	arguments->list[arguments->list_count] = NULL;
}

/* Parses "--name", "--name=value" or "--name value" at argv[*at]; moves *at to its last word. */
static enum weir_status parse_long(struct weir_arguments *arguments, int argc, char *const *argv,
                                   int *at, struct weir_error *err)
{
	const char *name = argv[*at] + 2;
	size_t len = strcspn(name, "=");
	const struct weir_option *option = find_long(arguments->options, name, len);
	const char *value = name[len] ? name + len + 1 : NULL;

	if (!option)
		return fail_unknown_long(arguments, argv[*at], err);
	if (option->kind == WEIR_OPTION_FLAG) {
		if (value)
			return weir_fail(err, WEIR_E_USAGE, "--%s takes no value; remove \"=%s\"",
			                 option->name, value);
		return add_given(arguments, option, NULL, err);
	}
	if (!value && *at + 1 < argc)
		value = argv[++*at];
	if (!value)
		return weir_fail(err, WEIR_E_USAGE, "--%s needs a value: --%s %s", option->name,
		                 option->name, option->value);
	return add_given(arguments, option, value, err);
}

/* Parses "-q", "-qv", "-ofile" or "-o file" at argv[*at]; moves *at to its last word. */
static enum weir_status parse_letters(struct weir_arguments *arguments, int argc, char *const *argv,
                                      int *at, struct weir_error *err)
{
	const char *word = argv[*at];

	for (const char *letter = word + 1; *letter; letter++) {
		const struct weir_option *option = find_letter(arguments->options, *letter);
		const char *value = letter[1] ? letter + 1 : NULL;

		if (!option)
			return fail_unknown(arguments, word, NULL, err);
		if (option->kind != WEIR_OPTION_FLAG) {
			if (!value && *at + 1 < argc)
				value = argv[++*at];
			if (!value)
				return weir_fail(err, WEIR_E_USAGE, "-%c needs a value: -%c %s",
				                 *letter, *letter, option->value);
			return add_given(arguments, option, value, err);
		}
		if (add_given(arguments, option, NULL, err))
			return WEIR_E_USAGE;
	}
	return WEIR_OK;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

/* Returns the last option if it collects the words that follow it, else NULL. */
static const struct weir_option *collecting(const struct weir_arguments *arguments)
{
	const struct weir_option *last =
		arguments->given_count > 0 ? arguments->given[arguments->given_count - 1].option
					   : NULL;

	return last && last->collects ? last : NULL;
}

static enum weir_status parse_words(struct weir_arguments *arguments, int argc, char *const *argv,
                                    struct weir_error *err)
{
	bool options_ended = false;

	for (int at = 0; at < argc; at++) {
		const char *word = argv[at];
		enum weir_status status = WEIR_OK;

		if (!options_ended && !is_option(word) && collecting(arguments))
			status = add_given(arguments, collecting(arguments), word, err);
		else if (options_ended || !is_option(word))
			add_argument(arguments, word);
		else if (strcmp(word, "--") == 0)
			options_ended = true;
		else if (word[1] == '-')
			status = parse_long(arguments, argc, argv, &at, err);
		else
			status = parse_letters(arguments, argc, argv, &at, err);
		if (status)
			return status;
	}
	return WEIR_OK;
}

enum weir_status weir_arguments_parse(const char *command, const struct weir_option *options,
                                      int argc, char *const *argv, struct weir_arguments **out,
                                      struct weir_error *err)
{
	struct weir_arguments *arguments = weir_alloc(sizeof(*arguments));
	enum weir_status status;

	arguments->command = command;
	arguments->options = options;
	status = parse_words(arguments, argc, argv, err);
	if (status) {
		weir_arguments_free(arguments);
		return status;
	}
	*out = arguments;
	return WEIR_OK;
}

void weir_arguments_free(struct weir_arguments *arguments)
{
	if (!arguments)
		return;
	free(arguments->given);
	free(arguments->list);
	free(arguments);
}

size_t weir_arguments_count(const struct weir_arguments *arguments)
{
	return arguments->list_count;
}

const char *weir_arguments_at(const struct weir_arguments *arguments, size_t index)
{
	return index < arguments->list_count ? arguments->list[index] : NULL;
}

const char *const *weir_arguments_list(const struct weir_arguments *arguments)
{
	static const char *const none[] = {NULL};

	return arguments->list_count ? arguments->list : none;
}

const char *weir_option_each(const struct weir_arguments *arguments, const char *name, size_t index)
{
	assert(find_long(arguments->options, name, strlen(name)));
	for (size_t i = 0; i < arguments->given_count; i++) {
		if (strcmp(arguments->given[i].option->name, name) != 0)
			continue;
		if (index == 0)
			return arguments->given[i].value ? arguments->given[i].value : "";
		index--;
	}
	return NULL;
}

const char **weir_option_list(const struct weir_arguments *arguments, const char *name,
                              size_t *count)
{
	const char **list = NULL;
	size_t capacity = 0;

	*count = 0;
	for (const char *value; (value = weir_option_each(arguments, name, *count)); ++*count) {
		list = weir_grow(list, &capacity, *count + 1, sizeof(*list));
		list[*count] = value;
	}
	return list;
}

bool weir_option_given(const struct weir_arguments *arguments, const char *name)
{
	return weir_option_each(arguments, name, 0) != NULL;
}

const char *weir_option_text(const struct weir_arguments *arguments, const char *name)
{
	const char *last = NULL, *value;

	for (size_t i = 0; (value = weir_option_each(arguments, name, i)); i++)
		last = value;
	return last;
}

size_t weir_option_count(const struct weir_arguments *arguments, const char *name, size_t fallback)
{
	const char *text = weir_option_text(arguments, name);
	size_t count = fallback;

	if (text)
		parse_count(text, &count);
	return count;
}

uint64_t weir_option_size(const struct weir_arguments *arguments, const char *name,
                          uint64_t fallback)
{
	const char *text = weir_option_text(arguments, name);
	uint64_t bytes;

	return text && weir_parse_bytes(text, &bytes) ? bytes : fallback;
}

double weir_option_number(const struct weir_arguments *arguments, const char *name, double fallback)
{
	const char *text = weir_option_text(arguments, name);
	double number = fallback;

	if (text)
		weir_parse_double(text, strlen(text), &number);
	return number;
}

/* Returns true if the word is a common option whose value is the next word. */
static bool takes_next_word(const char *word)
{
	const struct weir_option *option;

	if (!is_option(word) || word[1] != '-' || strchr(word, '='))
		return false;
	option = find_long(NULL, word + 2, strlen(word + 2));
	return option && option->kind != WEIR_OPTION_FLAG;
}

int weir_arguments_find_command(int argc, char *const *argv)
{
	int at = 0;

	while (at < argc && is_option(argv[at]) && strcmp(argv[at], "--") != 0)
		at += takes_next_word(argv[at]) ? 2 : 1;
	return at < argc ? at : argc;
}
