/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where an operator stands under the roofs of its device (Williams, Waterman and Patterson, CACM
 * 52(4), 2009): the time that its arithmetic and its traffic would take at the peaks, against the
 * time that it took.
 */
#ifndef WEIR_ANALYSIS_ROOFLINE_H
#define WEIR_ANALYSIS_ROOFLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/roofline/devices.h"
#include "engine/analysis/roofline/work.h"
#include "engine/model/report.h"

/*
 * Near a roof: the line below which Nsight Compute calls a kernel limited by latency. Its memory
 * side is a share of the datasheet's rate; its compute side is one of the clocks of the moment,
 * which is what is achievable: both are measured against the same here, so that a model and
 * counters call a kernel the same.
 */
#define WEIR_NEAR_ROOF 0.60
/* One side leads where it would take a quarter longer than the other. */
#define WEIR_LEAD 1.25
/* Shorter than this, or fewer blocks than multiprocessors, and far from both roofs: the launch and
 * the size explain it, not the kernel. */
#define WEIR_SHORT_NS 10000.0
/* Above the theoretical peak by more than measurement allows: the model or the peak is wrong. */
#define WEIR_IMPLAUSIBLE 1.05
/* Data of less than this share of the second-level cache may never reach the memory. */
#define WEIR_CACHE_SHARE 0.80

struct weir_roofline_result {
	enum weir_roofline roofline;
	enum weir_roofline side; /* COMPUTE, MEMORY or BALANCED: which roof is nearer, near or not;
	                            else UNKNOWN */
	double compute_ns, memory_ns; /* at the theoretical peaks; NAN: no peak */
	double traffic_ns;            /* the memory's, of all traffic that is expected: traffic.h */
	double sustained_compute_ns, sustained_memory_ns; /* at what is achievable */
	double efficiency;       /* of the achievable, of the nearer roof; at most 1 where
	                            memory_upper_bound */
	double peak_share;       /* the same of the theoretical peak */
	double tflops, gbps;     /* achieved; known without a device */
	bool memory_upper_bound; /* all data fits the cache: the memory's time is an upper bound */
	bool grid_too_small;     /* fewer blocks than multiprocessors */
	bool matrix_units_idle; /* a product, compute-limited, on units slower than the matrix units
	                           beside them */
};

/*
 * time_ns is the device time of one call, blocks the grid of its kernel (0: not known), device NULL
 * where unknown. Without a model, a device or a peak for its precision the class is UNKNOWN and the
 * figures that are missing NAN.
 */
void weir_roofline_judge(const struct weir_work *work, double time_ns, uint32_t blocks,
                         const struct weir_device *device, struct weir_roofline_result *result);

/* The units that a kernel of this name computes on, and the precision where the name says so. */
struct weir_kernel_engine {
	enum weir_engine engine; /* NONE: the name does not say */
	enum weir_dtype dtype;   /* UNKNOWN: that of its inputs */
};

struct weir_kernel_engine weir_engine_from_kernel(const char *kernel);

/*
 * Settles the engine of a product by its kernel (NULL: not known). fp32 data runs on the vector
 * units unless the name says otherwise; where nothing says either, the slower units are assumed and
 * the confidence is low.
 */
void weir_work_refine(struct weir_work *work, const char *kernel);

#endif
