/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulates a batching server with one device and one host thread, to make requests with a known
 * bottleneck. The same numbers give the same requests. */
#ifndef WEIR_TESTS_UNIT_MAKE_SERVER_H
#define WEIR_TESTS_UNIT_MAKE_SERVER_H

#include "engine/model/requests.h"

struct server_load {
	size_t requests;
	int64_t interval_ns;           /* mean time between arrivals, exponential */
	size_t burst;                  /* requests that arrive at once; 0 is 1 */
	int64_t window_ns;             /* how long a batch waits, from its first request */
	int64_t largest;               /* largest batch */
	int64_t before_ns, after_ns;   /* host work of each request, one at a time */
	int64_t assembly_ns;           /* host work of a batch */
	int64_t copy_ns;               /* h2d copy of a batch; the d2h copy takes a tenth of it */
	int64_t interference;          /* slows a step that begins beside host work; 0 is 1 */
	int64_t step_ns, row_ns;       /* computation of a batch: fixed and for each row */
	int64_t tokens, padded_tokens; /* of each request; 0: not stated */
	bool offsets;                  /* parts have offsets */
	bool unstated_batches;
};

struct weir_requests *make_server(const struct server_load *load);

#endif
