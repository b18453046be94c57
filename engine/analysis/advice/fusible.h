/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of operators that a compiler fuses with their neighbours, and the sizes of their tensors. A
 * trace records shapes, not which tensor an operand is.
 */
#ifndef WEIR_ANALYSIS_ADVICE_FUSIBLE_H
#define WEIR_ANALYSIS_ADVICE_FUSIBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

/* The tensors of one call. */
struct weir_fusible {
	double in[WEIR_MAX_ARGS];
	bool fresh[WEIR_MAX_ARGS]; /* a row of a larger tensor, which the chain has not made */
	size_t in_count;
	double out_bytes, elements;
	double row_bytes;
	bool sum;    /* the call is an addition */
	bool joins;  /* it continues a chain, but does not begin one */
	bool shifts; /* it moves all values to other places; see shifted_of() */
	bool blends; /* it scales the second tensor of a blend; see mark_blended() */
	bool scalar; /* it prepares one value, which a compiler computes where it is used */
	bool splits; /* it reduces few long rows; see splits.h */
};

/* True if both are sizes of one tensor. */
bool weir_same_bytes(double a, double b);
/* Fills the tensors of a call; false: a compiler does not fuse it. */
bool weir_is_fusible(const struct weir_op_calls *calls, const struct weir_op_call *call,
                     struct weir_fusible *out);

#endif
