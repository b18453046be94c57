/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refuses inputs that cannot be parts of one run, because figures over them would describe no run.
 * weir_one_job_check() does the same for traces with device work. */
#ifndef WEIR_PIPELINE_ONE_RUN_H
#define WEIR_PIPELINE_ONE_RUN_H

#include "engine/base/error.h"
#include "engine/model/profile.h"

/* Two request logs of one format are of different runs if the time between them is longer than
 * this, and longer than each of them. */
#define WEIR_ONE_RUN_APART_NS (INT64_C(600) * 1000000000)

/*
 * Compares the inputs of a profile that was just read. Fails with WEIR_E_USAGE, and names the two,
 * if both are results of a whole run with the same figures, state different devices, models or
 * sessions, or have requests far apart in time; or if a trace without device work lies far from
 * another trace.
 */
enum weir_status weir_one_run_check(const struct weir_profile *profile, struct weir_error *err);

#endif
