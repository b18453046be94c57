/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Matrix products, convolutions and attention kernels of a program, and the time that such work
 * takes in another type or size: the roofline at the rates that products of that size reach.
 *
 * The efficiencies below were measured on an H100 SXM5 (132 SMs, PyTorch 2.11, CUDA 13) with 73
 * products from 256 x 256 x 256 to 8192 x 8192 x 8192 and 8 convolutions; attention.h has those of
 * attention. The model is within 10 % of most products that are limited by FLOPs, and within 35 %
 * of all of them. For devices with other numbers of multiprocessors it is extrapolated.
 */
#ifndef WEIR_ANALYSIS_ADVICE_PRODUCTS_H
#define WEIR_ANALYSIS_ADVICE_PRODUCTS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/advice/draft.h"

enum weir_product_kind {
	WEIR_PRODUCT_MATRIX,
	WEIR_PRODUCT_CONVOLUTION,
	WEIR_PRODUCT_ATTENTION, /* one fused kernel */
};

/* The keys that a query does not see. */
enum weir_mask {
	WEIR_MASK_NONE, /* nothing, or it is not known */
	WEIR_MASK_CAUSAL,
	WEIR_MASK_ANY, /* a tensor: a mask or a bias */
};

/* All kernels of one call of an operator. */
struct weir_product {
	uint32_t first, end; /* its jobs: [first, end) */
	enum weir_product_kind kind;
	enum weir_engine engine;
	enum weir_dtype dtype;
	double width;        /* bytes of an element; 0: not known */
	double flops, bytes; /* of the call */
	/* Sizes of the product, of one of `batch`; 0: not known. A convolution has a row for each
	 * place of the result, a column for each output channel; attention m queries and n keys of
	 * each head. */
	double m, n, k, batch;
	double a_bytes, b_bytes; /* of all matrices [m, k] and [k, n]; 0: not known */
	double channels;         /* a convolution's input channels of a group; 0: not known */
	double depth, queries;   /* attention: size of a head, rows of q; 0: not known */
	enum weir_mask mask;     /* attention: a causal one halves the work, not `flops` */
	/* A convolution with fewer than 16 input channels a group: no library is fast there. */
	bool irregular;
	double ns; /* of its kernels, without layout changes and fills */
};

/* Returns the bytes of a convolution's weights; 0: another product, or they are not recorded. */
double weir_convolution_weights(const struct weir_advisor *advisor, const struct weir_product *p);

/* Returns the index behind the jobs of the call that `first` belongs to. */
uint32_t weir_call_end(const struct weir_program *program, uint32_t first);

/* Reads the product that the call at `first` computes; false: it computes no product, or its
 * shapes are not known, or they contradict its duration. */
bool weir_product_read(const struct weir_advisor *advisor, uint32_t first,
                       struct weir_product *product);

/* Returns the time of the product with its FLOPs on these units and this traffic; NAN: the device
 * has no such units. */
double weir_product_ns(const struct weir_advisor *advisor, const struct weir_product *product,
                       enum weir_engine engine, enum weir_dtype dtype, double bytes);

/* Returns how much slower than weir_product_ns() products in this type are whose rows do not begin
 * at multiples of 16 bytes; 1: they do. */
double weir_product_misaligned(const struct weir_product *product, double width);

/* Returns how much slower than weir_product_ns() products in this type are whose operands both lie
 * in memory across the inner dimension, as in x^T x; 1: they do not, or the kernel's name does not
 * tell.
 */
double weir_product_turned(const struct weir_advisor *advisor, const struct weir_product *product,
                           enum weir_dtype dtype);

/* Returns the median of the measured over the modelled time of the run's aligned products of these
 * units; `count`: their number. 1 without such products. */
double weir_product_pace(const struct weir_advisor *advisor, enum weir_engine engine,
                         enum weir_dtype dtype, size_t *count);

/* Gives the kernels of the product a new time in all; low and high: its range. */
void weir_product_set(struct weir_draft *draft, const struct weir_product *product, double ns,
                      double low_ns, double high_ns);

/* True for kernels that change the layout of a convolution's tensors. */
bool weir_job_changes_layout(const struct weir_advisor *advisor, const struct weir_job *job);

/* Returns the operator around the job that computes attention by separate kernels, in fp32 if its
 * arguments are of 16 bits; WEIR_NONE: not inside such an operator. */
uint32_t weir_job_math_attention(const struct weir_advisor *advisor, const struct weir_job *job);

/* Returns the bytes of an element of this type; 0: not known. */
double weir_dtype_width(enum weir_dtype dtype);

/* Launch, first loads and last stores of a product: 3 us for the smallest ones. */
#define WEIR_PRODUCT_FIXED_NS 3000.0

#endif
