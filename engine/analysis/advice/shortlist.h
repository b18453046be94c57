/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Orders the fixes that were found, and leaves out those that only repeat the gain of a better one.
 */
#ifndef WEIR_ANALYSIS_ADVICE_SHORTLIST_H
#define WEIR_ANALYSIS_ADVICE_SHORTLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/advice/advisor.h"
#include "engine/model/fix.h"

/* A fix and what came of it. */
struct weir_ranked_fix {
	struct weir_found_fix fix;
	uint8_t *touched; /* 1: changed by the fix; per job, then per issue of the program; owned by
	                     the caller */
	double score;     /* order: saved time over effort */
	size_t order;     /* in the catalogue: decides between equal scores */
	bool unmet;       /* a need is not met, or nothing says what it gives: behind all others */
	bool of_start; /* saves time of leading steps alone: nothing says what a step takes then */
	bool dropped;  /* an alternative to a better fix */
	bool copies_stay; /* see struct weir_draft */
	bool supposed;    /* it replaces host work of which only the time is known */
};

/* Returns the saved time (ns) over effort. What must be checked counts a tenth of the saving less,
 * or a tenth of the step behind it: of two fixes that leave little, the one that leaves less is
 * better. */
double weir_score_of(const struct weir_found_fix *fix);

/*
 * Sorts the outcomes, the best first, and marks as `dropped` each fix that changes what a better
 * one changes and saves no more; the better one then names it in `instead`. Both stay if
 * - both can be made,
 * - the better one hides work that the other one removes,
 * - the better one removes work on a supposition, and the other one hides that work, or
 * - a third fix needs the other one first.
 * Packing pieces goes before joining the turns that copy them, or launching the step as a whole, if
 * it changes most of the same time.
 */
void weir_shortlist(const struct weir_advisor *advisor, struct weir_ranked_fix *outcomes,
                    size_t count);

#endif
