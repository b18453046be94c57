/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns spans into requests: one per root span, its parts the time of the spans below it. */
#ifndef WEIR_READERS_REQUESTS_SPAN_REQUESTS_H
#define WEIR_READERS_REQUESTS_SPAN_REQUESTS_H

#include "engine/base/error.h"
#include "engine/readers/requests/spans.h"

/*
 * Links the spans to trees and gives the input a request for each; may move spans in time, see
 * span_tree.h. Parts lie within their request. Fails if there is no request, and says what the
 * spans are instead; `hint` says what to do about a file without any span.
 */
enum weir_status weir_span_requests_build(struct weir_spans *spans, const char *hint,
                                          struct weir_error *err);

#endif
