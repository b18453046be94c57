/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Refuses traces that cannot be ranks of one job, because figures averaged over them would describe
 * no job: one trace or one rank twice, different kinds of device, or no overlap in time. Ranks
 * whose collectives match are one job; clocks and devices then do not matter.
 */
#ifndef WEIR_ANALYSIS_RANKS_ONE_JOB_H
#define WEIR_ANALYSIS_RANKS_ONE_JOB_H

#include <stddef.h>

#include "engine/analysis/ranks/summary.h"
#include "engine/base/error.h"
#include "engine/model/profile.h"

/* Clocks of several hosts may differ by this much within one job. */
#define WEIR_ONE_JOB_APART_NS 1000000000

/* Checks the ranks, which come in the order of the profile's inputs with a trace. Fails with
 * WEIR_E_USAGE, naming the two inputs and what to do. */
enum weir_status weir_one_job_check(const struct weir_profile *profile,
                                    const struct weir_rank_summary *ranks, size_t count,
                                    struct weir_error *err);

#endif
