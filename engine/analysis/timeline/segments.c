/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>

#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/idle.h"
#include "engine/analysis/timeline/segments.h"
#include "engine/base/arena.h"

/* A stretch of one class of work and the row that owns it. */
struct piece {
	int64_t start_ns, end_ns;
	uint32_t row;
};

struct pieces {
	struct piece *items;
	size_t count, capacity, at; /* at: position of the merge */
};

static const uint8_t precedence[] = {WEIR_WORK_COMPUTE, WEIR_WORK_COMM, WEIR_WORK_COPY};
#define CLASSES (sizeof precedence / sizeof *precedence)

static void add_piece(struct pieces *pieces, int64_t start_ns, int64_t end_ns, uint32_t row)
{
	if (end_ns <= start_ns)
		return;
	pieces->items = weir_grow(pieces->items, &pieces->capacity, pieces->count + 1,
	                          sizeof *pieces->items);
	pieces->items[pieces->count++] = (struct piece){start_ns, end_ns, row};
}

/* Cuts the time of one class among its rows, which come by start. The owner keeps its time to its
 * end; then the row that ends last takes over. */
static void cut_class(struct pieces *out, const struct weir_timeline *timeline, size_t first,
                      size_t end, uint8_t class)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	uint32_t owner = WEIR_NONE, furthest = WEIR_NONE;
	int64_t from_ns = 0;

	for (size_t i = first; i < end; i++) {
		if (timeline->work[i] != class || device->end_ns[i] <= device->start_ns[i])
			continue;
		while (owner != WEIR_NONE && device->end_ns[owner] <= device->start_ns[i]) {
			add_piece(out, from_ns, device->end_ns[owner], owner);
			from_ns = device->end_ns[owner];
			owner = furthest != WEIR_NONE && device->end_ns[furthest] > from_ns
			                ? furthest
			                : WEIR_NONE;
			furthest = WEIR_NONE;
		}
		if (owner == WEIR_NONE) {
			owner = (uint32_t)i;
			from_ns = device->start_ns[i];
		} else if (furthest == WEIR_NONE || device->end_ns[i] > device->end_ns[furthest]) {
			furthest = (uint32_t)i;
		}
	}
	while (owner != WEIR_NONE) {
		add_piece(out, from_ns, device->end_ns[owner], owner);
		from_ns = device->end_ns[owner];
		owner = furthest != WEIR_NONE && device->end_ns[furthest] > from_ns ? furthest
		                                                                    : WEIR_NONE;
		furthest = WEIR_NONE;
	}
}

/* Returns the class that owns the instant at_ns, and the end of that state; CLASSES: the device is
 * idle. */
static size_t owner_at(struct pieces classes[CLASSES], int64_t at_ns, int64_t *until_ns)
{
	for (size_t c = 0; c < CLASSES; c++) {
		struct pieces *pieces = &classes[c];

		while (pieces->at < pieces->count && pieces->items[pieces->at].end_ns <= at_ns)
			pieces->at++;
		if (pieces->at == pieces->count)
			continue;
		if (pieces->items[pieces->at].start_ns > at_ns) {
			if (pieces->items[pieces->at].start_ns < *until_ns)
				*until_ns = pieces->items[pieces->at].start_ns;
			continue;
		}
		if (pieces->items[pieces->at].end_ns < *until_ns)
			*until_ns = pieces->items[pieces->at].end_ns;
		return c;
	}
	return CLASSES;
}

static void cut_window(struct weir_segments *out, struct weir_idle_finder *idle,
                       struct pieces classes[CLASSES], struct weir_interval window, uint16_t device)
{
	int64_t at_ns = window.start_ns;

	while (at_ns < window.end_ns) {
		int64_t until_ns = window.end_ns;
		size_t c = owner_at(classes, at_ns, &until_ns);

		if (c == CLASSES) {
			weir_idle_explain(idle, device, at_ns, until_ns, out);
		} else {
			uint32_t row = classes[c].items[classes[c].at].row;

			weir_segments_push(out,
			                   &(struct weir_segment){
						   .start_ns = at_ns,
						   .end_ns = until_ns,
						   .row = row,
						   .span = weir_idle_span_of_row(idle, row),
						   .device = device,
						   .busy = 1,
						   .work = precedence[c],
						   .flags = weir_idle_row_is_compilers(idle, row)
			                                            ? WEIR_SEGMENT_COMPILER
			                                            : 0});
		}
		at_ns = until_ns;
	}
}

void weir_segments_init(struct weir_segments *segments, const struct weir_timeline *timeline,
                        const struct weir_steps *steps)
{
	struct weir_idle_finder *idle;

	*segments = (struct weir_segments){0};
	idle = weir_idle_finder_new(timeline, steps, &segments->idle_names);
	for (size_t d = 0; d < timeline->trace->device_count; d++) {
		struct pieces classes[CLASSES] = {{0}};

		for (size_t c = 0; c < CLASSES; c++)
			cut_class(&classes[c], timeline, timeline->first_row[d],
			          timeline->first_row[d + 1], precedence[c]);
		for (size_t w = 0; w < steps->windows[d].count; w++)
			cut_window(segments, idle, classes, steps->windows[d].items[w],
			           (uint16_t)d);
		for (size_t c = 0; c < CLASSES; c++)
			free(classes[c].items);
	}
	weir_idle_finder_free(idle);
}
