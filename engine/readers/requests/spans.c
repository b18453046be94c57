/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/arena.h"
#include "engine/base/hash.h"
#include "engine/base/rowmap.h"
#include "engine/base/text.h"
#include "engine/readers/requests/spans.h"

#define MAX_COUNT (INT64_C(1) << 40) /* of tokens or requests: a larger one is damaged */
#define MAX_NS    (INT64_C(1) << 53) /* 104 days */

/* Status codes of HTTP and gRPC. */
#define FIRST_CLIENT_ERROR 400
#define FIRST_SERVER_ERROR 500
#define LAST_HTTP_CODE     599
#define LAST_GRPC_CODE     16

static const char unnamed[] = "unnamed", overflow[] = "other stages";

void weir_spans_init(struct weir_spans *spans, struct weir_input *input, int64_t resolution_ns)
{
	*spans = (struct weir_spans){
		.input = input, .names = weir_names_new(), .resolution_ns = resolution_ns};
}

void weir_spans_release(struct weir_spans *spans)
{
	weir_names_free(spans->names);
	free(spans->trace_high);
	free(spans->trace_low);
	free(spans->id);
	free(spans->parent);
	free(spans->start_ns);
	free(spans->end_ns);
	free(spans->name);
	free(spans->resource);
	free(spans->details);
	free(spans->kind);
	free(spans->flags);
	free(spans->detail);
	free(spans->triton);
	free(spans->resources);
}

uint32_t weir_spans_add_resource(struct weir_spans *spans)
{
	spans->resources = weir_grow(spans->resources, &spans->resource_capacity,
	                             spans->resource_count + 1, sizeof *spans->resources);
	spans->resources[spans->resource_count] = (struct weir_span_resource){0};
	return (uint32_t)spans->resource_count++;
}

uint32_t weir_spans_settle_resource(struct weir_spans *spans)
{
	const struct weir_span_resource *last = &spans->resources[spans->resource_count - 1];

	if (spans->resource_count > 1 && last[-1].service == last->service &&
	    last[-1].host == last->host)
		spans->resource_count--;
	return (uint32_t)spans->resource_count - 1;
}

void weir_span_clear(struct weir_span *span)
{
	*span = (struct weir_span){.start_ns = WEIR_SPAN_UNKNOWN, .end_ns = WEIR_SPAN_UNKNOWN};
	span->outcome.http = span->outcome.grpc = WEIR_SPAN_UNKNOWN;
	for (int i = 0; i < WEIR_FIGURES; i++)
		span->figure[i] = WEIR_SPAN_UNKNOWN;
	for (int i = 0; i < WEIR_TRITON_EVENTS; i++)
		span->triton.at[i] = WEIR_SPAN_UNKNOWN;
}

static void reserve(struct weir_spans *spans, size_t need)
{
	size_t capacity = spans->capacity;

	if (need <= capacity)
		return;
	spans->trace_high = weir_grow(spans->trace_high, &capacity, need, sizeof(uint64_t));
	spans->trace_low = weir_realloc(spans->trace_low, capacity * sizeof(uint64_t));
	spans->id = weir_realloc(spans->id, capacity * sizeof(uint64_t));
	spans->parent = weir_realloc(spans->parent, capacity * sizeof(uint64_t));
	spans->start_ns = weir_realloc(spans->start_ns, capacity * sizeof(int64_t));
	spans->end_ns = weir_realloc(spans->end_ns, capacity * sizeof(int64_t));
	spans->name = weir_realloc(spans->name, capacity * sizeof(uint32_t));
	spans->resource = weir_realloc(spans->resource, capacity * sizeof(uint32_t));
	spans->details = weir_realloc(spans->details, capacity * sizeof(uint32_t));
	spans->kind = weir_realloc(spans->kind, capacity);
	spans->flags = weir_realloc(spans->flags, capacity);
	spans->capacity = capacity;
}

/* Returns the length of the name, cut between two UTF-8 characters. */
static size_t cut_length(struct weir_slice name)
{
	size_t length = name.length;

	if (length <= WEIR_MAX_SPAN_NAME)
		return length;
	length = WEIR_MAX_SPAN_NAME;
	while (length && ((unsigned char)name.data[length] & 0xc0) == 0x80)
		length--;
	return length;
}

