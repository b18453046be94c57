/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the runs of a baseline as a long table, one run after the other. */
#ifndef WEIR_CLI_BASELINE_EXPORT_H
#define WEIR_CLI_BASELINE_EXPORT_H

#include "engine/cli/baseline_life.h"
#include "engine/cli/baseline_rows.h"

/* Writes the table to the file of --output, or to standard output. Memory does not grow with the
 * number of runs. */
enum weir_status weir_baseline_export_rows(struct weir_baseline_call *call,
                                           enum weir_rows_form form, struct weir_error *err);

#endif
