/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "baselines/identity.h"
#include "engine/base/arena.h"
#include "engine/base/budget.h"
#include "engine/cli/command.h"
#include "engine/cli/documents.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/clock.h"
#include "engine/pipeline/gating.h"
#include "engine/report/writer.h"

static const struct weir_option options[] = {
	{.name = "baseline",
         .kind = WEIR_OPTION_TEXT,
         .completes = WEIR_COMPLETES_BASELINES,
         .value = "NAME",
         .help = "name of the stored baseline (required, unless --against is given)"},
	{.name = "against",
         .kind = WEIR_OPTION_FILE,
         .value = "RUN...",
         .repeatable = true,
         .collects = true,
         .help = "compare with these runs instead of a stored baseline; both sides were measured "
                 "in one job, and labels `session` are ignored; -- ends the list"},
	WEIR_DB_OPTION,
	WEIR_CONFIG_OPTION,
	WEIR_COST_OPTION(""),
	WEIR_LABEL_OPTION("candidate runs: "),
	{.name = "strict",
         .help = "exit with 3 if a regression is suspected, or undecided at p50 or shift"},
	{.name = "bootstrap",
         .help = "if the baseline does not exist, record the runs under its name and exit with 0"},
	{.name = "bisect",
         .help = "end with codes for git bisect run: 0 good, 1 bad, 125 undecided or not "
                 "comparable (implies --strict), 128 + N for the other exit codes N"},
	{.name = "require-operators",
         .help = "exit with 6 if an operator of the baseline is missing"},
	WEIR_GATE_FORMAT_OPTION,
	WEIR_GATE_OUTPUT_OPTION,
	WEIR_GATE_ALL_OPTION,
	{.name = NULL},
};

static enum weir_status gate_under(const struct weir_arguments *arguments,
                                   const struct weir_policy *policy,
                                   struct weir_gate_result *result, struct weir_error *err)
{
	const struct weir_settings settings = weir_settings_given(arguments, policy);
	char *label = weir_option_given(arguments, "db") ? weir_db_label(arguments) : NULL;
	struct weir_gate_request request = {
		.terms = {.policy = policy,
	                  .strict = weir_option_given(arguments, "strict") ||
	                            weir_option_given(arguments, "bisect"),
	                  .require_operators = weir_option_given(arguments, "require-operators"),
	                  .one_session = weir_option_given(arguments, "against")},
		.candidate = weir_arguments_list(arguments),
		.candidate_count = weir_arguments_count(arguments),
		.db = weir_db_path(arguments),
		.name = weir_option_text(arguments, "baseline"),
		.bootstrap = weir_option_given(arguments, "bootstrap"),
		.db_option = label,
		.config_option = weir_option_text(arguments, "config"),
	};
	struct weir_labels labels;
	struct weir_progress_line line;
	struct weir_progress progress;
	const char **against = weir_option_list(arguments, "against", &request.baseline_count);
	char now[WEIR_CLOCK_SIZE];
	enum weir_status status = weir_labels_given(&labels, arguments, true, err);

	request.baseline = against;
	weir_clock_now(now);
	weir_measuring_given(&request.measuring, arguments, &settings, &line, &progress);
	request.measuring.recorded = now;
	request.measuring.consequence = "nothing was compared";
	request.measuring.labels = labels.given;
	request.measuring.session = labels.session.data;
	if (!status)
		status = weir_gate_runs(&request, result, err);
	weir_progress_end(&line);
	weir_labels_release(&labels);
	free(against);
	free(label);
	return status;
}

static enum weir_status gate(const struct weir_arguments *arguments,
                             struct weir_gate_result *result, struct weir_error *err)
{
	struct weir_policy *policy;
	enum weir_status status =
		weir_policy_today(weir_option_text(arguments, "config"), &policy, err);

	if (status)
		return status;
	weir_note_command(result, "gate", options, arguments);
	status = gate_under(arguments, policy, result, err);
	if (!status)
		status = weir_documents_write_gate(arguments, result, err);
	weir_policy_free(policy);
	return status;
}

/* Checks that the runs to compare with come from one place. */
static enum weir_status check_reference(const struct weir_arguments *arguments,
                                        struct weir_error *err)
{
	const char *name = weir_option_text(arguments, "baseline");
	bool against = weir_option_given(arguments, "against");

	if (!name && !against)
		return weir_fail(err, WEIR_E_USAGE,
		                 "gate needs a baseline: weir gate RUN... --baseline NAME, or weir "
		                 "gate --against RUN... -- RUN...");
	if (name && against)
		return weir_fail(err, WEIR_E_USAGE,
		                 "--baseline and --against both name what to compare with; remove "
		                 "one of them");
	if (against && weir_option_given(arguments, "bootstrap"))
		return weir_fail(err, WEIR_E_USAGE,
		                 "--bootstrap records a baseline, which --against does not use; "
		                 "remove one of them");
	return name ? weir_baseline_check_name(name, err) : WEIR_OK;
}

