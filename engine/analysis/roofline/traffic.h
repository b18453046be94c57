/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Estimates the DRAM traffic of an operator: the bytes of its tensors, each once, and the bytes
 * that are read again because the cache does not hold them. Hardware counters measure about this
 * amount; the tensors alone are a lower bound for any kernel.
 */
#ifndef WEIR_ANALYSIS_ROOFLINE_TRAFFIC_H
#define WEIR_ANALYSIS_ROOFLINE_TRAFFIC_H

#include <stdint.h>

#include "engine/analysis/roofline/devices.h"
#include "engine/analysis/roofline/work.h"

/*
 * A product is computed in regions of the result: as many tiles at once as there are
 * multiprocessors. A region reads its rows of one matrix and its columns of the other. If the tiles
 * of a region formed a square and were all at the same position of the inner dimension, the side of
 * the region would be the root of its area. This constant is the side as a share of that root,
 * measured on an H200 with 17 products of 16-bit matrices of 75 to 530 MB; their traffic comes out
 * within 25 %.
 *
 * A kernel with one block per tile processes tiles in the order of its grid, whole rows of the
 * result first. (Libraries with column-major matrices compute the transposed product, whose first
 * dimension runs along these rows.) Its regions are as wide as the result, and low.
 */
#define WEIR_REGION_SIDE 0.75
/* A matrix of up to this share of the cache stays in it while the other matrix streams through. */
#define WEIR_STAYING_SHARE 0.25
/*
 * The second read of a row hits the cache if the rows of all running blocks take less than the
 * first share of it, misses if they take more than the second share, and hits in proportion between
 * them. Measured with layer norm and RMS norm of rows of 2 to 32 KB on the same device.
 */
#define WEIR_ROWS_KEPT_SHARE 0.25
#define WEIR_ROWS_LOST_SHARE 0.75

/* The launch of an operator's longest kernel. */
struct weir_launch_shape {
	const char *kernel;       /* NULL: not known */
	uint32_t blocks, threads; /* 0: not known */
};

/* Returns the expected DRAM bytes of one call; NAN without a model. Equals the tensors' bytes if
 * the device is NULL or its cache size is unknown. */
double weir_traffic_bytes(const struct weir_work *work, const struct weir_launch_shape *launch,
                          const struct weir_device *device);

#endif
