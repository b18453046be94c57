/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests that a load point of a GuideLLM report lists: seconds of Unix time. Prompts and
 * answers are passed over. */
#include <math.h>
#include <string.h>

#include "engine/base/jsoncursor.h"
#include "engine/readers/client_records.h"
#include "engine/readers/guidellm.h"

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
	struct weir_client_records client;
	struct weir_client_record record, counted;
};

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct reading *reading = context;

	(void)err;
	weir_client_record_take(&reading->client, &reading->record, fields, leaf);
	weir_client_record_take(&reading->client, &reading->counted, fallback, leaf);
	return WEIR_OK;
}

static void take_requests(struct reading *reading, struct weir_jsoncursor *cursor, uint64_t at)
{
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = reading};

	while (weir_jsoncursor_item(cursor)) {
		struct weir_slice text = weir_jsoncursor_take(cursor);

		reading->record = reading->counted = weir_client_record_unknown();
		if (cursor->bad ||
		    weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, text, at, NULL))
			continue;
		if (reading->record.output_tokens == WEIR_CLIENT_UNKNOWN)
			reading->record.output_tokens = reading->counted.output_tokens;
		weir_client_records_add(&reading->client, &reading->record, at);
	}
}

/* Steps to the value of a member; false where the object has no such member. */
static bool find_member(struct weir_jsoncursor *cursor, const char *name)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return false;
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, name))
			return true;
		weir_jsoncursor_take(cursor);
	}
	return false;
}

enum weir_status weir_guidellm_requests(struct weir_input *input,
                                        const struct weir_jsonscan_item *item,
                                        struct guidellm_point *point, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct reading reading;

	if (!find_member(&cursor, "requests") || !find_member(&cursor, "successful") ||
	    !weir_jsoncursor_enter(&cursor, '['))
		return WEIR_OK;
	weir_client_records_init(&reading.client, input);
	take_requests(&reading, &cursor, item->at);
	point->requests = reading.client.requests;
	if (!point->requests->count) {
		weir_requests_free(point->requests);
		point->requests = NULL;
		return WEIR_OK;
	}
	point->requests->sampled = (double)point->requests->count < point->summary.completed;
	point->requests->failed = point->summary.failed >= 1 && point->summary.failed < 1e15
	                                  ? (uint64_t)point->summary.failed
	                                  : 0;
	point->requests->requested_per_s = point->summary.requested_per_s;
	point->requests->duration_s = point->duration_s;
	return weir_client_records_finish(&reading.client, err);
}
