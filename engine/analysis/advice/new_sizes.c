/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/loops.h"
#include "engine/analysis/advice/new_sizes.h"
#include "engine/base/arena.h"

/* An operator prepares something if it takes this long; its usual work takes the host some
 * microseconds. */
#define PREPARES_NS 1000000
/* Sizes for which an operator prepares, at least: with fewer of them a window is one of a start. */
#define LEAST_SIZES 4
/* Share of the loading that such calls take. */
#define MOST_LOADING 0.5
/* Share of the window's operators that its turns have; the rest begins and ends it. */
#define WHOLE_SHARE 0.95
#define MOST_BEFORE 2

/* True if the window consists of turns of the same operators. A start runs many operators with
 * different sizes as well, but each of them once. */
static bool has_turns(const struct weir_op_calls *calls)
{
	size_t most = calls->count / LEAST_SIZES;
	size_t *turns = weir_alloc((most + 1) * sizeof *turns);
	bool found = false;

	for (size_t first = 0; most > 0 && first <= MOST_BEFORE && !found; first++) {
		weir_loop_turns(calls, first, most, turns);
		for (size_t period = 1; period <= most && !found; period++)
			found = turns[period] >= LEAST_SIZES &&
			        (double)(turns[period] * period) >=
			                WHOLE_SHARE * (double)calls->count;
	}
	free(turns);
	return found;
}

/* A size that takes the place of another one. */
struct change {
	int64_t from, to;
	bool found;
};

/* True if the tensors have the same sizes but for one, which changes in the same way everywhere. */
static bool takes_change(const struct weir_arg *a, const struct weir_arg *b, struct change *change)
{
	if (a->rank != b->rank)
		return false;
	for (int d = 0; d < a->rank; d++) {
		if (a->dims[d] == b->dims[d])
			continue;
		if (change->found && (change->from != a->dims[d] || change->to != b->dims[d]))
			return false;
		*change = (struct change){a->dims[d], b->dims[d], true};
	}
	return true;
}

/* True if the arguments of the two calls differ in one size alone. */
static bool differ_in_one_size(const struct weir_advisor *advisor, uint32_t a, uint32_t b)
{
	struct weir_args left, right;
	struct change change = {0};

	if (!weir_advisor_args(advisor, a, &left) || !weir_advisor_args(advisor, b, &right) ||
	    left.count != right.count)
		return false;
	for (size_t i = 0; i < left.count; i++)
		if (!takes_change(&left.items[i], &right.items[i], &change))
			return false;
	return change.found;
}

/* True if the row is an outermost operator that prepares something. */
static bool prepares(const struct weir_rank *rank, uint32_t row,
                     const struct weir_intervals *loading)
{
	const struct weir_host_columns *host = &rank->trace->host;

	return host->kind[row] == WEIR_HOST_OP && host->shape[row] != 0 &&
	       rank->timeline.outer_op[row] == row &&
	       weir_span_ns(host->start_ns[row], host->end_ns[row]) >= PREPARES_NS &&
	       weir_intervals_meets(loading, host->start_ns[row], host->end_ns[row]);
}

/* Adds the spans of calls that prepare for another size than the last one of their name. */
static void find_calls(const struct weir_advisor *advisor, const struct weir_intervals *loading,
                       struct weir_intervals *out)
{
	const struct weir_rank *rank = advisor->program.rank;
	const struct weir_host_columns *host = &rank->trace->host;
	size_t names = weir_names_count(rank->trace->names) + 1;
	uint32_t *last = weir_alloc(names * sizeof *last);

	for (size_t i = 0; i < names; i++)
		last[i] = WEIR_NONE;
	for (uint32_t row = 0; row < host->count; row++) {
		if (!prepares(rank, row, loading))
			continue;
		if (last[host->name[row]] != WEIR_NONE &&
		    differ_in_one_size(advisor, last[host->name[row]], row))
			weir_intervals_push(out, host->start_ns[row], host->end_ns[row]);
		last[host->name[row]] = row;
	}
	free(last);
}

bool weir_new_sizes_repeat(const struct weir_advisor *advisor, const struct weir_intervals *loading)
{
	struct weir_intervals calls = {0};
	bool found;

	find_calls(advisor, loading, &calls);
	/* The first size has none before it. */
	found = calls.count + 1 >= LEAST_SIZES;
	weir_intervals_unite(&calls);
	found = found && (double)weir_intervals_common_ns(&calls, loading) >=
	                         MOST_LOADING * (double)weir_intervals_total(loading);
	weir_intervals_release(&calls);
	return found && has_turns(weir_op_calls_of(advisor));
}
