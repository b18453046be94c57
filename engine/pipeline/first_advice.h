/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the next step of a verdict agree with the first recommendation of the report. */
#ifndef WEIR_PIPELINE_FIRST_ADVICE_H
#define WEIR_PIPELINE_FIRST_ADVICE_H

#include <stddef.h>

#include "engine/model/finding.h"
#include "engine/model/report.h"

/* A first recommendation with a smaller predicted speed-up leaves the rule's next step as it is. */
#define WEIR_FIRST_ADVICE_SPEEDUP 1.15

/*
 * Names the first recommendation as the next step, with its predicted speed-up, if the rule of the
 * verdict advises something else: a reader follows one of them. `advice` comes from all rules that
 * hold. If a setting made the launches of the run block, the advice to unset it comes first
 * instead. Call it once the recommendations are complete. The text lives in the report's arena.
 */
void weir_follow_first_advice(struct weir_report *report, const struct weir_advice *advice,
                              size_t count);

#endif
