/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Element types by the three spellings that profiles use: C++ type names, c10::ScalarType codes,
 * kernel names. */
#include <string.h>

#include "engine/analysis/roofline/shapes_parse.h"

struct type_name {
	const char *name;
	struct weir_element element;
	bool prefix; /* every name that begins so */
};

static const struct type_name type_names[] = {
	{"float", {WEIR_DTYPE_FP32, 4}, false},
	{"double", {WEIR_DTYPE_FP64, 8}, false},
	{"c10::BFloat16", {WEIR_DTYPE_BF16, 2}, false},
	{"c10::Half", {WEIR_DTYPE_FP16, 2}, false},
	{"c10::Float8_", {WEIR_DTYPE_FP8, 1}, true},
	{"c10::Float4_", {WEIR_DTYPE_FP4, 1}, true}, /* a byte holds two; dims count bytes */
	{"long int", {WEIR_DTYPE_INT, 8}, false},
	{"long", {WEIR_DTYPE_INT, 8}, false},
	{"unsigned long", {WEIR_DTYPE_INT, 8}, true},
	{"int", {WEIR_DTYPE_INT, 4}, false},
	{"unsigned int", {WEIR_DTYPE_INT, 4}, false},
	{"short", {WEIR_DTYPE_INT, 2}, true},
	{"unsigned short", {WEIR_DTYPE_INT, 2}, true},
	{"signed char", {WEIR_DTYPE_INT8, 1}, false},
	{"char", {WEIR_DTYPE_INT8, 1}, false},
	{"unsigned char", {WEIR_DTYPE_INT8, 1}, false},
	{"bool", {WEIR_DTYPE_INT, 1}, false},
	{"c10::complex<float>", {WEIR_DTYPE_FP32, 8}, false},
	{"c10::complex<double>", {WEIR_DTYPE_FP64, 16}, false},
	{"c10::complex<c10::Half>", {WEIR_DTYPE_FP16, 4}, false},
	{"c10::qint8", {WEIR_DTYPE_INT8, 1}, false},
	{"c10::quint8", {WEIR_DTYPE_INT8, 1}, false},
	{NULL, {WEIR_DTYPE_UNKNOWN, 0}, false},
};

struct weir_element weir_element_of_name(const char *name, size_t len)
{
	for (const struct type_name *row = type_names; row->name; row++) {
		size_t known = strlen(row->name);

		if ((row->prefix ? len >= known : len == known) && !memcmp(name, row->name, known))
			return row->element;
	}
	return (struct weir_element){WEIR_DTYPE_UNKNOWN, 0};
}

/* The order of c10::ScalarType; types without a tensor of ordinary elements stay {0}. */
static const struct weir_element codes[] = {
	[0] = {WEIR_DTYPE_INT8, 1},  [1] = {WEIR_DTYPE_INT8, 1},   [2] = {WEIR_DTYPE_INT, 2},
	[3] = {WEIR_DTYPE_INT, 4},   [4] = {WEIR_DTYPE_INT, 8},    [5] = {WEIR_DTYPE_FP16, 2},
	[6] = {WEIR_DTYPE_FP32, 4},  [7] = {WEIR_DTYPE_FP64, 8},   [8] = {WEIR_DTYPE_FP16, 4},
	[9] = {WEIR_DTYPE_FP32, 8},  [10] = {WEIR_DTYPE_FP64, 16}, [11] = {WEIR_DTYPE_INT, 1},
	[12] = {WEIR_DTYPE_INT8, 1}, [13] = {WEIR_DTYPE_INT8, 1},  [14] = {WEIR_DTYPE_INT, 4},
	[15] = {WEIR_DTYPE_BF16, 2}, [23] = {WEIR_DTYPE_FP8, 1},   [24] = {WEIR_DTYPE_FP8, 1},
	[25] = {WEIR_DTYPE_FP8, 1},  [26] = {WEIR_DTYPE_FP8, 1},   [27] = {WEIR_DTYPE_INT, 2},
	[28] = {WEIR_DTYPE_INT, 4},  [29] = {WEIR_DTYPE_INT, 8},   [44] = {WEIR_DTYPE_FP8, 1},
	[45] = {WEIR_DTYPE_FP4, 1},
};

struct weir_element weir_element_of_code(int64_t code)
{
	if (code < 0 || (size_t)code >= sizeof(codes) / sizeof(codes[0]))
		return (struct weir_element){WEIR_DTYPE_UNKNOWN, 0};
	return codes[code];
}

/* First the types that only copy bytes, then the ordinary ones by first appearance among the
 * template arguments. */
static const struct type_name kernel_types[] = {
	{"OpaqueType<1", {WEIR_DTYPE_INT8, 1}, false},
	{"OpaqueType<2", {WEIR_DTYPE_BF16, 2}, false},
	{"OpaqueType<4", {WEIR_DTYPE_FP32, 4}, false},
	{"OpaqueType<8", {WEIR_DTYPE_FP64, 8}, false},
	{"OpaqueType<16", {WEIR_DTYPE_FP64, 16}, false},
	{"<c10::BFloat16", {WEIR_DTYPE_BF16, 2}, false},
	{"<c10::Half", {WEIR_DTYPE_FP16, 2}, false},
	{"<float", {WEIR_DTYPE_FP32, 4}, false},
	{"<double", {WEIR_DTYPE_FP64, 8}, false},
	{"<long", {WEIR_DTYPE_INT, 8}, false},
	{"<int", {WEIR_DTYPE_INT, 4}, false},
	{"<bool", {WEIR_DTYPE_INT, 1}, false},
	{NULL, {WEIR_DTYPE_UNKNOWN, 0}, false},
};

struct weir_element weir_element_of_kernel(const char *kernel)
{
	const char *first = NULL;
	struct weir_element found = {WEIR_DTYPE_UNKNOWN, 0};

	for (const struct type_name *row = kernel_types; kernel && row->name; row++) {
		const char *at = strstr(kernel, row->name);

		/* "<16" must not be found by "<1". */
		if (!at || (at[strlen(row->name)] >= '0' && at[strlen(row->name)] <= '9'))
			continue;
		if (!first || at < first) {
			first = at;
			found = row->element;
		}
	}
	return found;
}
