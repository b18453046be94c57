/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/cli/command.h"
#include "engine/cli/help.h"
#include "engine/report/writer.h"

static void each_status_has_its_code(void **state)
{
	(void)state;
	assert_int_equal(weir_exit_of(WEIR_OK), 0);
	assert_int_equal(weir_exit_of(WEIR_E_USAGE), 2);
	assert_int_equal(weir_exit_of(WEIR_E_IO), 7);
	assert_int_equal(weir_exit_of(WEIR_E_FORMAT), 7);
	assert_int_equal(weir_exit_of(WEIR_E_EMPTY), 7);
	assert_int_equal(weir_exit_of(WEIR_E_LIMIT), 7);
	assert_int_equal(weir_exit_of(WEIR_E_STORE), 8);
	assert_int_equal(weir_exit_of(WEIR_E_INTERNAL), 9);
}

static void every_code_says_what_it_means(void **state)
{
	(void)state;
	for (int code = 0; code < WEIR_EXIT_COUNT; code++)
		assert_true(strlen(weir_exit_meaning((enum weir_exit)code)) > 3);
}

static void unknown(const char *name, const char *message)
{
	struct weir_error err = {0};

	assert_null(weir_command_find(weir_commands, name));
	assert_int_equal(weir_command_unknown(weir_commands, name, &err), WEIR_E_USAGE);
	assert_string_equal(err.message, message);
}

static void an_unknown_command_is_told_with_what_to_type(void **state)
{
	(void)state;
	unknown("clasify", "unknown command clasify; did you mean: weir classify?");
	unknown("xyzzy", "unknown command xyzzy; weir --help lists the commands");
	unknown("-", "- is an input, not a command; did you mean: weir classify -?");
	unknown("tests", "tests is an input, not a command; did you mean: weir classify tests?");
}

/* Every line of help fits a terminal of 80 columns, and every option of a command is in its help.
 */
static void assert_fits(const struct weir_text *text)
{
	for (const char *line = text->data; *line; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 0, WEIR_HELP_COLUMNS);
}

static const char *spelled(const struct weir_option *option)
{
	static char text[64];

	snprintf(text, sizeof(text), "--%s ", option->name);
	return text;
}

static void help_of_every_command_is_complete_and_fits(void **state)
{
	struct weir_text overview = {0};

	(void)state;
	weir_help_overview(&overview, weir_commands);
	assert_fits(&overview);
	for (size_t i = 0; weir_commands[i]; i++) {
		const struct weir_command *command = weir_commands[i];
		const struct weir_option *option;
		struct weir_text text = {0};

		weir_help_command(&text, command);
		assert_fits(&text);
		assert_non_null(strstr(text.data, command->example));
		assert_non_null(strstr(text.data, "exit codes"));
		assert_true(command->hidden == !strstr(overview.data, command->summary));
		for (size_t j = 0; (option = weir_option_at(command->options, j)); j++)
			assert_true(option->hidden == !strstr(text.data, spelled(option)));
		weir_text_release(&text);
	}
	weir_text_release(&overview);
}

/* Expects that the completion offers a word, or does not. */
static void expect_offered(const char *command, const char *word, bool offered)
{
	const char *const words[] = {"weir", command ? command : word, word};
	struct weir_text text = {0}, line = {0};

	weir_help_complete(&text, weir_commands, words, command ? 3 : 2);
	weir_text_printf(&line, "%s\t", word);
	assert_int_equal(text.length > 0 && strstr(text.data, line.data), offered);
	weir_text_release(&text);
	weir_text_release(&line);
}

static void man_page_and_completion_know_every_command(void **state)
{
	struct weir_text man = {0};

	(void)state;
	weir_help_man_page(&man, weir_commands);
	for (size_t i = 0; weir_commands[i]; i++) {
		struct weir_text section = {0};

		weir_text_printf(&section, ".SS weir %s ", weir_commands[i]->name);
		assert_true(weir_commands[i]->hidden == !strstr(man.data, section.data));
		expect_offered(NULL, weir_commands[i]->name, !weir_commands[i]->hidden);
		weir_text_release(&section);
	}
	weir_text_release(&man);
}

static void completion_knows_every_option(void **state)
{
	const struct weir_option *option;

	(void)state;
	for (size_t i = 0; weir_commands[i]; i++)
		for (size_t j = 0; (option = weir_option_at(weir_commands[i]->options, j)); j++) {
			char word[64];

			snprintf(word, sizeof(word), "--%s", option->name);
			expect_offered(weir_commands[i]->name, word, !option->hidden);
		}
	expect_offered(NULL, "--color", true);
	expect_offered("classify", "--no-such-option", false);
}

static const struct weir_option *format_of(const struct weir_command *command)
{
	const struct weir_option *format = command->options;

	while (strcmp(format->name, "format") != 0)
		format++;
	return format;
}

static void assert_format_of_every_writer(const char *const *choices, enum weir_result_kind kind)
{
	for (const struct weir_writer *writer = weir_writers; writer->name; writer++) {
		if (!weir_writer_takes(writer, kind))
			continue;
		assert_non_null(*choices);
		assert_string_equal(*choices++, writer->name);
	}
	assert_null(*choices);
}

static void classify_takes_the_format_of_every_writer(void **state)
{
	(void)state;
	assert_format_of_every_writer(format_of(&weir_command_classify)->choices,
	                              WEIR_RESULT_REPORT);
}

static void gate_and_compare_take_the_format_of_every_writer(void **state)
{
	const char *const *choices = format_of(&weir_command_gate)->choices;

	(void)state;
	assert_ptr_equal(format_of(&weir_command_compare)->choices, choices);
	assert_format_of_every_writer(choices, WEIR_RESULT_GATE);
}

static void words_are_broken_at_blanks_and_indented(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_help_wrap(&text, "one two three\n\nunbreakablylong four", 2, 11);
	assert_string_equal(text.data, "  one two\n  three\n\n  unbreakablylong\n  four\n");
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_status_has_its_code),
		cmocka_unit_test(every_code_says_what_it_means),
		cmocka_unit_test(an_unknown_command_is_told_with_what_to_type),
		cmocka_unit_test(help_of_every_command_is_complete_and_fits),
		cmocka_unit_test(man_page_and_completion_know_every_command),
		cmocka_unit_test(completion_knows_every_option),
		cmocka_unit_test(classify_takes_the_format_of_every_writer),
		cmocka_unit_test(gate_and_compare_take_the_format_of_every_writer),
		cmocka_unit_test(words_are_broken_at_blanks_and_indented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
