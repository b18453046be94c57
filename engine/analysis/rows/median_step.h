/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step that stands for all steps in pictures: the one whose duration is nearest to the median,
 * on the rank with most steps; the first of several. */
#ifndef WEIR_ANALYSIS_ROWS_MEDIAN_STEP_H
#define WEIR_ANALYSIS_ROWS_MEDIAN_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/whole/analysis.h"
#include "engine/model/report.h"

/* A call of an operator in the step. */
struct weir_median_call {
	uint32_t group, call; /* indices in the groups of the rank */
	uint32_t host_row;    /* the operator, else the launch; WEIR_NONE: neither is known */
};

struct weir_median_step {
	const struct weir_rank *rank; /* NULL: there are no steps */
	uint32_t step;
	struct weir_median_call *calls; /* by group */
	size_t call_count;
};

/* Returns true if the distribution of steps counts the step. */
bool weir_step_is_counted(const struct weir_analysis *analysis, const struct weir_step *step);

/* Finds the step; needs the distribution of steps in the report. Release with
 * weir_median_step_release(). */
void weir_median_step_find(const struct weir_analysis *analysis, const struct weir_report *report,
                           struct weir_median_step *out);
void weir_median_step_release(struct weir_median_step *median);

#endif
