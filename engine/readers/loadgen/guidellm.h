/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the reader of GuideLLM reports. */
#ifndef WEIR_READERS_GUIDELLM_H
#define WEIR_READERS_GUIDELLM_H

#include "engine/base/jsonscan.h"
#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/loadgen/client_summary.h"

#define GUIDELLM_MAX_POINTS 256
#define GUIDELLM_NAME       64

/* One load point: an element of "benchmarks". */
struct guidellm_point {
	struct weir_client_summary summary;
	double incomplete, duration_s, max_latency_s;
	double max_concurrency;
	unsigned counted;             /* a bit a distribution that says how many it is of */
	char strategy[GUIDELLM_NAME]; /* "constant"; "" unknown */
	char name[GUIDELLM_NAME];     /* "constant@2", unlike that of any other point */
	/* Its requests as far as they are listed; the table is NULL where none is. Owned. */
	struct weir_client_requests records;
};

void weir_guidellm_point_init(struct guidellm_point *point);
/* One member of the element: figures, and what it was under. The input's run gets labels. */
enum weir_status weir_guidellm_member(struct weir_input *input,
                                      const struct weir_jsonscan_item *item,
                                      struct guidellm_point *point, struct weir_error *err);
/* One request that succeeded. False where it is no JSON. */
bool weir_guidellm_request(struct weir_input *input, const struct weir_jsonscan_item *item,
                           struct guidellm_point *point);
/* Behind the last member and request: what they say of each other. */
enum weir_status weir_guidellm_point_finish(struct guidellm_point *point, struct weir_error *err);

#endif
