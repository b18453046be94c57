/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Concludes a verdict from rows that the statistics filled: applies rules, waivers and ceilings of
 * the configuration, checks coverage and environment, and sets the exit codes of docs/ci.md. A
 * comparison that is impossible never passes.
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
	bool strict;            /* suspect rows, rows undecided at p50 or shift, and inconclusive
	                           verdicts fail */
	bool require_operators; /* a missing operator fails */
	bool never_fail;        /* for `compare`: the exit code is 0 with any verdict */
	bool one_session;       /* both sides were measured in one session, whatever labels say */
};

/* Fills the labels that all runs of a side share, and the differences in labels that the policy
 * lists. Returns false if a label differs that must match. */
bool weir_gate_environment(struct weir_gate_result *result, const struct weir_policy *policy,
                           const struct weir_run *const *baseline, size_t baseline_count,
                           const struct weir_run *const *candidate, size_t candidate_count);

/* Applies the terms to the rows, sorts the worst first, counts outcomes, and sets verdict, codes
 * and exit code. */
void weir_gate_judge(struct weir_gate_result *result, const struct weir_gate_terms *terms);

/* Sets a verdict without rows: there is no baseline, or the environments differ. */
void weir_gate_stop(struct weir_gate_result *result, enum weir_gate_verdict verdict,
                    enum weir_gate_code code);

/* Adds a line to the result's remarks. */
void weir_gate_remark(struct weir_gate_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
