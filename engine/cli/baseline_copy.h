/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The action `copy` of `weir baseline`. */
#ifndef WEIR_CLI_BASELINE_COPY_H
#define WEIR_CLI_BASELINE_COPY_H

#include "engine/cli/baseline_life.h"

/* Copies one store into another and prints the sums of every table of both. */
enum weir_status weir_baseline_copy(struct weir_baseline_call *call, struct weir_error *err);

#endif
