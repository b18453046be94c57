/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes one step of a PyTorch program, plays it several times into a trace of an H100, and applies
 * a transformation to it. Times are microseconds; the host is as fast as it is profiled.
 *
 *	struct advice_step *step = advice_step_new();
 *	advice_step_op(step, "aten::mul", "[[8, 8], []]", "[\"float\", \"Scalar\"]",
 *	               "vectorized_elementwise_kernel", 100);
 *	advice_step_apply(step, weir_fix_compile_pointwise, &result);	frees it
 */
#ifndef WEIR_TESTS_UNIT_ADVICE_STEP_H
#define WEIR_TESTS_UNIT_ADVICE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/advice/fixes.h"

struct advice_step;

struct advice_step *advice_step_new(void);

/* Opens an operator up to advice_step_end(); NULL texts: not recorded. */
void advice_step_begin(struct advice_step *step, const char *op, const char *dims,
                       const char *types, const char *scalars);
/* Records the strides of the operator that was just opened. */
void advice_step_strides(struct advice_step *step, const char *strides);
void advice_step_end(struct advice_step *step);
/* Launches a kernel with this number of blocks. */
void advice_step_kernel(struct advice_step *step, const char *kernel, double us, uint32_t blocks);
/* Copies between host and device: "Memcpy DtoH (Device -> Pageable)". The host waits for it. */
void advice_step_copy(struct advice_step *step, const char *name, double us);
void advice_step_copy_bytes(struct advice_step *step, const char *name, double us, int64_t bytes);
/* Lets all copies of the step return so long after their work; without it 1 us. */
void advice_step_returns(struct advice_step *step, double us);
/* Waits until the device is idle. */
void advice_step_wait(struct advice_step *step);
/* Passes time on the host, without an event. */
void advice_step_pass(struct advice_step *step, double us);
/* Passes time in a frame of Python, without another event. */
void advice_step_frame(struct advice_step *step, const char *name, double us);
/* Replays a graph with this number of kernels, every second one a product. */
void advice_step_graph(struct advice_step *step, int kernels, double kernel_us, uint32_t blocks);

/* An operator with one kernel of 1,000 blocks, and one without. */
void advice_step_op(struct advice_step *step, const char *op, const char *dims, const char *types,
                    const char *kernel, double us);
void advice_step_view(struct advice_step *step, const char *op, const char *dims, const char *types,
                      const char *scalars);

struct advice_result {
	bool found;
	bool supposed;              /* see struct weir_draft */
	double before_us, after_us; /* the step, both replayed */
	double low_us, high_us;
	double rows;       /* that the step after the fix has, each of which took one; 0: one */
	double places_us;  /* a step, of all places before the fix */
	char worst_op[64]; /* of the worst place; "": none */
};

void advice_step_apply(struct advice_step *step, weir_fix_apply *apply, struct advice_result *out);

#endif
