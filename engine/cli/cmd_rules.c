/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `rules`: lists rules, shows one, and runs their examples. */
#include <math.h>
#include <string.h>

#include "engine/analysis/rank/features.h"
#include "engine/base/arena.h"
#include "engine/cli/command.h"
#include "engine/cli/help.h"
#include "engine/cli/output.h"
#include "engine/cli/rules_fixes.h"
#include "engine/model/feature.h"
#include "rules/fixes.h"
#include "rules/ruleset.h"

static const struct weir_option options[] = {
	{.name = "rules",
         .kind = WEIR_OPTION_FOLDER,
         .value = "DIR",
         .help = "use the rules in this folder, not the built-in rules"},
	{.name = NULL},
};

static const char *const words[] = {"list", "show", "check", NULL};

static const char *bound_of(const struct weir_rule *rule)
{
	return rule->bound == WEIR_BOUND_NONE ? "advice" : weir_bound_name(rule->bound);
}

/* Appends the kinds of subject in a set: "profile, stage". */
static void add_subjects(struct weir_text *text, unsigned subjects)
{
	const char *joint = "";

	for (unsigned kind = 0; kind < WEIR_SUBJECT_KINDS; kind++) {
		if (!(subjects & (1u << kind)))
			continue;
		weir_text_printf(text, "%s%s", joint,
		                 weir_subject_kind_name((enum weir_subject_kind)kind));
		joint = ", ";
	}
}

/* --- list --- */

static enum weir_status list(struct weir_ruleset *set, const char *argument, struct weir_text *text,
                             struct weir_error *err)
{
	struct weir_fix_catalogue fixes;
	struct weir_arena *arena = weir_arena_new();
	enum weir_status status = weir_fixes_load(arena, &fixes, err);
	size_t width = weir_fixes_width(&fixes);

	(void)argument;
	for (size_t i = 0; i < weir_ruleset_count(set); i++) {
		size_t length = strlen(weir_ruleset_rule(set, i)->id);
		width = length > width ? length : width;
	}
	for (size_t i = 0; i < weir_ruleset_count(set); i++) {
		const struct weir_rule *rule = weir_ruleset_rule(set, i);
		weir_text_printf(text, "%-*s  %-13s  %s\n", (int)width, rule->id, bound_of(rule),
		                 rule->title);
	}
	weir_fixes_list(&fixes, width, text);
	weir_arena_free(arena);
	return status;
}

/* --- show --- */

static void add_clauses(struct weir_text *text, const struct weir_rule *rule)
{
	for (size_t i = 0; i < rule->clause_count; i++)
		weir_rules_entry(text, i ? "and" : "when", rule->clauses[i].text);
}

static void add_advice(struct weir_text *text, const struct weir_rule_advice *advice,
                       const struct weir_feature_table *features)
{
	struct weir_text entry = {0};

	weir_text_printf(&entry, "%s (effort: %s", advice->title, advice->effort);
	if (!isnan(advice->low))
		weir_text_printf(&entry, "; typically %g to %g times faster", advice->low,
		                 advice->high);
	if (advice->saves != WEIR_NO_FEATURE)
		weir_text_printf(&entry, "; saves at most %s", features->items[advice->saves].id);
	if (advice->has_change)
		weir_text_printf(&entry, "; what if %s=%g", advice->change.class_name,
		                 advice->change.factor);
	weir_text_puts(&entry, ")");
	weir_rules_entry(text, "recommends", entry.data);
	weir_rules_entry(text, "because", advice->why);
	weir_text_release(&entry);
}

/* Appends every feature that the clauses read, with its meaning. */
static void add_features(struct weir_text *text, const struct weir_rule *rule,
                         const struct weir_feature_table *features)
{
	struct weir_text entry = {0};

	for (size_t row = 0; row < features->count; row++) {
		const struct weir_feature *feature = &features->items[row];
		bool read = false;
		for (size_t i = 0; i < rule->clause_count && !read; i++)
			read = weir_clause_reads(&rule->clauses[i], row);
		if (!read)
			continue;
		weir_text_clear(&entry);
		weir_text_printf(&entry, "%s (%s): %s", feature->id, weir_unit_name(feature->unit),
		                 feature->meaning);
		weir_rules_entry(text, "reads", entry.data);
	}
	weir_text_release(&entry);
}

