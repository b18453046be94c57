/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds windows of a tensor that are unfolded to a matrix (im2col) which only feeds a product: that
 * is a convolution, whose kernels read the windows from the tensor itself.
 */
#ifndef WEIR_ANALYSIS_ADVICE_UNFOLDS_H
#define WEIR_ANALYSIS_ADVICE_UNFOLDS_H

#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

struct weir_unfolds {
	size_t found;               /* matrices that go away */
	double before_ns, after_ns; /* device time without the products */
};

/* Replaces each such matrix by a copy of its source to channels last; adds to *sum. */
void weir_unfolds_join(struct weir_draft *draft, const struct weir_op_calls *calls,
                       struct weir_unfolds *sum);
/* Adds what was found to the basis. */
void weir_unfolds_explain(struct weir_draft *draft, const struct weir_unfolds *sum);

#endif
