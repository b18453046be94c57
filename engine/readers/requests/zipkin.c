/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads Zipkin v2 JSON: a list of spans, or of lists of spans, one per trace; several lists behind
 * each other, as a queue hands them out; spans without a list, as reporters log them. Times are
 * microseconds. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/requests/span_json.h"

enum { FIELD_SHARED = WEIR_SPAN_FIELDS, FIELD_ENDPOINT };

static const struct weir_keyindex_entry fields[] = {
	{"traceId", WEIR_SPAN_FIELD_TRACE},
	{"id", WEIR_SPAN_FIELD_ID},
	{"parentId", WEIR_SPAN_FIELD_PARENT},
	{"name", WEIR_SPAN_FIELD_NAME},
	{"kind", WEIR_SPAN_FIELD_KIND},
	{"timestamp", WEIR_SPAN_FIELD_START},
	{"duration", WEIR_SPAN_FIELD_DURATION},
	{"tags", WEIR_SPAN_FIELD_ATTRIBUTES},
	{"shared", FIELD_SHARED},
	{"localEndpoint", FIELD_ENDPOINT},
	{0},
};

/* Reads {"serviceName": "llm", "ipv4": "10.0.0.1", "port": 8000}. */
static void read_endpoint(struct weir_span_json *json, struct weir_jsoncursor *cursor)
{
	uint32_t resource = weir_spans_add_resource(&json->spans);
	struct weir_slice key;

	if (weir_jsoncursor_enter(cursor, '{'))
		while (weir_jsoncursor_key(cursor, &key)) {
			struct weir_slice value = weir_jsoncursor_scalar(cursor);

			if (weir_slice_equals(key, "serviceName"))
				key = weir_slice_of("service.name");
			else if (weir_slice_equals(key, "ipv4") || weir_slice_equals(key, "ipv6"))
				key = weir_slice_of("ip");
			else
				continue;
			weir_span_take_resource(&json->spans, resource, key, value);
		}
	json->span.resource = weir_spans_settle_resource(&json->spans);
}

static void take_field(struct weir_span_json *json, int field, struct weir_jsoncursor *cursor)
{
	if (field == FIELD_ENDPOINT)
		read_endpoint(json, cursor);
	else if (weir_slice_equals(weir_jsoncursor_scalar(cursor), "true"))
		json->span.flags |= WEIR_SPAN_SHARED;
}

/* Reads one trace of a list of traces. Drops the rest of a trace from invalid JSON on: the spans
 * before it are added already, so the trace cannot be read again. */
static enum weir_status read_trace(struct weir_span_json *json,
                                   const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	enum weir_status status = WEIR_OK;

	weir_jsoncursor_enter(&cursor, '[');
	while (!status && weir_jsoncursor_item(&cursor))
		status = weir_span_json_add(
			json, &cursor, item->at + (uint64_t)(cursor.at - item->text.data), err);
	if (cursor.bad)
		weir_input_warn(json->spans.input, WEIR_WARN_SKIPPED_EVENT, item->at,
		                "the rest of a trace: it is not valid JSON");
	return status;
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	if (item->kind != WEIR_JSONSCAN_ELEMENT)
		return WEIR_OK;
	return *item->text.data == '[' ? read_trace(context, item, err)
	                               : weir_span_json_element(context, scan, item, err);
}

/* Needed: traceId and id of the first span, also in a list of lists. A span without a list also
 * names a place of Zipkin alone. */
static int sniff(const char *head, size_t len)
{
	static const char *const keys[] = {"traceId", "id", NULL};
	static const char *const bare[] = {"traceId", "id", "localEndpoint", NULL};
	const char *inner = memchr(head, '[', len);
	unsigned found = 0;

	if (weir_sniff_first(head, len) == '{') {
		found = weir_sniff_keys(head, len, bare);
		return found == 7 ? weir_sniff_bits(found, bare) : 0;
	}
	if (weir_sniff_first(head, len) != '[')
		return 0;
	found = weir_sniff_keys(head, len, keys);
	inner++;
	if (weir_sniff_first(inner, len - (size_t)(inner - head)) == '[')
		found = weir_sniff_keys(inner, len - (size_t)(inner - head), keys);
	return found == 3 ? weir_sniff_bits(found, keys) : 0;
}

/* Chooses how the documents follow each other: spans, lists of spans, or one list of lists. */
static enum weir_status choose_options(struct weir_source *source,
                                       struct weir_jsonscan_options *options,
                                       struct weir_error *err)
{
	const char *head, *inner;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	inner = len ? memchr(head, '[', len) : NULL;
	options->lines = weir_sniff_first(head, len) == '{';
	options->arrays =
		inner && weir_sniff_first(inner + 1, len - (size_t)(inner + 1 - head)) == '{';
	return WEIR_OK;
}

static enum weir_status read_zipkin(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_span_format format = {
		.fields = fields, .resolution_ns = 1000, .take = take_field};
	struct weir_jsonscan_options options = {0};
	struct weir_span_json *json = weir_alloc(sizeof *json);
	enum weir_status status = choose_options(source, &options, err);

	weir_span_json_init(json, input, &format, json);
	weir_spans_add_resource(&json->spans); /* of spans without an endpoint */
	if (!status)
		status = weir_span_json_scan(json, source, &options, take_item, err);
	if (!status)
		status = weir_span_requests_build(
			&json->spans,
			"expected Zipkin's v2 JSON: a list of spans, or of lists of spans", err);
	weir_span_json_release(json);
	free(json);
	return status;
}

const struct weir_reader weir_reader_zipkin = {
	.name = "zipkin",
	.title = "Zipkin traces (v2 JSON: lists of spans or of traces, or spans line by line)",
	.gives = "requests",
	.sniff = sniff,
	.read = read_zipkin,
};
