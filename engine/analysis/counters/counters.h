/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hardware counters of kernels: all launches of one kernel in one shape are one subject, with a
 * class from the "speed of light" of Nsight Compute, where compute and memory are shares of what
 * the units can sustain. From 80 % on, the device is used well; below 60 % on both sides, latency
 * is the limit; a lead of ten points decides which side limits.
 */
#ifndef WEIR_ANALYSIS_COUNTERS_COUNTERS_H
#define WEIR_ANALYSIS_COUNTERS_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/rank/features.h"
#include "engine/model/profile.h"
#include "engine/model/report.h"

#define WEIR_SOL_LOW 0.60 /* below it on both sides: latency */
#define WEIR_SOL_GAP 0.10 /* lead that decides between compute and memory */

struct weir_counted_group {
	const char *name;   /* in the profiler's spelling; borrowed from the profile */
	const char *device; /* likewise; NULL: not given */
	uint32_t grid[3], block[3];
	double *durations_ns; /* one per launch with a duration, in order of inputs and launches */
	size_t count;
	double sum_ns;
	double value[WEIR_COUNTER_COUNT]; /* means over the launches that have the counter */
	enum weir_roofline roofline;
	double efficiency; /* use of the busier side; NAN: not measured */
	double features[WEIR_F_COUNT];
	struct weir_verdict verdict;       /* set from outside; UNDETERMINED until then */
	size_t first_launch, launch_count; /* in `launches` below */
};

/* A launch; it has several entries if several inputs have a page about it. */
struct weir_counted_launch {
	const struct weir_counters *counters;
	size_t kernel; /* row of its kernels */
};

struct weir_counted {
	struct weir_counted_group *items; /* largest time first */
	size_t count;
	struct weir_counted_launch *launches;
	size_t launch_count;
	double total_ns;
};

/* Groups the launches of all inputs; NULL: no input holds counters. Several pages about one launch
 * count once, exact figures before rounded ones. */
struct weir_counted *weir_counted_new(const struct weir_profile *profile);
void weir_counted_free(struct weir_counted *counted);

/* Returns the class of one kernel from its counters and duration. */
enum weir_roofline weir_counted_class(const double value[WEIR_COUNTER_COUNT], double call_ns);

/* Returns the use of the busier side, multiprocessors or memory; NAN: not measured. */
double weir_counted_efficiency(const double value[WEIR_COUNTER_COUNT]);

/*
 * Sets the features of an operator that counters measure: bytes_roof, flops_roof, intensity_ratio,
 * matrix_units_idle, waves. Leaves the others unchanged.
 */
void weir_counted_features(const double value[WEIR_COUNTER_COUNT], const char *name,
                           double *features);

#endif
