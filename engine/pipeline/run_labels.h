/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Labels beside a profile: the file WEIR_RUN_LABELS in the folder of a run states the environment
 * that the profile itself may not know. `weir record` writes it; `weir gate`, `weir compare` and
 * `weir baseline record` read it. A label of the profile counts before one of the file.
 */
#ifndef WEIR_PIPELINE_RUN_LABELS_H
#define WEIR_PIPELINE_RUN_LABELS_H

#include "engine/base/child.h"
#include "engine/base/error.h"
#include "engine/model/run.h"

#define WEIR_RUN_LABELS "weir-labels.json"

/* Finds labels of this machine and session: host, gpu and driver as nvidia-smi states them, commit
 * of the repository in the current folder, session. Whatever cannot be found is left out. given:
 * "KEY=VALUE", ends with NULL, replaces what was found. WEIR_E_IO: a signal came. */
enum weir_status weir_run_labels_find(struct weir_run *labels, const char *const *given,
                                      struct weir_signals *signals, struct weir_error *err);

/* Writes the labels of a run as the file of a folder, for a folder that nobody reads yet. */
enum weir_status weir_run_labels_write(const struct weir_run *labels, const char *folder,
                                       struct weir_error *err);

/* Adds the labels of the file in the folder `path` that the run lacks. Nothing happens if the path
 * is no folder or has no such file. WEIR_E_FORMAT: the file is damaged; the message names it. */
enum weir_status weir_run_labels_read(struct weir_run *run, const char *path,
                                      struct weir_error *err);

#endif
