/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clocks of several ranks beside each other. */
#ifndef WEIR_ANALYSIS_CLOCKS_H
#define WEIR_ANALYSIS_CLOCKS_H

#include <stdint.h>

#include "engine/analysis/rows/analysis_impl.h"

/* What to add to the times of rank r for the clock of the first rank: by the bases that the traces
 * state, and by what their collectives show. 0 where nothing is known. */
int64_t weir_clock_shift(const struct weir_analysis *analysis, size_t r);

/* at_ns + by_ns; stays at the end of the clock where it would pass it. */
int64_t weir_clock_shifted(int64_t at_ns, int64_t by_ns);

#endif
