/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ci/policy/causes.h"
#include "ci/policy/day.h"
#include "ci/policy/gate.h"
#include "engine/base/text.h"

#define MAX_REMARKS 200
#define WORSE_SIDE  0.5 /* a one-sided p below this: the estimate is a worsening */
#define WAIVER_DAYS 90  /* from today to the last day of an advised waiver */

void weir_gate_remark(struct weir_gate_result *result, const char *format, ...)
{
	struct weir_text text = {0};
	va_list args;

	if (!result->remarks)
		result->remarks =
			weir_arena_alloc(result->arena, MAX_REMARKS * sizeof *result->remarks);
	if (result->remark_count == MAX_REMARKS)
		return;
	va_start(args, format);
	weir_text_vprintf(&text, format, args);
	va_end(args);
	result->remarks[result->remark_count++] =
		weir_arena_copy(result->arena, text.data ? text.data : "", text.length);
	weir_text_release(&text);
}

static bool is_bad(enum weir_outcome outcome)
{
	return outcome == WEIR_OUTCOME_REGRESSION || outcome == WEIR_OUTCOME_SUSPECT;
}

static void apply_rule(const struct weir_policy *policy, struct weir_row *row)
{
	const struct weir_policy_rule *rule = weir_policy_rule_for(policy, row->scope, row->metric);
	bool is_time = row->kind != WEIR_SCOPE_METRIC && row->kind != WEIR_SCOPE_ALL_OPERATORS;

	if (!rule)
		return;
	if (rule->severity == WEIR_SEVERITY_WARN && row->outcome == WEIR_OUTCOME_INFORMATIONAL &&
	    !row->note)
		row->note = "reported only, as weir.json says";
	if (is_time && is_bad(row->outcome) &&
	    row->candidate - row->baseline < rule->min_change_ns) {
		row->outcome = WEIR_OUTCOME_NO_CHANGE;
		row->note = "slower by less than min_change_ns";
	}
}

/* Returns the scope of the stage that a device or operator row belongs to; NULL: none. */
static const char *stage_scope(struct weir_gate_result *result, const struct weir_row *row)
{
	const char *stage = row->kind == WEIR_SCOPE_DEVICE     ? row->name
	                    : row->kind == WEIR_SCOPE_OPERATOR ? row->stage
	                                                       : NULL;

	return stage ? weir_arena_format(result->arena, "%s%s", weir_scope_word(WEIR_SCOPE_STAGE),
	                                 stage)
	             : NULL;
}

/* Sets the row's waiver: one for its scope, its stage, or the cause of its finding.
 * Returns true if it covers the row. */
static bool try_waiver(struct weir_gate_result *result, const struct weir_policy *policy,
                       struct weir_row *row, const char *scope, bool by_stage)
{
	double change = weir_gate_worsening(row, by_stage);
	const struct weir_policy_waiver *found =
		scope ? weir_policy_waiver_for(policy, scope, row->metric, change) : NULL;
	struct weir_waiver *waiver;
	bool covers;

	if (!found)
		return false;
	covers = !found->waiver.expired && change <= found->waiver.up_to;
	if (row->waiver && !covers)
		return false; /* the first one that does not cover it is reported */
	waiver = weir_arena_alloc(result->arena, sizeof *waiver);
	*waiver = found->waiver;
	waiver->exceeded = change > waiver->up_to;
	row->waiver = waiver;
	return covers;
}

static void apply_waiver(struct weir_gate_result *result, const struct weir_policy *policy,
                         struct weir_row *row)
{
	const char *cause;

	if (!is_bad(row->outcome) || policy->waiver_count == 0)
		return;
	cause = row->finding ? row->finding->scope : NULL;
	if (try_waiver(result, policy, row, row->scope, false) ||
	    try_waiver(result, policy, row, stage_scope(result, row), true) ||
	    try_waiver(result, policy, row, cause, false))
		row->outcome = WEIR_OUTCOME_WAIVED;
}

