/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the pictures of a gate's result: from the runs, their names, and the store. */
#ifndef WEIR_PIPELINE_GATE_PICTURES_H
#define WEIR_PIPELINE_GATE_PICTURES_H

#include "baselines/store.h"
#include "engine/pipeline/gating.h"

/* Fills result->pictures. The result must be judged; the comparison is of these two sides. */
void weir_gate_pictures_fill(struct weir_gate_result *result,
                             const struct weir_comparing *comparing,
                             const struct weir_gating_side *baseline,
                             const struct weir_gating_side *candidate);

/* Adds the history of the first findings from the store, with the candidate's runs
 * at the end; without findings, of the first drawn row. Fails if the store cannot be read. */
enum weir_status weir_gate_history_fill(const struct weir_gate_request *request,
                                        struct weir_store *store,
                                        const struct weir_gating_side *candidate,
                                        struct weir_gate_result *result, struct weir_error *err);

#endif
