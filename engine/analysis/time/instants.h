/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points in time, in integer nanoseconds, as sorted arrays. */
#ifndef WEIR_ANALYSIS_INSTANTS_H
#define WEIR_ANALYSIS_INSTANTS_H

#include <stddef.h>
#include <stdint.h>

/* Ascending, in place. */
void weir_instants_sort(int64_t *ns, size_t count);
/* How many of the sorted instants lie at the time or before it; logarithmic. */
size_t weir_instants_until(const int64_t *sorted_ns, size_t count, int64_t at_ns);

#endif
