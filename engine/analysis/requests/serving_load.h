/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who worked when, over all requests of a server: the device, the copies to and from it, the host.
 * This tells waiting from waiting: a request that queues while the device computes for others waits
 * for the device, one that queues while the host tokenizes others waits for the host, and one that
 * queues while nothing works waits for a batch to fill or a timer to end.
 */
#ifndef WEIR_ANALYSIS_SERVING_LOAD_H
#define WEIR_ANALYSIS_SERVING_LOAD_H

#include "engine/analysis/requests/serving_parts.h"
#include "engine/analysis/time/intervals.h"

enum weir_resource {
	WEIR_RESOURCE_COMPUTE,
	WEIR_RESOURCE_COPY,
	WEIR_RESOURCE_HOST,
	WEIR_RESOURCES
};

struct weir_load {
	int64_t start_ns, end_ns; /* first arrival to last response */
	/*
	 * When each was busy. Of the host see weir_host_busy(): an event loop of one holds up
	 * everybody, a pool of eight tokenizers of which two work nobody.
	 */
	struct weir_intervals busy[WEIR_RESOURCES];
	double share[WEIR_RESOURCES]; /* of the time from start to end */

	/* Busiest first; the united time of the first, of the first two, of all. */
	enum weir_resource order[WEIR_RESOURCES];
	struct weir_intervals reach[WEIR_RESOURCES];
	struct weir_measure measure[WEIR_RESOURCES];
};

/* classes: one a stage. Release with weir_load_release(). */
void weir_load_init(struct weir_load *load, const struct weir_requests *requests,
                    const enum weir_part_class *classes);
void weir_load_release(struct weir_load *load);

/* Splits [start, end): time in which the busiest resource worked is its own, of the rest that of
 * the next, and so on. What is left is idle. */
struct weir_wait {
	int64_t behind_ns[WEIR_RESOURCES], idle_ns;
};

struct weir_wait weir_load_split(const struct weir_load *load, int64_t start_ns, int64_t end_ns);

/*
 * When host stages hold up others, from the stretches of all requests in them (of one side of the
 * device work). Stretches that begin and end together are one piece of work on a whole batch.
 * Where one worker serves them in turn, any of them does: then those that wait for their turn are
 * inside the stage too, and of stretches that overlap each ends at least half of a short one
 * (5th percentile) after the one before. Else where they are crowded.
 * Reorders and thins the set, which need not be united.
 */
void weir_host_busy(struct weir_intervals *set, struct weir_intervals *out);

/* The times at which at least nine tenths of the most intervals overlap; the most is the 95th
 * percentile over the time that any covers. Reorders the set, which need not be united. */
void weir_intervals_crowded(const struct weir_intervals *set, struct weir_intervals *out);

#endif
