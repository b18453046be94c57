/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_records.h"
#include "engine/readers/parts/records.h"

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

/* The cursor is bad where the record is no JSON: nothing of it is taken. */
static void take_record(struct weir_client_reading *reading, const struct weir_record *record,
                        struct weir_jsoncursor *cursor)
{
	const struct weir_jsonleaves leaves = {
		.leaf = take_leaf, .context = reading, .lists = reading->format->leaf != NULL};

	reading->request = weir_client_request_unknown();
	reading->failed = false;
	cursor->bad = weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, record->text,
	                                   record->at, NULL) != WEIR_OK;
	if (cursor->bad)
		return;
	if (reading->failed) {
		weir_client_requests_fail(&reading->client, record->at);
		return;
	}
	reading->client.input->events++;
	weir_client_requests_add(&reading->client, &reading->request, record->at);
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

		take_record(&reading, &record, &cursor);
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
