/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads traces of OpenTelemetry as OTLP JSON: one object, a list of objects, or one per line as the
 * Collector's file exporter writes them, plain or in records with a length in front; answers of
 * Jaeger's v3 API and of Tempo; the names of fields before version 0.15.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/requests/span_json.h"

struct otlp_reader {
	struct weir_span_json json;
	uint32_t resource; /* of the spans that follow; WEIR_NONE: not described */
	bool has_metrics, has_logs;
};

/* ---- one span: the specification's spelling, and that of protobuf's fields ---- */

enum { FIELD_START = WEIR_SPAN_FIELDS, FIELD_END, FIELD_EVENTS, FIELD_STATUS };

static const struct weir_keyindex_entry fields[] = {
	{"traceId", WEIR_SPAN_FIELD_TRACE},
	{"trace_id", WEIR_SPAN_FIELD_TRACE},
	{"spanId", WEIR_SPAN_FIELD_ID},
	{"span_id", WEIR_SPAN_FIELD_ID},
	{"parentSpanId", WEIR_SPAN_FIELD_PARENT},
	{"parent_span_id", WEIR_SPAN_FIELD_PARENT},
	{"name", WEIR_SPAN_FIELD_NAME},
	{"kind", WEIR_SPAN_FIELD_KIND},
	{"attributes", WEIR_SPAN_FIELD_ATTRIBUTES},
	{"startTimeUnixNano", FIELD_START},
	{"start_time_unix_nano", FIELD_START},
	{"endTimeUnixNano", FIELD_END},
	{"end_time_unix_nano", FIELD_END},
	{"events", FIELD_EVENTS},
	{"status", FIELD_STATUS},
	{0},
};

/* Parses nanoseconds since 1970. Protobuf writes 0 for unset times. */
static int64_t time_of(struct weir_slice value)
{
	int64_t ns;

	if (!weir_parse_i64(value.data, value.length, &ns) || ns <= 0)
		return WEIR_SPAN_UNKNOWN;
	return ns;
}

static void read_event(struct weir_span_json *json, struct weir_jsoncursor *cursor)
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
		weir_span_take_event(&json->keys, name, time_of(at), &json->span);
}

static void read_events(struct weir_span_json *json, struct weir_jsoncursor *cursor)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	while (weir_jsoncursor_item(cursor))
		read_event(json, cursor);
}

/* Reads {"code": "STATUS_CODE_ERROR", "message": "..."}. */
static void read_status(struct weir_span_json *json, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "code"))
			weir_span_take_status(&json->span, weir_jsoncursor_scalar(cursor));
		else
			weir_jsoncursor_take(cursor);
	}
}

static void take_field(struct weir_span_json *json, int field, struct weir_jsoncursor *cursor)
{
	if (field == FIELD_EVENTS)
		read_events(json, cursor);
	else if (field == FIELD_STATUS)
		read_status(json, cursor);
	else if (field == FIELD_START)
		json->span.start_ns = time_of(weir_jsoncursor_scalar(cursor));
	else
		json->span.end_ns = time_of(weir_jsoncursor_scalar(cursor));
}

static uint32_t resource_of(struct otlp_reader *reader)
{
	if (reader->resource == WEIR_NONE)
		reader->resource = weir_spans_add_resource(&reader->json.spans);
	return reader->resource;
}

static void finish_span(struct weir_span_json *json)
{
	json->span.resource = resource_of(json->reader);
}

static void take_resource(void *context, struct weir_slice key, struct weir_slice value)
{
	struct otlp_reader *reader = context;

	weir_span_take_resource(&reader->json.spans, reader->resource, key, value);
}

/* Reads the emitter of the spans that follow. */
static void read_resource(struct otlp_reader *reader, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return;
	resource_of(reader);
	while (weir_jsoncursor_key(&cursor, &key)) {
		if (weir_slice_equals(key, "attributes"))
			weir_span_walk_attributes(&cursor, take_resource, reader);
		else
			weir_jsoncursor_take(&cursor);
	}
}

/* ---- documents ---- */