static uint32_t add_name(struct weir_spans *spans, struct weir_slice name)
{
	size_t length = cut_length(name);

	if (!length)
		return weir_names_add(spans->names, unnamed, strlen(unnamed));
	if (weir_names_count(spans->names) < WEIR_MAX_SPAN_NAMES)
		return weir_names_add(spans->names, name.data, length);
	if (weir_names_find(spans->names, name.data, length) != UINT32_MAX)
		return weir_names_find(spans->names, name.data, length);
	return weir_names_add(spans->names, overflow, strlen(overflow));
}

static uint32_t add_details(struct weir_spans *spans, const struct weir_span *span)
{
	struct weir_span_details *details;

	if (!span->has_figures && !span->has_triton)
		return WEIR_NONE;
	spans->detail = weir_grow(spans->detail, &spans->detail_capacity, spans->detail_count + 1,
	                          sizeof *spans->detail);
	details = &spans->detail[spans->detail_count];
	memcpy(details->figure, span->figure, sizeof details->figure);
	details->triton = WEIR_NONE;
	if (span->has_triton) {
		spans->triton = weir_grow(spans->triton, &spans->triton_capacity,
		                          spans->triton_count + 1, sizeof *spans->triton);
		spans->triton[spans->triton_count] = span->triton;
		details->triton = (uint32_t)spans->triton_count++;
	}
	return (uint32_t)spans->detail_count++;
}

static bool is_usable(struct weir_spans *spans, const struct weir_span *span)
{
	struct weir_input *input = spans->input;

	if (!span->id || !(span->trace[0] | span->trace[1]))
		weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, span->byte,
		                "a span without a usable id");
	else if (span->start_ns < 0)
		weir_input_warn(input, WEIR_WARN_NO_TIME, span->byte, "a span without a start");
	else if (span->end_ns < 0)
		weir_input_warn(input, WEIR_WARN_UNFINISHED, span->byte, "a span without an end");
	else if (span->start_ns > WEIR_SPAN_MAX_NS || span->end_ns > WEIR_SPAN_MAX_NS)
		weir_input_warn(input, WEIR_WARN_NO_TIME, span->byte, "a time after the year 2115");
	else if (span->end_ns < span->start_ns)
		weir_input_warn(input, WEIR_WARN_NEGATIVE_DURATION, span->byte,
		                "a span that ends before it starts; left out");
	else
		return true;
	return false;
}

/*
 * True if the work of the span failed. A stated status decides; without one, codes of the protocol
 * do, by the rules of OpenTelemetry's conventions: a client's call failed from HTTP 400 on and with
 * any other gRPC status than OK, a server failed from HTTP 500 on and with the gRPC statuses that
 * are its own fault.
 */
static bool has_failed(const struct weir_span *span)
{
	/* UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS */
	static const unsigned own_faults =
		1u << 2 | 1u << 4 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15;
	const struct weir_span_outcome *outcome = &span->outcome;
	bool client = span->kind == WEIR_SPAN_CLIENT;

	if (outcome->ok || outcome->error)
		return !outcome->ok;
	if (outcome->http >= (client ? FIRST_CLIENT_ERROR : FIRST_SERVER_ERROR) &&
	    outcome->http <= LAST_HTTP_CODE)
		return true;
	if (outcome->grpc < 0 || outcome->grpc > LAST_GRPC_CODE)
		return false;
	return client ? outcome->grpc > 0 : own_faults >> outcome->grpc & 1;
}

enum weir_status weir_spans_add(struct weir_spans *spans, const struct weir_span *span,
                                struct weir_error *err)
{
	size_t row = spans->count;

