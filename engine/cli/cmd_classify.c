/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/cli/classifying.h"
#include "engine/cli/command.h"

static const struct weir_option options[] = {
	WEIR_CLASSIFY_OPTIONS,
	{.name = NULL},
};

static enum weir_status classify(const struct weir_arguments *arguments,
                                 const struct weir_settings *settings, struct weir_error *err)
{
	struct weir_classification *classification;
	enum weir_status status =
		weir_classify_arguments(arguments, settings, false, &classification, err);

	if (status)
		return status;
	status = weir_classification_write(arguments, classification, err);
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
	status = classify(arguments, &settings, err);
	weir_policy_free(policy);
	return weir_exit_of(status);
}

const struct weir_command weir_command_classify = {
	.name = "classify",
	.summary = "show where the time goes, what bounds the run, and what to do",
	.arguments = "INPUT...",
	.description =
		"Reads the profiles of one run and measures where its wall time goes, by "
		"stage and by operator. Then it names what bounds the run, and shows which "
		"rule decided this from which numbers. The inputs are parts of one run, "
		"such as one trace per rank; a folder or an archive (tar, zip) stands for every "
		"profile in it.\n\n"
		"The first line of the report is the answer. Shares refer to the analysed "
		"window: the steady steps, unless --window all is given.",
	.options = options,
	.completes = WEIR_COMPLETES_FILES,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir classify trace.json.gz -o report.md -o report.json",
	.example_shows = "writes the report of a trace as Markdown and as JSON",
	.run = run,
};
