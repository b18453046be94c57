/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds caches of attention that are copied whole in another order of their rows, as beam search
 * does between two steps. The beams of a request share the prompt's part, so that only later
 * positions need the copy, or none if attention looks the rows up. A step that writes nothing to
 * the caches reorders its queries instead.
 */
#ifndef WEIR_ANALYSIS_ADVICE_REORDERS_H
#define WEIR_ANALYSIS_ADVICE_REORDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

struct weir_reorders {
	size_t found;     /* copies of caches */
	double before_ns; /* their device time */
	bool only_read;   /* the step writes nothing to them */
};

/* Removes the copies, or leaves the time of the shortest kernel; adds to *sum. */
void weir_reorders_shorten(struct weir_draft *draft, const struct weir_op_calls *calls,
                           struct weir_reorders *sum);
/* Adds what was found to the basis. */
void weir_reorders_explain(struct weir_draft *draft, const struct weir_reorders *sum);

#endif
