/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/pipeline/clock.h"
#include "engine/pipeline/next_steps.h"
#include "engine/report/gate/gate_figures.h"

#define PLACEHOLDER   "RUN..." /* runs that do not exist yet */
#define MOST_ADVICE   4
#define MOST_COMMANDS 3
#define MOST_NAMES    100 /* tried names of a baseline that is to be promoted */
#define SLUG_LENGTH   40
/* Runs that every test needs: docs/statistics.md, "The ladder". */
#define ENOUGH_BASELINE 5

/* One advice under construction. Every command is written twice: with the paths of the runs, to be
 * executed, and with RUN..., to be read. */
struct step {
	const struct weir_gate_request *request;
	struct weir_store *store; /* NULL: the baseline is not stored */
	const struct weir_baseline *candidate;
	struct weir_gate_result *result;
	struct weir_gate_advice *advice;
	struct weir_text exact, brief;
	struct weir_text all; /* the brief commands so far */
};

static const char *keep(struct step *step, const struct weir_text *text)
{
	return weir_arena_copy(step->result->arena, text->data ? text->data : "", text->length);
}

static void begin(struct step *step, const char *id, const char *label)
{
	struct weir_gate_result *result = step->result;

	if (!result->advice)
		result->advice =
			weir_arena_alloc(result->arena, MOST_ADVICE * sizeof *result->advice);
	step->advice = &result->advice[result->advice_count++];
	*step->advice = (struct weir_gate_advice){.id = id, .label = label};
	step->advice->commands =
		weir_arena_alloc(result->arena, MOST_COMMANDS * sizeof(const char *));
	weir_text_clear(&step->all);
}

static void add(struct step *step, const char *words)
{
	weir_text_puts(&step->exact, words);
	weir_text_puts(&step->brief, words);
}

static void add_word(struct step *step, const char *word)
{
	add(step, " ");
	weir_gate_print_shell_word(word, &step->exact);
	weir_gate_print_shell_word(word, &step->brief);
}

static void add_option(struct step *step, const char *name, const char *value)
{
	if (!value)
		return;
	add(step, name);
	add_word(step, value);
}

/* Adds the candidate's paths, without incomplete runs if so asked. */
static void add_paths(struct step *step, bool complete)
{
	const char *last = NULL;

	weir_text_puts(&step->brief, " " PLACEHOLDER);
	for (size_t i = 0; i < step->candidate->count; i++) {
		const struct weir_baseline_run *run = &step->candidate->runs[i];

		if (!run->path || (complete && run->incomplete) ||
		    (last && strcmp(last, run->path) == 0))
			continue;
		weir_text_puts(&step->exact, " ");
		weir_gate_print_shell_word(run->path, &step->exact);
		last = run->path;
	}
}

static void end_command(struct step *step)
{
	struct weir_gate_advice *advice = step->advice;

	advice->commands[advice->command_count++] = keep(step, &step->exact);
	weir_text_puts(&step->all, step->all.length ? " && " : "");
	weir_text_puts(&step->all, step->brief.data);
	weir_text_clear(&step->exact);
	weir_text_clear(&step->brief);
}

/* Ends an advice: `before`, the commands in brief, `after`. */
static void end(struct step *step, const char *before, const char *after)
{
	step->advice->text = weir_arena_format(step->result->arena, "%s%s%s", before,
	                                       step->all.data ? step->all.data : "", after);
}

/* ---- single commands ---- */

enum runs {
	THESE_RUNS,
	COMPLETE_RUNS, /* without those that are cut short or lack a stage */
	NEW_RUNS,      /* to be measured */
	THESE_AND_NEW_RUNS,
};

static void add_runs(struct step *step, enum runs which)
{
	if (which != NEW_RUNS)
		add_paths(step, which == COMPLETE_RUNS);
	if (which == NEW_RUNS)
		add(step, " " PLACEHOLDER);
	else if (which == THESE_AND_NEW_RUNS)
		weir_text_puts(&step->exact, " " PLACEHOLDER);
}

/* Adds the list of files to compare with, for a gate without a store. */
static void add_reference(struct step *step, const char *option)
{
	const struct weir_gate_request *request = step->request;

	add(step, option);
	weir_text_puts(&step->brief, " " PLACEHOLDER);
	for (size_t i = 0; i < request->baseline_count; i++) {
		weir_text_puts(&step->exact, " ");
		weir_gate_print_shell_word(request->baseline[i], &step->exact);
	}
}

