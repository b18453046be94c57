/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace as bytes, and back, without a loss: an analysis of the trace that was read back gives the
 * same bytes. The bytes are small after compression (planes.h), some three an event. */
#ifndef WEIR_PART_TRACE_PACK_H
#define WEIR_PART_TRACE_PACK_H

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/model/trace.h"

/* Appends the trace, without its flows, which only its reader needs. */
void weir_trace_pack(const struct weir_trace *trace, struct weir_text *out);

/* Makes a trace from bytes that weir_trace_pack() wrote; the caller frees it. WEIR_E_FORMAT: the
 * bytes are damaged; every id and row number of a trace that is returned is in range. */
enum weir_status weir_trace_unpack(const void *data, size_t length, struct weir_trace **out,
                                   struct weir_error *err);

#endif