static void add_verdict(struct weir_text *text, const struct weir_rule *rule,
                        const struct weir_feature_table *features)
{
	struct weir_text entry = {0};

	weir_text_puts(&entry, bound_of(rule));
	if (rule->cause)
		weir_text_printf(&entry, ", cause %s", rule->cause);
	if (rule->last)
		weir_text_puts(&entry, "; considered only when no other rule holds");
	weir_rules_entry(text, "bound", entry.data);
	weir_text_clear(&entry);
	add_subjects(&entry, rule->subjects);
	weir_rules_entry(text, "about", entry.data);
	weir_text_release(&entry);
	if (rule->share != WEIR_NO_FEATURE)
		weir_rules_entry(text, "share", features->items[rule->share].id);
}

/* Shows a fix, or fails with the nearest id. */
static enum weir_status show_fix(const struct weir_ruleset *set, const char *id,
                                 struct weir_text *text, struct weir_error *err)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_fix_catalogue fixes;
	enum weir_status status = weir_fixes_load(arena, &fixes, err);
	const struct weir_fix_entry *fix = status ? NULL : weir_fix_find(&fixes, id);

	if (fix) {
		weir_fixes_show(fix, text);
	} else if (!status) {
		const char *nearest = weir_ruleset_nearest(set, id);

		nearest = nearest ? nearest : weir_fix_nearest(&fixes, id);
		status = weir_fail(err, WEIR_E_USAGE, "unknown rule %s; %s%s%s", id,
		                   nearest ? "did you mean: weir rules show "
		                           : "weir rules list lists the rules",
		                   nearest ? nearest : "", nearest ? "?" : "");
	}
	weir_arena_free(arena);
	return status;
}

static enum weir_status show(struct weir_ruleset *set, const char *id, struct weir_text *text,
                             struct weir_error *err)
{
	const struct weir_feature_table *features = weir_ruleset_features(set);
	const struct weir_rule *rule = weir_ruleset_find(set, id);

	if (!rule)
		return show_fix(set, id, text, err);
	weir_text_printf(text, "%s: %s\n\n", rule->id, rule->title);
	add_verdict(text, rule, features);
	add_clauses(text, rule);
	add_features(text, rule, features);
	if (rule->headline)
		weir_rules_entry(text, "says", rule->headline);
	if (rule->next)
		weir_rules_entry(text, "next", rule->next);
	for (size_t i = 0; i < rule->advice_count; i++)
		add_advice(text, &rule->advice[i], features);
	for (size_t i = 0; i < rule->see_count; i++)
		weir_rules_entry(text, "see", rule->see[i]);
	return WEIR_OK;
}

/* --- check --- */

static void report_failure(void *context, const struct weir_example_failure *failure)
{
	struct weir_text *text = context;

	weir_text_printf(text, "%s: %s: examples[%zu]: expected %s, got %s\n", failure->rule->file,
	                 failure->rule->id, failure->example, weir_truth_name(failure->expected),
	                 weir_truth_name(failure->got));
	for (size_t i = 0; i < failure->evidence_count; i++) {
		const struct weir_evidence *evidence = &failure->evidence[i];
		weir_text_printf(text, "  %-7s  %s  with", weir_truth_name(evidence->truth),
		                 evidence->clause);
		for (size_t r = 0; r < evidence->reading_count; r++) {
			const struct weir_reading *reading = &evidence->readings[r];
			if (isnan(reading->value))
				weir_text_printf(text, " %s not given", reading->feature);
			else
				weir_text_printf(text, " %s %.6g", reading->feature,
				                 reading->value);
		}
		weir_text_puts(text, "\n");
	}
}

static enum weir_status check(struct weir_ruleset *set, const char *argument,
                              struct weir_text *text, struct weir_error *err)
{
	size_t examples = 0, failures = weir_ruleset_check(set, report_failure, text);
	struct weir_fixes_checked fixes = {0};
	enum weir_status status;

	for (size_t i = 0; i < weir_ruleset_count(set); i++)
		examples += weir_ruleset_rule(set, i)->example_count;
	weir_text_printf(text, "rules %zu, examples %zu, failed %zu\n", weir_ruleset_count(set),
	                 examples, failures);
	/* A folder holds other rules, not other fixes. */
	status = argument ? WEIR_OK : weir_fixes_check(text, &fixes, err);
	failures += fixes.failed;
	if (!status && failures > 0)
		return weir_fail(err, WEIR_E_USAGE, "%zu of %zu examples failed", failures,
		                 examples + fixes.examples);
	return status;
}