	spans->found++;
	if (!is_usable(spans, span))
		return WEIR_OK;
	if (row == WEIR_MAX_SPANS)
		return weir_fail(err, WEIR_E_LIMIT, "more than %u spans: split the file by time",
		                 WEIR_MAX_SPANS);
	reserve(spans, row + 1);
	spans->trace_high[row] = span->trace[0];
	spans->trace_low[row] = span->trace[1];
	spans->id[row] = span->id;
	spans->parent[row] = span->parent;
	spans->start_ns[row] = span->start_ns;
	spans->end_ns[row] = span->end_ns;
	spans->name[row] = add_name(spans, span->stage.length ? span->stage : span->name);
	spans->resource[row] = span->resource;
	spans->details[row] = add_details(spans, span);
	spans->kind[row] = span->kind;
	spans->flags[row] = (uint8_t)(span->flags | (has_failed(span) ? WEIR_SPAN_FAILED : 0));
	spans->count++;
	return WEIR_OK;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool parse_hex(struct weir_slice text, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < text.length; i++) {
		int digit = hex_digit(text.data[i]);

		if (digit < 0)
			return false;
		value = value << 4 | (uint64_t)digit;
	}
	*out = value;
	return true;
}

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* Parses padded base64 (RFC 4648, either alphabet) of 8 * count bytes, most significant first. */
static bool parse_base64(struct weir_slice text, uint64_t *words, size_t count)
{
	size_t padding = count == 1 ? 1 : 2, bytes = 0;
	uint32_t bits = 0;

	if (text.length != (count == 1 ? 12 : 24))
		return false;
	for (size_t i = text.length - padding; i < text.length; i++)
		if (text.data[i] != '=')
			return false;
	memset(words, 0, count * sizeof *words);
	for (size_t i = 0; i < text.length - padding; i++) {
		int digit = base64_digit(text.data[i]);

		if (digit < 0)
			return false;
		bits = (bits << 6 | (uint32_t)digit) & 0xffffff;
		/* A byte is complete after the digits 1, 2 and 3 of each four. */
		if (i % 4 && bytes < 8 * count) {
			unsigned left = (unsigned)(6 - 2 * (i % 4));

			words[bytes / 8] = words[bytes / 8] << 8 | (bits >> left & 0xff);
			bytes++;
		}
	}
	return bytes == 8 * count;
}

bool weir_span_parse_trace(struct weir_slice text, uint64_t trace[2])
{
	size_t low = text.length < 16 ? text.length : 16;

	trace[0] = trace[1] = 0;
	if (parse_base64(text, trace, 2))
		return trace[0] | trace[1];
	trace[0] = trace[1] = 0;
	if (!text.length || text.length > 32)
		return false;
	return parse_hex((struct weir_slice){text.data, text.length - low}, &trace[0]) &&
	       parse_hex((struct weir_slice){text.data + text.length - low, low}, &trace[1]) &&
	       (trace[0] | trace[1]);
}

bool weir_span_parse_id(struct weir_slice text, uint64_t *id)
{
	*id = 0;
	if (parse_base64(text, id, 1))
		return *id != 0;
	*id = 0;
	return text.length && text.length <= 16 && parse_hex(text, id) && *id;
}

/* True if a text is longer than an id, or has other characters than hexadecimal digits. */
static bool is_other_text(struct weir_slice text, size_t most)
{
	if (!text.length || weir_slice_equals(text, "null"))
		return false;
	for (size_t i = 0; i < text.length; i++)
		if (!strchr("0123456789abcdefABCDEF", text.data[i]) || !text.data[i])
			return true;
	return text.length > most;
}

void weir_span_take_trace(struct weir_slice text, uint64_t trace[2])
{
	if (weir_span_parse_trace(text, trace) || !is_other_text(text, 32))
		return;
	trace[0] = weir_hash_stable(text.data, text.length, 1);
	trace[1] = weir_hash_stable(text.data, text.length, 2);
}

void weir_span_take_id(struct weir_slice text, uint64_t *id)
{
	if (!weir_span_parse_id(text, id) && is_other_text(text, 16))
		*id = weir_hash_stable(text.data, text.length, 1);
}

void weir_span_set_us(struct weir_span *span, struct weir_slice start, struct weir_slice duration)
{
	int64_t start_ns, length_ns;

	if (!weir_parse_us_as_ns(start.data, start.length, &start_ns) || start_ns < 0)
		return;
	span->start_ns = start_ns;
	if (!weir_parse_us_as_ns(duration.data, duration.length, &length_ns))
		return;
	span->end_ns = start_ns;
	if (length_ns < 0)
		span->end_ns = start_ns + (length_ns < -start_ns ? -start_ns : length_ns);
	else
		span->end_ns += length_ns < INT64_MAX - start_ns ? length_ns : INT64_MAX - start_ns;
}

