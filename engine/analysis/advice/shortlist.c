/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/shortlist.h"

/* A fix whose changed time is changed by a better one to this part is an alternative to it. */
#define SAME_PLACES 0.80
/* Alternatives that save up to this much more still are alternatives. */
#define SAME_SAVING 1.05

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

double weir_score_of(const struct weir_found_fix *fix)
{
	double saved_ns = fix->before_ns - fix->step_ns;

	if (strcmp(fix->entry->numerics, "none") != 0)
		saved_ns -= CHECKING * fmin(saved_ns, fix->step_ns);
	return saved_ns / weight_of(fix->entry->effort);
}

/* Returns the part of the time changed by b that a changes as well. */
static double common_part(const struct weir_advisor *advisor, const struct weir_ranked_fix *a,
                          const struct weir_ranked_fix *b)
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

static double saved_ns(const struct weir_ranked_fix *outcome)
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
static bool comes_first(const struct weir_ranked_fix *outcomes, size_t count, const char *id)
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
	const struct weir_ranked_fix *a = left, *b = right;

	if (a->unmet != b->unmet)
		return a->unmet ? 1 : -1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static bool is_one_of(const struct weir_ranked_fix *outcome, const char *const *ids)
{
	return weir_op_is_one_of(outcome->fix.entry->id, ids);
}

/* True for fixes that change types and keep every kernel, so that fixes of the structure still
 * apply: both can be made. */
static bool changes_types(const struct weir_ranked_fix *outcome)
{
	static const char *const ids[] = {"lower-precision", "fp8", "smaller-types", NULL};

	return is_one_of(outcome, ids);
}

/* True if the better fix joins kernels or launches them faster, while the other one gives them
 * fewer bytes: joined kernels still move their bytes. */
static bool leaves_bytes(const struct weir_ranked_fix *better, const struct weir_ranked_fix *other)
{
	static const char *const ids[] = {"compile", "compile-pointwise", "cuda-graph", NULL};

	return is_one_of(better, ids) && changes_types(other);
}

/* Share of a compiled model's saving that functions written by hand have at least to be named as
 * well; and that a capture has at least to be named first, as the launches are the main part then.
 */
#define MAIN_PART 0.5

/* True if the better fix compiles the whole model, while the other one keeps every kernel or
 * changes only functions written by hand, which are the main part. */
static bool keeps_kernels(const struct weir_ranked_fix *better, const struct weir_ranked_fix *other)
{
	const char *id = other->fix.entry->id;

	return strcmp(better->fix.entry->id, "compile") == 0 &&
	       (strcmp(id, "cuda-graph") == 0 || (strcmp(id, "compile-pointwise") == 0 &&
	                                          saved_ns(other) >= MAIN_PART * saved_ns(better)));
}

/* True if the better fix compiles operators, copies among them, while the other one only does
 * without copies, which are the main part: that needs no compiler. */
static bool needs_no_compiler(const struct weir_ranked_fix *better,
                              const struct weir_ranked_fix *other)
{
	static const char *const ids[] = {"compile", "compile-pointwise", NULL};

	return is_one_of(better, ids) && strcmp(other->fix.entry->id, "avoid-copies") == 0 &&
	       saved_ns(other) >= MAIN_PART * saved_ns(better);
}

/* True if the better fix only hides work, which still takes its time elsewhere and delays the
 * result, while the other one removes it; or if the better fix removes work of which only the time
 * is known, and which may be work that must be done, while the other one hides it. */
static bool hides_work(const struct weir_ranked_fix *better, const struct weir_ranked_fix *other)
{
	static const struct {
		const char *hides, *removes;
	} pairs[] = {
		{"overlap-input", "move-to-device"},
		{"overlap-output", "move-to-device"},
		{"overlap-input", "collect-garbage-later"},
		{"overlap-output", "collect-garbage-later"},
		{"overlap-copies", "copy-less"},
	};

	for (size_t i = 0; i < WEIR_COUNT_OF(pairs); i++) {
		const struct weir_ranked_fix *hides = better, *removes = other;

		if (better->supposed) {
			hides = other;
			removes = better;
		}
		if (strcmp(hides->fix.entry->id, pairs[i].hides) == 0 &&
		    strcmp(removes->fix.entry->id, pairs[i].removes) == 0)
			return true;
	}
	return false;
}

/* True if the better fix makes copies smaller, while the other one makes the rest of them faster or
 * hides it. */
static bool leaves_copies(const struct weir_ranked_fix *better, const struct weir_ranked_fix *other)
{
	static const char *const ids[] = {"pinned-copies", "overlap-copies", NULL};

	return better->copies_stay && is_one_of(other, ids);
}

/* True if the better fix only joins kernels or changes how the work is launched, which leaves
 * copies between host and device as long as they are, while the other one makes them faster or
 * hides them: both can be made. */
static bool keeps_copies(const struct weir_ranked_fix *better, const struct weir_ranked_fix *other)
{
	static const char *const launching[] = {"compile", "compile-pointwise", "cuda-graph", NULL};
	static const char *const copying[] = {"pinned-copies", "overlap-copies", NULL};

	return is_one_of(better, launching) && is_one_of(other, copying);
}

