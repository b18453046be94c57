/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ci/policy/day.h"
#include "ci/policy/policy.h"
#include "engine/base/json.h"
#include "engine/base/text.h"

#define NS_PER_MS            1e6
#define DEFAULT_MAX_AGE_DAYS 90
#define MAX_AGE_DAYS         36500

/* The margins and levels of docs/statistics.md, section "the decision". */
static const double default_margins[WEIR_METRIC_COUNT] = {
	[WEIR_METRIC_P50] = 0.03,   [WEIR_METRIC_P90] = 0.05,   [WEIR_METRIC_P95] = 0.05,
	[WEIR_METRIC_P99] = 0.10,   [WEIR_METRIC_SHIFT] = 0.03, [WEIR_METRIC_VALUE] = 0.05,
	[WEIR_METRIC_DRIFT] = 0.03,
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
	policy->max_age_days = DEFAULT_MAX_AGE_DAYS;
	return policy;
}

struct reading {
	struct weir_policy *policy;
	struct weir_error *err;
};

static enum weir_status refuse(struct reading *reading, const char *what)
{
	return weir_fail(reading->err, WEIR_E_USAGE, "%s", what);
}

/* Refuses other keys, and a key that occurs twice: cJSON would ignore the second one silently. */
static enum weir_status check_keys(struct reading *reading, const cJSON *object,
                                   const char *const *keys)
{
	const cJSON *member;

	if (weir_json_known_keys(object, keys, reading->err))
		return reading->err->status;
	cJSON_ArrayForEach (member, object) {
		if (cJSON_GetObjectItemCaseSensitive(object, member->string) != member)
			return weir_fail(reading->err, WEIR_E_USAGE, "%s: comes twice",
			                 member->string);
	}
	return WEIR_OK;
}

static const char *keep(struct reading *reading, const char *text)
{
	return text ? weir_arena_copy(reading->policy->arena, text, strlen(text)) : NULL;
}

/* Reads a share above 0, at most `most`. If it is absent, *out is unchanged. */
static enum weir_status read_share(struct reading *reading, const cJSON *object, const char *key,
                                   double most, double *out)
{
	double value;
	enum weir_status status = weir_json_number(object, key, &value, reading->err);

	if (status || isnan(value))
		return status;
	if (!(value > 0 && value <= most))
		return weir_fail(
			reading->err, WEIR_E_USAGE,
			"%s: expected a number above 0 and up to %g, such as 0.05 for 5 %%", key,
			most);
	*out = value;
	return WEIR_OK;
}

static enum weir_status read_metric(struct reading *reading, const cJSON *object, bool *has,
                                    enum weir_metric *out)
{
	const char *name;
	enum weir_status status = weir_json_text(object, "metric", &name, reading->err);

	*has = false;
	if (status || !name)
		return status;
	if (!weir_metric_parse(name, out))
		return weir_fail(reading->err, WEIR_E_USAGE,
		                 "metric: \"%.40s\" is not one of p50, p90, p95, p99, shift, value",
		                 name);
	*has = true;
	return WEIR_OK;
}

static enum weir_status read_scope(struct reading *reading, const cJSON *object, const char **out)
{
	const char *scope;
	enum weir_status status = weir_json_text(object, "scope", &scope, reading->err);

	if (status)
		return status;
	if (!scope || !scope[0])
		return refuse(reading, "scope: expected a pattern, as \"stage:decode*\"");
	*out = keep(reading, scope);
	return WEIR_OK;
}

static enum weir_status read_rule(struct reading *reading, const cJSON *object, void *into)
{
	static const char *const keys[] = {"scope",         "metric",   "margin",
	                                   "min_change_ns", "severity", NULL};
	static const char *const severities[] = {"fail", "warn", "ignore"};
	struct weir_policy_rule *rule = into;
	const char *severity;
	double least;

	*rule = (struct weir_policy_rule){.margin = NAN};
	if (check_keys(reading, object, keys) || read_scope(reading, object, &rule->scope) ||
	    read_metric(reading, object, &rule->has_metric, &rule->metric) ||
	    read_share(reading, object, "margin", 10, &rule->margin) ||
	    weir_json_number(object, "min_change_ns", &least, reading->err) ||
	    weir_json_text(object, "severity", &severity, reading->err))
		return reading->err->status;
	if (least < 0 || isinf(least))
		return refuse(reading, "min_change_ns: expected a number of nanoseconds");
	rule->min_change_ns = isnan(least) ? 0 : least;
	for (size_t i = 0; severity && i < sizeof severities / sizeof *severities; i++)
		if (strcmp(severity, severities[i]) == 0) {
			rule->severity = (enum weir_severity)i;
			return WEIR_OK;
		}
	return severity ? refuse(reading, "severity: expected fail, warn or ignore") : WEIR_OK;
}

