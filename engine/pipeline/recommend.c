/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/advise.h"
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/rows/what_if.h"
#include "engine/base/text.h"
#include "engine/model/template.h"
#include "engine/pipeline/recommend.h"
#include "rules/fixes.h"

#define WORTH_LISTING 1.03 /* advice with a smaller speed-up is left out */

static const char *expand(struct weir_report *report, const char *template)
{
	struct weir_text text = {0};
	const char *copy;

	if (!template)
		return NULL;
	weir_template_expand_known(template, report->feature_table, report->features, &text);
	copy = weir_arena_copy(report->arena, text.data ? text.data : "", text.length);
	weir_text_release(&text);
	return copy;
}

static double limit_of(double share)
{
	if (isnan(share) || share < 0)
		return NAN;
	return share < 1 ? 1 / (1 - share) : INFINITY;
}

/* Caps a typical speed-up; NAN stays NAN, and a limit of NAN caps nothing. */
static double at_most(double speedup, double limit)
{
	return isnan(speedup) || isnan(limit) ? speedup : fmin(speedup, limit);
}

/* Predicts the effect of the advised change; members are NAN without a timeline or a change. */
static struct weir_what_if ask(struct weir_retimer *retimer, const struct weir_advice *advice)
{
	struct weir_what_if out = {.step_ns = NAN, .speedup = NAN};

	if (retimer && advice->has_change)
		weir_retimer_ask(retimer, &advice->change, &out);
	return out;
}

/* Caps a prediction by the limit: step and speed-up agree. */
static void cap_saving(double limit, struct weir_what_if *saving)
{
	if (!(saving->speedup > limit))
		return;
	saving->step_ns *= saving->speedup / limit;
	saving->speedup = limit;
}

/* ---- fixes ---- */

static void put_time(struct weir_text *out, const struct weir_report *report,
                     const struct weir_found_fix *fix)
{
	(void)report;
	weir_text_duration(out, fix->places_ns);
}

static void put_calls(struct weir_text *out, const struct weir_report *report,
                      const struct weir_found_fix *fix)
{
	(void)report;
	if (fix->calls < 1) /* no place of the fix holds a call */
		weir_text_puts(out, "some");
	else
		weir_text_count(out, (uint64_t)fix->calls);
}

static void put_name(struct weir_text *out, const struct weir_report *report,
                     const struct weir_found_fix *fix)
{
	const char *name = NULL;

	(void)report;
	if (fix->place_count > 0)
		name = fix->places->op ? fix->places->op : fix->places->kernel;
	weir_text_puts(out, name ? name : "work");
}

static void put_kernel(struct weir_text *out, const struct weir_report *report,
                       const struct weir_found_fix *fix)
{
	(void)report;
	weir_text_puts(out, fix->place_count > 0 && fix->places->kernel ? fix->places->kernel
	                                                                : "a kernel");
}

static void put_basis(struct weir_text *out, const struct weir_report *report,
                      const struct weir_found_fix *fix)
{
	(void)report;
	weir_text_puts(out, fix->basis);
}

static void put_per(struct weir_text *out, const struct weir_report *report,
                    const struct weir_found_fix *fix)
{
	(void)report;
	weir_text_puts(out, fix->of_trace ? "in all" : "a step");
}

/* The words of a catalogue's "why". */
static const struct {
	const char *word;
	void (*put)(struct weir_text *out, const struct weir_report *report,
	            const struct weir_found_fix *fix);
} fix_words[] = {
	{"{time}", put_time},     {"{calls}", put_calls}, {"{name}", put_name},
	{"{kernel}", put_kernel}, {"{basis}", put_basis}, {"{per}", put_per},
};

/* Writes the word that begins at `at`, and returns the text behind it. A brace that begins no word
 * is written as it stands. */
static const char *put_word(struct weir_text *out, const struct weir_report *report,
                            const struct weir_found_fix *fix, const char *at)
{
	for (size_t i = 0; i < WEIR_COUNT_OF(fix_words); i++) {
		size_t length = strlen(fix_words[i].word);

		if (strncmp(at, fix_words[i].word, length) == 0) {
			fix_words[i].put(out, report, fix);
			return at + length;
		}
	}
	weir_text_add(out, at, 1);
	return at + 1;
}

