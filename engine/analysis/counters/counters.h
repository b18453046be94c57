/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What counters say of kernels: launches of one kernel in one shape as one subject, with the class
 * that the "speed of light" of Nsight Compute gives it. There compute and memory are shares of what
 * the units sustain: from 80 % on the device is used well, below 60 % on both sides latency is what
 * limits, and ten points make one side the heavier one.
 */
#ifndef WEIR_ANALYSIS_COUNTERS_H
#define WEIR_ANALYSIS_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/rank/features.h"
#include "engine/model/profile.h"
#include "engine/model/report.h"

#define WEIR_SOL_LOW 0.60 /* below it on both sides: latency */
#define WEIR_SOL_GAP 0.10 /* the memory side leads from here on */

struct weir_counted_group {
	const char *name;   /* as the profiler has it; borrowed from the profile */
	const char *device; /* the same; NULL: not given */
	uint32_t grid[3], block[3];
	double *durations_ns; /* one a launch that has one, in order of inputs and launches */
	size_t count;
	double sum_ns;
	double value[WEIR_COUNTER_COUNT]; /* means over the launches that have it */
	enum weir_roofline roofline;
	double efficiency; /* of the heavier side; NAN: not measured */
	double features[WEIR_F_COUNT];
	struct weir_verdict verdict;       /* set from outside; UNDETERMINED until then */
	size_t first_launch, launch_count; /* of `launches` below */
};

/* A launch, and its pages where several inputs have one each. */
struct weir_counted_launch {
	const struct weir_counters *counters;
	size_t kernel; /* row of its kernels */
};

struct weir_counted {
	struct weir_counted_group *items; /* by time, the largest first */
	size_t count;
	struct weir_counted_launch *launches;
	size_t launch_count;
	double total_ns;
};

/* NULL where no input holds counters. Pages about one launch count once, the exact one first. */
struct weir_counted *weir_counted_new(const struct weir_profile *profile);
void weir_counted_free(struct weir_counted *counted);

/* The class of one kernel from its counters and duration. */
enum weir_roofline weir_counted_class(const double value[WEIR_COUNTER_COUNT], double call_ns);

/* Of the heavier side, multiprocessors or memory; NAN: not measured. */
double weir_counted_efficiency(const double value[WEIR_COUNTER_COUNT]);

/*
 * The features of an operator that counters measure: bytes_roof, flops_roof, intensity_ratio,
 * matrix_units_idle, waves. Those that they do not measure stay as they are.
 */
void weir_counted_features(const double value[WEIR_COUNTER_COUNT], const char *name,
                           double *features);

/* Rows of the operator table for a profile without a timeline. */
void weir_fill_counted_operators(const struct weir_counted *counted, struct weir_report *report);
/* report->counters: kernels with what was measured, and what NVIDIA's rules say of them. */
void weir_fill_counters(const struct weir_counted *counted, struct weir_report *report);

/* Into a run for comparison with others that were counted: an operator a kernel and launch shape, a
 * value a launch in place of an iteration; the largest WEIR_MAX_COUNTER_ROWS. */
void weir_counted_run(const struct weir_counted *counted, struct weir_run *run);

#endif
