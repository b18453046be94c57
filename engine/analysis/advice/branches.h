/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loops with a branch: some turns call an operator that the others do not, such as the flip of
 * every second image on average. loops.h compares turns call by call, and would take each stretch
 * between two branches for one loop. So it reads the calls without those of branches.
 *
 * All turns at once compute both sides of the branch, and choose between them row by row.
 */
#ifndef WEIR_ANALYSIS_ADVICE_BRANCHES_H
#define WEIR_ANALYSIS_ADVICE_BRANCHES_H

#include "engine/analysis/advice/opcalls.h"

/* A call that only some turns make. */
struct weir_branch {
	struct weir_op_call call;
	size_t behind; /* index of the call before it, among those without branches */
};

struct weir_branches {
	struct weir_op_calls calls; /* all calls without those of branches */
	struct weir_branch *items;  /* in the order of the program */
	size_t count;
};

/* Returns the branches of the advisor's program; they belong to the advisor. */
const struct weir_branches *weir_branches_of(const struct weir_advisor *advisor);

#endif
