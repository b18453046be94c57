/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any bytes as a rule file: it is refused with a message, or loaded, checked and used. Seeds:
 * tests/data/rules, whose files use the features of tests/unit/rule_features.h and therefore reach
 * further than those of rules/catalog.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/base/text.h"
#include "engine/model/template.h"
#include "engine/report/words/phrases.h"
#include "rules/evaluate.h"
#include "rules/ruleset.h"
#include "tests/unit/rule_features.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(struct weir_ruleset *set, enum weir_subject_kind kind, double value)
{
	const double shares[WEIR_BOUND_COUNT] = {0, 0.5, 0.1, NAN, 0, 0, 0.4};
	double values[F_COUNT];
	const struct weir_subject subject = {kind, "x", values};
	struct weir_verdict verdict;
	struct weir_advice_list advice = {0};
	struct weir_text text = {0};

	for (size_t i = 0; i < F_COUNT; i++)
		values[i] = i % 3 == 0 ? NAN : value;
	weir_ruleset_judge(set, &subject, shares, &verdict, &advice);
	if (verdict.headline)
		weir_template_expand(verdict.headline, &rule_features, values, &text);
	if (verdict.next)
		weir_template_expand(verdict.next, &rule_features, values, &text);
	for (size_t i = 0; i < verdict.evidence_count; i++)
		weir_phrase_clause(&rule_features, &verdict.evidence[i], &text);
	weir_text_release(&text);
	weir_advice_list_release(&advice);
}

/* A printed clause must be a clause; brackets may make it longer than the limit. */
static void reprint(const struct weir_rule *rule)
{
	struct weir_arena *arena = weir_arena_new();

	for (size_t i = 0; i < rule->clause_count; i++) {
		struct weir_expression again;
		struct weir_text text = {0};

		weir_node_print(rule->clauses[i].expression.root, NULL, NULL, &text);
		if (text.length <= WEIR_EXPRESSION_MAX_LENGTH &&
		    weir_expression_parse(arena, text.data, &again, NULL))
			abort();
		weir_text_release(&text);
	}
	weir_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_ruleset *set = NULL;
	struct weir_error err = {0};

	if (weir_ruleset_load_text(&rule_features, "fuzz.json", (const char *)data, size, &set,
	                           &err)) {
		if (err.message[0] == '\0' || err.status == WEIR_OK)
			abort(); /* a refusal has a message */
		return 0;
	}
	(void)weir_ruleset_check(set, NULL, NULL);
	for (size_t i = 0; i < weir_ruleset_count(set); i++)
		reprint(weir_ruleset_rule(set, i));
	use(set, WEIR_SUBJECT_PROFILE, 0.7);
	use(set, WEIR_SUBJECT_STAGE, INFINITY);
	use(set, WEIR_SUBJECT_OPERATOR, -1e300);
	weir_ruleset_free(set);
	return 0;
}
