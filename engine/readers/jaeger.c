/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jaeger's JSON: what its user interface downloads and its interface answers ({"data": [traces]}),
 * one trace, a list of spans, documents of its Elasticsearch index. Times are microseconds.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsonscan.h"
#include "engine/base/rowmap.h"
#include "engine/readers/damage.h"
#include "engine/readers/readers.h"
#include "engine/readers/sniff.h"
#include "engine/readers/span_attributes.h"
#include "engine/readers/span_requests.h"

#define RESOLUTION_NS 1000

/* A process of one trace; its row in the table of resources is its row here. */
struct process {
	uint64_t trace; /* number of the trace in the file, from 1; 0: a span's own */
	uint32_t name;  /* "p1" */
};

struct jaeger_reader {
	struct weir_spans spans;
	struct weir_span_keys keys;
	struct weir_keyindex fields;
	struct weir_span span;
	struct weir_slice start, duration, references; /* of it, as they stand */
	int64_t log_at;                                /* of the log that is read */
	struct weir_text name, stage;
	uint64_t trace;
	uint32_t resource; /* that attributes belong to */
	struct process *processes;
	size_t process_capacity;
	struct weir_rowmap process_rows;
};

enum field {
	FIELD_TRACE,
	FIELD_ID,
	FIELD_PARENT,
	FIELD_NAME,
	FIELD_START,
	FIELD_DURATION,
	FIELD_PROCESS_ID,
	FIELD_REFERENCES,
	/* walked where they are */
	FIELD_TAGS,
	FIELD_LOGS,
	FIELD_PROCESS,
	FIELD_SOURCE,
};

static const struct weir_keyindex_entry field_keys[] = {
	{"traceID", FIELD_TRACE},
	{"spanID", FIELD_ID},
	{"parentSpanID", FIELD_PARENT}, /* of old versions */
	{"operationName", FIELD_NAME},
	{"startTime", FIELD_START},
	{"duration", FIELD_DURATION},
	{"processID", FIELD_PROCESS_ID},
	{"references", FIELD_REFERENCES},
	{"tags", FIELD_TAGS},
	{"tag", FIELD_TAGS}, /* an object of them, in Elasticsearch */
	{"logs", FIELD_LOGS},
	{"process", FIELD_PROCESS},
	{"_source", FIELD_SOURCE}, /* what dumps of Elasticsearch wrap a document in */
	{0},
};

/* A resource row for a process, so that rows of both tables stay the same. */
static uint32_t add_process(struct jaeger_reader *reader, uint64_t trace, uint32_t name)
{
	uint32_t row = weir_spans_add_resource(&reader->spans);

	reader->processes = weir_grow(reader->processes, &reader->process_capacity, (size_t)row + 1,
	                              sizeof *reader->processes);
	reader->processes[row] = (struct process){trace, name};
	return row;
}

/* The process of this name in the trace at hand, whose description may come behind its spans. */
static uint32_t find_process(struct jaeger_reader *reader, struct weir_slice name)
{
	uint32_t id = weir_names_add(reader->spans.names, name.data, name.length);
	uint32_t hash = weir_rowmap_hash(reader->trace << 32 | id), row;
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
		reader->span.kind = (uint8_t)weir_span_parse_kind(value);
	else
		weir_span_take_attribute(&reader->keys, key, value, &reader->span);
}

static void take_process_tag(void *context, struct weir_slice key, struct weir_slice value)
{
	struct jaeger_reader *reader = context;

	if (!weir_slice_equals(key, "service.name"))
		weir_span_take_resource(&reader->spans, reader->resource, key, value);
}

