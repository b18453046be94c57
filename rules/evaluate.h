/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges one subject by all rules: one verdict, and the recommendations of the rules that hold. */
#ifndef WEIR_RULES_EVALUATE_H
#define WEIR_RULES_EVALUATE_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/model/finding.h"
#include "rules/ruleset.h"

#define WEIR_VERDICT_MISSING_MAX 4 /* unmeasured features that an undetermined verdict names */

/* {0} is an empty list; release it with weir_advice_list_release(). Texts are borrowed from the
 * rule set. */
struct weir_advice_list {
	struct weir_advice *items; /* one for each id, the heaviest first */
	size_t count, capacity;
};

void weir_advice_list_release(struct weir_advice_list *list);
/* Appends advice whose id is not in the list yet. */
void weir_advice_list_append(struct weir_advice_list *list, const struct weir_advice_list *more);

/*
 * Fills *verdict and, if not NULL, *advice, which is cleared first. `shares` is the subject's
 * attribution, WEIR_BOUND_COUNT shares with NAN for unknown, or NULL if unknown. Texts are
 * borrowed from the set, which must outlive them; they are templates to be expanded with the
 * values of this subject.
 */
void weir_ruleset_judge(struct weir_ruleset *set, const struct weir_subject *subject,
                        const double *shares, struct weir_verdict *verdict,
                        struct weir_advice_list *advice);

#endif
