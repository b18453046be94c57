/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The requests of inference-perf: seconds of one clock, the times of all outputs in a list. Newer
 * versions keep what is about the prompt and the answer apart. Request and response are texts of
 * people: they are passed over.
 */
#include <string.h>

#include "engine/base/jsoncursor.h"
#include "engine/readers/loadgen/client_records.h"
#include "engine/readers/loadgen/inference_perf.h"

static const struct weir_client_field fields[] = {
	WEIR_CLIENT_SECONDS(due_ns, "scheduled_time"),
	WEIR_CLIENT_SECONDS(sent_ns, "start_time"),
	WEIR_CLIENT_SECONDS(end_ns, "end_time"),
	WEIR_CLIENT_WHOLE(input_tokens, "info/input_tokens"),
	WEIR_CLIENT_WHOLE(input_tokens, "info/request_metrics/text/input_tokens"),
	WEIR_CLIENT_WHOLE(output_tokens, "info/output_tokens"),
	WEIR_CLIENT_WHOLE(output_tokens, "info/response_metrics/output_tokens"),
	{0},
};

static const char *const output_times[] = {"info/output_token_times",
                                           "info/response_metrics/output_token_times"};

/* The first and the last of the times: outputs are chunks, and a chunk may hold several tokens. */
static void take_outputs(struct weir_client_reading *reading, const struct weir_jsonleaf *leaf)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(leaf->text);
	struct weir_slice first = {0}, last = {0};

	if (!weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor)) {
		last = weir_jsoncursor_scalar(&cursor);
		first = first.data ? first : last;
	}
	if (!first.data)
		return;
	reading->request.first_token_ns =
		weir_client_time(reading->client.input, first, 9, leaf->at);
	reading->request.last_token_ns = weir_client_time(reading->client.input, last, 9, leaf->at);
}

static void take_leaf(struct weir_client_reading *reading, const struct weir_jsonleaf *leaf)
{
	for (size_t i = 0; i < sizeof(output_times) / sizeof(output_times[0]); i++)
		if (strcmp(leaf->path, output_times[i]) == 0)
			take_outputs(reading, leaf);
	if (!strncmp(leaf->path, "error", 5) && (!leaf->path[5] || leaf->path[5] == '/') &&
	    (leaf->quoted || !weir_slice_equals(leaf->text, "null")))
		reading->failed = true;
}

enum weir_status weir_inference_perf_requests(struct weir_source *source, struct weir_input *input,
                                              struct weir_error *err)
{
	static const struct weir_client_format format = {.fields = fields, .leaf = take_leaf};

	return weir_client_records_read(&format, source, input, err);
}
