/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules applied to what was analysed, from the operators up: the only place where analysis and
 * rules meet. Nothing is measured here.
 */
#ifndef WEIR_CLI_JUDGE_H
#define WEIR_CLI_JUDGE_H

#include "engine/analysis/analyze.h"
#include "engine/base/error.h"
#include "engine/model/report.h"
#include "rules/ruleset.h"

/* Gives each operator of the analysis its verdict: before the report is made, whose attribution
 * rests on them. Fails where a clause cannot be evaluated. */
enum weir_status weir_judge_operators(struct weir_analysis *analysis, struct weir_ruleset *rules,
                                      struct weir_error *err);

/* Gives the report's stages and the report itself their verdicts, with recommendations and notes;
 * texts are in the report's arena. */
enum weir_status weir_judge_report(const struct weir_analysis *analysis, struct weir_report *report,
                                   struct weir_ruleset *rules, struct weir_error *err);

#endif
