/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of a load generator that are one JSON object each: where an object says what is a table.
 */
#ifndef WEIR_READERS_CLIENT_RECORDS_H
#define WEIR_READERS_CLIENT_RECORDS_H

#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/parts/jsonleaves.h"

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

/* Takes a leaf that a field (ended by a NULL path) names; the first of several values counts,
 * negative ones are unknown. What is no number is counted. */
void weir_client_record_take(struct weir_input *input, struct weir_client_request *request,
                             const struct weir_client_field *fields,
                             const struct weir_jsonleaf *leaf);
/* The time of a leaf in nanoseconds, or WEIR_CLIENT_UNKNOWN, which is counted unless it says so. */
int64_t weir_client_time(struct weir_input *input, struct weir_slice text, int places, uint64_t at);

/* A file of one JSON object a request, as it is read. */
struct weir_client_reading {
	const struct weir_client_format *format;
	struct weir_client_requests client;
	struct weir_client_request request; /* that is being read */
	bool failed;                        /* it did */
};

struct weir_client_format {
	const struct weir_client_field *fields;
	/* Takes what no field can say, from arrays as well as from all other leaves; may be NULL.
	 */
	void (*leaf)(struct weir_client_reading *reading, const struct weir_jsonleaf *leaf);
};

/* Reads such a file (engine/readers/parts/records.h) into the input's requests. */
enum weir_status weir_client_records_read(const struct weir_client_format *format,
                                          struct weir_source *source, struct weir_input *input,
                                          struct weir_error *err);

#endif
