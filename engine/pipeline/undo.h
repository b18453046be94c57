/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names, beside a regression, the fix that would undo it. */
#ifndef WEIR_PIPELINE_UNDO_H
#define WEIR_PIPELINE_UNDO_H

#include "engine/model/comparison.h"
#include "engine/pipeline/gating.h"

/*
 * Fills result->undos after a regression: classifies the first candidate, and the first run of the
 * baseline if it is a file, and lists the fixes whose places take a good part of the time that a
 * stage or an operator gained, if the baseline does not need them as much. Does nothing without a
 * regression, and for runs without a timeline: they have no fixes.
 */
void weir_name_undoing_fixes(const struct weir_gate_request *request,
                             struct weir_gate_result *result);

#endif
