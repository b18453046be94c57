/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Zipkin v2 JSON: an array of spans, or of arrays of spans, one a trace. Times are microseconds. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/requests/span_json.h"

enum {
	FIELD_KIND = WEIR_SPAN_FIELDS,
	FIELD_SHARED,
	/* walked where they are */
	FIELD_ENDPOINT,
	FIELD_TAGS,
};

static const struct weir_keyindex_entry field_keys[] = {
	{"traceId", WEIR_SPAN_FIELD_TRACE},
	{"id", WEIR_SPAN_FIELD_ID},
	{"parentId", WEIR_SPAN_FIELD_PARENT},
	{"name", WEIR_SPAN_FIELD_NAME},
	{"kind", FIELD_KIND},
	{"timestamp", WEIR_SPAN_FIELD_START},
	{"duration", WEIR_SPAN_FIELD_DURATION},
	{"shared", FIELD_SHARED},
	{"localEndpoint", FIELD_ENDPOINT},
	{"tags", FIELD_TAGS},
	{0},
};

static void take_tag(void *context, struct weir_slice key, struct weir_slice value)
{
	struct weir_span_json *json = context;

	weir_span_take_attribute(&json->keys, key, value, &json->span);
}

/* {"serviceName": "llm", "ipv4": "10.0.0.1", "port": 8000} */
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

static void read_scalar(struct weir_span_json *json, int field, struct weir_slice value)
{
	if (field == FIELD_KIND)
		json->span.kind = (uint8_t)weir_span_parse_kind(value);
	else if (field == FIELD_SHARED)
		json->span.flags |= weir_slice_equals(value, "true") ? WEIR_SPAN_SHARED : 0;
	else
		weir_span_json_take(json, field, value);
}

/* The cursor on a span; what is read into it counts only where the cursor ends well. */
static void read_fields(struct weir_span_json *json, struct weir_jsoncursor *cursor, uint64_t at)
{
	struct weir_slice key;

	weir_span_json_begin(json, at);
	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		int field = weir_keyindex_find(&json->fields, key);

		if (field < 0)
			weir_jsoncursor_take(cursor);
		else if (field == FIELD_ENDPOINT)
			read_endpoint(json, cursor);
		else if (field == FIELD_TAGS)
			weir_span_walk_attributes(cursor, take_tag, json);
		else
			read_scalar(json, field, weir_jsoncursor_scalar(cursor));
	}
}

/* One trace of a list of traces. What is no JSON is left out from there on: what came before it in
 * the trace is added already, so that it cannot be read again. */
static enum weir_status read_trace(struct weir_span_json *json,
                                   const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	enum weir_status status = WEIR_OK;

	weir_jsoncursor_enter(&cursor, '[');
	while (!status && weir_jsoncursor_item(&cursor)) {
		uint64_t at = item->at + (uint64_t)(cursor.at - item->text.data);

		read_fields(json, &cursor, at);
		if (!cursor.bad)
			status = weir_span_json_add(json, err);
	}
	if (cursor.bad)
		weir_input_warn(json->spans.input, WEIR_WARN_SKIPPED_EVENT, item->at,
		                "the rest of a trace that is no JSON");
	return status;
}

static enum weir_status read_element(struct weir_span_json *json, struct weir_jsonscan *scan,
                                     const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	char first = weir_jsoncursor_peek(&cursor);

	if (first == '[')
		return read_trace(json, item, err);
	if (first != '{') {
		weir_span_json_skip(json, item->at);
		return WEIR_OK;
	}
	read_fields(json, &cursor, item->at);
	if (cursor.bad || cursor.at != cursor.end) {
		weir_jsonscan_reject(scan);
		return WEIR_OK;
	}
	return weir_span_json_add(json, err);
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	return item->kind == WEIR_JSONSCAN_ELEMENT ? read_element(context, scan, item, err)
	                                           : WEIR_OK;
}

static int sniff(const char *head, size_t len)
{
	static const char *const keys[] = {"traceId", "id", NULL};
	const char *inner = memchr(head, '[', len);
	unsigned found = 0;

	if (weir_sniff_first(head, len) != '[')
		return 0;
	found = weir_sniff_keys(head, len, keys);
	inner++;
	if (weir_sniff_first(inner, len - (size_t)(inner - head)) == '[')
		found = weir_sniff_keys(inner, len - (size_t)(inner - head), keys);
	return found == 3 ? weir_sniff_bits(found, keys) : 0;
}

static enum weir_status read_zipkin(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_span_document document = {
		.take = take_item,
		.hint = "expected Zipkin's v2 JSON: a list of spans, or of lists of spans",
	};
	struct weir_span_json *json = weir_alloc(sizeof *json);
	enum weir_status status;

	weir_span_json_init(json, input, field_keys);
	weir_spans_add_resource(&json->spans); /* of spans that name none */
	status = weir_span_json_read(json, source, &document, json, err);
	weir_span_json_release(json);
	free(json);
	return status;
}

const struct weir_reader weir_reader_zipkin = {
	.name = "zipkin",
	.title = "Zipkin traces (v2 JSON: a list of spans, or of traces)",
	.gives = "requests",
	.sniff = sniff,
	.read = read_zipkin,
};
