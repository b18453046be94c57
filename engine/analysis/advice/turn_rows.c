/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/advice/turn_rows.h"

/* ---- finding the rows of a turn ---- */

static const char *const finders[] = {
	"nonzero", "masked_select", "item", "_local_scalar_dense", "eq", "ne",
	"any",     "where",         NULL};

/* True if each turn looks for its rows. If not, their numbers are known before the loop, and one
 * call gathers or writes the rows of all turns. */
static bool finds_rows(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	for (size_t c = loop->first; c < loop->first + loop->period; c++)
		if (weir_op_is_one_of(weir_op_calls_name(calls, &calls->items[c]), finders))
			return true;
	return false;
}

bool weir_turn_moves_rows(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	static const char *const names[] = {"nonzero",
	                                    "index",
	                                    "index_select",
	                                    "masked_select",
	                                    "gather",
	                                    "index_put_",
	                                    "index_copy_",
	                                    "index_add_",
	                                    "scatter_",
	                                    "scatter_add_",
	                                    "item",
	                                    "_index_put_impl_",
	                                    "_local_scalar_dense",
	                                    "masked_scatter_",
	                                    "eq",
	                                    "ne",
	                                    "any",
	                                    "where",
	                                    NULL};

	return weir_op_is_one_of(weir_op_calls_name(calls, call), names) ||
	       weir_op_calls_within(calls, call, "aten::nonzero");
}

bool weir_turn_shares_rows(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	struct weir_args args;
	double found;

	if (!weir_op_calls_args(calls, &calls->items[loop->first], &args) ||
	    !weir_args_tensor(&args, 0))
		return false;
	found = args.items[0].elements;
	if (args.items[0].rank >= 2 || loop->overlaps)
		return true;
	for (size_t c = loop->first + 1; c < loop->first + loop->period; c++) {
		const struct weir_op_call *call = &calls->items[c];

		if (strcmp(weir_op_calls_name(calls, call), "index") == 0 &&
		    weir_op_calls_args(calls, call, &args) && weir_args_tensor(&args, 0) &&
		    args.items[0].rank >= 2 && (double)args.items[0].dims[0] != found)
			return true;
	}
	return false;
}

/* True if the first turn's call stays although the rows are ordered once: rows of several turns are
 * gathered for each of them, and their results added. */
static bool stays_shared(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	static const char *const names[] = {"index",      "index_select", "gather",
	                                    "index_add_", "scatter_add_", NULL};

	return weir_op_is_one_of(weir_op_calls_name(calls, call), names);
}

bool weir_turn_orders_rows(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	return loop->picks ||
	       (loop->gathers && loop->kind == WEIR_LOOP_WEIGHTS && finds_rows(calls, loop));
}

bool weir_turn_needs_no(const struct weir_op_calls *calls, const struct weir_loop *loop, size_t c)
{
	bool shared = loop->kind == WEIR_LOOP_WEIGHTS && weir_turn_shares_rows(calls, loop);

	return weir_turn_orders_rows(calls, loop) &&
	       weir_turn_moves_rows(calls, &calls->items[c]) &&
	       !(loop->widened == 0 && shared && stays_shared(calls, &calls->items[c]));
}

/* ---- picked rows ---- */

bool weir_turn_multiplied(const struct weir_op_calls *calls, const struct weir_op_call *call,
                          struct weir_arg *out)
{
	bool adds = strcmp(weir_op_calls_name(calls, call), "addmm") == 0;
	const struct weir_arg *x;
	struct weir_args args;

	if (!call->work.product || !weir_op_calls_args(calls, call, &args) ||
	    !(x = weir_args_tensor(&args, adds ? 1 : 0)))
		return false;
	*out = *x;
	return true;
}

double weir_turn_rows_in(const struct weir_arg *x)
{
	return x->elements / (double)x->dims[x->rank - 1];
}