static enum weir_status read_slo(struct reading *reading, const cJSON *object, void *into)
{
	static const char *const keys[] = {"scope", "metric", "max_ms", NULL};
	struct weir_slo *slo = into;
	bool has_metric;
	double most;

	if (check_keys(reading, object, keys) || read_scope(reading, object, &slo->scope) ||
	    read_metric(reading, object, &has_metric, &slo->metric) ||
	    weir_json_number(object, "max_ms", &most, reading->err))
		return reading->err->status;
	if (!has_metric || slo->metric > WEIR_METRIC_P99)
		return refuse(reading, "metric: expected one of p50, p90, p95, p99");
	if (!(most > 0 && isfinite(most)))
		return refuse(reading, "max_ms: expected a number of milliseconds");
	slo->max_ns = most * NS_PER_MS;
	return WEIR_OK;
}

static enum weir_status read_waiver(struct reading *reading, const cJSON *object, void *into)
{
	static const char *const keys[] = {"scope", "metric",  "up_to", "reason",
	                                   "issue", "expires", NULL};
	struct weir_policy_waiver *waiver = into;
	const char *reason, *issue, *expires;

	*waiver = (struct weir_policy_waiver){.waiver = {.up_to = NAN}};
	if (check_keys(reading, object, keys) || read_scope(reading, object, &waiver->scope) ||
	    read_metric(reading, object, &waiver->has_metric, &waiver->metric) ||
	    read_share(reading, object, "up_to", 100, &waiver->waiver.up_to) ||
	    weir_json_text(object, "reason", &reason, reading->err) ||
	    weir_json_text(object, "issue", &issue, reading->err) ||
	    weir_json_text(object, "expires", &expires, reading->err))
		return reading->err->status;
	if (isnan(waiver->waiver.up_to))
		return refuse(reading,
		              "up_to: expected the largest change that is accepted, as 0.12");
	if (!reason || !reason[0])
		return refuse(reading, "reason: expected why this is accepted");
	if (!expires || !weir_day_is_valid(expires))
		return refuse(reading, "expires: expected a day that exists, as \"2027-01-31\"");
	waiver->waiver.reason = keep(reading, reason);
	waiver->waiver.issue = keep(reading, issue);
	waiver->waiver.expires = keep(reading, expires);
	return WEIR_OK;
}

/* Finds the list `key`. Sets *out to NULL if it is absent. */
static enum weir_status find_list(struct reading *reading, const cJSON *object, const char *key,
                                  const cJSON **out)
{
	if (weir_json_array(object, key, out, reading->err) || !*out)
		return reading->err->status;
	if (cJSON_GetArraySize(*out) > WEIR_POLICY_MAX_LIST)
		return weir_fail(reading->err, WEIR_E_USAGE, "%s: more than %d entries", key,
		                 WEIR_POLICY_MAX_LIST);
	return WEIR_OK;
}

/* Reads the list `key` into an array of structs of `size` bytes. Returns NULL if the list is absent
 * or wrong. */
static void *read_list(struct reading *reading, const cJSON *document, const char *key, size_t size,
                       enum weir_status (*read)(struct reading *, const cJSON *, void *),
                       size_t *count)
{
	const cJSON *list, *item;
	char *items;

	*count = 0;
	if (find_list(reading, document, key, &list) || !list)
		return NULL;
	items = weir_arena_alloc(reading->policy->arena,
	                         ((size_t)cJSON_GetArraySize(list) + 1) * size);
	cJSON_ArrayForEach (item, list) {
		if (read(reading, item, items + *count * size)) {
			weir_fail_in(reading->err, "%s[%zu]", key, *count);
			return NULL;
		}
		++*count;
	}
	return items;
}

static enum weir_status read_rules(struct reading *reading, const cJSON *document)
{
	struct weir_policy *policy = reading->policy;

	policy->rules = read_list(reading, document, "rules", sizeof *policy->rules, read_rule,
	                          &policy->rule_count);
	return reading->err->status;
}

static enum weir_status read_slos(struct reading *reading, const cJSON *document)
{
	struct weir_policy *policy = reading->policy;

	policy->slos = read_list(reading, document, "slo", sizeof *policy->slos, read_slo,
	                         &policy->slo_count);
	return reading->err->status;
}

static enum weir_status read_waivers(struct reading *reading, const cJSON *document)
{
	struct weir_policy *policy = reading->policy;

