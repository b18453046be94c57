/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/stats/power.h"
#include "engine/stats/special.h"

#define LEAST_CANDIDATES 3 /* with fewer, a change is a suspect at most */
#define MORE_CANDIDATES  5 /* least number of candidates if more baseline runs are proposed */

/* The power at exactly the margin, and the share of the margin by which a change may miss it. */
static const struct {
	double power, share;
} slacks[] = {
	[false] = {WEIR_POWER_DEFAULT, 0.1}, [true] = {0.85, 0.15}, /* the leading row */
};

double weir_power_slack(bool leads, double margin, double error, double df)
{
	double most = weir_t_quantile_upper(1 - slacks[leads].power, df) * error;

	return most > 0 ? fmin(most, slacks[leads].share * margin) : 0;
}

/* Returns the minimum detectable effect with these numbers of runs. */
static double effect_with(const struct weir_power *power, size_t baselines, size_t candidates)
{
	double b = (double)baselines;
	double c = power->single ? 1 : (double)candidates;
	double df = b + c - 2 + power->prior_df;
	double error, likely, slack;

	if (b + c <= 2)
		return NAN;
	error = sqrt(power->variance * (1 / b + 1 / c));
	likely = weir_t_quantile_upper(1 - power->power, df) * error;
	slack = power->single ? 0 : weir_power_slack(power->leads, power->margin, error, df);
	return fmax(power->margin > 0 ? power->margin + fmax(likely - slack, 0) : 0,
	            weir_t_quantile_upper(power->alpha, df) * error + likely);
}

/* Finds by bisection the fewest runs in low..high that detect the effect; 0: none does. More runs
 * on either side detect smaller effects. */
static size_t fewest(const struct weir_power *power, double effect, size_t low, size_t high,
                     size_t candidates)
{
	size_t most = high;

	while (low <= high) {
		size_t middle = low + (high - low) / 2;
		double seen = candidates > 0 ? effect_with(power, middle, candidates)
		                             : effect_with(power, power->baseline_runs, middle);

		if (seen <= effect)
			high = middle - 1;
		else
			low = middle + 1;
	}
	return low <= most ? low : 0;
}

struct weir_runs_needed weir_power_runs(const struct weir_power *power, double effect)
{
	struct weir_runs_needed needed = {0};
	size_t candidates = power->candidate_runs;

	if (isnan(power->variance) || power->baseline_runs == 0)
		return needed;
	needed.candidates = fewest(power, effect, LEAST_CANDIDATES, WEIR_POWER_CANDIDATES, 0);
	if (needed.candidates > 0)
		return needed;
	if (candidates < MORE_CANDIDATES)
		candidates = MORE_CANDIDATES;
	needed.baselines =
		fewest(power, effect, power->baseline_runs, WEIR_POWER_BASELINES, candidates);
	return needed;
}
