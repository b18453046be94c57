/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads Jaeger's JSON: downloads of its user interface and answers of its API ({"data": [traces]}),
 * one trace, a list of spans, documents of its Elasticsearch index. Times are microseconds.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/rowmap.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/requests/span_json.h"

/* A process of one trace. It has the same row as its resource. */
struct process {
	uint64_t trace; /* number of the trace in the file, from 1; 0: of a single span */
	uint32_t name;  /* "p1" */
};

struct jaeger_reader {
	struct weir_span_json json;
	struct weir_slice references; /* of the span that is read, as written */
	bool wrapped;                 /* inside "_source" */
	int64_t log_at;               /* of the log that is read */
	uint64_t trace;
	uint32_t resource; /* that attributes belong to */
	struct process *processes;
	size_t process_capacity;
	struct weir_rowmap process_rows;
};

enum {
	FIELD_PROCESS_ID = WEIR_SPAN_FIELDS,
	FIELD_REFERENCES,
	FIELD_TAGS,
	FIELD_LOGS,
	FIELD_PROCESS,
	FIELD_SOURCE,
};

static const struct weir_keyindex_entry span_fields[] = {
	{"traceID", WEIR_SPAN_FIELD_TRACE},
	{"spanID", WEIR_SPAN_FIELD_ID},
	{"parentSpanID", WEIR_SPAN_FIELD_PARENT}, /* of old versions */
	{"operationName", WEIR_SPAN_FIELD_NAME},
	{"startTime", WEIR_SPAN_FIELD_START},
	{"duration", WEIR_SPAN_FIELD_DURATION},
	{"processID", FIELD_PROCESS_ID},
	{"references", FIELD_REFERENCES},
	{"tags", FIELD_TAGS},
	{"tag", FIELD_TAGS}, /* an object, in Elasticsearch */
	{"logs", FIELD_LOGS},
	{"process", FIELD_PROCESS},
	{"_source", FIELD_SOURCE}, /* wraps a document in dumps of Elasticsearch */
	{0},
};

/* Adds a process and its resource. */
static uint32_t add_process(struct jaeger_reader *reader, uint64_t trace, uint32_t name)
{
	uint32_t row = weir_spans_add_resource(&reader->json.spans);

	reader->processes = weir_grow(reader->processes, &reader->process_capacity, (size_t)row + 1,
	                              sizeof *reader->processes);
	reader->processes[row] = (struct process){trace, name};
	return row;
}

/* Finds or adds the process of this name in the current trace; it may be described after its
 * spans. */
static uint32_t find_process(struct jaeger_reader *reader, struct weir_slice name)
{
	uint32_t id = weir_names_add(reader->json.spans.names, name.data, name.length);
	uint32_t hash = weir_rowmap_hash_pair(reader->trace, id), row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(&reader->process_rows, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (reader->processes[row].trace == reader->trace &&
		    reader->processes[row].name == id)
			return row;
	row = add_process(reader, reader->trace, id);
	weir_rowmap_add(&reader->process_rows, hash, row);
	return row;
}

static void take_tag(void *context, struct weir_slice key, struct weir_slice value)
{
	struct jaeger_reader *reader = context;

	if (weir_slice_equals(key, "span.kind"))
		reader->json.span.kind = (uint8_t)weir_span_parse_kind(value);
	else
		weir_span_take_attribute(&reader->json.keys, key, value, &reader->json.span);
}

static void take_process_tag(void *context, struct weir_slice key, struct weir_slice value)
{
	struct jaeger_reader *reader = context;

	if (!weir_slice_equals(key, "service.name"))
		weir_span_take_resource(&reader->json.spans, reader->resource, key, value);
}

/* Takes a field of a log. "event" has the name of an OpenTelemetry event. */
static void take_log_field(void *context, struct weir_slice key, struct weir_slice value)
{
	struct jaeger_reader *reader = context;

	if (weir_slice_equals(key, "event"))
		weir_span_take_event(&reader->json.keys, value, reader->log_at, &reader->json.span);
}

static void read_log(struct jaeger_reader *reader, struct weir_jsoncursor *cursor)
{
	struct weir_slice key, at, fields = {0};

	reader->log_at = WEIR_SPAN_UNKNOWN;
	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "fields")) {
			fields = weir_jsoncursor_take(cursor);
			continue;
		}
		at = weir_jsoncursor_scalar(cursor);
		if (weir_slice_equals(key, "timestamp"))
			weir_parse_us_as_ns(at.data, at.length, &reader->log_at);
	}
	if (fields.length && *fields.data == '[' && !cursor->bad) {
		struct weir_jsoncursor inside = weir_jsoncursor_on(fields);

		weir_span_walk_attributes(&inside, take_log_field, reader);
	}
}

static void read_logs(struct jaeger_reader *reader, struct weir_jsoncursor *cursor)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	while (weir_jsoncursor_item(cursor))
		read_log(reader, cursor);
}

/* Reads {"serviceName": "llm", "tags": [...]}. */
static void read_process(struct jaeger_reader *reader, uint32_t resource,
                         struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	reader->resource = resource;
	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "serviceName"))
			weir_span_take_resource(&reader->json.spans, resource,
			                        weir_slice_of("service.name"),
			                        weir_jsoncursor_scalar(cursor));
		else if (weir_slice_equals(key, "tags") || weir_slice_equals(key, "tag"))
			weir_span_walk_attributes(cursor, take_process_tag, reader);
		else
			weir_jsoncursor_take(cursor);
	}
}

