/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes that an operator is expected to move between memory and chip: those of its tensors, each
 * once, and those that are read again because the cache does not hold them. That is what counters
 * of the memory measure, give or take; the tensors alone are what no kernel can avoid.
 */
#ifndef WEIR_ANALYSIS_TRAFFIC_H
#define WEIR_ANALYSIS_TRAFFIC_H

#include <stdint.h>

#include "engine/analysis/roofline/devices.h"
#include "engine/analysis/roofline/work.h"

/*
 * A product is computed in regions of the result: as many tiles at once as there are
 * multiprocessors. A region reads its rows of one matrix and its columns of the other. Were the
 * tiles of a region a square and all at the same place of the inner dimension, its side would be
 * the root of its area. This is the side's share of that, measured on an H200 with 17 products of
 * 16-bit matrices of 75 to 530 MB, whose traffic it gives within a quarter.
 *
 * A kernel with one block a tile takes them in the order of its grid, whole rows of the result
 * first (libraries with column-major matrices compute the transposed product, whose first
 * dimension are these columns): its regions are as wide as the result, and low.
 */
#define WEIR_REGION_SIDE 0.75
/* A matrix of this share of the cache stays in it while the other streams by. */
#define WEIR_STAYING_SHARE 0.25
/*
 * A second look at a row finds it in the cache while the rows of all running blocks take less than
 * the first share, and never where they take more than the second; between them in proportion.
 * Measured with layer norm and RMS norm of rows of 2 to 32 KB on the same device.
 */
#define WEIR_ROWS_KEPT_SHARE 0.25
#define WEIR_ROWS_LOST_SHARE 0.75

/* The longest kernel of the operator. */
struct weir_launch_shape {
	const char *kernel;       /* NULL: not known */
	uint32_t blocks, threads; /* 0: not known */
};

/* NAN without a model; the bytes alone where the device is NULL or its cache unknown. */
double weir_traffic_bytes(const struct weir_work *work, const struct weir_launch_shape *launch,
                          const struct weir_device *device);

#endif
