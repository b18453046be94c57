/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The attributes, tags and events of spans that say something about a request, under every name
 * that programs give them: vLLM, SGLang, Triton, the GenAI conventions old and new, batch servers.
 */
#ifndef WEIR_READERS_SPAN_ATTRIBUTES_H
#define WEIR_READERS_SPAN_ATTRIBUTES_H

#include "engine/base/jsoncursor.h"
#include "engine/base/keyindex.h"
#include "engine/readers/requests/spans.h"

struct weir_span_keys {
	struct weir_keyindex attributes, events;
};

void weir_span_keys_init(struct weir_span_keys *keys);

/*
 * Takes one attribute with its value as it stands, a text without its quotes; others are passed
 * over. What is given twice counts once, the first time. Values that are no such number count as
 * not given.
 */
void weir_span_take_attribute(const struct weir_span_keys *keys, struct weir_slice key,
                              struct weir_slice value, struct weir_span *span);

/*
 * Walks attributes, the cursor on their value, and hands each to `take`, keys and texts with their
 * escapes as written: lists of {"key", "value"} with OTLP's typed values ({"intValue": "4"}) or
 * plain ones, and objects of keys and values.
 */
void weir_span_walk_attributes(struct weir_jsoncursor *cursor,
                               void (*take)(void *context, struct weir_slice key,
                                            struct weir_slice value),
                               void *context);

/* One of Triton's time stamps; other events are passed over. */
void weir_span_take_event(const struct weir_span_keys *keys, struct weir_slice name, int64_t at_ns,
                          struct weir_span *span);
/* An attribute of who emitted the span. */
void weir_span_take_resource(struct weir_spans *spans, uint32_t resource, struct weir_slice key,
                             struct weir_slice value);
/* Behind the last event: the span lasts as long as its time stamps say, where they do. */
void weir_span_fit_triton(struct weir_span *span);

#endif