/* A field of a log: OpenTelemetry's events have their name in "event". */
static void take_log_field(void *context, struct weir_slice key, struct weir_slice value)
{
	struct jaeger_reader *reader = context;

	if (weir_slice_equals(key, "event"))
		weir_span_take_event(&reader->keys, value, reader->log_at, &reader->span);
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

/* {"serviceName": "llm", "tags": [...]} */
static void read_process(struct jaeger_reader *reader, uint32_t resource,
                         struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	reader->resource = resource;
	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "serviceName"))
			weir_span_take_resource(&reader->spans, resource,
			                        weir_slice_of("service.name"),
			                        weir_jsoncursor_scalar(cursor));
		else if (weir_slice_equals(key, "tags") || weir_slice_equals(key, "tag"))
			weir_span_walk_attributes(cursor, take_process_tag, reader);
		else
			weir_jsoncursor_take(cursor);
	}
}

/* The first CHILD_OF in the span's own trace; all else is a link. */
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
			weir_span_parse_trace(value, trace);
		else if (weir_slice_equals(key, "spanID"))
			weir_span_parse_id(value, &id);
	}
	if (!id || !weir_slice_equals(type, "CHILD_OF") || trace[0] != reader->span.trace[0] ||
	    trace[1] != reader->span.trace[1])
		return false;
	reader->span.parent = id;
	return true;
}

static void read_references(struct jaeger_reader *reader)
{
	struct weir_jsoncursor cursor;

	if (!reader->references.length)
		return;
	cursor = weir_jsoncursor_on(reader->references);
	if (!weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor))
		if (read_reference(reader, &cursor))
			return;
}

static void read_scalar(struct jaeger_reader *reader, enum field field, struct weir_slice value)
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
	case FIELD_START:
		reader->start = value;
		return;
	case FIELD_DURATION:
		reader->duration = value;
		return;
	case FIELD_PROCESS_ID:
		reader->span.resource = find_process(reader, value);
		return;
	case FIELD_REFERENCES:
	case FIELD_TAGS:
	case FIELD_LOGS:
	case FIELD_PROCESS:
	case FIELD_SOURCE:
		return;
	}
}

static void read_process_of_span(struct jaeger_reader *reader, struct weir_jsoncursor *cursor)
{
	reader->span.resource = add_process(reader, 0, 0);
	read_process(reader, reader->span.resource, cursor);
	reader->span.resource = weir_spans_settle_resource(&reader->spans);
}

static void read_fields(struct jaeger_reader *reader, struct weir_jsoncursor *cursor, bool wrapped)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		int field = weir_keyindex_find(&reader->fields, key);

		if (field < 0)
			weir_jsoncursor_take(cursor);
		else if (field == FIELD_REFERENCES)
			reader->references = weir_jsoncursor_take(cursor);
		else if (field == FIELD_TAGS)
			weir_span_walk_attributes(cursor, take_tag, reader);
		else if (field == FIELD_LOGS)
			read_logs(reader, cursor);
		else if (field == FIELD_PROCESS)
			read_process_of_span(reader, cursor);
		else if (field == FIELD_SOURCE && !wrapped)
			read_fields(reader, cursor, true);
		else
			read_scalar(reader, (enum field)field, weir_jsoncursor_scalar(cursor));
	}
}

static enum weir_status read_span(struct jaeger_reader *reader, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_span *span = &reader->span;

	weir_span_clear(span);
	reader->start = reader->duration = reader->references = (struct weir_slice){0};
	span->byte = item->at;
	span->resource = WEIR_NONE;
	if (weir_jsoncursor_peek(&cursor) != '{') {
		weir_input_warn(reader->spans.input, WEIR_WARN_SKIPPED_EVENT, item->at,
		                "an element that is no span");
		return WEIR_OK;
	}
	read_fields(reader, &cursor, false);
	if (cursor.bad || cursor.at != cursor.end) {
		weir_jsonscan_reject(scan);
		return WEIR_OK;
	}
	if (span->resource == WEIR_NONE)
		span->resource = 0;
	weir_span_set_us(span, reader->start, reader->duration);
	read_references(reader);
	span->stage = weir_jsoncursor_decode(span->stage, &reader->stage, NULL);
	weir_span_fit_triton(span);
	return weir_spans_add(&reader->spans, span, err);
}

