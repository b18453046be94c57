/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Total and self time of host rows. Self is what no row nested in it covers, and what no earlier
 * row beside it has: rows that overlap without nesting, and children that outlive their parent, do
 * not count an instant twice. So the self times of a thread add up to the union of its rows, less
 * the overhangs of children (WEIR_OVERHANG_NS each).
 */
#ifndef WEIR_ANALYSIS_HOST_TIME_H
#define WEIR_ANALYSIS_HOST_TIME_H

#include <stdint.h>

#include "engine/analysis/timeline/timeline.h"

struct weir_host_time {
	const struct weir_timeline *timeline; /* borrowed */
	int64_t *self_ns;                     /* per host row */
};

void weir_host_time_init(struct weir_host_time *times, const struct weir_timeline *timeline);
void weir_host_time_release(struct weir_host_time *times);

int64_t weir_host_time_total(const struct weir_host_time *times, uint32_t row);
int64_t weir_host_time_self(const struct weir_host_time *times, uint32_t row);

#endif
