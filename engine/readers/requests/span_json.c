/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/readers/parts/damage.h"
#include "engine/readers/requests/span_json.h"

void weir_span_json_init(struct weir_span_json *json, struct weir_input *input,
                         const struct weir_span_format *format, void *reader)
{
	*json = (struct weir_span_json){.format = format, .reader = reader};
	weir_spans_init(&json->spans, input, format->resolution_ns);
	weir_keyindex_init(&json->fields, format->fields);
	weir_span_keys_init(&json->keys);
}

void weir_span_json_release(struct weir_span_json *json)
{
	weir_spans_release(&json->spans);
	weir_text_release(&json->name);
	weir_text_release(&json->stage);
}

static void take_attribute(void *context, struct weir_slice key, struct weir_slice value)
{
	struct weir_span_json *json = context;

	weir_span_take_attribute(&json->keys, key, value, &json->span);
}

void weir_span_json_attributes(struct weir_span_json *json, struct weir_jsoncursor *cursor)
{
	weir_span_walk_attributes(cursor, take_attribute, json);
}

static void take_id(const struct weir_span_json *json, struct weir_slice value, uint64_t *id)
{
	if (json->format->any_ids)
		weir_span_take_id(value, id);
	else
		weir_span_parse_id(value, id);
}

static void take_scalar(struct weir_span_json *json, enum weir_span_field field,
                        struct weir_slice value)
{
	struct weir_span *span = &json->span;

	switch (field) {
	case WEIR_SPAN_FIELD_TRACE:
		if (json->format->any_ids)
			weir_span_take_trace(value, span->trace);
		else
			weir_span_parse_trace(value, span->trace);
		return;
	case WEIR_SPAN_FIELD_ID:
		take_id(json, value, &span->id);
		return;
	case WEIR_SPAN_FIELD_PARENT:
		take_id(json, value, &span->parent);
		return;
	case WEIR_SPAN_FIELD_NAME:
		span->name = weir_jsoncursor_decode(value, &json->name, NULL);
		return;
	case WEIR_SPAN_FIELD_KIND:
		span->kind = (uint8_t)weir_span_parse_kind(value);
		return;
	case WEIR_SPAN_FIELD_START:
		json->start = value;
		return;
	case WEIR_SPAN_FIELD_DURATION:
		json->duration = value;
		return;
	case WEIR_SPAN_FIELD_ATTRIBUTES:
	case WEIR_SPAN_FIELDS:
		return;
	}
}

void weir_span_json_fields(struct weir_span_json *json, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		int field = weir_keyindex_find(&json->fields, key);

		if (field < 0)
			weir_jsoncursor_take(cursor);
		else if (field >= WEIR_SPAN_FIELDS)
			json->format->take(json, field, cursor);
		else if (field == WEIR_SPAN_FIELD_ATTRIBUTES)
			weir_span_json_attributes(json, cursor);
		else
			take_scalar(json, (enum weir_span_field)field,
			            weir_jsoncursor_scalar(cursor));
	}
}

static void read_span(struct weir_span_json *json, struct weir_jsoncursor *cursor, uint64_t at)
{
	weir_span_clear(&json->span);
	json->span.byte = at;
	json->start = json->duration = (struct weir_slice){0};
	weir_span_json_fields(json, cursor);
}

static enum weir_status add_span(struct weir_span_json *json, struct weir_error *err)
{
	struct weir_span *span = &json->span;

	weir_span_set_us(span, json->start, json->duration);
	if (json->format->finish)
		json->format->finish(json);
	span->stage = weir_jsoncursor_decode(span->stage, &json->stage, NULL);
	weir_span_fit_triton(span);
	return weir_spans_add(&json->spans, span, err);
}

enum weir_status weir_span_json_add(struct weir_span_json *json, struct weir_jsoncursor *cursor,
                                    uint64_t at, struct weir_error *err)
{
	read_span(json, cursor, at);
	return cursor->bad ? WEIR_OK : add_span(json, err);
}

enum weir_status weir_span_json_element(struct weir_span_json *json, struct weir_jsonscan *scan,
                                        const struct weir_jsonscan_item *item,
                                        struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);

	if (weir_jsoncursor_peek(&cursor) != '{') {
		weir_input_warn(json->spans.input, WEIR_WARN_SKIPPED_EVENT, item->at,
		                "an element that is not a span");
		return WEIR_OK;
	}
	read_span(json, &cursor, item->at);
	if (cursor.bad || cursor.at != cursor.end) {
		weir_jsonscan_reject(scan);
		return WEIR_OK;
	}
	return add_span(json, err);
}

enum weir_status weir_span_json_scan(struct weir_span_json *json, struct weir_source *source,
                                     const struct weir_jsonscan_options *options,
                                     weir_jsonscan_taker take, struct weir_error *err)
{
	struct weir_jsonscan *scan = weir_jsonscan_new(source, options);
	enum weir_status status = weir_jsonscan_each(scan, take, json->reader, err);

	if (!status)
		weir_damage_of_scan(json->spans.input, scan, source);
	weir_jsonscan_free(scan);
	return status;
}
