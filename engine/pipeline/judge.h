/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Applies the rules to the subjects of an analysis: operators first, then stages, then requests and
 * device as a whole. Analysis and rules meet only here. Nothing is measured here.
 */
#ifndef WEIR_PIPELINE_JUDGE_H
#define WEIR_PIPELINE_JUDGE_H

#include <stdbool.h>

#include "engine/analysis/analyze.h"
#include "engine/model/finding.h"
#include "engine/model/report.h"
#include "rules/evaluate.h"
#include "rules/ruleset.h"

/* A percentile over fewer requests is one or two of them: the verdict has low confidence. */
#define WEIR_FEW_REQUESTS 20

/* Gives each operator its verdict. The attribution of time rests on these, so this comes before the
 * report. */
void weir_judge_operators(struct weir_analysis *analysis, struct weir_ruleset *rules);

void weir_judge_stages(struct weir_report *report, struct weir_ruleset *rules);

/* The verdicts behind the one of the report, and the advice of the rules that hold. {0} is empty;
 * release with weir_conclusion_release(). Texts are borrowed from the rules. */
struct weir_conclusion {
	bool about_requests; /* `requests` is set */
	bool descends;       /* and `device` decides what bounds their computation */
	struct weir_verdict requests, device;
	struct weir_advice_list advice; /* by weight, that about requests first */
};

/*
 * Fills report->verdict; its texts live in the report's arena or belong to the rules. With
 * requests, the verdict is the one about them. If that finds their time in computation and a
 * timeline shows the computation, the timeline names the bound. Without any of both, the verdict
 * says what input is missing.
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
