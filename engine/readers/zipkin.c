/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Zipkin v2 JSON: an array of spans, or of arrays of spans, one a trace. Times are microseconds. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsonscan.h"
#include "engine/readers/damage.h"
#include "engine/readers/readers.h"
#include "engine/readers/sniff.h"
#include "engine/readers/span_attributes.h"
#include "engine/readers/span_requests.h"

#define RESOLUTION_NS 1000

struct zipkin_reader {
	struct weir_spans spans;
	struct weir_span_keys keys;
	struct weir_keyindex fields;
	struct weir_span span;
	struct weir_slice start, duration; /* of it, as they stand */
	struct weir_text name, stage;
};

enum field {
	FIELD_TRACE,
	FIELD_ID,
	FIELD_PARENT,
	FIELD_NAME,
	FIELD_KIND,
	FIELD_START,
	FIELD_DURATION,
	FIELD_SHARED,
	/* walked where they are */
	FIELD_ENDPOINT,
	FIELD_TAGS,
};

static const struct weir_keyindex_entry field_keys[] = {
	{"traceId", FIELD_TRACE},
	{"id", FIELD_ID},
	{"parentId", FIELD_PARENT},
	{"name", FIELD_NAME},
	{"kind", FIELD_KIND},
	{"timestamp", FIELD_START},
	{"duration", FIELD_DURATION},
	{"shared", FIELD_SHARED},
	{"localEndpoint", FIELD_ENDPOINT},
	{"tags", FIELD_TAGS},
	{0},
};

static void take_tag(void *context, struct weir_slice key, struct weir_slice value)
{
	struct zipkin_reader *reader = context;

	weir_span_take_attribute(&reader->keys, key, value, &reader->span);
}

/* {"serviceName": "llm", "ipv4": "10.0.0.1", "port": 8000} */
static void read_endpoint(struct zipkin_reader *reader, struct weir_jsoncursor *cursor)
{
	uint32_t resource = weir_spans_add_resource(&reader->spans);
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
			weir_span_take_resource(&reader->spans, resource, key, value);
		}
	reader->span.resource = weir_spans_settle_resource(&reader->spans);
}

static void read_scalar(struct zipkin_reader *reader, enum field field, struct weir_slice value)
{
	switch (field) {
	case FIELD_TRACE:
		weir_span_parse_trace(value, reader->span.trace);
		return;
	case FIELD_ID:
		weir_span_parse_id(value, &reader->span.id);
		return;
	case FIELD_PARENT:
		weir_span_parse_id(value, &reader->span.parent);
		return;
	case FIELD_NAME:
		reader->span.name = weir_jsoncursor_decode(value, &reader->name, NULL);
		return;
	case FIELD_KIND:
		reader->span.kind = (uint8_t)weir_span_parse_kind(value);
		return;
	case FIELD_START:
		reader->start = value;
		return;
	case FIELD_DURATION:
		reader->duration = value;
		return;
	case FIELD_SHARED:
		if (weir_slice_equals(value, "true"))
			reader->span.flags |= WEIR_SPAN_SHARED;
		return;
	case FIELD_ENDPOINT:
	case FIELD_TAGS:
		return;
	}
}

/* The cursor on a span; what is read into it counts only where the cursor ends well. */
static void read_fields(struct zipkin_reader *reader, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	weir_span_clear(&reader->span);
	reader->start = reader->duration = (struct weir_slice){0};
	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		int field = weir_keyindex_find(&reader->fields, key);

		if (field < 0)
			weir_jsoncursor_take(cursor);
		else if (field == FIELD_ENDPOINT)
			read_endpoint(reader, cursor);
		else if (field == FIELD_TAGS)
			weir_span_walk_attributes(cursor, take_tag, reader);
		else
			read_scalar(reader, (enum field)field, weir_jsoncursor_scalar(cursor));
	}
}

static enum weir_status add_span(struct zipkin_reader *reader, uint64_t at, struct weir_error *err)
{
	struct weir_span *span = &reader->span;

	span->byte = at;
	weir_span_set_us(span, reader->start, reader->duration);
	span->stage = weir_jsoncursor_decode(span->stage, &reader->stage, NULL);
	return weir_spans_add(&reader->spans, span, err);
}

/* One trace of a list of traces. What is no JSON is left out from there on: what came before it in
 * the trace is added already, so that it cannot be read again. */
static enum weir_status read_trace(struct zipkin_reader *reader,
                                   const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	enum weir_status status = WEIR_OK;

	weir_jsoncursor_enter(&cursor, '[');
	while (!status && weir_jsoncursor_item(&cursor)) {
		uint64_t at = item->at + (uint64_t)(cursor.at - item->text.data);

		read_fields(reader, &cursor);
		if (!cursor.bad)
			status = add_span(reader, at, err);
	}
	if (cursor.bad)
		weir_input_warn(reader->spans.input, WEIR_WARN_SKIPPED_EVENT, item->at,
		                "the rest of a trace that is no JSON");
	return status;
}

static enum weir_status read_element(struct zipkin_reader *reader, struct weir_jsonscan *scan,
                                     const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	char first = weir_jsoncursor_peek(&cursor);

	if (first == '[')
		return read_trace(reader, item, err);
	if (first != '{') {
		weir_input_warn(reader->spans.input, WEIR_WARN_SKIPPED_EVENT, item->at,
		                "an element that is no span");
		return WEIR_OK;
	}
	read_fields(reader, &cursor);
	if (cursor.bad || cursor.at != cursor.end) {
		weir_jsonscan_reject(scan);
		return WEIR_OK;
	}
	return add_span(reader, item->at, err);
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
	static const struct weir_jsonscan_options options = {0};
	struct zipkin_reader *reader = weir_alloc(sizeof *reader);
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	enum weir_status status;

	weir_spans_init(&reader->spans, input, RESOLUTION_NS);
	weir_keyindex_init(&reader->fields, field_keys);
	weir_span_keys_init(&reader->keys);
	weir_spans_add_resource(&reader->spans); /* of spans that name none */
	status = weir_jsonscan_each(scan, take_item, reader, err);
	if (!status) {
		weir_damage_of_scan(input, scan, source);
		status = weir_span_requests_build(
			&reader->spans,
			"expected Zipkin's v2 JSON: a list of spans, or of lists of spans", err);
	}
	weir_jsonscan_free(scan);
	weir_spans_release(&reader->spans);
	weir_text_release(&reader->name);
	weir_text_release(&reader->stage);
	free(reader);
	return status;
}

const struct weir_reader weir_reader_zipkin = {
	.name = "zipkin",
	.title = "Zipkin traces (v2 JSON: a list of spans, or of traces)",
	.gives = "requests",
	.sniff = sniff,
	.read = read_zipkin,
};
