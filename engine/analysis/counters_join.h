/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters beside a timeline: a group of device work whose kernel was counted in the same shape is
 * judged by the counters, not by a model of its shapes. Names are compared as people read them, for
 * profilers print template arguments each in their own way; among kernels that agree in that, the
 * one with exactly the same name counts, else one alone. Durations that are far apart are those of
 * other work.
 */
#ifndef WEIR_ANALYSIS_COUNTERS_JOIN_H
#define WEIR_ANALYSIS_COUNTERS_JOIN_H

#include <stddef.h>

#include "engine/analysis/counters.h"
#include "engine/analysis/rank.h"

struct weir_counted_join {
	size_t groups; /* of all ranks that counters judge */
	double share;  /* of the device's busy time; 0: none */
};

/* Only groups of one kernel a call are joined. counted NULL: nothing is. */
struct weir_counted_join weir_counted_overrule(const struct weir_counted *counted,
                                               struct weir_rank *ranks, size_t rank_count);

#endif
