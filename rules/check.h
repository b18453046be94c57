/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the examples that every rule carries: the test of the catalogue, and `weir rules check`. */
#ifndef WEIR_RULES_CHECK_H
#define WEIR_RULES_CHECK_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/model/finding.h"
#include "rules/ruleset.h"

/* An example that does not give what it says; valid during the call. */
struct weir_example_failure {
	const struct weir_rule *rule;
	size_t example; /* index in the file */
	enum weir_truth expected, got;
	struct weir_evidence evidence[WEIR_MAX_CLAUSES]; /* every clause with its own truth */
	size_t evidence_count;
};

typedef void weir_example_report(void *context, const struct weir_example_failure *failure);

/* Calls `report` (may be NULL) for each failure, in order; counts are written even where some
 * failed. */
enum weir_status weir_ruleset_check(struct weir_ruleset *set, weir_example_report *report,
                                    void *context, size_t *failures, struct weir_error *err);

#endif