/* Keys that enclose spans, from the outside to the inside, and keys of metrics and logs. */
static const char *const entered[] = {
	"result",
	"trace", /* of Tempo, /api/v2/traces */
	"resourceSpans",
	"resource_spans",
	"batches",
	"scopeSpans",
	"scope_spans",
	"instrumentationLibrarySpans",
	"instrumentation_library_spans",
	"resourceMetrics",
	"resource_metrics",
	"resourceLogs",
	"resource_logs",
	NULL,
};

static bool is_one_of(struct weir_slice key, const char *const *names)
{
	for (; *names; names++)
		if (weir_slice_equals(key, *names))
			return true;
	return false;
}

/* Begins an object that encloses spans, metrics or logs. */
static void enter_object(struct otlp_reader *reader, struct weir_slice under)
{
	static const char *const scopes[] = {"scopeSpans", "scope_spans",
	                                     "instrumentationLibrarySpans",
	                                     "instrumentation_library_spans", NULL};
	static const char *const metrics[] = {"resourceMetrics", "resource_metrics", NULL};
	static const char *const logs[] = {"resourceLogs", "resource_logs", NULL};

	if (is_one_of(under, scopes))
		return;
	reader->resource = WEIR_NONE;
	reader->has_metrics |= is_one_of(under, metrics);
	reader->has_logs |= is_one_of(under, logs);
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct otlp_reader *reader = context;

	if (item->kind == WEIR_JSONSCAN_ELEMENT)
		return weir_span_json_element(&reader->json, scan, item, err);
	if (item->kind == WEIR_JSONSCAN_OBJECT)
		enter_object(reader, item->key);
	else if (weir_slice_equals(item->key, "resource"))
		read_resource(reader, item);
	return WEIR_OK;
}

static enum weir_status read_documents(struct otlp_reader *reader, struct weir_source *source,
                                       struct weir_error *err)
{
	static const struct weir_jsonscan_options options = {
		.array = "spans", .enter = entered, .first_key = "traceId"};

	return weir_span_json_scan(&reader->json, source, &options, take_item, err);
}

/*
 * ---- records with a length in front ----
 *
 * The Collector's file exporter writes them (README of
 * opentelemetry-collector-contrib/exporter/fileexporter). A record is a JSON document or a protobuf
 * message, plain or as a separate zstd frame.
 */

enum framing {
	UNFRAMED,
	BINARY_LENGTHS,  /* 4 bytes, the most significant first: for zstd and protobuf */
	DECIMAL_LENGTHS, /* digits and the end of a line: one old version */
};

#define MAX_RECORD  WEIR_JSONSCAN_MAX_VALUE /* bytes */
#define BINARY_SIZE 4
#define MAX_DIGITS  8

static const char zstd_magic[] = {'\x28', '\xb5', '\x2f', '\xfd'};

#define PROTOBUF_FIRST '\x0a' /* field 1 with a length: every message of OTLP begins with it */

/* Parses the length of a record into *size. Returns its number of bytes; 0: it is malformed. */
static size_t parse_length(const char *at, size_t len, enum framing framing, uint64_t *size)
{
	size_t digits = 0;

	*size = 0;
	if (framing == BINARY_LENGTHS) {
		if (len < BINARY_SIZE)
			return 0;
		for (size_t i = 0; i < BINARY_SIZE; i++)
			*size = *size << 8 | (unsigned char)at[i];
		return BINARY_SIZE;
	}
	for (; digits < len && digits <= MAX_DIGITS && isdigit((unsigned char)at[digits]); digits++)
		*size = *size * 10 + (uint64_t)(at[digits] - '0');
	return digits && digits < len && at[digits] == '\n' ? digits + 1 : 0;
}

/* True if the visible bytes can begin a record. */
static bool begins_record(const char *at, size_t len)
{
	size_t seen = len < sizeof zstd_magic ? len : sizeof zstd_magic;

	return len && (*at == '{' || *at == PROTOBUF_FIRST || !memcmp(at, zstd_magic, seen));
}

