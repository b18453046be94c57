/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/masks.h"
#include "engine/analysis/advice/opcalls.h"

static const char *const gathering[] = {"index", "index_select", "masked_select", "gather", NULL};

/* Rows that a mask picks. */
struct picked {
	double of, rows; /* `rows` of `of`; 0: none picked */
};

/* Returns the first dimension of the call's first tensor; 0: not known. */
static double rows_of(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	struct weir_args args;
	const struct weir_arg *first;

	if (!weir_op_calls_args(calls, call, &args) || !(first = weir_args_tensor(&args, 0)) ||
	    first->rank == 0)
		return 0;
	return (double)first->dims[0];
}

static bool is_count(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	return strcmp(weir_op_calls_name(calls, call), "nonzero") == 0 &&
	       weir_op_calls_wait(calls, call->first_issue, call->end_issue);
}

static bool is_gather(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	return weir_op_is_one_of(weir_op_calls_name(calls, call), gathering);
}

/* Returns the rows that the mask counted at call `c` picks: those that the first operator behind
 * the gathers works on. */
static struct picked picked_at(const struct weir_op_calls *calls, size_t c)
{
	struct picked picked = {.of = rows_of(calls, &calls->items[c])};
	bool gathered = false;

	for (size_t i = c + 1; i < calls->count; i++) {
		double rows = rows_of(calls, &calls->items[i]);

		if (is_count(calls, &calls->items[i]) && rows == picked.of)
			continue;
		if (is_gather(calls, &calls->items[i]) && rows == picked.of) {
			gathered = true;
			continue;
		}
		if (gathered && rows <= picked.of && rows >= WEIR_MASK_LEAST_SHARE * picked.of)
			picked.rows = rows;
		break;
	}
	return picked;
}

/* Removes a call with its waits. */
static void drop(struct weir_draft *draft, const struct weir_op_call *call)
{
	for (uint32_t i = call->first_issue; i < call->end_issue; i++)
		if (draft->program.issues[i].until != WEIR_NONE)
			weir_draft_unwait(draft, i);
	weir_op_call_remove(draft, call);
}

/* Calls behind a count among which its rows are moved. */
#define MOVED_WITHIN 16

/* True if the call writes to places of a tensor like the one from which the call before it, a
 * gather, takes values. */
static bool is_moved(const struct weir_op_calls *calls, size_t c)
{
	static const char *const writing[] = {"index_put_", "_index_put_impl_", NULL};
	const struct weir_arg *to, *from;
	struct weir_args gather, write;

	return is_gather(calls, &calls->items[c - 1]) &&
	       weir_op_is_one_of(weir_op_calls_name(calls, &calls->items[c]), writing) &&
	       weir_op_calls_args(calls, &calls->items[c - 1], &gather) &&
	       weir_op_calls_args(calls, &calls->items[c], &write) &&
	       (from = weir_args_tensor(&gather, 0)) && (to = weir_args_tensor(&write, 0)) &&
	       from->rank == to->rank && memcmp(from->dims, to->dims, sizeof from->dims) == 0;
}

/* Removes the count at call `c` and the gathers behind it if all that it finds is moved to the same
 * places of other tensors, such as y[i] = x[i]: a selection of either by the mask, as long as the
 * write. False: something else is done with the rows. */
static bool select_by_mask(struct weir_draft *draft, const struct weir_op_calls *calls, size_t c)
{
	size_t end = c + MOVED_WITHIN < calls->count ? c + MOVED_WITHIN : calls->count, moves = 0;

	for (size_t i = c + 1; i < end; i++) {
		if (i + 1 < end && is_moved(calls, i + 1)) {
			weir_op_call_remove(draft, &calls->items[i++]);
			moves++;
		} else if (strcmp(weir_op_calls_name(calls, &calls->items[i]), "copy_") != 0) {
			break; /* a copy of the tensor that is written to */
		}
	}
	if (moves > 0)
		drop(draft, &calls->items[c]);
	return moves > 0;
}

/* True if the call's first tensor has these sizes. */
static bool has_sizes(const struct weir_op_calls *calls, const struct weir_op_call *call,
                      const struct weir_arg *sizes)
{
	const struct weir_arg *first;
	struct weir_args args;

	return weir_op_calls_args(calls, call, &args) && (first = weir_args_tensor(&args, 0)) &&
	       first->rank == sizes->rank &&
	       memcmp(first->dims, sizes->dims, sizeof first->dims) == 0;
}

