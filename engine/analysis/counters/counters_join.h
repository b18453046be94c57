/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Joins counters with a timeline: a group of device work whose kernels were counted in the same
 * shape is judged by the counters instead of a model of its shapes. Two kernels are the same if the
 * words of their names and template arguments, their blocks and their threads agree (kernels.h:
 * weir_kernel_key), or if only one counted kernel has the same display name. Very different
 * durations mean different work, and launches whose durations vary that much do not represent
 * another launch.
 */
#ifndef WEIR_ANALYSIS_COUNTERS_COUNTERS_JOIN_H
#define WEIR_ANALYSIS_COUNTERS_COUNTERS_JOIN_H

#include <stddef.h>

#include "engine/analysis/counters/counters.h"
#include "engine/analysis/rank/rank.h"

/* Counted kernels decide about a group from this share of its device time on. */
#define WEIR_COUNTED_SHARE 0.90

struct weir_counted_join {
	size_t groups;      /* groups judged by counters, over all ranks */
	double share;       /* of the device's busy time; 0: none */
	double model_share; /* share of the joined time that also has a model */
	/* Share of the modelled time in which model and counters agree on the class. */
	double agree_share;
};

/* Judges groups by counters; counted NULL: no groups. */
struct weir_counted_join weir_counted_overrule(const struct weir_counted *counted,
                                               struct weir_rank *ranks, size_t rank_count);

#endif
