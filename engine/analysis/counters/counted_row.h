/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hardware counters in a row of the operator table. */
#ifndef WEIR_ANALYSIS_COUNTERS_COUNTED_ROW_H
#define WEIR_ANALYSIS_COUNTERS_COUNTED_ROW_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/counters/counters_join.h"
#include "engine/analysis/rank/rank.h"
#include "engine/model/report.h"

/* A group of device work that a row is made of. */
struct weir_row_group {
	const struct weir_rank *rank;
	uint32_t group;
};

/* Sets every figure to unknown. */
void weir_counted_row_init(struct weir_operator_counted *counted);

/* Fills the figures from those groups that counters measured. */
void weir_counted_row_fill(struct weir_operator_counted *counted,
                           const struct weir_row_group *groups, size_t count);

/* Derives the sum of all operations and the arithmetic intensity from the measured figures. */
void weir_counted_row_complete(struct weir_operator_counted *counted);

/* Adds notes to the report: the share of device time with counters, whether models agree with them,
 * and where measured memory traffic contradicts the model. Needs the rows of the operators. */
void weir_note_counted_join(const struct weir_counted_join *join, struct weir_report *report);

#endif
