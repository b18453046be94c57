/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds copies that put rows in the opposite order (flip) or shift them (roll), and copies behind
 * operators on single rows that bring them back: in any order, each row gives the same result.
 */
#ifndef WEIR_ANALYSIS_ADVICE_DETOURS_H
#define WEIR_ANALYSIS_ADVICE_DETOURS_H

#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

struct weir_detours {
	size_t found; /* pairs of copies that go away */
	double before_ns;
};

/* Removes each such pair; adds to *sum. */
void weir_detours_remove(struct weir_draft *draft, const struct weir_op_calls *calls,
                         struct weir_detours *sum);
/* Adds what was found to the basis. */
void weir_detours_explain(struct weir_draft *draft, const struct weir_detours *sum);

#endif
