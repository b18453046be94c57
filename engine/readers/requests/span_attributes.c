/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/rowmap.h"
#include "engine/base/text.h"
#include "engine/readers/requests/span_attributes.h"

#define MAX_COUNT (INT64_C(1) << 40) /* of tokens or requests: more is no such count */
#define MAX_NS    (INT64_C(1) << 53) /* 104 days */

/* What is no figure comes behind the figures. */
enum {
	TAKE_STAGE = WEIR_FIGURES,
	TAKE_CODE,
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
	{0},
};

static const struct weir_keyindex_entry event_keys[] = {
	{"HTTP_RECV_START", WEIR_TRITON_HTTP_RECV_START},
	{"HTTP_RECV_END", WEIR_TRITON_HTTP_RECV_END},
	{"HTTP_SEND_START", WEIR_TRITON_HTTP_SEND_START},
	{"HTTP_SEND_END", WEIR_TRITON_HTTP_SEND_END},
	/* GRPC_WAITREAD_START is idle time before there is a request. */
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

/* A count, whether it is written as 4, "4" or 4.0; WEIR_SPAN_UNKNOWN for anything else. */
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

/* Seconds as ns. */
static int64_t time_of(struct weir_slice value)
{
	int64_t ns;

	if (!weir_parse_s_as_ns(value.data, value.length, &ns) || ns < 0 || ns > MAX_NS)
		return WEIR_SPAN_UNKNOWN;
	return ns;
}

void weir_span_take_attribute(const struct weir_span_keys *keys, struct weir_slice key,
                              struct weir_slice value, struct weir_span *span)
{
	int what = weir_keyindex_find(&keys->attributes, key);

	if (weir_slice_starts(key, "gen_ai."))
		span->flags |= WEIR_SPAN_GENAI;
	if (what < 0 || !value.length)
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

/* Streams send more than once: the first start and the last end count. */
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
			row->host = weir_rowmap_hash_text(value.data, value.length, i) | 1;
}

/* The outermost pairs of time stamps, a frontend's first; triton.md 1.4. */
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

/* A plain value, or the first of the members of a typed one; lists and empty values are empty. */
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

/* {"key": "batch.size", "value": {"intValue": "4"}}, in either order. */
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
