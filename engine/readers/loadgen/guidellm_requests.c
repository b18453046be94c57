/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests that a load point of a GuideLLM report lists: seconds of Unix time. Prompts and
 * answers are passed over. */
#include "engine/readers/loadgen/client_records.h"
#include "engine/readers/loadgen/guidellm.h"

#define TIMINGS "info/timings/"

static const struct weir_client_field fields[] = {
	WEIR_CLIENT_SECONDS(due_ns, TIMINGS "targeted_start"),
	WEIR_CLIENT_SECONDS(sent_ns, TIMINGS "request_start"),
	WEIR_CLIENT_SECONDS(first_token_ns, TIMINGS "first_token_iteration"),
	WEIR_CLIENT_SECONDS(last_token_ns, TIMINGS "last_token_iteration"),
	WEIR_CLIENT_SECONDS(end_ns, TIMINGS "request_end"),
	WEIR_CLIENT_WHOLE(input_tokens, "prompt_tokens"),
	WEIR_CLIENT_WHOLE(input_tokens, "input_metrics/text_tokens"),
	WEIR_CLIENT_WHOLE(output_tokens, "output_tokens"),
	WEIR_CLIENT_WHOLE(output_tokens, "output_metrics/text_tokens"),
	{0},
};

/* Of a server that does not say how many tokens it gave. */
static const struct weir_client_field fallback[] = {
	WEIR_CLIENT_WHOLE(output_tokens, TIMINGS "token_iterations"),
	{0},
};

struct reading {
	struct weir_input *input;
	struct weir_client_request record, counted;
};

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct reading *reading = context;

	(void)err;
	weir_client_record_take(reading->input, &reading->record, fields, leaf);
	weir_client_record_take(reading->input, &reading->counted, fallback, leaf);
	return WEIR_OK;
}

bool weir_guidellm_request(struct weir_input *input, const struct weir_jsonscan_item *item,
                           struct guidellm_point *point)
{
	struct reading reading = {
		.input = input,
		.record = weir_client_request_unknown(),
		.counted = weir_client_request_unknown(),
	};
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &reading};

	if (!point->records.requests)
		weir_client_requests_init(&point->records, input);
	if (weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, item->text, item->at, NULL))
		return false;
	if (reading.record.output_tokens == WEIR_CLIENT_UNKNOWN)
		reading.record.output_tokens = reading.counted.output_tokens;
	input->events++;
	weir_client_requests_add(&point->records, &reading.record, item->at);
	return true;
}
