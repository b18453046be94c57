/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/advise.h"
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/needs.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/places.h"

#define WORTH_NAMING 1.03 /* a fix with a smaller speed-up is left out */
/* A replay of the unchanged program that is further from the measured step predicts nothing. */
#define FAITHFUL 0.20
/* A fix whose changed time is changed by a better one to this part is an alternative to it. */
#define SAME_PLACES 0.80
/* Alternatives that save up to this much more still are alternatives. */
#define SAME_SAVING 1.05

/* A draft and what came of it. */
struct outcome {
	struct weir_found_fix fix;
	uint8_t *touched; /* per job, then per issue */
	double score;     /* order: saved time over effort */
	size_t order;     /* in the catalogue */
	bool unmet;       /* a need is not met */
	bool dropped;
};

static double weight_of(enum weir_effort effort)
{
	switch (effort) {
	case WEIR_EFFORT_LOW:
	case WEIR_EFFORT_COUNT:
		return 1;
	case WEIR_EFFORT_MEDIUM:
		return 1.25;
	case WEIR_EFFORT_HIGH:
		return 2;
	}
	return 1;
}

/* Results that change must be checked: a fix that keeps them goes first if it saves about as much,
 * and if the step behind it takes about as long. */
#define CHECKING 0.1

/* ---- figures ---- */

/* True if replaying the program gives the measured step, which then is typical of all steps. */
static bool is_faithful(const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;
	double replayed_ns =
		weir_replay(program, (struct weir_host_speed){1, 1, 1}, WEIR_REPLAY_TYPICAL);

	return fabs(replayed_ns - program->measured_ns) <= FAITHFUL * program->measured_ns;
}

static void time_draft(const struct weir_draft *draft, struct weir_found_fix *fix)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_program *program = &draft->program;

	fix->before_ns = advisor->before_ns;
	fix->step_ns =
		fmax(weir_replay(program, advisor->speed, WEIR_REPLAY_TYPICAL), draft->floor_ns);
	fix->low_ns =
		fmax(weir_replay(program, advisor->fast, WEIR_REPLAY_LOW), draft->floor_low_ns);
	fix->high_ns =
		fmax(weir_replay(program, advisor->slow, WEIR_REPLAY_HIGH), draft->floor_high_ns);
	fix->low_ns = fmin(fix->low_ns, fix->step_ns);
	fix->high_ns = fmax(fix->high_ns, fix->step_ns);
	fix->speedup = fix->step_ns > 0 ? fix->before_ns / fix->step_ns : NAN;
}

/* ---- texts ---- */

static const char *how_of(const struct weir_fix_entry *entry, enum weir_framework framework)
{
	const char *name = weir_framework_name(framework), *any = NULL;

	for (size_t i = 0; i < entry->how_count; i++) {
		if (strcmp(entry->hows[i].framework, name) == 0)
			return entry->hows[i].text;
		if (strcmp(entry->hows[i].framework, "any") == 0)
			any = entry->hows[i].text;
	}
	return any;
}

static bool check_needs(const struct weir_advisor *advisor, struct weir_found_fix *fix)
{
	bool unmet = false;

	for (size_t i = 0; i < fix->entry->need_count; i++) {
		const struct weir_fix_need *need = &fix->entry->needs[i];
		enum weir_need_state state = weir_need_check(advisor, need->check);

		unmet |= state == WEIR_NEED_NOT_MET;
		fix->needs[fix->need_count++] = (struct weir_need){
			need->what, state == WEIR_NEED_NOT_MET ? need->first : NULL, state};
	}
	return unmet;
}

/* ---- one fix ---- */

/* Returns the saved time over effort. What must be checked counts a tenth of the saving less, or a
 * tenth of the step behind it: of two fixes that leave little, the one that leaves less is better.
 */
static double score_of(const struct weir_found_fix *fix)
{
	double saved_ns = fix->before_ns - fix->step_ns;

	if (strcmp(fix->entry->numerics, "none") != 0)
		saved_ns -= CHECKING * fmin(saved_ns, fix->step_ns);
	return saved_ns / weight_of(fix->entry->effort);
}

static void finish(struct weir_draft *draft, struct weir_arena *arena, struct outcome *out)
{
	struct weir_found_fix *fix = &out->fix;

	fix->how = how_of(fix->entry, draft->advisor->framework);
	fix->basis = weir_arena_copy(arena, draft->basis.data ? draft->basis.data : "",
	                             draft->basis.length);
	weir_places_fill(draft, arena, fix);
	out->unmet = check_needs(draft->advisor, fix);
	out->score = score_of(fix);
	out->touched = draft->touched;
	draft->touched = NULL;
}

/* Applies one transformation; returns true if it is worth naming. */
static bool try_fix(const struct weir_advisor *advisor, const struct weir_fix_method *method,
                    const struct weir_fix_entry *entry, struct weir_arena *arena,
                    struct outcome *out)
{
	struct weir_draft draft;
	bool found;

