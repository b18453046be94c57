/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The executions that served the requests: requests whose computation begins together and lasts
 * equally long were one batch. From them come the sizes of batches, whether they were full while
 * others waited, how step time answers to their size, and how much of the computation was padding.
 */
#ifndef WEIR_ANALYSIS_SERVING_BATCHES_H
#define WEIR_ANALYSIS_SERVING_BATCHES_H

#include "engine/analysis/requests/serving_parts.h"
#include "engine/model/report.h"

struct weir_execution {
	int64_t start_ns, compute_ns;
	int64_t dispatch_ns; /* when the last of its requests left the queue */
	double size;         /* requests in it: as stated, else those found; NAN: unknown */
	double tokens;       /* with padding, over all its requests; NAN: unknown */
	uint32_t rows;       /* requests found */
};

struct weir_executions {
	struct weir_execution *items; /* by start */
	size_t count;
};

/* classes: one a stage. Requests without computation are in no execution. Free items. */
void weir_executions_find(struct weir_executions *out, const struct weir_requests *requests,
                          const enum weir_part_class *classes);

/* Did the executions serve whole batches? Where sizes are stated but most executions are of one
 * request found, requests come and go one by one (continuous batching): then the time of a request
 * is that of many steps, and says nothing of one. */
bool weir_executions_batch(const struct weir_executions *executions);

struct weir_batch_figures {
	struct weir_batch_sizes sizes;
	/* Sizes of executions that left others waiting, mean, over the largest of all; NAN for less
	 * than WEIR_FEW_EXECUTIONS such. */
	double fill;
	/* Median step time at up to half of the largest batch over that at the largest tenth, by
	 * requests, else by tokens; NAN where one of the groups has less than
	 * WEIR_FEW_EXECUTIONS. */
	double flat_step_ratio;
	double step_tokens;   /* with padding, median over executions */
	double padding_waste; /* 1 - tokens over tokens with padding, of all requests */
	/*
	 * Computation over batch size, of all requests, over the time in which any computes: about
	 * 1 where every request is here, the sampled share where a sample of them is, more than 1
	 * where several devices serve. NAN where batch sizes are not stated.
	 */
	double coverage;
};

#define WEIR_FEW_EXECUTIONS 3

/* executions: those of the requests. compute_ns: the united time of computation. */
void weir_batch_figures(const struct weir_executions *executions,
                        const struct weir_requests *requests, const enum weir_part_class *classes,
                        int64_t compute_ns, struct weir_batch_figures *out);

#endif
