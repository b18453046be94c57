/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/address.h"
#include "engine/base/arena.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/session.h"
#include "engine/report/gate/gate_figures.h"

const char *const weir_gate_formats[] = {"text",  "json",  "markdown",    "html",
                                         "junit", "sarif", "annotations", NULL};

const char *weir_db_path(const struct weir_arguments *arguments)
{
	const char *given = weir_option_text(arguments, "db");
	const char *environment = getenv("WEIR_DB");

	if (given)
		return given;
	return environment && *environment ? environment : WEIR_DEFAULT_DB;
}

char *weir_db_label(const struct weir_arguments *arguments)
{
	return weir_address_label(weir_db_path(arguments));
}

struct weir_settings weir_settings_given(const struct weir_arguments *arguments,
                                         const struct weir_policy *policy)
{
	return weir_settings_of(policy, weir_option_number(arguments, "cost-per-gpu-hour", NAN),
	                        "--cost-per-gpu-hour");
}

enum weir_status weir_labels_given(struct weir_labels *out, const struct weir_arguments *arguments,
                                   bool derive, struct weir_error *err)
{
	size_t count;

	*out = (struct weir_labels){0};
	out->given = weir_option_list(arguments, "label", &count);
	out->given = weir_realloc(out->given, (count + 1) * sizeof(*out->given));
	out->given[count] = NULL;
	if (derive)
		weir_session_derive(&out->session);
	for (size_t i = 0; i < count; i++) {
		const char *equals = strchr(out->given[i], '=');

		if (!equals || equals == out->given[i])
			return weir_fail(err, WEIR_E_USAGE, "--label is \"%s\"; expected KEY=VALUE",
			                 out->given[i]);
	}
	return WEIR_OK;
}

void weir_labels_release(struct weir_labels *labels)
{
	free(labels->given);
	weir_text_release(&labels->session);
	*labels = (struct weir_labels){0};
}

static void say_failure(void *context, const char *message)
{
	weir_progress_clear(context);
	weir_say(message);
}

void weir_measuring_given(struct weir_measuring *out, const struct weir_arguments *arguments,
                          const struct weir_settings *settings, struct weir_progress_line *line,
                          struct weir_progress *progress)
{
	*progress = weir_progress_of(line);
	if (!weir_option_given(arguments, "verbose"))
		progress->tell = NULL; /* a line for each run would hide the others */
	weir_progress_start(line, stderr, weir_option_given(arguments, "quiet"));
	*out = (struct weir_measuring){
		.settings = settings,
		.progress = progress,
		.failed = say_failure,
		.context = line,
	};
}

/* True for an option that changes the output or the exit code only, or that is not to be repeated.
 */
static bool is_left_out(const char *option)
{
	static const char *const names[] = {"format", "output", "all", "bisect", "bootstrap"};

	for (size_t i = 0; i < WEIR_COUNT_OF(names); i++)
		if (strcmp(option, names[i]) == 0)
			return true;
	return false;
}

static void add_word(const char *word, struct weir_text *out)
{
	weir_text_puts(out, " ");
	weir_gate_print_shell_word(word, out);
}

/* Returns the value as it may be shown: the address of a store has no password then. The caller
 * frees it. */
static char *shown_value(const struct weir_option *option, const char *value)
{
	return strcmp(option->name, "db") == 0 ? weir_address_label(value) : weir_alloc_text(value);
}

/* Appends an option with all its values. */
static void add_option(const struct weir_option *option, const struct weir_arguments *arguments,
                       struct weir_text *out)
{
	const char *value;

	if (!weir_option_given(arguments, option->name))
		return;
	if (!option->repeatable || option->collects)
		weir_text_printf(out, " --%s", option->name);
	if (option->kind == WEIR_OPTION_FLAG)
		return;
	if (!option->repeatable) {
		char *shown = shown_value(option, weir_option_text(arguments, option->name));

		add_word(shown, out);
		free(shown);
		return;
	}
	for (size_t i = 0; (value = weir_option_each(arguments, option->name, i)); i++) {
		if (!option->collects)
			weir_text_printf(out, " --%s", option->name);
		add_word(value, out);
	}
}

static void add_arguments(const struct weir_arguments *arguments, struct weir_text *out)
{
	for (size_t i = 0; i < weir_arguments_count(arguments); i++)
		add_word(weir_arguments_at(arguments, i), out);
}

void weir_note_command(struct weir_gate_result *result, const char *name,
                       const struct weir_option *options, const struct weir_arguments *arguments)
{
	struct weir_text line = {0};
	bool collects = false;

	weir_text_printf(&line, "weir %s", name);
	for (const struct weir_option *option = options; option->name; option++)
		collects = collects ||
		           (option->collects && weir_option_given(arguments, option->name));
	if (!collects)
		add_arguments(arguments, &line);
	for (const struct weir_option *option = options; option->name; option++)
		if (!is_left_out(option->name))
			add_option(option, arguments, &line);
	if (collects && weir_arguments_count(arguments) > 0) {
		weir_text_puts(&line, " --");
		add_arguments(arguments, &line);
	}
	if (line.length <= WEIR_LONGEST_COMMAND)
		result->command = weir_arena_copy(result->arena, line.data, line.length);
	weir_text_release(&line);
}
