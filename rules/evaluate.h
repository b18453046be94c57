/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules against one subject: outcomes, one verdict, and the recommendations of the rules that hold.
 */
#ifndef WEIR_RULES_EVALUATE_H
#define WEIR_RULES_EVALUATE_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/model/finding.h"
#include "rules/ruleset.h"

#define WEIR_VERDICT_MISSING_MAX 4 /* unmeasured features that an undetermined verdict names */

/* {0} is an empty list; release with weir_advice_list_release(). Texts are borrowed from the rule
 * set. */
struct weir_advice_list {
	struct weir_advice *items; /* by weight, the heaviest first; one an id */
	size_t count, capacity;
};

void weir_advice_list_release(struct weir_advice_list *list);
/* Behind those that are there; an id that is there already stays as it is. */
void weir_advice_list_append(struct weir_advice_list *list, const struct weir_advice_list *more);

/* Does the rule hold for the row that the set's database has now? FALSE at the first clause that is
 * false. `truths` (one a clause) is filled up to there; may be NULL. */
enum weir_status weir_rule_evaluate(const struct weir_rule *rule, enum weir_truth *truths,
                                    enum weir_truth *out, struct weir_error *err);

/*
 * Every rule about the subject's kind, in order: what `weir -v classify` prints. `outcomes` has
 * room for weir_ruleset_count(); *count says how many were written. Advice-only rules have
 * WEIR_BOUND_NONE.
 */
enum weir_status weir_ruleset_outcomes(struct weir_ruleset *set, const struct weir_subject *subject,
                                       struct weir_rule_outcome *outcomes, size_t *count,
                                       struct weir_error *err);

/*
 * `shares` is the subject's attribution, WEIR_BOUND_COUNT shares with NAN for unknown, or NULL
 * where there is none. `advice`, if not NULL, is cleared and filled. Texts of both are borrowed
 * from the set, which must outlive them; the same templates serve all subjects, so expand them with
 * the values of this one.
 */
enum weir_status weir_ruleset_judge(struct weir_ruleset *set, const struct weir_subject *subject,
                                    const double *shares, struct weir_verdict *verdict,
                                    struct weir_advice_list *advice, struct weir_error *err);

#endif
