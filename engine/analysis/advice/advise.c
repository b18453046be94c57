/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/advise.h"
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/needs.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/places.h"
#include "engine/analysis/advice/shortlist.h"
#include "engine/base/pool.h"

#define WORTH_NAMING 1.03 /* a fix with a smaller speed-up is left out */
/* A replay of the unchanged program that is further from the measured step predicts nothing. */
#define FAITHFUL 0.20

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
	if (draft->rows > 0) {
		fix->of_row = true;
		fix->step_ns /= draft->rows;
		fix->low_ns /= draft->rows;
		fix->high_ns /= draft->rows;
	}
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

static void finish(struct weir_draft *draft, struct weir_arena *arena, struct weir_ranked_fix *out)
{
	struct weir_found_fix *fix = &out->fix;

	fix->how = how_of(fix->entry, draft->advisor->framework);
	fix->basis = weir_arena_copy(arena, draft->basis.data ? draft->basis.data : "",
	                             draft->basis.length);
	weir_places_fill(draft, arena, fix);
	fix->places_ns += draft->start_ns;
	out->unmet = check_needs(draft->advisor, fix) || draft->unpredicted;
	out->of_start = draft->start_ns > 0;
	out->score =
		out->of_start ? draft->start_ns / (double)draft->program.turns : weir_score_of(fix);
	out->copies_stay = draft->copies_stay;
	out->supposed = draft->doubt > 0;
	out->score *= 1 - draft->doubt;
	out->touched = draft->touched;
	draft->touched = NULL;
}

/* The transformations of a catalogue, tried on several threads. */
struct trials {
	const struct weir_advisor *advisor;
	const struct weir_fix_catalogue *catalogue;
	struct weir_arena *arena;         /* under the lock */
	const size_t *order;              /* entries in the order in which they are tried */
	struct weir_ranked_fix *outcomes; /* per entry */
	bool *found;                      /* per entry: worth naming */
	/* Drafts that no thread uses, under the lock. New memory for the copy of each draft would
	 * take longer than most transformations. */
	struct weir_draft spare[WEIR_POOL_MAX_WIDTH];
	size_t spare_count;
	pthread_mutex_t lock;
};

/* Makes *draft a draft without changes, from a spare one if there is one. */
static void take_draft(struct trials *trials, struct weir_draft *draft)
{
	bool spare;

	pthread_mutex_lock(&trials->lock);
	spare = trials->spare_count > 0;
	if (spare)
		*draft = trials->spare[--trials->spare_count];
	pthread_mutex_unlock(&trials->lock);
	if (spare)
		weir_draft_clear(draft);
	else
		weir_draft_init(draft, trials->advisor);
}

static void give_draft(struct trials *trials, const struct weir_draft *draft)
{
	pthread_mutex_lock(&trials->lock);
	trials->spare[trials->spare_count++] = *draft; /* one for each thread at most */
	pthread_mutex_unlock(&trials->lock);
}

struct finishing {
	struct weir_draft *draft;
	struct weir_arena *arena;
	struct weir_ranked_fix *out;
};

static void run_finish(void *context)
{
	const struct finishing *finishing = context;

	finish(finishing->draft, finishing->arena, finishing->out);
}

/* Finishes a fix under the lock of the arena, which is free again if memory runs out. */
static void finish_locked(struct trials *trials, struct weir_draft *draft,
                          struct weir_ranked_fix *out)
{
	struct finishing finishing = {draft, trials->arena, out};
	bool done;

	pthread_mutex_lock(&trials->lock);
	done = weir_memory_try(run_finish, &finishing);
	pthread_mutex_unlock(&trials->lock);
	if (!done)
		weir_out_of_memory();
}

/* Applies one transformation. */
static void try_fix(void *context, size_t turn)
{
	struct trials *trials = context;
	size_t index = trials->order[turn];
	const struct weir_fix_entry *entry = &trials->catalogue->items[index];
	const struct weir_fix_method *method = weir_fix_method_find(entry->id);
	struct weir_ranked_fix *out = &trials->outcomes[index];
	struct weir_draft draft;

	if (!method || method->apply == weir_fix_none)
		return;
	*out = (struct weir_ranked_fix){
		.fix = {.entry = entry, .of_trace = trials->advisor->program.step == WEIR_NONE},
		.order = index};
	take_draft(trials, &draft);
	if (weir_draft_apply(&draft, method->apply)) {
		time_draft(&draft, &out->fix);
		trials->found[index] = out->fix.speedup >= WORTH_NAMING || draft.start_ns > 0;
	}
	if (trials->found[index])
		finish_locked(trials, &draft, out);
	give_draft(trials, &draft);
}