static void add_gate(struct step *step, enum runs which, const char *name, bool bootstrap)
{
	const struct weir_gate_request *request = step->request;

	if (name) {
		add(step, "weir gate");
		add_runs(step, which);
		add_option(step, " --baseline", name);
		add_option(step, " --db", request->db_option);
	} else if (request->terms.one_session) {
		add(step, "weir gate");
		add_reference(step, " --against");
		add(step, " --");
		add_runs(step, which);
	} else {
		add(step, "weir compare");
		add_reference(step, " --base");
		add(step, " --head");
		add_runs(step, which);
	}
	add_option(step, " --config", request->config_option);
	if (request->terms.strict)
		add(step, " --strict");
	if (request->terms.require_operators)
		add(step, " --require-operators");
	if (bootstrap)
		add(step, " --bootstrap");
	end_command(step);
}

static void add_record(struct step *step, enum runs which, const char *name)
{
	add(step, "weir baseline record");
	add_runs(step, which);
	add_option(step, " --name", name);
	add_option(step, " --db", step->request->db_option);
	end_command(step);
}

static bool is_held(const struct weir_store_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->rows[i].name, name) == 0)
			return true;
	return false;
}

/* Returns a name that holds no runs yet, as `record` would add to them: "main-next". */
static const char *free_name(struct step *step)
{
	const struct weir_gate_request *request = step->request;
	struct weir_store_list *list = NULL;
	struct weir_error ignored = {0};
	const char *name = weir_arena_format(step->result->arena, "%.100s-next", request->name);

	if (!step->store || weir_store_list(step->store, &list, &ignored))
		return name; /* nothing is stored, or the command itself will say why not */
	for (unsigned i = 2; i < MOST_NAMES && is_held(list, name); i++)
		name = weir_arena_format(step->result->arena, "%.100s-next-%u", request->name, i);
	weir_store_list_free(list);
	return name;
}

/* Makes runs the reference. What the baseline holds becomes its history, so that two levels never
 * mix. */
static void add_promotion(struct step *step, enum runs which)
{
	const char *next = free_name(step);

	add_record(step, which, next);
	add(step, "weir baseline promote");
	add_word(step, next);
	add_option(step, " --as", step->request->name);
	add_option(step, " --db", step->request->db_option);
	end_command(step);
	add(step, "weir baseline remove");
	add_word(step, next);
	add(step, " --yes");
	add_option(step, " --db", step->request->db_option);
	end_command(step);
}

/* ---- advice ---- */

static void advise_promotion(struct step *step, const char *label, const char *before)
{
	if (!step->request->name)
		return; /* there is no stored reference to replace */
	begin(step, "promote", label);
	add_promotion(step, THESE_RUNS);
	end(step, before, "");
}

/* Advises to measure both versions in one job, as more runs of these jobs would not help. */
static void advise_interleaving(struct step *step)
{
	begin(step, "interleave", "to settle it");
	add(step, "weir record --interleave 'CMD_A' 'CMD_B' -n 10");
	end_command(step);
	add(step, "weir gate --against weir-ab/a/run-*.json -- weir-ab/b/run-*.json");
	end_command(step);
	end(step, "measure both versions by turns in one job: ",
	    ", or gate in another job; more runs of the same jobs do not help");
}

static void advise_measuring(struct step *step)
{
	const struct weir_gate_result *result = step->result;
	bool few = step->request->name && result->method == WEIR_METHOD_NONE &&
	           result->baseline.runs < ENOUGH_BASELINE;

	if (few) {
		begin(step, "record", "to settle it");
		add_record(step, NEW_RUNS, step->request->name);
		end(step, "measure more runs of the reference version and record them: ",
		    ", then gate again");
	}
	begin(step, "measure", few ? "and" : "to settle it");
	add_gate(step, THESE_AND_NEW_RUNS, step->request->name, false);
	end(step, "measure more runs and pass them with these: ", "");
}

static void advise_beginning(struct step *step)
{
	const char *name = step->request->name;

	if (step->result->exit_code == 0)
		return; /* the runs were recorded */
	begin(step, "record", "to begin");
	add_record(step, NEW_RUNS, name);
	end(step, "record runs of the reference version: ",
	    " (or weir gate --bootstrap, which records these runs)");
	begin(step, "bootstrap", "or");
	add_gate(step, THESE_RUNS, name, true);
	end(step, "take these runs as the reference: ", "");
}

