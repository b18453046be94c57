/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every feature of every subject of a few profiles, against tests/data/features: most of them are
 * in no report, but rules may read them. `WEIR_UPDATE_FEATURES=1 test_features` rewrites the files;
 * review each line of the difference.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/rank/features.h"
#include "engine/base/text.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/judge.h"
#include "engine/readers/reader.h"
#include "tests/unit/record.h"

#define MOST_INPUTS    3
#define MOST_OPERATORS 16

struct features_case {
	const char *name;
	bool whole; /* all steps, not only the steady ones */
	const char *paths[MOST_INPUTS];
};

static const struct features_case cases[] = {
	{"nsys", false, {"tests/data/nsys/metrics.sqlite"}},
	{"rocpd", false, {"tests/data/rocpd/run.db"}},
	{"allocator", false, {"tests/data/kineto/malloc_churn.pt.trace.json.gz"}},
	{"fork_graph", true, {"tests/data/kineto/decode_fork_graph.pt.trace.json.gz"}},
	{"straggler", false, {"tests/data/kineto/straggler"}},
	{"small_matmul", false, {"tests/data/kineto/small_matmul_add.pt.trace.json.gz"}},
	{"step_sums", true, {"tests/data/kineto/written/step_sums.json"}},
	{"counters",
         false,
         {"tests/data/kineto/large_operators.pt.trace.json.gz",
          "tests/data/ncu/h200_large_operators.csv"}},
	{"counted", false, {"tests/data/ncu/h200_gemm.csv"}},
	{"spans", false, {"tests/data/spans/batch-server.otlp.json"}},
	{"requests", false, {"tests/data/requests/slow_tokenizer.jsonl"}},
	{"scrape", false, {"tests/data/scrape/triton.prom"}},
	{"together",
         false,
         {"tests/data/captures/long_prefill.otlp.json.gz",
          "tests/data/monitors/h200.nvidia-smi.csv.gz",
          "tests/data/kineto/norm_softmax.pt.trace.json.gz"}},
};

static void add_values(struct weir_text *text, const char *subject, const char *name,
                       const double *values)
{
	weir_text_printf(text, "%s %s\n", subject, name ? name : "-");
	for (size_t i = 0; i < weir_features.count; i++)
		if (!isnan(values[i]))
			weir_text_printf(text, "\t%s %.7g\n", weir_features.items[i].id, values[i]);
}

static void add_operators(struct weir_text *text, const struct weir_analysis *analysis)
{
	size_t count = weir_analysis_subject_count(analysis);

	for (size_t i = 0; i < count && i < MOST_OPERATORS; i++) {
		struct weir_subject subject;

		weir_analysis_subject(analysis, i, &subject);
		add_values(text, "operator", subject.name, subject.values);
	}
}

static void describe(const struct features_case *one, struct weir_text *text)
{
	const struct weir_analysis_options options = {.steady = !one->whole, .percentile = 0.95};
	const struct weir_read_options by_content = {0};
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	struct weir_analysis *analysis = NULL;
	struct weir_report *report;
	struct weir_ruleset *rules = NULL;
	size_t count = 0;

	while (count < MOST_INPUTS && one->paths[count])
		count++;
	if (weir_read_paths(profile, one->paths, count, &by_content, &err) ||
	    weir_load_rules(NULL, &rules, &err) ||
	    weir_analysis_new(profile, &options, &analysis, &err))
		fail_msg("%s", err.message);
	assert_non_null(analysis);
	report = weir_report_new(profile);
	add_operators(text, analysis);
	weir_judge_operators(analysis, rules);
	weir_analysis_report(analysis, report);
	for (size_t i = 0; i < report->stage_count; i++)
		add_values(text, "stage", report->stages[i].name, report->stages[i].features);
	add_values(text, "profile", NULL, report->features);
	weir_report_free(report);
	weir_analysis_free(analysis);
	weir_ruleset_free(rules);
	weir_profile_free(profile);
}

static void every_feature_keeps_its_value(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weir_text text = {0};
		char path[128];

		(void)snprintf(path, sizeof path, "tests/data/features/%s.txt", cases[i].name);
		describe(&cases[i], &text);
		record_check(path, &text, "WEIR_UPDATE_FEATURES");
		weir_text_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_feature_keeps_its_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
