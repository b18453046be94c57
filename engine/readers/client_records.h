/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests as a load generator saw them: when one was due and sent, when its first and last token
 * came, when it ended. A request begins when it was due, so that what it waited at the client is
 * part of its time; its parts lie end to end: "client_queue", "time_to_first_token", "decode",
 * "tail" (from the last token to the end of the answer). What is not known is no part.
 */
#ifndef WEIR_READERS_CLIENT_RECORDS_H
#define WEIR_READERS_CLIENT_RECORDS_H

#include "engine/model/profile.h"
#include "engine/readers/jsonleaves.h"

#define WEIR_CLIENT_UNKNOWN INT64_MIN

/* Times are nanoseconds on one clock; WEIR_CLIENT_UNKNOWN where they are not known. */
struct weir_client_record {
	int64_t due_ns, sent_ns, first_token_ns, last_token_ns, end_ns;
	int64_t input_tokens, output_tokens;
};

/* One place of a record: the path of a number. */
struct weir_client_field {
	const char *path;
	size_t slot; /* offsetof() in struct weir_client_record */
	int places;  /* from its unit to nanoseconds as a power of ten (seconds: 9); 0: a count */
};

#define WEIR_CLIENT_SECONDS(field, path)                                                           \
	{                                                                                          \
		path, offsetof(struct weir_client_record, field), 9                                \
	}
#define WEIR_CLIENT_WHOLE(field, path)                                                             \
	{                                                                                          \
		path, offsetof(struct weir_client_record, field), 0                                \
	}

struct weir_client_records {
	struct weir_input *input;
	struct weir_requests *requests;
	uint64_t dates; /* those that begin on Unix time */
};

/* Makes a table of requests, which the caller gives to the input or frees; what is odd is counted
 * in the input's warnings. */
void weir_client_records_init(struct weir_client_records *client, struct weir_input *input);

struct weir_client_record weir_client_record_unknown(void);
/* Takes a leaf that a field (ended by a NULL path) names; the first of several values counts,
 * negative ones are unknown. What is no number is counted. */
void weir_client_record_take(const struct weir_client_records *client,
                             struct weir_client_record *request,
                             const struct weir_client_field *fields,
                             const struct weir_jsonleaf *leaf);
/* The time of a leaf in nanoseconds, or WEIR_CLIENT_UNKNOWN, which is counted unless it says so. */
int64_t weir_client_time(const struct weir_client_records *client, struct weir_slice text,
                         int places, uint64_t at);

/* Adds a request, or counts why not: without a start or an end, or an end before its start. Times
 * outside it are unknown, and so is a first token that came with the whole answer. */
void weir_client_records_add(struct weir_client_records *client,
                             const struct weir_client_record *request, uint64_t at);
/* Counts a request that failed. */
void weir_client_records_fail(struct weir_client_records *client);

/* Sorts and dates the requests; fails where there is none. */
enum weir_status weir_client_records_finish(struct weir_client_records *client,
                                            struct weir_error *err);

/* A file of one JSON object a request, as it is read. */
struct weir_client_reading {
	const struct weir_client_format *format;
	struct weir_client_records client;
	struct weir_client_record request; /* that is being read */
	bool failed;                       /* it did */
};

struct weir_client_format {
	const struct weir_client_field *fields;
	/* Takes what no field can say, from arrays as well as from all other leaves; may be NULL.
	 */
	void (*leaf)(struct weir_client_reading *reading, const struct weir_jsonleaf *leaf);
};

/* Reads such a file (engine/readers/records.h) into the input's requests. */
enum weir_status weir_client_records_read(const struct weir_client_format *format,
                                          struct weir_source *source, struct weir_input *input,
                                          struct weir_error *err);

#endif
