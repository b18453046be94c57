/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The two parts of the reader of Triton's trace files (trace_mode triton). triton.c reads a file
 * into one row per trace: a request, or a step of an ensemble. triton_requests.c turns the rows
 * into requests afterwards, because fragments of a trace lie in any order and a step may come
 * before its request.
 */
#ifndef WEIR_READERS_REQUESTS_TRITON_H
#define WEIR_READERS_REQUESTS_TRITON_H

#include "engine/base/rowmap.h"
#include "engine/model/profile.h"

#define TRITON_NO_TRACE UINT32_MAX
#define TRITON_NO_TIME  (-1)

/* The times of a trace, in the order in which it passes through the server. */
enum triton_time {
	TRITON_ARRIVED,  /* HTTP: first byte; gRPC: complete request */
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
#define TRITON_FRONTEND 2u /* a frontend received and answered it */
#define TRITON_HTTP     4u

struct triton_trace {
	uint64_t id;
	int64_t time[TRITON_TIMES]; /* ns of the server's steady clock; TRITON_NO_TIME */
	uint32_t parent;            /* row; TRITON_NO_TRACE */
	uint32_t array;             /* index of its array in the file */
	uint32_t flags;
};

struct triton_traces {
	struct triton_trace *rows;
	size_t count, capacity;
	struct weir_rowmap map; /* by id and array */
	uint32_t last;          /* row found last: fragments of a trace mostly lie together */
};

/* Adds requests and their parts to input->requests, which must exist. Incomplete traces are dropped
 * and counted as warnings. */
void weir_triton_requests(struct weir_input *input, const struct triton_traces *traces);

#endif
