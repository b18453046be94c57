/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole reports of random traces, against tests/data/random_reports: they hold what no program
 * does, such as ranges that do not nest, so that they reach what other tests do not ask for. In the
 * second half of the rounds times lie on a grid, so that rows touch and gaps are as long as limits.
 * `WEIR_UPDATE_REPORTS=1 test_random_reports` rewrites the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/judge.h"
#include "engine/pipeline/recommend.h"
#include "tests/unit/advice_run.h"
#include "tests/unit/fixture_report.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/record.h"

#define ROUNDS   20
#define EXACT    8 /* the first round on a grid */
#define DEVICE   "NVIDIA H100 80GB HBM3"
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

static struct weir_trace *draw(uint64_t *seed, int round)
{
	static const int64_t grids[] = {500, 1000, 5000, 10000};
	struct weir_trace *trace = random_trace_on_grid(seed, round < EXACT ? 1 : grids[round % 4]);

	advice_give_shape(trace, "aten::mm", "[[512, 512], [512, 512]]", "[\"float\", \"float\"]");
	advice_give_shape(trace, "aten::add", "[[64, 512], [512], []]",
	                  "[\"float\", \"float\", \"Scalar\"]");
	return trace;
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

/* Reports the run of one to three ranks. */
static void describe(uint64_t *seed, int round, struct weir_text *out)
{
	const struct weir_analysis_options options = {
		.steady = round % 2, .percentile = 0.95, .device_name = round % 3 ? DEVICE : NULL};
	struct weir_profile *profile = weir_profile_new();
	struct weir_analysis *analysis = NULL;
	struct weir_ruleset *rules = NULL;
	struct weir_report *report;
	struct weir_error err = {0};
	struct weir_text text;

	for (int rank = 0; rank <= round % 3; rank++)
		weir_profile_add_input(profile, "trace")->trace = draw(seed, round);
	if (weir_load_rules(NULL, &rules, &err) ||
	    weir_analysis_new(profile, &options, &analysis, &err))
		fail_msg("%s", err.message);
	report = weir_report_new(profile);
	fill(analysis, rules, report);
	text = fixture_write("json", report, 80, MOST_OPS);
	add_lines(out, text.data);
	weir_text_release(&text);
	weir_report_free(report);
	weir_ruleset_free(rules);
	weir_analysis_free(analysis);
	weir_profile_free(profile);
}

static void reports_of_random_traces_keep_every_figure(void **state)
{
	uint64_t seed = 41;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct weir_text text = {0};
		char path[64];

		(void)snprintf(path, sizeof path, "tests/data/random_reports/%d.txt", round);
		describe(&seed, round, &text);
		record_check(path, &text, "WEIR_UPDATE_REPORTS");
		weir_text_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_of_random_traces_keep_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
