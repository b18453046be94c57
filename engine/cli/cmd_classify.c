/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/cli/command.h"
#include "engine/cli/documents.h"
#include "engine/cli/output.h"
#include "engine/cli/progress.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/classify.h"

/* Names of the writers of reports, in the order of weir_writers; a test compares them. */
static const char *const formats[] = {"text",   "json",       "markdown",  "html", "flame",
                                      "folded", "speedscope", "annotated", NULL};

static const char *const windows[] = {"steady", "all", NULL};

static const struct weir_option options[] = {
	{.name = "format",
         .letter = 'f',
         .kind = WEIR_OPTION_CHOICE,
         .value = "FORMAT",
         .choices = formats,
         .help = "format of standard output: text, json, markdown, html, flame, folded, "
                 "speedscope or annotated (see: weir formats)"},
	{.name = "output",
         .letter = 'o',
         .kind = WEIR_OPTION_FILE,
         .value = "FILE",
         .repeatable = true,
         .help = "write to FILE, in the format that its suffix names; - is standard output"},
	WEIR_REPORT_TOP_OPTION,
	{.name = "window",
         .kind = WEIR_OPTION_CHOICE,
         .value = "WINDOW",
         .choices = windows,
         .help = "steady: exclude warm-up and one-off steps (default); all: analyse everything "
                 "from the first to the last device event"},
	{.name = "percentile",
         .kind = WEIR_OPTION_PERCENTILE,
         .value = "P",
         .help = "percentile of the step time, or of the latency of requests, at which the shares "
                 "of stages are read (default 95)"},
	{.name = "device",
         .kind = WEIR_OPTION_TEXT,
         .value = "NAME",
         .help = "use the peak figures of this device, not those of the device that the input "
                 "names"},
	{.name = "rules",
         .kind = WEIR_OPTION_FOLDER,
         .value = "DIR",
         .help = "judge by the rules in this folder, not by the built-in rules"},
	{.name = "what-if",
         .kind = WEIR_OPTION_TEXT,
         .value = "CLASS=FACTOR",
         .repeatable = true,
         .help = "estimate the step time if the time of CLASS, a bound or a cause of idle time, "
                 "were multiplied by FACTOR; 0 removes it"},
	WEIR_COST_OPTION(""),
	WEIR_SETTINGS_OPTION(""),
	{.name = "input-format",
         .kind = WEIR_OPTION_TEXT,
         .value = "NAME",
         .help = "read every input as this format (default: recognised by content)"},
	{.name = NULL},
};

/* Parses the values of --what-if in their order. The caller frees *out, also after an error. */
static enum weir_status read_changes(const struct weir_arguments *arguments,
                                     struct weir_change **out, size_t *count,
                                     struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	size_t capacity = 0;
	const char *text;

	*out = NULL;
	*count = 0;
	while (!status && (text = weir_option_each(arguments, "what-if", *count)) != NULL) {
		*out = weir_grow(*out, &capacity, *count + 1, sizeof **out);
		status = weir_change_parse(text, &(*out)[(*count)++], err);
		if (status)
			weir_fail_in(err, "--what-if");
	}
	return status;
}

static enum weir_status classify(const struct weir_arguments *arguments,
                                 const struct weir_settings *settings,
                                 struct weir_classification **out, struct weir_error *err)
{
	struct weir_change *changes;
	size_t change_count;
	const char *window = weir_option_text(arguments, "window");
	struct weir_progress_line line;
	struct weir_progress progress = {weir_progress_report, &line};
	struct weir_classify_request request = {
		.paths = weir_arguments_list(arguments),
		.path_count = weir_arguments_count(arguments),
		.input_format = weir_option_text(arguments, "input-format"),
		.rules_folder = weir_option_text(arguments, "rules"),
		.device = weir_option_text(arguments, "device"),
		.settings = settings,
		.whole_window = window && strcmp(window, "all") == 0,
		.percentile = weir_option_number(arguments, "percentile", 0) / 100,
		.detail = weir_documents_drawing(arguments) != NULL,
		.progress = &progress,
	};
	enum weir_status status = read_changes(arguments, &changes, &change_count, err);

	request.changes = changes;
	request.change_count = change_count;
	if (!status) {
		weir_progress_start(&line, stderr, weir_option_given(arguments, "quiet"));
		status = weir_classify(&request, out, err);
		weir_progress_end(&line);
	}
	free(changes);
	return status;
}

/* Prints each input with its format, for --verbose. */
static void tell_inputs(const struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_input *input = &report->profile->inputs[i];
		struct weir_text text = {0};

		weir_text_printf(&text, "%s: %s, ", input->path, input->format);
		weir_text_count(&text, input->events);
		weir_text_puts(&text, " events from ");
		weir_text_bytes(&text, (double)input->bytes);
		weir_say(text.data);
		weir_text_release(&text);
	}
}

static enum weir_status classify_and_write(const struct weir_arguments *arguments,
                                           const struct weir_settings *settings,
                                           struct weir_error *err)
{
	const struct weir_writer *drawing = weir_documents_drawing(arguments);
	struct weir_classification *classification;
	enum weir_status status = classify(arguments, settings, &classification, err);

	if (status)
		return status;
	if (weir_option_given(arguments, "verbose"))
		tell_inputs(weir_classification_report(classification));
	if (drawing)
		status = weir_check_drawing(weir_classification_report(classification), drawing,
		                            err);
	if (!status)
		status = weir_documents_write_report(
			arguments, weir_classification_report(classification), err);
	weir_classification_free(classification);
	return status;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_settings settings;
	struct weir_policy *policy;
	enum weir_status status;

	if (weir_arguments_count(arguments) == 0)
		return weir_exit_of(weir_fail(
			err, WEIR_E_USAGE, "classify needs an input: weir classify trace.json.gz"));
	status = weir_documents_check(arguments, WEIR_RESULT_REPORT, err);
	if (!status)
		status = weir_policy_load(weir_option_text(arguments, "config"), &policy, err);
	if (status)
		return weir_exit_of(status);
	settings = weir_settings_given(arguments, policy);
	status = classify_and_write(arguments, &settings, err);
	weir_policy_free(policy);
	return weir_exit_of(status);
}

const struct weir_command weir_command_classify = {
	.name = "classify",
	.summary = "show where the time goes, what bounds the run, and what to do",
	.arguments = "INPUT...",
	.description = "Reads the profiles of one run and measures where its wall time goes, by "
		       "stage and by operator. Then it names what bounds the run, and shows which "
		       "rule decided this from which numbers. The inputs are parts of one run, "
		       "such as one trace per rank; a folder stands for every profile in it.\n\n"
		       "The first line of the report is the answer. Shares refer to the analysed "
		       "window: the steady steps, unless --window all is given.",
	.options = options,
	.takes_files = true,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir classify trace.json.gz -o report.md -o report.json",
	.example_shows = "writes the report of a trace as Markdown and as JSON",
	.run = run,
};
