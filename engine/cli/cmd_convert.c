/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "engine/base/slice.h"
#include "engine/cli/command.h"
#include "engine/cli/output.h"
#include "engine/cli/progress.h"
#include "engine/cli/run_options.h"
#include "engine/model/run_document.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/session.h"

static const char *const windows[] = {"steady", "all", NULL};

static const struct weir_option options[] = {
	{.name = "output",
         .letter = 'o',
         .kind = WEIR_OPTION_FILE,
         .value = "FILE",
         .help = "write to FILE instead of standard output"},
	{.name = "window",
         .kind = WEIR_OPTION_CHOICE,
         .value = "WINDOW",
         .choices = windows,
         .help = "steady: exclude warm-up and one-off steps (default); all: keep every step"},
	{.name = "run",
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "write the N-th run of a file that holds several (hyperfine, samples)"},
	{.name = "input-format",
         .kind = WEIR_OPTION_TEXT,
         .completes = WEIR_COMPLETES_READERS,
         .value = "NAME",
         .help = "read every input as this format (default: recognised by content)"},
	WEIR_COST_OPTION(""),
	WEIR_LABEL_OPTION(""),
	WEIR_SETTINGS_OPTION(""),
	{.name = NULL},
};

/* Prints the warnings about the inputs, which the document does not hold. */
static void say_lines(const struct weir_text *lines)
{
	struct weir_slice rest = {lines->data, lines->length};

	while (rest.length) {
		const char *end = memchr(rest.data, '\n', rest.length);
		size_t length = end ? (size_t)(end - rest.data) : rest.length;
		struct weir_text line = {0};

		weir_text_puts(&line, "warning: ");
		weir_text_add(&line, rest.data, length);
		weir_say(line.data);
		weir_text_release(&line);
		length += end != NULL;
		rest = (struct weir_slice){rest.data + length, rest.length - length};
	}
}

static enum weir_status read_run(const struct weir_arguments *arguments,
                                 const struct weir_settings *settings, struct weir_run **out,
                                 struct weir_error *err)
{
	const char *window = weir_option_text(arguments, "window");
	struct weir_progress_line line;
	struct weir_progress progress = weir_progress_of(&line);
	struct weir_text warnings = {0};
	struct weir_classify_request request = {
		.paths = weir_arguments_list(arguments),
		.path_count = weir_arguments_count(arguments),
		.input_format = weir_option_text(arguments, "input-format"),
		.settings = settings,
		.whole_window = window && strcmp(window, "all") == 0,
		.run_number = weir_option_count(arguments, "run", 0),
		.warnings = weir_option_given(arguments, "quiet") ? NULL : &warnings,
		.progress = &progress,
	};
	enum weir_status status;

	weir_progress_start(&line, stderr, weir_option_given(arguments, "quiet"));
	status = weir_convert(&request, out, err);
	weir_progress_end(&line);
	say_lines(&warnings);
	weir_text_release(&warnings);
	return status;
}

/* Sets the labels that are given, and the job of a CI service: the run may be recorded elsewhere.
 */
static enum weir_status label(const struct weir_arguments *arguments, struct weir_run *run,
                              struct weir_error *err)
{
	struct weir_labels labels;
	enum weir_status status = weir_labels_given(&labels, arguments, false, err);

	weir_session_of_job(&labels.session);
	if (!status)
		weir_session_label(run, labels.given, labels.session.data);
	else
		weir_run_free(run);
	weir_labels_release(&labels);
	return status;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_text text = {0};
	struct weir_settings settings;
	struct weir_policy *policy;
	struct weir_run *native;
	enum weir_status status;

	if (weir_arguments_count(arguments) == 0)
		return weir_exit_of(weir_fail(
			err, WEIR_E_USAGE, "convert needs an input: weir convert trace.json.gz"));
	status = weir_policy_load(weir_option_text(arguments, "config"), &policy, err);
	if (status)
		return weir_exit_of(status);
	settings = weir_settings_given(arguments, policy);
	status = read_run(arguments, &settings, &native, err);
	weir_policy_free(policy);
	if (!status)
		status = label(arguments, native, err);
	if (status)
		return weir_exit_of(status);
	weir_run_json(native, &text);
	status = weir_output_write(weir_option_text(arguments, "output"), &text, err);
	weir_text_release(&text);
	weir_run_free(native);
	return weir_exit_of(status);
}

const struct weir_command weir_command_convert = {
	.name = "convert",
	.summary = "write any input as a native run (weir.run/1)",
	.arguments = "INPUT...",
	.description = "Reads the inputs as parts of one run and writes its figures as a JSON "
		       "document (weir.run/1), with one value per iteration: durations of stages, "
		       "device time of stages and operators, and numbers of calls.\n\n"
		       "The document is much smaller than a trace, and weir gate, weir compare and "
		       "weir baseline record take it in place of one.",
	.options = options,
	.completes = WEIR_COMPLETES_FILES,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir convert trace.json.gz -o run.json",
	.example_shows = "writes the durations of a trace, without its events, to run.json",
	.run = run,
};
