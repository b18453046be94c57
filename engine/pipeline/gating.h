/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares runs with a baseline under a policy: what `weir gate` and `weir compare` do, `weir
 * doctor` and the library. */
#ifndef WEIR_PIPELINE_GATING_H
#define WEIR_PIPELINE_GATING_H

#include <stdbool.h>
#include <stddef.h>

#include "baselines/baseline.h"
#include "ci/policy/gate.h"
#include "ci/policy/policy.h"
#include "engine/base/error.h"
#include "engine/model/comparison.h"
#include "engine/pipeline/measure_runs.h"

/* One side of a comparison. */
struct weir_gating_side {
	const struct weir_run **runs; /* owned list of borrowed runs */
	size_t count;
	bool has_bound; /* at least one run has a bound, and all that have one agree */
	enum weir_bound bound;
	const char *cause; /* borrowed; NULL: none */
};

/* Borrows the baseline; release with weir_gating_side_release(). */
void weir_gating_side_init(struct weir_gating_side *side, const struct weir_baseline *baseline);
void weir_gating_side_release(struct weir_gating_side *side);

/* Compares two sides and fills environment, rows and verdict of the result. WEIR_E_INTERNAL: a
 * defect. */
enum weir_status weir_gating_compare(struct weir_gate_result *result,
                                     const struct weir_gate_terms *terms,
                                     const struct weir_gating_side *baseline,
                                     const struct weir_gating_side *candidate,
                                     struct weir_error *err);

/* Either `db` and `name` say which stored baseline to compare with, or `baseline` lists the paths
 * of its runs. */
struct weir_gate_request {
	struct weir_gate_terms terms;
	struct weir_measuring measuring;
	const char *const *candidate; /* paths, one per run */
	size_t candidate_count;
	const char *const *baseline;
	size_t baseline_count;
	const char *db, *name; /* NULL, NULL: compare with paths */
	bool bootstrap;        /* if there is no such stored baseline, record the candidate as it */
};

/* Measures and compares; fills the result, verdict and exit code included. That there is no stored
 * baseline is a result, not an error. */
enum weir_status weir_gate_runs(const struct weir_gate_request *request,
                                struct weir_gate_result *result, struct weir_error *err);

/* Loads the policy of a file (NULL: weir.json if present) and applies today's date to its waivers.
 * The caller frees *out. */
enum weir_status weir_policy_today(const char *path, struct weir_policy **out,
                                   struct weir_error *err);

#endif
