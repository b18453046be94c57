/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/advice/loops.h"
#include "engine/base/arena.h"

static uint32_t token_at(const struct weir_op_calls *calls, size_t c)
{
	uint32_t op = calls->items[c].op;

	return op == WEIR_NONE ? WEIR_NONE : calls->advisor->program.rank->trace->host.name[op];
}

/* The Z algorithm (Gusfield, Algorithms on Strings, Trees and Sequences, 1.3): same[p] is the
 * number of calls from `first` on that are like the one p later. */
void weir_loop_turns(const struct weir_op_calls *calls, size_t first, size_t most, size_t *turns)
{
	size_t count = calls->count - first, known = 0, end = 0, left = 0;
	size_t *same = weir_alloc((most + 1) * sizeof *same);

	while (known < count && token_at(calls, first + known) != WEIR_NONE)
		known++;
	for (size_t period = 1; period <= most; period++) {
		size_t like = 0;

		if (period < end)
			like = same[period - left] < end - period ? same[period - left]
			                                          : end - period;
		while (period + like < count &&
		       token_at(calls, first + like) == token_at(calls, first + period + like))
			like++;
		if (period + like > end) {
			end = period + like;
			left = period;
		}
		same[period] = like;
		like = like < known ? like : known;
		turns[period] = (like < WEIR_LOOP_MOST_TURNS * period ? like / period
		                                                      : WEIR_LOOP_MOST_TURNS) +
		                1;
	}
	free(same);
}
