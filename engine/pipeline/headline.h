/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the sentences of a report agree with its figures: the headline with the attribution, the
 * stages with the steps. Call these after the attribution is settled. Texts live in the report's
 * arena.
 */
#ifndef WEIR_PIPELINE_HEADLINE_H
#define WEIR_PIPELINE_HEADLINE_H

#include "engine/model/report.h"

/*
 * Sets the share of the verdict to the attributed share of its bound, if any time is attributed to
 * it. Appends to the headline that share if it names another, and the longest share, with the
 * reason, if that belongs to another bound.
 */
void weir_complete_headline(struct weir_report *report);

/* Replaces the headline and the next step of a verdict without a rule by the evidence that is
 * missing, in the user's words. Leaves a headline that another function has set. */
void weir_explain_abstention(struct weir_report *report);

/* Notes the stages whose median is longer than that of a step, and the reason. */
void weir_note_long_stages(struct weir_report *report);

#endif
