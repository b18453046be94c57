/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds parts of one tensor that are copied, computed on row by row in the same way, and joined
 * again: the tensor as a whole needs neither the copies nor the joining.
 */
#ifndef WEIR_ANALYSIS_ADVICE_REJOINS_H
#define WEIR_ANALYSIS_ADVICE_REJOINS_H

#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

struct weir_rejoins {
	size_t found, parts; /* tensors that stay whole; parts of all of them */
	double before_ns;    /* device time of their copies and of joining them */
};

/* Lets each such tensor be computed on as a whole; adds to *sum. */
void weir_rejoins_make(struct weir_draft *draft, const struct weir_op_calls *calls,
                       struct weir_rejoins *sum);
/* Adds what was found to the basis. */
void weir_rejoins_explain(struct weir_draft *draft, const struct weir_rejoins *sum);

#endif
