/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the reader of perf_analyzer's exports: one request with its answers, and all of
 * them as requests of a client. */
#ifndef WEIR_READERS_PERF_EXPORT_H
#define WEIR_READERS_PERF_EXPORT_H

#include "engine/base/error.h"
#include "engine/base/jsoncursor.h"
#include "engine/model/profile.h"

#define PERF_MAX_REQUESTS (1u << 22)
#define PERF_MAX_ANSWERS  (1u << 25) /* of all requests together: a quarter of a gigabyte */

/* A request and its answers, which lie in one list of all. */
struct perf_exchange {
	int64_t start_ns;
	uint64_t at;           /* byte of its record */
	uint32_t first, count; /* answers; 0: it failed */
};

struct perf_exchanges {
	struct perf_exchange *items;
	size_t count, capacity;
	int64_t *answer_ns;
	size_t answers, answer_capacity;
	uint64_t bad; /* times of answers that are none */
};

void weir_perf_exchanges_release(struct perf_exchanges *exchanges);

/*
 * Walks the request under the cursor and adds it, unless cursor->bad. False where it has no start.
 * Of its answers the last ones count only up to the last one that says something: servers end a
 * stream with an empty answer or with "data: [DONE]". Fails where a limit is reached.
 */
enum weir_status weir_perf_exchange_take(struct perf_exchanges *exchanges,
                                         struct weir_jsoncursor *cursor, uint64_t at, bool *timed,
                                         struct weir_error *err);

/* Whole numbers in a list; *lowest and *highest stay as they are where there are none. */
void weir_perf_bounds(struct weir_slice list, int64_t *lowest, int64_t *highest);

#endif