/* Fails rows above a ceiling, which is a promise to users. A waiver does not apply to it. */
static void apply_ceilings(struct weir_gate_result *result, const struct weir_policy *policy,
                           struct weir_row *row)
{
	for (size_t i = 0; i < policy->slo_count; i++) {
		const struct weir_slo *slo = &policy->slos[i];
		struct weir_text text = {0};

		if (slo->metric != row->metric || !weir_scope_matches(slo->scope, row->scope) ||
		    !(row->candidate > slo->max_ns))
			continue;
		weir_text_puts(&text, "above its ceiling of ");
		weir_text_duration(&text, slo->max_ns);
		row->outcome = WEIR_OUTCOME_REGRESSION;
		row->waiver = NULL;
		row->above_ceiling = true;
		row->note = weir_arena_copy(result->arena, text.data, text.length);
		weir_text_release(&text);
	}
}

static bool matches_any(const struct weir_gate_result *result, const char *pattern, bool has_metric,
                        enum weir_metric metric)
{
	for (size_t i = 0; i < result->row_count; i++)
		if ((!has_metric || result->rows[i].metric == metric) &&
		    weir_scope_matches(pattern, result->rows[i].scope))
			return true;
	return false;
}

/* Returns true if a waiver can cover a row: its scope may also be that of all operators or stages,
 * which only a finding has. */
static bool waives_any(const struct weir_gate_result *result,
                       const struct weir_policy_waiver *waiver)
{
	return strcmp(waiver->scope, WEIR_SCOPE_OF_ALL_OPERATORS) == 0 ||
	       strcmp(waiver->scope, WEIR_SCOPE_OF_ALL_STAGES) == 0 ||
	       matches_any(result, waiver->scope, waiver->has_metric, waiver->metric);
}

static void remark_waivers(struct weir_gate_result *result, const struct weir_policy *policy)
{
	for (size_t i = 0; i < policy->waiver_count; i++) {
		const struct weir_policy_waiver *waiver = &policy->waivers[i];

		if (!waives_any(result, waiver))
			weir_gate_remark(result, "%s: waivers[%zu]: \"%s\" matches nothing",
			                 policy->path, i, waiver->scope);
		else if (waiver->waiver.expired)
			weir_gate_remark(result, "%s: waivers[%zu]: \"%s\" expired on %s",
			                 policy->path, i, waiver->scope, waiver->waiver.expires);
	}
}

/* Remarks patterns that match no row: they are probably spelled wrong. */
static void remark_patterns(struct weir_gate_result *result, const struct weir_policy *policy)
{
	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct weir_policy_rule *rule = &policy->rules[i];

		if (!matches_any(result, rule->scope, rule->has_metric, rule->metric))
			weir_gate_remark(result, "%s: rules[%zu]: \"%s\" matches nothing",
			                 policy->path, i, rule->scope);
	}
	for (size_t i = 0; i < policy->slo_count; i++)
		if (!matches_any(result, policy->slos[i].scope, true, policy->slos[i].metric))
			weir_gate_remark(result,
			                 "%s: slo[%zu]: \"%s\" matches nothing, so the target is "
			                 "not checked",
			                 policy->path, i, policy->slos[i].scope);
	remark_waivers(result, policy);
}

/* Removes ignored rows. They were kept until the patterns were checked. */
static void drop_ignored(struct weir_gate_result *result, const struct weir_policy *policy)
{
	size_t kept = 0;

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];
		const struct weir_policy_rule *rule =
			weir_policy_rule_for(policy, row->scope, row->metric);

		if (!rule || rule->severity != WEIR_SEVERITY_IGNORE)
			result->rows[kept++] = *row;
	}
	result->row_count = kept;
}

/* Outcomes in the order of the report. */
static const uint8_t importance[WEIR_OUTCOME_COUNT] = {
	[WEIR_OUTCOME_REGRESSION] = 0,  [WEIR_OUTCOME_SUSPECT] = 1,
	[WEIR_OUTCOME_MISSING] = 2,     [WEIR_OUTCOME_WAIVED] = 3,
	[WEIR_OUTCOME_IMPROVEMENT] = 4, [WEIR_OUTCOME_MOVED] = 5,
	[WEIR_OUTCOME_NEW] = 6,         [WEIR_OUTCOME_INCONCLUSIVE] = 7,
	[WEIR_OUTCOME_NO_CHANGE] = 8,   [WEIR_OUTCOME_INFORMATIONAL] = 9,
};

static int compare_doubles(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b); /* larger first */
}

