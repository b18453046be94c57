/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests as a load generator saw them: when each was due and sent, when its first and last token
 * came, when it ended. A request begins when it was due, so that its wait at the client is part of
 * its time. Its parts lie end to end: "client_queue", "time_to_first_token", "decode", "tail" (from
 * the last token to the end of the answer). A part with an unknown end is left out. Gaps between
 * tokens become the stage "inter_token_latency" of the input's run.
 */
#ifndef WEIR_READERS_LOADGEN_CLIENT_REQUESTS_H
#define WEIR_READERS_LOADGEN_CLIENT_REQUESTS_H

#include "engine/base/error.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/source.h"
#include "engine/model/profile.h"
#include "engine/readers/parts/jsonleaves.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/thin.h"

#define WEIR_CLIENT_UNKNOWN INT64_MIN
/* 13 days: a longer time is a damaged one. */
#define WEIR_CLIENT_MAX_NS (INT64_C(1) << 50)
/* Gaps between tokens that are kept of a run: a p99 then rests on ten thousand of them. */
#define WEIR_CLIENT_MAX_GAPS (1u << 20)
/* A larger number of tokens is a damaged one. */
#define WEIR_CLIENT_MAX_TOKENS (INT64_C(1) << 40)

/* Times are nanoseconds on one clock and not negative. WEIR_CLIENT_UNKNOWN: not known. */
struct weir_client_request {
	int64_t due_ns, sent_ns, first_token_ns, last_token_ns, end_ns;
	int64_t input_tokens, output_tokens;
};

struct weir_client_request weir_client_request_unknown(void);

/* Borrows the input. `requests` belongs to its taker, usually the input. */
struct weir_client_requests {
	struct weir_input *input;
	struct weir_requests *requests;
	uint64_t dates; /* requests that begin in Unix time */
	struct weir_thin gaps;
};

/* Makes a table of requests, which the caller gives to the input or frees. Damage is counted in the
 * input's warnings. Release keeps that table; it does nothing to {0}. */
void weir_client_requests_init(struct weir_client_requests *client, struct weir_input *input);
void weir_client_requests_release(struct weir_client_requests *client);

/* Adds a request; `at` is the byte of its record. Returns false with a warning if it has no start
 * or no end, ends before it starts, or lasts too long. Times outside of the request are unknown,
 * and so is a first token that came with the whole answer. */
bool weir_client_requests_add(struct weir_client_requests *client,
                              const struct weir_client_request *request, uint64_t at);
/* Counts a failed or cancelled request, which is not among the requests. */
void weir_client_requests_fail(struct weir_client_requests *client, uint64_t at);
/* Adds the time between two outputs of an answer, in order of arrival. Passes over 0 (both came
 * together) and impossible times. */
void weir_client_requests_gap(struct weir_client_requests *client, int64_t gap_ns);

/* Sorts and dates the requests after the last one, and gives the gaps to the input's run.
 * WEIR_E_EMPTY if no request completed. */
enum weir_status weir_client_requests_finish(struct weir_client_requests *client,
                                             struct weir_error *err);

/* ---- files of one JSON object per request ---- */

/* One place of a record: the path of a number. */
struct weir_client_field {
	const char *path;
	size_t slot; /* offsetof() in struct weir_client_request */
	int places;  /* from its unit to nanoseconds as a power of ten (seconds: 9); 0: a count */
};

#define WEIR_CLIENT_SECONDS(field, path)                                                           \
	{                                                                                          \
		path, offsetof(struct weir_client_request, field), 9                               \
	}
#define WEIR_CLIENT_WHOLE(field, path)                                                             \
	{                                                                                          \
		path, offsetof(struct weir_client_request, field), 0                               \
	}

/* Takes a leaf that a field names. The table ends with a NULL path. The first of several values
 * counts, and negative values are unknown. A malformed value is counted as a warning. */
void weir_client_record_take(struct weir_input *input, struct weir_client_request *request,
                             const struct weir_client_field *fields,
                             const struct weir_jsonleaf *leaf);
/* Parses a time into nanoseconds. Malformed values are counted as warnings and unknown; null and
 * NaN are unknown. */
int64_t weir_client_time(struct weir_input *input, struct weir_slice text, int places, uint64_t at);

/* One record of a file of requests. */
struct weir_client_reading {
	const struct weir_client_format *format;
	struct weir_client_requests client;
	struct weir_client_request request;
	bool failed;
};

struct weir_client_format {
	const struct weir_client_field *fields; /* ends with a NULL path */
	/* Takes a leaf beyond the fields; is also called for arrays. May be NULL. */
	void (*leaf)(struct weir_client_reading *reading, const struct weir_jsonleaf *leaf);
	/* Reads a whole record instead of fields and leaf, the cursor on its start. May be NULL. */
	void (*record)(struct weir_client_reading *reading, struct weir_jsoncursor *cursor,
	               uint64_t at);
};

/* Reads a file of records (engine/readers/parts/records.h) into the input's requests. */
enum weir_status weir_client_records_read(const struct weir_client_format *format,
                                          struct weir_source *source, struct weir_input *input,
                                          struct weir_error *err);

#endif
