/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds what a turn of a loop computes on, and the operator in front of the loop that takes a
 * tensor apart into one row, or one chunk of its rows, for each turn: unbind, split, chunk,
 * split_with_sizes.
 */
#ifndef WEIR_ANALYSIS_ADVICE_UNBOUND_H
#define WEIR_ANALYSIS_ADVICE_UNBOUND_H

#include <stdbool.h>

#include "engine/analysis/advice/loops.h"

/* Slices of fewer elements are scalars, such as the rate of a step in a table. */
#define WEIR_LEAST_SLICE 16

/* Returns the tensor that a call computes on: of a lookup the numbers of the rows, not the table,
 * of a product with a bias the factor behind it. NULL: not recorded. `args` owns it. */
const struct weir_arg *weir_loop_input(const struct weir_op_calls *calls,
                                       const struct weir_op_call *call, struct weir_args *args);
/* True if the step takes a tensor apart, before the loop, into as many rows as the loop has turns,
 * into as many chunks of rows, with one of which a turn begins, or into as many stretches whose
 * lengths are listed, such as those of experts in rows that are sorted by expert. */
bool weir_loop_is_unbound(const struct weir_op_calls *calls, const struct weir_loop *loop);

#endif
