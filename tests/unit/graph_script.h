/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a trace of one small program that runs op by op and from a graph, in order of time:
 *
 *	struct script script = script_new();
 *	script_run_op_by_op(&script);
 *	script_replay(&script, 1, SCRIPT_NO_ODD);
 *	struct weir_trace *trace = make_trace_finish(script.make);
 */
#ifndef WEIR_TESTS_UNIT_GRAPH_SCRIPT_H
#define WEIR_TESTS_UNIT_GRAPH_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/make_trace.h"

#define SCRIPT_OPS     10
#define SCRIPT_KERNELS 11 /* one operator launches two kernels */
#define SCRIPT_SPLIT   4  /* that operator */
#define SCRIPT_NO_ODD  SIZE_MAX

extern const char *const script_program[SCRIPT_OPS];
/* Dims of two products in bf16: 2 M N K operations each. */
extern const char *const script_products[2];

struct script {
	struct make_trace *make;
	int64_t at_ns;
	uint64_t correlation;
	int64_t kernel_ns;  /* duration of each following kernel */
	const char *odd_op; /* name in place of operator 3; NULL: unchanged */
};

struct script script_new(void);
/* Adds a kernel: "k4_1" is the second kernel of operator 4. */
void script_add_kernel(struct script *script, size_t op, size_t part, uint32_t blocks);
void script_run_op_by_op(struct script *script);
/* Replays the whole program `times` over in one replay; the kernel at position `odd` has another
 * grid. */
void script_replay(struct script *script, size_t times, size_t odd);
/* The same; `call` false omits its launch, as if the profiler had started after it. */
void script_add_replay(struct script *script, size_t times, size_t odd, bool call);

/* Gives shapes to the runs of operators in order of time, cycling through shape_of: 0 is no
 * shape, 1 the first of dims. */
void script_give_shapes(struct weir_trace *trace, const char *const *dims, size_t count,
                        const uint32_t *shape_of, size_t runs);

#endif
