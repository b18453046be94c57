/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The spans of one input, in columns: the common form of OTLP, Jaeger and Zipkin. Readers add them
 * one by one, span_tree.h links them to trees, and span_requests.h turns trees into requests.
 *
 * Times are int64 nanoseconds since 1970. A span takes about 64 bytes; the few that describe a
 * request (sizes, phases, Triton's time stamps) have a row in a second table. Names are interned.
 * Request ids and other attributes are not kept.
 */
#ifndef WEIR_READERS_REQUESTS_SPANS_H
#define WEIR_READERS_REQUESTS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/keyindex.h"
#include "engine/base/names.h"
#include "engine/base/slice.h"
#include "engine/model/profile.h"

#define WEIR_MAX_SPANS      (1u << 26)
#define WEIR_MAX_SPAN_NAMES 65536 /* further names become "other stages" */
#define WEIR_MAX_SPAN_NAME  200   /* bytes; longer names are cut */

enum weir_span_kind {
	WEIR_SPAN_UNSPECIFIED,
	WEIR_SPAN_INTERNAL,
	WEIR_SPAN_SERVER,
	WEIR_SPAN_CLIENT,
	WEIR_SPAN_PRODUCER,
	WEIR_SPAN_CONSUMER,
};

#define WEIR_SPAN_SHARED  1u  /* has the id of the client's span that called it (Zipkin) */
#define WEIR_SPAN_CODE    2u  /* has code.* attributes: a span of the program's own functions */
#define WEIR_SPAN_DROPPED 4u  /* an exact duplicate */
#define WEIR_SPAN_GENAI   8u  /* has gen_ai.* attributes */
#define WEIR_SPAN_FAILED  16u /* its work failed; set by weir_spans_add() */

/* Triton's time stamps (server tracing, mode opentelemetry), as span events. */
enum weir_triton_event {
	WEIR_TRITON_HTTP_RECV_START,
	WEIR_TRITON_HTTP_RECV_END,
	WEIR_TRITON_HTTP_SEND_START,
	WEIR_TRITON_HTTP_SEND_END,
	WEIR_TRITON_GRPC_WAITREAD_END,
	WEIR_TRITON_GRPC_SEND_START,
	WEIR_TRITON_GRPC_SEND_END,
	WEIR_TRITON_REQUEST_START,
	WEIR_TRITON_REQUEST_END,
	WEIR_TRITON_QUEUE_START,
	WEIR_TRITON_COMPUTE_START,
	WEIR_TRITON_COMPUTE_INPUT_END,
	WEIR_TRITON_COMPUTE_OUTPUT_START,
	WEIR_TRITON_COMPUTE_END,
	WEIR_TRITON_EVENTS
};

#define WEIR_SPAN_MAX_NS  (INT64_C(1) << 62) /* sums of a few times stay in range */
#define WEIR_SPAN_UNKNOWN (-1)

/* Figures of a request in attributes of its spans; WEIR_SPAN_UNKNOWN: not given. */
enum weir_span_figure {
	WEIR_FIGURE_BATCH,
	WEIR_FIGURE_TOKENS,        /* of the prompt, or of the batch; without padding */
	WEIR_FIGURE_PADDED_TOKENS, /* the same, with padding */
	WEIR_FIGURE_OUTPUT_TOKENS,
	/* from here on in ns */
	WEIR_FIGURE_FIRST_TOKEN, /* from the span's start */
	WEIR_FIGURE_QUEUE,
	WEIR_FIGURE_PREFILL,
	WEIR_FIGURE_DECODE,
	WEIR_FIGURE_INFERENCE, /* prefill and decode */
	WEIR_FIGURE_E2E,
	WEIR_FIGURES
};

struct weir_span_details {
	int64_t figure[WEIR_FIGURES];
	uint32_t triton; /* row of the time stamps; WEIR_NONE: no row */
};

struct weir_triton_times {
	int64_t at[WEIR_TRITON_EVENTS]; /* WEIR_SPAN_UNKNOWN: did not happen */
};

/* The result of a span, as its attributes and its status state it. */
struct weir_span_outcome {
	bool ok;            /* the status is OK: an error that was handled does not count */
	bool error;         /* the status is an error, or an attribute names one */
	int64_t http, grpc; /* status codes; WEIR_SPAN_UNKNOWN: not given */
};

/* A span that a reader is filling; begin with weir_span_clear(). */
struct weir_span {
	uint64_t trace[2];   /* high, low */
	uint64_t id, parent; /* parent 0: no parent */
	int64_t start_ns, end_ns;
	struct weir_slice name;  /* decoded; borrowed */
	struct weir_slice stage; /* of the attribute "stage"; decoded, borrowed */
	uint32_t resource;
	uint8_t kind, flags;
	bool has_figures, has_triton;
	struct weir_span_outcome outcome;
	int64_t figure[WEIR_FIGURES];
	struct weir_triton_times triton;
	uint64_t byte; /* position in the file, for warnings */
};

/* The emitter of spans. Host names are private and kept as hashes. */
struct weir_span_resource {
	uint32_t service; /* name; 0: unknown */
	uint64_t host;    /* 0: unknown */
};

struct weir_spans {
	struct weir_input *input; /* borrowed; receives the warnings */
	struct weir_names *names;
	size_t count, capacity;
	uint64_t *trace_high, *trace_low, *id, *parent;
	int64_t *start_ns, *end_ns;
	uint32_t *name, *resource, *details; /* details: WEIR_NONE or a row of `detail` */
	uint8_t *kind, *flags;

	struct weir_span_details *detail;
	size_t detail_count, detail_capacity;
	struct weir_triton_times *triton;
	size_t triton_count, triton_capacity;
	struct weir_span_resource *resources;
	size_t resource_count, resource_capacity;

	int64_t resolution_ns; /* of the format's times: children may exceed parents by it */
	uint64_t found;        /* spans in the file, usable or not */
};

/* Borrows the input. */
void weir_spans_init(struct weir_spans *spans, struct weir_input *input, int64_t resolution_ns);
void weir_spans_release(struct weir_spans *spans);

/* Adds a row in which everything is unknown. */
uint32_t weir_spans_add_resource(struct weir_spans *spans);
/* Returns the last row; drops it, and returns the one before, if both are equal. */
uint32_t weir_spans_settle_resource(struct weir_spans *spans);

void weir_span_clear(struct weir_span *span);
/* Adds a span. Drops it with a warning if it has no id or no time, or if it ends before it starts.
 * WEIR_E_LIMIT beyond WEIR_MAX_SPANS. */
enum weir_status weir_spans_add(struct weir_spans *spans, const struct weir_span *span,
                                struct weir_error *err);

/* Parse ids: hexadecimal digits of either case, at most the size of the field, or base64 of 8 or 16
 * bytes (Tempo). Return false for anything else, and for 0, which is not an id. */
bool weir_span_parse_trace(struct weir_slice text, uint64_t trace[2]);
bool weir_span_parse_id(struct weir_slice text, uint64_t *id);
/* The same for formats whose writers choose any text: one that cannot be an id in digits gives its
 * hash. */
void weir_span_take_trace(struct weir_slice text, uint64_t trace[2]);
void weir_span_take_id(struct weir_slice text, uint64_t *id);
/* Sets start and end from decimal microseconds; malformed numbers leave them unknown. */
void weir_span_set_us(struct weir_span *span, struct weir_slice start, struct weir_slice duration);
/* Takes the status of a span: "STATUS_CODE_ERROR", "ERROR", "2"; "OK" likewise. */
void weir_span_take_status(struct weir_span *span, struct weir_slice status);
/* Parses "SPAN_KIND_SERVER", "SERVER", "server", "2"; WEIR_SPAN_UNSPECIFIED for anything else. */
enum weir_span_kind weir_span_parse_kind(struct weir_slice text);

/* ---- attributes, tags and events that describe a request, under every name that programs give
 * them: vLLM, SGLang, Triton, the GenAI conventions old and new, batch servers ---- */

struct weir_span_keys {
	struct weir_keyindex attributes, events;
};

void weir_span_keys_init(struct weir_span_keys *keys);

/* Takes an attribute that describes the request, its value as written, without quotes. The first of
 * several values counts; malformed numbers count as not given. */
void weir_span_take_attribute(const struct weir_span_keys *keys, struct weir_slice key,
                              struct weir_slice value, struct weir_span *span);

/*
 * Calls `take` for each attribute, the cursor on the attributes; texts have their escapes as
 * written. Attributes are a list of {"key", "value"} with OTLP's typed values ({"intValue": "4"})
 * or plain ones, or an object of keys and values.
 */
void weir_span_walk_attributes(struct weir_jsoncursor *cursor,
                               void (*take)(void *context, struct weir_slice key,
                                            struct weir_slice value),
                               void *context);

/* Takes an event that is one of Triton's time stamps; ignores others. */
void weir_span_take_event(const struct weir_span_keys *keys, struct weir_slice name, int64_t at_ns,
                          struct weir_span *span);
/* Takes an attribute of the emitter of spans. */
void weir_span_take_resource(struct weir_spans *spans, uint32_t resource, struct weir_slice key,
                             struct weir_slice value);
/* Sets start and end from Triton's time stamps, if there are any. Call it after the last event. */
void weir_span_fit_triton(struct weir_span *span);

#endif
