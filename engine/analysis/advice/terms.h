/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Terms of an expression. A program computes one term after the other and then combines them, so
 * that a call that reads nothing of a chain may begin a term that belongs to it.
 */
#ifndef WEIR_ANALYSIS_ADVICE_TERMS_H
#define WEIR_ANALYSIS_ADVICE_TERMS_H

#include "engine/analysis/advice/chains.h"
#include "engine/analysis/advice/fusible.h"

/* Returns true if the call may begin another term: it is pointwise, as large as the chain or as
 * its last result, and that has no reader yet. */
bool weir_terms_may_begin(const struct weir_op_call *call, const struct weir_chain *chain,
                          const struct weir_fusible *tensors);
/* Returns true if calls from `next` on combine `terms` terms with a result of the chain. Each term
 * has `elements` elements, and the calls before `next` make the last of them. */
bool weir_terms_meet(const struct weir_op_calls *calls, const struct weir_chain *chain, size_t next,
                     size_t terms, double elements);

#endif
