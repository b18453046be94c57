/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the host time in which a program traces a network to TorchScript before it runs the traced
 * network in the same step: torch.jit.trace() prepares, runs the network once with its recorder,
 * and compiles; then the range of the traced network starts the same kernels again.
 */
#ifndef WEIR_ANALYSIS_ADVICE_RETRACES_H
#define WEIR_ANALYSIS_ADVICE_RETRACES_H

#include <stdbool.h>

#include "engine/analysis/advice/program.h"
#include "engine/analysis/time/intervals.h"

/* Adds that time of one thread, from the preparation to the start of the traced network. Returns
 * true if there is any. */
bool weir_retraces_find(const struct weir_program *program, uint32_t thread,
                        struct weir_intervals *out);

#endif
