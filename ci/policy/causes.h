/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Joins the rows of a gate that regressed, are suspected or waived into findings, one per cause:
 *
 * - all metrics of a scope; a stage and its device time
 * - an operator and its stage, if the change of the operator explains that of the stage
 * - a stage and its operators, if no operator explains it, or more than WEIR_CAUSES_OPERATORS do
 * - all operators or stages together, if five or more of them changed by a common factor, which is
 *   the mark of a slower clock or machine
 * - scopes that differ only in the number of a rank, if all ranks changed alike
 *
 * A finding adds the change at p50 (or the mean of the log deciles) to an iteration; a change of a
 * tail alone counts for the share of iterations beyond the quantile.
 */
#ifndef WEIR_CI_POLICY_CAUSES_H
#define WEIR_CI_POLICY_CAUSES_H

#include "engine/model/comparison.h"

#define WEIR_CAUSES_EXPLAINED 0.5 /* part of a stage's change that its operators must explain */
#define WEIR_CAUSES_OPERATORS 3   /* more regressed operators of a stage have a common cause */
#define WEIR_CAUSES_ALIKE     5   /* least number of operators or stages for a common factor */
#define WEIR_CAUSES_SHARE     0.8 /* least share of them that changed by the factor */
/* Changes from LEAST to MOST times the common one, on logarithms, are alike. */
#define WEIR_CAUSES_LEAST 0.5
#define WEIR_CAUSES_MOST  1.5

/* Scopes of common factors that no row has. */
#define WEIR_SCOPE_OF_ALL_OPERATORS "all-operators"
#define WEIR_SCOPE_OF_ALL_STAGES    "all-stages"

/* Fills result->findings and the rows' stage_change, replacing earlier findings. */
void weir_gate_find_causes(struct weir_gate_result *result);

/* Does the same for a result that was read from a document of an older version or another program,
 * in which a row lacks its finding. */
void weir_gate_complete_causes(struct weir_gate_result *result);

#endif
