/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "engine/cli/command.h"
#include "engine/cli/output.h"
#include "engine/cli/progress.h"
#include "engine/pipeline/parting.h"

/* Longest name of a node, in bytes: that of a host in DNS. */
#define MOST_NODE 255

static const struct weir_option options[] = {
	{.name = "output",
         .letter = 'o',
         .kind = WEIR_OPTION_FILE,
         .value = "FILE",
         .help = "write the part to FILE; - is standard output"},
	{.name = "node",
         .kind = WEIR_OPTION_TEXT,
         .value = "NAME",
         .help = "machine that recorded the inputs, to group ranks by (default: not stated)"},
	{.name = "input-format",
         .kind = WEIR_OPTION_TEXT,
         .completes = WEIR_COMPLETES_READERS,
         .value = "NAME",
         .help = "read every input as this format (default: recognised by content)"},
	{.name = NULL},
};

static enum weir_status make(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_progress_line line;
	struct weir_progress progress = weir_progress_of(&line);
	const struct weir_read_options reading = {
		.format = weir_option_text(arguments, "input-format"), .progress = &progress};
	struct weir_text text = {0};
	struct weir_part_file part;
	enum weir_status status;

	weir_progress_start(&line, stderr, weir_option_given(arguments, "quiet"));
	status = weir_part_make(weir_arguments_list(arguments), weir_arguments_count(arguments),
	                        &reading, weir_option_text(arguments, "node"), &part, err);
	weir_progress_end(&line);
	if (!status) {
		weir_part_write(&part, &text);
		status = weir_output_write(weir_option_text(arguments, "output"), &text, err);
	}
	weir_part_release(&part);
	weir_text_release(&text);
	return status;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	const char *node = weir_option_text(arguments, "node");

	if (weir_arguments_count(arguments) == 0)
		return weir_exit_of(weir_fail(err, WEIR_E_USAGE,
		                              "part needs an input: weir part trace.json.gz -o "
		                              "r0.part"));
	if (!weir_option_given(arguments, "output"))
		return weir_exit_of(weir_fail(
			err, WEIR_E_USAGE, "part needs the file to write: weir part %s -o r0.part",
			weir_arguments_at(arguments, 0)));
	if (node && strlen(node) > MOST_NODE)
		return weir_exit_of(weir_fail(err, WEIR_E_USAGE,
		                              "--node: a name of at most %d bytes", MOST_NODE));
	return weir_exit_of(make(arguments, err));
}

const struct weir_command weir_command_part = {
	.name = "part",
	.summary = "pack the inputs of a rank, to merge them with others elsewhere",
	.arguments = "INPUT...",
	.description = "Reads inputs where they lie and writes a part: a file of about 1/140 of a "
		       "trace, from which weir merge computes the same report as weir classify "
		       "from the trace. Nothing is lost but the names and arguments of events "
		       "that weir does not read.\n\n"
		       "Run it on each machine of a job, and weir merge once on all parts. A part "
		       "has a version and a checksum, and may itself be an input.",
	.options = options,
	.completes = WEIR_COMPLETES_FILES,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir part rank0.json.gz -o r0.part",
	.example_shows = "packs the trace of a rank",
	.run = run,
};
