/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says what to do after a gate, as commands that can be executed: see struct weir_gate_advice. */
#ifndef WEIR_PIPELINE_NEXT_STEPS_H
#define WEIR_PIPELINE_NEXT_STEPS_H

#include "baselines/store.h"
#include "engine/pipeline/gating.h"

/* Fills result->advice from the verdict, and remarks a baseline that is older than the policy
 * allows. A side is NULL if it was not loaded; `store` if the baseline is in none. */
void weir_next_steps(const struct weir_gate_request *request, struct weir_store *store,
                     const struct weir_baseline *candidate, const struct weir_baseline *baseline,
                     struct weir_gate_result *result);

#endif