/* Returns the elements of the call's first tensor if it is a vector; 0: it is not one. */
static double vector_of(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	struct weir_args args;
	const struct weir_arg *first;

	if (!weir_op_calls_args(calls, call, &args) || !(first = weir_args_tensor(&args, 0)) ||
	    first->rank != 1)
		return 0;
	return first->elements;
}

/* Returns the call that writes the values to the places that the count at call `c` finds in tensors
 * of the mask's sizes, if all between them gathers values of these places and computes on each
 * value alone, such as p[i, j] += f[i, j]; 0: they do something else. */
static size_t written_back(const struct weir_op_calls *calls, size_t c)
{
	static const char *const writing[] = {"index_put_", "_index_put_impl_", NULL};
	size_t end = c + MOVED_WITHIN < calls->count ? c + MOVED_WITHIN : calls->count;
	const struct weir_arg *mask;
	struct weir_args args;
	double values = 0;
	bool computes = false, gathers = false;

	if (!weir_op_calls_args(calls, &calls->items[c], &args) ||
	    !(mask = weir_args_tensor(&args, 0)) || mask->rank < 2)
		return 0;
	for (size_t i = c + 1; i < end; i++) {
		const struct weir_op_call *call = &calls->items[i];
		double vector = vector_of(calls, call);

		if (is_gather(calls, call) && has_sizes(calls, call, mask)) {
			gathers = true;
		} else if (weir_op_is_one_of(weir_op_calls_name(calls, call), writing) &&
		           has_sizes(calls, call, mask)) {
			return gathers && computes ? i : 0;
		} else if (vector > 0 && call->family == WEIR_FAMILY_ELEMENTWISE &&
		           (values == 0 || vector == values)) {
			values = vector;
			computes = true;
		} else if (strcmp(weir_op_calls_name(calls, call), "copy_") != 0) {
			return 0; /* a copy of the tensor that is written to stays */
		}
	}
	return 0;
}

/* Bytes that a selection by a mask reads and writes for an element of 4 bytes: both values, the
 * result, and the mask. */
#define SELECTED_BYTES 13.0

/* Computes on all elements of tensors with the mask's sizes in place of those at the places that
 * the count at call `c` finds, and selects by the mask at the end. False: something else is done
 * with the places, or the rate of memory is not known. */
static bool compute_by_mask(struct weir_draft *draft, const struct weir_op_calls *calls, size_t c)
{
	size_t write = written_back(calls, c);
	double rate = draft->advisor->bandwidth / 1e9, elements, ns;
	struct weir_args args;

	if (write == 0 || isnan(rate) || !weir_op_calls_args(calls, &calls->items[c], &args))
		return false;
	elements = args.items[0].elements;
	drop(draft, &calls->items[c]);
	for (size_t i = c + 1; i < write; i++) {
		const struct weir_op_call *call = &calls->items[i];
		double values = vector_of(calls, call);

		if (is_gather(calls, call))
			weir_op_call_remove(draft, call);
		if (values == 0)
			continue;
		ns = fmax(call->ns, call->work.bytes / values * elements / rate);
		ns = isnan(ns) ? call->ns : ns;
		weir_op_call_set(draft, call, ns, call->ns, ns);
	}
	ns = fmax(WEIR_SHORTEST_KERNEL_NS, elements * SELECTED_BYTES / rate);
	weir_op_call_set(draft, &calls->items[write], ns, ns, ns);
	return true;
}

/* Gives an operator on the picked rows the time for all rows. */
static void widen(struct weir_draft *draft, const struct weir_op_call *call, struct picked picked)
{
	double factor = picked.of / picked.rows;

	weir_op_call_set(draft, call, call->ns * factor, call->ns, call->ns * factor);
}

size_t weir_masks_widen(struct weir_draft *draft)
{
	struct picked picked = {0, 0};
	const struct weir_op_calls *calls = weir_op_calls_of(draft->advisor);
	size_t dropped = 0;

	for (size_t c = 0; c < calls->count; c++) {
		const struct weir_op_call *call = &calls->items[c];
		double rows = rows_of(calls, call);

		if (is_count(calls, call)) {
			struct picked next = picked_at(calls, c);

			/* A count to write the rows back has no gather behind it. */
			if (next.rows > 0 || next.of != picked.of)
				picked = next;
			if (picked.rows > 0)
				drop(draft, call);
			dropped += picked.rows > 0 || select_by_mask(draft, calls, c) ||
			           compute_by_mask(draft, calls, c);
		} else if (picked.rows > 0 && is_gather(calls, call) && rows == picked.of) {
			drop(draft, call);
		} else if (picked.rows > 0 && rows == picked.rows && rows < picked.of) {
			widen(draft, call, picked);
		}
	}
	return dropped;
}
