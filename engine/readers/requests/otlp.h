/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the reader of OTLP JSON: documents, one span of them, records with a length in
 * front. */
#ifndef WEIR_READERS_OTLP_H
#define WEIR_READERS_OTLP_H

#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/readers/requests/span_attributes.h"

#define OTLP_MAX_RECORD WEIR_JSONSCAN_MAX_VALUE /* bytes of one record with a length in front */

struct otlp_reader {
	struct weir_spans spans;
	struct weir_span_keys keys;
	struct weir_keyindex fields;
	struct weir_span span;        /* the one that is read */
	struct weir_text name, stage; /* what escapes in its texts are resolved into */
	uint32_t resource;            /* of the spans at hand; WEIR_NONE: nothing is said of it */
	bool has_metrics, has_logs;
};

void weir_otlp_span_init(struct otlp_reader *reader);
/* Adds the span that an element holds; *bad where it is no JSON: it is to be rejected. */
enum weir_status weir_otlp_read_span(struct otlp_reader *reader,
                                     const struct weir_jsonscan_item *item, bool *bad,
                                     struct weir_error *err);
/* Who emitted the spans that follow: a member "resource". */
void weir_otlp_read_resource(struct otlp_reader *reader, const struct weir_jsonscan_item *item);

/* All documents of a source. */
enum weir_status weir_otlp_read_documents(struct otlp_reader *reader, struct weir_source *source,
                                          struct weir_error *err);

/* How the Collector's file exporter puts lengths in front of its records; the first is what it
 * does for zstd and protobuf, the second is what one old version did. */
enum otlp_framing {
	OTLP_UNFRAMED,
	OTLP_BINARY_LENGTHS,  /* 4 bytes, the most significant first */
	OTLP_DECIMAL_LENGTHS, /* digits and the end of a line */
};

enum otlp_framing weir_otlp_framing(const char *head, size_t len);
/* All documents of all records, each of which may be compressed on its own. */
enum weir_status weir_otlp_read_records(struct otlp_reader *reader, struct weir_source *source,
                                        enum otlp_framing framing, struct weir_error *err);

#endif
