/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds tensors that are copied with a border of zeros which only a convolution reads: the
 * convolution pads its input itself. Rows of zeros that only products read, and that are cut off
 * their results, are needless as well, and so are columns of zeros behind queries, keys and values
 * of fused attention that are cut off its result.
 */
#ifndef WEIR_ANALYSIS_ADVICE_PADDINGS_H
#define WEIR_ANALYSIS_ADVICE_PADDINGS_H

#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

struct weir_paddings {
	size_t found;     /* tensors that are not padded */
	size_t of_rows;   /* of these, for products */
	size_t of_heads;  /* of these, for attention */
	double before_ns; /* device time of their fills and copies */
};

/* Removes each such copy; adds to *sum. */
void weir_paddings_remove(struct weir_draft *draft, const struct weir_op_calls *calls,
                          struct weir_paddings *sum);
/* Adds what was found to the basis. */
void weir_paddings_explain(struct weir_draft *draft, const struct weir_paddings *sum);

#endif
