/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "engine/model/comparison.h"

static const char *const metric_names[] = {
	[WEIR_METRIC_P50] = "p50", [WEIR_METRIC_P90] = "p90",     [WEIR_METRIC_P95] = "p95",
	[WEIR_METRIC_P99] = "p99", [WEIR_METRIC_SHIFT] = "shift", [WEIR_METRIC_VALUE] = "value",
};

static const char *const scope_words[] = {
	[WEIR_SCOPE_STAGE] = "stage:",
	[WEIR_SCOPE_DEVICE] = "device:",
	[WEIR_SCOPE_OPERATOR] = "operator:",
	[WEIR_SCOPE_METRIC] = "metric:",
	[WEIR_SCOPE_ALL_OPERATORS] = "all-operators",
};

static const char *const outcome_names[] = {
	[WEIR_OUTCOME_REGRESSION] = "regression", [WEIR_OUTCOME_IMPROVEMENT] = "improvement",
	[WEIR_OUTCOME_NO_CHANGE] = "no-change",   [WEIR_OUTCOME_INCONCLUSIVE] = "inconclusive",
	[WEIR_OUTCOME_SUSPECT] = "suspect",       [WEIR_OUTCOME_INFORMATIONAL] = "informational",
	[WEIR_OUTCOME_MISSING] = "missing",       [WEIR_OUTCOME_NEW] = "new",
	[WEIR_OUTCOME_MOVED] = "moved",           [WEIR_OUTCOME_WAIVED] = "waived",
};

static const char *const method_names[] = {
	[WEIR_METHOD_FULL] = "full",
	[WEIR_METHOD_TWO_RUN] = "two-run",
	[WEIR_METHOD_SINGLE_RUN] = "single-run",
	[WEIR_METHOD_OUTLIER] = "outlier",
	[WEIR_METHOD_NONE] = "none",
};

static const char *const verdict_names[] = {
	[WEIR_GATE_PASS] = "pass",
	[WEIR_GATE_REGRESSION] = "regression",
	[WEIR_GATE_IMPROVEMENT] = "improvement",
	[WEIR_GATE_INCONCLUSIVE] = "inconclusive",
	[WEIR_GATE_SUSPECT] = "suspect",
	[WEIR_GATE_NO_BASELINE] = "no-baseline",
	[WEIR_GATE_ENVIRONMENT] = "environment",
	[WEIR_GATE_COVERAGE] = "coverage",
};

#define NAMES(table) (table), sizeof(table) / sizeof((table)[0])

static const char *name_of(const char *const *names, size_t count, unsigned value)
{
	return value < count ? names[value] : "?";
}

/* Index of the name, or count. */
static size_t index_of(const char *const *names, size_t count, const char *name)
{
	size_t i = 0;

	while (i < count && strcmp(names[i], name) != 0)
		i++;
	return i;
}

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

const char *weir_metric_name(enum weir_metric metric)
{
	return name_of(NAMES(metric_names), metric);
}

const char *weir_outcome_name(enum weir_outcome outcome)
{
	return name_of(NAMES(outcome_names), outcome);
}

const char *weir_method_name(enum weir_method method)
{
	return name_of(NAMES(method_names), method);
}

const char *weir_gate_verdict_name(enum weir_gate_verdict verdict)
{
	return name_of(NAMES(verdict_names), verdict);
}

bool weir_metric_parse(const char *name, enum weir_metric *out)
{
	size_t i = index_of(NAMES(metric_names), name);

	*out = i < WEIR_METRIC_COUNT ? (enum weir_metric)i : *out;
	return i < WEIR_METRIC_COUNT;
}

bool weir_outcome_parse(const char *name, enum weir_outcome *out)
{
	size_t i = index_of(NAMES(outcome_names), name);

	*out = i < WEIR_OUTCOME_COUNT ? (enum weir_outcome)i : *out;
	return i < WEIR_OUTCOME_COUNT;
}

bool weir_method_parse(const char *name, enum weir_method *out)
{
	size_t i = index_of(NAMES(method_names), name);

	*out = i <= WEIR_METHOD_NONE ? (enum weir_method)i : *out;
	return i <= WEIR_METHOD_NONE;
}

bool weir_gate_verdict_parse(const char *name, enum weir_gate_verdict *out)
{
	size_t i = index_of(NAMES(verdict_names), name);

	*out = i <= WEIR_GATE_COVERAGE ? (enum weir_gate_verdict)i : *out;
	return i <= WEIR_GATE_COVERAGE;
}

const char *weir_scope_word(enum weir_scope_kind kind)
{
	return name_of(NAMES(scope_words), kind);
}

bool weir_scope_parse(const char *scope, enum weir_scope_kind *kind, const char **name)
{
	for (size_t i = 0; i < sizeof scope_words / sizeof *scope_words; i++) {
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