/* True if a record of this size fits here: the next record or the end of the file follows it, or is
 * outside of the head. Protobuf has few fixed bytes, so its end must be in the head. */
static bool fits(const char *record, size_t len, uint64_t size, enum framing framing)
{
	const char *next = record + size;
	size_t left, prefix;
	uint64_t ignored;

	if (size >= len)
		return size == len || *record != PROTOBUF_FIRST;
	left = len - (size_t)size;
	if (framing == DECIMAL_LENGTHS && *next == '\n') {
		next++;
		left--;
	}
	if (left <= BINARY_SIZE)
		return *record != PROTOBUF_FIRST;
	prefix = parse_length(next, left, framing, &ignored);
	return prefix && left > prefix && begins_record(next + prefix, left - prefix);
}

static bool is_framed(const char *head, size_t len, enum framing framing)
{
	uint64_t size;
	size_t prefix = parse_length(head, len, framing, &size);

	return prefix && size >= 2 && size <= MAX_RECORD &&
	       begins_record(head + prefix, len - prefix) &&
	       fits(head + prefix, len - prefix, size, framing);
}

static enum framing find_framing(const char *head, size_t len)
{
	if (is_framed(head, len, BINARY_LENGTHS))
		return BINARY_LENGTHS;
	return is_framed(head, len, DECIMAL_LENGTHS) ? DECIMAL_LENGTHS : UNFRAMED;
}

/* A source that is read byte by byte. */
struct bytes {
	struct weir_source *source;
	const char *at;
	size_t left;
	uint64_t taken;
};

/* Appends up to `want` bytes to `out`; fewer only at the end of the input. */
static enum weir_status take_bytes(struct bytes *bytes, size_t want, struct weir_text *out,
                                   struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	while (want && !status) {
		size_t part = want < bytes->left ? want : bytes->left;

		weir_text_add(out, bytes->at, part);
		bytes->at += part;
		bytes->left -= part;
		bytes->taken += part;
		want -= part;
		if (want)
			status = weir_source_next(bytes->source, &bytes->at, &bytes->left, err);
		if (want && !status && !bytes->left)
			break;
	}
	return status;
}

/* Takes the length of the next record; 0: no further record, and *whole is true if the input ends
 * between two records. */
static enum weir_status take_length(struct bytes *bytes, enum framing framing, uint64_t *size,
                                    bool *whole, struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status = WEIR_OK;
	size_t most = framing == BINARY_LENGTHS ? BINARY_SIZE : MAX_DIGITS + 1;

	*size = 0;
	do {
		size_t before = text.length;

		status = take_bytes(bytes, 1, &text, err);
		if (status || text.length == before)
			break;
		/* The old version ends lines between records. */
		if (framing == DECIMAL_LENGTHS && text.length == 1 && *text.data == '\n')
			weir_text_clear(&text);
	} while (text.length < most && !parse_length(text.data, text.length, framing, size));
	*whole = !text.length;
	if (!status && !parse_length(text.data ? text.data : "", text.length, framing, size))
		*size = 0;
	weir_text_release(&text);
	return status;
}

static enum weir_status read_record(struct otlp_reader *reader, const struct weir_text *record,
                                    struct weir_error *err)
{
	struct weir_source *source;
	const char *head;
	size_t len;
	enum weir_status status =
		weir_source_open_memory("record", record->data, record->length, &source, err);

	if (status)
		return status;
	status = weir_source_head(source, &head, &len, err);
	if (!status && len && *head == PROTOBUF_FIRST)
		status = weir_fail(err, WEIR_E_FORMAT,
		                   "OTLP in protobuf, expected JSON: configure the Collector's "
		                   "file exporter with \"format: json\"");
	if (!status && len && *head == '{')
		status = read_documents(reader, source, err);
	else if (!status)
		weir_input_warn(reader->json.spans.input, WEIR_WARN_SKIPPED_EVENT, UINT64_MAX,
		                "a record that is not JSON");
	weir_source_free(source);
	return status;
}