/* --- the command --- */

struct action {
	const char *word;
	const char *usage;
	size_t least, most;             /* number of arguments after the word */
	bool names_folder;              /* its argument is a folder of rules */
	enum weir_completion completes; /* of its arguments */
	enum weir_status (*run)(struct weir_ruleset *set, const char *argument,
	                        struct weir_text *text, struct weir_error *err);
};

static const struct action actions[] = {
	{.word = "list", .usage = "list", .run = list},
	{.word = "show",
         .usage = "show ID",
         .least = 1,
         .most = 1,
         .completes = WEIR_COMPLETES_RULES,
         .run = show},
	{.word = "check",
         .usage = "check [DIR]",
         .most = 1,
         .names_folder = true,
         .completes = WEIR_COMPLETES_FOLDERS,
         .run = check},
	{.word = NULL},
};

/* Offers words for argument `index` of an action, which `word` names. */
static enum weir_completion complete(const char *word, size_t index)
{
	const struct action *action = actions;

	while (action->word && strcmp(action->word, word) != 0)
		action++;
	return action->word && index <= action->most ? action->completes : WEIR_COMPLETES_NOTHING;
}

static enum weir_status find_action(const struct weir_arguments *arguments,
                                    const struct action **out, struct weir_error *err)
{
	size_t count = weir_arguments_count(arguments);
	const struct action *action = actions;

	if (count == 0)
		return weir_fail(err, WEIR_E_USAGE,
		                 "rules needs an action: list, show ID, check [DIR]");
	const char *word = weir_arguments_at(arguments, 0);
	while (action->word && strcmp(action->word, word) != 0)
		action++;
	if (!action->word) {
		const char *nearest = weir_text_nearest(word, words);
		return weir_fail(err, WEIR_E_USAGE, "unknown action \"%s\"; %s%s%s", word,
		                 nearest ? "did you mean: weir rules "
		                         : "expected list, show or check",
		                 nearest ? nearest : "", nearest ? "?" : "");
	}
	if (count - 1 < action->least || count - 1 > action->most)
		return weir_fail(err, WEIR_E_USAGE, "usage: weir rules %s", action->usage);
	*out = action;
	return WEIR_OK;
}

static enum weir_status load(const char *folder, struct weir_ruleset **set, struct weir_error *err)
{
	if (folder)
		return weir_ruleset_load_dir(&weir_features, folder, set, err);
	return weir_ruleset_load_embedded(&weir_features, set, err);
}

/* Runs an action and prints its text, also after a failure: the lines of `check` explain it. */
static enum weir_status act(const struct action *action, const char *folder, const char *argument,
                            struct weir_error *err)
{
	struct weir_ruleset *set = NULL;
	struct weir_text text = {0};
	enum weir_status status = load(folder, &set, err);

	if (status)
		return status;
	status = action->run(set, argument, &text, err);
	if (text.length > 0) {
		struct weir_error lost = {0};
		enum weir_status written = weir_output_write(NULL, &text, status ? &lost : err);
		status = status ? status : written;
	}
	weir_text_release(&text);
	weir_ruleset_free(set);
	return status;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	const struct action *action = NULL;
	enum weir_status status = find_action(arguments, &action, err);

	if (status)
		return weir_exit_of(status);
	const char *argument =
		weir_arguments_count(arguments) > 1 ? weir_arguments_at(arguments, 1) : NULL;
	const char *folder =
		action->names_folder && argument ? argument : weir_option_text(arguments, "rules");
	return weir_exit_of(act(action, folder, argument, err));
}

const struct weir_command weir_command_rules = {
	.name = "rules",
	.summary = "list, show and check the rules and fixes",
	.arguments = "list | show ID | check [DIR]",
	.description = "list prints every rule, in the order in which rules are considered, then "
		       "every fix. show prints one rule: its conditions, the features that they "
		       "read, its verdict and advice, and the sources of its thresholds; or one "
		       "fix: how to make it, what it needs and costs. check runs the examples that "
		       "rules and fixes contain, or those of the rule files in a folder, and fails "
		       "if a result differs from what its example states.",
	.options = options,
	.words = words,
	.completes_after = complete,
	.example = "weir rules show runtime/host-dispatch",
	.example_shows = "shows the conditions of the rule, and the sources of its thresholds",
	.run = run,
};
