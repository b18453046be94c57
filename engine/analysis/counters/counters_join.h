/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters beside a timeline: a group of device work whose kernels were counted in the same shape
 * is judged by the counters, not by a model of its shapes. A kernel is the same where the words of
 * its name and template arguments, its blocks and its threads are (kernels.h: weir_kernel_key), or
 * where it is the only one that people would call so. Durations that are far apart are those of
 * other work, and launches that differ so much among themselves say nothing about another.
 */
#ifndef WEIR_ANALYSIS_COUNTERS_JOIN_H
#define WEIR_ANALYSIS_COUNTERS_JOIN_H

#include <stddef.h>

#include "engine/analysis/counters/counters.h"
#include "engine/analysis/rank/rank.h"

/* Of a group's device time in counted kernels, from where on these speak for the group. */
#define WEIR_COUNTED_SHARE 0.90

struct weir_counted_join {
	size_t groups;      /* of all ranks that counters judge */
	double share;       /* of the device's busy time; 0: none */
	double model_share; /* of the joined time: has a model as well */
	double agree_share; /* of that: where the model's class is the counters' class */
};

/* counted NULL: nothing is. */
struct weir_counted_join weir_counted_overrule(const struct weir_counted *counted,
                                               struct weir_rank *ranks, size_t rank_count);

/* Says in the report how far the counters reach, whether models agree with them, and where the
 * memory moved what models do not expect; needs the operators' rows. */
void weir_note_counted_join(const struct weir_counted_join *join, struct weir_report *report);

#endif