	policy->waivers = read_list(reading, document, "waivers", sizeof *policy->waivers,
	                            read_waiver, &policy->waiver_count);
	return reading->err->status;
}

static enum weir_status read_names(struct reading *reading, const cJSON *object, const char *key,
                                   const char *const **out, size_t *count)
{
	const cJSON *list, *item;
	const char **names;
	size_t filled = 0;

	if (find_list(reading, object, key, &list) || !list)
		return reading->err->status;
	names = weir_arena_alloc(reading->policy->arena,
	                         ((size_t)cJSON_GetArraySize(list) + 1) * sizeof *names);
	cJSON_ArrayForEach (item, list) {
		if (!cJSON_IsString(item))
			return weir_fail(reading->err, WEIR_E_USAGE, "%s[%zu]: expected text", key,
			                 filled);
		names[filled++] = keep(reading, item->valuestring);
	}
	*out = names;
	*count = filled;
	return WEIR_OK;
}

static enum weir_status read_margins(struct reading *reading, const cJSON *document)
{
	static const char *const keys[] = {"p50",   "p90",   "p95",   "p99",
	                                   "shift", "value", "drift", NULL};
	const cJSON *margins;

	if (weir_json_object(document, "margins", &margins, reading->err) || !margins)
		return reading->err->status;
	if (check_keys(reading, margins, keys))
		return weir_fail_in(reading->err, "margins");
	for (size_t i = 0; keys[i]; i++)
		if (read_share(reading, margins, keys[i], 10, &reading->policy->margins[i]))
			return weir_fail_in(reading->err, "margins");
	return WEIR_OK;
}

static enum weir_status read_alpha(struct reading *reading, const cJSON *document)
{
	static const char *const keys[] = {"operators", "stages", NULL};
	const cJSON *alpha;

	if (weir_json_object(document, "alpha", &alpha, reading->err) || !alpha)
		return reading->err->status;
	if (check_keys(reading, alpha, keys) ||
	    read_share(reading, alpha, "operators", 0.2, &reading->policy->alpha_operators) ||
	    read_share(reading, alpha, "stages", 0.2, &reading->policy->alpha_stages))
		return weir_fail_in(reading->err, "alpha");
	return WEIR_OK;
}

static enum weir_status read_environment(struct reading *reading, const cJSON *document)
{
	static const char *const keys[] = {"must", "warn", NULL};
	const cJSON *environment;

	if (weir_json_object(document, "environment", &environment, reading->err) || !environment)
		return reading->err->status;
	if (check_keys(reading, environment, keys) ||
	    read_names(reading, environment, "must", &reading->policy->must,
	               &reading->policy->must_count) ||
	    read_names(reading, environment, "warn", &reading->policy->warn,
	               &reading->policy->warn_count))
		return weir_fail_in(reading->err, "environment");
	return WEIR_OK;
}

/* Reads { "A": "B" }: the value A counts as B. */
static enum weir_status read_aliases(struct reading *reading, const cJSON *document)
{
	const cJSON *aliases, *item;
	struct weir_policy *policy = reading->policy;

	if (weir_json_object(document, "environment_aliases", &aliases, reading->err) || !aliases)
		return reading->err->status;
	policy->aliases = weir_arena_alloc(
		policy->arena, ((size_t)cJSON_GetArraySize(aliases) + 1) * sizeof *policy->aliases);
	cJSON_ArrayForEach (item, aliases) {
		if (policy->alias_count == WEIR_POLICY_MAX_LIST)
			return weir_fail(reading->err, WEIR_E_USAGE,
			                 "environment_aliases: more than %d entries",
			                 WEIR_POLICY_MAX_LIST);
		if (!cJSON_IsString(item))
			return weir_fail(reading->err, WEIR_E_USAGE,
			                 "environment_aliases: %.80s: expected text", item->string);
		policy->aliases[policy->alias_count++] = (struct weir_policy_pair){
			keep(reading, item->string), keep(reading, item->valuestring)};
	}
	return WEIR_OK;
}

/* Reads { "queue": ["my_wait"] }: additional names of stage kinds. */
static enum weir_status read_stages(struct reading *reading, const cJSON *document)
{
	static const char *const kinds[] = {"queue",       "batch_assembly", "preprocess",
	                                    "h2d",         "compute",        "d2h",
	                                    "postprocess", "other",          NULL};
	struct weir_policy *policy = reading->policy;
	const cJSON *stages, *kind;

