/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/requests/serving_parts.h"
#include "engine/analysis/time/intervals.h"

enum weir_part_class weir_part_class_of(const char *kind)
{
	static const struct {
		const char *kind;
		enum weir_part_class class;
	} classes[] = {
		{"queue", WEIR_PART_QUEUE},       {"batch_assembly", WEIR_PART_ASSEMBLY},
		{"preprocess", WEIR_PART_BEFORE}, {"h2d", WEIR_PART_COPY},
		{"compute", WEIR_PART_COMPUTE},   {"d2h", WEIR_PART_COPY},
		{"postprocess", WEIR_PART_AFTER},
	};

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strcmp(kind, classes[i].kind) == 0)
			return classes[i].class;
	return WEIR_PART_OTHER;
}

struct weir_part_walk weir_part_walk_on(const struct weir_requests *requests, size_t row)
{
	return (struct weir_part_walk){
		.requests = requests,
		.next = requests->part_first[row],
		.end = requests->part_first[row] + requests->part_count[row],
		.origin_ns = requests->start_ns[row],
		.at_ns = requests->start_ns[row],
	};
}

/* Times of hostile files may leave int64_t: they stay at its end. */
static int64_t later(int64_t at_ns, int64_t by_ns)
{
	if (by_ns > 0 && at_ns > INT64_MAX - by_ns)
		return INT64_MAX;
	if (by_ns < 0 && at_ns < INT64_MIN - by_ns)
		return INT64_MIN;
	return at_ns + by_ns;
}

bool weir_part_walk_next(struct weir_part_walk *walk, struct weir_part *out)
{
	const struct weir_requests *requests = walk->requests;

	if (walk->next == walk->end)
		return false;
	out->stage = requests->part_stage[walk->next];
	out->start_ns = requests->part_offset_ns
	                        ? later(walk->origin_ns, requests->part_offset_ns[walk->next])
	                        : walk->at_ns;
	out->end_ns = later(out->start_ns, requests->part_ns[walk->next]);
	walk->at_ns = out->end_ns;
	walk->next++;
	return true;
}
