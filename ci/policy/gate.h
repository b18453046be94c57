/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From rows to a verdict: what the configuration says of rows that the statistics filled (ceilings,
 * waivers, least changes), coverage, environment, and the exit codes of the contract. "Could not
 * compare" is never a pass.
 */
#ifndef WEIR_CI_POLICY_GATE_H
#define WEIR_CI_POLICY_GATE_H

#include <stdbool.h>

#include "ci/policy/policy.h"
#include "engine/model/comparison.h"
#include "engine/model/run.h"

enum weir_gate_code {
	WEIR_GATE_CODE_REGRESSION = 1,
	WEIR_GATE_CODE_INCONCLUSIVE = 3,
	WEIR_GATE_CODE_NO_BASELINE = 4,
	WEIR_GATE_CODE_ENVIRONMENT = 5,
	WEIR_GATE_CODE_COVERAGE = 6,
};

struct weir_gate_terms {
	const struct weir_policy *policy;
	bool strict;            /* suspects and inconclusive verdicts fail */
	bool require_operators; /* a missing operator fails */
	bool never_fail;        /* compare: the verdict is told, the exit code is 0 */
};

/* Fills the sides' shared labels and the differences that the policy names. False: a must-match
 * label differs. */
bool weir_gate_environment(struct weir_gate_result *result, const struct weir_policy *policy,
                           const struct weir_run *const *baseline, size_t baseline_count,
                           const struct weir_run *const *candidate, size_t candidate_count);

/* Applies the terms to the rows, sorts them worst first, counts, and sets verdict, codes and exit
 * code. */
void weir_gate_judge(struct weir_gate_result *result, const struct weir_gate_terms *terms);

/* For the ends without rows: no baseline, another environment. */
void weir_gate_stop(struct weir_gate_result *result, enum weir_gate_verdict verdict,
                    enum weir_gate_code code);

/* Adds a line to the result's remarks. */
void weir_gate_remark(struct weir_gate_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
