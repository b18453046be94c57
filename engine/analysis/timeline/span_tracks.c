/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/span_tracks.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/base/arena.h"

static void track_mark(struct weir_span_track *track, int64_t time_ns, uint32_t span)
{
	size_t capacity = track->capacity;

	if (track->count > 0 && track->time_ns[track->count - 1] == time_ns) {
		track->span[track->count - 1] = span;
		return;
	}
	track->time_ns = weir_grow(track->time_ns, &track->capacity, track->count + 1,
	                           sizeof *track->time_ns);
	track->span = weir_grow(track->span, &capacity, track->count + 1, sizeof *track->span);
	track->time_ns[track->count] = time_ns;
	track->span[track->count++] = span;
}

struct nesting {
	struct weir_span_tracks *tracks;
	struct weir_span *spans;
	uint32_t *track_of_thread;
	uint32_t *open; /* per track: the innermost open span; WEIR_NONE: none */
};

/* Closes the open spans of a track that end by until_ns, innermost first. */
static void close_spans(const struct nesting *nesting, size_t t, int64_t until_ns)
{
	uint32_t *open = &nesting->open[t];

	while (*open != WEIR_NONE && nesting->spans[*open].end_ns <= until_ns) {
		int64_t end_ns = nesting->spans[*open].end_ns;

		*open = nesting->spans[*open].parent;
		track_mark(&nesting->tracks->items[t], end_ns, *open);
	}
}

/* Opens a span. One that outlives the open span by more than clock jitter is its sibling, as for
 * host rows. */
static void open_span(const struct nesting *nesting, size_t t, uint32_t index)
{
	struct weir_span *spans = nesting->spans, *span = &spans[index];
	uint32_t *open = &nesting->open[t];

	close_spans(nesting, t, span->start_ns);
	while (*open != WEIR_NONE &&
	       weir_span_ns(spans[*open].end_ns, span->end_ns) > WEIR_OVERHANG_NS)
		*open = spans[*open].parent;
	span->parent = *open;
	if (*open != WEIR_NONE) {
		span->depth = spans[*open].depth + 1;
		if (span->end_ns > spans[*open].end_ns)
			span->end_ns = spans[*open].end_ns;
	}
	if (span->depth > WEIR_MAX_SPAN_DEPTH)
		return;
	*open = index;
	track_mark(&nesting->tracks->items[t], span->start_ns, index);
}

/* Adds a track for each thread that has spans. track_of_thread first counts the spans of each
 * thread, then holds the index of its track. */
static void add_tracks(const struct nesting *nesting, size_t count, const struct weir_trace *trace)
{
	struct weir_span_tracks *tracks = nesting->tracks;
	uint32_t *number = nesting->track_of_thread, most = 0;

	for (size_t i = 0; i < count; i++)
		number[trace->host.thread[nesting->spans[i].host_row]]++;
	for (uint32_t thread = 0; thread < trace->thread_count; thread++) {
		if (number[thread] == 0)
			continue;
		if (number[thread] > most) {
			most = number[thread];
			tracks->main = tracks->count;
		}
		tracks->items = weir_grow(tracks->items, &tracks->capacity, tracks->count + 1,
		                          sizeof *tracks->items);
		tracks->items[tracks->count] = (struct weir_span_track){.thread = thread};
		number[thread] = (uint32_t)tracks->count++;
	}
}

void weir_span_tracks_init(struct weir_span_tracks *tracks, struct weir_span *spans, size_t count,
                           const struct weir_trace *trace)
{
	struct nesting nesting = {.tracks = tracks, .spans = spans};

	*tracks = (struct weir_span_tracks){0};
	nesting.track_of_thread = weir_alloc(trace->thread_count * sizeof *nesting.track_of_thread);
	add_tracks(&nesting, count, trace);
	nesting.open = weir_alloc(tracks->count * sizeof *nesting.open);
	for (size_t t = 0; t < tracks->count; t++)
		nesting.open[t] = WEIR_NONE;
	for (uint32_t i = 0; i < count; i++)
		open_span(&nesting, nesting.track_of_thread[trace->host.thread[spans[i].host_row]],
		          i);
	for (size_t t = 0; t < tracks->count; t++)
		close_spans(&nesting, t, INT64_MAX);
	free(nesting.open);
	free(nesting.track_of_thread);
}

void weir_span_tracks_release(struct weir_span_tracks *tracks)
{
	for (size_t t = 0; t < tracks->count; t++) {
		free(tracks->items[t].time_ns);
		free(tracks->items[t].span);
	}
	free(tracks->items);
	*tracks = (struct weir_span_tracks){0};
}

/* Narrows `same` to the time in which the track has the span that it has at at_ns. */
static uint32_t track_at(const struct weir_span_track *track, int64_t at_ns,
                         struct weir_interval *same)
{
	size_t begun = weir_instants_until(track->time_ns, track->count, at_ns);

	if (begun > 0 && track->time_ns[begun - 1] > same->start_ns)
		same->start_ns = track->time_ns[begun - 1];
	if (begun < track->count && track->time_ns[begun] < same->end_ns)
		same->end_ns = track->time_ns[begun];
	return begun == 0 ? WEIR_NONE : track->span[begun - 1];
}

static uint32_t find_span(const struct weir_span_tracks *tracks, uint32_t thread, int64_t at_ns,
                          struct weir_interval *same)
{
	size_t low = 0, high = tracks->count;
	uint32_t span = WEIR_NONE;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tracks->items[middle].thread < thread)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < tracks->count && tracks->items[low].thread == thread)
		span = track_at(&tracks->items[low], at_ns, same);
	if (span == WEIR_NONE && tracks->count > 0)
		span = track_at(&tracks->items[tracks->main], at_ns, same);
	return span;
}

uint32_t weir_span_tracks_at(const struct weir_span_tracks *tracks, uint32_t thread, int64_t at_ns)
{
	struct weir_interval same = {INT64_MIN, INT64_MAX};

	return find_span(tracks, thread, at_ns, &same);
}

uint32_t weir_span_tracks_near(const struct weir_span_tracks *tracks, uint32_t thread,
                               int64_t at_ns, struct weir_span_place *last)
{
	if (last->tracks == tracks && last->thread == thread && at_ns >= last->same.start_ns &&
	    at_ns < last->same.end_ns)
		return last->span;
	*last = (struct weir_span_place){
		.tracks = tracks, .thread = thread, .same = {INT64_MIN, INT64_MAX}};
	last->span = find_span(tracks, thread, at_ns, &last->same);
	return last->span;
}

int64_t weir_span_tracks_next_change(const struct weir_span_tracks *tracks, int64_t at_ns)
{
	const struct weir_span_track *track;
	size_t begun;

	if (tracks->count == 0)
		return INT64_MAX;
	track = &tracks->items[tracks->main];
	begun = weir_instants_until(track->time_ns, track->count, at_ns);
	return begun < track->count ? track->time_ns[begun] : INT64_MAX;
}
