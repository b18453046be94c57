/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of requests on the time axis, classed by what holds the request there: a queue, a host
 * stage, a copy or the device. And the load that all requests together put on the device, the copy
 * engines and the host.
 */
#ifndef WEIR_ANALYSIS_REQUESTS_SERVING_LOAD_H
#define WEIR_ANALYSIS_REQUESTS_SERVING_LOAD_H

#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/model/requests.h"

enum weir_part_class {
	WEIR_PART_QUEUE,
	WEIR_PART_ASSEMBLY,
	WEIR_PART_BEFORE, /* host work ahead of the device work: tokenization, parsing */
	WEIR_PART_AFTER,  /* host work after the device work: detokenization, serialization */
	WEIR_PART_COPY,   /* between host and device */
	WEIR_PART_COMPUTE,
	WEIR_PART_OTHER,
	WEIR_PART_CLASSES
};

struct weir_part {
	uint8_t stage; /* row of requests->stages */
	int64_t start_ns, end_ns;
};

/* Returns the class of a stage kind ("preprocess"); an unknown kind is OTHER. */
enum weir_part_class weir_part_class_of(const char *kind);

/* Walks the parts of one request in order. */
struct weir_part_walk {
	const struct weir_requests *requests;
	uint64_t next, end;
	int64_t origin_ns, at_ns;
};

struct weir_part_walk weir_part_walk_on(const struct weir_requests *requests, size_t row);
/* Returns false after the last part. A part without an offset begins at the end of the previous
 * part. */
bool weir_part_walk_next(struct weir_part_walk *walk, struct weir_part *out);

/*
 * The time in which each resource worked, over all requests of a server. It shows why a request
 * waited: while the device computes for others, a queued request waits for the device; while the
 * host tokenizes others, it waits for the host; while nothing works, it waits for a batch to fill
 * or a timer to expire.
 */

enum weir_resource {
	WEIR_RESOURCE_COMPUTE,
	WEIR_RESOURCE_COPY,
	WEIR_RESOURCE_HOST,
	WEIR_RESOURCES
};

struct weir_load {
	int64_t start_ns, end_ns; /* first arrival to last response */
	/*
	 * Time in which each resource was busy. For the host, see weir_host_busy(): an event loop
	 * with one worker blocks every request, a pool of eight tokenizers of which two work blocks
	 * none.
	 */
	struct weir_intervals busy[WEIR_RESOURCES];
	double share[WEIR_RESOURCES]; /* of the time from start to end */

	/* Busiest resource first; the united busy time of the first, of the first two, of all. */
	enum weir_resource order[WEIR_RESOURCES];
	struct weir_intervals reach[WEIR_RESOURCES];
	struct weir_measure measure[WEIR_RESOURCES];
};

/* Computes the load of all requests; classes: one per stage. Release with weir_load_release(). */
void weir_load_init(struct weir_load *load, const struct weir_requests *requests,
                    const enum weir_part_class *classes);
void weir_load_release(struct weir_load *load);

/* The split of [start, end): time in which the busiest resource worked belongs to it, of the
 * remaining time that of the next busiest resource belongs to that one, and so on. The rest is
 * idle. */
struct weir_wait {
	int64_t behind_ns[WEIR_RESOURCES], idle_ns;
};

struct weir_wait weir_load_split(const struct weir_load *load, int64_t start_ns, int64_t end_ns);

/*
 * Finds the times at which host work delays other requests, from the intervals that all requests
 * spend in host stages on one side of the device work. Intervals that begin and end together are
 * one piece of work on a whole batch.
 *
 * If a single worker serves the intervals one after another, any of them delays the others.
 * Requests that wait for the worker are then inside the stage as well, so that the intervals
 * overlap, but each ends at least half a short interval (5th percentile) after the previous one.
 * With several workers, host work delays others only at times of peak concurrency.
 *
 * Reorders and reduces the set, which need not be united.
 */
void weir_host_busy(struct weir_intervals *set, struct weir_intervals *out);

/* Finds the times at which the number of overlapping intervals is at least nine tenths of its peak;
 * the peak is the 95th percentile over the time that any interval covers. Reorders the set, which
 * need not be united. */
void weir_intervals_at_peak(const struct weir_intervals *set, struct weir_intervals *out);

#endif
