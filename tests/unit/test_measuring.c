/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs as a gate and a baseline measure them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rank/features.h"
#include "engine/model/run_document.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/measure_runs.h"

static struct weir_ruleset *load_rules(void)
{
	struct weir_ruleset *rules;
	struct weir_error err = {0};

	if (weir_load_rules(NULL, &rules, &err))
		fail_msg("%s", err.message);
	return rules;
}

static void assert_same_verdict(struct weir_ruleset *rules, const char *path)
{
	const char *const paths[] = {path};
	const struct weir_classify_request request = {.paths = paths, .path_count = 1};
	struct weir_classification *classification;
	const struct weir_verdict *verdict;
	struct weir_measured measured = {0};
	struct weir_error err = {0};

	if (weir_classify(&request, &classification, &err) ||
	    weir_measure(&request, rules, &measured, &err))
		fail_msg("%s", err.message);
	verdict = &weir_classification_report(classification)->verdict;
	assert_int_equal(measured.has_bound, verdict->bound != WEIR_BOUND_UNDETERMINED);
	if (measured.has_bound) {
		assert_int_equal(measured.bound, verdict->bound);
		assert_string_equal(measured.cause, verdict->cause ? verdict->cause : "");
	}
	weir_measured_release(&measured);
	weir_classification_free(classification);
}

static void a_measured_run_has_the_verdict_of_its_classification(void **state)
{
	static const char *const paths[] = {
		"tests/data/kineto/llm_decode_eager_b1.pt.trace.json.gz",
		"tests/data/kineto/llm_decode_graph_b8.pt.trace.json.gz",
		"tests/data/kineto/large_matmul.pt.trace.json.gz",
		"tests/data/kineto/elementwise_chain.pt.trace.json.gz",
		"tests/data/kineto/h2d_pageable.pt.trace.json.gz",
		"tests/data/kineto/malloc_churn.pt.trace.json.gz",
		"tests/data/kineto/norm_softmax.pt.trace.json.gz",
		"tests/data/nsys/export.sqlite",
		"tests/data/ncu/h200_gemm.csv",
		"tests/data/ncu/h200_small.csv",
		"tests/data/ncu/h200_decode.csv",
		"tests/data/requests/served.jsonl",
		"tests/data/requests/slow_tokenizer.jsonl",
		"tests/data/spans/batch-server.otlp.json",
		"tests/data/spans/vllm.otlp.jsonl",
		"tests/data/triton/served.json",
		"tests/data/monitors/capped.csv",
		"tests/data/scrape/vllm-both.prom",
		"tests/data/host_profiles/stacks.folded",
		"tests/data/runs/none-01.json",
	};
	struct weir_ruleset *rules = load_rules();

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		assert_same_verdict(rules, paths[i]);
	weir_ruleset_free(rules);
}

/* Measuring leaves out the figures of the queue; a rule that reads them would judge a gate's run by
 * an unknown. */
static void no_built_in_rule_reads_a_feature_that_measuring_leaves_out(void **state)
{
	struct weir_ruleset *rules = load_rules();

	(void)state;
	for (size_t r = 0; r < weir_ruleset_count(rules); r++) {
		const struct weir_rule *rule = weir_ruleset_rule(rules, r);

		assert_int_not_equal(rule->share, WEIR_F_STARVED_OF_IDLE);
		for (size_t c = 0; c < rule->clause_count; c++)
			assert_false(weir_clause_reads(&rule->clauses[c], WEIR_F_STARVED_OF_IDLE));
	}
	weir_ruleset_free(rules);
}

static void measuring_and_converting_give_the_same_run(void **state)
{
	const char *const paths[] = {"tests/data/kineto/llm_decode_eager_b1.pt.trace.json.gz"};
	const struct weir_classify_request request = {.paths = paths, .path_count = 1};
	struct weir_ruleset *rules = load_rules();
	struct weir_text converted_text = {0}, measured_text = {0};
	struct weir_measured measured;
	struct weir_run *converted;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_convert(&request, &converted, &err), WEIR_OK);
	assert_int_equal(weir_measure(&request, rules, &measured, &err), WEIR_OK);
	weir_run_json(converted, &converted_text);
	weir_run_json(measured.run, &measured_text);
	assert_string_equal(measured_text.data, converted_text.data);
	weir_text_release(&converted_text);
	weir_text_release(&measured_text);
	weir_measured_release(&measured);
	weir_run_free(converted);
	weir_ruleset_free(rules);
}

struct failures {
	size_t count;
	char last[512];
};

static void note_failure(void *context, const char *message)
{
	struct failures *failures = context;

	failures->count++;
	snprintf(failures->last, sizeof failures->last, "%s", message);
}

static enum weir_status measure(const char *const *paths, size_t count, struct failures *failures,
                                struct weir_baseline *into, struct weir_error *err)
{
	const struct weir_measuring how = {.recorded = "2026-11-20T14:00:00Z",
	                                   .consequence = "nothing was compared",
	                                   .failed = note_failure,
	                                   .context = failures};
	const struct weir_run_list list = {paths, count, into};

	return weir_measure_runs(&how, &list, 1, err);
}

#define NATIVE "tests/data/runs/none-01.json"

static void one_call_names_every_run_that_cannot_be_read(void **state)
{
	const char *const paths[] = {"tests/data/none-1", NATIVE, "tests/data/none-2"};
	struct weir_baseline *baseline = weir_baseline_new("");
	struct failures failures = {0};
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(measure(paths, 3, &failures, baseline, &err), WEIR_E_FORMAT);
	assert_int_equal(failures.count, 2);
	assert_string_equal(failures.last,
	                    "tests/data/none-2: cannot open: No such file or directory");
	assert_string_equal(err.message, "2 of 3 runs cannot be read; fix them or leave them out "
	                                 "(nothing was compared)");
	assert_int_equal(baseline->count, 1);
	weir_baseline_free(baseline);
}

static void runs_keep_their_order_and_the_time_of_recording(void **state)
{
	const char *const paths[] = {NATIVE, "tests/data/kineto/large_matmul.pt.trace.json.gz"};
	struct weir_baseline *baseline = weir_baseline_new("");
	struct failures failures = {0};
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(measure(paths, 2, &failures, baseline, &err), WEIR_OK);
	assert_int_equal(failures.count, 0);
	assert_int_equal(baseline->count, 2);
	assert_null(baseline->runs[0].bound); /* durations alone */
	assert_non_null(baseline->runs[1].bound);
	assert_string_equal(baseline->runs[1].recorded, "2026-11-20T14:00:00Z");
	weir_baseline_free(baseline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_measured_run_has_the_verdict_of_its_classification),
		cmocka_unit_test(no_built_in_rule_reads_a_feature_that_measuring_leaves_out),
		cmocka_unit_test(measuring_and_converting_give_the_same_run),
		cmocka_unit_test(one_call_names_every_run_that_cannot_be_read),
		cmocka_unit_test(runs_keep_their_order_and_the_time_of_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
