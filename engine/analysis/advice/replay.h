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

/* The slowdown of the host's dispatch by the profiler, as a factor. */
struct weir_profiler_factors {
	double typical, low, high;
};

/* The factors compare with the dispatch of the fastest recorded step that is like the program's: a
 * busy machine slows single steps, but hardly the fastest of them, so that it predicts the
 * unprofiled time with less error (23 % less, root mean square of the logarithm, in 31 captures).
 * Eager dispatch ran 1.4 to 2.1 times slower than without the profiler in the fastest step of 9
 * captures, median 1.7, and 1.0 to 2.4 times in 31 others on slower hosts, median 1.5 (PyTorch on
 * H100 and H200). The range comes from 16 captures of whole steps and 14 on slower hosts. */
#define WEIR_PROFILER_FACTOR      1.7
#define WEIR_PROFILER_FACTOR_LOW  1.3
#define WEIR_PROFILER_FACTOR_HIGH 2.6
/* Where it also records Python's frames, it is called at each call and return of Python: dispatch
 * of 23 programs was 1.12 times as slow with frames as without (medians of 14 and of 9 programs on
 * H100: 1.09 and 1.13; single ones 0.6 to 2.0). */
#define WEIR_STACKS_FACTOR      1.9
#define WEIR_STACKS_FACTOR_LOW  1.45
#define WEIR_STACKS_FACTOR_HIGH 2.9

/* Returns the factors for what the profiler of this program recorded, against the dispatch of its
 * own step. */
struct weir_profiler_factors weir_profiler_factors_of(const struct weir_program *program);

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
 * time; NAN: unknown, and the typical factor is assumed. If the known inflation is more than
 * dispatch can explain, the rest shortens the host's work: a collector visits more objects where
 * the profiler keeps some, and a machine may be busier.
 */
struct weir_host_speed weir_unprofiled_speed(const struct weir_program *program, double inflation);

#endif
