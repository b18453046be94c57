/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Applies the rules to the subjects of an analysis: first operators, then stages, then requests and
 * the device as a whole. No other unit connects analysis and rules.
 */
#ifndef WEIR_PIPELINE_JUDGE_H
#define WEIR_PIPELINE_JUDGE_H

#include <stdbool.h>

#include "engine/analysis/analyze.h"
#include "engine/model/finding.h"
#include "engine/model/report.h"
#include "rules/evaluate.h"
#include "rules/ruleset.h"

/* Requests below which a verdict has low confidence: a percentile of fewer is one or two of them.
 */
#define WEIR_FEW_REQUESTS 20

/* Gives each operator its verdict. Call it before the report is made: the attribution of time rests
 * on these verdicts. */
void weir_judge_operators(struct weir_analysis *analysis, struct weir_ruleset *rules);

/* Judges one operator; `rules` is a struct weir_ruleset. For struct weir_analysis_options. */
void weir_judge_operator(void *rules, const struct weir_subject *subject,
                         struct weir_verdict *verdict);

/* Gives each stage of the report its verdict. */
void weir_judge_stages(struct weir_report *report, struct weir_ruleset *rules);

/* Verdicts from which that of the report is made, and the advice of all rules that hold. {0} is
 * empty; release it with weir_conclusion_release(). Texts are borrowed from the rules. */
struct weir_conclusion {
	bool about_requests; /* true if `requests` is set */
	bool about_server;   /* the state of the server gave the verdict */
	bool descends;       /* true if `device` decides what bounds the computation of requests */
	struct weir_verdict requests, device;
	struct weir_advice_list advice; /* by weight; advice about requests first */
};

/*
 * Fills report->verdict; its texts live in the report's arena or belong to the rules.
 *
 * If a state of the server explains the waiting, it is the verdict. Else, if there are requests,
 * the verdict is about them. If computation takes most of their time and there is a timeline of the
 * device, the timeline decides the bound. Without requests, timeline or counters, the verdict names
 * the input that is missing.
 */
void weir_judge_profile(struct weir_report *report, struct weir_ruleset *rules,
                        struct weir_conclusion *out);
void weir_conclusion_release(struct weir_conclusion *conclusion);

/* Attributes the time of requests by the verdicts about them and about the device. */
void weir_settle_attribution(const struct weir_analysis *analysis,
                             const struct weir_conclusion *conclusion, struct weir_report *report);

/* Notes that profiling slows the host, if a runtime-bound report holds no durations taken without a
 * profiler. */
void weir_note_profiler(struct weir_report *report);

#endif