/* Returns a name for runs of another environment: "main-nvidia-h100". */
static const char *name_elsewhere(struct step *step)
{
	const struct weir_gate_result *result = step->result;
	const char *value = NULL;
	char slug[SLUG_LENGTH + 1];
	size_t length = 0;

	for (size_t i = 0; !value && i < result->difference_count; i++)
		if (result->differences[i].policy == WEIR_ENVIRONMENT_MUST)
			value = result->differences[i].candidate;
	for (; value && *value && length < SLUG_LENGTH; value++) {
		if (isalnum((unsigned char)*value))
			slug[length++] = (char)tolower((unsigned char)*value);
		else if (length > 0 && slug[length - 1] != '-')
			slug[length++] = '-';
	}
	while (length > 0 && slug[length - 1] == '-')
		length--;
	slug[length] = '\0';
	return weir_arena_format(step->result->arena, "%.80s-%s", step->request->name,
	                         length ? slug : "other");
}

static void advise_elsewhere(struct step *step)
{
	static const char alias[] = "; if both values mean the same hardware, add them to "
				    "environment_aliases in weir.json";
	const char *name;

	if (!step->request->name) {
		begin(step, "measure-alike", "to compare");
		end(step, "measure both sides on one machine", alias);
		return;
	}
	name = name_elsewhere(step);
	begin(step, "record-elsewhere", "to compare");
	add_record(step, NEW_RUNS, name);
	add_gate(step, THESE_RUNS, name, false);
	end(step,
	    "measure the reference version on this machine and record it separately: ", alias);
}

static void advise_coverage(struct step *step)
{
	if (step->result->incomplete) {
		begin(step, "leave-out", "to go on");
		add_gate(step, COMPLETE_RUNS, step->request->name, false);
		end(step, "measure the incomplete runs again, or leave them out: ", "");
	} else if (step->request->name) {
		advise_promotion(step, "to go on",
		                 "measure it again; if it was removed on purpose, make these runs "
		                 "the reference: ");
	} else {
		begin(step, "measure-again", "to go on");
		end(step, "measure it again, or compare with a version that lacks it as well", "");
	}
}

/* Remarks a baseline whose newest run is too old, and says how to replace it. */
static void advise_renewal(struct step *step, const struct weir_baseline *baseline)
{
	const struct weir_policy *policy = step->request->terms.policy;
	const char *newest = step->result->recorded_last;
	double days;

	if (!step->request->name || !baseline || !newest || !step->request->measuring.recorded)
		return;
	days = weir_clock_days(newest, step->request->measuring.recorded);
	if (!(days > policy->max_age_days))
		return;
	begin(step, "renew", "to renew it");
	add_promotion(step, NEW_RUNS);
	end(step, "measure the reference version again: ", "");
	weir_gate_remark(step->result,
	                 "the newest run of %s is %.0f days old (limit: %.0f, "
	                 "baseline.max_age_days in weir.json): record the reference version again",
	                 step->request->name, floor(days), policy->max_age_days);
}

void weir_next_steps(const struct weir_gate_request *request, struct weir_store *store,
                     const struct weir_baseline *candidate, const struct weir_baseline *baseline,
                     struct weir_gate_result *result)
{
	struct step step = {
		.request = request, .store = store, .candidate = candidate, .result = result};

	switch (result->verdict) {
	case WEIR_GATE_PASS:
		if (result->exit_code == WEIR_GATE_CODE_INCONCLUSIVE) /* --strict */
			advise_measuring(&step);
		break;
	case WEIR_GATE_IMPROVEMENT:
	case WEIR_GATE_REGRESSION:
		advise_promotion(&step, "to make it the reference", "");
		break;
	case WEIR_GATE_SUSPECT:
	case WEIR_GATE_INCONCLUSIVE:
		if (result->reason)
			advise_interleaving(&step);
		else
			advise_measuring(&step);
		break;
	case WEIR_GATE_NO_BASELINE:
		advise_beginning(&step);
		break;
	case WEIR_GATE_ENVIRONMENT:
		advise_elsewhere(&step);
		break;
	case WEIR_GATE_COVERAGE:
		advise_coverage(&step);
		break;
	}
	advise_renewal(&step, baseline);
	weir_text_release(&step.exact);
	weir_text_release(&step.brief);
	weir_text_release(&step.all);
}