static int worst_first(const void *left, const void *right)
{
	const struct weir_row *a = left, *b = right;
	int order = importance[a->outcome] - importance[b->outcome];

	/* Stages precede their operators; then the larger share of the end-to-end change. */
	if (order == 0)
		order = (a->kind > WEIR_SCOPE_DEVICE) - (b->kind > WEIR_SCOPE_DEVICE);
	if (order == 0)
		order = compare_doubles(fabs(a->contributed_ns), fabs(b->contributed_ns));
	if (order == 0)
		order = strcmp(a->scope, b->scope);
	return order != 0 ? order : (int)a->metric - (int)b->metric;
}

static void count_row(struct weir_gate_counts *counts, enum weir_outcome outcome)
{
	uint64_t *const by_outcome[WEIR_OUTCOME_COUNT] = {
		[WEIR_OUTCOME_REGRESSION] = &counts->regressions,
		[WEIR_OUTCOME_IMPROVEMENT] = &counts->improvements,
		[WEIR_OUTCOME_NO_CHANGE] = &counts->no_change,
		[WEIR_OUTCOME_INCONCLUSIVE] = &counts->inconclusive,
		[WEIR_OUTCOME_SUSPECT] = &counts->suspect,
		[WEIR_OUTCOME_INFORMATIONAL] = &counts->informational,
		[WEIR_OUTCOME_MISSING] = &counts->missing,
		[WEIR_OUTCOME_NEW] = &counts->added,
		[WEIR_OUTCOME_MOVED] = &counts->moved,
		[WEIR_OUTCOME_WAIVED] = &counts->waived,
	};

	++*by_outcome[outcome];
	counts->judged += outcome != WEIR_OUTCOME_INFORMATIONAL &&
	                  outcome != WEIR_OUTCOME_MISSING && outcome != WEIR_OUTCOME_NEW;
}

static void add_code(struct weir_gate_result *result, enum weir_gate_code code)
{
	static const int precedence[] = {9, 8, 7, 2, 1, 6, 5, 4, 3};
	size_t at = 0;

	while (at < sizeof precedence / sizeof *precedence && precedence[at] != (int)code)
		at++;
	for (size_t i = 0; i < result->code_count; i++)
		if (result->codes[i] == (int)code)
			return;
	result->codes[result->code_count++] = (int)code;
	for (size_t i = result->code_count - 1; i > 0; i--) {
		size_t before = 0;

		while (precedence[before] != result->codes[i - 1])
			before++;
		if (before <= at)
			break;
		result->codes[i] = result->codes[i - 1];
		result->codes[i - 1] = (int)code;
	}
}

/* Returns true if the absence of the row fails the gate, unless a rule only warns. */
static bool is_required(const struct weir_row *row, const struct weir_gate_terms *terms)
{
	const struct weir_policy_rule *rule =
		weir_policy_rule_for(terms->policy, row->scope, row->metric);

	if (rule && rule->severity != WEIR_SEVERITY_FAIL)
		return false;
	return row->kind == WEIR_SCOPE_STAGE || row->kind == WEIR_SCOPE_DEVICE ||
	       row->kind == WEIR_SCOPE_METRIC ||
	       (row->kind == WEIR_SCOPE_OPERATOR && terms->require_operators);
}

static bool coverage_lost(const struct weir_gate_result *result,
                          const struct weir_gate_terms *terms)
{
	if (result->incomplete)
		return true;
	for (size_t i = 0; i < result->row_count; i++)
		if (result->rows[i].outcome == WEIR_OUTCOME_MISSING &&
		    is_required(&result->rows[i], terms))
			return true;
	return false;
}

static void remark_nothing_judged(struct weir_gate_result *result)
{
	uint64_t baseline = result->baseline.runs, candidate = result->candidate.runs;

	if (result->method == WEIR_METHOD_NONE)
		weir_gate_remark(result,
		                 "nothing could be judged: %llu more baseline and %llu more "
		                 "candidate runs are needed",
		                 (unsigned long long)(baseline < 5 ? 5 - baseline : 0),
		                 (unsigned long long)(candidate < 3 ? 3 - candidate : 0));
	else
		weir_gate_remark(result, "nothing could be judged: no stage, operator or figure "
		                         "has enough samples on both sides");
}

/* Returns true if a row got slower by its margin, and only its sessions keep it from being a
 * regression: that is no pass, whatever other rows prove. */
static bool any_hidden_by_sessions(const struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row->outcome == WEIR_OUTCOME_INCONCLUSIVE && row->reason &&
		    row->p < WORSE_SIDE && weir_gate_worsening(row, false) >= row->margin)
			return true;
	}
	return false;
}

