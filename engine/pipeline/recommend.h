/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns fixes that apply and the advice of rules into the recommendations of a report. */
#ifndef WEIR_PIPELINE_RECOMMEND_H
#define WEIR_PIPELINE_RECOMMEND_H

#include <stddef.h>

#include "engine/analysis/analyze.h"
#include "engine/base/error.h"
#include "engine/model/finding.h"
#include "engine/model/report.h"

/*
 * Fills report->recommendations: first the fixes that engine/analysis/advice finds, in its order,
 * then the advice of rules, with the features of the profile in the templates. Advice of a rule
 * whose id has a transformation is left out where the run has a program of calls: the
 * transformation found it, or found that it does not apply. The typical speed-up of a rule is
 * capped twice: by 1 / (1 - s), the speed-up if the share s of the time were removed, and by the
 * speed-up that the timeline predicts for the change in the rule's "what_if". Advice that saves
 * less than 3 % is left out. All other members of the report are filled already.
 */
enum weir_status weir_recommend(const struct weir_analysis *analysis, struct weir_report *report,
                                const struct weir_advice *advice, size_t count,
                                struct weir_error *err);

#endif
