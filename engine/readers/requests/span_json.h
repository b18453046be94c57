/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads spans that are one JSON object each. A format brings a table of its keys; it takes those
 * fields itself that other formats do not have.
 */
#ifndef WEIR_READERS_REQUESTS_SPAN_JSON_H
#define WEIR_READERS_REQUESTS_SPAN_JSON_H

#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/readers/requests/span_requests.h"

/* Fields that formats share; those of one format begin at WEIR_SPAN_FIELDS. */
enum weir_span_field {
	WEIR_SPAN_FIELD_TRACE,
	WEIR_SPAN_FIELD_ID,
	WEIR_SPAN_FIELD_PARENT,
	WEIR_SPAN_FIELD_NAME,
	WEIR_SPAN_FIELD_KIND,
	WEIR_SPAN_FIELD_START,    /* microseconds */
	WEIR_SPAN_FIELD_DURATION, /* microseconds */
	WEIR_SPAN_FIELD_ATTRIBUTES,
	WEIR_SPAN_FIELDS,
};

struct weir_span_json;

struct weir_span_format {
	const struct weir_keyindex_entry *fields; /* ends with a NULL key */
	int64_t resolution_ns;
	bool any_ids; /* ids may be any text */
	/* Takes a field from WEIR_SPAN_FIELDS on, the cursor on its value. */
	void (*take)(struct weir_span_json *json, int field, struct weir_jsoncursor *cursor);
	/* Completes the span after its last field; may be NULL. */
	void (*finish)(struct weir_span_json *json);
};

struct weir_span_json {
	const struct weir_span_format *format;
	struct weir_spans spans;
	struct weir_span_keys keys;
	struct weir_keyindex fields;
	struct weir_span span;             /* that is being read */
	struct weir_slice start, duration; /* of it, as written */
	struct weir_text name, stage;      /* of it, decoded */
	void *reader;                      /* of the format; borrowed */
};

/* Borrows the input and the format. */
void weir_span_json_init(struct weir_span_json *json, struct weir_input *input,
                         const struct weir_span_format *format, void *reader);
void weir_span_json_release(struct weir_span_json *json);

/* Reads the fields of an object into the span, the cursor on the object. */
void weir_span_json_fields(struct weir_span_json *json, struct weir_jsoncursor *cursor);
/* Reads and adds the span under the cursor, which is at the byte `at`; adds nothing if the cursor
 * ends bad. */
enum weir_status weir_span_json_add(struct weir_span_json *json, struct weir_jsoncursor *cursor,
                                    uint64_t at, struct weir_error *err);
/* Reads and adds the span that is an element of a scan; rejects the element if it is not valid
 * JSON, and counts it as a warning if it is not an object. */
enum weir_status weir_span_json_element(struct weir_span_json *json, struct weir_jsonscan *scan,
                                        const struct weir_jsonscan_item *item,
                                        struct weir_error *err);
/* Calls weir_span_take_attribute() for the attributes under the cursor. */
void weir_span_json_attributes(struct weir_span_json *json, struct weir_jsoncursor *cursor);

/* Scans all documents of a source; `take` gets json->reader as its context. */
enum weir_status weir_span_json_scan(struct weir_span_json *json, struct weir_source *source,
                                     const struct weir_jsonscan_options *options,
                                     weir_jsonscan_taker take, struct weir_error *err);

#endif
