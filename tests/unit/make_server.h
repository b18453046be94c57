/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A batching server with one device and one host thread, simulated: requests whose bottleneck is
 * known. The same numbers give the same requests. */
#ifndef TESTS_UNIT_MAKE_SERVER_H
#define TESTS_UNIT_MAKE_SERVER_H

#include "engine/model/requests.h"

struct server_load {
	size_t requests;
	int64_t interval_ns;           /* between arrivals, mean; exponential */
	size_t burst;                  /* so many arrive at once; 0 is 1 */
	int64_t window_ns;             /* a batch waits for more, from its first request on */
	int64_t largest;               /* batch */
	int64_t before_ns, after_ns;   /* host work of each request, one at a time */
	int64_t assembly_ns;           /* of a batch */
	int64_t copy_ns;               /* h2d of a batch, and a tenth of it d2h */
	int64_t interference;          /* a step that begins beside host work takes so many times
	                                  as long; 0 is 1 */
	int64_t step_ns, row_ns;       /* computation of a batch: fixed and for each row */
	int64_t tokens, padded_tokens; /* of each request; 0: not stated */
	bool offsets;                  /* parts say where they start */
	bool unstated_batches;
};

struct weir_requests *make_server(const struct server_load *load);

#endif
