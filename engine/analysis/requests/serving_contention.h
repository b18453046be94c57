/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Host work that slows computation down: a tokenizer in a thread of the same process takes the
 * interpreter from the thread that launches, and the log shows long computation. Executions that
 * begin while the host works for some request are compared with those of the same size that begin
 * while it does not. The instant of the beginning is compared, not the overlap: longer executions
 * overlap with more of everything.
 */
#ifndef WEIR_ANALYSIS_SERVING_CONTENTION_H
#define WEIR_ANALYSIS_SERVING_CONTENTION_H

#include "engine/analysis/requests/serving_batches.h"
#include "engine/analysis/time/intervals.h"

struct weir_contention {
	/* Time of executions that began beside host work over that of their like that did not:
	 * medians, weighted by executions. NAN: too few of either. */
	double slowdown;
	double stolen; /* share of all computation beyond what it took without host work; 0 where
	                  the slowdown is below WEIR_CONTENTION_MIN or not known */
};

#define WEIR_CONTENTION_MIN 1.5

/* Executions of a power of two of tokens (else requests) are alike. host: united time in which any
 * request is in a host stage. */
struct weir_contention weir_contention_measure(const struct weir_executions *executions,
                                               const struct weir_intervals *host);

/* United time of all parts of these requests in host stages. */
void weir_host_time_of(const struct weir_requests *requests, const enum weir_part_class *classes,
                       struct weir_intervals *out);

#endif
