/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completes the findings of a gate for its JSON. */
#ifndef WEIR_PIPELINE_FINDINGS_H
#define WEIR_PIPELINE_FINDINGS_H

#include "engine/model/comparison.h"
#include "engine/pipeline/gating.h"

/* Writes the sentence of each finding, and names the fix that would undo it. Call it after
 * weir_name_undoing_fixes(). */
void weir_word_findings(struct weir_gate_result *result);

#endif
