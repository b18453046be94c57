/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_requests.h"

#define EPOCH_NS INT64_C(1000000000000000000) /* 2001; later times are Unix time */

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

/* Returns the fault that excludes a request; WEIR_WARN_COUNT: no fault. */
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

/* Forgets impossible times: tokens before the request or after its end. */
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
	/* Several tokens came at once: the endpoint does not stream. */
	if (known(*first) && request->output_tokens > 1 &&
	    (known(*last) ? *last == *first : request->end_ns == *first)) {
		weir_input_warn(client->input, WEIR_WARN_INCONSISTENT, at,
		                "time to first token: the answer came as a whole");
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

/* ---- files of one JSON object per request ---- */

int64_t weir_client_time(struct weir_input *input, struct weir_slice text, int places, uint64_t at)
{
	int64_t value;

	if (weir_slice_equals(text, "null") || weir_slice_equals(text, "NaN"))
		return WEIR_CLIENT_UNKNOWN;
	if (text.length && weir_parse_scaled(text.data, text.length, places, &value))
		return value < 0 ? WEIR_CLIENT_UNKNOWN : value;
	weir_input_warn(input, WEIR_WARN_BAD_NUMBER, at, NULL);
	return WEIR_CLIENT_UNKNOWN;
}

void weir_client_record_take(struct weir_input *input, struct weir_client_request *request,
                             const struct weir_client_field *fields,
                             const struct weir_jsonleaf *leaf)
{
	for (; fields->path; fields++) {
		int64_t *slot = (int64_t *)(void *)((char *)request + fields->slot);

		if (*slot == WEIR_CLIENT_UNKNOWN && strcmp(leaf->path, fields->path) == 0)
			*slot = weir_client_time(input, leaf->text, fields->places, leaf->at);
	}
}

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct weir_client_reading *reading = context;

	(void)err;
	weir_client_record_take(reading->client.input, &reading->request, reading->format->fields,
	                        leaf);
	if (reading->format->leaf)
		reading->format->leaf(reading, leaf);
	return WEIR_OK;
}

/* Takes a record by the table of fields. Marks the cursor as bad, and takes nothing, if the record
 * is not valid JSON. */
static void take_fields(struct weir_client_reading *reading, struct weir_slice text,
                        struct weir_jsoncursor *cursor, uint64_t at)
{
	const struct weir_jsonleaves leaves = {
		.leaf = take_leaf, .context = reading, .lists = reading->format->leaf != NULL};

	reading->request = weir_client_request_unknown();
	reading->failed = false;
	cursor->bad =
		weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, text, at, NULL) != WEIR_OK;
	if (cursor->bad)
		return;
	if (reading->failed) {
		weir_client_requests_fail(&reading->client, at);
		return;
	}
	reading->client.input->events++;
	weir_client_requests_add(&reading->client, &reading->request, at);
}

enum weir_status weir_client_records_read(const struct weir_client_format *format,
                                          struct weir_source *source, struct weir_input *input,
                                          struct weir_error *err)
{
	struct weir_client_reading reading = {.format = format};
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, input, &records, err);

	if (status)
		return status;
	weir_client_requests_init(&reading.client, input);
	input->requests = reading.client.requests;
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(record.text);

		if (format->record)
			format->record(&reading, &cursor, record.at);
		else
			take_fields(&reading, record.text, &cursor, record.at);
		weir_records_done(records, &cursor);
	}
	if (!status) {
		weir_records_finish(records);
		status = weir_client_requests_finish(&reading.client, err);
	}
	weir_client_requests_release(&reading.client);
	weir_records_free(records);
	return status;
}