static enum weir_status check_arguments(const struct weir_arguments *arguments,
                                        struct weir_error *err)
{
	const char *name = weir_option_text(arguments, "baseline");

	if (check_reference(arguments, err))
		return err->status;
	if (weir_arguments_count(arguments) == 0 && !name)
		return weir_fail(err, WEIR_E_USAGE,
		                 "gate needs candidate runs behind --: weir gate --against RUN... "
		                 "-- RUN...");
	if (weir_arguments_count(arguments) == 0)
		return weir_fail(err, WEIR_E_USAGE,
		                 "gate needs candidate runs: weir gate RUN... --baseline %s", name);
	return weir_documents_check(arguments, WEIR_RESULT_GATE, err);
}

/* The arguments and results of one gate, for weir_memory_try(). */
struct attempt {
	const struct weir_arguments *arguments;
	struct weir_gate_result *result;
	struct weir_error *err;
	enum weir_status status;
};

static void attempt(void *context)
{
	struct attempt *one = context;

	one->status = check_arguments(one->arguments, one->err);
	if (!one->status)
		one->status = gate(one->arguments, one->result, one->err);
}

/* Gates. Under --bisect a lack of memory is an error like any other: the exit code of
 * weir_out_of_memory() would make git call the commit bad. */
static enum weir_status attempt_gate(const struct weir_arguments *arguments,
                                     struct weir_gate_result *result, struct weir_error *err)
{
	struct attempt one = {arguments, result, err, WEIR_OK};

	if (!weir_option_given(arguments, "bisect"))
		attempt(&one);
	else if (!weir_memory_try(attempt, &one))
		return weir_fail(err, WEIR_E_INTERNAL, "%s; nothing was compared",
		                 weir_budget_reason(NULL));
	return one.status;
}

static void say_last_line(struct weir_gate_result *result, int code)
{
	struct weir_text line = {0};

	result->exit_code = code;
	weir_gate_last_line(result, &line);
	weir_say(line.data + strlen("weir: ")); /* weir_say() adds it again */
	weir_text_release(&line);
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_gate_result *result = weir_gate_result_new();
	enum weir_status status = attempt_gate(arguments, result, err);
	int code = status ? (int)weir_exit_of(status) : result->exit_code;

	if (weir_option_given(arguments, "bisect"))
		code = weir_exit_for_bisect((enum weir_exit)code);
	weir_trace_finish();
	if (!status)
		say_last_line(result, code);
	weir_gate_result_free(result);
	return (enum weir_exit)code;
}

static void after_failure(enum weir_exit code)
{
	struct weir_text line = {0};

	weir_text_printf(&line, "verdict=error exit=%d regressions=0 judged=0", (int)code);
	weir_say(line.data);
	weir_text_release(&line);
}

const struct weir_command weir_command_gate = {
	.name = "gate",
	.summary = "compare runs with a baseline, fail if they are slower",
	.arguments = "RUN...",
	.bisect_option = "bisect",
	.description =
		"Compares runs with those of a stored baseline (--baseline NAME), or with other "
		"runs "
		"of the same job (--against RUN... -- RUN...), and fails if they are slower. Each "
		"RUN is one run: a trace, a native run, or a folder with the "
		"profiles of one run. Stages, device time, operators and per-run metrics "
		"are compared by statistical tests whose unit is the run.\n\n"
		"If there are too few runs or samples for a test, the gate reports what it "
		"suspects, the smallest change that it could have detected, and how many "
		"runs would settle it. Margins, ceilings and waivers are set in weir.json.\n\n"
		"The last line on standard error is always\n"
		"weir: verdict=NAME exit=N "
		"regressions=N judged=N",
	.options = options,
	.completes = WEIR_COMPLETES_FILES,
	.exits = WEIR_ENDS(WEIR_EXIT_REGRESSION) | WEIR_ENDS(WEIR_EXIT_INCONCLUSIVE) |
                 WEIR_ENDS(WEIR_EXIT_NO_BASELINE) | WEIR_ENDS(WEIR_EXIT_ENVIRONMENT) |
                 WEIR_ENDS(WEIR_EXIT_COVERAGE) | WEIR_ENDS(WEIR_EXIT_INPUT) |
                 WEIR_ENDS(WEIR_EXIT_STORE),
	.example = "weir gate run-1.json run-2.json run-3.json --baseline main-h200",
	.example_shows = "exits with 1 if the three runs are slower than the baseline main-h200",
	.run = run,
	.after_failure = after_failure,
};
