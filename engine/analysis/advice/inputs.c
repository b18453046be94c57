/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/analysis/advice/dependence.h"
#include "engine/analysis/advice/inputs.h"
#include "engine/analysis/advice/turn_rows.h"

/* Calls before and behind a loop among which the step computes on all of its rows. */
#define WHOLE_WITHIN 16

/* True if a product near the loop multiplies the rows of all turns at once: they are the rows of
 * one tensor, and no inputs that come one by one. */
static bool has_whole_product(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	size_t end = loop->first + loop->turns * loop->period;
	size_t from = loop->first > WHOLE_WITHIN ? loop->first - WHOLE_WITHIN : 0;
	struct weir_arg row = {0}, whole;
	size_t first = loop->first;

	while (first < loop->first + loop->period &&
	       !weir_turn_multiplied(calls, &calls->items[first], &row))
		first++;
	if (row.rank < 1)
		return false;
	for (size_t c = from; c < calls->count && c < end + WHOLE_WITHIN; c++) {
		if (c == loop->first)
			c = end;
		if (c < calls->count && weir_turn_multiplied(calls, &calls->items[c], &whole) &&
		    whole.dims[whole.rank - 1] == row.dims[row.rank - 1] &&
		    whole.elements == row.elements * (double)loop->turns)
			return true;
	}
	return false;
}

/* Share of the step in which the device works if it waits for the host. */
#define STARVED_SHARE 0.5

bool weir_loop_starves_device(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	double ns = 0;

	if (!weir_loop_is_network(calls, loop) || !weir_loop_takes_chunks(calls, loop))
		return false;
	for (size_t c = 0; c < calls->count; c++)
		ns += calls->items[c].ns;
	return ns < STARVED_SHARE * calls->advisor->before_ns;
}

/* Share of the step's calls that a loop over the inputs of a batch is. */
#define MOST_OF_STEP 0.9

static bool is_most(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	return (double)(loop->turns * loop->period) >= MOST_OF_STEP * (double)calls->count;
}

/* True if all turns have the same sizes: inputs of other sizes cannot be stacked. */
static bool turns_alike(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	size_t end = loop->first + loop->turns * loop->period;

	for (size_t c = loop->first + loop->period; c < end; c++)
		if (!weir_op_calls_alike(calls, c - loop->period, c))
			return false;
	return true;
}

/* True if each turn reads the weights of a network again, for a few rows that no other turn wrote
 * or chose. */
static bool reads_weights_anew(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	return weir_loop_is_network(calls, loop) && weir_loop_reads_weights(calls, loop) &&
	       (weir_loop_takes_parts(calls, loop) || weir_loop_cannot_follow(calls, loop)) &&
	       !weir_loop_reads_choice(calls, loop) && turns_alike(calls, loop);
}

/* True if most of the step runs a network on one input after the other, such as the chunks of a
 * batch, while the device waits or reads the weights for each again: one batch holds them. */
static bool runs_inputs(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	return loop->kind == WEIR_LOOP_ROWS && !loop->gathers && !loop->picks &&
	       is_most(calls, loop) &&
	       (weir_loop_starves_device(calls, loop) || reads_weights_anew(calls, loop)) &&
	       !has_whole_product(calls, loop);
}

enum weir_loop_kind weir_loop_kind_in_step(const struct weir_op_calls *calls,
                                           const struct weir_loop *loop)
{
	/* A loop between other layers is over the rows of their batch. */
	if (loop->kind == WEIR_LOOP_INPUTS &&
	    (has_whole_product(calls, loop) || !is_most(calls, loop)))
		return WEIR_LOOP_ROWS;
	return runs_inputs(calls, loop) ? WEIR_LOOP_INPUTS : loop->kind;
}
