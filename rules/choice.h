/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses one verdict among the outcomes of all rules, with pure functions.
 * docs/decisions/0003-choice-of-verdict.md gives the reasons. Shares are 0 to 1; NAN is unknown: it
 * never wins and never raises confidence.
 */
#ifndef WEIR_RULES_CHOICE_H
#define WEIR_RULES_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/model/finding.h"

#define WEIR_CHOICE_NONE ((size_t)-1)

/* Largest distance of two shares that are a tie: the earlier rule is chosen. */
#define WEIR_CHOICE_TIE 0.02
/* Largest distance at which a rule of another bound leaves the verdict at low confidence. */
#define WEIR_CHOICE_CONTEST 0.05
/* Smallest lead over the runner-up for medium and for high confidence. */
#define WEIR_CHOICE_MEDIUM_LEAD 0.15
#define WEIR_CHOICE_HIGH_LEAD   0.30
/* High confidence needs an unattributed share below this. */
#define WEIR_CHOICE_HIGH_UNKNOWN 0.25

/* Returns the first rule that holds and whose share ties with the largest share of a rule that
 * holds; WEIR_CHOICE_NONE if no rule holds. */
size_t weir_choice_winner(const struct weir_rule_outcome *outcomes, size_t count);

/* Returns the share nearest to the winner's among rules of another bound that hold; NAN: none does.
 */
double weir_choice_rival(const struct weir_rule_outcome *outcomes, size_t count, size_t winner);

/* Finds the largest bound of an attribution (WEIR_BOUND_COUNT shares) other than `verdict` and the
 * unattributed share; returns false if no such share is above 0. */
bool weir_choice_runner_up(const double *shares, enum weir_bound verdict, enum weir_bound *bound,
                           double *share);

/* The shares that decide the confidence of a verdict. */
struct weir_standing {
	double share;     /* of the verdict */
	double runner_up; /* largest other bound of the attribution; 0: no other bound */
	double unattributed;
	double rival; /* of a rule of another bound that holds; NAN: none does */
};

/*
 * Returns true if neither the rule's share nor the share of its bound exceeds the unattributed
 * share. If the rule explains more than its bound holds, the excess is unattributed time that it
 * explains, so it does not count against it. `shares` holds WEIR_BOUND_COUNT shares; returns false
 * if they are NAN.
 */
bool weir_choice_is_outweighed(const double *shares, enum weir_bound bound, double share);

enum weir_confidence weir_choice_confidence(const struct weir_standing *standing);

#endif