enum weir_span_kind weir_span_parse_kind(struct weir_slice text)
{
	static const char *const prefixes[] = {"SPAN_KIND_", "SpanKind."};
	static const char *const kinds[] = {"unspecified", "internal", "server",
	                                    "client",      "producer", "consumer"};

	if (text.length == 1 && *text.data >= '0' && *text.data <= '5')
		return (enum weir_span_kind)(*text.data - '0');
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		size_t skip = strlen(prefixes[i]);

		if (text.length > skip && !strncasecmp(text.data, prefixes[i], skip))
			text = (struct weir_slice){text.data + skip, text.length - skip};
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (text.length == strlen(kinds[i]) &&
		    !strncasecmp(text.data, kinds[i], text.length))
			return (enum weir_span_kind)i;
	return WEIR_SPAN_UNSPECIFIED;
}

/* ---- attributes ---- */

/* Attributes that are not figures. */
enum {
	TAKE_STAGE = WEIR_FIGURES,
	TAKE_CODE,
	TAKE_ERROR,
	TAKE_STATUS,
	TAKE_HTTP,
	TAKE_GRPC,
};

static const struct weir_keyindex_entry attribute_keys[] = {
	{"batch.size", WEIR_FIGURE_BATCH},
	{"batch_size", WEIR_FIGURE_BATCH},
	{"gen_ai.request.batch_size", WEIR_FIGURE_BATCH},
	{"gen_ai.batch.size", WEIR_FIGURE_BATCH},
	{"inference.batch_size", WEIR_FIGURE_BATCH},
	{"llm.batch_size", WEIR_FIGURE_BATCH},
	{"tokens.effective", WEIR_FIGURE_TOKENS},
	{"tokens_effective", WEIR_FIGURE_TOKENS},
	{"tokens", WEIR_FIGURE_TOKENS},
	{"gen_ai.usage.input_tokens", WEIR_FIGURE_TOKENS},
	{"gen_ai.usage.prompt_tokens", WEIR_FIGURE_TOKENS},
	{"llm.usage.prompt_tokens", WEIR_FIGURE_TOKENS},
	{"tokens.padded", WEIR_FIGURE_PADDED_TOKENS},
	{"tokens_padded", WEIR_FIGURE_PADDED_TOKENS},
	{"padded_tokens", WEIR_FIGURE_PADDED_TOKENS},
	{"gen_ai.usage.output_tokens", WEIR_FIGURE_OUTPUT_TOKENS},
	{"gen_ai.usage.completion_tokens", WEIR_FIGURE_OUTPUT_TOKENS},
	{"llm.usage.completion_tokens", WEIR_FIGURE_OUTPUT_TOKENS},
	{"gen_ai.latency.time_to_first_token", WEIR_FIGURE_FIRST_TOKEN},
	{"gen_ai.response.time_to_first_chunk", WEIR_FIGURE_FIRST_TOKEN},
	{"gen_ai.latency.time_in_queue", WEIR_FIGURE_QUEUE},
	{"gen_ai.latency.time_in_model_prefill", WEIR_FIGURE_PREFILL},
	{"gen_ai.latency.time_in_model_decode", WEIR_FIGURE_DECODE},
	{"gen_ai.latency.time_in_model_inference", WEIR_FIGURE_INFERENCE},
	{"gen_ai.latency.e2e", WEIR_FIGURE_E2E},
	{"stage", TAKE_STAGE},
	{"weir.stage", TAKE_STAGE},
	{"code.function", TAKE_CODE},
	{"code.function.name", TAKE_CODE},
	{"error", TAKE_ERROR},
	{"error.type", TAKE_ERROR},
	{"otel.status_code", TAKE_STATUS},
	{"http.status_code", TAKE_HTTP},
	{"http.response.status_code", TAKE_HTTP},
	{"rpc.grpc.status_code", TAKE_GRPC},
	{"grpc.status_code", TAKE_GRPC},
	{0},
};

