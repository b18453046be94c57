/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spans that overlap move to further tracks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/drawing/tracks.h"
#include "engine/base/arena.h"

#define NESTED ((size_t)64) /* spans that nest on one track */

struct desk {
	struct weir_arena *arena;
	struct weir_detail_track tracks[WEIR_DETAIL_MAX_TRACKS];
	struct weir_detail_span spans[NESTED * (WEIR_TRACK_LANES + 1)];
	struct weir_detail detail;
};

static struct desk *desk_new(size_t tracks)
{
	struct desk *desk = weir_alloc(sizeof *desk);

	desk->arena = weir_arena_new();
	for (size_t i = 0; i < tracks; i++)
		desk->tracks[i] =
			(struct weir_detail_track){WEIR_DETAIL_WORK, 2, (uint32_t)i, "work"};
	desk->detail.tracks = desk->tracks;
	desk->detail.track_count = tracks;
	desk->detail.spans = desk->spans;
	return desk;
}

static void desk_free(struct desk *desk)
{
	weir_arena_free(desk->arena);
	free(desk);
}

static void add(struct desk *desk, uint32_t track, int64_t start_ns, int64_t end_ns)
{
	desk->spans[desk->detail.span_count++] = (struct weir_detail_span){
		.start_ns = start_ns, .end_ns = end_ns, .name = "gemm", .track = track};
}

static void assert_span(const struct desk *desk, size_t index, uint32_t track, int64_t start_ns,
                        int64_t end_ns)
{
	const struct weir_detail_span *span = &desk->detail.spans[index];

	assert_int_equal(span->track, track);
	assert_int_equal(span->start_ns, start_ns);
	assert_int_equal(span->end_ns, end_ns);
}

static void spans_that_nest_or_follow_stay_on_their_track(void **state)
{
	static const int64_t times[][2] = {{0, 100}, {0, 100}, {10, 50},  {20, 50},
	                                   {50, 60}, {60, 99}, {99, 100}, {100, 130}};
	struct desk *desk = desk_new(1);

	(void)state;
	for (size_t i = 0; i < 8; i++)
		add(desk, 0, times[i][0], times[i][1]);
	weir_tracks_part(desk->arena, &desk->detail);
	assert_int_equal(desk->detail.track_count, 1);
	for (size_t i = 0; i < 8; i++)
		assert_span(desk, i, 0, times[i][0], times[i][1]);
	desk_free(desk);
}

static void spans_that_overlap_move_to_a_track_of_the_same_kind(void **state)
{
	struct desk *desk = desk_new(2);

	(void)state;
	add(desk, 0, 0, 100);
	add(desk, 0, 99, 101);
	add(desk, 0, 100, 102); /* fits on the first one again */
	add(desk, 0, 101, 103); /* overlaps the one before, but not the second */
	add(desk, 1, 50, 60);
	add(desk, 1, 55, 70);
	weir_tracks_part(desk->arena, &desk->detail);
	assert_int_equal(desk->detail.track_count, 4);
	assert_int_equal(desk->detail.span_count, 6);
	assert_int_equal(desk->tracks[2].kind, WEIR_DETAIL_WORK);
	assert_int_equal(desk->tracks[2].rank, 2);
	assert_int_equal(desk->tracks[2].number, 0);
	assert_string_equal(desk->tracks[2].name, "work, overlapping");
	assert_int_equal(desk->tracks[3].number, 1);
	assert_span(desk, 0, 0, 0, 100);
	assert_span(desk, 1, 0, 100, 102);
	assert_span(desk, 2, 1, 50, 60);
	assert_span(desk, 3, 2, 99, 101);
	assert_span(desk, 4, 2, 101, 103);
	assert_span(desk, 5, 3, 55, 70);
	desk_free(desk);
}

/* The last of nine that overlap ends with the open span of the first track. */
static void spans_that_fit_nowhere_are_truncated(void **state)
{
	struct desk *desk = desk_new(1);

	(void)state;
	for (int64_t i = 0; i <= WEIR_TRACK_LANES; i++)
		add(desk, 0, i, 100 + i);
	add(desk, 0, 20, 99); /* inside the truncated one */
	weir_tracks_part(desk->arena, &desk->detail);
	assert_int_equal(desk->detail.track_count, WEIR_TRACK_LANES);
	assert_span(desk, 0, 0, 0, 100);
	assert_span(desk, 1, 0, WEIR_TRACK_LANES, 100);
	assert_span(desk, 2, 0, 20, 99);
	for (uint32_t i = 1; i < WEIR_TRACK_LANES; i++)
		assert_span(desk, i + 2, i, i, 100 + i);
	desk_free(desk);
}

/* Returns the number of tracks of spans of which each lies in the one before. */
static size_t tracks_of_nested(size_t spans)
{
	struct desk *desk = desk_new(1);
	size_t tracks;

	for (size_t i = 0; i < spans; i++)
		add(desk, 0, (int64_t)i, 2000 - (int64_t)i);
	weir_tracks_part(desk->arena, &desk->detail);
	for (size_t i = 0; i < spans; i++)
		assert_int_equal(desk->detail.spans[i].end_ns,
		                 2000 - desk->detail.spans[i].start_ns);
	tracks = desk->detail.track_count;
	desk_free(desk);
	return tracks;
}

static void spans_that_nest_too_deeply_move_as_well(void **state)
{
	(void)state;
	assert_int_equal(tracks_of_nested(NESTED), 1);
	assert_int_equal(tracks_of_nested(NESTED + 1), 2);
	assert_int_equal(tracks_of_nested(NESTED * WEIR_TRACK_LANES), WEIR_TRACK_LANES);
	assert_int_equal(tracks_of_nested(NESTED * WEIR_TRACK_LANES + 3), WEIR_TRACK_LANES);
}

static void no_track_is_added_beyond_the_limit(void **state)
{
	struct desk *desk = desk_new(WEIR_DETAIL_MAX_TRACKS - 1);

	(void)state;
	for (uint32_t track = 0; track < 2; track++) {
		add(desk, track, 0, 100);
		add(desk, track, 10, 110);
	}
	weir_tracks_part(desk->arena, &desk->detail);
	assert_int_equal(desk->detail.track_count, WEIR_DETAIL_MAX_TRACKS);
	assert_span(desk, 0, 0, 0, 100);
	assert_span(desk, 1, 1, 0, 100);
	assert_span(desk, 2, 1, 10, 100);
	assert_span(desk, 3, WEIR_DETAIL_MAX_TRACKS - 1, 10, 110);
	desk_free(desk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_that_nest_or_follow_stay_on_their_track),
		cmocka_unit_test(spans_that_overlap_move_to_a_track_of_the_same_kind),
		cmocka_unit_test(spans_that_fit_nowhere_are_truncated),
		cmocka_unit_test(spans_that_nest_too_deeply_move_as_well),
		cmocka_unit_test(no_track_is_added_beyond_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
