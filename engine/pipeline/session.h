/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names the session in which this process runs: everything that one job measures. The sources, of
 * which the first that is set counts: the variable WEIR_SESSION; the job and its attempt of GitHub,
 * GitLab, Jenkins, Buildkite or Slurm; else boot id and start time of the first process, which is a
 * container or the machine since it was switched on. The value begins with WEIR_RUN_DERIVED.
 */
#ifndef WEIR_PIPELINE_SESSION_H
#define WEIR_PIPELINE_SESSION_H

#include <stdbool.h>

#include "engine/base/text.h"
#include "engine/model/run.h"

/* Appends the name of the session. False: no source is known, and nothing was appended. */
bool weir_session_derive(struct weir_text *out);
/* The same, by the variables of a CI service or WEIR_SESSION alone: such a name is the same on each
 * machine that the job uses. */
bool weir_session_of_job(struct weir_text *out);

/* Sets the labels "KEY=VALUE" of a list that ends with NULL, and the session if the run has none.
 * labels and session may be NULL. */
void weir_session_label(struct weir_run *run, const char *const *labels, const char *session);

#endif