/* True if the better fix only launches the repeated work faster, while the other one joins it to
 * one, which leaves less to launch: both can be made. */
static bool joins_turns(const struct weir_ranked_fix *better, const struct weir_ranked_fix *other)
{
	static const char *const launching[] = {"cuda-graph", "compile", NULL};
	static const char *const joining[] = {"vectorise", "group-the-loop", "batch-more", NULL};

	return is_one_of(better, launching) && is_one_of(other, joining);
}

/* True if the better fix only changes how the work is launched, while the other one removes kernels
 * that the library starts around each convolution: both can be made. */
static bool keeps_layout(const struct weir_ranked_fix *better, const struct weir_ranked_fix *other)
{
	static const char *const launching[] = {"cuda-graph", "compile", NULL};

	return is_one_of(better, launching) && strcmp(other->fix.entry->id, "channels-last") == 0;
}

/* True if the other fix makes the better one as well: its saving is the same figure again. */
static bool is_part(const struct weir_ranked_fix *better, const struct weir_ranked_fix *other)
{
	return strcmp(better->fix.entry->id, "compile-pointwise") == 0 &&
	       strcmp(other->fix.entry->id, "compile") == 0;
}

/* True if the better fix computes several rows at once. It needs more requests; a fix that shortens
 * the step of one row is then no alternative to it, and stays listed. */
static bool needs_rows(const struct weir_ranked_fix *better)
{
	return better->fix.of_row;
}

static void drop_alternatives(const struct weir_advisor *advisor, struct weir_ranked_fix *outcomes,
                              size_t count)
{
	for (size_t b = 1; b < count; b++) {
		for (size_t a = 0; a < b && !outcomes[b].dropped; a++) {
			if (outcomes[a].dropped || needs_rows(&outcomes[a]) ||
			    (changes_types(&outcomes[a]) && !changes_types(&outcomes[b])) ||
			    leaves_bytes(&outcomes[a], &outcomes[b]) ||
			    keeps_kernels(&outcomes[a], &outcomes[b]) ||
			    needs_no_compiler(&outcomes[a], &outcomes[b]) ||
			    hides_work(&outcomes[a], &outcomes[b]) ||
			    leaves_copies(&outcomes[a], &outcomes[b]) ||
			    keeps_copies(&outcomes[a], &outcomes[b]) ||
			    joins_turns(&outcomes[a], &outcomes[b]) ||
			    keeps_layout(&outcomes[a], &outcomes[b]) ||
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

/* Moves a fix from one place of the list up to another one. */
static void move_up(struct weir_ranked_fix *outcomes, size_t from, size_t to)
{
	struct weir_ranked_fix moved = outcomes[from];

	memmove(&outcomes[to + 1], &outcomes[to], (from - to) * sizeof *outcomes);
	outcomes[to] = moved;
}

/* True if the better fix does the turns of a loop at once or launches the step as a whole, while
 * the other one packs the pieces that most of it copies: only packed pieces are one tensor, and
 * little is left to join or to launch. */
static bool needs_packing(const struct weir_advisor *advisor, const struct weir_ranked_fix *better,
                          const struct weir_ranked_fix *other)
{
	static const char *const joining[] = {"vectorise", "group-the-loop", "cuda-graph", NULL};

	return is_one_of(better, joining) && strcmp(other->fix.entry->id, "pack-copies") == 0 &&
	       !other->unmet && common_part(advisor, other, better) >= SAME_PLACES;
}

/* Moves the fix that packs pieces ahead of the one that joins or launches them as they are. */
static void put_packing_first(const struct weir_advisor *advisor, struct weir_ranked_fix *outcomes,
                              size_t count)
{
	for (size_t b = 1; b < count; b++)
		for (size_t a = 0; a < b; a++)
			if (needs_packing(advisor, &outcomes[a], &outcomes[b])) {
				move_up(outcomes, b, a);
				break;
			}
}

/* True if the better fix compiles the model, while the other one only captures it and saves the
 * main part: a capture keeps the results, and every kernel that is left has been timed. */
static bool captures_main_part(const struct weir_ranked_fix *better,
                               const struct weir_ranked_fix *other)
{
	return strcmp(better->fix.entry->id, "compile") == 0 &&
	       strcmp(other->fix.entry->id, "cuda-graph") == 0 && !other->unmet &&
	       !better->dropped && !other->dropped &&
	       saved_ns(other) >= MAIN_PART * saved_ns(better);
}

/* Moves a capture ahead of a compiler, once both are known to stay. */
static void put_capture_first(struct weir_ranked_fix *outcomes, size_t count)
{
	for (size_t b = 1; b < count; b++)
		for (size_t a = 0; a < b; a++)
			if (captures_main_part(&outcomes[a], &outcomes[b])) {
				move_up(outcomes, b, a);
				break;
			}
}

void weir_shortlist(const struct weir_advisor *advisor, struct weir_ranked_fix *outcomes,
                    size_t count)
{
	qsort(outcomes, count, sizeof *outcomes, by_score);
	put_packing_first(advisor, outcomes, count);
	drop_alternatives(advisor, outcomes, count);
	put_capture_first(outcomes, count);
}
