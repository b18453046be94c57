/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Analyses traces with steps up to the advice, and applies single fixes.
 *
 *	struct weir_trace *trace = ...; (make_trace.h, with ranges ProfilerStep#N)
 *	struct advice_run run;
 *	advice_run_init(&run, &trace, 1, "NVIDIA H100 80GB HBM3");
 *	assert_true(advice_run_apply(&run, weir_fix_pack_copies));
 *	assert_near(advice_run_step_ns(&run), 100000, 1);
 *	advice_run_release(&run);
 */
#ifndef WEIR_TESTS_UNIT_ADVICE_RUN_H
#define WEIR_TESTS_UNIT_ADVICE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/advice/draft.h"
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/whole/analysis.h"
#include "engine/model/profile.h"
#include "engine/model/report.h"
#include "tests/unit/make_trace.h"

struct advice_run {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_report report;
	struct weir_advisor advisor;
	struct weir_draft draft;
};

/* A copy with its call, which has the operator aten::copy_ around it. */
struct advice_copy {
	const char *name;
	int64_t call_ns, return_ns, start_ns, end_ns, bytes;
	uint64_t correlation;
};

void advice_make_copy(struct make_trace *make, const struct advice_copy *copy);
/* Adds the range of a step. */
void advice_make_step(struct make_trace *make, int number, int64_t start_ns, int64_t end_ns);
/* Gives all operators of this name arguments, as profilers record them. */
void advice_give_shape(struct weir_trace *trace, const char *op, const char *dims,
                       const char *types);

/* Takes the traces; device: name in the device table; NULL: unknown. */
void advice_run_init(struct advice_run *run, struct weir_trace *const *traces, size_t count,
                     const char *device);
void advice_run_release(struct advice_run *run);

/* Applies a fix to a new draft; returns true if it found a place. */
bool advice_run_apply(struct advice_run *run, weir_fix_apply *fix);
/* Returns the step of the draft at the speed of the trace. */
double advice_run_step_ns(const struct advice_run *run);

#endif
