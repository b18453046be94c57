/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the commit that made a program slower, for `weir bisect`. First both ends are measured
 * until the gate sees a regression. Then the commit is measured next whose side of the step is most
 * uncertain, a few runs at a time, until one place of the step is almost certain: all runs count
 * for all places (engine/stats/step.h), so that a wrong first impression is corrected by later
 * runs.
 */
#ifndef WEIR_PIPELINE_BISECT_H
#define WEIR_PIPELINE_BISECT_H

#include <stddef.h>

#include "ci/policy/policy.h"
#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/model/settings.h"
#include "engine/pipeline/measurement.h"

#define WEIR_BISECT_LEAST_RUNS 5    /* first look at the ends */
#define WEIR_BISECT_MOST_RUNS  20   /* default limit of runs of one commit */
#define WEIR_BISECT_CERTAINTY  0.99 /* probability of the place of the step */

struct weir_bisect_request {
	const char *good, *bad;     /* revisions of the repository in the current folder */
	const char *const *command; /* measures one run; ends with NULL */
	size_t most_runs;           /* of one commit, at least WEIR_BISECT_LEAST_RUNS */
	const struct weir_policy *policy;
	const struct weir_settings *settings;
	struct weir_signals *signals;
	weir_say_line *say; /* gets a line per step, and the output of a failed command */
	void *context;
};

enum weir_bisect_verdict {
	WEIR_BISECT_FOUND,
	WEIR_BISECT_SEVERAL, /* one of several commits: those between could not be measured, or the
	                        runs do not decide */
	WEIR_BISECT_SAME,    /* the ends do not differ as far as the runs show */
	WEIR_BISECT_FASTER,  /* the bad end is faster */
};

/* Texts live in the arena. */
struct weir_bisect_result {
	struct weir_arena *arena;
	enum weir_bisect_verdict verdict;
	const char **suspects; /* "1f2e3d4 2026-11-20 Author: subject", first the most likely */
	size_t suspect_count;  /* of the commits listed in `suspects`, at most 10 */
	size_t candidates;     /* number of commits that remain */
	const char *figure;    /* "stage:decode p50"; NULL: the ends do not differ */
	const char *unit;      /* of the levels: "ns", or that of a per-run figure; may be NULL */
	double before, behind; /* levels on both sides */
	double probability;    /* that one of the candidates is the first bad commit */
	size_t runs, measured, skipped, commits; /* totals; commits: those after the good end */
	size_t end_runs;                         /* of each end */
};

/* Bisects. The caller releases *out, also after a failure. The worktree is removed in every case.
 */
enum weir_status weir_bisect_run(const struct weir_bisect_request *request,
                                 struct weir_bisect_result *out, struct weir_error *err);
/* Appends "of 97.1 %", or "above 99.9 %" for whatever would be rounded to 100 %. */
void weir_bisect_print_probability(double probability, struct weir_text *out);
void weir_bisect_result_release(struct weir_bisect_result *result);

#endif