/* Fills the words into the reason for a fix. */
static const char *explain_fix(struct weir_report *report, const struct weir_found_fix *fix)
{
	struct weir_text text = {0};
	const char *at = fix->entry->why, *copy;

	while (*at) {
		size_t plain = strcspn(at, "{");

		weir_text_add(&text, at, plain);
		at += plain;
		if (*at)
			at = put_word(&text, report, fix, at);
	}
	copy = weir_arena_copy(report->arena, text.data ? text.data : "", text.length);
	weir_text_release(&text);
	return copy;
}

/* Joins the ids of alternatives; NULL: none. */
static const char *join_alternatives(struct weir_report *report, const struct weir_found_fix *fix)
{
	const char *out = fix->instead[0];

	for (size_t i = 1; out && fix->instead[i]; i++)
		out = weir_arena_format(report->arena, "%s, %s", out, fix->instead[i]);
	return out;
}

static const char *saving_of(bool known, bool trace)
{
	return !known ? NULL : trace ? "trace" : "step";
}

static const char *saving_of_fix(const struct weir_found_fix *fix)
{
	return fix->of_row && !isnan(fix->step_ns) ? "row"
	                                           : saving_of(!isnan(fix->step_ns), fix->of_trace);
}

static void add_fix(struct weir_report *report, const struct weir_found_fix *fix)
{
	struct weir_need *needs =
		weir_arena_alloc(report->arena, (fix->need_count + 1) * sizeof *needs);

	memcpy(needs, fix->needs, fix->need_count * sizeof *needs);
	report->recommendations[report->recommendation_count++] = (struct weir_recommendation){
		.id = fix->entry->id,
		.title = fix->entry->title,
		.why = explain_fix(report, fix),
		.how = fix->how,
		.effort = weir_effort_name(fix->entry->effort),
		.numerics = fix->entry->numerics,
		.low = NAN,
		.high = NAN,
		.limit = NAN,
		.saving_basis = isnan(fix->step_ns) ? NULL : fix->basis,
		.saving_step_ns = fix->step_ns,
		.saving_low_ns = fix->low_ns,
		.saving_high_ns = fix->high_ns,
		.saving_speedup = fix->speedup,
		.saving_before_ns = fix->before_ns,
		.saving_of = saving_of_fix(fix),
		.places = fix->places,
		.place_count = fix->place_count,
		.needs = needs,
		.need_count = fix->need_count,
		.instead = join_alternatives(report, fix),
	};
}

static bool is_none(const struct weir_found_fix *fix)
{
	return strcmp(fix->entry->id, WEIR_FIX_NONE) == 0;
}

/* ---- rules ---- */

static const char *basis_of(struct weir_report *report, const struct weir_change *change)
{
	if (change->factor == 0)
		return weir_arena_format(report->arena, "the timeline without the time of %s",
		                         change->class_name);
	return weir_arena_format(report->arena, "the timeline with the time of %s times %g",
	                         change->class_name, change->factor);
}

/* Turns the times of the recorded timeline into times without the profiler: the speed-up stays. */
static void leave_profiler_out(const struct weir_report *report, struct weir_what_if *saving)
{
	if (!isnan(report->unprofiled_step_ns) && saving->speedup > 0)
		saving->step_ns = report->unprofiled_step_ns / saving->speedup;
}

static void add_advice(struct weir_retimer *retimer, struct weir_report *report,
                       const struct weir_advice *advice)
{
	struct weir_what_if saving = ask(retimer, advice);
	double limit = limit_of(advice->share), cap = fmin(limit, saving.speedup);
	bool known = !isnan(saving.step_ns);

	if (cap < WORTH_LISTING)
		return;
	cap_saving(limit, &saving);
	if (known)
		leave_profiler_out(report, &saving);
	report->recommendations[report->recommendation_count++] = (struct weir_recommendation){
		.id = advice->id,
		.title = expand(report, advice->title),
		.why = expand(report, advice->why),
		.effort = advice->effort,
		.low = at_most(advice->low, cap),
		.high = at_most(advice->high, cap),
		.limit = limit,
		.saving_basis = known ? basis_of(report, &advice->change) : NULL,
		.saving_step_ns = saving.step_ns,
		.saving_low_ns = saving.step_ns,
		.saving_high_ns = saving.step_ns,
		.saving_speedup = saving.speedup,
		.saving_before_ns = saving.step_ns * saving.speedup,
		.saving_of = saving_of(known, report->iteration_count == 0),
	};
}

/* True if the fix makes the advice void: a program that prepares for new shapes in each step
 * prepares again behind a warm-up. */
static bool replaces(const struct weir_fix_entry *fix, const struct weir_advice *advice)
{
	return strcmp(fix->id, "warm-shapes") == 0 && strcmp(advice->id, "warm-up") == 0;
}

