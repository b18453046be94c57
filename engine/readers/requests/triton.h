/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the reader of Triton's trace files (trace_mode triton). A file is read once into one
 * row a trace: a request, or a step of an ensemble. Requests are made of the rows then, because
 * fragments of a trace lie in any order and a step may come before the request it is part of.
 */
#ifndef WEIR_READERS_TRITON_H
#define WEIR_READERS_TRITON_H

#include "engine/base/error.h"
#include "engine/base/rowmap.h"
#include "engine/model/profile.h"

#define TRITON_MAX_TRACES (1u << 23)
#define TRITON_NO_TRACE   UINT32_MAX
#define TRITON_NO_TIME    (-1)

/* When a trace was where, in the order in which it goes through the server. */
enum triton_time {
	TRITON_ARRIVED,  /* HTTP: first byte; gRPC: the request was there */
	TRITON_RECEIVED, /* HTTP: last byte */
	TRITON_REQUEST_START,
	TRITON_QUEUE_START,
	TRITON_COMPUTE_START,
	TRITON_INPUT_END,
	TRITON_OUTPUT_START,
	TRITON_COMPUTE_END,
	TRITON_REQUEST_END,
	TRITON_SEND_START,
	TRITON_SEND_END,
	TRITON_TIMES
};

#define TRITON_TIMED    1u /* it has a timestamp */
#define TRITON_FRONTEND 2u /* it came through a frontend, and was to be answered there */
#define TRITON_HTTP     4u

struct triton_trace {
	uint64_t id;
	int64_t time[TRITON_TIMES]; /* ns of the server's steady clock; TRITON_NO_TIME */
	uint32_t parent;            /* row; TRITON_NO_TRACE */
	uint32_t array;             /* which of the arrays in the file it is in */
	uint32_t flags;
};

/* {0} is an empty table; release with weir_triton_release(). */
struct triton_traces {
	struct triton_trace *rows;
	size_t count, capacity;
	struct weir_rowmap map; /* by id and array */
	uint32_t last;          /* row found last: fragments of a trace mostly lie together */
};

/* A timestamp as one fragment gives it. */
struct triton_stamp {
	int64_t at_ns;
	int name; /* row of the table of names */
};

void weir_triton_release(struct triton_traces *traces);

/* The row of a trace, added where it is new; TRITON_NO_TRACE beyond TRITON_MAX_TRACES. */
uint32_t weir_triton_find(struct triton_traces *traces, uint64_t id, uint32_t array);
/*
 * A trace whose fragments lie in several arrays becomes one row, where they do not contradict each
 * other: servers count ids from 1, so that files of two of them share ids but nothing else.
 */
void weir_triton_join_arrays(struct triton_traces *traces);

/* The table of names: -1 for a name that is none of Triton's own. */
int weir_triton_stamp_name(const char *text, size_t len);
/* Takes over a timestamp; false where the trace had it already and it is one that comes once. */
bool weir_triton_stamp(struct triton_trace *trace, const struct triton_stamp *stamp);

/* Requests and their parts, out of all traces; input->requests must be there. What is not complete
 * is left out and counted. */
void weir_triton_requests(struct weir_input *input, const struct triton_traces *traces);

#endif
