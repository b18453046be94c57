/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a kernel's name alone tells: its family, what such kernels are normally limited by, and the
 * name as people read it. Names are those of CUDA and ROCm libraries and of code generators,
 * demangled or not, and may be hostile: any length, any bytes.
 */
#ifndef WEIR_ANALYSIS_KERNELS_H
#define WEIR_ANALYSIS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/text.h"

enum weir_family {
	WEIR_FAMILY_OTHER,
	WEIR_FAMILY_COMMUNICATION,
	WEIR_FAMILY_COPY, /* moves or fills memory as it is: copies, casts, layout changes,
	                     concatenation */
	WEIR_FAMILY_GEMM,
	WEIR_FAMILY_GEMV, /* matrix times vector, and products of a few rows */
	WEIR_FAMILY_ATTENTION,
	WEIR_FAMILY_CONVOLUTION,
	WEIR_FAMILY_NORM,
	WEIR_FAMILY_SOFTMAX,
	WEIR_FAMILY_ELEMENTWISE,
	WEIR_FAMILY_REDUCE,
	WEIR_FAMILY_INDEX, /* index, gather, scatter, embedding, cache updates */
	WEIR_FAMILY_SORT,  /* sort, topk, scan, sampling */
	WEIR_FAMILY_COUNT
};

enum weir_family_limit {
	WEIR_LIMIT_UNKNOWN,
	WEIR_LIMIT_MEMORY,
	WEIR_LIMIT_COMPUTE,
};

/* Of a matrix product: rows and columns of the result that one block computes. */
struct weir_tile {
	uint32_t m, n; /* 0: the name does not say */
};

enum weir_family weir_kernel_family(const char *name);
const char *weir_family_name(enum weir_family family); /* "gemm" */

/* Collectives, by library or by kernel; false for an ordinary reduction. */
bool weir_kernel_is_communication(const char *name);
/* A copy or fill that the driver runs as a kernel: __amd_rocclr_copyBuffer. */
bool weir_kernel_is_driver_copy(const char *name);

struct weir_tile weir_kernel_tile(const char *name);

/*
 * What limits such a kernel where no shapes are known (graph replay): a statement about the family
 * and the tile, not about this run.
 */
enum weir_family_limit weir_kernel_limit(const char *name);

/*
 * Adds the name for display: no return type, template arguments, parameters, anonymous name spaces
 * or addresses; "elementwise FillFunctor" for the generic kernels that differ by their functor
 * only; the name inside of CUTLASS's wrappers. Names that are short already stay as they are.
 */
void weir_kernel_display(const char *name, struct weir_text *text);

/*
 * Replaces the text by the words by which profilers agree on a kernel and its template arguments,
 * for comparison only: name spaces, parameters and the ways to write a lambda are left out.
 */
void weir_kernel_key(const char *name, struct weir_text *text);

/*
 * Length of the part of a displayed name that identifies the kernel across tunings: up to a tile
 * suffix
 * ("nvjet_sm90_tst" of "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT"); the whole length where there is
 * none.
 */
size_t weir_kernel_base_length(const char *display);

#endif