/* Returns the entries in the order in which they are tried: those that take longest come first. The
 * caller frees them. */
static size_t *order_trials(const struct weir_fix_catalogue *catalogue)
{
	size_t *order = weir_alloc((catalogue->count + 1) * sizeof *order), count = 0;

	for (int searches = 1; searches >= 0; searches--)
		for (size_t i = 0; i < catalogue->count; i++) {
			const struct weir_fix_method *method =
				weir_fix_method_find(catalogue->items[i].id);

			if ((method && method->searches_trace) == searches)
				order[count++] = i;
		}
	return order;
}

/* Fills the outcomes that are worth naming, in the order of the catalogue. Returns their number. */
static size_t try_fixes(const struct weir_advisor *advisor,
                        const struct weir_fix_catalogue *catalogue, struct weir_arena *arena,
                        struct weir_ranked_fix *outcomes)
{
	size_t *order = order_trials(catalogue);
	struct trials trials = {.advisor = advisor,
	                        .catalogue = catalogue,
	                        .order = order,
	                        .arena = arena,
	                        .outcomes = outcomes,
	                        .found = weir_alloc(catalogue->count + 1)};
	size_t count = 0;

	pthread_mutex_init(&trials.lock, NULL);
	weir_pool_run(catalogue->count, weir_pool_width(catalogue->count), try_fix, &trials);
	pthread_mutex_destroy(&trials.lock);
	for (size_t i = 0; i < trials.spare_count; i++)
		weir_draft_release(&trials.spare[i]);
	for (size_t i = 0; i < catalogue->count; i++)
		if (trials.found[i])
			outcomes[count++] = outcomes[i];
	free(trials.found);
	free(order);
	return count;
}

/* ---- the list ---- */

static void keep(const struct weir_advisor *advisor, struct weir_ranked_fix *outcomes, size_t count,
                 struct weir_arena *arena, struct weir_found_fixes *out)
{
	bool faithful = is_faithful(advisor);

	out->items = weir_arena_alloc(arena, (count + 1) * sizeof *out->items);
	for (size_t i = 0; i < count; i++) {
		struct weir_found_fix *fix = &out->items[out->count];

		if (outcomes[i].dropped)
			continue;
		*fix = outcomes[i].fix;
		/* The gain of a fix behind the one that it needs is not predicted, nor that of one
		 * that leaves later steps as they are. */
		if (!faithful || outcomes[i].unmet || outcomes[i].of_start)
			fix->before_ns = fix->step_ns = fix->low_ns = fix->high_ns = fix->speedup =
				NAN;
		out->count++;
	}
}

/* Fills the ranges of the device's busy share without the profiler, and of the factor by which the
 * profiler slows dispatch. */
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
	out->least_slower = 1 / (advisor->slow.dispatch * program->slowdown);
	out->most_slower = 1 / (advisor->fast.dispatch * program->slowdown);
}

/* Adds the fix that changes nothing, if the step leaves nothing to do. */
static void add_none(const struct weir_advisor *advisor, const struct weir_fix_catalogue *catalogue,
                     struct weir_arena *arena, struct weir_found_fixes *out)
{
	const struct weir_fix_entry *entry = weir_fix_find(catalogue, WEIR_FIX_NONE);
	struct weir_ranked_fix outcome = {
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
	struct weir_ranked_fix *outcomes = weir_alloc((catalogue->count + 1) * sizeof *outcomes);
	size_t count = 0;

	*out = (struct weir_found_fixes){.least_busy = NAN, .most_busy = NAN, .step_ns = NAN};
	if (weir_advisor_init(&advisor, analysis, report)) {
		out->known = true;
		fill_busy(&advisor, out);
		out->step_ns = advisor.program.step != WEIR_NONE && is_faithful(&advisor)
		                       ? advisor.before_ns
		                       : NAN;
		count = try_fixes(&advisor, catalogue, arena, outcomes);
		weir_shortlist(&advisor, outcomes, count);
		keep(&advisor, outcomes, count, arena, out);
		if (out->count == 0)
			add_none(&advisor, catalogue, arena, out);
	}
	for (size_t i = 0; i < count; i++)
		free(outcomes[i].touched);
	free(outcomes);
	weir_advisor_release(&advisor);
}
