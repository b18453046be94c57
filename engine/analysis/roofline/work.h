/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work that one operator call does, as its recorded shapes say: what shapes.c computes, what
 * the kernel's name refines and what roofline.c judges. A plain value without ownership.
 */
#ifndef WEIR_ANALYSIS_WORK_H
#define WEIR_ANALYSIS_WORK_H

#include <stdbool.h>

/* Precision of the arithmetic; it chooses the peak. TF32 is fp32 data on the matrix units. */
enum weir_dtype {
	WEIR_DTYPE_UNKNOWN,
	WEIR_DTYPE_FP64,
	WEIR_DTYPE_FP32,
	WEIR_DTYPE_TF32,
	WEIR_DTYPE_BF16,
	WEIR_DTYPE_FP16,
	WEIR_DTYPE_FP8,
	WEIR_DTYPE_FP4,
	WEIR_DTYPE_INT8,
	WEIR_DTYPE_INT, /* other integers, booleans */
	WEIR_DTYPE_COUNT
};

enum weir_engine {
	WEIR_ENGINE_NONE,   /* no arithmetic, or unknown */
	WEIR_ENGINE_VECTOR, /* the ordinary arithmetic units */
	WEIR_ENGINE_TENSOR, /* the matrix units: tensor cores, MFMA */
	WEIR_ENGINE_COUNT
};

enum weir_model_confidence {
	WEIR_MODEL_NONE,   /* no model, or no shapes: flops and bytes are NAN */
	WEIR_MODEL_LOW,    /* right within a small factor */
	WEIR_MODEL_MEDIUM, /* one input of the formula was assumed */
	WEIR_MODEL_HIGH,   /* exact for the operator's definition */
};

/* Why more may reach the memory than each tensor once; 0: nothing of the kind. See traffic.h. */
struct weir_reuse {
	/* A product: tiles of the result read the rows and columns that they share. Sizes are of
	 * one of `batch`: [m, k] and [k, n]. */
	double m, n, a_bytes, b_bytes, batch;
	/* A second look at each row, which is found in the cache or not. */
	double row_bytes, rows_again_bytes;
	/* Further kernels look at the same tensors. */
	double passes_again_bytes;
	/* Elements that are alone where they lie are read with their neighbours. */
	double scattered_bytes;
};

/*
 * Both figures are per call. flops counts what the main engine does: a product's softmax or bias on
 * other units is left out where it is not the leading term. bytes counts each distinct tensor once:
 * a lower bound of the traffic with cold caches.
 */
struct weir_work {
	double flops, bytes; /* NAN: unknown */
	enum weir_engine engine;
	enum weir_dtype dtype;
	enum weir_model_confidence confidence;
	struct weir_reuse reuse;
	double traffic_bytes; /* expected at the memory, set by traffic.h's user; 0: as many */
	bool product; /* a matrix product, convolution or attention: work that matrix units could do
	               */
};

const char *weir_dtype_name(enum weir_dtype dtype);    /* "bf16"; UNKNOWN: NULL */
const char *weir_engine_name(enum weir_engine engine); /* "tensor"; NONE: NULL */

#endif
