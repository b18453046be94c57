/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the role of a call's operands in a chain: a trace records their sizes and strides, and the
 * views that the program takes, but not which tensor an operand is.
 */
#ifndef WEIR_ANALYSIS_ADVICE_OPERANDS_H
#define WEIR_ANALYSIS_ADVICE_OPERANDS_H

#include "engine/analysis/advice/chains.h"
#include "engine/analysis/advice/fusible.h"

/* Marks the inputs of call `c`, which may continue the chain: rows of other tensors, tensors from
 * which it picks, and results of the chain that are sliced. */
void weir_operands_mark(const struct weir_op_calls *calls, struct weir_chain *chain, size_t c,
                        struct weir_fusible *tensors);
/* Marks those of a call that begins a chain, which is empty. */
void weir_operands_begin(const struct weir_chain *chain, struct weir_fusible *tensors);
/* Notes the views that the program takes in front of a call that begins or continues the chain. */
void weir_operands_see(const struct weir_op_calls *calls, struct weir_chain *chain, size_t c);

/* Returns true if the chain has a result of this size. */
bool weir_chain_makes(const struct weir_chain *chain, double bytes);
/* Returns true if the chain has read a tensor of this size from outside. */
bool weir_chain_has_read(const struct weir_chain *chain, double bytes);
/* Returns the result that operand `i`, which has gaps, is or is a part of; NULL: none. */
struct weir_made *weir_operand_whole(struct weir_chain *chain, const struct weir_fusible *tensors,
                                     size_t i);
/* Returns true if operand `i`, which has gaps, is a part of a tensor that the chain reads as a
 * whole. */
bool weir_operand_is_part_read(const struct weir_chain *chain, const struct weir_fusible *tensors,
                               size_t i);

#endif
