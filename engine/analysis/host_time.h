/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Total and self time of host rows: self is what no row nested in it covers. */
#ifndef WEIR_ANALYSIS_HOST_TIME_H
#define WEIR_ANALYSIS_HOST_TIME_H

#include <stdint.h>

#include "engine/analysis/timeline.h"

struct weir_host_time {
	const struct weir_timeline *timeline; /* borrowed */
	int64_t *nested_ns;                   /* per host row: what its children cover of it */
};

void weir_host_time_init(struct weir_host_time *times, const struct weir_timeline *timeline);
void weir_host_time_release(struct weir_host_time *times);

int64_t weir_host_time_total(const struct weir_host_time *times, uint32_t row);
int64_t weir_host_time_self(const struct weir_host_time *times, uint32_t row);

#endif
