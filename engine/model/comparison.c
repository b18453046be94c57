/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "engine/model/comparison.h"

WEIR_ENUM_TEXTS(weir_metric, [WEIR_METRIC_P50] = "p50", [WEIR_METRIC_P90] = "p90",
                [WEIR_METRIC_P95] = "p95", [WEIR_METRIC_P99] = "p99", [WEIR_METRIC_SHIFT] = "shift",
                [WEIR_METRIC_VALUE] = "value", [WEIR_METRIC_DRIFT] = "drift")

static const char *const scope_words[] = {
	[WEIR_SCOPE_STAGE] = "stage:",
	[WEIR_SCOPE_DEVICE] = "device:",
	[WEIR_SCOPE_OPERATOR] = "operator:",
	[WEIR_SCOPE_METRIC] = "metric:",
	[WEIR_SCOPE_ALL_OPERATORS] = "all-operators",
};

WEIR_ENUM_TEXTS(
	weir_drawn_kind, [WEIR_DRAWN_OPERATOR] = "operator", [WEIR_DRAWN_OPERATORS] = "operators",
	[WEIR_DRAWN_DEVICE] = "device", [WEIR_DRAWN_REST] = "rest")

WEIR_ENUM_TEXTS(weir_outcome, [WEIR_OUTCOME_REGRESSION] = "regression",
                [WEIR_OUTCOME_IMPROVEMENT] = "improvement", [WEIR_OUTCOME_NO_CHANGE] = "no-change",
                [WEIR_OUTCOME_INCONCLUSIVE] = "inconclusive", [WEIR_OUTCOME_SUSPECT] = "suspect",
                [WEIR_OUTCOME_INFORMATIONAL] = "informational", [WEIR_OUTCOME_MISSING] = "missing",
                [WEIR_OUTCOME_NEW] = "new", [WEIR_OUTCOME_MOVED] = "moved",
                [WEIR_OUTCOME_WAIVED] = "waived")

WEIR_ENUM_TEXTS(weir_method, [WEIR_METHOD_FULL] = "full", [WEIR_METHOD_TWO_RUN] = "two-run",
                [WEIR_METHOD_SINGLE_RUN] = "single-run", [WEIR_METHOD_OUTLIER] = "outlier",
                [WEIR_METHOD_NONE] = "none")

WEIR_ENUM_TEXTS(weir_session_design, [WEIR_SESSIONS_UNKNOWN] = "unknown",
                [WEIR_SESSIONS_ONE] = "one", [WEIR_SESSIONS_BLOCKS] = "blocks",
                [WEIR_SESSIONS_NESTED] = "nested", [WEIR_SESSIONS_CONFOUNDED] = "confounded")

WEIR_ENUM_TEXTS(weir_gate_verdict, [WEIR_GATE_PASS] = "pass", [WEIR_GATE_REGRESSION] = "regression",
                [WEIR_GATE_IMPROVEMENT] = "improvement", [WEIR_GATE_INCONCLUSIVE] = "inconclusive",
                [WEIR_GATE_SUSPECT] = "suspect", [WEIR_GATE_NO_BASELINE] = "no-baseline",
                [WEIR_GATE_ENVIRONMENT] = "environment", [WEIR_GATE_COVERAGE] = "coverage")

WEIR_ENUM_TEXTS(
	weir_environment_policy, [WEIR_ENVIRONMENT_MUST] = "must", [WEIR_ENVIRONMENT_WARN] = "warn")

struct weir_gate_result *weir_gate_result_new(void)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_gate_result *result = weir_arena_alloc(arena, sizeof(*result));

	result->arena = arena;
	result->method = WEIR_METHOD_NONE;
	result->alpha_operators = NAN;
	result->alpha_stages = NAN;
	result->baseline_bound = WEIR_BOUND_UNDETERMINED;
	result->candidate_bound = WEIR_BOUND_UNDETERMINED;
	return result;
}

void weir_gate_result_free(struct weir_gate_result *result)
{
	if (result)
		weir_arena_free(result->arena);
}

bool weir_row_has_finding(const struct weir_row *row)
{
	return row->scope &&
	       (row->outcome == WEIR_OUTCOME_REGRESSION || row->outcome == WEIR_OUTCOME_SUSPECT ||
	        row->outcome == WEIR_OUTCOME_WAIVED);
}

void weir_gate_index_findings(struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->row_count; i++)
		result->rows[i].finding = NULL;
	for (size_t i = 0; i < result->finding_count; i++)
		for (size_t j = 0; j < result->findings[i].row_count; j++)
			result->rows[result->findings[i].rows[j]].finding = &result->findings[i];
}

double weir_gate_worsening(const struct weir_row *row, bool by_stage)
{
	return fabs(by_stage && isfinite(row->stage_change) ? row->stage_change : row->change);
}

const char *weir_scope_word(enum weir_scope_kind kind)
{
	return (size_t)kind < WEIR_COUNT_OF(scope_words) ? scope_words[kind] : "?";
}

bool weir_scope_parse(const char *scope, enum weir_scope_kind *kind, const char **name)
{
	for (size_t i = 0; i < WEIR_COUNT_OF(scope_words); i++) {
		size_t length = strlen(scope_words[i]);

		if (strncmp(scope, scope_words[i], length) != 0)
			continue;
		*kind = (enum weir_scope_kind)i;
		*name = scope + length;
		return true;
	}
	return false;
}

bool weir_scope_matches(const char *pattern, const char *scope)
{
	return strcmp(pattern, scope) == 0 || fnmatch(pattern, scope, FNM_NOESCAPE) == 0;
}
