/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Joins the spans of a trace whose root is missing: a trace is one request, but a file may hold
 * only the spans below its root, or spans that never named their parent.
 */
#ifndef WEIR_READERS_REQUESTS_SPAN_JOIN_H
#define WEIR_READERS_REQUESTS_SPAN_JOIN_H

#include "engine/readers/requests/spans.h"

/* A trace with more roots than this is never one request. */
#define WEIR_SPAN_MAX_JOINED 64

/*
 * Adds a root above several roots of one trace if they overlap in time, have different names (or
 * services) and at most one of them is a request by itself: a span of a server or consumer, or one
 * with figures of a request. Other traces with several roots keep them. Both are counted in the
 * warnings. `roots` holds the rows of roots in order of their trace; `*parent` has a place for
 * each span and may be moved; places of new spans are added at its end.
 */
void weir_span_join_roots(struct weir_spans *spans, const uint32_t *roots, size_t count,
                          uint32_t **parent);

#endif
