/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Distinguishes work of the host from delays by other programs. Steps with the same number of host
 * events have the same stretches between those events. A stretch of work is long in every step; a
 * stretch that another program prolonged is short in some steps. Where the whole machine is busy,
 * all stretches of a step are longer than those of the fastest one.
 */
#ifndef WEIR_ANALYSIS_ADVICE_DELAYS_H
#define WEIR_ANALYSIS_ADVICE_DELAYS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/rank/rank.h"

/* Fewer steps say nothing about how short a stretch can be. */
#define WEIR_DELAY_LEAST_STEPS 4

/* The beginnings and ends of host rows of one step. */
struct weir_step_edges {
	int64_t *at_ns;
	size_t count, capacity;
};

struct weir_delays {
	const struct weir_rank *rank; /* borrowed */
	uint32_t thread;
	uint32_t first_step;
	struct weir_step_edges *steps; /* some steps from first_step on; NULL: not read yet */
};

/* Prepares the search on one thread; release with weir_delays_release(). */
void weir_delays_init(struct weir_delays *delays, const struct weir_rank *rank, uint32_t thread);
void weir_delays_release(struct weir_delays *delays);

/* Returns the least time that the stretch without events between these instants takes in any step;
 * NAN: it is in no step, or too few steps are like its own. */
double weir_delays_least_ns(struct weir_delays *delays, int64_t from_ns, int64_t to_ns);

/* A stretch without events that is no longer than this is dispatch, which a busy machine slows as
 * a whole. */
#define WEIR_SHORT_STRETCH_NS 100000

/* Returns how many times as long the short stretches of this step take as in the fastest step with
 * the same number of events; 1: too few steps are like it. */
double weir_delays_slowdown(struct weir_delays *delays, uint32_t step);

#endif
