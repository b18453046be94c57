/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The requests of one run as a reader found them, in columns: when each came and ended, what it
 * carried, and the parts of its time ("tokenize", "queue", "compute"). Nothing here is judged.
 *
 * Times are int64 nanoseconds on the clock that `time_base` names. Parts are kept in one long list:
 * request i owns part_count[i] of them from part_first[i] on. A part either states where it starts
 * (from the request's start), or the parts of its request lie end to end in their order; one table
 * holds one kind only (part_offset_ns is NULL for the second). A requests table owns everything in
 * it. Texts of requests (ids, prompts) are not kept: they are private.
 */
#ifndef WEIR_MODEL_REQUESTS_H
#define WEIR_MODEL_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/names.h"

/* Names of parts beyond so many become one, "other stages". */
#define WEIR_MAX_REQUEST_STAGES 256
#define WEIR_MAX_REQUEST_PARTS  4096 /* of one request; more are left out */

#define WEIR_UNKNOWN_COUNT (-1)

enum weir_time_base {
	WEIR_TIME_NONE,      /* durations only: starts say nothing, not even the order */
	WEIR_TIME_UNIX,      /* nanoseconds since 1970 UTC */
	WEIR_TIME_MONOTONIC, /* of one host: order and distances, no date */
};

/* What a reader says of one request; weir_request_unknown() first. */
struct weir_request {
	int64_t start_ns, end_ns; /* start <= end */
	int64_t batch_size;       /* requests in the execution it was part of; -1: unknown */
	int64_t tokens;           /* computed for it without padding: of the prompt where output is
	                             counted apart; -1: unknown */
	int64_t padded_tokens;    /* the same with padding; -1: unknown */
	int64_t output_tokens;    /* generated; -1: unknown */
	int64_t first_token_ns;   /* from start_ns; -1: unknown */
};

struct weir_requests {
	enum weir_time_base time_base;
	bool sampled; /* only some requests of the time are here: rates and waiting say nothing */
	bool client;  /* measured at the client: its parts hold the network and the whole server */
	uint64_t failed;                    /* requests without an answer; not among the rows */
	double requested_per_s, duration_s; /* as the load generator states them; NAN: unknown */

	size_t count, capacity;
	int64_t *start_ns, *end_ns;
	int32_t *batch_size; /* -1: unknown, as in the next three */
	int64_t *tokens, *padded_tokens, *output_tokens;
	int64_t *first_token_ns;
	uint64_t *part_first;
	uint16_t *part_count;

	size_t parts, part_capacity, offset_capacity;
	uint8_t *part_stage;     /* row of `stages` */
	int64_t *part_ns;        /* duration */
	int64_t *part_offset_ns; /* from the request's start; NULL: end to end */

	struct weir_names *names;
	uint32_t stages[WEIR_MAX_REQUEST_STAGES]; /* names, in order of first appearance */
	size_t stage_count;
};

struct weir_requests *weir_requests_new(void);
void weir_requests_free(struct weir_requests *requests);

/* All counts unknown, times 0. */
struct weir_request weir_request_unknown(void);

/* The row of a stage of this name, added where it is new. Stable. */
uint8_t weir_requests_stage(struct weir_requests *requests, const char *name, size_t len);
const char *weir_requests_stage_name(const struct weir_requests *requests, size_t stage);

/* Parts of a request are added first, then the request that owns them. */
void weir_requests_add_part(struct weir_requests *requests, uint8_t stage, int64_t duration_ns);
/* For tables whose parts say where they start; not to be mixed with the above in one table. */
void weir_requests_add_part_at(struct weir_requests *requests, uint8_t stage, int64_t offset_ns,
                               int64_t duration_ns);
/* Takes the parts added since the last call. */
void weir_requests_add(struct weir_requests *requests, const struct weir_request *request);
/* Forgets the parts added since the last weir_requests_add(): their request is left out. */
void weir_requests_drop_parts(struct weir_requests *requests);

/* Adds all rows of another table; both state where parts start, or neither does. Behind the last
 * one weir_requests_finish() is due. */
void weir_requests_append(struct weir_requests *requests, const struct weir_requests *from);

/* Sorts the rows by start, then end, then order of arrival; call it once behind the last row. */
void weir_requests_finish(struct weir_requests *requests);

#endif
