/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copies inside the device that change the layout of a tensor, repeat its elements or change
 * nothing, as a program calls them: contiguous(), clone(), repeat() and the like.
 */
#ifndef WEIR_ANALYSIS_ADVICE_LAYOUT_COPIES_H
#define WEIR_ANALYSIS_ADVICE_LAYOUT_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/advice/opcalls.h"

enum weir_layout {
	WEIR_LAYOUT_PLAIN,      /* the source has the layout of the result */
	WEIR_LAYOUT_TRANSPOSED, /* its last two dimensions are exchanged */
	WEIR_LAYOUT_PERMUTED,   /* other dimensions are exchanged */
	WEIR_LAYOUT_EXPANDED,   /* its elements are repeated */
	WEIR_LAYOUT_WINDOWS,    /* they belong to windows that overlap */
	WEIR_LAYOUT_COLUMNS,    /* its columns are in the order of an index */
	WEIR_LAYOUT_SLICED,     /* rows of it are taken at positions, for each entry of a batch */
};

struct weir_layout_copy {
	size_t call;
	enum weir_layout layout;
	bool whole_rows;              /* of exchanged dimensions: the last one stays */
	double elements, extra_bytes; /* extra: of repeated elements */
	enum weir_dtype dtype;
	int rank;
	int64_t dims[WEIR_MAX_RANK]; /* of the result */
	int64_t format; /* code of the memory format that the program asks for; -1: none */
	/* Dimension of the source in place of each of the result, by the view before the copy. */
	bool has_order;
	int order[WEIR_MAX_RANK];
};

/* Fills a copy of a whole tensor without a change of type; false: the call is not one. */
bool weir_layout_copy_read(const struct weir_op_calls *calls, size_t c,
                           struct weir_layout_copy *out);
/* Returns true if the copies change the memory format, the second one to another than the first. */
bool weir_layout_copy_reformats(const struct weir_layout_copy *first,
                                const struct weir_layout_copy *second);
/* Finds the dimensions that the copy puts in another order, while all before and behind them keep
 * their places: a copy of [rows, groups, size, inner] to [rows, size, groups, inner] has
 * groups * size entries of `inner` elements. Returns the entries; 0: not known. */
double weir_layout_copy_permuted(const struct weir_layout_copy *copy, double *inner);
/* Returns true for operators ("aten::clone") that a program calls in order to copy, and for those
 * that they call. */
bool weir_layout_copies(const char *name);

#endif
