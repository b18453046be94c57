/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/vacant.h"
#include "engine/base/arena.h"

/* Calls of a turn up to the one whose result tells the host that it has no rows: a comparison, a
 * conversion, a reduction, and the fetch. */
#define MOST_CALLS 4

/* ---- what a vacant turn does ---- */

/* Returns true if the host waits for the number of rows, or for the answer whether there are any,
 * in this call or behind its last launch. */
static bool asks(const struct weir_op_calls *calls, size_t c)
{
	static const char *const names[] = {"nonzero", "_local_scalar_dense", NULL};
	const struct weir_op_call *call = &calls->items[c];
	uint32_t end = c + 1 < calls->count ? calls->items[c + 1].first_issue : call->end_issue + 1;

	return weir_op_is_one_of(weir_op_calls_name(calls, call), names) &&
	       weir_op_calls_wait(calls, call->first_issue, end);
}

/* Returns true if the calls from `a` on are like those from `b` on. */
static bool repeat(const struct weir_op_calls *calls, size_t a, size_t b, size_t length)
{
	if (b + length > calls->count)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!weir_op_calls_alike(calls, a + i, b + i))
			return false;
	return true;
}

/* Returns the number of calls from `c` on that ask for rows and are made again at once: a vacant
 * turn before the next one; 0: they are not. */
static size_t vacant_at(const struct weir_op_calls *calls, size_t c)
{
	for (size_t length = 1; length <= MOST_CALLS && c + length < calls->count; length++) {
		if (calls->items[c + length - 1].work.product)
			return 0;
		if (asks(calls, c + length - 1))
			return repeat(calls, c, c + length, length) &&
			                       asks(calls, c + 2 * length - 1)
			               ? length
			               : 0;
	}
	return 0;
}

/* ---- the calls without them ---- */

static bool has_vacant_turn(const struct weir_op_calls *calls)
{
	for (size_t c = 0; c < calls->count; c++)
		if (vacant_at(calls, c) > 0)
			return true;
	return false;
}

/* Copies the calls, unless no turn is vacant: most programs have no such turn, and many calls. They
 * share the advisor's calls then. */
static void fill(void *value, const struct weir_advisor *advisor)
{
	const struct weir_op_calls *calls = weir_op_calls_of(advisor);
	struct weir_branches *vacant = value;

	*vacant = (struct weir_branches){.calls = *calls};
	if (!has_vacant_turn(calls))
		return;
	vacant->calls = (struct weir_op_calls){.advisor = advisor};
	vacant->calls.items = weir_alloc((calls->count + 1) * sizeof *vacant->calls.items);
	vacant->items = weir_alloc((calls->count + 1) * sizeof *vacant->items);
	for (size_t c = 0; c < calls->count;) {
		size_t length = vacant_at(calls, c);

		for (size_t end = c + length; c < end; c++)
			vacant->items[vacant->count++] =
				(struct weir_branch){calls->items[c], vacant->calls.count - 1};
		if (length == 0)
			vacant->calls.items[vacant->calls.count++] = calls->items[c++];
	}
}

static void release(void *value)
{
	struct weir_branches *vacant = value;

	if (vacant->count == 0)
		return;
	free(vacant->calls.items);
	free(vacant->items);
}

const struct weir_branches *weir_vacant_turns_of(const struct weir_advisor *advisor)
{
	static const struct weir_memo_type type = {WEIR_MEMO_VACANT, sizeof(struct weir_branches),
	                                           fill, release};

	return weir_advisor_recall(advisor, &type);
}

/* ---- those of a loop ---- */

/* Returns the number of calls with which a turn asks for its rows; 0: it does not. */
static size_t asking(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		if (c == loop->first + MOST_CALLS || calls->items[c].work.product)
			return 0;
		if (asks(calls, c))
			return c + 1 - loop->first;
	}
	return 0;
}

/* Returns the number of calls behind the loop with which a last turn asks for rows and finds none.
 */
static size_t last_turn(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	size_t end = loop->first + loop->turns * loop->period, length = asking(calls, loop);

	return length > 0 && repeat(calls, loop->first, end, length) &&
	                       asks(calls, end + length - 1)
	               ? length
	               : 0;
}

/* The vacant calls before, between, and behind the turns of a loop. */
struct range {
	size_t first, end;
};

static struct range range_of(const struct weir_branches *vacant, const struct weir_loop *loop)
{
	struct range range = {0, vacant->count};

	while (range.first < range.end) {
		size_t middle = (range.first + range.end) / 2;

		/* behind: SIZE_MAX in front of the first call */
		if (vacant->items[middle].behind + 1 < loop->first)
			range.first = middle + 1;
		else
			range.end = middle;
	}
	while (range.end < vacant->count &&
	       vacant->items[range.end].behind + 1 <= loop->first + loop->turns * loop->period)
		range.end++;
	return range;
}

size_t weir_vacant_turns(const struct weir_branches *vacant, const struct weir_loop *loop)
{
	struct range range = range_of(vacant, loop);
	size_t length = asking(&vacant->calls, loop);

	if (length == 0)
		return 0;
	return (range.end - range.first) / length + (last_turn(&vacant->calls, loop) > 0);
}

/* Removes the calls in [first, end), which have nothing else between them. */
static void drop(struct weir_draft *draft, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end && i < draft->program.issue_count; i++) {
		if (draft->program.issues[i].until != WEIR_NONE)
			weir_draft_unwait(draft, i);
		weir_draft_remove_call(draft, i);
		weir_draft_set_dispatch(draft, i, 0);
	}
}

/* Returns the index behind the call and the waits of its operator behind it. */
static uint32_t end_of(const struct weir_program *program, const struct weir_op_call *call)
{
	uint32_t end = call->end_issue, outer = program->issues[call->first_issue].outer;

	while (end < program->issue_count && program->issues[end].kind == WEIR_ISSUE_WAIT &&
	       outer != WEIR_NONE && program->issues[end].outer == outer)
		end++;
	return end;
}

void weir_vacant_turns_remove(struct weir_draft *draft, const struct weir_branches *vacant,
                              const struct weir_loop *loop)
{
	const struct weir_program *program = &draft->advisor->program;
	const struct weir_op_calls *calls = &vacant->calls;
	size_t end = loop->first + loop->turns * loop->period;
	struct range range = range_of(vacant, loop);

	if (weir_vacant_turns(vacant, loop) == 0)
		return;
	for (size_t i = range.first; i < range.end; i++)
		drop(draft, vacant->items[i].call.first_issue,
		     end_of(program, &vacant->items[i].call));
	for (size_t c = end; c < end + last_turn(calls, loop); c++)
		drop(draft, calls->items[c].first_issue, end_of(program, &calls->items[c]));
}
