/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/source.h"
#include "engine/cli/command.h"
#include "engine/cli/gate_options.h"
#include "engine/cli/gating.h"
#include "engine/report/gate_read.h"

static const struct weir_option options[] = {
	WEIR_GATE_FORMAT_OPTION,
	WEIR_GATE_OUTPUT_OPTION,
	WEIR_GATE_ALL_OPTION,
	{.name = NULL},
};

static enum weir_status read_result(const char *path, struct weir_gate_result **out,
                                    struct weir_error *err)
{
	enum weir_result_kind kind;
	struct weir_source *source;
	enum weir_status status = weir_source_open(path, &source, err);

	if (!status) {
		status = weir_gate_read(source, &kind, out, err);
		weir_source_free(source);
	}
	if (status)
		return weir_fail_in(err, "%s", path);
	if (kind == WEIR_RESULT_GATE)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT,
	                 "%s: a weir.report/1 document; classify its inputs again, with -o for "
	                 "each format wanted",
	                 path);
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_gate_result *result;
	enum weir_status status;

	if (weir_arguments_count(arguments) != 1)
		return weir_exit_of(weir_fail(err, WEIR_E_USAGE, "usage: weir report RESULT.json"));
	status = weir_gating_check_outputs(arguments, err);
	if (!status)
		status = read_result(weir_arguments_at(arguments, 0), &result, err);
	if (status)
		return weir_exit_of(status);
	status = weir_gating_write(arguments, result, err);
	weir_gate_result_free(result);
	return weir_exit_of(status);
}

const struct weir_command weir_command_report = {
	.name = "report",
	.summary = "a stored result of gate or compare in any other format",
	.arguments = "RESULT.json",
	.description = "Reads a weir.gate/1 document back and writes it again, as text, JSON, "
		       "Markdown, JUnit or SARIF. "
		       "The verdict is the one that is stored: nothing is compared again.",
	.options = options,
	.takes_files = true,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir report result.json -o report.md -o junit.xml",
	.example_shows = "writes the comment's text and the test report of a gate that ran before",
	.run = run,
};
