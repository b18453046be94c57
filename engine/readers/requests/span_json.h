/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A span that is one flat JSON object with times in microseconds, as Jaeger and Zipkin write it:
 * what their readers have in common. A format says by which keys its fields go; fields of its own
 * it takes itself.
 */
#ifndef WEIR_READERS_SPAN_JSON_H
#define WEIR_READERS_SPAN_JSON_H

#include "engine/base/jsonscan.h"
#include "engine/readers/requests/span_attributes.h"
#include "engine/readers/requests/span_requests.h"

/* Fields that both have; a format's own begin at WEIR_SPAN_FIELDS. */
enum weir_span_field {
	WEIR_SPAN_FIELD_TRACE,
	WEIR_SPAN_FIELD_ID,
	WEIR_SPAN_FIELD_PARENT,
	WEIR_SPAN_FIELD_NAME,
	WEIR_SPAN_FIELD_START,
	WEIR_SPAN_FIELD_DURATION,
	WEIR_SPAN_FIELDS,
};

struct weir_span_json {
	struct weir_spans spans;
	struct weir_span_keys keys;
	struct weir_keyindex fields;
	struct weir_span span;             /* that is being read */
	struct weir_slice start, duration; /* of it, as they stand */
	struct weir_text name, stage;      /* of it, where they had to be decoded */
};

/* Borrows the input and the table of keys, which ends with a NULL key. */
void weir_span_json_init(struct weir_span_json *json, struct weir_input *input,
                         const struct weir_keyindex_entry *field_keys);
void weir_span_json_release(struct weir_span_json *json);

/* Forgets the span at hand; `at` is the byte of the next one. */
void weir_span_json_begin(struct weir_span_json *json, uint64_t at);
/* Takes a field below WEIR_SPAN_FIELDS; others are passed over. The value is borrowed until
 * weir_span_json_add(). */
void weir_span_json_take(struct weir_span_json *json, int field, struct weir_slice value);
/* Adds the span at hand. */
enum weir_status weir_span_json_add(struct weir_span_json *json, struct weir_error *err);
/* Counts an element that is no span. */
void weir_span_json_skip(struct weir_span_json *json, uint64_t at);

/* How a document of spans is walked. */
struct weir_span_document {
	struct weir_jsonscan_options options;
	weir_jsonscan_taker take;
	const char *hint; /* what was expected, where there is no span */
};

/* Walks the document, then makes requests of the spans. `context` is handed to `take`. */
enum weir_status weir_span_json_read(struct weir_span_json *json, struct weir_source *source,
                                     const struct weir_span_document *document, void *context,
                                     struct weir_error *err);

#endif
