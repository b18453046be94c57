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
	bool fresh[WEIR_MAX_ARGS];   /* a row of a larger tensor, which the chain has not made */
	bool held[WEIR_MAX_ARGS];    /* a row of a tensor that the chain reads as a whole */
	bool known[WEIR_MAX_ARGS];   /* a row that the chain has read before */
	uint64_t gap[WEIR_MAX_ARGS]; /* its form if it has gaps, see gaps.h; 0: none */
	struct weir_arg arg[WEIR_MAX_ARGS];
	uint64_t out_gap; /* of what the call writes in place */
	size_t in_count;
	double out_bytes, elements;
	double row_bytes;
	double row_elements; /* that it reduces; 0: no reduction */
	double instructions; /* of all elements */
	bool sum;            /* the call is an addition */
	bool joins;          /* it continues a chain, but does not begin one */
	bool shifts;         /* it moves all values to other places; see shifted_of() */
	bool blends;         /* it scales the second tensor of a blend; see mark_blended() */
	bool scalar;         /* it prepares one value, which a compiler computes where it is used */
	bool picks;          /* it picks values of its first tensor, see picks.h */
	bool constant;       /* it makes a tensor of one value */
	bool casts;          /* the call before converted its first tensor for it */
	bool same;           /* its second tensor is its first */
	bool stores;         /* it copies a result to a tensor of the program */
	bool splits;         /* it reduces few long rows; see splits.h */
	bool columns;        /* they are columns */
};

/* True if both are sizes of one tensor. */
bool weir_same_bytes(double a, double b);
/* Fills the tensors of a call; false: a compiler does not fuse it. */
bool weir_is_fusible(const struct weir_op_calls *calls, const struct weir_op_call *call,
                     struct weir_fusible *out);

#endif