double weir_turn_picked_rows(const struct weir_op_calls *calls, const struct weir_loop *loop,
                             size_t turn)
{
	size_t begin = loop->first + turn * loop->period;
	struct weir_arg x;

	for (size_t c = begin; c < begin + loop->period; c++)
		if (weir_turn_multiplied(calls, &calls->items[c], &x))
			return weir_turn_rows_in(&x);
	return 0;
}

bool weir_turns_overlap(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	struct weir_args args;
	double rows = 0;

	if (!weir_op_calls_args(calls, &calls->items[loop->first], &args) ||
	    !weir_args_tensor(&args, 0) || args.items[0].rank != 1)
		return false;
	for (size_t turn = 0; turn < loop->turns; turn++)
		rows += weir_turn_picked_rows(calls, loop, turn);
	return rows > args.items[0].elements;
}

static const char *const gathers[] = {"index", "index_select", "masked_select", NULL};

/* Frameworks number rows by integers of 8 bytes; flags have 1. */
#define PLACE_BYTES 8

/* True if the call gathers places of a list of integers: the rows lie at the places that it
 * gathers, as those of neighbours do, and not where the mask finds them. */
static bool gathers_places(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const struct weir_arg *from;
	struct weir_args args;

	return weir_op_is_one_of(weir_op_calls_name(calls, call), gathers) &&
	       weir_op_calls_args(calls, call, &args) && (from = weir_args_tensor(&args, 0)) &&
	       from->rank == 1 && from->element.dtype == WEIR_DTYPE_INT &&
	       from->element.width == PLACE_BYTES;
}

bool weir_turn_rows_differ(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	double rows = weir_turn_picked_rows(calls, loop, 0);

	for (size_t turn = 1; turn < loop->turns; turn++)
		if (weir_turn_picked_rows(calls, loop, turn) != rows)
			return true;
	return false;
}

/* True if the first tensor of the turn, in which it looks for its rows, has that number in one of
 * its dimensions. */
static bool looks_among(const struct weir_op_calls *calls, const struct weir_loop *loop,
                        double rows)
{
	const struct weir_arg *mask;
	struct weir_args args;

	if (!weir_op_calls_args(calls, &calls->items[loop->first], &args) ||
	    !(mask = weir_args_tensor(&args, 0)))
		return false;
	for (int i = 0; i < mask->rank; i++)
		if ((double)mask->dims[i] == rows)
			return true;
	return false;
}

bool weir_turn_source_of_rows(const struct weir_op_calls *calls, const struct weir_loop *loop,
                              struct weir_arg *out)
{
	struct weir_args args;
	struct weir_arg x;
	size_t p = 0;

	while (p < loop->period && !weir_turn_multiplied(calls, &calls->items[loop->first + p], &x))
		p++;
	for (size_t c = loop->first; p < loop->period && c < loop->first + p; c++) {
		const struct weir_arg *from;

		if (gathers_places(calls, &calls->items[c]))
			return false;
		if (weir_op_is_one_of(weir_op_calls_name(calls, &calls->items[c]), gathers) &&
		    weir_op_calls_args(calls, &calls->items[c], &args) &&
		    (from = weir_args_tensor(&args, 0)) && from->rank >= 2 &&
		    from->dims[from->rank - 1] == x.dims[x.rank - 1]) {
			*out = *from;
			return looks_among(calls, loop, weir_turn_rows_in(from));
		}
	}
	return false;
}

bool weir_turn_on_picked_rows(const struct weir_op_calls *calls, const struct weir_loop *loop,
                              size_t position)
{
	for (size_t turn = 0; turn < loop->turns; turn++) {
		const struct weir_op_call *call =
			&calls->items[loop->first + turn * loop->period + position];
		const struct weir_arg *x;
		struct weir_args args;

		if (!weir_op_calls_args(calls, call, &args) || !(x = weir_args_tensor(&args, 0)) ||
		    weir_turn_rows_in(x) != weir_turn_picked_rows(calls, loop, turn))
			return false;
	}
	return true;
}
