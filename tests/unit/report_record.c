/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rank/features.h"
#include "engine/analysis/rows/rows.h"
#include "engine/model/run_document.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/judge.h"
#include "engine/pipeline/recommend.h"
#include "tests/unit/fixture_report.h"
#include "tests/unit/near.h"
#include "tests/unit/report_record.h"

#define MOST_OPS 20 /* in the report */

/* Appends the lines of a text without their indentation, and without that of weir's version. */
static void add_lines(struct weir_text *out, const char *text)
{
	while (*text) {
		size_t length;

		text += strspn(text, " ");
		length = strcspn(text, "\n");
		length += text[length] == '\n';
		if (strncmp(text, "\"weir\":", 7) != 0)
			weir_text_add(out, text, length);
		text += length;
	}
}

/* Fills the report up to its verdict. */
static void conclude(struct weir_analysis *analysis, struct weir_ruleset *rules,
                     struct weir_report *report)
{
	struct weir_conclusion conclusion = {0};

	weir_judge_operators(analysis, rules);
	weir_analysis_report(analysis, report);
	weir_judge_profile(report, rules, &conclusion);
	weir_settle_attribution(analysis, &conclusion, report);
	weir_conclusion_release(&conclusion);
}

/* Fills the report as `weir classify` does. */
static void fill(struct weir_analysis *analysis, struct weir_ruleset *rules,
                 struct weir_report *report)
{
	struct weir_conclusion conclusion = {0};
	struct weir_error err = {0};

	weir_judge_operators(analysis, rules);
	weir_analysis_report(analysis, report);
	weir_judge_stages(report, rules);
	weir_judge_profile(report, rules, &conclusion);
	weir_settle_attribution(analysis, &conclusion, report);
	if (weir_recommend(analysis, report, conclusion.advice.items, conclusion.advice.count,
	                   &err))
		fail_msg("%s", err.message);
	weir_conclusion_release(&conclusion);
}

static void add_features(const struct weir_report *report, struct weir_text *out)
{
	for (size_t f = 0; f < WEIR_F_COUNT; f++)
		if (!isnan(report->features[f]))
			weir_text_printf(out, "%s %.12g\n", weir_features.items[f].id,
			                 report->features[f]);
}

/* Adds the features of the stages that differ from those of the profile. */
static void add_features_of_stages(const struct weir_report *report, struct weir_text *out)
{
	for (size_t s = 0; s < report->stage_count; s++)
		for (size_t f = 0; f < WEIR_F_COUNT && report->stages[s].features; f++) {
			double value = report->stages[s].features[f];

			if (!isnan(value) && value != report->features[f])
				weir_text_printf(out, "%s: %s %.12g\n", report->stages[s].name,
				                 weir_features.items[f].id, value);
		}
}

void report_record_add(struct weir_profile *profile, const struct weir_analysis_options *options,
                       struct weir_text *out)
{
	struct weir_analysis *analysis = NULL;
	struct weir_ruleset *rules = NULL;
	struct weir_report *report;
	struct weir_error err = {0};
	struct weir_text text;

	if (weir_load_rules(NULL, &rules, &err) ||
	    weir_analysis_new(profile, options, &analysis, &err))
		fail_msg("%s", err.message);
	report = weir_report_new(profile);
	fill(analysis, rules, report);
	add_features(report, out);
	add_features_of_stages(report, out);
	text = fixture_write("json", report, 80, MOST_OPS);
	add_lines(out, text.data);
	weir_text_release(&text);
	weir_report_free(report);
	weir_ruleset_free(rules);
	weir_analysis_free(analysis);
}

void report_record_add_verdict(struct weir_profile *profile,
                               const struct weir_analysis_options *options, struct weir_text *out)
{
	struct weir_analysis *analysis = NULL;
	struct weir_ruleset *rules = NULL;
	struct weir_report *report;
	struct weir_error err = {0};

	if (weir_load_rules(NULL, &rules, &err) ||
	    weir_analysis_new(profile, options, &analysis, &err))
		fail_msg("%s", err.message);
	report = weir_report_new(profile);
	conclude(analysis, rules, report);
	weir_text_printf(out, "%s, %s, %.12g, runner-up %.12g\n",
	                 weir_bound_name(report->verdict.bound),
	                 report->verdict.cause ? report->verdict.cause : "no cause",
	                 report->verdict.share, report->verdict.runner_up_share);
	for (size_t b = 0; b < WEIR_BOUND_COUNT; b++)
		weir_text_printf(out, "%s %lld\n", weir_bound_name((enum weir_bound)b),
		                 (long long)report->attribution.ns[b]);
	weir_report_free(report);
	weir_ruleset_free(rules);
	weir_analysis_free(analysis);
}

void report_record_add_run(struct weir_profile *profile,
                           const struct weir_analysis_options *options, struct weir_text *out)
{
	struct weir_run *run = weir_run_new();
	struct weir_analysis *analysis = NULL;
	struct weir_error err = {0};

	if (weir_analysis_new(profile, options, &analysis, &err))
		fail_msg("%s", err.message);
	weir_analysis_run(analysis, run);
	weir_run_json(run, out);
	weir_run_free(run);
	weir_analysis_free(analysis);
}