static const struct weir_keyindex_entry event_keys[] = {
	{"HTTP_RECV_START", WEIR_TRITON_HTTP_RECV_START},
	{"HTTP_RECV_END", WEIR_TRITON_HTTP_RECV_END},
	{"HTTP_SEND_START", WEIR_TRITON_HTTP_SEND_START},
	{"HTTP_SEND_END", WEIR_TRITON_HTTP_SEND_END},
	/* GRPC_WAITREAD_START precedes the request: the server is idle. */
	{"GRPC_WAITREAD_END", WEIR_TRITON_GRPC_WAITREAD_END},
	{"GRPC_SEND_START", WEIR_TRITON_GRPC_SEND_START},
	{"GRPC_SEND_END", WEIR_TRITON_GRPC_SEND_END},
	{"REQUEST_START", WEIR_TRITON_REQUEST_START},
	{"REQUEST_END", WEIR_TRITON_REQUEST_END},
	{"QUEUE_START", WEIR_TRITON_QUEUE_START},
	{"COMPUTE_START", WEIR_TRITON_COMPUTE_START},
	{"COMPUTE_INPUT_END", WEIR_TRITON_COMPUTE_INPUT_END},
	{"COMPUTE_OUTPUT_START", WEIR_TRITON_COMPUTE_OUTPUT_START},
	{"COMPUTE_END", WEIR_TRITON_COMPUTE_END},
	{0},
};

void weir_span_keys_init(struct weir_span_keys *keys)
{
	weir_keyindex_init(&keys->attributes, attribute_keys);
	weir_keyindex_init(&keys->events, event_keys);
}

/* Parses a count, written as 4, "4" or 4.0; WEIR_SPAN_UNKNOWN for anything else. */
static int64_t count_of(struct weir_slice value)
{
	int64_t count;
	double number;

	if (weir_parse_i64(value.data, value.length, &count))
		return count >= 0 && count <= MAX_COUNT ? count : WEIR_SPAN_UNKNOWN;
	if (!weir_parse_double(value.data, value.length, &number) || !(number >= 0) ||
	    !(number <= (double)MAX_COUNT) || number != (double)(int64_t)number)
		return WEIR_SPAN_UNKNOWN;
	return (int64_t)number;
}

/* Parses seconds into ns. */
static int64_t time_of(struct weir_slice value)
{
	int64_t ns;

	if (!weir_parse_s_as_ns(value.data, value.length, &ns) || ns < 0 || ns > MAX_NS)
		return WEIR_SPAN_UNKNOWN;
	return ns;
}

void weir_span_take_status(struct weir_span *span, struct weir_slice status)
{
	static const char prefix[] = "STATUS_CODE_";
	const size_t skip = strlen(prefix);

	if (weir_slice_starts(status, prefix))
		status = (struct weir_slice){status.data + skip, status.length - skip};
	span->outcome.ok |= weir_slice_equals(status, "OK") || weir_slice_equals(status, "1");
	span->outcome.error |= weir_slice_equals(status, "ERROR") || weir_slice_equals(status, "2");
}

/* Takes an attribute that tells of the result. The tag "error" of Zipkin is the message, which may
 * be empty. */
static void take_outcome(struct weir_span_outcome *outcome, int what, struct weir_slice value)
{
	int64_t *code = what == TAKE_HTTP ? &outcome->http : &outcome->grpc;

	if (what == TAKE_ERROR)
		outcome->error |= !weir_slice_equals(value, "false") &&
		                  !weir_slice_equals(value, "null") &&
		                  !weir_slice_equals(value, "0");
	else if (*code == WEIR_SPAN_UNKNOWN)
		*code = count_of(value);
}

void weir_span_take_attribute(const struct weir_span_keys *keys, struct weir_slice key,
                              struct weir_slice value, struct weir_span *span)
{
	int what = weir_keyindex_find(&keys->attributes, key);

	if (weir_slice_starts(key, "gen_ai."))
		span->flags |= WEIR_SPAN_GENAI;
	if (what == TAKE_STATUS)
		weir_span_take_status(span, value);
	else if (what >= TAKE_ERROR)
		take_outcome(&span->outcome, what, value);
	if (what < 0 || what >= TAKE_ERROR || !value.length)
		return;
	if (what == TAKE_STAGE) {
		if (!span->stage.length)
			span->stage = value;
	} else if (what == TAKE_CODE) {
		span->flags |= WEIR_SPAN_CODE;
	} else if (span->figure[what] == WEIR_SPAN_UNKNOWN) {
		span->figure[what] =
			what >= WEIR_FIGURE_FIRST_TOKEN ? time_of(value) : count_of(value);
		span->has_figures |= span->figure[what] != WEIR_SPAN_UNKNOWN;
	}
}

