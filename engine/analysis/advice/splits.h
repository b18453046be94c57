/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reductions over few long rows in a chain that a compiler fuses. With a block a row most of the
 * device would be idle, so that it divides each row among many blocks. Another kernel joins their
 * results, and all that follows is in later kernels, which read the rows again.
 */
#ifndef WEIR_ANALYSIS_ADVICE_SPLITS_H
#define WEIR_ANALYSIS_ADVICE_SPLITS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

struct weir_splits {
	size_t calls;         /* such reductions */
	size_t kernels;       /* that they end: statistics of the same rows share one */
	double bytes, ns;     /* of these kernels */
	double first_bytes;   /* that the first one reads */
	double outside_bytes; /* read from outside since the last of them */
	double rows_bytes;    /* of the rows that the last of them reads */
	bool stored;          /* rows that are long to compute: they are written before */
	bool made;            /* the chain computes rows that it reduces */
	bool open;            /* an operator on whole rows follows the last of them */
};

/* Returns true if the rows are few and have many elements each. */
bool weir_splits_few(const struct weir_advisor *advisor, double rows, double elements);
/* Returns true if the call reduces few long rows; `row_bytes`: of one row, for operators other than
 * plain reductions. */
bool weir_splits_rows(const struct weir_advisor *advisor, const char *name,
                      const struct weir_op_call *call, const struct weir_args *args,
                      double row_bytes);

/* Returns the elements of a row that the call reduces; 0: not known, or it is no reduction. */
double weir_splits_row(const char *name, const struct weir_op_call *call,
                       const struct weir_args *args, double row_bytes);
/* Returns true if the call reduces the columns of a matrix: values that are not neighbours. */
bool weir_splits_columns(const struct weir_op_call *call, const struct weir_args *args);

/* Adds what a call reads from outside. */
void weir_splits_read(struct weir_splits *splits, double bytes);
/* Ends a kernel by a reduction of rows of this many bytes in all. It takes what the reduction takes
 * now, in proportion if it reads less, and what further bytes take at the rate of streaming
 * kernels. made: the chain computes the rows. columns: all bytes take that; PyTorch's kernels read
 * columns at a quarter to a half of the memory's rate, and a compiler's blocks take several columns
 * side by side. */
void weir_splits_reduce(struct weir_splits *splits, const struct weir_op_call *call,
                        double rows_bytes, double stream_rate, bool made, bool columns);
/* Notes an operator on whole rows. */
void weir_splits_follow(struct weir_splits *splits);
/* Returns the time of these kernels, and of those that join what their blocks found. */
double weir_splits_ns(const struct weir_splits *splits);
/* Returns the bytes that kernels behind the last reduction read, and those of a kernel that
 * computes the rows because several others need them. */
double weir_splits_rest(const struct weir_splits *splits);

#endif
