/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times a program: the host issues its calls in order, a wait holds it until the job that it waits
 * for has ended, and the device runs the jobs in order, each no earlier than its call plus the
 * launch latency. The program repeats, so that the host may run ahead over
 * the end of a step.
 */
#ifndef WEIR_ANALYSIS_ADVICE_REPLAY_H
#define WEIR_ANALYSIS_ADVICE_REPLAY_H

#include "engine/analysis/advice/program.h"

/* Eager dispatch ran 1.5 to 2.6 times slower under the profiler in 16 captures with and without it
 * (PyTorch on H100 and H200), median 2.0. */
#define WEIR_PROFILER_FACTOR      2.0
#define WEIR_PROFILER_FACTOR_LOW  1.5
#define WEIR_PROFILER_FACTOR_HIGH 2.6

/* Factors on host time that make the program an unprofiled one. */
struct weir_host_speed {
	double dispatch; /* 1: as in the trace */
	double work;
	double profiler; /* of the time that only the profiler takes: 1 in the trace, else 0 */
};

/* The end of a range that is timed. */
enum weir_replay_end {
	WEIR_REPLAY_TYPICAL,
	WEIR_REPLAY_LOW,  /* the shortest times of jobs */
	WEIR_REPLAY_HIGH, /* the longest */
};

/* Returns the period in ns; 0 if nothing takes time. */
double weir_replay(const struct weir_program *program, struct weir_host_speed speed,
                   enum weir_replay_end end);

/*
 * Returns the speed of the host without the profiler. inflation: profiled over unprofiled step
 * time; NAN: unknown, and WEIR_PROFILER_FACTOR is assumed. If the known inflation is more than
 * dispatch can explain, the rest shortens the host's work.
 */
struct weir_host_speed weir_unprofiled_speed(const struct weir_program *program, double inflation);

#endif
