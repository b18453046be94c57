/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counted kernels by what a timeline says of a kernel: private to counters_join.c. */
#ifndef WEIR_ANALYSIS_COUNTERS_FIND_H
#define WEIR_ANALYSIS_COUNTERS_FIND_H

#include <stdint.h>

#include "engine/analysis/counters/counters.h"

struct weir_counter_keys;

/* counted is borrowed and must outlive the keys. */
struct weir_counter_keys *weir_counter_keys_new(const struct weir_counted *counted);
void weir_counter_keys_free(struct weir_counter_keys *keys);

struct weir_counter_wanted {
	const char *name;
	uint32_t blocks, threads; /* 0: not known */
	double mean_ns;
};

/* NULL: none, several that differ in what the timeline does not tell, or other work. */
const struct weir_counted_group *weir_counter_keys_find(const struct weir_counter_keys *keys,
                                                        const struct weir_counter_wanted *wanted);

#endif
