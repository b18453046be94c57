/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests as a load generator saw them: when one was due and sent, when its first and last token
 * came, when it ended. A request begins when it was due, so that what it waited at the client is
 * part of its time; its parts lie end to end: "client_queue", "time_to_first_token", "decode",
 * "tail" (from the last token to the end of the answer). What is not known is no part. Gaps between
 * tokens become the stage "inter_token_latency" of the input's run.
 */
#ifndef WEIR_READERS_CLIENT_REQUESTS_H
#define WEIR_READERS_CLIENT_REQUESTS_H

#include "engine/base/error.h"
#include "engine/model/profile.h"
#include "engine/readers/parts/thin.h"

#define WEIR_CLIENT_UNKNOWN INT64_MIN
/* Longer times are those of no request: 13 days. */
#define WEIR_CLIENT_MAX_NS (INT64_C(1) << 50)
/* Gaps between tokens that are kept of a run: a p99 then rests on ten thousand of them. */
#define WEIR_CLIENT_MAX_GAPS (1u << 20)
/* More are no count of a request's tokens. */
#define WEIR_CLIENT_MAX_TOKENS (INT64_C(1) << 40)

/* Times are nanoseconds on one clock, not negative; WEIR_CLIENT_UNKNOWN where they, or the counts,
 * are not known. */
struct weir_client_request {
	int64_t due_ns, sent_ns, first_token_ns, last_token_ns, end_ns;
	int64_t input_tokens, output_tokens;
};

struct weir_client_request weir_client_request_unknown(void);

/* Borrows the input; `requests` belongs to whoever takes it, usually to the input. */
struct weir_client_requests {
	struct weir_input *input;
	struct weir_requests *requests;
	uint64_t dates; /* those that begin on Unix time */
	struct weir_thin gaps;
};

/* Makes a table of requests, which the caller gives to the input or frees; what is odd is counted
 * in the input's warnings. Release leaves that table alone; of {0} it does nothing. */
void weir_client_requests_init(struct weir_client_requests *client, struct weir_input *input);
void weir_client_requests_release(struct weir_client_requests *client);

/* `at` is the byte of its record. False, and counted, without a start or an end, where it ends
 * before it starts, or too late. Times outside it are unknown, and so is a first token that came
 * with the whole answer. */
bool weir_client_requests_add(struct weir_client_requests *client,
                              const struct weir_client_request *request, uint64_t at);
/* Failed or cancelled: counted, and not among the requests. */
void weir_client_requests_fail(struct weir_client_requests *client, uint64_t at);
/* The time between two outputs of an answer, in order of arrival. What is no time (0: they came
 * together) is passed over. */
void weir_client_requests_gap(struct weir_client_requests *client, int64_t gap_ns);

/* Once, behind the last request: sorts and dates them, and gives the input's run the gaps.
 * WEIR_E_EMPTY where none completed. */
enum weir_status weir_client_requests_finish(struct weir_client_requests *client,
                                             struct weir_error *err);

#endif
