/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the outcomes of all rules to one verdict: pure functions.
 * docs/decisions/0003-choice-of-verdict.md says why they are so. Shares are 0 to 1; NAN is unknown
 * and never wins over, or is sure of, anything.
 */
#ifndef WEIR_RULES_CHOICE_H
#define WEIR_RULES_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/model/finding.h"

#define WEIR_CHOICE_NONE ((size_t)-1)

#define WEIR_CHOICE_TIE 0.02 /* shares this near are equal: the earlier rule is chosen */
#define WEIR_CHOICE_CONTEST                                                                        \
	0.05 /* a rule of another bound this near leaves the verdict at low confidence */
#define WEIR_CHOICE_MEDIUM_LEAD  0.15 /* ahead of the runner-up */
#define WEIR_CHOICE_HIGH_LEAD    0.30
#define WEIR_CHOICE_HIGH_UNKNOWN 0.25 /* high confidence needs less than this unattributed */

/* The rule to believe among outcomes in their order: it holds and has the largest share, or is the
 * first within the tie of it. WEIR_CHOICE_NONE where none holds. */
size_t weir_choice_winner(const struct weir_rule_outcome *outcomes, size_t count);

/* The share nearest to the winner's among rules of another bound that hold; NAN: there is none. */
double weir_choice_rival(const struct weir_rule_outcome *outcomes, size_t count, size_t winner);

/* The largest bound of an attribution (WEIR_BOUND_COUNT shares) other than `verdict`; false where
 * none is above 0. What is unattributed is no bound. */
bool weir_choice_runner_up(const double *shares, enum weir_bound verdict, enum weir_bound *bound,
                           double *share);

/* What a verdict stands on. */
struct weir_standing {
	double share;     /* of the verdict */
	double runner_up; /* 0: no other bound holds anything */
	double unattributed;
	double rival; /* NAN: none */
};

enum weir_confidence weir_choice_confidence(const struct weir_standing *standing);

#endif
