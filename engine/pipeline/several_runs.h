/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Separates the runs of a file that holds several, such as hyperfine's result: a run is a process.
 */
#ifndef WEIR_PIPELINE_SEVERAL_RUNS_H
#define WEIR_PIPELINE_SEVERAL_RUNS_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "engine/model/profile.h"

/* Takes all runs but the first out of the profile. *out is their chain, which the caller frees;
 * NULL if there is one run. Fails if the profile has other inputs besides a file of several runs.
 */
enum weir_status weir_several_runs_take(struct weir_profile *profile, struct weir_run **out,
                                        struct weir_error *err);
/* True if the runs of the only input are times of the same commands, which a report summarises. */
bool weir_several_runs_are_repeats(const struct weir_profile *profile);
/* Keeps only the run of this number, from 1; 0: the only one. Fails if a file of several runs
 * leaves the choice open, or if there is no such run. */
enum weir_status weir_several_runs_choose(struct weir_profile *profile, size_t number,
                                          struct weir_error *err);

#endif
