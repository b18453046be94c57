/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds matrices that a call joins of tensors by their columns, and that only products read: each
 * product becomes one for each tensor, with its part of the weights, that adds to the same result.
 */
#ifndef WEIR_ANALYSIS_ADVICE_DIVISIONS_H
#define WEIR_ANALYSIS_ADVICE_DIVISIONS_H

#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

struct weir_divisions {
	size_t found;               /* joined matrices that go away */
	double before_ns, after_ns; /* device time of joining and of the products */
};

/* Divides the products of the matrix that call `c` joins if that takes less time; adds to *sum. */
void weir_divisions_make(struct weir_draft *draft, const struct weir_op_calls *calls, size_t c,
                         struct weir_divisions *sum);
/* Adds what was found to the basis. */
void weir_divisions_explain(struct weir_draft *draft, const struct weir_divisions *sum);

#endif
