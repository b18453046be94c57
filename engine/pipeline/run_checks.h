/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the runs of a gate as runs, before they are compared: the unit of evidence is the run, so
 * a run that counts twice, or that is cut short, spoils every row.
 */
#ifndef WEIR_PIPELINE_RUN_CHECKS_H
#define WEIR_PIPELINE_RUN_CHECKS_H

#include "baselines/baseline.h"
#include "engine/base/error.h"
#include "engine/model/comparison.h"

/* A run is cut short if it has less than 1 / WEIR_RUN_CUT_SHORT of the iterations of the other runs
 * of its side, whose lower median is at least WEIR_RUN_LEAST_FULL. */
#define WEIR_RUN_CUT_SHORT  4
#define WEIR_RUN_LEAST_FULL 20
/* Runs with fewer values than this may be equal by chance. */
#define WEIR_RUN_TELLING_VALUES 10

/*
 * Fails with WEIR_E_USAGE if two runs are the same measurement: two files with equal samples,
 * regardless of labels, or a candidate that is a run of the baseline. `name` is the name of a
 * stored baseline; NULL: both sides are files.
 */
enum weir_status weir_run_checks_distinct(const struct weir_baseline *baseline,
                                          const struct weir_baseline *candidate, const char *name,
                                          struct weir_error *err);

/*
 * Marks runs that are cut short as `left_out` and remarks them. Remarks candidates that lack a
 * stage which all runs of the baseline and other candidates have. The first such fault of a
 * candidate becomes result->incomplete.
 */
void weir_run_checks_complete(struct weir_baseline *baseline, struct weir_baseline *candidate,
                              struct weir_gate_result *result);

#endif
