/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ensembles of Triton. An ensemble passes each of its requests through other models, its steps, and
 * Triton counts the request at the ensemble and again at each step.
 *
 * A model is taken for an ensemble if its time in computation equals the sum of its steps' times,
 * because Triton adds the times of the steps to those of their ensemble (core,
 * src/ensemble_scheduler/ensemble_scheduler.cc). Pages without times are judged by name: a model
 * called "ensemble" or "bls" (the two entry points of TensorRT-LLM's backend) beside models with
 * the same number of requests.
 */
#ifndef WEIR_ANALYSIS_SCRAPE_ENSEMBLES_H
#define WEIR_ANALYSIS_SCRAPE_ENSEMBLES_H

#include "engine/analysis/scrape/scrape_gather.h"

struct weir_ensembles {
	/* Per group of the gathering: requests that an ensemble counts as well. */
	double repeated[WEIR_MAX_SCRAPE_GROUPS];
	bool is_ensemble[WEIR_MAX_SCRAPE_GROUPS];
	/* Per group: time that requests of an ensemble waited in the queues of its steps, added
	 * over requests; 0: no ensemble, or not given. */
	double steps_queue_ns[WEIR_MAX_SCRAPE_GROUPS];
	bool any;
};

/* Returns the requests of a model, or its inferences if the pages do not count requests of it. NAN:
 * neither is given. */
double weir_ensembles_requests(const struct weir_gathering *gathering, size_t group);

void weir_ensembles_find(const struct weir_gathering *gathering, struct weir_ensembles *out);

/* Returns a running total over all models with every request once: steps count for the requests
 * only that no ensemble passed to them. NAN: not given. */
double weir_ensembles_total(const struct weir_gathering *gathering,
                            const struct weir_ensembles *ensembles, enum weir_scraped metric);

#endif
