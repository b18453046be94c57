/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/drawing/tracks.h"
#include "engine/base/arena.h"

#define MOST_OPEN 64 /* spans inside each other; deeper ones move on as if they did not fit */

/* The ends of the spans that are open on one of the tracks, the innermost last. */
struct lane {
	int64_t end_ns[MOST_OPEN];
	size_t open;
	uint32_t track; /* WEIR_NONE: not made yet */
};

static bool fits(struct lane *lane, const struct weir_detail_span *span)
{
	while (lane->open > 0 && lane->end_ns[lane->open - 1] <= span->start_ns)
		lane->open--;
	return lane->open < MOST_OPEN &&
	       (lane->open == 0 || span->end_ns <= lane->end_ns[lane->open - 1]);
}

static uint32_t further_track(struct weir_arena *arena, struct weir_detail *detail, uint32_t track)
{
	if (detail->track_count == WEIR_DETAIL_MAX_TRACKS)
		return WEIR_NONE;
	detail->tracks[detail->track_count] = detail->tracks[track];
	detail->tracks[detail->track_count].name =
		weir_arena_format(arena, "%s, overlapping", detail->tracks[track].name);
	return (uint32_t)detail->track_count++;
}

static void put(struct weir_arena *arena, struct weir_detail *detail, struct lane *lanes,
                struct weir_detail_span *span)
{
	struct lane *lane = lanes;
	size_t i = 0;

	while (i < WEIR_TRACK_LANES && !fits(&lanes[i], span))
		i++;
	if (i < WEIR_TRACK_LANES) {
		lane = &lanes[i];
		if (lane->track == WEIR_NONE)
			lane->track = further_track(arena, detail, lanes[0].track);
	}
	if (i == WEIR_TRACK_LANES || lane->track == WEIR_NONE) {
		lane = lanes;
		if (lane->open == MOST_OPEN)
			lane->open--;
		if (lane->open > 0 && span->end_ns > lane->end_ns[lane->open - 1])
			span->end_ns = lane->end_ns[lane->open - 1];
	}
	lane->end_ns[lane->open++] = span->end_ns;
	span->track = lane->track;
}

static int by_track(const void *left, const void *right)
{
	const struct weir_detail_span *const *a = left, *const *b = right;

	if ((*a)->track != (*b)->track)
		return (*a)->track < (*b)->track ? -1 : 1;
	return (*a > *b) - (*a < *b); /* the order of time stays */
}

static void sort_again(struct weir_arena *arena, struct weir_detail *detail)
{
	struct weir_detail_span **order = weir_alloc((detail->span_count + 1) * sizeof *order);
	struct weir_detail_span *sorted =
		weir_arena_alloc(arena, (detail->span_count + 1) * sizeof *sorted);

	for (size_t i = 0; i < detail->span_count; i++)
		order[i] = &detail->spans[i];
	qsort(order, detail->span_count, sizeof(struct weir_detail_span *), by_track);
	for (size_t i = 0; i < detail->span_count; i++)
		sorted[i] = *order[i];
	detail->spans = sorted;
	free(order);
}

void weir_tracks_part(struct weir_arena *arena, struct weir_detail *detail)
{
	struct lane *lanes = weir_alloc(WEIR_TRACK_LANES * sizeof *lanes);
	size_t tracks = detail->track_count;

	for (size_t i = 0; i < detail->span_count; i++) {
		if (i == 0 || detail->spans[i].track != lanes[0].track) {
			for (size_t l = 0; l < WEIR_TRACK_LANES; l++)
				lanes[l] = (struct lane){.track = WEIR_NONE};
			lanes[0].track = detail->spans[i].track;
		}
		put(arena, detail, lanes, &detail->spans[i]);
	}
	free(lanes);
	if (detail->track_count > tracks)
		sort_again(arena, detail);
}
