/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operands with gaps between their elements: columns and slices of larger tensors. A pointwise
 * operator makes no such tensor, so that the operand is a part of a result, or comes from outside.
 * How many different parts a chain reads follows from the views that the program takes.
 */
#ifndef WEIR_ANALYSIS_ADVICE_GAPS_H
#define WEIR_ANALYSIS_ADVICE_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/advice/advisor.h"
#include "engine/analysis/roofline/args.h"

#define WEIR_MOST_VIEWS 64 /* in a chain */
#define WEIR_MOST_FORMS 16

/* A view that the program took. */
struct weir_view {
	uint64_t form;  /* of its sizes and strides */
	int64_t offset; /* elements from the beginning of the tensor */
	unsigned layer; /* parts of one tensor have the same number */
};

/* Operands of one form. */
struct weir_form {
	uint64_t form;
	size_t reads;
	double bytes; /* that they read */
};

struct weir_gaps {
	struct weir_view views[WEIR_MOST_VIEWS];
	size_t view_count;
	struct weir_form forms[WEIR_MOST_FORMS];
	size_t form_count;
};

/* Returns a number for the sizes and strides of a tensor with gaps; 0: it has none, or its strides
 * are not recorded. */
uint64_t weir_gap_form(const struct weir_arg *arg);
/* Returns the bytes from the first to the last element. */
double weir_gap_span(const struct weir_arg *arg);
/* Returns true if a tensor with gaps may be a part of a dense one of `bytes`. */
bool weir_gap_is_part(const struct weir_arg *arg, double bytes);

/* Notes the view that a host row takes, if it is one. */
void weir_gaps_see(struct weir_gaps *gaps, const struct weir_advisor *advisor, uint32_t row);
/* Returns true if a tensor of this form has been read. */
bool weir_gaps_has_read(const struct weir_gaps *gaps, uint64_t form);
/* Adds the reading of a tensor with gaps. Returns the bytes that this adds: none if all different
 * parts have been read. */
double weir_gaps_read(struct weir_gaps *gaps, const struct weir_arg *arg);

#endif
