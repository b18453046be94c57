/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells loops that run a network on one input after the other from loops over the rows of a tensor:
 * the inputs may be requests, and one batch holds them.
 */
#ifndef WEIR_ANALYSIS_ADVICE_INPUTS_H
#define WEIR_ANALYSIS_ADVICE_INPUTS_H

#include "engine/analysis/advice/loops.h"

/* Returns the loop's kind, corrected by the step around it: WEIR_LOOP_INPUTS for a network that is
 * most of the step and runs on one input after the other, WEIR_LOOP_ROWS for a loop that stands
 * between other layers of its step. */
enum weir_loop_kind weir_loop_kind_in_step(const struct weir_op_calls *calls,
                                           const struct weir_loop *loop);

#endif
