/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/cli/command.h"
#include "engine/cli/interruption.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/bisect.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/gating.h"

static const struct weir_option options[] = {
	{.name = "max-runs",
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "runs of one commit at most, 5 or more (default 20)"},
	WEIR_CONFIG_OPTION,
	{.name = NULL},
};

static void say_unless_quiet(void *context, const char *line)
{
	if (!*(const bool *)context)
		weir_say(line);
}

static enum weir_status check_arguments(const struct weir_arguments *arguments,
                                        struct weir_error *err)
{
	if (weir_arguments_count(arguments) < 3)
		return weir_fail(err, WEIR_E_USAGE,
		                 "bisect needs two commits and a command: weir bisect GOOD BAD -- "
		                 "COMMAND...");
	if (weir_option_count(arguments, "max-runs", WEIR_BISECT_MOST_RUNS) <
	    WEIR_BISECT_LEAST_RUNS)
		return weir_fail(err, WEIR_E_USAGE, "--max-runs is too small; expected %d or more",
		                 WEIR_BISECT_LEAST_RUNS);
	return WEIR_OK;
}

static void add_level(struct weir_text *text, double value, const char *unit)
{
	if (unit && strcmp(unit, "ns") == 0)
		weir_text_duration(text, value);
	else
		weir_text_printf(text, "%.4g%s%s", value, unit ? " " : "", unit ? unit : "");
}

static void add_figures(struct weir_text *text, const struct weir_bisect_result *result)
{
	weir_text_printf(text, "  %s: ", result->figure);
	add_level(text, result->before, result->unit);
	weir_text_puts(text, " before it, ");
	add_level(text, result->behind, result->unit);
	weir_text_printf(text, " since (%+.1f %%)\n  found with a probability ",
	                 100 * (result->behind / result->before - 1));
	weir_bisect_print_probability(result->probability, text);
	weir_text_printf(text, "; %zu of %zu commits measured in %zu runs, %zu skipped\n",
	                 result->measured, result->commits + 1, result->runs, result->skipped);
}

static enum weir_exit print_commits(const struct weir_bisect_result *result, struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status;
	bool found = result->verdict == WEIR_BISECT_FOUND;

	if (found)
		weir_text_puts(&text, "first bad commit: ");
	else
		weir_text_printf(&text, "the first bad commit is probably one of these %zu:\n",
		                 result->candidates);
	for (size_t i = 0; i < result->suspect_count; i++)
		weir_text_printf(&text, "%s%s\n", found ? "" : "  ", result->suspects[i]);
	if (result->candidates > result->suspect_count)
		weir_text_printf(&text, "  and %zu more\n",
		                 result->candidates - result->suspect_count);
	add_figures(&text, result);
	status = weir_output_write(NULL, &text, err);
	weir_text_release(&text);
	if (status)
		return weir_exit_of(status);
	return found ? WEIR_EXIT_PASS : WEIR_EXIT_INCONCLUSIVE;
}

static enum weir_exit refuse(const struct weir_bisect_result *result)
{
	struct weir_text text = {0};

	if (result->verdict == WEIR_BISECT_FASTER)
		weir_text_printf(&text,
		                 "nothing to bisect: BAD is faster than GOOD and no slower "
		                 "anywhere, in %zu runs each",
		                 result->end_runs);
	else
		weir_text_printf(&text,
		                 "nothing to bisect: %zu runs of each end show no regression; "
		                 "measure longer runs, or raise --max-runs",
		                 result->end_runs);
	weir_say(text.data);
	weir_text_release(&text);
	return WEIR_EXIT_INCONCLUSIVE;
}

static enum weir_exit finish(const struct weir_bisect_result *result, struct weir_error *err)
{
	switch (result->verdict) {
	case WEIR_BISECT_FOUND:
	case WEIR_BISECT_SEVERAL:
		return print_commits(result, err);
	case WEIR_BISECT_SAME:
	case WEIR_BISECT_FASTER:
		break;
	}
	return refuse(result);
}

static enum weir_exit bisect(const struct weir_arguments *arguments,
                             const struct weir_policy *policy, struct weir_error *err)
{
	const struct weir_settings settings = weir_settings_of(policy, NAN, "");
	bool quiet = weir_option_given(arguments, "quiet");
	struct weir_bisect_result result;
	struct weir_signals signals;
	const struct weir_bisect_request request = {
		.good = weir_arguments_at(arguments, 0),
		.bad = weir_arguments_at(arguments, 1),
		.command = weir_arguments_list(arguments) + 2,
		.most_runs = weir_option_count(arguments, "max-runs", WEIR_BISECT_MOST_RUNS),
		.policy = policy,
		.settings = &settings,
		.signals = &signals,
		.say = say_unless_quiet,
		.context = &quiet,
	};
	enum weir_status status;
	enum weir_exit code;

	weir_signals_hold(&signals);
	status = weir_bisect_run(&request, &result, err);
	weir_end_if_interrupted(&signals);
	code = status ? weir_exit_of(status) : finish(&result, err);
	weir_bisect_result_release(&result);
	return code;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_policy *policy;
	enum weir_status status = check_arguments(arguments, err);
	enum weir_exit code;

	if (!status)
		status = weir_policy_today(weir_option_text(arguments, "config"), &policy, err);
	if (status)
		return weir_exit_of(status);
	code = bisect(arguments, policy, err);
	weir_policy_free(policy);
	return code;
}

const struct weir_command weir_command_bisect = {
	.name = "bisect",
	.summary = "find the commit that made a program slower",
	.arguments = "GOOD BAD -- COMMAND...",
	.description =
		"Finds the first commit after GOOD, up to BAD, that made the program slower, along "
		"the first parents. COMMAND measures one run. It is executed without a shell, in "
		"the root of a temporary worktree with the commit checked out; your own checkout "
		"is not touched. It has to write its run, in any format that weir reads, to the "
		"path in the variable WEIR_RUN, which also replaces {} in its words. WEIR_COMMIT "
		"holds the commit. Untracked files stay between commits, so that builds are "
		"incremental. The exit code 125 skips a commit that cannot be built; any other "
		"code but 0 ends the search.\n\n"
		"Both ends are measured first, 5 runs each and more where needed, until the gate "
		"sees a regression; else the exit code is 3. Then the commit whose side is most "
		"uncertain is measured twice, again and again, until the place of the step is "
		"known with a probability of 99 %. Each step is a line on standard error.\n\n"
		"The exit code is 0 if one commit was found, and 3 if several remain. The "
		"worktree is removed in every case, also after SIGINT, SIGTERM, SIGHUP and "
		"SIGQUIT.",
	.options = options,
	.exits = WEIR_ENDS(WEIR_EXIT_INCONCLUSIVE) | WEIR_ENDS(WEIR_EXIT_ENVIRONMENT) |
                 WEIR_ENDS(WEIR_EXIT_COVERAGE) | WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir bisect v1.2 HEAD -- ./measure.sh {}",
	.example_shows = "prints the commit since v1.2 that made the runs of measure.sh slower",
	.run = run,
};
