/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "engine/readers/loadgen/client_requests.h"

#define EPOCH_NS INT64_C(1000000000000000000) /* later times are Unix time: 2001 */

struct weir_client_request weir_client_request_unknown(void)
{
	return (struct weir_client_request){
		.due_ns = WEIR_CLIENT_UNKNOWN,
		.sent_ns = WEIR_CLIENT_UNKNOWN,
		.first_token_ns = WEIR_CLIENT_UNKNOWN,
		.last_token_ns = WEIR_CLIENT_UNKNOWN,
		.end_ns = WEIR_CLIENT_UNKNOWN,
		.input_tokens = WEIR_CLIENT_UNKNOWN,
		.output_tokens = WEIR_CLIENT_UNKNOWN,
	};
}

void weir_client_requests_init(struct weir_client_requests *client, struct weir_input *input)
{
	*client = (struct weir_client_requests){.input = input, .requests = weir_requests_new()};
	client->requests->client = true;
	weir_thin_init(&client->gaps, WEIR_CLIENT_MAX_GAPS);
}

void weir_client_requests_release(struct weir_client_requests *client)
{
	weir_thin_release(&client->gaps);
}

static bool known(int64_t value)
{
	return value != WEIR_CLIENT_UNKNOWN;
}

/* Why a request cannot be one; WEIR_WARN_COUNT: it can. */
static enum weir_warning_code find_fault(const struct weir_client_request *request)
{
	if (!known(request->sent_ns))
		return WEIR_WARN_NO_TIME;
	if (!known(request->end_ns))
		return WEIR_WARN_UNFINISHED;
	if (request->end_ns < request->sent_ns)
		return WEIR_WARN_NEGATIVE_DURATION;
	if (request->end_ns - request->sent_ns > WEIR_CLIENT_MAX_NS)
		return WEIR_WARN_BAD_NUMBER;
	return WEIR_WARN_COUNT;
}

/* Forgets what cannot be: tokens before the request or behind its end. */
static void settle(struct weir_client_requests *client, struct weir_client_request *request,
                   uint64_t at)
{
	int64_t *first = &request->first_token_ns, *last = &request->last_token_ns;

	if (known(*first) && (*first < request->sent_ns || *first > request->end_ns)) {
		weir_input_warn(client->input, WEIR_WARN_INCONSISTENT, at, "time to first token");
		*first = WEIR_CLIENT_UNKNOWN;
	}
	if (known(*last) && (!known(*first) || *last < *first || *last > request->end_ns))
		*last = WEIR_CLIENT_UNKNOWN;
	/* An answer of several tokens that came at once: the endpoint does not stream. */
	if (known(*first) && request->output_tokens > 1 &&
	    (known(*last) ? *last == *first : request->end_ns == *first)) {
		weir_input_warn(client->input, WEIR_WARN_INCONSISTENT, at,
		                "time to first token: it is that of the whole answer");
		*first = *last = WEIR_CLIENT_UNKNOWN;
	}
	if (known(request->due_ns) && (request->due_ns > request->sent_ns ||
	                               request->end_ns - request->due_ns > WEIR_CLIENT_MAX_NS))
		request->due_ns = request->sent_ns; /* sent early, by the timer's jitter */
}

static void add_part(struct weir_requests *requests, const char *name, int64_t from, int64_t to)
{
	weir_requests_add_part(requests, weir_requests_stage(requests, name, strlen(name)),
	                       to - from);
}

static void add_parts(struct weir_requests *requests, const struct weir_client_request *request)
{
	if (known(request->due_ns))
		add_part(requests, "client_queue", request->due_ns, request->sent_ns);
	if (!known(request->first_token_ns))
		return;
	add_part(requests, "time_to_first_token", request->sent_ns, request->first_token_ns);
	if (!known(request->last_token_ns)) {
		add_part(requests, "decode", request->first_token_ns, request->end_ns);
		return;
	}
	add_part(requests, "decode", request->first_token_ns, request->last_token_ns);
	add_part(requests, "tail", request->last_token_ns, request->end_ns);
}

static int64_t tokens_of(int64_t count)
{
	return known(count) && count <= WEIR_CLIENT_MAX_TOKENS ? count : WEIR_UNKNOWN_COUNT;
}

bool weir_client_requests_add(struct weir_client_requests *client,
                              const struct weir_client_request *request, uint64_t at)
{
	enum weir_warning_code fault = find_fault(request);
	struct weir_client_request settled = *request;
	struct weir_request row = weir_request_unknown();

	if (fault != WEIR_WARN_COUNT) {
		weir_input_warn(client->input, fault, at, NULL);
		return false;
	}
	settle(client, &settled, at);
	add_parts(client->requests, &settled);
	row.start_ns = known(settled.due_ns) ? settled.due_ns : settled.sent_ns;
	row.end_ns = settled.end_ns;
	row.tokens = tokens_of(settled.input_tokens);
	row.output_tokens = tokens_of(settled.output_tokens);
	if (known(settled.first_token_ns))
		row.first_token_ns = settled.first_token_ns - row.start_ns;
	client->dates += row.start_ns > EPOCH_NS;
	weir_requests_add(client->requests, &row);
	return true;
}

void weir_client_requests_fail(struct weir_client_requests *client, uint64_t at)
{
	weir_input_warn(client->input, WEIR_WARN_FAILED_REQUEST, at, NULL);
	client->requests->failed++;
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
	weir_thin_finish(&client->gaps,
	                 weir_series_get(&input->run->stages, "inter_token_latency"));
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
	requests->time_base =
		client->dates > requests->count / 2 ? WEIR_TIME_UNIX : WEIR_TIME_MONOTONIC;
	add_gaps(client);
	weir_requests_finish(requests);
	return WEIR_OK;
}
