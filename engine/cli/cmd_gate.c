/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "baselines/identity.h"
#include "baselines/store.h"
#include "engine/base/arena.h"
#include "engine/cli/command.h"
#include "engine/cli/gate_options.h"
#include "engine/cli/gating.h"
#include "engine/cli/output.h"
#include "engine/cli/recording.h"
#include "engine/cli/settings.h"
#include "engine/report/gate_writer.h"

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

static enum weir_status load_baseline(const struct weir_arguments *arguments,
                                      struct weir_baseline **out, struct weir_error *err)
{
	const struct weir_store_query query = {.name = weir_option_text(arguments, "baseline")};

	return weir_store_load_from(weir_db_path(arguments), &query, out, err);
}

static void fill_baseline_facts(struct weir_gate_result *result,
                                const struct weir_baseline *baseline)
{
	const char *first = NULL, *last = NULL;

	for (size_t i = 0; i < baseline->count; i++) {
		const char *recorded = baseline->runs[i].recorded;

		first = !first || strcmp(recorded, first) < 0 ? recorded : first;
		last = !last || strcmp(recorded, last) > 0 ? recorded : last;
	}
	if (first)
		result->recorded_first = weir_arena_copy(result->arena, first, strlen(first));
	if (last)
		result->recorded_last = weir_arena_copy(result->arena, last, strlen(last));
}

static enum weir_status compare_with(struct weir_gate_result *result,
                                     const struct weir_baseline *stored,
                                     const struct weir_baseline *runs,
                                     const struct weir_gate_terms *terms, struct weir_error *err)
{
	struct weir_gating_side baseline, candidate;
	enum weir_status status;

	weir_gating_side_init(&baseline, stored);
	weir_gating_side_init(&candidate, runs);
	fill_baseline_facts(result, stored);
	status = weir_gating_compare(result, terms, &baseline, &candidate, err);
	weir_gating_side_release(&baseline);
	weir_gating_side_release(&candidate);
	return status;
}

/* --bootstrap: the runs become the baseline. */
static enum weir_status bootstrap(const struct weir_arguments *arguments,
                                  struct weir_baseline *runs, struct weir_gate_result *result,
                                  struct weir_error *err)
{
	const char *name = weir_option_text(arguments, "baseline");
	struct weir_store_counts counts;
	struct weir_store *store;
	enum weir_status status =
		weir_store_open(weir_db_path(arguments), WEIR_STORE_WRITE, &store, err);

	if (status)
		return status;
	runs->name = weir_baseline_text(runs, name);
	status = weir_store_record(store, runs, 0, &counts, err);
	weir_store_free(store);
	if (status)
		return status;
	weir_gate_stop(result, WEIR_GATE_NO_BASELINE, WEIR_GATE_CODE_NO_BASELINE);
	result->exit_code = WEIR_EXIT_PASS;
	weir_gate_remark(result,
	                 counts.added + counts.known == 1 ? "%zu run was recorded as %s"
	                                                  : "%zu runs were recorded as %s",
	                 counts.added + counts.known, name);
	return WEIR_OK;
}

static enum weir_status judge(const struct weir_arguments *arguments, struct weir_baseline *runs,
                              const struct weir_gate_terms *terms, struct weir_gate_result *result,
                              struct weir_error *err)
{
	struct weir_baseline *stored;
	enum weir_status status = load_baseline(arguments, &stored, err);

	result->candidate.runs = runs->count;
	if (!status) {
		status = compare_with(result, stored, runs, terms, err);
		weir_baseline_free(stored);
	}
	if (status != WEIR_E_NO_BASELINE)
		return status;
	if (weir_option_given(arguments, "bootstrap")) {
		*err = (struct weir_error){0};
		return bootstrap(arguments, runs, result, err);
	}
	weir_gate_stop(result, WEIR_GATE_NO_BASELINE, WEIR_GATE_CODE_NO_BASELINE);
	weir_gate_remark(result, "%s", err->message); /* the store's words: it knows near names */
	*err = (struct weir_error){0};
	return WEIR_OK;
}

static enum weir_status gate(const struct weir_arguments *arguments,
                             struct weir_gate_result *result, struct weir_error *err)
{
	struct weir_gate_terms terms = {
		.strict = weir_option_given(arguments, "strict"),
		.require_operators = weir_option_given(arguments, "require-operators"),
	};
	struct weir_policy *policy;
	struct weir_baseline *runs;
	enum weir_status status = weir_gate_policy(arguments, &policy, err);

	if (status)
		return status;
	terms.policy = policy;
	status = weir_gating_read(weir_arguments_list(arguments), weir_arguments_count(arguments),
	                          arguments, policy, &runs, err);
	if (!status) {
		status = judge(arguments, runs, &terms, result, err);
		weir_baseline_free(runs);
	}
	if (!status)
		status = weir_gating_write(arguments, result, err);
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
	return weir_gating_check_outputs(arguments, err);
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_gate_result *result = weir_gate_result_new();
	enum weir_status status = check_arguments(arguments, err);
	enum weir_exit code;

	if (!status) {
		const char *name = weir_option_text(arguments, "baseline");

		result->baseline_name = weir_arena_copy(result->arena, name, strlen(name));
		status = gate(arguments, result, err);
	}
	code = status ? weir_exit_of(status) : (enum weir_exit)result->exit_code;
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
