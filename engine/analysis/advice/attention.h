/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time of fused attention kernels, as the FLOPs that would keep the units as busy at the
 * sustained rate.
 *
 * Measured on an H100 SXM5 (PyTorch 2.11, CUDA 13) with 64 to 65,536 heads of 8 to 128, 16 to 4,096
 * queries and as many keys, with and without masks: cuDNN's kernels in fp16, CUTLASS's in fp32. Of
 * 990 calls longer than 150 us the model is within 20 % for 80 %, and within 35 % for 92 %.
 *
 * Kernels compute tiles of queries and keys, whole also at the border. A tile of queries begins and
 * ends with work that takes as long as some more keys do. Heads smaller than a tile's depth are no
 * faster, since the exponentials take as long; 82,176 heads of 8 with 42 queries reach 3 TFLOP/s.
 */
#ifndef WEIR_ANALYSIS_ADVICE_ATTENTION_H
#define WEIR_ANALYSIS_ADVICE_ATTENTION_H

#include <stdbool.h>

struct weir_product;

/* Returns the FLOPs of a product of kind WEIR_PRODUCT_ATTENTION as above; `wide`: in fp32, on the
 * vector units. Without known sizes borders and beginnings are left out. */
double weir_attention_busy_flops(const struct weir_product *product, bool wide);

#endif
