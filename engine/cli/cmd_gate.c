/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "baselines/identity.h"
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
         .value = "NAME",
         .help = "the stored baseline to compare with (needed)"},
	WEIR_DB_OPTION,
	WEIR_CONFIG_OPTION,
	WEIR_COST_OPTION(""),
	{.name = "strict", .help = "end with 3 where the evidence is missing or only suspected"},
	{.name = "bootstrap",
         .help = "where there is no such baseline, record the runs as it and end with 0"},
	{.name = "require-operators",
         .help = "end with 6 where an operator of the baseline is gone"},
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
	struct weir_gate_request request = {
		.terms = {.policy = policy,
	                  .strict = weir_option_given(arguments, "strict"),
	                  .require_operators = weir_option_given(arguments, "require-operators")},
		.candidate = weir_arguments_list(arguments),
		.candidate_count = weir_arguments_count(arguments),
		.db = weir_db_path(arguments),
		.name = weir_option_text(arguments, "baseline"),
		.bootstrap = weir_option_given(arguments, "bootstrap"),
	};
	struct weir_progress_line line;
	struct weir_progress progress;
	char now[WEIR_CLOCK_SIZE];
	enum weir_status status;

	weir_clock_now(now);
	weir_measuring_given(&request.measuring, arguments, &settings, &line, &progress);
	request.measuring.recorded = now;
	request.measuring.consequence = "nothing was compared";
	status = weir_gate_runs(&request, result, err);
	weir_progress_end(&line);
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
	status = gate_under(arguments, policy, result, err);
	if (!status)
		status = weir_documents_write_gate(arguments, result, err);
	weir_policy_free(policy);
	return status;
}

static enum weir_status check_arguments(const struct weir_arguments *arguments,
                                        struct weir_error *err)
{
	const char *name = weir_option_text(arguments, "baseline");

	if (!name)
		return weir_fail(err, WEIR_E_USAGE,
		                 "gate needs a baseline: weir gate RUN... --baseline NAME");
	if (weir_arguments_count(arguments) == 0)
		return weir_fail(err, WEIR_E_USAGE,
		                 "gate needs candidate runs: weir gate RUN... --baseline %s", name);
	if (weir_baseline_check_name(name, err))
		return err->status;
	return weir_documents_check(arguments, WEIR_RESULT_GATE, err);
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_gate_result *result = weir_gate_result_new();
	enum weir_status status = check_arguments(arguments, err);
	enum weir_exit code;

	if (!status)
		status = gate(arguments, result, err);
	code = status ? weir_exit_of(status) : (enum weir_exit)result->exit_code;
	weir_trace_finish();
	if (!status) {
		struct weir_text line = {0};

		weir_gate_last_line(result, &line);
		weir_say(line.data + strlen("weir: ")); /* which it puts there itself */
		weir_text_release(&line);
	}
	weir_gate_result_free(result);
	return code;
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
	.summary = "compare with a stored baseline, stop what got slower",
	.arguments = "RUN...",
	.description = "Each RUN is one run: a trace, a native run, or a folder of the profiles of "
		       "one run. "
		       "Stages, device time, operators and per-run figures are compared with the "
		       "runs of the "
		       "baseline by tests whose unit is the run, and the command ends nonzero on a "
		       "regression.\n\n"
		       "With too few runs or samples it says what it suspects, how small a change "
		       "it could have "
		       "seen, and how many runs would settle it. Margins, ceilings and waivers are "
		       "in weir.json. "
		       "The last line on standard error is always "
		       "weir: verdict=NAME exit=N regressions=N judged=N.",
	.options = options,
	.takes_files = true,
	.exits = WEIR_ENDS(WEIR_EXIT_REGRESSION) | WEIR_ENDS(WEIR_EXIT_INCONCLUSIVE) |
                 WEIR_ENDS(WEIR_EXIT_NO_BASELINE) | WEIR_ENDS(WEIR_EXIT_ENVIRONMENT) |
                 WEIR_ENDS(WEIR_EXIT_COVERAGE) | WEIR_ENDS(WEIR_EXIT_INPUT) |
                 WEIR_ENDS(WEIR_EXIT_STORE),
	.example = "weir gate run-1.json run-2.json run-3.json --baseline main-h200",
	.example_shows = "ends with 1 where the three runs are slower than the baseline main-h200",
	.run = run,
	.after_failure = after_failure,
};
