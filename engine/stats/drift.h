/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests for slow drift: the change of the newest units (runs, or means of sessions) against an
 * anchor of old ones. Each step of a drift may lie under the margin, and a baseline that accepts
 * each step follows it; the anchor does not.
 *
 *     change = mean of the newest - mean of the anchor
 *     t = change / (s sqrt(1 / anchor + 1 / newest)),  one-sided, n - 2 degrees of freedom
 *
 * s is the deviation around the straight line through all n units (least squares), so that a steady
 * drift does not count as noise; it is moderated over subjects (weir_pool_moderate()). Other
 * shapes inflate s, which makes the test late and never wrong.
 *
 * The test is repeated whenever runs are added. Its level is spent in equal parts per run (the
 * linear spending function of K. K. G. Lan and D. L. DeMets, Biometrika 70, 1983), and the looks
 * are added up by Boole's inequality: over WEIR_DRIFT_HORIZON runs, a history without drift is
 * called drifting with a probability of at most alpha. After that the next such history begins.
 */
#ifndef WEIR_STATS_DRIFT_H
#define WEIR_STATS_DRIFT_H

#include <stdbool.h>
#include <stddef.h>

#define WEIR_DRIFT_HORIZON 200 /* runs over which the level is spent */

struct weir_drift_input {
	size_t subjects, units, anchor, newest; /* anchor + newest <= units */
	/* [subject][unit], oldest first: natural logs, larger is worse; NAN: absent. A subject that
	 * lacks a unit is not tested. */
	const double *y;
	const double *margins; /* [subject]: relative */
	double alpha;          /* level of the whole horizon, for all subjects together */
	size_t new_runs;       /* runs since the last look */
};

struct weir_drift_cell {
	double anchor, newest;    /* levels: mean logs */
	double change, low, high; /* log; 90 % interval */
	double p, p_adjusted;     /* p_adjusted: to hold against alpha; NAN: not tested */
	double df;
	bool drifts; /* p_adjusted <= alpha, and the change reaches its margin less the slack of
	                weir_gate_decide() */
};

/* Fills one cell a subject. */
void weir_drift_test(const struct weir_drift_input *in, struct weir_drift_cell *cells);

#endif
