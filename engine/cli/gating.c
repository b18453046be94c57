/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/analysis/compare/compare.h"
#include "engine/base/arena.h"
#include "engine/cli/clock.h"
#include "engine/cli/gate_options.h"
#include "engine/cli/gating.h"
#include "engine/cli/output.h"
#include "engine/cli/recording.h"
#include "engine/cli/settings.h"
#include "engine/cli/terminal.h"
#include "engine/report/gate_writer.h"

const char *const weir_gate_formats[] = {"text",  "json",  "markdown",    "html",
                                         "junit", "sarif", "annotations", NULL};

#define SESSION_LABEL     "session" /* of runs that were measured together */
#define SESSIONS_FOR_SAFE 5

void weir_gating_side_init(struct weir_gating_side *side, const struct weir_baseline *baseline)
{
	bool contradicted = false;

	*side = (struct weir_gating_side){.count = baseline->count};
	side->runs = weir_alloc((baseline->count + 1) * sizeof(*side->runs));
	for (size_t i = 0; i < baseline->count; i++) {
		const struct weir_baseline_run *run = &baseline->runs[i];
		enum weir_bound bound;

		side->runs[i] = run->run;
		if (!run->bound || !weir_bound_parse(run->bound, &bound))
			continue;
		contradicted = contradicted || (side->has_bound && side->bound != bound);
		side->has_bound = true;
		side->bound = bound;
		side->cause = run->cause;
	}
	side->has_bound = side->has_bound && !contradicted;
}

void weir_gating_side_release(struct weir_gating_side *side)
{
	free(side->runs);
	*side = (struct weir_gating_side){0};
}

enum weir_status weir_gating_read(const char *const *paths, size_t count,
                                  const struct weir_arguments *arguments,
                                  const struct weir_policy *policy, struct weir_baseline **out,
                                  struct weir_error *err)
{
	const struct weir_settings settings = weir_settings_of(arguments, policy);
	char now[WEIR_CLOCK_SIZE];
	const struct weir_recording_request request = {
		.paths = paths,
		.count = count,
		.settings = &settings,
		.recorded = now,
		.quiet = weir_option_given(arguments, "quiet"),
		.consequence = "nothing was compared",
	};
	struct weir_baseline *baseline = weir_baseline_new("");
	enum weir_status status;

	weir_clock_now(now);
	status = weir_recording_read(&request, baseline, err);
	if (status) {
		weir_baseline_free(baseline);
		return status;
	}
	*out = baseline;
	return WEIR_OK;
}

static double margin_of(const void *context, const char *scope, enum weir_metric metric)
{
	return weir_policy_margin(context, scope, metric);
}

static enum weir_treatment treatment_of(const void *context, const char *scope,
                                        enum weir_metric metric)
{
	const struct weir_policy_rule *rule = weir_policy_rule_for(context, scope, metric);

	if (!rule)
		return WEIR_TREAT_JUDGE;
	switch (rule->severity) {
	case WEIR_SEVERITY_FAIL:
		return WEIR_TREAT_JUDGE;
	case WEIR_SEVERITY_WARN:
		return WEIR_TREAT_REPORT;
	case WEIR_SEVERITY_IGNORE:
		return WEIR_TREAT_SKIP;
	}
	return WEIR_TREAT_JUDGE;
}

/* Distinct sessions of a side; 0 where a run does not name its own. *first is one of them. */
static size_t count_sessions(const struct weir_gating_side *side, const char **first)
{
	size_t distinct = 0;

	*first = NULL;
	for (size_t i = 0; i < side->count; i++) {
		const char *own = weir_run_label(side->runs[i], SESSION_LABEL);
		bool seen = false;

		if (!own)
			return 0;
		*first = *first ? *first : own;
		for (size_t j = 0; j < i && !seen; j++)
			seen = strcmp(own, weir_run_label(side->runs[j], SESSION_LABEL)) == 0;
		distinct += !seen;
	}
	return distinct;
}

/* Sessions decide what scatter there is to compare with: docs/statistics.md, the ladder. */
static void apply_sessions(struct weir_compare_input *input,
                           const struct weir_gating_side *baseline,
                           const struct weir_gating_side *candidate)
{
	const char *before, *after;
	size_t of_baseline = count_sessions(baseline, &before),
	       of_candidate = count_sessions(candidate, &after);

	if (of_candidate != 1 || of_baseline == 0)
		return;
	input->session_safe = of_baseline >= SESSIONS_FOR_SAFE && candidate->count > 1;
	input->cap_at_suspect = of_baseline == 1 && strcmp(before, after) != 0;
}

