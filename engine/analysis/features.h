/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The named numbers that rules read: one table of id, unit, subjects and meaning, and the functions
 * that fill a subject's values. NAN is "not measured". Adding a feature is a row in features.c, its
 * name here, and its value.
 */
#ifndef WEIR_ANALYSIS_FEATURES_H
#define WEIR_ANALYSIS_FEATURES_H

#include "engine/analysis/ledger.h"
#include "engine/model/finding.h"

enum weir_feature_id {
	/* the profile and every stage */
	WEIR_F_GPU_ACTIVE,
	WEIR_F_GPU_IDLE,
	WEIR_F_IDLE_LATE,
	WEIR_F_IDLE_LAUNCH_LATENCY,
	WEIR_F_IDLE_INTER_KERNEL,
	WEIR_F_IDLE_DEPENDENCY,
	WEIR_F_IDLE_PROFILER,
	WEIR_F_IDLE_UNEXPLAINED,
	WEIR_F_LATE_DISPATCH,
	WEIR_F_LATE_SYNC,
	WEIR_F_LATE_BEFORE,
	WEIR_F_LATE_AFTER,
	WEIR_F_LATE_LOAD,
	WEIR_F_LATE_ALLOCATOR,
	WEIR_F_LATE_NO_WORK,
	WEIR_F_LATE_OF_RUNTIME,
	WEIR_F_BEFORE_OF_LATE,
	WEIR_F_AFTER_OF_LATE,
	WEIR_F_LOAD_OF_LATE,
	WEIR_F_SYNC_OF_DISPATCH,
	WEIR_F_SHARE_BATCHING,
	WEIR_F_SHARE_RUNTIME,
	WEIR_F_SHARE_KERNEL,
	WEIR_F_SHARE_MEMORY,
	WEIR_F_SHARE_COMMUNICATION,
	WEIR_F_SHARE_HARDWARE,
	WEIR_F_SHARE_UNATTRIBUTED,
	WEIR_F_COMPUTE,
	WEIR_F_EXPOSED_COMMUNICATION,
	WEIR_F_EXPOSED_TRANSFER,
	WEIR_F_LOCAL_COPY,
	WEIR_F_TRANSFER_OF_MEMORY,
	WEIR_F_ALLOCATOR_OF_MEMORY,
	WEIR_F_BANDWIDTH_LIMITED,
	WEIR_F_NEAR_ROOF,
	WEIR_F_BELOW_ROOF,
	WEIR_F_SHORT_KERNELS,
	WEIR_F_UNMODELLED,
	WEIR_F_KERNELS,
	WEIR_F_KERNELS_PER_STEP,
	WEIR_F_KERNEL_P50_NS,
	WEIR_F_GRAPH_SHARE,
	WEIR_F_TOP_OPERATOR_SHARE,
	WEIR_F_TOP_OPERATOR_MODELLED,
	/* the profile alone */
	WEIR_F_LAUNCH_P50_NS,
	WEIR_F_SYNCS_PER_STEP,
	WEIR_F_STEPS,
	WEIR_F_RANKS,
	WEIR_F_SLOW_ALLOCATIONS,
	WEIR_F_PADDING_WASTE,
	WEIR_F_FLAT_STEP_RATIO,
	/* a group of device work: one operator on one shape */
	WEIR_F_OPERATOR_SHARE,
	WEIR_F_CALL_NS,
	WEIR_F_KERNEL_NS,
	WEIR_F_BYTES_ROOF,
	WEIR_F_FLOPS_ROOF,
	WEIR_F_OPERANDS_ROOF,
	WEIR_F_INTENSITY_RATIO,
	WEIR_F_IMPLAUSIBLE,
	WEIR_F_CACHED,
	WEIR_F_MATRIX_UNITS_IDLE,
	WEIR_F_IS_COMMUNICATION,
	WEIR_F_IS_TRANSFER,
	WEIR_F_IS_LOCAL_COPY,
	WEIR_F_FAMILY_MEMORY,
	WEIR_F_FAMILY_COMPUTE,
	WEIR_F_WAVES,
	WEIR_F_COUNT
};

extern const struct weir_feature_table weir_feature_table;

/* values has WEIR_F_COUNT entries. All of them become NAN. */
void weir_features_clear(double *values);

/* The time shares of a ledger; a ledger without time leaves them NAN. */
void weir_features_from_ledger(double *values, const struct weir_ledger *ledger);

#endif
