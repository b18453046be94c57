/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/check.h"
#include "rules/evaluate.h"

static enum weir_status explain(const struct weir_rule *rule, struct weir_example_failure *failure,
                                struct weir_error *err)
{
	failure->evidence_count = rule->clause_count;
	for (size_t i = 0; i < rule->clause_count; i++) {
		enum weir_truth truth;
		enum weir_status status = weir_clause_evaluate(rule->clauses[i], &truth, err);
		if (status)
			return status;
		weir_clause_explain(rule->clauses[i], truth, &failure->evidence[i]);
	}
	return WEIR_OK;
}

static enum weir_status check_example(struct weir_ruleset *set,
                                      struct weir_example_failure *failure, struct weir_error *err)
{
	const struct weir_example *example = &failure->rule->examples[failure->example];
	enum weir_status status = weir_clause_db_set(weir_ruleset_db(set), example->values, err);

	failure->expected = example->expect;
	if (!status)
		status = weir_rule_evaluate(failure->rule, NULL, &failure->got, err);
	if (!status && failure->got != failure->expected)
		status = explain(failure->rule, failure, err);
	return status;
}

enum weir_status weir_ruleset_check(struct weir_ruleset *set, weir_example_report *report,
                                    void *context, size_t *failures, struct weir_error *err)
{
	struct weir_example_failure failure = {0};

	*failures = 0;
	for (size_t i = 0; i < weir_ruleset_count(set); i++) {
		failure.rule = weir_ruleset_rule(set, i);
		for (failure.example = 0; failure.example < failure.rule->example_count;
		     failure.example++) {
			enum weir_status status = check_example(set, &failure, err);
			if (status)
				return status;
			if (failure.got == failure.expected)
				continue;
			++*failures;
			if (report)
				report(context, &failure);
		}
	}
	return WEIR_OK;
}
