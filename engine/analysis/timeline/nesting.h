/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nests the host rows of each thread, in parts on several threads. */
#ifndef WEIR_ANALYSIS_TIMELINE_NESTING_H
#define WEIR_ANALYSIS_TIMELINE_NESTING_H

#include <stddef.h>

#include "engine/analysis/timeline/timeline.h"

/* Fills parent, inner_op, outer_op and misnested; the columns are allocated. The rows are divided
 * into `parts`, at least one; the result does not depend on how many. */
void weir_nest_rows(struct weir_timeline *timeline, size_t parts);

/* Returns the number of parts for the threads of this process. */
size_t weir_nest_parts(size_t rows);

#endif
