/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shapes of the tensors that an operator such as torch.cat joins. */
#ifndef WEIR_ANALYSIS_ADVICE_JOINED_LISTS_H
#define WEIR_ANALYSIS_ADVICE_JOINED_LISTS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

/* Longer lists are not read. */
#define WEIR_MOST_JOINED 8

struct weir_joined_tensor {
	struct weir_arg tensor; /* without a type */
	bool expanded;          /* a stride of 0 repeats its elements */
};

struct weir_joined_list {
	struct weir_joined_tensor items[WEIR_MOST_JOINED];
	size_t count;
};

/* Reads the list that is the first argument of a call of aten::cat; false: another call, or the
 * list is not recorded, damaged, or too long. */
bool weir_joined_list_read(const struct weir_op_calls *calls, const struct weir_op_call *call,
                           struct weir_joined_list *list);

/* Fills the rows and the sum of the columns of two or more matrices that lie beside each other;
 * false: the tensors are others. */
bool weir_joined_by_columns(const struct weir_joined_list *list, double *rows, double *columns);

#endif
