/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Executions: the batches in which the device served the requests. Requests whose computation
 * begins together and lasts equally long were one batch. Executions show the sizes of batches,
 * whether batches were full while requests waited, how step time grows with batch size, how much of
 * the computation was padding, and whether host work slowed the computation.
 */
#ifndef WEIR_ANALYSIS_REQUESTS_EXECUTIONS_H
#define WEIR_ANALYSIS_REQUESTS_EXECUTIONS_H

#include "engine/analysis/requests/serving_load.h"
#include "engine/analysis/time/intervals.h"
#include "engine/model/report.h"

struct weir_execution {
	int64_t start_ns, compute_ns;
	int64_t dispatch_ns; /* when the last of its requests left the queue */
	double size;         /* requests in the batch: as stated, else as counted; NAN: unknown */
	double tokens;       /* including padding, over all its requests; NAN: unknown */
	uint32_t rows;       /* requests found in the file */
};

struct weir_executions {
	struct weir_execution *items; /* by start */
	size_t count;
};

/* Groups the requests into executions; classes: one per stage. Requests without computation are in
 * no execution. The caller frees items. */
void weir_executions_find(struct weir_executions *out, const struct weir_requests *requests,
                          const enum weir_part_class *classes);

/* Returns true if executions served whole batches. With continuous batching, requests join and
 * leave the batch one by one: batch sizes are stated, but most executions have a single request in
 * the file. The duration of a request then covers many steps and says nothing about one step. */
bool weir_executions_batch(const struct weir_executions *executions);

struct weir_batch_figures {
	struct weir_batch_sizes sizes;
	/* Mean size of the executions that left requests waiting, over the largest size; NAN: fewer
	 * than WEIR_FEW_EXECUTIONS of them. */
	double fill;
	/* Median step time of executions up to half of the largest size over that of executions of
	 * at least nine tenths of it; by requests, else by tokens. NAN: one of the groups has fewer
	 * than WEIR_FEW_EXECUTIONS. */
	double flat_step_ratio;
	double step_tokens;   /* including padding, median over executions */
	double padding_waste; /* 1 - tokens / tokens with padding, over all requests */
	/*
	 * Sum over all requests of computation time / batch size, over the time in which any
	 * request computes. About 1 if the file holds every request, the sampled share if it holds
	 * a sample, above 1 if several devices serve. NAN: batch sizes are not stated.
	 */
	double coverage;
};

#define WEIR_FEW_EXECUTIONS 3

/* Computes the figures of all executions of the requests. compute_ns: united time of computation.
 */
void weir_batch_figures(const struct weir_executions *executions,
                        const struct weir_requests *requests, const enum weir_part_class *classes,
                        int64_t compute_ns, struct weir_batch_figures *out);

/*
 * Contention: host work that slows computation down. A tokenizer in a thread of the same process
 * takes the Python interpreter from the thread that launches kernels, and the log then shows long
 * computation. Executions that begin while some request is in a host stage are compared with
 * executions of similar size that begin at other times. The begin is compared, not the overlap,
 * because longer executions overlap more of everything.
 */

struct weir_contention {
	/* Duration of executions that began during host work over that of similar executions that
	 * did not: ratio of medians, averaged over executions. NAN: too few of either. */
	double slowdown;
	/* Share of all computation time that contention adds; 0: `slowdown` is unknown or below
	 * WEIR_CONTENTION_MIN. */
	double stolen;
};

#define WEIR_CONTENTION_MIN 1.5

/* Measures contention. Executions are similar if their tokens (else their requests) lie between the
 * same powers of two. host: united time in which any request is in a host stage. */
struct weir_contention weir_contention_measure(const struct weir_executions *executions,
                                               const struct weir_intervals *host);

/* Unites all parts of the requests in host stages. */
void weir_host_time_of(const struct weir_requests *requests, const enum weir_part_class *classes,
                       struct weir_intervals *out);

#endif
