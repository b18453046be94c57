/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads spans as the SDK of OpenTelemetry for Python prints them (ReadableSpan.to_json(), which
 * ConsoleSpanExporter and exporters to files use): one object, objects one after the other, laid
 * out or line by line, or a list. Objects that are laid out may stand between the lines of a log.
 * Times are ISO 8601 with microseconds, ids have "0x" in front.
 */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/requests/span_json.h"

#define MAX_OBJECT WEIR_JSONSCAN_MAX_VALUE /* bytes */

enum {
	FIELD_CONTEXT = WEIR_SPAN_FIELDS,
	FIELD_PARENT,
	FIELD_START,
	FIELD_END,
	FIELD_STATUS,
	FIELD_EVENTS,
	FIELD_RESOURCE,
};

static const struct weir_keyindex_entry fields[] = {
	{"name", WEIR_SPAN_FIELD_NAME},
	{"context", FIELD_CONTEXT},
	{"kind", WEIR_SPAN_FIELD_KIND},
	{"parent_id", FIELD_PARENT},
	{"start_time", FIELD_START},
	{"end_time", FIELD_END},
	{"status", FIELD_STATUS},
	{"attributes", WEIR_SPAN_FIELD_ATTRIBUTES},
	{"events", FIELD_EVENTS},
	{"resource", FIELD_RESOURCE},
	{0},
};

static struct weir_slice without_prefix(struct weir_slice id)
{
	return weir_slice_starts(id, "0x") ? (struct weir_slice){id.data + 2, id.length - 2} : id;
}

static int64_t time_of(struct weir_slice value)
{
	int64_t ns;

	if (!weir_parse_iso_ns(value.data, value.length, &ns) || ns <= 0)
		return WEIR_SPAN_UNKNOWN;
	return ns;
}

/* Reads {"trace_id": "0x...", "span_id": "0x...", "trace_state": "[]"}. */
static void read_context(struct weir_span *span, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice value = without_prefix(weir_jsoncursor_scalar(cursor));

		if (weir_slice_equals(key, "trace_id"))
			weir_span_parse_trace(value, span->trace);
		else if (weir_slice_equals(key, "span_id"))
			weir_span_parse_id(value, &span->id);
	}
}

/* Reads {"status_code": "ERROR", "description": "..."}. Versions before 1.0 write a code of gRPC,
 * of which "OK" is the default: it does not say that an error was handled. */
static void read_status(struct weir_span *span, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice value = weir_jsoncursor_scalar(cursor);

		if (weir_slice_equals(key, "status_code"))
			weir_span_take_status(span, value);
		else if (weir_slice_equals(key, "canonical_code"))
			span->outcome.error |= value.length && !weir_slice_equals(value, "OK");
	}
}

static void read_event(struct weir_span_json *json, struct weir_jsoncursor *cursor)
{
	struct weir_slice key, name = {0}, at = {0};

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice value = weir_jsoncursor_scalar(cursor);

		if (weir_slice_equals(key, "name"))
			name = value;
		else if (weir_slice_equals(key, "timestamp"))
			at = value;
	}
	if (name.length && !cursor->bad)
		weir_span_take_event(&json->keys, name, time_of(at), &json->span);
}

static void read_events(struct weir_span_json *json, struct weir_jsoncursor *cursor)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	while (weir_jsoncursor_item(cursor))
		read_event(json, cursor);
}

static void take_resource(void *context, struct weir_slice key, struct weir_slice value)
{
	struct weir_span_json *json = context;

	weir_span_take_resource(&json->spans, json->span.resource, key, value);
}

/* Reads {"attributes": {"service.name": "llm"}, "schema_url": ""}, or the attributes alone, as
 * versions before 1.13 write them. */
static void read_resource(struct weir_span_json *json, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	json->span.resource = weir_spans_add_resource(&json->spans);
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "attributes"))
			weir_span_walk_attributes(cursor, take_resource, json);
		else
			take_resource(json, key, weir_jsoncursor_scalar(cursor));
	}
	json->span.resource = weir_spans_settle_resource(&json->spans);
}

static void take_field(struct weir_span_json *json, int field, struct weir_jsoncursor *cursor)
{
	struct weir_span *span = &json->span;

	if (field == FIELD_CONTEXT)
		read_context(span, cursor);
	else if (field == FIELD_STATUS)
		read_status(span, cursor);
	else if (field == FIELD_EVENTS)
		read_events(json, cursor);
	else if (field == FIELD_RESOURCE)
		read_resource(json, cursor);
	else if (field == FIELD_PARENT)
		weir_span_parse_id(without_prefix(weir_jsoncursor_scalar(cursor)), &span->parent);
	else if (field == FIELD_START)
		span->start_ns = time_of(weir_jsoncursor_scalar(cursor));
	else
		span->end_ns = time_of(weir_jsoncursor_scalar(cursor));
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	return item->kind == WEIR_JSONSCAN_ELEMENT
	               ? weir_span_json_element(context, scan, item, err)
	               : WEIR_OK;
}

/* ---- objects between the lines of a log ---- */

/* An object that is being collected, line by line. It begins with a line "{" and ends with a line
 * "}"; an object of one line is whole. */
