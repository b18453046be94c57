/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places an operator under the roofline of its device (Williams, Waterman and Patterson, CACM
 * 52(4), 2009): compares the time that its FLOPs and its bytes would take at the peaks with the
 * measured time.
 */
#ifndef WEIR_ANALYSIS_ROOFLINE_ROOFLINE_H
#define WEIR_ANALYSIS_ROOFLINE_ROOFLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/roofline/devices.h"
#include "engine/analysis/roofline/work.h"
#include "engine/model/report.h"

/*
 * A kernel above this share of a roof is near it. Nsight Compute calls kernels below the same line
 * limited by latency. Its memory side is a share of the datasheet's rate and its compute side a
 * share of the rate at current clocks, which is the sustained rate here; using the same bases makes
 * models and counters agree on a kernel.
 */
#define WEIR_NEAR_ROOF 0.60
/* One roof dominates if it would take this much longer than the other. */
#define WEIR_LEAD 1.25
/* A kernel that is shorter than this, or has fewer blocks than the device has multiprocessors, and
 * is far from both roofs, is limited by launch and size rather than by its code. */
#define WEIR_SHORT_NS 10000.0
/* Figures further above the theoretical peak mean that the model or the peak is wrong. */
#define WEIR_IMPLAUSIBLE 1.05
/* Data up to this share of the second-level cache may never reach DRAM. */
#define WEIR_CACHE_SHARE 0.80

struct weir_roofline_result {
	enum weir_roofline roofline;
	/* The dominant roof, whether the operator is near it or not: COMPUTE, MEMORY or BALANCED;
	 * UNKNOWN without roofs. */
	enum weir_roofline side;
	double compute_ns, memory_ns; /* at the theoretical peaks; NAN: no peak */
	double traffic_ns;            /* at the theoretical peak, for the expected DRAM traffic */
	double sustained_compute_ns, sustained_memory_ns; /* at the sustained rates */
	/* Share of the sustained rate of the dominant roof; at most 1 if memory_upper_bound. */
	double efficiency;
	double peak_share;   /* the same for the theoretical peak */
	double tflops, gbps; /* achieved rates; known without a device */
	/* All data fit in the cache, so that memory_ns is an upper bound. */
	bool memory_upper_bound;
	bool grid_too_small; /* fewer blocks than multiprocessors */
	/* A product that is limited by compute on units slower than the device's matrix units. */
	bool matrix_units_idle;
};

/*
 * Judges one call. time_ns is its device time, blocks the grid of its kernel (0: not known), device
 * is NULL if unknown. Without a model, a device or a peak for its precision the class is UNKNOWN
 * and missing figures are NAN.
 */
void weir_roofline_judge(const struct weir_work *work, double time_ns, uint32_t blocks,
                         const struct weir_device *device, struct weir_roofline_result *result);

/* The units that a kernel computes on by its name, and the precision. */
struct weir_kernel_engine {
	enum weir_engine engine; /* NONE: not in the name */
	enum weir_dtype dtype;   /* UNKNOWN: the precision of its inputs */
};

struct weir_kernel_engine weir_engine_from_kernel(const char *kernel);

/* Returns true if the name alone shows a product in fp32 on the vector units that arithmetic
 * limits: its tile has this many rows and columns at least. A tile of 64 by 64 does 2 * 64 * 64
 * FLOPs for each 2 * 64 elements of 4 bytes, 16 FLOPs a byte, and 21 with 128 rows, without what
 * blocks share in the cache; the ridge of the fp32 units of server devices lies between 9 and 20
 * (devices.json).
 */
#define WEIR_VECTOR_TILE 64
bool weir_kernel_is_vector_product(const char *kernel);
/* Returns true if the device computes products of fp32 data faster on its matrix units. */
bool weir_device_outruns_vector_units(const struct weir_device *device);

/*
 * Sets the engine of a product by its kernel (NULL: not known). fp32 data run on the vector units
 * unless the name says otherwise. If nothing is known, the slower units are assumed and the
 * confidence is low.
 */
void weir_work_refine(struct weir_work *work, const char *kernel);

#endif
