/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/cli/command.h"
#include "engine/cli/documents.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/clock.h"
#include "engine/pipeline/gating.h"

static const struct weir_option options[] = {
	{.name = "base",
         .kind = WEIR_OPTION_FILE,
         .value = "RUN...",
         .repeatable = true,
         .collects = true,
         .help = "reference runs (required)"},
	{.name = "head",
         .kind = WEIR_OPTION_FILE,
         .value = "RUN...",
         .repeatable = true,
         .collects = true,
         .help = "runs to compare with the reference runs (required)"},
	WEIR_CONFIG_OPTION,
	WEIR_COST_OPTION(""),
	WEIR_LABEL_OPTION(""),
	WEIR_GATE_FORMAT_OPTION,
	WEIR_GATE_OUTPUT_OPTION,
	WEIR_GATE_ALL_OPTION,
	{.name = NULL},
};

static enum weir_status compare_under(const struct weir_arguments *arguments,
                                      const struct weir_policy *policy,
                                      struct weir_gate_result *result, struct weir_error *err)
{
	const struct weir_settings settings = weir_settings_given(arguments, policy);
	struct weir_gate_request request = {.terms = {.policy = policy, .never_fail = true}};
	const char **base = weir_option_list(arguments, "base", &request.baseline_count);
	const char **head = weir_option_list(arguments, "head", &request.candidate_count);
	struct weir_labels labels;
	struct weir_progress_line line;
	struct weir_progress progress;
	char now[WEIR_CLOCK_SIZE];
	enum weir_status status = weir_labels_given(&labels, arguments, false, err);

	request.baseline = base;
	request.candidate = head;
	weir_clock_now(now);
	weir_measuring_given(&request.measuring, arguments, &settings, &line, &progress);
	request.measuring.recorded = now;
	request.measuring.consequence = "nothing was compared";
	request.measuring.labels = labels.given;
	if (!status)
		status = weir_gate_runs(&request, result, err);
	weir_labels_release(&labels);
	weir_progress_end(&line);
	free(base);
	free(head);
	return status;
}

static enum weir_status compare(const struct weir_arguments *arguments,
                                struct weir_gate_result *result, struct weir_error *err)
{
	struct weir_policy *policy;
	enum weir_status status =
		weir_policy_today(weir_option_text(arguments, "config"), &policy, err);

	if (status)
		return status;
	weir_note_command(result, "compare", options, arguments);
	status = compare_under(arguments, policy, result, err);
	if (!status)
		status = weir_documents_write_gate(arguments, result, err);
	weir_policy_free(policy);
	return status;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_gate_result *result;
	enum weir_status status;

	if (weir_arguments_count(arguments) > 0)
		return weir_exit_of(weir_fail(
			err, WEIR_E_USAGE,
			"%.200s belongs to neither --base nor --head: weir compare --base RUN... "
			"--head RUN...",
			weir_arguments_at(arguments, 0)));
	if (!weir_option_given(arguments, "base") || !weir_option_given(arguments, "head"))
		return weir_exit_of(weir_fail(err, WEIR_E_USAGE,
		                              "compare needs --base and --head: weir compare "
		                              "--base RUN... --head RUN..."));
	status = weir_documents_check(arguments, WEIR_RESULT_GATE, err);
	if (status)
		return weir_exit_of(status);
	result = weir_gate_result_new();
	status = compare(arguments, result, err);
	weir_gate_result_free(result);
	return weir_exit_of(status);
}

const struct weir_command weir_command_compare = {
	.name = "compare",
	.summary = "compare two sets of runs without a store",
	.arguments = "--base RUN... --head RUN...",
	.description = "Compares two sets of runs as weir gate does and shows the table, but never "
		       "fails on a regression. Each RUN is one run: a trace, a native run, or a "
		       "folder with the profiles of one run.",
	.options = options,
	.completes = WEIR_COMPLETES_FILES,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir compare --base before/run-*.json --head after/run-*.json --all",
	.example_shows = "shows every row of the comparison, changed or not",
	.run = run,
};
