/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/cli/classifying.h"
#include "engine/cli/output.h"
#include "engine/cli/progress.h"

const char *const weir_report_formats[] = {"text",   "json",       "markdown",  "html", "flame",
                                           "folded", "speedscope", "annotated", NULL};

const char *const weir_report_windows[] = {"steady", "all", NULL};

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

enum weir_status weir_classify_arguments(const struct weir_arguments *arguments,
                                         const struct weir_settings *settings, bool tolerant,
                                         struct weir_classification **out, struct weir_error *err)
{
	struct weir_change *changes;
	size_t change_count;
	const char *window = weir_option_text(arguments, "window");
	struct weir_progress_line line;
	struct weir_progress progress = weir_progress_of(&line);
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
		.tolerant = tolerant,
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

enum weir_status weir_classification_write(const struct weir_arguments *arguments,
                                           const struct weir_classification *classification,
                                           struct weir_error *err)
{
	const struct weir_writer *drawing = weir_documents_drawing(arguments);
	const struct weir_report *report = weir_classification_report(classification);
	enum weir_status status = WEIR_OK;

	if (weir_option_given(arguments, "verbose"))
		tell_inputs(report);
	if (drawing)
		status = weir_check_drawing(report, drawing, err);
	return status ? status : weir_documents_write_report(arguments, report, err);
}