/* Takes the parent if the reference is a CHILD_OF in the span's trace; others are links. */
static bool read_reference(struct jaeger_reader *reader, struct weir_jsoncursor *cursor)
{
	struct weir_slice key, type = {0};
	uint64_t trace[2] = {0}, id = 0;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return false;
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice value = weir_jsoncursor_scalar(cursor);

		if (weir_slice_equals(key, "refType"))
			type = value;
		else if (weir_slice_equals(key, "traceID"))
			weir_span_take_trace(value, trace);
		else if (weir_slice_equals(key, "spanID"))
			weir_span_take_id(value, &id);
	}
	if (!id || !weir_slice_equals(type, "CHILD_OF") || trace[0] != reader->json.span.trace[0] ||
	    trace[1] != reader->json.span.trace[1])
		return false;
	reader->json.span.parent = id;
	return true;
}

/* Takes the first reference that is a parent. */
static void finish_span(struct weir_span_json *json)
{
	struct jaeger_reader *reader = json->reader;
	struct weir_jsoncursor cursor = weir_jsoncursor_on(reader->references);

	if (!reader->references.length || !weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor))
		if (read_reference(reader, &cursor))
			return;
}

static void take_field(struct weir_span_json *json, int field, struct weir_jsoncursor *cursor)
{
	struct jaeger_reader *reader = json->reader;

	if (field == FIELD_REFERENCES) {
		reader->references = weir_jsoncursor_take(cursor);
	} else if (field == FIELD_TAGS) {
		weir_span_walk_attributes(cursor, take_tag, reader);
	} else if (field == FIELD_LOGS) {
		read_logs(reader, cursor);
	} else if (field == FIELD_PROCESS) {
		json->span.resource = add_process(reader, 0, 0);
		read_process(reader, json->span.resource, cursor);
		json->span.resource = weir_spans_settle_resource(&json->spans);
	} else if (field == FIELD_SOURCE && !reader->wrapped) {
		reader->wrapped = true;
		weir_span_json_fields(json, cursor);
	} else {
		struct weir_slice value = weir_jsoncursor_scalar(cursor);

		if (field == FIELD_PROCESS_ID)
			json->span.resource = find_process(reader, value);
	}
}

/* Reads the processes of a trace: {"p1": {...}}. */
static void read_processes(struct jaeger_reader *reader, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return;
	while (weir_jsoncursor_key(&cursor, &key))
		read_process(reader, find_process(reader, key), &cursor);
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct jaeger_reader *reader = context;

	if (item->kind == WEIR_JSONSCAN_ELEMENT) {
		reader->references = (struct weir_slice){0};
		reader->wrapped = false;
		return weir_span_json_element(&reader->json, scan, item, err);
	}
	if (item->kind == WEIR_JSONSCAN_OBJECT)
		reader->trace++;
	else if (weir_slice_equals(item->key, "processes"))
		read_processes(reader, item);
	return WEIR_OK;
}

static const struct weir_mark marks[] = {
	{.first = "{[",
         .keys = {{"traceID", "spanID", "spans", "data", "_source"}, .all = 1, .any = 2}},
	{.first = "{[",
         .keys = {{"data"}, .all = 1},
         .texts = {{"\"traceID\"", "\"spans\""}, .all = 2}},
	{.first = "{[",
         .keys = {{"_source"}, .all = 1},
         .texts = {{"\"traceID\"", "\"spanID\""}, .all = 2}},
	{0},
};

/* Chooses how to scan: a list of spans, one span per line, or spans inside traces. */
static struct weir_jsonscan_options choose_options(const char *head, size_t len)
{
	static const char *const entered[] = {"data", NULL};
	static const char *const span_keys[] = {"spanID", "_source", NULL};
	char first = weir_sniff_first(head, len);

	if (weir_sniff_keys(head, len, span_keys))
		return (struct weir_jsonscan_options){.lines = first == '{'};
	return (struct weir_jsonscan_options){
		.array = "spans", .enter = entered, .first_key = "traceID"};
}

static enum weir_status read_jaeger(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_span_format format = {.fields = span_fields,
	                                               .resolution_ns = 1000,
	                                               .any_ids = true,
	                                               .take = take_field,
	                                               .finish = finish_span};
	struct jaeger_reader *reader = weir_alloc(sizeof *reader);
	struct weir_jsonscan_options options;
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	weir_span_json_init(&reader->json, input, &format, reader);
	add_process(reader, 0, 0); /* of spans without one */
	if (!status) {
		options = choose_options(head, len);
		status = weir_span_json_scan(&reader->json, source, &options, take_item, err);
	}
	if (!status)
		status = weir_span_requests_build(
			&reader->json.spans,
			"expected Jaeger's traces: {\"data\": [{\"traceID\", \"spans\", "
			"\"processes\"}]}, one of them, or a list of spans",
			err);
	weir_span_json_release(&reader->json);
	weir_rowmap_release(&reader->process_rows);
	free(reader->processes);
	free(reader);
	return status;
}

const struct weir_reader weir_reader_jaeger = {
	.name = "jaeger",
	.title = "Jaeger traces (JSON of its interface, downloads, lists of spans, Elasticsearch)",
	.gives = "requests",
	.marks = marks,
	.read = read_jaeger,
};
