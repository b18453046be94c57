/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the reader of GuideLLM reports. */
#ifndef WEIR_READERS_GUIDELLM_H
#define WEIR_READERS_GUIDELLM_H

#include "engine/base/jsonscan.h"
#include "engine/readers/client_summary.h"

#define GUIDELLM_MAX_POINTS 256
#define GUIDELLM_NAME       64

/* One load point: an element of "benchmarks". */
struct guidellm_point {
	struct weir_client_summary summary;
	double incomplete, duration_s, max_latency_s;
	double max_concurrency;
	char strategy[GUIDELLM_NAME];   /* "constant"; "" unknown */
	char name[GUIDELLM_NAME];       /* "constant@2", unlike that of any other point */
	struct weir_requests *requests; /* those that the report lists; NULL: none. Owned */
};

/* The figures of an element and what it was under; the run gets labels. */
enum weir_status weir_guidellm_point(struct weir_input *input,
                                     const struct weir_jsonscan_item *item,
                                     struct guidellm_point *point, struct weir_error *err);
/* The requests that the element lists, into point->requests. */
enum weir_status weir_guidellm_requests(struct weir_input *input,
                                        const struct weir_jsonscan_item *item,
                                        struct guidellm_point *point, struct weir_error *err);

#endif
