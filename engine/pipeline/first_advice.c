/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/pipeline/first_advice.h"

/* True if the rule advises this change: its own next step is then more exact. */
static bool rule_advises(const char *rule, const char *id, const struct weir_advice *advice,
                         size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(advice[i].rule, rule) == 0 && strcmp(advice[i].id, id) == 0)
			return true;
	return false;
}

/* Returns the title as the middle of a sentence; names such as "TF32" keep their capitals. */
static const char *in_sentence(struct weir_report *report, const char *title)
{
	char *copy;

	if (title[0] < 'A' || title[0] > 'Z' || title[1] < 'a' || title[1] > 'z')
		return title;
	copy = weir_arena_copy(report->arena, title, strlen(title));
	copy[0] = (char)(title[0] - 'A' + 'a');
	return copy;
}

/* True if a setting made the launches of this run block: it is not the run to improve. */
static bool launches_block(const struct weir_verdict *verdict)
{
	return verdict->cause && strcmp(verdict->cause, "launch-blocking") == 0;
}

/* True if predictions say what comes next. Rules about requests judge more than the timeline that
 * predictions repeat. */
static bool is_predictable(const struct weir_report *report)
{
	const struct weir_verdict *verdict = &report->verdict;

	return !report->has_requests && verdict->rule &&
	       verdict->bound != WEIR_BOUND_UNDETERMINED && !launches_block(verdict);
}

/* Moves the advice of the verdict's rule to the front: predictions are about a run with blocking
 * launches, which nobody wants. */
static void put_unblocking_first(struct weir_report *report)
{
	struct weir_recommendation *items = report->recommendations, first;
	size_t at = 0;

	while (at < report->recommendation_count &&
	       strcmp(items[at].id, "unset-launch-blocking") != 0)
		at++;
	if (at == report->recommendation_count)
		return;
	first = items[at];
	memmove(&items[1], items, at * sizeof *items);
	items[0] = first;
}

void weir_follow_first_advice(struct weir_report *report, const struct weir_advice *advice,
                              size_t count)
{
	const struct weir_recommendation *first = report->recommendations;
	struct weir_verdict *verdict = &report->verdict;

	if (launches_block(verdict))
		put_unblocking_first(report);
	if (report->recommendation_count == 0 || !is_predictable(report) || !first->saving_basis ||
	    !isfinite(first->saving_step_ns) ||
	    !(first->saving_speedup >= WEIR_FIRST_ADVICE_SPEEDUP))
		return;
	if (rule_advises(verdict->rule, first->id, advice, count))
		return;
	verdict->next = weir_arena_format(report->arena, "%s: predicted %.1fx faster",
	                                  in_sentence(report, first->title), first->saving_speedup);
}
