/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistical power: the smallest effect that a test can detect, and the number of runs that detect
 * a given one. Effects and margins are on the log scale. */
#ifndef WEIR_STATS_POWER_H
#define WEIR_STATS_POWER_H

#include <stdbool.h>
#include <stddef.h>

#define WEIR_POWER_DEFAULT    0.8
#define WEIR_POWER_CANDIDATES 20  /* largest number of candidate runs that is proposed */
#define WEIR_POWER_BASELINES  100 /* largest number of baseline runs that is proposed */

struct weir_power {
	double variance; /* of one run */
	double prior_df; /* of the shrinkage; 0: none; may be INFINITY */
	size_t baseline_runs, candidate_runs;
	double alpha; /* one-sided level of this test */
	double power;
	double margin; /* smaller effects are never reported; 0: no margin */
	bool leads;    /* see weir_power_slack() */
	bool single;   /* the candidates count as one run: d = B - 1, h = 1 + 1/B */
};

/* 0: no number suffices. At most one of the two is set. */
struct weir_runs_needed {
	size_t candidates; /* total candidate runs, with the baseline as it is */
	size_t baselines;  /* total baseline runs, with max(candidate_runs, 5) candidates */
};

/*
 * Returns by how much a change may miss its margin, so that chance does not hide a change of
 * exactly the margin in every other case:
 *
 *     min(t(0.85) se, 0.15 margin)   leads: the row that has most of the level of its subject
 *     min(t(0.8) se, 0.1 margin)     any other row
 *
 * error: se of the change, with df degrees of freedom.
 */
double weir_power_slack(bool leads, double margin, double error, double df);

/* Returns the fewest runs whose minimum detectable effect is at most `effect`, but at least 3
 * candidates, since fewer yield a suspect at most. The detectable effect is the largest of
 *
 *     (t(1 - alpha) + t(power)) se         the central-t approximation, whose true power is .77 to
 *                                          .97
 *     margin + t(power) se - slack         slack = weir_power_slack()
 *     margin
 *
 * with se^2 = variance h; no slack if the candidates count as one run. */
struct weir_runs_needed weir_power_runs(const struct weir_power *power, double effect);

#endif
