/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds copies into another layout of a result that a pointwise operator made by repeating smaller
 * tensors, as an outer product does. It writes any layout if its operands are turned before.
 */
#ifndef WEIR_ANALYSIS_ADVICE_SPREAD_H
#define WEIR_ANALYSIS_ADVICE_SPREAD_H

#include "engine/analysis/advice/opcalls.h"

/* Returns the share of a copy's elements that must still be turned if the operands are: that of the
 * largest operand of the operator that wrote the source. Pointwise operators on the result alone
 * may stand between. 1: there is no such operator. copy: the call. */
double weir_spread_before(const struct weir_op_calls *calls, size_t copy, double elements,
                          enum weir_dtype dtype);

/* Returns the number of arguments of this size and type. */
size_t weir_arguments_like(const struct weir_args *args, double elements, enum weir_dtype dtype);

/* Returns the time of a kernel that computes the place of each element; NAN: not known. */
double weir_indexed_ns(const struct weir_advisor *advisor, double elements);

#endif
