/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a run for tests of advice in a few lines: operators one behind the other, each with its
 * kernels, launched long before the device needs them. There are no steps, so that the program is
 * the whole run, and job 0 is the first kernel.
 *
 *	struct advice_trace *run = advice_trace_new();
 *	advice_trace_op(run, "aten::mm", "[[64,64],[64,64]]", "[\"float\",\"float\"]");
 *	advice_trace_kernel(run, "sgemm", 50000);
 *	advice_trace_finish(run, "NVIDIA H100 80GB HBM3");
 *	assert_true(advice_trace_apply(run, weir_fix_lower_precision));
 *	assert_near(run->draft.program.jobs[0].ns, 12000, 0.01);
 *	advice_trace_free(run);
 */
#ifndef WEIR_TESTS_UNIT_ADVICE_TRACE_H
#define WEIR_TESTS_UNIT_ADVICE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/advice/draft.h"
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/whole/analysis.h"
#include "engine/model/profile.h"
#include "engine/model/report.h"
#include "tests/unit/make_trace.h"

#define ADVICE_MAX_OPS 64

struct advice_trace {
	struct make_trace *make;
	struct advice_op {
		const char *name, *dims, *types;
		int64_t start_ns;
	} ops[ADVICE_MAX_OPS];
	size_t op_count;
	int64_t host_ns, device_ns; /* where the next call and the next kernel begin */
	uint64_t correlation;
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_report report;
	struct weir_advisor advisor;
	struct weir_draft draft;
	bool has_draft;
};

struct advice_trace *advice_trace_new(void);
void advice_trace_free(struct advice_trace *run);

/* Adds an operator; dims and types as profilers record them. Texts are borrowed. */
void advice_trace_op(struct advice_trace *run, const char *name, const char *dims,
                     const char *types);
/* Adds an operator that encloses the next `count` operators. */
void advice_trace_around(struct advice_trace *run, const char *name, const char *dims,
                         const char *types, int count);
/* Adds a kernel of the last operator. */
void advice_trace_kernel(struct advice_trace *run, const char *name, int64_t ns);
/* Adds a kernel with a known launch. */
void advice_trace_blocks(struct advice_trace *run, const char *name, int64_t ns, uint32_t blocks,
                         uint32_t threads);
/* Adds a replay of a graph with `count` such kernels. */
void advice_trace_graph(struct advice_trace *run, const char *kernel, int64_t ns, int count);
/* Adds time in which the device has no work. */
void advice_trace_idle(struct advice_trace *run, int64_t ns);

/* Analyses the run on a device of the table; NULL: an unknown device. */
void advice_trace_finish(struct advice_trace *run, const char *device);
/* Applies a fix to a new draft; returns whether it found a place. */
bool advice_trace_apply(struct advice_trace *run, weir_fix_apply *fix);

#endif
