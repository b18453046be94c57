/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How small an effect a test could have seen, and how many runs would show a given one. Effects and
 * margins on the log scale. */
#ifndef WEIR_STATS_POWER_H
#define WEIR_STATS_POWER_H

#include <stdbool.h>
#include <stddef.h>

#define WEIR_POWER_DEFAULT    0.8
#define WEIR_POWER_CANDIDATES 20  /* most candidate runs that are ever proposed */
#define WEIR_POWER_BASELINES  100 /* most baseline runs */

struct weir_power {
	double variance; /* of one run */
	double prior_df; /* of the shrinkage; 0: none. May be INFINITY. */
	size_t baseline_runs, candidate_runs;
	double alpha; /* one-sided, of this one test */
	double power;
	double margin; /* nothing below it is ever reported; 0: none */
	bool single;   /* the candidates count as one run: d = B - 1, h = 1 + 1/B */
};

/* max(margin, (t(1 - alpha) + t(power)) sqrt(variance h)): central-t approximation, realised power
 * .79 to .97. NAN without a degree of freedom. */
double weir_power_effect(const struct weir_power *power);

/* 0: not found. At most one of the two is set. */
struct weir_runs_needed {
	size_t candidates; /* candidate runs in all, baseline as it is */
	size_t baselines;  /* baseline runs in all, with max(candidate_runs, 5) candidates */
};

/* The fewest runs whose weir_power_effect() is at most `effect`. Never fewer than 3 candidates,
 * because fewer only ever make a suspect. */
struct weir_runs_needed weir_power_runs(const struct weir_power *power, double effect);

#endif
