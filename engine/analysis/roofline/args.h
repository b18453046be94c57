/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorded arguments of an operator in fixed arrays: private to the models. Texts come from
 * profiles and are hostile. A call is refused as a whole if it is not a list of lists of plain
 * integers, has too many arguments or dimensions, or if a product of its sizes is no exact double.
 */
#ifndef WEIR_ANALYSIS_ROOFLINE_ARGS_H
#define WEIR_ANALYSIS_ROOFLINE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/roofline/work.h"

#define WEIR_MAX_ARGS  24
#define WEIR_MAX_RANK  8
#define WEIR_MAX_INTS  8 /* entries of a list of scalars: strides, reduced dimensions */
#define WEIR_MAX_DIM   (INT64_C(1) << 40)
#define WEIR_MAX_ELEMS 9007199254740992.0 /* 2^53: products stay exact */

struct weir_element {
	enum weir_dtype dtype;
	double width; /* bytes; 0: not a tensor, NAN: a tensor of unknown type */
};

/* A tensor, or a list of tensors folded into its totals. */
struct weir_arg {
	int rank; /* of a tensor; -1: a list of tensors */
	int64_t dims[WEIR_MAX_RANK];
	double elements; /* of all its tensors if it is a list */
	double distinct; /* elements with their own place in memory */
	bool strided;    /* its strides are recorded */
	int64_t strides[WEIR_MAX_RANK];
	double extent;     /* elements from the first to the last one in memory */
	bool overlaps;     /* windows of it share elements */
	size_t list_count; /* tensors of a list */
	struct weir_element element;
	const char *scalar; /* text of the concrete value, not terminated; NULL: not recorded */
	size_t scalar_len;
};

struct weir_args {
	size_t count;
	struct weir_arg items[WEIR_MAX_ARGS];
	bool has_scalars;
};

bool weir_args_parse(struct weir_args *args, const char *dims, const char *types,
                     const char *scalars);

/*
 * Removes expanded elements, and those that overlapping windows share, from `distinct` by the
 * recorded strides, such as "[[0, 1], []]", and keeps these. NULL, empty and damaged texts change
 * nothing, and neither does an argument with fewer strides than dimensions.
 */
void weir_args_stride(struct weir_args *args, const char *strides);

/* Return the argument, or NULL if it is absent or not a tensor; _tensor requires at least one
 * dimension. */
const struct weir_arg *weir_args_at(const struct weir_args *args, size_t index);
const struct weir_arg *weir_args_tensor(const struct weir_args *args, size_t index);
double
weir_arg_bytes(const struct weir_arg *arg); /* of the distinct elements; 0 for NULL and scalars */

bool weir_args_bool(const struct weir_args *args, size_t index, bool *out); /* "True", "False" */
bool weir_args_int(const struct weir_args *args, size_t index, int64_t *out);
bool weir_args_number(const struct weir_args *args, size_t index, double *out); /* "0", "0.5" */
/* Reads "[2, 2]" or "2" (one entry), at most WEIR_MAX_INTS. */
bool weir_args_ints(const struct weir_args *args, size_t index, int64_t out[WEIR_MAX_INTS],
                    size_t *count);

/* Reads "[True, False]" as bits, the first one lowest; false: not recorded. */
bool weir_args_flags(const struct weir_args *args, size_t index, unsigned *out);

/* Returns the type of "c10::BFloat16", "long int"; unknown names give UNKNOWN and width 0. */
struct weir_element weir_element_of_name(const char *name, size_t len);
/* Returns the type of a c10::ScalarType, as a dtype argument records it: 15 is bfloat16. */
struct weir_element weir_element_of_code(int64_t code);
/* Returns the bytes of one result of a reduction that keeps the type of its values; a sum(x, dims,
 * keep, type) of integers or flags is a long integer unless a type is named. */
double weir_summed_width(const char *op, const struct weir_args *args, const struct weir_arg *x);
/* Returns the element type in a kernel's template arguments, for lists of tensors whose type is not
 * recorded. */
struct weir_element weir_element_of_kernel(const char *kernel);

#endif
