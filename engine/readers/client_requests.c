/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/client_requests.h"
#include "engine/readers/thin.h"

static const char first_stage[] = "time_to_first_token", rest_stage[] = "decode",
		  gap_stage[] = "inter_token_latency";

struct weir_client_requests {
	struct weir_input *input;
	struct weir_requests *requests; /* of the input */
	uint8_t first, rest;            /* stages */
	bool staged;                    /* the two have rows */
	struct weir_thin gaps;
};

struct weir_client_requests *weir_client_requests_new(struct weir_input *input,
                                                      enum weir_time_base time_base)
{
	struct weir_client_requests *client = weir_alloc(sizeof *client);

	client->input = input;
	client->requests = input->requests = weir_requests_new();
	client->requests->time_base = time_base;
	client->requests->client = true;
	weir_thin_init(&client->gaps, WEIR_CLIENT_MAX_GAPS);
	return client;
}

void weir_client_requests_free(struct weir_client_requests *client)
{
	if (!client)
		return;
	weir_thin_release(&client->gaps);
	free(client);
}

/* Nothing is said of stages where no request has any. */
static void add_parts(struct weir_client_requests *client, int64_t first_ns, int64_t rest_ns)
{
	struct weir_requests *requests = client->requests;

	if (!client->staged) {
		client->first = weir_requests_stage(requests, first_stage, strlen(first_stage));
		client->rest = weir_requests_stage(requests, rest_stage, strlen(rest_stage));
		client->staged = true;
	}
	weir_requests_add_part(requests, client->first, first_ns);
	weir_requests_add_part(requests, client->rest, rest_ns);
}

bool weir_client_requests_add(struct weir_client_requests *client,
                              const struct weir_client_request *request, uint64_t at)
{
	struct weir_request row = weir_request_unknown();

	if (request->end_ns < request->start_ns) {
		weir_input_warn(client->input, WEIR_WARN_NEGATIVE_DURATION, at, NULL);
		return false;
	}
	/* Unsigned, for the difference of two instants may leave int64. */
	if ((uint64_t)request->end_ns - (uint64_t)request->start_ns > WEIR_CLIENT_MAX_NS) {
		weir_input_warn(client->input, WEIR_WARN_NO_TIME, at, NULL);
		return false;
	}
	row.start_ns = request->start_ns;
	row.end_ns = request->end_ns;
	row.tokens = request->tokens;
	row.output_tokens = request->output_tokens;
	if (request->first_token_ns > row.end_ns - row.start_ns) {
		weir_input_warn(client->input, WEIR_WARN_INCONSISTENT, at,
		                "a first token behind the end");
	} else if (request->first_token_ns >= 0) {
		row.first_token_ns = request->first_token_ns;
		add_parts(client, row.first_token_ns,
		          row.end_ns - row.start_ns - row.first_token_ns);
	}
	weir_requests_add(client->requests, &row);
	return true;
}

void weir_client_requests_fail(struct weir_client_requests *client, uint64_t at)
{
	client->requests->failed++;
	weir_input_warn(client->input, WEIR_WARN_FAILED_REQUEST, at, NULL);
}

void weir_client_requests_gap(struct weir_client_requests *client, int64_t gap_ns)
{
	if (gap_ns > 0 && gap_ns <= WEIR_CLIENT_MAX_NS)
		weir_thin_add(&client->gaps, gap_ns);
}

static void add_gaps(struct weir_client_requests *client)
{
	struct weir_input *input = client->input;

	if (!client->gaps.seen)
		return;
	if (!input->run)
		input->run = weir_run_new();
	weir_thin_finish(&client->gaps, weir_series_get(&input->run->stages, gap_stage));
	if (weir_thin_dropped(&client->gaps))
		weir_input_warn(input, WEIR_WARN_THINNED, UINT64_MAX, "gaps between tokens");
}

enum weir_status weir_client_requests_finish(struct weir_client_requests *client,
                                             struct weir_error *err)
{
	struct weir_requests *requests = client->requests;

	if (!requests->count && requests->failed)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "none of its %" PRIu64 " requests completed: see what the server "
		                 "said, then run the benchmark again",
		                 requests->failed);
	if (!requests->count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no request with a start and an end in it: was the benchmark "
		                 "stopped early?");
	add_gaps(client);
	weir_requests_finish(requests);
	return WEIR_OK;
}
