/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums of two scaled tensors in a chain, as blends and moving averages are, and the updates of
 * parameters that are made of them.
 */
#ifndef WEIR_ANALYSIS_ADVICE_BLENDS_H
#define WEIR_ANALYSIS_ADVICE_BLENDS_H

#include "engine/analysis/advice/chains.h"
#include "engine/analysis/advice/fusible.h"

/* Marks call `c`, which may continue the chain, if it scales the second tensor of a blend or
 * squares the second one of a sum of squares. */
void weir_blends_mark(const struct weir_op_calls *calls, const struct weir_chain *chain, size_t c,
                      struct weir_fusible *tensors);
/* Notes which part of the update of a parameter the chain's last call `c` computes, if any. */
void weir_blends_note(const struct weir_op_calls *calls, struct weir_chain *chain, size_t c);
/* Returns the least bytes that the chain moves as an update; 0: it is not one. */
double weir_blends_update_bytes(const struct weir_chain *chain);

#endif
