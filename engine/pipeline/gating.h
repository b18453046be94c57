/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares runs with a baseline under a policy, for `weir gate`, `weir compare`, `weir doctor` and
 * the library. */
#ifndef WEIR_PIPELINE_GATING_H
#define WEIR_PIPELINE_GATING_H

#include <stdbool.h>
#include <stddef.h>

#include "baselines/baseline.h"
#include "ci/policy/gate.h"
#include "ci/policy/policy.h"
#include "engine/analysis/compare/compare.h"
#include "engine/base/error.h"
#include "engine/model/comparison.h"
#include "engine/pipeline/measure_runs.h"

/* Runs on one side of a comparison, and the bound that they share. */
struct weir_gating_side {
	const struct weir_run **runs; /* owned list of borrowed runs */
	size_t count;
	bool has_bound; /* true if at least one run has a bound and all bounds are equal */
	enum weir_bound bound;
	const char *cause;                        /* cause of the bound; borrowed; NULL: none */
	const struct weir_baseline_run **entries; /* owned list of `count` borrowed entries; NULL:
	                                             not known */
};

/* Fills a side with the runs of a baseline, which it borrows. Release it with
 * weir_gating_side_release(). */
void weir_gating_side_init(struct weir_gating_side *side, const struct weir_baseline *baseline);
void weir_gating_side_release(struct weir_gating_side *side);

/* Returns the margins and treatments of a policy, which it borrows. */
struct weir_compare_policy weir_gating_policy(const struct weir_policy *policy);

/* First words of the remark that sessions leave rows undecided. */
#define WEIR_GATING_UNDECIDED "inconclusive: "

/* Compares two sides and fills environment, rows and verdict of the result, but no pictures. */
enum weir_status weir_gating_compare(struct weir_gate_result *result,
                                     const struct weir_gate_terms *terms,
                                     const struct weir_gating_side *baseline,
                                     const struct weir_gating_side *candidate,
                                     struct weir_error *err);

/* A comparison with a stored baseline (`db` and `name`) or with the runs in files (`baseline`). */
struct weir_gate_request {
	struct weir_gate_terms terms;
	struct weir_measuring measuring;
	const char *const *candidate; /* paths of the candidate, one per run */
	size_t candidate_count;
	const char *const *baseline; /* paths of the baseline, one per run, if name is NULL */
	size_t baseline_count;
	const char *db, *name; /* path of the store and name of the baseline, or NULL */
	/* Options as they were given, for commands in advice; NULL: not given. */
	const char *db_option, *config_option;
	bool bootstrap; /* if the baseline does not exist, record the candidate as it */
};

/* Measures the runs, compares them with the baseline and fills the result with verdict and exit
 * code. A baseline that does not exist is a verdict, not an error. */
enum weir_status weir_gate_runs(const struct weir_gate_request *request,
                                struct weir_gate_result *result, struct weir_error *err);

/* Loads a policy file (NULL: weir.json if present) and marks the waivers that have expired today.
 * The caller frees *out. */
enum weir_status weir_policy_today(const char *path, struct weir_policy **out,
                                   struct weir_error *err);

#endif
