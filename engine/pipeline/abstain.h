/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Explains verdicts that stay undetermined because an input is missing: what the given inputs show,
 * and which file to pass or how to record it, in the terms of the tool that wrote them.
 */
#ifndef WEIR_PIPELINE_ABSTAIN_H
#define WEIR_PIPELINE_ABSTAIN_H

#include <stdbool.h>

#include "engine/model/report.h"

/* Returns true if an input holds a timeline, with or without device work. */
bool weir_has_timeline(const struct weir_report *report);

/* Replaces headline and next step of an undetermined verdict; texts live in the report's arena or
 * are static. Leaves verdicts that a rule explains, but completes those about host operators. */
void weir_explain_missing_input(struct weir_report *report);

#endif
