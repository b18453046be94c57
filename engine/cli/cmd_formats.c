/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `formats`: lists the tables of readers and writers. */
#include "engine/cli/command.h"
#include "engine/cli/help.h"
#include "engine/cli/output.h"
#include "engine/readers/reader.h"
#include "engine/report/writer.h"

#define NAME_COLUMNS 16

static void add_readers(struct weir_text *text)
{
	weir_text_puts(text, "read (by content; --input-format NAME overrides)\n");
	for (size_t i = 0; weir_readers[i]; i++) {
		struct weir_text what = {0};

		weir_text_printf(&what, "%s: %s", weir_readers[i]->gives, weir_readers[i]->title);
		weir_help_row(text, weir_readers[i]->name, what.data, NAME_COLUMNS);
		weir_text_release(&what);
	}
	weir_help_row(text, "any of them",
	              "a file, a folder, an archive (tar, zip), or - for standard input; plain, "
	              "gzip, zstd, xz or bzip2",
	              NAME_COLUMNS);
}

static void add_writers(struct weir_text *text, enum weir_result_kind kind)
{
	for (const struct weir_writer *writer = weir_writers; writer->name; writer++) {
		struct weir_text what = {0};

		if (!weir_writer_takes(writer, kind))
			continue;
		weir_text_printf(&what, "%-6s %s", writer->suffix ? writer->suffix : "",
		                 writer->title);
		weir_help_row(text, writer->name, what.data, NAME_COLUMNS);
		weir_text_release(&what);
	}
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status;

	if (weir_arguments_count(arguments) > 0)
		return weir_exit_of(weir_fail(err, WEIR_E_USAGE,
		                              "formats takes no arguments, \"%s\" was given",
		                              weir_arguments_at(arguments, 0)));
	add_readers(&text);
	weir_text_puts(&text,
	               "\nwritten of a classification (--format NAME, or -o FILE by its suffix)\n");
	add_writers(&text, WEIR_RESULT_REPORT);
	weir_text_puts(&text, "\nwritten of a comparison (gate, compare, report)\n");
	add_writers(&text, WEIR_RESULT_GATE);
	status = weir_output_write(NULL, &text, err);
	weir_text_release(&text);
	return weir_exit_of(status);
}

const struct weir_command weir_command_formats = {
	.name = "formats",
	.summary = "list the formats that weir reads and writes",
	.arguments = "",
	.description = "Lists the readers and the writers. The format of an input is recognised by "
		       "content, not by name.",
	.example = "weir formats",
	.example_shows = "lists each format that weir reads or writes",
	.run = run,
};
