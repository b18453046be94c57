/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/readers/parts/damage.h"
#include "engine/readers/requests/span_json.h"

#define RESOLUTION_NS 1000

void weir_span_json_init(struct weir_span_json *json, struct weir_input *input,
                         const struct weir_keyindex_entry *field_keys)
{
	*json = (struct weir_span_json){.start = {0}};
	weir_spans_init(&json->spans, input, RESOLUTION_NS);
	weir_keyindex_init(&json->fields, field_keys);
	weir_span_keys_init(&json->keys);
}

void weir_span_json_release(struct weir_span_json *json)
{
	weir_spans_release(&json->spans);
	weir_text_release(&json->name);
	weir_text_release(&json->stage);
}

void weir_span_json_begin(struct weir_span_json *json, uint64_t at)
{
	weir_span_clear(&json->span);
	json->span.byte = at;
	json->start = json->duration = (struct weir_slice){0};
}

void weir_span_json_take(struct weir_span_json *json, int field, struct weir_slice value)
{
	switch (field) {
	case WEIR_SPAN_FIELD_TRACE:
		weir_span_parse_trace(value, json->span.trace);
		return;
	case WEIR_SPAN_FIELD_ID:
		weir_span_parse_id(value, &json->span.id);
		return;
	case WEIR_SPAN_FIELD_PARENT:
		weir_span_parse_id(value, &json->span.parent);
		return;
	case WEIR_SPAN_FIELD_NAME:
		json->span.name = weir_jsoncursor_decode(value, &json->name, NULL);
		return;
	case WEIR_SPAN_FIELD_START:
		json->start = value;
		return;
	case WEIR_SPAN_FIELD_DURATION:
		json->duration = value;
		return;
	}
}

enum weir_status weir_span_json_add(struct weir_span_json *json, struct weir_error *err)
{
	struct weir_span *span = &json->span;

	weir_span_set_us(span, json->start, json->duration);
	span->stage = weir_jsoncursor_decode(span->stage, &json->stage, NULL);
	weir_span_fit_triton(span);
	return weir_spans_add(&json->spans, span, err);
}

void weir_span_json_skip(struct weir_span_json *json, uint64_t at)
{
	weir_input_warn(json->spans.input, WEIR_WARN_SKIPPED_EVENT, at,
	                "an element that is no span");
}

enum weir_status weir_span_json_read(struct weir_span_json *json, struct weir_source *source,
                                     const struct weir_span_document *document, void *context,
                                     struct weir_error *err)
{
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &document->options);
	enum weir_status status = weir_jsonscan_each(scan, document->take, context, err);

	if (!status) {
		weir_damage_of_scan(json->spans.input, scan, source);
		status = weir_span_requests_build(&json->spans, document->hint, err);
	}
	weir_jsonscan_free(scan);
	return status;
}
