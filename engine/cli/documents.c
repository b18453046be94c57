/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <unistd.h>

#include "engine/base/archive_gzip.h"
#include "engine/base/regions.h"
#include "engine/cli/documents.h"
#include "engine/cli/output.h"
#include "engine/cli/terminal.h"

/* Chooses the writer of an output: the path of an -o; NULL or "-" is standard output. */
static enum weir_status choose(const struct weir_arguments *arguments, enum weir_result_kind kind,
                               const char *path, const struct weir_writer **out,
                               struct weir_error *err)
{
	return weir_writer_choose(kind, weir_option_text(arguments, "format"), path, out, err);
}

enum weir_status weir_documents_check(const struct weir_arguments *arguments,
                                      enum weir_result_kind kind, struct weir_error *err)
{
	const struct weir_writer *writer;
	enum weir_status status = choose(arguments, kind, NULL, &writer, err);
	const char *path;

	for (size_t i = 0; !status && (path = weir_option_each(arguments, "output", i)); i++)
		status = choose(arguments, kind, path, &writer, err);
	return status;
}

const struct weir_writer *weir_documents_drawing(const struct weir_arguments *arguments)
{
	size_t i = 0;

	do {
		const char *path = weir_option_each(arguments, "output", i);
		const struct weir_writer *writer;

		if (!choose(arguments, WEIR_RESULT_REPORT, path, &writer, NULL) && writer->detail)
			return writer;
	} while (weir_option_each(arguments, "output", ++i));
	return NULL;
}

/* Writes a document, compressed if the path ends in ".gz". */
static enum weir_status write_text(const char *path, const struct weir_text *text,
                                   struct weir_error *err)
{
	struct weir_text packed = {0};
	enum weir_status status;

	if (!path || !weir_writer_compresses(path))
		return weir_output_write(path, text, err);
	status = weir_gzip(text, &packed, err);
	if (!status)
		status = weir_output_write(path, &packed, err);
	weir_text_release(&packed);
	return status;
}

/* Writes one output. Either report or result is NULL. */
static enum weir_status write_one(const struct weir_arguments *arguments, const char *path,
                                  const struct weir_report *report,
                                  const struct weir_gate_result *result, struct weir_error *err)
{
	struct weir_terminal terminal = weir_terminal_of(STDOUT_FILENO);
	struct weir_write_options how = {0};
	const struct weir_writer *writer;
	struct weir_region region;
	struct weir_text text = {0};
	enum weir_status status = choose(arguments, report ? WEIR_RESULT_REPORT : WEIR_RESULT_GATE,
	                                 path, &writer, err);

	if (status)
		return status;
	if (path && strcmp(path, "-") == 0)
		path = NULL;
	region = weir_region_enter("write", path);
	if (!path) {
		how.width = (size_t)weir_terminal_columns(&terminal);
		how.colour = weir_terminal_color(&terminal, weir_option_text(arguments, "color"));
	}
	if (report) {
		how.top = weir_option_count(arguments, "top", 0);
		writer->report(report, &how, &text);
	} else {
		how.all = weir_option_given(arguments, "all");
		writer->gate(result, &how, &text);
	}
	status = write_text(path, &text, err);
	weir_region_leave(&region, "bytes", text.length);
	weir_text_release(&text);
	return status;
}

static enum weir_status write_all(const struct weir_arguments *arguments,
                                  const struct weir_report *report,
                                  const struct weir_gate_result *result, struct weir_error *err)
{
	enum weir_status status;
	size_t i = 0;

	do
		status = write_one(arguments, weir_option_each(arguments, "output", i), report,
		                   result, err);
	while (!status && weir_option_each(arguments, "output", ++i));
	return status;
}

enum weir_status weir_documents_write_report(const struct weir_arguments *arguments,
                                             const struct weir_report *report,
                                             struct weir_error *err)
{
	return write_all(arguments, report, NULL, err);
}

enum weir_status weir_documents_write_gate(const struct weir_arguments *arguments,
                                           const struct weir_gate_result *result,
                                           struct weir_error *err)
{
	return write_all(arguments, NULL, result, err);
}