/* True if a transformation decided about the advice, with or without success. */
static bool is_decided(const struct weir_found_fixes *found, const struct weir_advice *advice)
{
	const struct weir_fix_method *method = weir_fix_method_find(advice->id);

	for (size_t i = 0; i < found->count; i++)
		if (strcmp(found->items[i].entry->id, advice->id) == 0 ||
		    replaces(found->items[i].entry, advice))
			return true;
	return found->known && method && !method->rule_decides;
}

/* ---- the profiler's share ---- */

/* The rules call a run runtime-bound from this share of the time. */
#define RUNTIME_SHARE 0.33

/* Returns the bound with the largest attributed share apart from the runtime; UNDETERMINED: none
 * holds time. */
static enum weir_bound other_bound(const struct weir_report *report)
{
	enum weir_bound best = WEIR_BOUND_UNDETERMINED;
	int64_t most_ns = 0;

	for (int b = 0; b < WEIR_BOUND_UNDETERMINED; b++) {
		if (b == WEIR_BOUND_RUNTIME || report->attribution.ns[b] <= most_ns)
			continue;
		most_ns = report->attribution.ns[b];
		best = (enum weir_bound)b;
	}
	return best;
}

/* A smaller change of the busy share is no effect of the profiler. */
#define PROFILER_EFFECT 0.05

/* True if the runtime would hold too little, or less than the other bound, of the fastest step that
 * the run may have without the profiler. */
static bool would_change(const struct weir_report *report, const struct weir_found_fixes *found,
                         enum weir_bound other)
{
	double idle = 1 - found->most_busy, active = report->gpu.active;
	double share = (double)report->attribution.ns[other] / (double)report->attribution.total_ns;

	if (!(found->most_busy - active > PROFILER_EFFECT))
		return false;
	return idle < RUNTIME_SHARE || share / active * found->most_busy > idle;
}

/* Lowers the confidence of a verdict that would change without the profiler, and names the other
 * bound. */
static void doubt_profiled(struct weir_report *report, const struct weir_found_fixes *found)
{
	struct weir_verdict *verdict = &report->verdict;
	enum weir_bound other = other_bound(report);

	if (verdict->bound != WEIR_BOUND_RUNTIME || report->profiler.source ||
	    other == WEIR_BOUND_UNDETERMINED || !would_change(report, found, other))
		return;
	verdict->confidence = WEIR_CONFIDENCE_LOW;
	verdict->has_runner_up = true;
	verdict->runner_up = other;
	verdict->runner_up_share =
		(double)report->attribution.ns[other] / (double)report->attribution.total_ns;
	weir_report_note(
		report, "profiler",
		"profilers make dispatch %.1f to %.1f times slower: without one the device "
		"would be busy %.0f to %.0f %% of the time, and the run may be %s-bound; "
		"pass durations measured without it to decide",
		found->least_slower, found->most_slower, 100 * found->least_busy,
		100 * fmin(found->most_busy, 1), weir_bound_name(other));
}

enum weir_status weir_recommend(const struct weir_analysis *analysis, struct weir_report *report,
                                const struct weir_advice *advice, size_t count,
                                struct weir_error *err)
{
	struct weir_fix_catalogue catalogue;
	struct weir_found_fixes found = {.step_ns = NAN};
	struct weir_retimer *retimer = NULL;

	if (weir_fixes_load(report->arena, &catalogue, err))
		return err->status;
	if (report->has_gpu)
		weir_advise(analysis, report, &catalogue, report->arena, &found);
	if (found.known)
		doubt_profiled(report, &found);
	report->unprofiled_step_ns = found.step_ns;
	report->recommendations = weir_arena_alloc(
		report->arena, (found.count + count + 1) * sizeof *report->recommendations);
	report->recommendation_count = 0;
	for (size_t i = 0; i < found.count; i++)
		if (!is_none(&found.items[i]))
			add_fix(report, &found.items[i]);
	for (size_t i = 0; i < count; i++) {
		if (is_decided(&found, &advice[i]))
			continue;
		if (!retimer && report->has_gpu && advice[i].has_change)
			retimer = weir_retimer_new(analysis, report);
		add_advice(retimer, report, &advice[i]);
	}
	if (report->recommendation_count == 0 && found.count > 0)
		add_fix(report, &found.items[0]); /* nothing is left to do */
	weir_retimer_free(retimer);
	return WEIR_OK;
}
