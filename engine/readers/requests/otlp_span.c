/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One span of OTLP JSON, in the specification's spelling and in that of protobuf's fields. */
#include "engine/readers/requests/otlp.h"

enum field {
	FIELD_TRACE,
	FIELD_ID,
	FIELD_PARENT,
	FIELD_NAME,
	FIELD_KIND,
	FIELD_START,
	FIELD_END,
	FIELD_ATTRIBUTES,
	FIELD_EVENTS,
};

static const struct weir_keyindex_entry field_keys[] = {
	{"traceId", FIELD_TRACE},
	{"trace_id", FIELD_TRACE},
	{"spanId", FIELD_ID},
	{"span_id", FIELD_ID},
	{"parentSpanId", FIELD_PARENT},
	{"parent_span_id", FIELD_PARENT},
	{"name", FIELD_NAME},
	{"kind", FIELD_KIND},
	{"startTimeUnixNano", FIELD_START},
	{"start_time_unix_nano", FIELD_START},
	{"endTimeUnixNano", FIELD_END},
	{"end_time_unix_nano", FIELD_END},
	{"attributes", FIELD_ATTRIBUTES},
	{"events", FIELD_EVENTS},
	{0},
};

void weir_otlp_span_init(struct otlp_reader *reader)
{
	weir_keyindex_init(&reader->fields, field_keys);
	weir_span_keys_init(&reader->keys);
	reader->resource = WEIR_NONE;
}

/* Nanoseconds since 1970, text or number; 0 is what protobuf writes for "not set". */
static int64_t time_of(struct weir_slice value)
{
	int64_t ns;

	if (!weir_parse_i64(value.data, value.length, &ns) || ns <= 0)
		return WEIR_SPAN_UNKNOWN;
	return ns;
}

static void take_attribute(void *context, struct weir_slice key, struct weir_slice value)
{
	struct otlp_reader *reader = context;

	weir_span_take_attribute(&reader->keys, key, value, &reader->span);
}

static void take_resource(void *context, struct weir_slice key, struct weir_slice value)
{
	struct otlp_reader *reader = context;

	weir_span_take_resource(&reader->spans, reader->resource, key, value);
}

static void read_event(struct otlp_reader *reader, struct weir_jsoncursor *cursor)
{
	struct weir_slice key, name = {0}, at = {0};

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "name"))
			name = weir_jsoncursor_scalar(cursor);
		else if (weir_slice_equals(key, "timeUnixNano") ||
		         weir_slice_equals(key, "time_unix_nano"))
			at = weir_jsoncursor_scalar(cursor);
		else
			weir_jsoncursor_take(cursor);
	}
	if (name.length && !cursor->bad)
		weir_span_take_event(&reader->keys, name, time_of(at), &reader->span);
}

static void read_events(struct otlp_reader *reader, struct weir_jsoncursor *cursor)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	while (weir_jsoncursor_item(cursor))
		read_event(reader, cursor);
}

static void read_scalar(struct otlp_reader *reader, int field, struct weir_slice value)
{
	struct weir_span *span = &reader->span;

	switch ((enum field)field) {
	case FIELD_TRACE:
		weir_span_parse_trace(value, span->trace);
		return;
	case FIELD_ID:
		weir_span_parse_id(value, &span->id);
		return;
	case FIELD_PARENT:
		weir_span_parse_id(value, &span->parent);
		return;
	case FIELD_NAME:
		span->name = weir_jsoncursor_decode(value, &reader->name, NULL);
		return;
	case FIELD_KIND:
		span->kind = (uint8_t)weir_span_parse_kind(value);
		return;
	case FIELD_START:
		span->start_ns = time_of(value);
		return;
	case FIELD_END:
		span->end_ns = time_of(value);
		return;
	case FIELD_ATTRIBUTES:
	case FIELD_EVENTS:
		return;
	}
}

static void read_field(struct otlp_reader *reader, struct weir_slice key,
                       struct weir_jsoncursor *cursor)
{
	int field = weir_keyindex_find(&reader->fields, key);

	if (field < 0)
		weir_jsoncursor_take(cursor);
	else if (field == FIELD_ATTRIBUTES)
		weir_span_walk_attributes(cursor, take_attribute, reader);
	else if (field == FIELD_EVENTS)
		read_events(reader, cursor);
	else
		read_scalar(reader, field, weir_jsoncursor_scalar(cursor));
}

enum weir_status weir_otlp_read_span(struct otlp_reader *reader,
                                     const struct weir_jsonscan_item *item, bool *bad,
                                     struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_span *span = &reader->span;
	struct weir_slice key;

	*bad = false;
	weir_span_clear(span);
	span->byte = item->at;
	if (!weir_jsoncursor_enter(&cursor, '{')) {
		weir_input_warn(reader->spans.input, WEIR_WARN_SKIPPED_EVENT, item->at,
		                "an element that is no span");
		return WEIR_OK;
	}
	while (weir_jsoncursor_key(&cursor, &key))
		read_field(reader, key, &cursor);
	*bad = cursor.bad || cursor.at != cursor.end;
	if (*bad)
		return WEIR_OK;
	if (reader->resource == WEIR_NONE)
		reader->resource = weir_spans_add_resource(&reader->spans);
	span->resource = reader->resource;
	span->stage = weir_jsoncursor_decode(span->stage, &reader->stage, NULL);
	weir_span_fit_triton(span);
	return weir_spans_add(&reader->spans, span, err);
}

void weir_otlp_read_resource(struct otlp_reader *reader, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return;
	if (reader->resource == WEIR_NONE)
		reader->resource = weir_spans_add_resource(&reader->spans);
	while (weir_jsoncursor_key(&cursor, &key)) {
		if (weir_slice_equals(key, "attributes"))
			weir_span_walk_attributes(&cursor, take_resource, reader);
		else
			weir_jsoncursor_take(&cursor);
	}
}
