/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows on which the turns of a loop work: how each turn finds, gathers and writes its own. */
#ifndef WEIR_ANALYSIS_ADVICE_TURN_ROWS_H
#define WEIR_ANALYSIS_ADVICE_TURN_ROWS_H

#include "engine/analysis/advice/loops.h"

/* Returns true for an operator that finds, gathers or writes the rows of one turn. A grouped
 * product reads and writes the rows in the order of a list, which one sort makes for all turns. */
bool weir_turn_moves_rows(const struct weir_op_calls *calls, const struct weir_op_call *call);

/* Returns true if each turn looks for its rows in a mask with several columns, as those of the
 * experts of a mixture, or in one of another length than the tensor whose rows it gathers, as the
 * edges of a relation that pick nodes, or if the turns overlap: a row belongs to several turns. */
bool weir_turn_shares_rows(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* Returns true if the turns multiply more rows in sum than the list has in which each looks for its
 * own: some row belongs to several turns. */
bool weir_turns_overlap(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* Returns true if the rows of all turns are ordered once, in place of a search in each. */
bool weir_turn_orders_rows(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* Returns true if no turn makes the call `c` if the rows are ordered once. */
bool weir_turn_needs_no(const struct weir_op_calls *calls, const struct weir_loop *loop, size_t c);

/* Fills the tensor that the product multiplies by its weights; false: not recorded. */
bool weir_turn_multiplied(const struct weir_op_calls *calls, const struct weir_op_call *call,
                          struct weir_arg *out);

/* Returns the rows of the tensor, whose last dimension is a row. */
double weir_turn_rows_in(const struct weir_arg *x);

/* Returns the rows that the first product of this turn multiplies; 0: not known. */
double weir_turn_picked_rows(const struct weir_op_calls *calls, const struct weir_loop *loop,
                             size_t turn);

/* Returns true if the turns multiply stretches of one tensor that differ in length. */
bool weir_turn_rows_differ(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* Fills the tensor from which the first turn gathers the rows that it multiplies, and of which a
 * mask says for each row whether the turn takes it; false: not found, or the mask is one of other
 * things, such as the edges of a graph between rows, or numbers the rows that it gathers. */
bool weir_turn_source_of_rows(const struct weir_op_calls *calls, const struct weir_loop *loop,
                              struct weir_arg *out);

/* Returns true if the calls of this position work on the rows that their turns pick. */
bool weir_turn_on_picked_rows(const struct weir_op_calls *calls, const struct weir_loop *loop,
                              size_t position);

#endif