	*out = (struct outcome){
		.fix = {.entry = entry, .of_trace = advisor->program.step == WEIR_NONE}};
	weir_draft_init(&draft, advisor);
	found = method->apply(&draft);
	if (found) {
		time_draft(&draft, &out->fix);
		found = out->fix.speedup >= WORTH_NAMING;
	}
	if (found)
		finish(&draft, arena, out);
	weir_draft_release(&draft);
	return found;
}

/* ---- the list ---- */

/* Returns the part of the time changed by b that a changes as well. */
static double common_part(const struct weir_advisor *advisor, const struct outcome *a,
                          const struct outcome *b)
{
	const struct weir_program *program = &advisor->program;
	double all_ns = 0, common_ns = 0;

	for (size_t j = 0; j < program->job_count; j++) {
		all_ns += b->touched[j] * program->jobs[j].ns;
		common_ns += a->touched[j] * b->touched[j] * program->jobs[j].ns;
	}
	for (size_t i = 0; i < program->issue_count; i++) {
		const struct weir_issue *issue = &program->issues[i];
		double ns = (issue->dispatch_ns + issue->call_ns) * advisor->speed.dispatch +
		            issue->work_ns * advisor->speed.work + issue->return_ns;

		all_ns += b->touched[program->job_count + i] * ns;
		common_ns += a->touched[program->job_count + i] *
		             b->touched[program->job_count + i] * ns;
	}
	return all_ns > 0 ? common_ns / all_ns : 0;
}

static double saved_ns(const struct outcome *outcome)
{
	return outcome->fix.before_ns - outcome->fix.step_ns;
}

static void name_alternative(struct weir_found_fix *fix, const char *id)
{
	for (size_t i = 0; i + 1 < WEIR_COUNT_OF(fix->instead); i++) {
		if (fix->instead[i])
			continue;
		fix->instead[i] = id;
		return;
	}
}

/* True if a need of some fix that is not met names this one first. */
static bool comes_first(const struct outcome *outcomes, size_t count, const char *id)
{
	for (size_t i = 0; i < count; i++)
		for (size_t n = 0; n < outcomes[i].fix.need_count; n++)
			if (outcomes[i].fix.needs[n].first &&
			    strcmp(outcomes[i].fix.needs[n].first, id) == 0)
				return true;
	return false;
}

