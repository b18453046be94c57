/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program on one host thread and one device, played second by second into a trace as the PyTorch
 * profiler writes it: calls take their time on the thread, work begins when its stream is free.
 * Times are microseconds; what is true of the program is known, so the verdict can be held against
 * it.
 *
 *	struct workload *workload = workload_new();
 *	for (...) {
 *		workload_begin(workload, "user_annotation", "ProfilerStep#0");
 *		workload_operator(workload, "aten::mm", GEMM, 20, 100);
 *		workload_end(workload);
 *	}
 *	workload_judge(workload, &verdict);		frees it
 */
#ifndef TESTS_UNIT_WORKLOAD_H
#define TESTS_UNIT_WORKLOAD_H

#include <stdint.h>

struct workload;

struct workload *workload_new(void);

/* What the thread does from here to workload_end(): cat is "python_function", "cpu_op" or
 * "user_annotation". At most 8 nested. */
void workload_begin(struct workload *workload, const char *cat, const char *name);
void workload_end(struct workload *workload);
/* Passes time; with a name, inside a frame of that name. */
void workload_pass(struct workload *workload, const char *frame, int64_t us);
void workload_call(struct workload *workload, const char *api, int64_t us);
/* Waits inside the call until the device has nothing to do. */
void workload_wait(struct workload *workload, const char *api);
/* An operator of so many microseconds on the host that launches one kernel on the stream. */
void workload_operator(struct workload *workload, const char *name, const char *kernel,
                       int64_t host_us, int64_t device_us);
/* A copy of so many bytes and microseconds; blocking: the call lasts until it is done. */
void workload_copy(struct workload *workload, const char *name, int64_t bytes, int64_t us,
                   int blocking);
/* One call that replays so many kernels, each with a gap of one microsecond behind it. */
void workload_graph(struct workload *workload, int64_t kernels, int64_t device_us);
void workload_stream(struct workload *workload, int stream); /* of the work that follows, 0 to 3 */
/* Work that is launched from here on does not begin before the other stream has done all of its. */
void workload_depend(struct workload *workload, int on_stream);
void workload_memory(struct workload *workload, int64_t bytes); /* an allocation, or a free */

struct workload_verdict {
	char bound[32], cause[64];
	char advice[512]; /* ids of the recommendations, with a blank before and behind each */
	char apart[512];  /* names of the steps set apart, in the same way */
	double host_idle; /* share of the time */
};
void workload_judge(struct workload *workload, struct workload_verdict *out);

#endif