static const char *keep(struct weir_gate_result *result, const char *text)
{
	return text ? weir_arena_copy(result->arena, text, strlen(text)) : NULL;
}

static void fill_bounds(struct weir_gate_result *result, const struct weir_gating_side *baseline,
                        const struct weir_gating_side *candidate)
{
	result->has_baseline_bound = baseline->has_bound;
	result->baseline_bound = baseline->bound;
	result->baseline_cause = keep(result, baseline->cause);
	result->has_candidate_bound = candidate->has_bound;
	result->candidate_bound = candidate->bound;
	result->candidate_cause = keep(result, candidate->cause);
}

enum weir_status weir_gating_compare(struct weir_gate_result *result,
                                     const struct weir_gate_terms *terms,
                                     const struct weir_gating_side *baseline,
                                     const struct weir_gating_side *candidate,
                                     struct weir_error *err)
{
	const struct weir_compare_policy policy = {
		.context = terms->policy,
		.margin = margin_of,
		.treatment = treatment_of,
		.alpha_operators = terms->policy->alpha_operators,
		.alpha_stages = terms->policy->alpha_stages,
		.warmup = terms->policy->warmup,
	};
	struct weir_compare_input input = {
		.baseline = baseline->runs,
		.candidate = candidate->runs,
		.baseline_count = baseline->count,
		.candidate_count = candidate->count,
		.policy = &policy,
	};
	enum weir_status status;
	bool match;

	fill_bounds(result, baseline, candidate);
	result->alpha_operators = terms->policy->alpha_operators;
	result->alpha_stages = terms->policy->alpha_stages;
	match = weir_gate_environment(result, terms->policy, baseline->runs, baseline->count,
	                              candidate->runs, candidate->count);
	if (!match && !terms->never_fail) {
		weir_gate_stop(result, WEIR_GATE_ENVIRONMENT, WEIR_GATE_CODE_ENVIRONMENT);
		return WEIR_OK;
	}
	apply_sessions(&input, baseline, candidate);
	status = weir_compare(&input, result, err);
	if (!status)
		weir_gate_judge(result, terms);
	return status;
}

enum weir_status weir_gate_policy(const struct weir_arguments *arguments, struct weir_policy **out,
                                  struct weir_error *err)
{
	enum weir_status status = weir_policy_load(weir_option_text(arguments, "config"), out, err);
	char now[WEIR_CLOCK_SIZE];

	if (status)
		return status;
	weir_clock_now(now);
	now[strlen("2026-11-20")] = '\0';
	weir_policy_set_today(*out, now);
	return WEIR_OK;
}

/* The writer of one -o, or of standard output where path is "-" or NULL. */
static enum weir_status choose_writer(const struct weir_arguments *arguments, const char *path,
                                      const struct weir_gate_writer **out, struct weir_error *err)
{
	const char *format = weir_option_text(arguments, "format");

	if (path && strcmp(path, "-") != 0)
		return weir_gate_writer_for_path(path, out, err);
	return weir_gate_writer_find(format ? format : "text", out, err);
}

enum weir_status weir_gating_check_outputs(const struct weir_arguments *arguments,
                                           struct weir_error *err)
{
	const struct weir_gate_writer *writer;
	enum weir_status status = choose_writer(arguments, NULL, &writer, err);
	const char *path;

	for (size_t i = 0; !status && (path = weir_option_each(arguments, "output", i)); i++)
		status = choose_writer(arguments, path, &writer, err);
	return status;
}

static enum weir_status write_one(const struct weir_arguments *arguments, const char *path,
                                  const struct weir_gate_result *result, struct weir_error *err)
{
	struct weir_terminal terminal = weir_terminal_of(STDOUT_FILENO);
	struct weir_gate_write_options how = {.all = weir_option_given(arguments, "all")};
	const struct weir_gate_writer *writer;
	struct weir_text text = {0};
	enum weir_status status = choose_writer(arguments, path, &writer, err);

	if (status)
		return status;
	path = path && strcmp(path, "-") == 0 ? NULL : path;
	if (!path) {
		how.width = (size_t)weir_terminal_columns(&terminal);
		how.colour = weir_terminal_color(&terminal, weir_option_text(arguments, "color"));
	}
	writer->write(result, &how, &text);
	status = weir_output_write(path, &text, err);
	weir_text_release(&text);
	return status;
}

enum weir_status weir_gating_write(const struct weir_arguments *arguments,
                                   const struct weir_gate_result *result, struct weir_error *err)
{
	size_t i = 0;

	do {
		if (write_one(arguments, weir_option_each(arguments, "output", i), result, err))
			return err->status;
	} while (weir_option_each(arguments, "output", ++i));
	return WEIR_OK;
}
