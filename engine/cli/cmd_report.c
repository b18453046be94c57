/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ci/policy/causes.h"
#include "engine/analysis/rank/features.h"
#include "engine/base/source.h"
#include "engine/cli/command.h"
#include "engine/cli/documents.h"
#include "engine/cli/run_options.h"
#include "engine/report/json/stored.h"

static const struct weir_option options[] = {
	{.name = "format",
         .letter = 'f',
         .kind = WEIR_OPTION_TEXT,
         .value = "FORMAT",
         .help = "format of standard output: text, json, markdown or html; for a comparison also "
                 "junit, sarif or annotations (see: weir formats)"},
	WEIR_GATE_OUTPUT_OPTION,
	{.name = "all", .help = "for a comparison: show every row, not only failures and warnings"},
	{.name = "top",
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "for a classification: number of operators to list (default 10); JSON always "
                 "lists all"},
	{.name = NULL},
};

static enum weir_status render_gate(const struct weir_arguments *arguments, const cJSON *document,
                                    struct weir_error *err)
{
	struct weir_gate_result *result;
	enum weir_status status = weir_documents_check(arguments, WEIR_RESULT_GATE, err);

	if (status)
		return status;
	if (weir_gate_of(document, &result, err))
		return weir_fail_in(err, "%s", weir_arguments_at(arguments, 0));
	weir_gate_complete_causes(result);
	status = weir_documents_write_gate(arguments, result, err);
	weir_gate_result_free(result);
	return status;
}

static enum weir_status render_report(const struct weir_arguments *arguments, const cJSON *document,
                                      struct weir_error *err)
{
	struct weir_stored_report *stored;
	enum weir_status status = weir_documents_check(arguments, WEIR_RESULT_REPORT, err);
	const struct weir_writer *drawing;

	if (status)
		return status;
	drawing = weir_documents_drawing(arguments);
	if (drawing)
		return weir_fail(err, WEIR_E_USAGE,
		                 "the format %s draws the timeline, which a stored report does not "
		                 "hold: write it with weir classify INPUT",
		                 drawing->name);
	if (weir_stored_report_of(document, &weir_features, &stored, err))
		return weir_fail_in(err, "%s", weir_arguments_at(arguments, 0));
	status = weir_documents_write_report(arguments, stored->report, err);
	weir_stored_report_free(stored);
	return status;
}

/* Each kind of result has its own formats. */
static enum weir_status (*const renderers[])(const struct weir_arguments *, const cJSON *,
                                             struct weir_error *) = {
	[WEIR_RESULT_GATE] = render_gate,
	[WEIR_RESULT_REPORT] = render_report,
};

/* Reads a result and finds its kind. The caller frees *out with cJSON_Delete(). */
static enum weir_status read_document(const char *path, cJSON **out, enum weir_result_kind *kind,
                                      struct weir_error *err)
{
	struct weir_source *source;
	enum weir_status status = weir_source_open(path, &source, err);

	*out = NULL;
	if (!status) {
		status = weir_json_read(source, out, err);
		weir_source_free(source);
	}
	if (!status)
		status = weir_result_kind_of(*out, kind, err);
	return status ? weir_fail_in(err, "%s", path) : WEIR_OK;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	enum weir_result_kind kind = WEIR_RESULT_GATE;
	enum weir_status status;
	cJSON *document;

	if (weir_arguments_count(arguments) != 1)
		return weir_exit_of(weir_fail(err, WEIR_E_USAGE, "usage: weir report RESULT.json"));
	status = read_document(weir_arguments_at(arguments, 0), &document, &kind, err);
	if (!status)
		status = renderers[kind](arguments, document, err);
	cJSON_Delete(document);
	return weir_exit_of(status);
}

const struct weir_command weir_command_report = {
	.name = "report",
	.summary = "write a stored result in another format",
	.arguments = "RESULT.json",
	.description = "Reads a result that another command wrote as JSON, and writes it in "
		       "another format: a comparison (weir.gate/1) as text, JSON, Markdown, HTML, "
		       "JUnit, SARIF or annotations, a classification (weir.report/1) as text, "
		       "JSON, Markdown or HTML. The verdict is the stored one: nothing is measured "
		       "or compared again.\n\n"
		       "A stored classification holds neither single samples nor kernel names. "
		       "Therefore histograms of stages and main kernels of operators are missing "
		       "from the output.",
	.options = options,
	.completes = WEIR_COMPLETES_FILES,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir report result.json -o report.html -o junit.xml",
	.example_shows = "writes the result of a gate as a web page and as a test report",
	.run = run,
};
