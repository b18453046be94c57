/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests as a load generator saw them at the client: when each was sent, when its first token and
 * its end came, how long it was. They become the input's requests, with the parts
 * "time_to_first_token" and "decode" where the answer came token by token; gaps between tokens
 * become the stage "inter_token_latency" of the input's run. Readers of such records share this.
 */
#ifndef WEIR_READERS_CLIENT_REQUESTS_H
#define WEIR_READERS_CLIENT_REQUESTS_H

#include "engine/base/error.h"
#include "engine/model/profile.h"

/* Longer times are those of no request: 13 days. */
#define WEIR_CLIENT_MAX_NS (INT64_C(1) << 50)
/* Gaps between tokens that are kept of a run: a p99 then rests on ten thousand of them. */
#define WEIR_CLIENT_MAX_GAPS (1u << 20)

struct weir_client_requests;

struct weir_client_request {
	int64_t start_ns, end_ns;
	int64_t first_token_ns;        /* from start_ns; WEIR_UNKNOWN_COUNT: not streamed */
	int64_t tokens, output_tokens; /* of the prompt, generated; WEIR_UNKNOWN_COUNT */
};

/* Gives the input its requests; borrows it until weir_client_requests_free(). */
struct weir_client_requests *weir_client_requests_new(struct weir_input *input,
                                                      enum weir_time_base time_base);
void weir_client_requests_free(struct weir_client_requests *client);

/* `at` is the byte of its record. False where it ends before it starts, or too late: it is left out
 * and counted. A first token behind the end is unknown and counted. */
bool weir_client_requests_add(struct weir_client_requests *client,
                              const struct weir_client_request *request, uint64_t at);
/* Failed or cancelled: counted, and not among the requests. */
void weir_client_requests_fail(struct weir_client_requests *client, uint64_t at);
/* The time between two outputs of an answer, in order of arrival. What is no time (0: they came
 * together) is passed over. */
void weir_client_requests_gap(struct weir_client_requests *client, int64_t gap_ns);

/* Once, behind the last request. Fails where none completed. */
enum weir_status weir_client_requests_finish(struct weir_client_requests *client,
                                             struct weir_error *err);

#endif
