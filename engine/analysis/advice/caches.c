/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/caches.h"
#include "engine/analysis/advice/joined_lists.h"

/* A cache grows if the new rows are at most this share of the old ones. */
#define NEW_ROWS_SHARE 0.125
/* Caches come in pairs: keys and values. */
#define LEAST_CACHES 2
/* Operators that the host dispatches beside the write of the new rows: the view of the place for
 * them and that of the rows so far, each taken as half an operator, since it launches no kernel.
 * Without them two programs with eight caches were predicted 13 and 23 % too fast, with them 3 %
 * too slow and 3 % too fast. */
#define VIEW_OPERATORS 1.0

/* Returns the share of new rows of a cache that the call makes longer by a copy, from a list of two
 * tensors that differ in one dimension; NAN: it is no such call. */
static double new_rows_of(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	struct weir_joined_list list;
	const struct weir_arg *first = &list.items[0].tensor, *second = &list.items[1].tensor;
	int different = 0;
	double share;

	if (!weir_joined_list_read(calls, call, &list) || list.count != 2 ||
	    first->rank != second->rank || first->rank < 3 || !(first->elements > 0))
		return NAN;
	for (int i = 0; i < first->rank; i++)
		different += first->dims[i] != second->dims[i];
	share = second->elements / first->elements;
	return different == 1 && share > 0 && share <= NEW_ROWS_SHARE ? share : NAN;
}

/* Host rows before a joining call among which its parts are taken: the views of each. */
#define PARTS_WITHIN 8

/* True if the call, which joins new rows to others, takes all but the oldest rows of a tensor that
 * has as many rows as the result: a window that moves on. One such window is enough, while caches
 * come in pairs. */
static bool moves_window(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	const uint32_t *thread = timeline->trace->host.thread;
	struct weir_args joined, args;

	if (!weir_op_calls_args(calls, call, &joined))
		return false;
	for (uint32_t back = 1; back <= PARTS_WITHIN && back <= call->op; back++) {
		uint32_t row = call->op - back;
		const struct weir_arg *x;
		int64_t from;

		if (thread[row] != thread[call->op])
			return false;
		if (strcmp(weir_op_plain_name(weir_timeline_host_name(timeline, row)), "slice") ==
		            0 &&
		    weir_advisor_args(calls->advisor, row, &args) &&
		    (x = weir_args_tensor(&args, 0)) && weir_args_int(&args, 2, &from) &&
		    from > 0 && x->elements == joined.items[0].elements)
			return true;
	}
	return false;
}

void weir_caches_shorten(struct weir_draft *draft, const struct weir_op_calls *calls,
                         struct weir_caches *sum)
{
	size_t caches = 0;
	bool moves = false;

	for (size_t c = 0; c < calls->count; c++) {
		if (isnan(new_rows_of(calls, &calls->items[c])))
			continue;
		caches++;
		moves |= moves_window(calls, &calls->items[c]);
	}
	if (caches < LEAST_CACHES && !moves)
		return;
	for (size_t c = 0; c < calls->count; c++) {
		double share = new_rows_of(calls, &calls->items[c]);
		double ns = calls->items[c].ns;

		if (isnan(share) || ns <= WEIR_SHORTEST_KERNEL_NS)
			continue;
		sum->found++;
		sum->ns += ns;
		weir_op_call_set(draft, &calls->items[c], fmax(WEIR_SHORTEST_KERNEL_NS, ns * share),
		                 fmax(WEIR_SHORTEST_KERNEL_NS, ns * share),
		                 fmax(2 * WEIR_SHORTEST_KERNEL_NS, ns * share));
		weir_draft_add_operators(draft, calls->items[c].first_issue, VIEW_OPERATORS);
	}
}
