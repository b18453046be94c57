/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small feature table for tests: rules must work with any table. */
#ifndef WEIR_TESTS_UNIT_RULE_FEATURES_H
#define WEIR_TESTS_UNIT_RULE_FEATURES_H

#include <math.h>

#include "engine/model/finding.h"

enum {
	F_SHARE,
	F_GPU_ACTIVE,
	F_IDLE_HOST,
	F_KERNEL_P50,
	F_KERNELS,
	F_P50_US,
	F_P99_US,
	F_PEAK_BYTES,
	F_PADDING,
	F_SPEEDUP,
	F_WORK,
	F_GRAPHED,
	F_COUNT
};

#define EVERYWHERE (WEIR_FOR_PROFILE | WEIR_FOR_STAGE | WEIR_FOR_OPERATOR)

static const struct weir_feature rule_feature_rows[F_COUNT] = {
	[F_SHARE] = {"share", WEIR_UNIT_SHARE, EVERYWHERE, "share of the time", NULL},
	[F_GPU_ACTIVE] = {"gpu_active", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE | WEIR_FOR_STAGE,
                          "share of the time the device works", NULL},
	[F_IDLE_HOST] = {"idle_host", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE | WEIR_FOR_STAGE,
                         "share of the time the device waits for the host", NULL},
	[F_KERNEL_P50] = {"kernel_p50_ns", WEIR_UNIT_NS, EVERYWHERE, "median kernel", NULL},
	[F_KERNELS] = {"kernels", WEIR_UNIT_COUNT, EVERYWHERE, "kernels a step", NULL},
	[F_P50_US] = {"p50_us", WEIR_UNIT_RATIO, EVERYWHERE, "median", NULL},
	[F_P99_US] = {"p99_us", WEIR_UNIT_RATIO, EVERYWHERE, "99th percentile", NULL},
	[F_PEAK_BYTES] = {"peak_bytes", WEIR_UNIT_BYTES, WEIR_FOR_PROFILE, "most memory in use",
                          NULL},
	[F_PADDING] = {"padding", WEIR_UNIT_SHARE, WEIR_FOR_PROFILE,
                       "rows of {nothing} but padding", NULL},
	[F_SPEEDUP] = {"speedup", WEIR_UNIT_RATIO, EVERYWHERE, "speed-up at most", NULL},
	[F_WORK] = {"work", WEIR_UNIT_FLOPS, EVERYWHERE, "arithmetic of a call", NULL},
	[F_GRAPHED] = {"graphed", WEIR_UNIT_FLAG, EVERYWHERE, "replayed from a graph", NULL},
};

static const struct weir_feature_table rule_features = {rule_feature_rows, F_COUNT};

static inline void all_unknown(double *values)
{
	for (int i = 0; i < F_COUNT; i++)
		values[i] = NAN;
}

#endif