	if (weir_json_object(document, "stages", &stages, reading->err) || !stages)
		return reading->err->status;
	if (check_keys(reading, stages, kinds))
		return weir_fail_in(reading->err, "stages");
	policy->stages =
		weir_arena_alloc(policy->arena, WEIR_POLICY_MAX_LIST * sizeof *policy->stages);
	cJSON_ArrayForEach (kind, stages) {
		const char *const *names = NULL;
		size_t count = 0;

		if (read_names(reading, stages, kind->string, &names, &count))
			return weir_fail_in(reading->err, "stages");
		for (size_t i = 0; i < count; i++) {
			if (policy->stage_count == WEIR_POLICY_MAX_LIST)
				return weir_fail(reading->err, WEIR_E_USAGE,
				                 "stages: more than %d names",
				                 WEIR_POLICY_MAX_LIST);
			policy->stages[policy->stage_count++] = (struct weir_stage_alias){
				.name = names[i], .kind = keep(reading, kind->string)};
		}
	}
	return WEIR_OK;
}

static enum weir_status read_cost(struct reading *reading, const cJSON *document)
{
	static const char *const keys[] = {"usd_per_gpu_hour", NULL};
	const cJSON *cost;

	if (weir_json_object(document, "cost", &cost, reading->err) || !cost)
		return reading->err->status;
	if (check_keys(reading, cost, keys) ||
	    weir_json_number(cost, "usd_per_gpu_hour", &reading->policy->usd_per_gpu_hour,
	                     reading->err))
		return weir_fail_in(reading->err, "cost");
	if (reading->policy->usd_per_gpu_hour <= 0 || isinf(reading->policy->usd_per_gpu_hour))
		return refuse(reading, "cost: usd_per_gpu_hour: expected a price above 0, as 3.2");
	return WEIR_OK;
}

static enum weir_status read_baseline(struct reading *reading, const cJSON *document)
{
	static const char *const keys[] = {"max_age_days", NULL};
	double days = reading->policy->max_age_days;
	const cJSON *baseline;

	if (weir_json_object(document, "baseline", &baseline, reading->err) || !baseline)
		return reading->err->status;
	if (check_keys(reading, baseline, keys) ||
	    weir_json_number(baseline, "max_age_days", &days, reading->err))
		return weir_fail_in(reading->err, "baseline");
	if (isnan(days))
		return WEIR_OK;
	if (!(days >= 1 && days <= MAX_AGE_DAYS) || days != floor(days))
		return refuse(reading, "baseline: max_age_days: expected a number of days, as 90");
	reading->policy->max_age_days = days;
	return WEIR_OK;
}

static enum weir_status read_warmup(struct reading *reading, const cJSON *document)
{
	const cJSON *warmup = cJSON_GetObjectItemCaseSensitive(document, "warmup");

	if (!warmup || (cJSON_IsString(warmup) && strcmp(warmup->valuestring, "auto") == 0))
		return WEIR_OK;
	if (!cJSON_IsNumber(warmup) || warmup->valuedouble < 0 || warmup->valuedouble > 1e6 ||
	    warmup->valuedouble != floor(warmup->valuedouble))
		return refuse(reading,
		              "warmup: expected \"auto\" or a number of leading iterations");
	reading->policy->warmup = (int)warmup->valuedouble;
	return WEIR_OK;
}

static enum weir_status read_version(struct reading *reading, const cJSON *document)
{
	double version;

	if (weir_json_number(document, "version", &version, reading->err))
		return reading->err->status;
	if (!isnan(version) && version != 1)
		return refuse(reading, "version: this weir reads version 1");
	return WEIR_OK;
}

/* Overwrites the values that the document states. On a fault err has the reason. */
static void read_policy(struct weir_policy *policy, const cJSON *document, struct weir_error *err)
{
	static const char *const keys[] = {"version", "warmup", "margins",  "alpha",
	                                   "rules",   "slo",    "waivers",  "environment",
	                                   "stages",  "cost",   "baseline", "environment_aliases",
	                                   NULL};
	static enum weir_status (*const parts[])(struct reading *, const cJSON *) = {
		read_version, read_warmup,   read_margins, read_alpha,
		read_rules,   read_slos,     read_waivers, read_stages,
		read_cost,    read_baseline, read_aliases, read_environment,
	};
	struct reading reading = {policy, err};

	if (check_keys(&reading, document, keys))
		return;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i](&reading, document))
			return;
}

/* Builds a policy from the document, and frees the document. */
static enum weir_status policy_of(const char *name, cJSON *document, struct weir_policy **out,
                                  struct weir_error *err)
{
	struct weir_policy *policy = weir_policy_new();

	*err = (struct weir_error){0};
	read_policy(policy, document, err);
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
	policy->today = weir_arena_copy(policy->arena, today, strlen(today));
	/* Dates of this form compare as texts; a waiver holds through its last day. */
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
