/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spans as requests: one a root span, its parts the time of the spans below it. */
#ifndef WEIR_READERS_SPAN_REQUESTS_H
#define WEIR_READERS_SPAN_REQUESTS_H

#include "engine/base/error.h"
#include "engine/readers/requests/spans.h"

/*
 * Puts the spans together and gives their requests to the input; spans may be moved in it, see
 * span_tree.h. A part lies within its request: what a span does after the response is nobody's
 * waiting. Fails where no request comes of it, and says what the spans are instead; `hint` says
 * what to do about a file without any span.
 */
enum weir_status weir_span_requests_build(struct weir_spans *spans, const char *hint,
                                          struct weir_error *err);

#endif