struct object {
	struct weir_span_json *json;
	struct weir_text text;
	uint64_t at;
	bool open;
};

static enum weir_status end_object(struct object *object, struct weir_error *err)
{
	struct weir_jsoncursor cursor;
	enum weir_status status;

	object->open = false;
	/* Cursors may look at bytes behind the text. */
	for (size_t i = 0; i < WEIR_JSONSCAN_PADDING; i++)
		weir_text_add(&object->text, "\0", 1);
	cursor = weir_jsoncursor_on((struct weir_slice){
		object->text.data, object->text.length - WEIR_JSONSCAN_PADDING});
	status = weir_span_json_add(object->json, &cursor, object->at, err);
	if (cursor.bad)
		weir_input_warn(object->json->spans.input, WEIR_WARN_SKIPPED_EVENT, object->at,
		                "an object that is not valid JSON");
	return status;
}

static void begin_object(struct object *object, uint64_t at)
{
	weir_text_clear(&object->text);
	object->open = true;
	object->at = at;
}

/* Takes a line. The program printed the lines outside of objects. */
static enum weir_status take_line(struct object *object, struct weir_slice line, uint64_t at,
                                  struct weir_error *err)
{
	struct weir_slice trimmed = weir_slice_trim(line);
	enum weir_status status = WEIR_OK;

	if (object->open && weir_slice_starts(line, "}")) {
		weir_text_puts(&object->text, "}");
		status = end_object(object, err);
		trimmed = weir_slice_trim((struct weir_slice){line.data + 1, line.length - 1});
	}
	if (status || !trimmed.length)
		return status;
	if (!object->open && *trimmed.data == '{')
		begin_object(object, at);
	if (!object->open)
		return WEIR_OK;
	if (object->text.length + line.length > MAX_OBJECT) {
		object->open = false;
		weir_input_warn(object->json->spans.input, WEIR_WARN_SKIPPED_EVENT, object->at,
		                "an object of more than 64 MiB");
		return WEIR_OK;
	}
	weir_text_add(&object->text, trimmed.data, trimmed.length);
	weir_text_puts(&object->text, "\n");
	return object->at == at && weir_slice_ends(trimmed, "}") ? end_object(object, err)
	                                                         : WEIR_OK;
}

static enum weir_status read_lines(struct weir_span_json *json, struct weir_source *source,
                                   struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\n'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct weir_input *input = json->spans.input;
	struct object object = {.json = json};
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row && !status)
		if (row->line.length && (status = take_line(&object, row->line, row->at, err)))
			break;
	if (weir_csv_skipped(csv)->count)
		weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, weir_csv_skipped(csv)->first_at,
		                "a line of 1 MiB");
	if (object.open)
		weir_input_warn(input, WEIR_WARN_TRUNCATED, object.at, "it ends inside a span");
	weir_damage_of_source(input, source);
	weir_csv_free(csv);
	weir_text_release(&object.text);
	return status;
}

/* ---- the reader ---- */

/* Returns true if objects are laid out, and may have lines of a program around them. */
static bool has_lines(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line = {0};
	char first = weir_sniff_first(head, len);

	while (weir_csv_take_line(&rest, &line) && !weir_slice_trim(line).length)
		;
	return first != '[' && (first != '{' || weir_slice_equals(weir_slice_trim(line), "{"));
}

static enum weir_status read_spans(struct weir_span_json *json, struct weir_source *source,
                                   struct weir_error *err)
{
	struct weir_jsonscan_options options = {0};
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	if (has_lines(head, len))
		return read_lines(json, source, err);
	options.lines = weir_sniff_first(head, len) == '{';
	options.arrays = !options.lines;
	return weir_span_json_scan(json, source, &options, take_item, err);
}

static const struct weir_mark marks[] = {
	{.first = "{[",
         .keys = {{"name", "context", "parent_id", "start_time", "end_time", "status"}, .all = 5},
         .texts = {{"\"trace_id\"", "\"span_id\""}, .all = 2}},
	/* between the lines of a program */
	{.first = "",
         .texts = {{"\n{\n", "\"context\": {\n", "\"trace_id\": \"0x",
                    "\"parent_id\": ", "\"kind\": \"SpanKind."},
                   .all = 5}},
	{0},
};

static enum weir_status read_otel_sdk(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	static const struct weir_span_format format = {
		.fields = fields, .resolution_ns = 1000, .take = take_field};
	struct weir_span_json *json = weir_alloc(sizeof *json);
	enum weir_status status;

	weir_span_json_init(json, input, &format, json);
	weir_spans_add_resource(&json->spans); /* of spans without one */
	status = read_spans(json, source, err);
	if (!status)
		status = weir_span_requests_build(
			&json->spans,
			"expected spans as OpenTelemetry's SDK for Python prints them: objects "
			"with context, parent_id, start_time and end_time",
			err);
	weir_span_json_release(json);
	free(json);
	return status;
}

const struct weir_reader weir_reader_otel_sdk = {
	.name = "otel-sdk",
	.title = "OpenTelemetry spans as the SDK for Python prints them (ConsoleSpanExporter)",
	.gives = "requests",
	.marks = marks,
	.read = read_otel_sdk,
};
