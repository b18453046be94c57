/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plays a program on one host thread and one device into a trace, as the PyTorch profiler writes
 * it: calls take their time on the thread, and work begins when its stream is free. Times are
 * microseconds. The truth about the program is known, so that a test can check the verdict.
 *
 *	struct workload *workload = workload_new();
 *	for (...) {
 *		workload_begin(workload, "user_annotation", "ProfilerStep#0");
 *		workload_operator(workload, "aten::mm", GEMM, 20, 100);
 *		workload_end(workload);
 *	}
 *	workload_judge(workload, &verdict);		frees it
 */
#ifndef WEIR_TESTS_UNIT_WORKLOAD_H
#define WEIR_TESTS_UNIT_WORKLOAD_H

#include <stdint.h>

struct workload;

struct workload *workload_new(void);

/* Opens a range that lasts to workload_end(): cat is "python_function", "cpu_op" or
 * "user_annotation". At most 8 nested ranges. */
void workload_begin(struct workload *workload, const char *cat, const char *name);
void workload_end(struct workload *workload);
/* Passes time on the thread; with a name, inside a frame of that name. */
void workload_pass(struct workload *workload, const char *frame, int64_t us);
void workload_call(struct workload *workload, const char *api, int64_t us);
/* Waits inside the call until the device is idle. */
void workload_wait(struct workload *workload, const char *api);
/* Runs an operator for some microseconds on the host; it launches one kernel on the stream. */
void workload_operator(struct workload *workload, const char *name, const char *kernel,
                       int64_t host_us, int64_t device_us);
/* The same inside the operator that is open. */
void workload_launch(struct workload *workload, const char *kernel, int64_t host_us,
                     int64_t device_us);
/* Copies bytes in some microseconds. Blocking: the call lasts until the copy is done. */
void workload_copy(struct workload *workload, const char *name, int64_t bytes, int64_t us,
                   int blocking);
/* Calls a replay of several kernels, with a gap of one microsecond behind each. */
void workload_graph(struct workload *workload, int64_t kernels, int64_t device_us);
void workload_stream(struct workload *workload, int stream); /* 0 to 3, of the following work */
/* Makes the following work wait until the other stream is idle. */
void workload_depend(struct workload *workload, int on_stream);
void workload_memory(struct workload *workload, int64_t bytes); /* > 0: allocates; < 0: frees */

struct workload_verdict {
	char bound[32], cause[64];
	char advice[512]; /* ids of the recommendations, each between blanks */
	char apart[512];  /* names of the excluded steps, each between blanks */
	double host_idle; /* share of the time */
};
void workload_judge(struct workload *workload, struct workload_verdict *out);

#endif