/* The processes of a trace: {"p1": {...}}. */
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

	if (item->kind == WEIR_JSONSCAN_ELEMENT)
		return read_span(reader, scan, item, err);
	if (item->kind == WEIR_JSONSCAN_OBJECT)
		reader->trace++;
	else if (weir_slice_equals(item->key, "processes"))
		read_processes(reader, item);
	return WEIR_OK;
}

/* Keys of the first object, as bits of what weir_sniff_keys() finds. */
static const char *const head_keys[] = {"traceID", "spanID", "spans", "data", "_source", NULL};

enum { HEAD_TRACE = 1, HEAD_SPAN = 2, HEAD_SPANS = 4, HEAD_DATA = 8, HEAD_SOURCE = 16 };

/* Keys inside of what the keys of the first object wrap. */
static bool holds_spans(const char *head, size_t len, const char *second)
{
	return weir_sniff_contains(head, len, "\"traceID\"") &&
	       weir_sniff_contains(head, len, second);
}

static int sniff(const char *head, size_t len)
{
	char first = weir_sniff_first(head, len);
	unsigned found = first == '{' || first == '[' ? weir_sniff_keys(head, len, head_keys) : 0;

	if ((found & HEAD_TRACE) && (found & (HEAD_SPAN | HEAD_SPANS)))
		return weir_sniff_bits(found, head_keys);
	if ((found & HEAD_DATA) && holds_spans(head, len, "\"spans\""))
		return 8 * (int)strlen("data\"traceID\"\"spans\"");
	if ((found & HEAD_SOURCE) && holds_spans(head, len, "\"spanID\""))
		return 8 * (int)strlen("_source\"traceID\"\"spanID\"");
	return 0;
}

/* A list of spans, a span a line, or spans inside of traces. */
static struct weir_jsonscan_options choose_options(const char *head, size_t len)
{
	static const char *const entered[] = {"data", NULL};
	char first = weir_sniff_first(head, len);
	unsigned found = weir_sniff_keys(head, len, head_keys);

	if (found & (HEAD_SPAN | HEAD_SOURCE))
		return (struct weir_jsonscan_options){.lines = first == '{'};
	return (struct weir_jsonscan_options){
		.array = "spans", .enter = entered, .first_key = "traceID"};
}

static enum weir_status read_jaeger(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const char hint[] = "expected Jaeger's traces: {\"data\": [{\"traceID\", \"spans\", "
				   "\"processes\"}]}, one of them, or a list of spans";
	struct jaeger_reader *reader = weir_alloc(sizeof *reader);
	struct weir_jsonscan_options options = {0};
	struct weir_jsonscan *scan = NULL;
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	weir_spans_init(&reader->spans, input, RESOLUTION_NS);
	weir_keyindex_init(&reader->fields, field_keys);
	weir_span_keys_init(&reader->keys);
	add_process(reader, 0, 0); /* of spans that name none */
	if (!status) {
		options = choose_options(head, len);
		scan = weir_jsonscan_new(source, &options);
		status = weir_jsonscan_each(scan, take_item, reader, err);
	}
	if (!status) {
		weir_damage_of_scan(input, scan, source);
		status = weir_span_requests_build(&reader->spans, hint, err);
	}
	weir_jsonscan_free(scan);
	weir_spans_release(&reader->spans);
	weir_rowmap_release(&reader->process_rows);
	weir_text_release(&reader->name);
	weir_text_release(&reader->stage);
	free(reader->processes);
	free(reader);
	return status;
}

const struct weir_reader weir_reader_jaeger = {
	.name = "jaeger",
	.title = "Jaeger traces (JSON of its interface, downloads, lists of spans, Elasticsearch)",
	.gives = "requests",
	.sniff = sniff,
	.read = read_jaeger,
};
