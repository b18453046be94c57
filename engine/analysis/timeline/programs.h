/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts executions of compiled programs (XLA): ranges of the host around launches, such as
 * PjRtCApiLoadedExecutable::Execute. Without jax.jit each primitive is a separate program, with
 * one or few kernels; a compiled step is one program with all its kernels.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_PROGRAMS_H
#define WEIR_ANALYSIS_TIMELINE_PROGRAMS_H

#include <stdint.h>

#include "engine/analysis/timeline/timeline.h"

struct weir_programs {
	uint64_t executions; /* those that launch device work; 0: the trace has none */
	uint64_t works;      /* device work in them */
	uint64_t kinds;      /* different names of the first work of an execution */
};

/* rows: one per device row; WEIR_NONE leaves the row out. Adds to `out`. */
void weir_programs_count(const struct weir_timeline *timeline, const uint32_t *rows,
                         struct weir_programs *out);

#endif
