/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the labels of both sides, by the policy. */
#include <string.h>

#include "ci/policy/gate.h"

#define SEVERAL "(several)"

/* Returns the value that all runs of a side have for the key; SEVERAL if the values differ or some
 * runs have no value, NULL if no run has one. */
static const char *shared_value(const struct weir_policy *policy,
                                const struct weir_run *const *runs, size_t count, const char *key)
{
	const char *value = NULL;

	for (size_t i = 0; i < count; i++) {
		const char *own = weir_policy_canonical(policy, weir_run_label(runs[i], key));

		if (i == 0)
			value = own;
		else if (!own != !value || (own && strcmp(value, own) != 0))
			return SEVERAL;
	}
	return value;
}

static bool listed(const char *const *keys, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

static void fill_side(struct weir_gate_result *result, struct weir_side *side,
                      const struct weir_policy *policy, const struct weir_run *const *runs,
                      size_t count)
{
	side->runs = count;
	if (count == 0)
		return;
	side->labels =
		weir_arena_alloc(result->arena, (runs[0]->label_count + 1) * sizeof *side->labels);
	for (size_t i = 0; i < runs[0]->label_count; i++) {
		const char *key = runs[0]->labels[i].key;
		const char *value = shared_value(policy, runs, count, key);

		/* Sessions that weir found are counted in the result, not shown. */
		if (value && strcmp(value, SEVERAL) != 0 &&
		    !weir_run_label_is_derived(&runs[0]->labels[i]))
			side->labels[side->label_count++] = (struct weir_gate_label){
				weir_arena_copy(result->arena, key, strlen(key)),
				weir_arena_copy(result->arena, value, strlen(value)),
			};
	}
}

static const char *keep(struct weir_gate_result *result, const char *text)
{
	return text ? weir_arena_copy(result->arena, text, strlen(text)) : NULL;
}

/* Returns true if the values match. Two unknown values match, a known and an unknown one do not. */
static bool same_value(const char *a, const char *b)
{
	if (!a || !b)
		return !a && !b;
	return strcmp(a, b) == 0 && strcmp(a, SEVERAL) != 0;
}

bool weir_gate_environment(struct weir_gate_result *result, const struct weir_policy *policy,
                           const struct weir_run *const *baseline, size_t baseline_count,
                           const struct weir_run *const *candidate, size_t candidate_count)
{
	const struct {
		const char *const *keys;
		size_t count;
		enum weir_environment_policy policy;
	} lists[] = {{policy->must, policy->must_count, WEIR_ENVIRONMENT_MUST},
	             {policy->warn, policy->warn_count, WEIR_ENVIRONMENT_WARN}};

	fill_side(result, &result->baseline, policy, baseline, baseline_count);
	fill_side(result, &result->candidate, policy, candidate, candidate_count);
	result->environment_match = true;
	result->differences =
		weir_arena_alloc(result->arena, (policy->must_count + policy->warn_count + 1) *
	                                                sizeof *result->differences);
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; i < lists[l].count; i++) {
			const char *key = lists[l].keys[i];
			const char *before = shared_value(policy, baseline, baseline_count, key);
			const char *after = shared_value(policy, candidate, candidate_count, key);

			if (same_value(before, after) ||
			    (l == 1 && listed(policy->must, policy->must_count, key)))
				continue;
			result->differences[result->difference_count++] =
				(struct weir_difference){keep(result, key), keep(result, before),
			                                 keep(result, after), lists[l].policy};
			if (lists[l].policy == WEIR_ENVIRONMENT_MUST)
				result->environment_match = false;
		}
	return result->environment_match;
}
