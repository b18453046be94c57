/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "rules/choice.h"

/* Makes 0.52 - 0.50 a tie, although the doubles differ by slightly more than 0.02. */
#define ROUNDING 1e-9

static bool at_most(double value, double limit)
{
	return value <= limit + ROUNDING;
}

static bool at_least(double value, double limit)
{
	return value >= limit - ROUNDING;
}

/* Ranks a rule of unknown share below every known share. */
static double rank_of(const struct weir_rule_outcome *outcome)
{
	return isfinite(outcome->share) ? outcome->share : -1;
}

size_t weir_choice_winner(const struct weir_rule_outcome *outcomes, size_t count)
{
	double best = -INFINITY;

	for (size_t i = 0; i < count; i++) {
		if (outcomes[i].truth == WEIR_TRUE && rank_of(&outcomes[i]) > best)
			best = rank_of(&outcomes[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (outcomes[i].truth == WEIR_TRUE &&
		    at_most(best - rank_of(&outcomes[i]), WEIR_CHOICE_TIE))
			return i;
	}
	return WEIR_CHOICE_NONE;
}

double weir_choice_rival(const struct weir_rule_outcome *outcomes, size_t count, size_t winner)
{
	double share = outcomes[winner].share, nearest = NAN;

	for (size_t i = 0; i < count; i++) {
		const struct weir_rule_outcome *other = &outcomes[i];
		if (other->truth != WEIR_TRUE || other->bound == outcomes[winner].bound ||
		    !isfinite(other->share))
			continue;
		if (isnan(nearest) || fabs(other->share - share) < fabs(nearest - share))
			nearest = other->share;
	}
	return nearest;
}

bool weir_choice_runner_up(const double *shares, enum weir_bound verdict, enum weir_bound *bound,
                           double *share)
{
	double best = 0;

	for (int i = 0; i < WEIR_BOUND_COUNT; i++) {
		if (i == WEIR_BOUND_UNDETERMINED || (enum weir_bound)i == verdict ||
		    !(shares[i] > best))
			continue;
		best = shares[i];
		*bound = (enum weir_bound)i;
	}
	*share = best;
	return best > 0;
}

bool weir_choice_is_outweighed(const double *shares, enum weir_bound bound, double share)
{
	double taken = fmax(share - shares[bound], 0);

	return bound != WEIR_BOUND_UNDETERMINED &&
	       at_least(shares[WEIR_BOUND_UNDETERMINED] - taken, fmax(share, shares[bound]));
}

enum weir_confidence weir_choice_confidence(const struct weir_standing *standing)
{
	double lead = standing->share - standing->runner_up;

	if (!at_least(lead, WEIR_CHOICE_MEDIUM_LEAD))
		return WEIR_CONFIDENCE_LOW;
	if (at_most(fabs(standing->share - standing->rival), WEIR_CHOICE_CONTEST))
		return WEIR_CONFIDENCE_LOW;
	if (at_least(lead, WEIR_CHOICE_HIGH_LEAD) &&
	    standing->unattributed < WEIR_CHOICE_HIGH_UNKNOWN)
		return WEIR_CONFIDENCE_HIGH;
	return WEIR_CONFIDENCE_MEDIUM;
}
