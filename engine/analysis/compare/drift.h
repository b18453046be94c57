/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds slow drift in a history of runs: stages, device time and per-run figures against the oldest
 * runs (engine/stats/drift.h). The anchor is the runs with the label WEIR_DRIFT_PIN (any
 * value) at the beginning of the history, else the WEIR_DRIFT_RUNS oldest runs. Runs that name
 * their session count as means of sessions, and a session is never divided.
 */
#ifndef WEIR_ANALYSIS_COMPARE_DRIFT_H
#define WEIR_ANALYSIS_COMPARE_DRIFT_H

#include "engine/analysis/compare/compare.h"
#include "engine/stats/drift.h"

#define WEIR_DRIFT_PIN  "anchor"
#define WEIR_DRIFT_RUNS 5 /* runs of the anchor, and least number of the newest runs */
#define WEIR_DRIFT_LEAST                                                                           \
	10 /* runs before the new ones: with fewer, the gate itself is the test                    \
	    */

/* One figure of the history. */
struct weir_drift_figure {
	enum weir_scope_kind kind;
	char *scope; /* owned: "stage:decode" */
	bool higher_is_better;
	double margin; /* relative */
	struct weir_drift_cell cell;
	size_t *carriers; /* owned: runs beyond half of the change, oldest first */
	size_t carrier_count;
};

struct weir_drift {
	struct weir_drift_figure *figures;
	size_t count;
	size_t anchor_runs, newest_runs; /* 0: too few runs for a test */
};

/*
 * Tests `count` runs, oldest first, of which the last `new_runs` are new (at least 1).
 * pinned[count] tells which runs are pinned in the store; NULL: none. {0} without enough runs.
 * Figures of a severity that never judges are left out. Release it with weir_drift_release().
 */
void weir_drift_find(const struct weir_run *const *runs, const bool *pinned, size_t count,
                     size_t new_runs, const struct weir_compare_policy *policy,
                     struct weir_drift *out);
void weir_drift_release(struct weir_drift *drift);

#endif
