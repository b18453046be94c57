/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work of one operator call according to its recorded shapes: shapes.c computes it, the
 * kernel's name refines it and roofline.c judges it. A plain value without ownership. */
#ifndef WEIR_ANALYSIS_ROOFLINE_WORK_H
#define WEIR_ANALYSIS_ROOFLINE_WORK_H

#include <stdbool.h>

/* Precision of the arithmetic, which selects the peak. TF32 is fp32 data on the matrix units. */
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
	WEIR_MODEL_LOW,    /* correct within a small factor */
	WEIR_MODEL_MEDIUM, /* one input of the formula is assumed */
	WEIR_MODEL_HIGH,   /* exact by the operator's definition */
};

/* Reasons for more memory traffic than each tensor once; 0: does not apply. See traffic.h. */
struct weir_reuse {
	/* Tiles of a matrix product read the rows and columns that they share. Sizes of one
	 * of `batch` products: [m, k] and [k, n]. */
	double m, n, a_bytes, b_bytes, batch;
	/* Each row is read a second time, from the cache or not. */
	double row_bytes, rows_again_bytes;
	/* Further kernels read the same tensors. */
	double passes_again_bytes;
	/* Scattered elements are read together with their neighbours. */
	double scattered_bytes;
};

/*
 * Figures of one call. flops counts the work of the main engine, without the softmax or bias of a
 * product unless they dominate. bytes counts each distinct tensor once: a lower bound of the
 * traffic with cold caches.
 */
struct weir_work {
	double flops, bytes; /* NAN: unknown */
	enum weir_engine engine;
	enum weir_dtype dtype;
	enum weir_model_confidence confidence;
	struct weir_reuse reuse;
	/* Expected DRAM bytes, set by weir_traffic_bytes(); 0: same as `bytes`. */
	double traffic_bytes;
	/* A matrix product, convolution or attention, which matrix units could compute. */
	bool product;
};

/* Set the figures, the engine, and high confidence. `vector` chooses no engine if flops is 0. */
void weir_work_vector(struct weir_work *work, double flops, double bytes, enum weir_dtype dtype);
void weir_work_product(struct weir_work *work, double flops, double bytes, enum weir_dtype dtype);

#endif