/* Reads one record; *more is false after the last one. */
static enum weir_status next_record(struct otlp_reader *reader, struct bytes *bytes,
                                    enum framing framing, bool *more, struct weir_error *err)
{
	struct weir_input *input = reader->json.spans.input;
	struct weir_text record = {0};
	uint64_t size, at = bytes->taken;
	bool whole;
	enum weir_status status = take_length(bytes, framing, &size, &whole, err);

	*more = !status && size && size <= MAX_RECORD;
	if (!*more) {
		if (!status && !whole)
			weir_input_warn(input, WEIR_WARN_TRUNCATED, at,
			                "a malformed length of a record");
		return status;
	}
	status = take_bytes(bytes, (size_t)size, &record, err);
	if (!status && record.length < size) {
		weir_input_warn(input, WEIR_WARN_TRUNCATED, at, "it ends inside a record");
		*more = false;
	}
	if (!status && record.length)
		status = read_record(reader, &record, err);
	weir_text_release(&record);
	return status;
}

static enum weir_status read_records(struct otlp_reader *reader, struct weir_source *source,
                                     enum framing framing, struct weir_error *err)
{
	struct bytes bytes = {.source = source, .at = ""};
	enum weir_status status = WEIR_OK;
	bool more = true;

	while (more && !status)
		status = next_record(reader, &bytes, framing, &more, err);
	return status;
}

/* ---- the reader ---- */

/* Keys that other formats share need one inside them. Metrics and logs may share a file with spans.
 */
static const struct weir_mark marks[] = {
	{.first = "{[", .keys = {{"resourceSpans", "resource_spans"}, .any = 2}},
	{.first = "{[",
         .keys = {{"result", "trace", "resourceMetrics", "resourceLogs"}, .any = 4},
         .texts = {{"\"resourceSpans\""}, .all = 1}},
	{.first = "{[",
         .keys = {{"batches"}, .all = 1},
         .texts = {{"\"scopeSpans\"", "\"instrumentationLibrarySpans\""}, .any = 2}},
	{.first = "{[",
         .keys = {{"resourceMetrics"}, .all = 1},
         .refusal = "it holds OpenTelemetry metrics: traces (resourceSpans) are read, which "
                    "--input-format otlp looks for in all of it"},
	{.first = "{[",
         .keys = {{"resourceLogs"}, .all = 1},
         .refusal = "it holds OpenTelemetry logs: traces (resourceSpans) are read, which "
                    "--input-format otlp looks for in all of it"},
	{0},
};

static int sniff_framing(const char *head, size_t len)
{
	return find_framing(head, len) ? 64 : 0;
}

/* Returns what to do about a file without a span. */
static const char *hint_of(const struct otlp_reader *reader)
{
	if (reader->json.spans.input->warnings[WEIR_WARN_TRUNCATED].count)
		return "it is cut off before its first span: export it again";
	if (reader->has_metrics)
		return "it holds OpenTelemetry metrics: expected traces (resourceSpans)";
	if (reader->has_logs)
		return "it holds OpenTelemetry logs: expected traces (resourceSpans)";
	return "expected traces of OpenTelemetry: resourceSpans with scopeSpans with spans";
}

static enum weir_status read_otlp(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	struct otlp_reader *reader = weir_alloc(sizeof *reader);
	static const struct weir_span_format format = {
		.fields = fields, .take = take_field, .finish = finish_span};
	enum framing framing = UNFRAMED;
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (!status)
		framing = find_framing(head, len);
	weir_span_json_init(&reader->json, input, &format, reader);
	reader->resource = WEIR_NONE;
	if (!status)
		status = framing ? read_records(reader, source, framing, err)
		                 : read_documents(reader, source, err);
	if (!status)
		status = weir_span_requests_build(&reader->json.spans, hint_of(reader), err);
	weir_span_json_release(&reader->json);
	free(reader);
	return status;
}

const struct weir_reader weir_reader_otlp = {
	.name = "otlp",
	.title = "OpenTelemetry traces (OTLP JSON; one object, JSON lines, file exporter, Tempo)",
	.gives = "requests",
	.marks = marks,
	.sniff = sniff_framing,
	.read = read_otlp,
};
