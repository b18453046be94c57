/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The requests of one run in columns: start and end, tokens and batch size, and the parts of their
 * time ("tokenize", "queue", "compute"). Readers fill them and judge nothing.
 *
 * Times are int64 nanoseconds on the clock that `time_base` names. Parts are kept in one long list:
 * request i owns part_count[i] of them, starting at part_first[i]. A part either states its start
 * (from the request's start), or the parts of its request lie end to end in their order; one table
 * holds one kind only (part_offset_ns is NULL for the second). A requests table owns everything in
 * it. Texts of requests (ids, prompts) are private and are not kept.
 */
#ifndef WEIR_MODEL_REQUESTS_H
#define WEIR_MODEL_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/names.h"

/* Further names of parts share one stage, "other stages". */
#define WEIR_MAX_REQUEST_STAGES 256
#define WEIR_MAX_REQUEST_PARTS  4096 /* parts of one request; more are left out */

#define WEIR_UNKNOWN_COUNT (-1)

enum weir_time_base {
	WEIR_TIME_NONE,      /* durations only: start times have no meaning, not even their order */
	WEIR_TIME_UNIX,      /* nanoseconds since 1970 UTC */
	WEIR_TIME_MONOTONIC, /* monotonic clock of one host: order and differences, no date */
};

/* One request as a reader passes it; begin with weir_request_unknown(). */
struct weir_request {
	int64_t start_ns, end_ns; /* start <= end */
	int64_t batch_size;       /* size of the batch that it was part of; -1: unknown */
	int64_t tokens; /* computed tokens without padding; prompt tokens only, if output tokens are
	                   counted separately; -1: unknown */
	int64_t padded_tokens;  /* computed tokens with padding; -1: unknown */
	int64_t output_tokens;  /* generated tokens; -1: unknown */
	int64_t first_token_ns; /* from start_ns; -1: unknown */
};

struct weir_requests {
	enum weir_time_base time_base;
	bool sampled; /* a sample of the requests: rates and waiting times are not valid */
	bool client;  /* measured at the client: parts include the network and the whole server */
	uint64_t failed; /* requests without a response, which are not rows */
	bool all_failed; /* none was answered: the rows are the failed ones, and `failed` is 0 */
	double requested_per_s, duration_s; /* as stated by the load generator; NAN: unknown */

	size_t count, capacity;
	int64_t *start_ns, *end_ns;
	int32_t *batch_size; /* -1: unknown, also in the next three */
	int64_t *tokens, *padded_tokens, *output_tokens;
	int64_t *first_token_ns;
	uint64_t *part_first;
	uint16_t *part_count;

	size_t parts, part_capacity, offset_capacity;
	uint8_t *part_stage;     /* row of `stages` */
	int64_t *part_ns;        /* duration */
	int64_t *part_offset_ns; /* from the request's start; NULL: parts lie end to end */

	struct weir_names *names;
	uint32_t stages[WEIR_MAX_REQUEST_STAGES]; /* name ids in order of first appearance */
	size_t stage_count;
};

struct weir_requests *weir_requests_new(void);
void weir_requests_free(struct weir_requests *requests);

/* Returns a request with all counts unknown and times of 0. */
struct weir_request weir_request_unknown(void);

/* Finds or adds the row of a stage. Rows are stable. */
uint8_t weir_requests_stage(struct weir_requests *requests, const char *name, size_t len);
const char *weir_requests_stage_name(const struct weir_requests *requests, size_t stage);

/* Adds a part of the request that the next weir_requests_add() adds. */
void weir_requests_add_part(struct weir_requests *requests, uint8_t stage, int64_t duration_ns);
/* Adds a part that states its start. One table cannot mix the two kinds. */
void weir_requests_add_part_at(struct weir_requests *requests, uint8_t stage, int64_t offset_ns,
                               int64_t duration_ns);
/* Adds a request, which takes the parts added since the last call. */
void weir_requests_add(struct weir_requests *requests, const struct weir_request *request);
/* Drops the parts added since the last weir_requests_add(): their request is left out. */
void weir_requests_drop_parts(struct weir_requests *requests);

/* Adds all rows of another table; rows of failed requests are only counted, unless the first table
 * has such rows as well. Either both state the starts of parts, or neither does. Call
 * weir_requests_finish() after the last one. */
void weir_requests_append(struct weir_requests *requests, const struct weir_requests *from);

/* Sorts the rows by start, then end, then order of arrival. Call it once, after the last row. */
void weir_requests_finish(struct weir_requests *requests);

#endif