static enum weir_gate_verdict verdict_of(const struct weir_gate_result *result, bool lost)
{
	const struct weir_gate_counts *counts = &result->counts;

	if (counts->regressions > 0)
		return WEIR_GATE_REGRESSION;
	if (lost)
		return WEIR_GATE_COVERAGE;
	if (counts->suspect > 0)
		return WEIR_GATE_SUSPECT;
	if (any_hidden_by_sessions(result))
		return WEIR_GATE_INCONCLUSIVE;
	if (counts->improvements > 0)
		return WEIR_GATE_IMPROVEMENT;
	if (counts->no_change == 0 && counts->waived == 0 && counts->moved == 0)
		return WEIR_GATE_INCONCLUSIVE;
	return WEIR_GATE_PASS;
}

/*
 * Returns true for a suspect row, or one that is undecided at p50 or `shift`, which every stage can
 * be judged by: p90 to p99 need more runs than most teams measure. Rows of severity `warn` are
 * informational and never doubtful.
 */
static bool is_doubtful(const struct weir_row *row)
{
	if (row->outcome == WEIR_OUTCOME_SUSPECT)
		return true;
	return row->outcome == WEIR_OUTCOME_INCONCLUSIVE &&
	       (row->metric == WEIR_METRIC_P50 || row->metric == WEIR_METRIC_SHIFT);
}

static bool any_doubtful(const struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->row_count; i++)
		if (is_doubtful(&result->rows[i]))
			return true;
	return false;
}

static void set_verdict(struct weir_gate_result *result, const struct weir_gate_terms *terms)
{
	bool lost = coverage_lost(result, terms);

	result->verdict = verdict_of(result, lost);
	if (result->counts.regressions > 0)
		add_code(result, WEIR_GATE_CODE_REGRESSION);
	if (lost || result->counts.judged == 0)
		add_code(result, WEIR_GATE_CODE_COVERAGE);
	if (result->counts.judged == 0)
		remark_nothing_judged(result);
	if (terms->strict && (any_doubtful(result) || result->verdict == WEIR_GATE_INCONCLUSIVE))
		add_code(result, WEIR_GATE_CODE_INCONCLUSIVE);
	result->exit_code = result->code_count > 0 && !terms->never_fail ? result->codes[0] : 0;
}

/* Applies the waivers to whole findings: the finding of a row is found before. */
static void apply_waivers(struct weir_gate_result *result, const struct weir_policy *policy)
{
	weir_gate_find_causes(result);
	for (size_t i = 0; i < result->row_count; i++)
		apply_waiver(result, policy, &result->rows[i]);
	for (size_t i = 0; i < result->row_count; i++)
		apply_ceilings(result, policy, &result->rows[i]);
}

/* Finds the causes of the final, sorted rows, and sets the last day of the waivers to advise. */
static void conclude_findings(struct weir_gate_result *result, const struct weir_policy *policy)
{
	char until[WEIR_DAY_SIZE];
	bool dated = policy->today && weir_day_after(policy->today, WAIVER_DAYS, until);

	weir_gate_find_causes(result);
	for (size_t i = 0; dated && i < result->finding_count; i++)
		result->findings[i].until = weir_arena_copy(result->arena, until, strlen(until));
}

void weir_gate_judge(struct weir_gate_result *result, const struct weir_gate_terms *terms)
{
	remark_patterns(result, terms->policy);
	drop_ignored(result, terms->policy);
	for (size_t i = 0; i < result->row_count; i++)
		apply_rule(terms->policy, &result->rows[i]);
	apply_waivers(result, terms->policy);
	if (result->row_count > 1)
		qsort(result->rows, result->row_count, sizeof *result->rows, worst_first);
	conclude_findings(result, terms->policy);
	result->counts = (struct weir_gate_counts){0};
	for (size_t i = 0; i < result->row_count; i++)
		count_row(&result->counts, result->rows[i].outcome);
	set_verdict(result, terms);
}

void weir_gate_stop(struct weir_gate_result *result, enum weir_gate_verdict verdict,
                    enum weir_gate_code code)
{
	result->verdict = verdict;
	result->method = WEIR_METHOD_NONE;
	add_code(result, code);
	result->exit_code = result->codes[0];
}
