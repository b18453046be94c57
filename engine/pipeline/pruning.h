/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prunes a baseline: the samples of old runs go, the quantiles that `weir history` shows stay. */
#ifndef WEIR_PIPELINE_PRUNING_H
#define WEIR_PIPELINE_PRUNING_H

#include "baselines/store.h"

/*
 * Drops the samples of the chosen runs, or only finds these runs (`dry_run`). *out holds them, with
 * samples; the caller frees it with weir_baseline_free(). *pruned is the number of runs that were
 * dropped.
 */
enum weir_status weir_prune(struct weir_store *store, const struct weir_store_choice *choice,
                            bool dry_run, struct weir_baseline **out, size_t *pruned,
                            struct weir_error *err);

#endif
