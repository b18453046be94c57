/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The spans of one input, in columns: what OTLP, Jaeger and Zipkin have in common. Readers add
 * them one by one; span_tree.h puts them together and span_requests.h makes requests of them.
 *
 * Times are int64 nanoseconds since 1970. A span takes about 64 bytes; those few that say more
 * about a request (sizes, phases, Triton's time stamps) have a row in a second table. Names are
 * interned; ids and attributes of other kinds are not kept.
 */
#ifndef WEIR_READERS_SPANS_H
#define WEIR_READERS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/names.h"
#include "engine/base/slice.h"
#include "engine/model/profile.h"

#define WEIR_MAX_SPANS      (1u << 26)
#define WEIR_MAX_SPAN_NAMES 65536 /* further ones are called "other stages" */
#define WEIR_MAX_SPAN_NAME  200   /* bytes; longer names are cut */

enum weir_span_kind {
	WEIR_SPAN_UNSPECIFIED,
	WEIR_SPAN_INTERNAL,
	WEIR_SPAN_SERVER,
	WEIR_SPAN_CLIENT,
	WEIR_SPAN_PRODUCER,
	WEIR_SPAN_CONSUMER,
};

#define WEIR_SPAN_SHARED  1u /* carries the id of the client's span that called it (Zipkin) */
#define WEIR_SPAN_CODE    2u /* has code.* attributes: a span of the program's own functions */
#define WEIR_SPAN_DROPPED 4u /* an exact duplicate */
#define WEIR_SPAN_GENAI   8u /* has gen_ai.* attributes */

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

/* What a span says about its request; WEIR_SPAN_UNKNOWN where it does not. */
enum weir_span_figure {
	WEIR_FIGURE_BATCH,
	WEIR_FIGURE_TOKENS,        /* of the prompt, or all without padding */
	WEIR_FIGURE_PADDED_TOKENS, /* the same with padding */
	WEIR_FIGURE_OUTPUT_TOKENS,
	/* the following in ns */
	WEIR_FIGURE_FIRST_TOKEN, /* from the span's start */
	WEIR_FIGURE_QUEUE,
	WEIR_FIGURE_PREFILL,
	WEIR_FIGURE_DECODE,
	WEIR_FIGURE_INFERENCE, /* prefill and decode together */
	WEIR_FIGURE_E2E,
	WEIR_FIGURES
};

struct weir_span_details {
	int64_t figure[WEIR_FIGURES];
	uint32_t triton; /* row of the time stamps; WEIR_NONE: none */
};

struct weir_triton_times {
	int64_t at[WEIR_TRITON_EVENTS]; /* WEIR_SPAN_UNKNOWN: did not happen */
};

/* A span as a reader found it; weir_span_clear() first. */
struct weir_span {
	uint64_t trace[2];   /* high, low */
	uint64_t id, parent; /* parent 0: none */
	int64_t start_ns, end_ns;
	struct weir_slice name;  /* decoded; borrowed */
	struct weir_slice stage; /* what the attribute "stage" says; decoded, borrowed */
	uint32_t resource;
	uint8_t kind, flags;
	bool has_figures, has_triton;
	int64_t figure[WEIR_FIGURES];
	struct weir_triton_times triton;
	uint64_t byte; /* where it is, for warnings */
};

/* Who emitted spans. Hosts are kept as hashes: their names are private. */
struct weir_span_resource {
	uint32_t service; /* name; 0: unknown */
	uint64_t host;    /* 0: unknown */
};

struct weir_spans {
	struct weir_input *input; /* borrowed; takes the warnings */
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

	int64_t resolution_ns; /* of the format's times: children may stick out by as much */
	uint64_t found;        /* elements that are spans, usable or not */
};

/* Borrows the input. */
void weir_spans_init(struct weir_spans *spans, struct weir_input *input, int64_t resolution_ns);
void weir_spans_release(struct weir_spans *spans);

/* A row of its own for every call; all is unknown in it. */
uint32_t weir_spans_add_resource(struct weir_spans *spans);
/* The row added last, or the one before it where they say the same: it then goes. */
uint32_t weir_spans_settle_resource(struct weir_spans *spans);

void weir_span_clear(struct weir_span *span);
/* Adds a span, or leaves it out with a warning: without an id or a time, or with an end before its
 * start. WEIR_E_LIMIT beyond WEIR_MAX_SPANS. */
enum weir_status weir_spans_add(struct weir_spans *spans, const struct weir_span *span,
                                struct weir_error *err);

/* Ids: hexadecimal digits of either case, as many as the field holds or fewer; base64 of 8 or 16
 * bytes (Tempo). False for anything else and for 0, which is no id. */
bool weir_span_parse_trace(struct weir_slice text, uint64_t trace[2]);
bool weir_span_parse_id(struct weir_slice text, uint64_t *id);
/* Start and duration as decimal microseconds; what is no such number stays unknown. */
void weir_span_set_us(struct weir_span *span, struct weir_slice start, struct weir_slice duration);
/* "SPAN_KIND_SERVER", "SERVER", "server", "2"; WEIR_SPAN_UNSPECIFIED for anything else. */
enum weir_span_kind weir_span_parse_kind(struct weir_slice text);

#endif
