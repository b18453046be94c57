/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An operator's recorded arguments in fixed arrays: private to the models. Texts come from profiles
 * and are hostile: anything that is not a list of lists of plain integers, has more arguments or
 * dimensions than fit, or holds a size whose product is no exact double refuses the whole call.
 */
#ifndef WEIR_ANALYSIS_SHAPES_PARSE_H
#define WEIR_ANALYSIS_SHAPES_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/roofline/work.h"

#define WEIR_MAX_ARGS  24
#define WEIR_MAX_RANK  8
#define WEIR_MAX_INTS  8 /* entries of a scalar list: strides, reduced dimensions */
#define WEIR_MAX_DIM   (INT64_C(1) << 40)
#define WEIR_MAX_ELEMS 9007199254740992.0 /* 2^53: products stay exact */

struct weir_element {
	enum weir_dtype dtype;
	double width; /* bytes; 0: no tensor, NAN: a tensor of unknown type */
};

/* A tensor, or a list of tensors folded into its totals. */
struct weir_arg {
	int rank; /* of a tensor; -1: a list of tensors */
	int64_t dims[WEIR_MAX_RANK];
	double elements;   /* of a list: of all its tensors */
	double distinct;   /* elements that lie in places of their own */
	size_t list_count; /* tensors of a list */
	struct weir_element element;
	const char *scalar; /* text of the concrete value, not NUL-terminated; NULL: not recorded */
	size_t scalar_len;
};

struct weir_args {
	size_t count;
	struct weir_arg items[WEIR_MAX_ARGS];
	bool has_scalars;
};

bool weir_args_parse(struct weir_args *args, const char *dims, const char *types,
                     const char *scalars);

/* Takes what is expanded, "[[0, 1], []]", out of the distinct elements; NULL, empty and damaged
 * texts say nothing, and an argument whose strides are not its dimensions' is left as it is. */
void weir_args_stride(struct weir_args *args, const char *strides);

/* The argument, or NULL where it is absent or no tensor; _tensor asks for at least one dimension.
 */
const struct weir_arg *weir_args_at(const struct weir_args *args, size_t index);
const struct weir_arg *weir_args_tensor(const struct weir_args *args, size_t index);
double weir_arg_bytes(const struct weir_arg *arg); /* distinct elements; 0 for NULL and scalars */

bool weir_args_bool(const struct weir_args *args, size_t index, bool *out); /* "True", "False" */
bool weir_args_int(const struct weir_args *args, size_t index, int64_t *out);
/* "[2, 2]" or "2" (one entry); at most WEIR_MAX_INTS. */
bool weir_args_ints(const struct weir_args *args, size_t index, int64_t out[WEIR_MAX_INTS],
                    size_t *count);

/* "[True, False]": a bit each, the first lowest; false: not recorded. */
bool weir_args_flags(const struct weir_args *args, size_t index, unsigned *out);

/* "c10::BFloat16", "long int"; an unknown text has dtype UNKNOWN and width 0. */
struct weir_element weir_element_of_name(const char *name, size_t len);
/* c10::ScalarType as recorded in a dtype argument: 15 is bfloat16. */
struct weir_element weir_element_of_code(int64_t code);
/* The element that a kernel's template arguments name, for lists of tensors whose type is not
 * recorded. */
struct weir_element weir_element_of_kernel(const char *kernel);

#endif
