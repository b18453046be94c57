/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <unistd.h>

#include "engine/cli/output.h"
#include "engine/cli/reporting.h"
#include "engine/cli/terminal.h"

static void add_document(struct weir_text *text, const struct weir_writer *writer,
                         const struct weir_report *report, const struct weir_arguments *arguments,
                         bool standard_output)
{
	struct weir_terminal terminal = weir_terminal_of(STDOUT_FILENO);
	struct weir_write_options how = {.top = weir_option_count(arguments, "top", 0)};

	if (standard_output) {
		how.width = (size_t)weir_terminal_columns(&terminal);
		how.colour = weir_terminal_color(&terminal, weir_option_text(arguments, "color"));
	}
	writer->write(report, &how, text);
}

static enum weir_status write_one(const char *path, const struct weir_writer *writer,
                                  const struct weir_report *report,
                                  const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status;

	add_document(&text, writer, report, arguments, path == NULL);
	status = weir_output_write(path, &text, err);
	weir_text_release(&text);
	return status;
}

/* The writer of one -o, or of standard output where path is "-" or NULL. */
static enum weir_status choose_writer(const struct weir_arguments *arguments, const char *path,
                                      const struct weir_writer **out, struct weir_error *err)
{
	const char *format = weir_option_text(arguments, "format");

	if (path && strcmp(path, "-") != 0)
		return weir_writer_for_path(path, out, err);
	return weir_writer_find(format ? format : "text", out, err);
}

enum weir_status weir_reporting_check_outputs(const struct weir_arguments *arguments,
                                              struct weir_error *err)
{
	const struct weir_writer *writer;
	enum weir_status status = choose_writer(arguments, NULL, &writer, err);
	const char *path;

	for (size_t i = 0; !status && (path = weir_option_each(arguments, "output", i)); i++)
		status = choose_writer(arguments, path, &writer, err);
	return status;
}

const struct weir_writer *weir_reporting_detailed(const struct weir_arguments *arguments)
{
	size_t i = 0;

	do {
		const struct weir_writer *writer;
		struct weir_error err;

		if (!choose_writer(arguments, weir_option_each(arguments, "output", i), &writer,
		                   &err) &&
		    writer->detail)
			return writer;
	} while (weir_option_each(arguments, "output", ++i));
	return NULL;
}

enum weir_status weir_reporting_write(const struct weir_arguments *arguments,
                                      const struct weir_report *report, struct weir_error *err)
{
	size_t i = 0;

	do {
		const char *path = weir_option_each(arguments, "output", i);
		const struct weir_writer *writer;

		if (choose_writer(arguments, path, &writer, err))
			return err->status;
		if (path && strcmp(path, "-") == 0)
			path = NULL;
		if (write_one(path, writer, report, arguments, err))
			return err->status;
	} while (weir_option_each(arguments, "output", ++i));
	return WEIR_OK;
}
