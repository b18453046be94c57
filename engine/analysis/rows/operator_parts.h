/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of an operator's row: its kernels, its shapes and its call sites, largest first. */
#ifndef WEIR_ANALYSIS_ROWS_OPERATOR_PARTS_H
#define WEIR_ANALYSIS_ROWS_OPERATOR_PARTS_H

#include "engine/analysis/counters/counted_row.h"
#include "engine/analysis/rows/median_step.h"
#include "engine/model/report.h"

/* Fills kernels, shapes and call sites of a row from its groups. */
void weir_operator_parts_fill(struct weir_operator_row *row, const struct weir_row_group *groups,
                              size_t count, const struct weir_median_step *median,
                              struct weir_arena *arena);

#endif
