/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the steps that recommendations promised with the step that was measured after a fix was
 * made, for `weir advise --verify`.
 */
#ifndef WEIR_PIPELINE_AUDIT_H
#define WEIR_PIPELINE_AUDIT_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "engine/model/audit.h"
#include "engine/model/report.h"
#include "engine/model/run.h"
#include "engine/pipeline/classify.h"

/* All is borrowed during the call. */
struct weir_audit_request {
	const char *before;     /* a profile with a timeline, or a stored weir.report/1 */
	const char *after;      /* a profile, a run, or a stored weir.report/1 */
	const char *before_run; /* unprofiled step times; NULL: none */
	const char *after_run;
	const char *fix; /* only this one; NULL: every fix with a predicted step */
	bool identify;   /* fill the digest of the pair, for which both sides are read again */
	/* Options of both classifications; its inputs are ignored. */
	const struct weir_classify_request *options;
};

/*
 * Reads both sides and compares them. WEIR_E_OTHER_DEVICE: the sides ran on different devices;
 * WEIR_E_NOT_COMPARED: nothing was promised, or a side has no step; WEIR_E_USAGE: no fix has the
 * id. The caller frees *out with weir_audit_free().
 */
enum weir_status weir_audit_run(const struct weir_audit_request *request, struct weir_audit **out,
                                struct weir_error *err);

/* ---- parts of weir_audit_run() ---- */

/* Finds the series of one step: the only stage, else the stage `wanted` (NULL: none), else the
 * stage "iteration" or "step"; NULL: none. */
const struct weir_series *weir_audit_series(const struct weir_run *run, const char *wanted);

/* Adds a row for each recommendation of `before` with a predicted step, or only for `fix`. Paths
 * and steps of both sides are filled already. after: NULL if it holds no recommendations. */
enum weir_status weir_audit_compare(struct weir_audit *audit, const struct weir_report *before,
                                    const struct weir_report *after, const char *fix,
                                    struct weir_error *err);

#endif
