/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells by the sizes of tensors whether a turn of a loop may need the result of the turn before: a
 * trace records what an operator reads, but not which operator wrote it.
 */
#ifndef WEIR_ANALYSIS_ADVICE_DEPENDENCE_H
#define WEIR_ANALYSIS_ADVICE_DEPENDENCE_H

#include "engine/analysis/advice/loops.h"

/* Returns the elements that the call writes, as far as its arguments say; NAN: they do not. */
double weir_loop_written_by(const struct weir_op_calls *calls, const struct weir_op_call *call);

/* True if the call chooses elements, which the next turn may read. */
bool weir_loop_chooses(const struct weir_op_calls *calls, const struct weir_op_call *call);

/* True if a kernel of the call chooses or draws tokens. */
bool weir_call_chooses(const struct weir_op_calls *calls, const struct weir_op_call *call);

/* True if a turn may read what the turn before chose: integers, as many as a call behind them
 * chooses, or any if it is not known how many that are. */
bool weir_loop_reads_choice(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* True if every turn uploads its input first, fetches fewer bytes than that, and reads no other
 * tensor that the turn before may have written. The input is then no result of the turn before: the
 * host has fetched fewer bytes of that than it uploads. */
bool weir_loop_reads_host(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* True if no operator of a turn writes as much as its first operator reads: the result of a layer
 * is the input of the next. */
bool weir_loop_cannot_follow(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* True if a turn reads, behind its first operator and up to its first product or convolution, as
 * many elements as its last operator writes, and has not written them itself: the sample of a
 * diffusion model, to which each turn also adds its own row of a table. */
bool weir_loop_hands_on(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* True if two products of a turn follow each other, as those of a recurrent cell do, one of its
 * input and one of its state. Layers have another operator between them. */
bool weir_loop_has_cell(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* True if each turn runs a plain network of several layers, and behind the turns one operator joins
 * the results of all and the next one reduces them, such as to their mean: members of an ensemble,
 * each with its own weights. */
bool weir_loop_is_ensemble(const struct weir_op_calls *calls, const struct weir_loop *loop);

#endif