/* Streams send several times: the first start and the last end count. */
void weir_span_take_event(const struct weir_span_keys *keys, struct weir_slice name, int64_t at_ns,
                          struct weir_span *span)
{
	int event = weir_keyindex_find(&keys->events, name);
	int64_t *at;
	bool is_start;

	if (event < 0 || at_ns < 0)
		return;
	at = &span->triton.at[event];
	is_start = weir_slice_equals((struct weir_slice){name.data + name.length - 5, 5}, "START");
	if (*at == WEIR_SPAN_UNKNOWN || (is_start ? at_ns < *at : at_ns > *at))
		*at = at_ns;
	span->has_triton = true;
}

void weir_span_take_resource(struct weir_spans *spans, uint32_t resource, struct weir_slice key,
                             struct weir_slice value)
{
	static const char *const hosts[] = {"host.name", "host.id", "hostname", "ip"};
	struct weir_span_resource *row = &spans->resources[resource];

	if (!value.length)
		return;
	if (weir_slice_equals(key, "service.name")) {
		row->service = weir_names_add(
			spans->names, value.data,
			value.length < WEIR_MAX_SPAN_NAME ? value.length : WEIR_MAX_SPAN_NAME);
		return;
	}
	for (size_t i = 0; !row->host && i < sizeof hosts / sizeof *hosts; i++)
		if (weir_slice_equals(key, hosts[i]))
			row->host = weir_hash_stable(value.data, value.length, i) | 1;
}

/* Uses the outermost pair of time stamps, those of a frontend first. */
void weir_span_fit_triton(struct weir_span *span)
{
	static const struct {
		enum weir_triton_event start, end;
	} pairs[] = {
		{WEIR_TRITON_HTTP_RECV_START, WEIR_TRITON_HTTP_SEND_END},
		{WEIR_TRITON_GRPC_WAITREAD_END, WEIR_TRITON_GRPC_SEND_END},
		{WEIR_TRITON_REQUEST_START, WEIR_TRITON_REQUEST_END},
		{WEIR_TRITON_COMPUTE_START, WEIR_TRITON_COMPUTE_END},
	};

	if (!span->has_triton)
		return;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		int64_t start = span->triton.at[pairs[i].start],
			end = span->triton.at[pairs[i].end];

		if (start < 0 || end < start)
			continue;
		span->start_ns = start;
		span->end_ns = end;
		return;
	}
}

/* Returns a plain value, or the first member of a typed one; lists and empty values are empty. */
static struct weir_slice walk_value(struct weir_jsoncursor *cursor)
{
	struct weir_slice key, value = {0};

	if (weir_jsoncursor_peek(cursor) != '{')
		return weir_jsoncursor_scalar(cursor);
	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice member = weir_jsoncursor_scalar(cursor);

		value = value.length ? value : member;
	}
	return value;
}

/* Walks {"key": "batch.size", "value": {"intValue": "4"}}, in either order. */
static void walk_pair(struct weir_jsoncursor *cursor,
                      void (*take)(void *context, struct weir_slice key, struct weir_slice value),
                      void *context)
{
	struct weir_slice member, key = {0}, value = {0};

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &member)) {
		if (weir_slice_equals(member, "key"))
			key = weir_jsoncursor_scalar(cursor);
		else if (weir_slice_equals(member, "value"))
			value = walk_value(cursor);
		else
			weir_jsoncursor_take(cursor);
	}
	if (key.length && !cursor->bad)
		take(context, key, value);
}

void weir_span_walk_attributes(struct weir_jsoncursor *cursor,
                               void (*take)(void *context, struct weir_slice key,
                                            struct weir_slice value),
                               void *context)
{
	struct weir_slice key;

	if (weir_jsoncursor_peek(cursor) == '{') {
		weir_jsoncursor_enter(cursor, '{');
		while (weir_jsoncursor_key(cursor, &key)) {
			struct weir_slice value = walk_value(cursor);

			if (key.length && !cursor->bad)
				take(context, key, value);
		}
		return;
	}
	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	while (weir_jsoncursor_item(cursor))
		walk_pair(cursor, take, context);
}
