/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ci/policy/policy.h"
#include "ci/policy/policy_parse.h"

/* The margins and levels of docs/statistics.md, section "the decision". */
static const double default_margins[WEIR_METRIC_COUNT] = {
	[WEIR_METRIC_P50] = 0.03, [WEIR_METRIC_P90] = 0.05,   [WEIR_METRIC_P95] = 0.05,
	[WEIR_METRIC_P99] = 0.10, [WEIR_METRIC_SHIFT] = 0.03, [WEIR_METRIC_VALUE] = 0.05,
};

static const char *const default_must[] = {"gpu", "gpu_count"};
static const char *const default_warn[] = {"driver", "cuda", "torch"};

struct weir_policy *weir_policy_new(void)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_policy *policy = weir_arena_alloc(arena, sizeof *policy);

	policy->arena = arena;
	policy->warmup = WEIR_WARMUP_AUTO;
	memcpy(policy->margins, default_margins, sizeof default_margins);
	policy->alpha_operators = policy->alpha_stages = 0.01;
	policy->must = default_must;
	policy->must_count = sizeof default_must / sizeof *default_must;
	policy->warn = default_warn;
	policy->warn_count = sizeof default_warn / sizeof *default_warn;
	policy->usd_per_gpu_hour = NAN;
	return policy;
}

/* Takes the document. */
static enum weir_status policy_of(const char *name, cJSON *document, struct weir_policy **out,
                                  struct weir_error *err)
{
	struct weir_policy *policy = weir_policy_new();

	*err = (struct weir_error){0};
	weir_policy_read(policy, document, err);
	cJSON_Delete(document);
	if (err->status) {
		err->status = WEIR_E_USAGE;
		weir_policy_free(policy);
		return weir_fail_in(err, "%s", name);
	}
	policy->path = weir_arena_copy(policy->arena, name, strlen(name));
	*out = policy;
	return WEIR_OK;
}

enum weir_status weir_policy_parse(const char *name, const char *text, size_t len,
                                   struct weir_policy **out, struct weir_error *err)
{
	cJSON *document = NULL;

	if (weir_json_parse(text, len, &document, err)) {
		err->status = WEIR_E_USAGE;
		return weir_fail_in(err, "%s", name);
	}
	return policy_of(name, document, out, err);
}

enum weir_status weir_policy_load(const char *path, struct weir_policy **out,
                                  struct weir_error *err)
{
	const char *name = path ? path : WEIR_POLICY_FILE;
	cJSON *document = NULL;

	if (!path && access(name, F_OK) != 0) {
		*out = weir_policy_new();
		return WEIR_OK;
	}
	if (weir_json_read_file(name, &document, err)) {
		err->status = WEIR_E_USAGE;
		return err->status;
	}
	return policy_of(name, document, out, err);
}

void weir_policy_free(struct weir_policy *policy)
{
	if (policy)
		weir_arena_free(policy->arena);
}

void weir_policy_set_today(struct weir_policy *policy, const char *today)
{
	/* Dates of one form compare as texts; a waiver holds through its last day. */
	for (size_t i = 0; i < policy->waiver_count; i++) {
		const char *expires = policy->waivers[i].waiver.expires;

		policy->waivers[i].waiver.expired = expires && strcmp(expires, today) < 0;
	}
}

const struct weir_policy_rule *weir_policy_rule_for(const struct weir_policy *policy,
                                                    const char *scope, enum weir_metric metric)
{
	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct weir_policy_rule *rule = &policy->rules[i];

		if ((!rule->has_metric || rule->metric == metric) &&
		    weir_scope_matches(rule->scope, scope))
			return rule;
	}
	return NULL;
}

double weir_policy_margin(const struct weir_policy *policy, const char *scope,
                          enum weir_metric metric)
{
	const struct weir_policy_rule *rule = weir_policy_rule_for(policy, scope, metric);

	return rule && !isnan(rule->margin) ? rule->margin : policy->margins[metric];
}

const struct weir_policy_waiver *weir_policy_waiver_for(const struct weir_policy *policy,
                                                        const char *scope, enum weir_metric metric,
                                                        double change)
{
	const struct weir_policy_waiver *first = NULL;

	for (size_t i = 0; i < policy->waiver_count; i++) {
		const struct weir_policy_waiver *waiver = &policy->waivers[i];

		if ((waiver->has_metric && waiver->metric != metric) ||
		    !weir_scope_matches(waiver->scope, scope))
			continue;
		if (!waiver->waiver.expired && change <= waiver->waiver.up_to)
			return waiver;
		first = first ? first : waiver;
	}
	return first;
}

const char *weir_policy_canonical(const struct weir_policy *policy, const char *value)
{
	for (size_t i = 0; value && i < policy->alias_count; i++)
		if (strcmp(policy->aliases[i].key, value) == 0)
			return policy->aliases[i].value;
	return value;
}
