/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds tensors that are stacked along a new last dimension for one reader that sums over it or
 * multiplies it: the tensors can be added one after another, and the product of a series' shifted
 * windows is a convolution. Blocks that are joined with their neighbours for attention or products
 * are windows as well, which those read by strides.
 */
#ifndef WEIR_ANALYSIS_ADVICE_STACKED_H
#define WEIR_ANALYSIS_ADVICE_STACKED_H

#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

struct weir_stacks {
	size_t sums, windows;       /* stacks that go away, by their readers */
	size_t blocks;              /* joined with their neighbours */
	double before_ns, after_ns; /* of all these and their readers; of blocks without */
};

/* Replaces each such stack and its reader; adds to *sum. */
void weir_stacks_replace(struct weir_draft *draft, const struct weir_op_calls *calls,
                         struct weir_stacks *sum);
/* Adds what was found to the basis. */
void weir_stacks_explain(struct weir_draft *draft, const struct weir_stacks *sum);

#endif