static int by_score(const void *left, const void *right)
{
	const struct outcome *a = left, *b = right;

	if (a->unmet != b->unmet)
		return a->unmet ? 1 : -1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static bool is_one_of(const struct outcome *outcome, const char *const *ids)
{
	return weir_op_is_one_of(outcome->fix.entry->id, ids);
}

/* True for fixes that change types and keep every kernel, so that fixes of the structure still
 * apply: both can be made. */
static bool changes_types(const struct outcome *outcome)
{
	static const char *const ids[] = {"lower-precision", "fp8", "smaller-types", NULL};

	return is_one_of(outcome, ids);
}

/* Share of a compiled model's saving that functions written by hand have at least to be named as
 * well. */
#define MAIN_PART 0.5

/* True if the better fix compiles the whole model, while the other one keeps every kernel or
 * changes only functions written by hand, which are the main part. */
static bool keeps_kernels(const struct outcome *better, const struct outcome *other)
{
	const char *id = other->fix.entry->id;

	return strcmp(better->fix.entry->id, "compile") == 0 &&
	       (strcmp(id, "cuda-graph") == 0 || (strcmp(id, "compile-pointwise") == 0 &&
	                                          saved_ns(other) >= MAIN_PART * saved_ns(better)));
}

/* True if the better fix only hides work, which still takes its time elsewhere and delays the
 * result, while the other one removes it. */
static bool hides_work(const struct outcome *better, const struct outcome *other)
{
	static const struct {
		const char *hides, *removes;
	} pairs[] = {
		{"overlap-input", "move-to-device"},
		{"overlap-output", "move-to-device"},
		{"overlap-copies", "copy-less"},
	};

	for (size_t i = 0; i < WEIR_COUNT_OF(pairs); i++)
		if (strcmp(better->fix.entry->id, pairs[i].hides) == 0 &&
		    strcmp(other->fix.entry->id, pairs[i].removes) == 0)
			return true;
	return false;
}

/* True if the better fix only launches the repeated work faster, while the other one joins it to
 * one, which leaves less to launch: both can be made. */
static bool joins_turns(const struct outcome *better, const struct outcome *other)
{
	static const char *const launching[] = {"cuda-graph", "compile", NULL};
	static const char *const joining[] = {"vectorise", "group-the-loop", NULL};

	return is_one_of(better, launching) && is_one_of(other, joining);
}

/* True if the other fix makes the better one as well: its saving is the same figure again. */
static bool is_part(const struct outcome *better, const struct outcome *other)
{
	return strcmp(better->fix.entry->id, "compile-pointwise") == 0 &&
	       strcmp(other->fix.entry->id, "compile") == 0;
}

/* Leaves out fixes that change what a better one changes and save no more. */
static void drop_alternatives(const struct weir_advisor *advisor, struct outcome *outcomes,
                              size_t count)
{
	for (size_t b = 1; b < count; b++) {
		for (size_t a = 0; a < b && !outcomes[b].dropped; a++) {
			if (outcomes[a].dropped ||
			    (changes_types(&outcomes[a]) && !changes_types(&outcomes[b])) ||
			    keeps_kernels(&outcomes[a], &outcomes[b]) ||
			    hides_work(&outcomes[a], &outcomes[b]) ||
			    joins_turns(&outcomes[a], &outcomes[b]) ||
			    saved_ns(&outcomes[b]) > SAME_SAVING * saved_ns(&outcomes[a]) ||
			    (!is_part(&outcomes[a], &outcomes[b]) &&
			     common_part(advisor, &outcomes[a], &outcomes[b]) < SAME_PLACES) ||
			    comes_first(outcomes, count, outcomes[b].fix.entry->id))
				continue;
			outcomes[b].dropped = true;
			name_alternative(&outcomes[a].fix, outcomes[b].fix.entry->id);
		}
	}
}

static void keep(const struct weir_advisor *advisor, struct outcome *outcomes, size_t count,
                 struct weir_arena *arena, struct weir_found_fixes *out)
{
	bool faithful = is_faithful(advisor);

	out->items = weir_arena_alloc(arena, (count + 1) * sizeof *out->items);
	for (size_t i = 0; i < count; i++) {
		struct weir_found_fix *fix = &out->items[out->count];

		if (outcomes[i].dropped)
			continue;
		*fix = outcomes[i].fix;
		/* The gain of a fix behind the one that it needs is not predicted. */
		if (!faithful || outcomes[i].unmet)
			fix->before_ns = fix->step_ns = fix->low_ns = fix->high_ns = fix->speedup =
				NAN;
		out->count++;
	}
}

/* Fills the range of the device's busy share without the profiler. */
static void fill_busy(const struct weir_advisor *advisor, struct weir_found_fixes *out)
{
	const struct weir_program *program = &advisor->program;
	double busy_ns = 0;

	if (!program->has_host || !is_faithful(advisor))
		return;
	for (size_t j = 0; j < program->job_count; j++)
		busy_ns += program->jobs[j].ns;
	out->least_busy = busy_ns / weir_replay(program, advisor->slow, WEIR_REPLAY_TYPICAL);
	out->most_busy = busy_ns / weir_replay(program, advisor->fast, WEIR_REPLAY_TYPICAL);
}

/* Adds the fix that changes nothing, if the step leaves nothing to do. */
static void add_none(const struct weir_advisor *advisor, const struct weir_fix_catalogue *catalogue,
                     struct weir_arena *arena, struct weir_found_fixes *out)
{
	const struct weir_fix_entry *entry = weir_fix_find(catalogue, WEIR_FIX_NONE);
	struct outcome outcome = {
		.fix = {.entry = entry, .of_trace = advisor->program.step == WEIR_NONE}};
	struct weir_found_fix *fix = &out->items[0];
	struct weir_draft draft;

	if (!entry)
		return;
	weir_draft_init(&draft, advisor);
	if (weir_fix_none(&draft)) {
		finish(&draft, arena, &outcome);
		*fix = outcome.fix;
		fix->before_ns = fix->step_ns = fix->low_ns = fix->high_ns = fix->speedup = NAN;
		out->count = 1;
	}
	free(outcome.touched);
	weir_draft_release(&draft);
}

void weir_advise(const struct weir_analysis *analysis, const struct weir_report *report,
                 const struct weir_fix_catalogue *catalogue, struct weir_arena *arena,
                 struct weir_found_fixes *out)
{
	struct weir_advisor advisor;
	struct outcome *outcomes = weir_alloc((catalogue->count + 1) * sizeof *outcomes);
	size_t count = 0;

	*out = (struct weir_found_fixes){.least_busy = NAN, .most_busy = NAN, .step_ns = NAN};
	if (weir_advisor_init(&advisor, analysis, report)) {
		out->known = true;
		fill_busy(&advisor, out);
		out->step_ns = advisor.program.step != WEIR_NONE && is_faithful(&advisor)
		                       ? advisor.before_ns
		                       : NAN;
		for (size_t i = 0; i < catalogue->count; i++) {
			const struct weir_fix_method *method =
				weir_fix_method_find(catalogue->items[i].id);

			if (method && method->apply != weir_fix_none &&
			    try_fix(&advisor, method, &catalogue->items[i], arena,
			            &outcomes[count]))
				outcomes[count++].order = i;
		}
		qsort(outcomes, count, sizeof *outcomes, by_score);
		drop_alternatives(&advisor, outcomes, count);
		keep(&advisor, outcomes, count, arena, out);
		if (out->count == 0)
			add_none(&advisor, catalogue, arena, out);
	}
	for (size_t i = 0; i < count; i++)
		free(outcomes[i].touched);
	free(outcomes);
	weir_advisor_release(&advisor);
}
