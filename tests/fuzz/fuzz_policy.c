/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any bytes as weir.json: it is refused with a message, or applied to rows of every outcome.
 * No policy makes a gate pass that has a regression without a waiver.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ci/policy/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
	enum weir_scope_kind kind;
	const char *scope;
} subjects[] = {
	{WEIR_SCOPE_STAGE, "stage:decode"},
	{WEIR_SCOPE_DEVICE, "device:decode"},
	{WEIR_SCOPE_OPERATOR, "operator:decode/aten::copy_"},
	{WEIR_SCOPE_METRIC, "metric:tokens_per_s"},
	{WEIR_SCOPE_ALL_OPERATORS, "all-operators"},
};

static void fill_rows(struct weir_gate_result *result)
{
	size_t kinds = sizeof subjects / sizeof *subjects;

	result->rows =
		weir_arena_alloc(result->arena, kinds * WEIR_OUTCOME_COUNT * sizeof *result->rows);
	for (size_t i = 0; i < kinds * WEIR_OUTCOME_COUNT; i++)
		result->rows[result->row_count++] = (struct weir_row){
			.kind = subjects[i % kinds].kind,
			.scope = subjects[i % kinds].scope,
			.metric = (enum weir_metric)(i % WEIR_METRIC_COUNT),
			.outcome = (enum weir_outcome)(i / kinds),
			.baseline = 1e6,
			.candidate = 1.1e6,
			.change = 0.1,
			.contributed_ns = 1e5,
		};
}

static void judge(struct weir_policy *policy)
{
	struct weir_gate_result *result = weir_gate_result_new();
	const struct weir_gate_terms terms = {.policy = policy, .strict = true};

	fill_rows(result);
	weir_gate_judge(result, &terms);
	if ((result->counts.regressions > 0) != (result->exit_code == 1))
		abort();
	if (result->counts.judged == 0 && result->exit_code == 0)
		abort(); /* a comparison that failed is never a pass */
	weir_gate_result_free(result);
}

static void meet(const struct weir_policy *policy)
{
	struct weir_gate_result *result = weir_gate_result_new();
	struct weir_run *run = weir_run_new();
	const struct weir_run *side = run;

	weir_run_set_label(run, "gpu", "NVIDIA H200 NVL");
	if (!weir_gate_environment(result, policy, &side, 1, &side, 1))
		abort(); /* a run equals itself */
	weir_run_free(run);
	weir_gate_result_free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_policy *policy = NULL;
	struct weir_error err = {0};

	if (weir_policy_parse("fuzz.json", (const char *)data, size, &policy, &err)) {
		if (err.status != WEIR_E_USAGE || strncmp(err.message, "fuzz.json: ", 11) != 0)
			abort(); /* a refusal has a position and a message */
		return 0;
	}
	weir_policy_set_today(policy, "2026-11-20");
	judge(policy);
	meet(policy);
	weir_policy_free(policy);
	return 0;
}
