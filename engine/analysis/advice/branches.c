/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/branches.h"
#include "engine/analysis/advice/loops.h"
#include "engine/base/arena.h"

/* Calls of a turn that other turns do not make: with more of them the turns have little in common.
 */
#define MOST_IN_TURN 2
/* Share of the turns that make no call of a branch, at least: less may be the code before a loop
 * that begins with the same operator. */
#define PLAIN_SHARE 0.125
/* At least two turns take a branch, and two do not: one alone is the first or the last of a loop.
 */
#define LEAST_EACH 2
/* Programs with more calls are not searched: each loop with a branch is compared with all calls
 * behind its beginning. */
#define MOST_PROGRAM_CALLS 20000

/* Turns that begin with the same operator, from `first` to `end`. */
struct chain {
	size_t first, end, turns;
	size_t body, length; /* the calls that all turns make, as the shortest of them does */
};

static uint32_t token_at(const struct weir_op_calls *calls, size_t c)
{
	uint32_t op = calls->items[c].op;

	return op == WEIR_NONE ? WEIR_NONE : calls->advisor->program.rank->trace->host.name[op];
}

/* Returns the number of calls up to the next one like this; 0: none that is near. */
static size_t next_like(const struct weir_op_calls *calls, size_t c)
{
	uint32_t token = token_at(calls, c);

	if (token == WEIR_NONE)
		return 0;
	for (size_t d = 1; d <= WEIR_LOOP_MOST_CALLS && c + d < calls->count; d++)
		if (token_at(calls, c + d) == token)
			return d;
	return 0;
}

/* True if a branch may hold the call: it computes on rows, and nobody waits for it. A product is
 * what turns of a loop have in common, or a layer. */
static bool may_branch(const struct weir_op_calls *calls, size_t c)
{
	const struct weir_op_call *call = &calls->items[c];

	return call->op != WEIR_NONE && !call->work.product && !call->transfers &&
	       !weir_op_calls_wait(calls, call->first_issue, call->end_issue);
}

/* Returns the end of the turn from `at` on that makes the calls of the body in their order, with a
 * few others between them; 0: it does not. branch: marks the others; NULL: none. */
static size_t turn_end(const struct weir_op_calls *calls, const struct chain *chain, size_t at,
                       uint8_t *branch)
{
	size_t found = 0, others = 0, c = at;

	for (; c < calls->count && found < chain->length; c++) {
		if (token_at(calls, c) == token_at(calls, chain->body + found)) {
			found++;
			continue;
		}
		if (++others > MOST_IN_TURN || !may_branch(calls, c))
			return 0;
		if (branch)
			branch[c] = 1;
	}
	return found == chain->length ? c : 0;
}

/* True if the calls from `at` up to `end` are the body's and at most a few others. */
static bool is_turn(const struct weir_op_calls *calls, const struct chain *chain, size_t at,
                    size_t end)
{
	size_t last = turn_end(calls, chain, at, NULL);

	if (last == 0 || last > end || end - at > chain->length + MOST_IN_TURN)
		return false;
	for (; last < end; last++)
		if (!may_branch(calls, last))
			return false;
	return true;
}

/* Finds the turns from `first` on; false: too few. */
static bool find_chain(const struct weir_op_calls *calls, size_t first, struct chain *out)
{
	size_t length = next_like(calls, first), at = first + length;

	*out = (struct chain){.first = first, .end = at, .body = first, .length = length};
	if (length == 0)
		return false;
	for (out->turns = 1; (length = next_like(calls, at)) > 0; out->turns++, at += length) {
		struct chain other = {.body = at, .length = length};

		if (is_turn(calls, out, at, at + length))
			continue;
		if (!is_turn(calls, &other, out->body, out->body + out->length))
			break;
		out->body = at;
		out->length = length;
	}
	/* Nothing like it begins behind the last turn. */
	out->end = turn_end(calls, out, at, NULL);
	out->turns += out->end > 0;
	out->end = out->end > 0 ? out->end : at;
	return out->turns >= WEIR_LOOP_LEAST_TURNS;
}

/* Returns the end of the longest stretch from here on in which the calls repeat themselves one by
 * one; `first`: none. */
