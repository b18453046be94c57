/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classifies kernels by their name alone: the family, the resource that usually limits such
 * kernels, and the name for display. Names come from CUDA and ROCm libraries and from code
 * generators, demangled or not, and may be hostile: any length, any bytes.
 */
#ifndef WEIR_ANALYSIS_NAMES_KERNELS_H
#define WEIR_ANALYSIS_NAMES_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/text.h"

enum weir_family {
	WEIR_FAMILY_OTHER,
	WEIR_FAMILY_COMMUNICATION,
	/* Moves or fills memory: copies, casts, layout changes, concatenation. */
	WEIR_FAMILY_COPY,
	WEIR_FAMILY_GEMM,
	WEIR_FAMILY_GEMV, /* matrix times vector, and products with few rows */
	WEIR_FAMILY_ATTENTION,
	WEIR_FAMILY_CONVOLUTION,
	WEIR_FAMILY_NORM,
	WEIR_FAMILY_SOFTMAX,
	WEIR_FAMILY_ELEMENTWISE,
	WEIR_FAMILY_REDUCE,
	WEIR_FAMILY_INDEX, /* index, gather, scatter, embedding, KV cache updates */
	WEIR_FAMILY_SORT,  /* sort, topk, scan, sampling */
	WEIR_FAMILY_FFT,   /* a pass of a Fourier transform */
	WEIR_FAMILY_COUNT
};

enum weir_family_limit {
	WEIR_LIMIT_UNKNOWN,
	WEIR_LIMIT_MEMORY,
	WEIR_LIMIT_COMPUTE,
};

/* Rows and columns of the result that one block of a matrix product computes. */
struct weir_tile {
	uint32_t m, n; /* 0: not in the name */
};

enum weir_family weir_kernel_family(const char *name);
const char *weir_family_name(enum weir_family family); /* "gemm" */

/* Returns true for collectives, by library or by kernel; false for an ordinary reduction. */
bool weir_kernel_is_communication(const char *name);
/* Returns true for a copy or fill that the driver runs as a kernel, such as
 * __amd_rocclr_copyBuffer. */
bool weir_kernel_is_driver_copy(const char *name);

struct weir_tile weir_kernel_tile(const char *name);

/* Returns the usual limit of such kernels, for work without shapes (graph replay). It follows from
 * the family and the tile, not from this run. */
enum weir_family_limit weir_kernel_limit(const char *name);
/* Returns true if kernels of this name read each element once and in order: elementwise work,
 * copies, attention of decoding, products with few rows. Such kernels may reach the bandwidth
 * within a few microseconds. The tile of a product tells few rows: libraries also spread several
 * hundred rows over tiles of 64 by 40 (196 rows, measured), so that these do not count. */
bool weir_kernel_streams(const char *name);

/*
 * Adds the name for display: without return type, template arguments, parameters, unnamed name
 * spaces and addresses; "elementwise FillFunctor" for generic kernels that differ only in their
 * functor; the inner name of CUTLASS's wrappers. Short names stay unchanged.
 */
void weir_kernel_display(const char *name, struct weir_text *text);

/* Adds the name with its template arguments, without return type and parameters:
 * "kernel<int, 7>". */
void weir_kernel_instance(const char *name, struct weir_text *text);
/* Returns true if a name for display says nothing about the kernel: "kernel". */
bool weir_kernel_is_nameless(const char *display);

/* Replaces the text by a key for comparison across profilers: the words of the name and its
 * template arguments, without name spaces, parameters and the ways to write a lambda. */
void weir_kernel_key(const char *name, struct weir_text *text);

#endif
