/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of requests on the time axis, by what holds the request there: a queue, a host stage,
 * a copy, the device. The classes are the stage kinds of the contract, seen by who works.
 */
#ifndef WEIR_ANALYSIS_SERVING_PARTS_H
#define WEIR_ANALYSIS_SERVING_PARTS_H

#include <stdint.h>

#include "engine/model/requests.h"

enum weir_part_class {
	WEIR_PART_QUEUE,
	WEIR_PART_ASSEMBLY,
	WEIR_PART_BEFORE, /* host work ahead of the device work: tokenization, parsing */
	WEIR_PART_AFTER,  /* host work behind it: detokenization, serialization */
	WEIR_PART_COPY,   /* between host and device */
	WEIR_PART_COMPUTE,
	WEIR_PART_OTHER,
	WEIR_PART_CLASSES
};

struct weir_part {
	uint8_t stage; /* row of requests->stages */
	int64_t start_ns, end_ns;
};

/* The class of a stage kind ("preprocess"); kinds that nobody knows are OTHER. */
enum weir_part_class weir_part_class_of(const char *kind);

/* Walks the parts of one request in order. */
struct weir_part_walk {
	const struct weir_requests *requests;
	uint64_t next, end;
	int64_t origin_ns, at_ns;
};

struct weir_part_walk weir_part_walk_on(const struct weir_requests *requests, size_t row);
/* False behind the last part. Parts without an offset begin where the one before ended. */
bool weir_part_walk_next(struct weir_part_walk *walk, struct weir_part *out);

#endif