static size_t regular_end(const struct weir_op_calls *calls, size_t first)
{
	size_t turns[WEIR_LOOP_MOST_CALLS + 1], longest = first;

	weir_loop_turns(calls, first, WEIR_LOOP_MOST_CALLS, turns);
	for (size_t period = 1; period <= WEIR_LOOP_MOST_CALLS; period++) {
		size_t end = first + turns[period] * period;

		if (turns[period] + 1 < WEIR_LOOP_LEAST_TURNS) /* one may have begun before */
			continue;
		while (end < calls->count && token_at(calls, end) != WEIR_NONE &&
		       token_at(calls, end) == token_at(calls, end - period))
			end++; /* a part of a turn follows */
		longest = end > longest ? end : longest;
	}
	return longest;
}

/* Returns the end of the turn that begins here; the last one ends with the chain. */
static size_t end_of(const struct weir_op_calls *calls, const struct chain *chain, size_t at)
{
	size_t length = next_like(calls, at);

	return length > 0 && at + length < chain->end ? at + length : chain->end;
}

/* True if enough turns take a branch, and enough do not. The last turn ends where the body does, so
 * that nothing says what it takes. */
static bool has_branches(const struct weir_op_calls *calls, const struct chain *chain)
{
	size_t plain = 0, end;

	for (size_t at = chain->first; at < chain->end; at = end) {
		end = end_of(calls, chain, at);
		/* The body may have become shorter since this turn was compared with it. */
		if (!is_turn(calls, chain, at, end))
			return false;
		plain += end - at == chain->length && end < chain->end;
	}
	return chain->length > 1 && plain >= LEAST_EACH && chain->turns > plain + LEAST_EACH &&
	       (double)plain >= PLAIN_SHARE * (double)(chain->turns - 1);
}

/* Marks the calls of branches in all turns. */
static void mark(const struct weir_op_calls *calls, const struct chain *chain, uint8_t *branch)
{
	for (size_t at = chain->first; at < chain->end; at = end_of(calls, chain, at)) {
		size_t last = turn_end(calls, chain, at, branch);

		memset(branch + last, 1, end_of(calls, chain, at) - last);
	}
}

/* Marks the branches of a loop that begins here; returns where to search on. A stretch of the loop
 * in which no turn differs is shorter than the loop. */
static size_t search(const struct weir_op_calls *calls, size_t first, uint8_t *branch)
{
	struct chain chain;
	size_t regular;

	if (!find_chain(calls, first, &chain))
		return first + 1;
	if (!has_branches(calls, &chain))
		return chain.end;
	regular = regular_end(calls, first);
	if (regular >= chain.end)
		return regular;
	mark(calls, &chain, branch);
	return chain.end;
}

static void divide(struct weir_branches *branches, const struct weir_op_calls *calls,
                   const uint8_t *branch)
{
	for (size_t c = 0; c < calls->count; c++) {
		if (branch[c])
			branches->items[branches->count++] =
				(struct weir_branch){calls->items[c], branches->calls.count - 1};
		else
			branches->calls.items[branches->calls.count++] = calls->items[c];
	}
}

static void fill(void *value, const struct weir_advisor *advisor)
{
	const struct weir_op_calls *calls = weir_op_calls_of(advisor);
	uint8_t *branch = weir_alloc(calls->count + 1);
	struct weir_branches *branches = value;
	size_t c = 0;

	*branches = (struct weir_branches){.calls = {.advisor = advisor}};
	branches->calls.items = weir_alloc((calls->count + 1) * sizeof *branches->calls.items);
	branches->items = weir_alloc((calls->count + 1) * sizeof *branches->items);
	while (c < calls->count && calls->count <= MOST_PROGRAM_CALLS)
		c = search(calls, c, branch);
	divide(branches, calls, branch);
	free(branch);
}

static void release(void *value)
{
	struct weir_branches *branches = value;

	free(branches->calls.items);
	free(branches->items);
}

const struct weir_branches *weir_branches_of(const struct weir_advisor *advisor)
{
	static const struct weir_memo_type type = {WEIR_MEMO_BRANCHES, sizeof(struct weir_branches),
	                                           fill, release};

	return weir_advisor_recall(advisor, &type);
}
