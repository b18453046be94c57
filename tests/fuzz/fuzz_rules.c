/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a rule file: refused with a message, or loaded, checked and used. Seeds: those of
 * rules/catalog, though a file in the features of tests/unit/rule_features.h reaches further.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/base/text.h"
#include "engine/model/template.h"
#include "rules/check.h"
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
	struct weir_error err = {0};

	for (size_t i = 0; i < F_COUNT; i++)
		values[i] = i % 3 == 0 ? NAN : value;
	if (weir_ruleset_judge(set, &subject, shares, &verdict, &advice, &err) == WEIR_OK) {
		if (verdict.headline)
			weir_template_expand(verdict.headline, &rule_features, values, &text);
		if (verdict.next)
			weir_template_expand(verdict.next, &rule_features, values, &text);
	}
	weir_text_release(&text);
	weir_advice_list_release(&advice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_ruleset *set = NULL;
	struct weir_error err = {0};
	size_t failures;

	if (weir_ruleset_load_text(&rule_features, "fuzz.json", (const char *)data, size, &set,
	                           &err)) {
		if (err.message[0] == '\0' || err.status == WEIR_OK)
			abort(); /* a refusal says why */
		return 0;
	}
	(void)weir_ruleset_check(set, NULL, NULL, &failures, &err);
	use(set, WEIR_SUBJECT_PROFILE, 0.7);
	use(set, WEIR_SUBJECT_STAGE, INFINITY);
	use(set, WEIR_SUBJECT_OPERATOR, -1e300);
	weir_ruleset_free(set);
	return 0;
}
