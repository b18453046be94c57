/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace of one small program that runs op by op and from a graph, written from left to right:
 *
 *	struct script script = script_new();
 *	script_run_op_by_op(&script);
 *	script_replay(&script, 1, SCRIPT_NO_ODD);
 *	struct weir_trace *trace = make_trace_finish(script.make);
 */
#ifndef TESTS_UNIT_GRAPH_SCRIPT_H
#define TESTS_UNIT_GRAPH_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/make_trace.h"

#define SCRIPT_OPS     10
#define SCRIPT_KERNELS 11 /* one operator has two */
#define SCRIPT_SPLIT   4  /* that one */
#define SCRIPT_NO_ODD  SIZE_MAX

extern const char *const script_program[SCRIPT_OPS];
/* Dims of two products in bf16: 2 M N K operations each. */
extern const char *const script_products[2];

struct script {
	struct make_trace *make;
	int64_t at_ns;
	uint64_t correlation;
	int64_t kernel_ns;  /* of each kernel to come */
	const char *odd_op; /* in place of operator 3; NULL: none */
};

struct script script_new(void);
/* "k4_1" for the second kernel of operator 4. */
void script_add_kernel(struct script *script, size_t op, size_t part, uint32_t blocks);
void script_run_op_by_op(struct script *script);
/* The whole program `times` over in one replay; the kernel at position `odd` has another grid. */
void script_replay(struct script *script, size_t times, size_t odd);
/* The same; call false leaves out its launch, as where the profiler began behind it. */
void script_add_replay(struct script *script, size_t times, size_t odd, bool call);

/* Gives the runs of operators in order of time the rows that `shape_of` says, over and over: 0 is
 * none, 1 the first of dims. */
void script_give_shapes(struct weir_trace *trace, const char *const *dims, size_t count,
                        const uint32_t *shape_of, size_t runs);

#endif
