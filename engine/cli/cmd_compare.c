/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/cli/command.h"
#include "engine/cli/gate_options.h"
#include "engine/cli/gating.h"
#include "engine/cli/settings.h"

static const struct weir_option options[] = {
	{.name = "base",
         .kind = WEIR_OPTION_FILE,
         .value = "RUN...",
         .repeatable = true,
         .collects = true,
         .help = "the runs to compare with (needed)"},
	{.name = "head",
         .kind = WEIR_OPTION_FILE,
         .value = "RUN...",
         .repeatable = true,
         .collects = true,
         .help = "the runs that are compared (needed)"},
	WEIR_CONFIG_OPTION,
	WEIR_COST_OPTION(""),
	WEIR_GATE_FORMAT_OPTION,
	WEIR_GATE_OUTPUT_OPTION,
	WEIR_GATE_ALL_OPTION,
	{.name = NULL},
};

/* Every value of a repeatable option; the caller frees the list. */
static const char **values_of(const struct weir_arguments *arguments, const char *name,
                              size_t *count)
{
	const char **list = NULL;
	size_t capacity = 0;

	*count = 0;
	for (const char *value; (value = weir_option_each(arguments, name, *count)); ++*count) {
		list = weir_grow(list, &capacity, *count + 1, sizeof(*list));
		list[*count] = value;
	}
	return list;
}

static enum weir_status read_side(const struct weir_arguments *arguments, const char *name,
                                  const struct weir_policy *policy, struct weir_baseline **out,
                                  struct weir_error *err)
{
	size_t count;
	const char **paths = values_of(arguments, name, &count);
	enum weir_status status = weir_gating_read(paths, count, arguments, policy, out, err);

	free(paths);
	return status;
}

static enum weir_status compare_sides(const struct weir_policy *policy,
                                      const struct weir_baseline *base,
                                      const struct weir_baseline *head,
                                      struct weir_gate_result *result, struct weir_error *err)
{
	const struct weir_gate_terms terms = {.policy = policy, .never_fail = true};
	struct weir_gating_side baseline, candidate;
	enum weir_status status;

	weir_gating_side_init(&baseline, base);
	weir_gating_side_init(&candidate, head);
	status = weir_gating_compare(result, &terms, &baseline, &candidate, err);
	weir_gating_side_release(&baseline);
	weir_gating_side_release(&candidate);
	return status;
}

static enum weir_status compare(const struct weir_arguments *arguments,
                                struct weir_gate_result *result, struct weir_error *err)
{
	struct weir_baseline *base = NULL, *head = NULL;
	struct weir_policy *policy;
	enum weir_status status = weir_gate_policy(arguments, &policy, err);

	if (status)
		return status;
	status = read_side(arguments, "base", policy, &base, err);
	if (!status)
		status = read_side(arguments, "head", policy, &head, err);
	if (!status)
		status = compare_sides(policy, base, head, result, err);
	if (!status)
		status = weir_gating_write(arguments, result, err);
	weir_baseline_free(base);
	weir_baseline_free(head);
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
			"%.200s is on neither side: weir compare --base RUN... --head RUN...",
			weir_arguments_at(arguments, 0)));
	if (!weir_option_given(arguments, "base") || !weir_option_given(arguments, "head"))
		return weir_exit_of(weir_fail(
			err, WEIR_E_USAGE,
			"compare needs two sides: weir compare --base RUN... --head RUN..."));
	status = weir_gating_check_outputs(arguments, err);
	if (status)
		return weir_exit_of(status);
	result = weir_gate_result_new();
	status = compare(arguments, result, err);
	weir_gate_result_free(result);
	return weir_exit_of(status);
}

const struct weir_command weir_command_compare = {
	.name = "compare",
	.summary = "the same table for two sets of runs, without a store",
	.arguments = "--base RUN... --head RUN...",
	.description =
		"Compares two sets of runs as gate does, shows the table, and never fails on a "
		"regression. Each RUN is one run: a trace, a native run, or a folder of the "
		"profiles of one run.",
	.options = options,
	.takes_files = true,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir compare --base before/run-*.json --head after/run-*.json --all",
	.example_shows = "every row of the comparison, changed or not",
	.run = run,
};
