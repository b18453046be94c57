/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of trtllm-bench, --request_json: nanoseconds of a monotonic clock, -1 where unset.
 */
#include "engine/readers/client_records.h"
#include "engine/readers/records.h"
#include "engine/readers/trtllm.h"

static const struct weir_client_field fields[] = {
	WEIR_CLIENT_WHOLE(sent_ns, "start_timestamp"),
	WEIR_CLIENT_WHOLE(first_token_ns, "first_token_timestamp"),
	WEIR_CLIENT_WHOLE(end_ns, "end_timestamp"),
	WEIR_CLIENT_WHOLE(input_tokens, "num_input_tokens"),
	WEIR_CLIENT_WHOLE(output_tokens, "num_output_tokens"),
	{0},
};

struct reading {
	struct weir_client_records client;
	struct weir_client_record request; /* that is being read */
};

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct reading *reading = context;

	(void)err;
	weir_client_record_take(&reading->client, &reading->request, fields, leaf);
	return WEIR_OK;
}

enum weir_status weir_trtllm_requests(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	struct reading reading;
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &reading};
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, input, &records, err);

	if (status)
		return status;
	weir_client_records_init(&reading.client, input);
	input->requests = reading.client.requests;
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(record.text);

		reading.request = weir_client_record_unknown();
		cursor.bad = weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, record.text,
		                                  record.at, NULL) != WEIR_OK;
		if (!cursor.bad)
			weir_client_records_add(&reading.client, &reading.request, record.at);
		weir_records_done(records, &cursor);
	}
	if (!status) {
		weir_records_finish(records);
		status = weir_client_records_finish(&reading.client, err);
	}
	weir_records_free(records);
	return status;
}
