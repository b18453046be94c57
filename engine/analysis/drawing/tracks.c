/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/drawing/counters.h"
#include "engine/analysis/drawing/flame.h"
#include "engine/analysis/drawing/stacks.h"
#include "engine/analysis/drawing/tracks.h"
#include "engine/analysis/path/path_index.h"
#include "engine/analysis/rows/rows.h"
#include "engine/base/arena.h"
#include "engine/model/bound.h"

#define NO_STAGE UINT32_MAX

struct drawing {
	const struct weir_rank *rank;
	int64_t shift_ns; /* added to times, to convert to the common clock */
	struct weir_arena *arena;
	struct weir_detail *detail;
	size_t span_capacity;
	uint32_t *tracks[WEIR_DETAIL_KIND_COUNT]; /* [kind][number]: index of the track + 1; 0: not
	                                             created yet */
	uint32_t *flows;     /* by host row: number of its launch; 0: it launched nothing */
	const char **copies; /* by name id of the trace: copy in the arena; NULL: not copied yet */
};

static const char *copy_of(struct drawing *drawing, uint32_t name)
{
	if (!drawing->copies[name])
		drawing->copies[name] = weir_arena_copy(
			drawing->arena, weir_names_text(drawing->rank->trace->names, name),
			weir_names_length(drawing->rank->trace->names, name));
	return drawing->copies[name];
}

static const char *track_name(struct drawing *drawing, enum weir_detail_kind kind, uint32_t number)
{
	const struct weir_trace *trace = drawing->rank->trace;

	switch (kind) {
	case WEIR_DETAIL_STEPS:
		return "steps";
	case WEIR_DETAIL_STAGES:
		return weir_arena_format(drawing->arena, "stages of thread %" PRId64,
		                         trace->threads[number].tid);
	case WEIR_DETAIL_PATH:
		return "critical path";
	case WEIR_DETAIL_IDLE:
		return weir_arena_format(drawing->arena, "idle time of device %" PRId64,
		                         trace->devices[number].id);
	case WEIR_DETAIL_WAITS:
		return weir_arena_format(drawing->arena, "collective waits of stream %" PRId64,
		                         trace->streams[number].id);
	case WEIR_DETAIL_HOST:
		return weir_arena_format(drawing->arena, "calls of thread %" PRId64,
		                         trace->threads[number].tid);
	case WEIR_DETAIL_WORK:
	case WEIR_DETAIL_KIND_COUNT:
		break;
	}
	return weir_arena_format(drawing->arena, "device %" PRId64 " work of stream %" PRId64,
	                         trace->devices[trace->streams[number].device].id,
	                         trace->streams[number].id);
}

/* Returns the track, created if needed; WEIR_NONE beyond WEIR_DETAIL_MAX_TRACKS. */
static uint32_t track_of(struct drawing *drawing, enum weir_detail_kind kind, uint32_t number)
{
	struct weir_detail *detail = drawing->detail;
	uint32_t *known = &drawing->tracks[kind][number];

	if (*known == 0 && detail->track_count < WEIR_DETAIL_MAX_TRACKS) {
		detail->tracks[detail->track_count++] = (struct weir_detail_track){
			kind, drawing->rank->rank, number, track_name(drawing, kind, number)};
		*known = (uint32_t)detail->track_count;
	}
	return *known > 0 ? *known - 1 : WEIR_NONE;
}

static void add_span(struct drawing *drawing, struct weir_detail_span span)
{
	struct weir_detail *detail = drawing->detail;

	if (span.track == WEIR_NONE || detail->span_count == WEIR_DETAIL_MAX_SPANS) {
		detail->left_out++;
		return;
	}
	detail->spans = weir_grow(detail->spans, &drawing->span_capacity, detail->span_count + 1,
	                          sizeof *detail->spans);
	span.start_ns = weir_clock_shifted(span.start_ns, drawing->shift_ns);
	span.end_ns = weir_clock_shifted(span.end_ns, drawing->shift_ns);
	detail->spans[detail->span_count++] = span;
}

static void add_steps(struct drawing *drawing)
{
	const struct weir_steps *steps = &drawing->rank->steps;

	for (size_t i = 0; i < steps->step_count; i++) {
		const struct weir_step *step = &steps->steps[i];

		add_span(drawing,
		         (struct weir_detail_span){
				 .start_ns = step->start_ns,
				 .end_ns = step->end_ns,
				 .name = copy_of(drawing,
		                                 drawing->rank->trace->host.name[step->host_row]),
				 .note = weir_step_state_name(step->state),
				 .track = track_of(drawing, WEIR_DETAIL_STEPS, 0),
				 .stage = NO_STAGE,
			 });
	}
}

static void add_stages(struct drawing *drawing, const uint32_t *row_of_stage)
{
	const struct weir_steps *steps = &drawing->rank->steps;
	const struct weir_host_columns *host = &drawing->rank->trace->host;
	const char **names = weir_alloc((steps->stage_count + 1) * sizeof *names);

	for (size_t i = 0; i < steps->stage_count; i++)
		names[i] = weir_arena_copy(drawing->arena, steps->stages[i].name,
		                           strlen(steps->stages[i].name));
	for (size_t i = 0; i < steps->span_count; i++) {
		const struct weir_span *span = &steps->spans[i];

		add_span(drawing, (struct weir_detail_span){
					  .start_ns = span->start_ns,
					  .end_ns = span->end_ns,
					  .name = names[span->stage],
					  .track = track_of(drawing, WEIR_DETAIL_STAGES,
		                                            host->thread[span->host_row]),
					  .stage = row_of_stage[span->stage],
				  });
	}
	free(names);
}

static void add_gaps(struct drawing *drawing, const uint32_t *row_of_stage)
{
	const struct weir_rank *rank = drawing->rank;

	for (size_t i = 0; i < rank->segments.count; i++) {
		const struct weir_segment *segment = &rank->segments.items[i];
		uint32_t stage = NO_STAGE;

		if (segment->busy)
			continue;
		if (segment->span != WEIR_NONE)
			stage = row_of_stage[rank->steps.spans[segment->span].stage];
		add_span(drawing,
		         (struct weir_detail_span){
				 .start_ns = segment->start_ns,
				 .end_ns = segment->end_ns,
				 .name = weir_idle_name(segment->idle),
				 .track = track_of(drawing, WEIR_DETAIL_IDLE, segment->device),
				 .stage = stage,
			 });
	}
}

/* Returns the name of a piece in the arena; a name of this rank is copied only once. */
static const char *piece_name(struct drawing *drawing, const struct weir_analysis *analysis,
                              const struct weir_path_piece *piece)
{
	const char *name = weir_path_piece_name(analysis, piece);
	bool is_own = &analysis->ranks[piece->rank] == drawing->rank;

	if (!name)
		return weir_path_kind_name((enum weir_path_kind)piece->kind);
	if (is_own && name == weir_names_text(drawing->rank->trace->names, piece->name))
		return copy_of(drawing, piece->name);
	return weir_arena_copy(drawing->arena, name, strlen(name));
}

/* Adds the pieces of the critical path. The note is the kind and, for a piece on another rank,
 * that rank. */
static void add_path(struct drawing *drawing, const struct weir_analysis *analysis,
                     const struct weir_path *path, const uint32_t *row_of_stage)
{
	for (size_t i = 0; i < path->count; i++) {
		const struct weir_path_piece *piece = &path->pieces[i];
		const struct weir_rank *rank = &analysis->ranks[piece->rank];
		const char *kind = weir_path_kind_name((enum weir_path_kind)piece->kind);
		uint32_t stage = NO_STAGE;

		if (rank == drawing->rank && piece->span != WEIR_NONE)
			stage = row_of_stage[rank->steps.spans[piece->span].stage];
		if (rank != drawing->rank)
			kind = weir_arena_format(drawing->arena, "%s, rank %" PRId64, kind,
			                         rank->rank);
		add_span(drawing, (struct weir_detail_span){
					  .start_ns = piece->start_ns,
					  .end_ns = piece->end_ns,
					  .name = piece_name(drawing, analysis, piece),
					  .note = kind,
					  .track = track_of(drawing, WEIR_DETAIL_PATH, 0),
					  .stage = stage,
				  });
	}
}

static const char *const waits_for[WEIR_LATE_BY_COUNT] = {
	[WEIR_LATE_BY_UNKNOWN] = "waits for another rank",
	[WEIR_LATE_BY_DEVICE] = "waits for another rank's device",
	[WEIR_LATE_BY_HOST] = "waits for another rank's host",
};

static void add_wait(struct drawing *drawing, uint32_t row)
{
	const struct weir_device_columns *device = &drawing->rank->trace->device;
	const struct weir_waits *waits = &drawing->rank->waits;
	uint32_t track;

	if (!waits->until_ns || waits->until_ns[row] == INT64_MIN)
		return;
	track = track_of(drawing, WEIR_DETAIL_WAITS, device->stream[row]);
	if (waits->until_ns[row] > device->start_ns[row])
		add_span(drawing, (struct weir_detail_span){
					  .start_ns = device->start_ns[row],
					  .end_ns = waits->until_ns[row],
					  .name = waits_for[waits->by[row]],
					  .note = copy_of(drawing, device->name[row]),
					  .track = track,
					  .stage = NO_STAGE,
				  });
	if (waits->until_ns[row] < device->end_ns[row])
		add_span(drawing, (struct weir_detail_span){
					  .start_ns = waits->until_ns[row],
					  .end_ns = device->end_ns[row],
					  .name = "transfer",
					  .note = copy_of(drawing, device->name[row]),
					  .track = track,
					  .stage = NO_STAGE,
				  });
}

/* Returns the number of the launch of a device row; 0 for one that is not the first of its launch,
 * that starts before it, or whose launch is not in the trace. */
static uint32_t flow_of(struct drawing *drawing, uint32_t row)
{
	const struct weir_trace *trace = drawing->rank->trace;
	uint32_t launch = trace->device.launch[row];

	if (launch == WEIR_NONE || drawing->flows[launch] != 0 ||
	    trace->device.start_ns[row] < trace->host.start_ns[launch])
		return 0;
	return drawing->flows[launch] = ++drawing->detail->flow_count;
}

static void add_work(struct drawing *drawing)
{
	const struct weir_timeline *timeline = &drawing->rank->timeline;
	const struct weir_trace *trace = drawing->rank->trace;

	for (uint32_t i = 0; i < trace->device.count; i++) {
		uint32_t op = timeline->op[i];

		add_span(drawing,
		         (struct weir_detail_span){
				 .start_ns = trace->device.start_ns[i],
				 .end_ns = trace->device.end_ns[i],
				 .name = copy_of(drawing, trace->device.name[i]),
				 .note = op == WEIR_NONE ? NULL
		                                         : copy_of(drawing, trace->host.name[op]),
				 .track = track_of(drawing, WEIR_DETAIL_WORK,
		                                   trace->device.stream[i]),
				 .stage = NO_STAGE,
				 .flow = flow_of(drawing, i),
			 });
	}
}

/* Adds operators, annotations and calls. Python frames are left out: there are too many, and the
 * flame graph has them. */
static void add_host(struct drawing *drawing)
{
	const struct weir_host_columns *host = &drawing->rank->trace->host;

	for (size_t i = 0; i < host->count; i++) {
		if (host->kind[i] == WEIR_HOST_PYTHON || host->kind[i] == WEIR_HOST_OVERHEAD)
			continue;
		add_span(drawing,
		         (struct weir_detail_span){
				 .start_ns = host->start_ns[i],
				 .end_ns = host->end_ns[i],
				 .name = copy_of(drawing, host->name[i]),
				 .track = track_of(drawing, WEIR_DETAIL_HOST, host->thread[i]),
				 .stage = NO_STAGE,
				 .flow = drawing->flows[i],
			 });
	}
}

static int by_track_and_time(const void *left, const void *right)
{
	const struct weir_detail_span *a = left, *b = right;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void number_tracks(struct drawing *drawing)
{
	const struct weir_trace *trace = drawing->rank->trace;
	const size_t numbers[WEIR_DETAIL_KIND_COUNT] = {
		[WEIR_DETAIL_STEPS] = 1,
		[WEIR_DETAIL_STAGES] = trace->thread_count,
		[WEIR_DETAIL_PATH] = 1,
		[WEIR_DETAIL_IDLE] = trace->device_count,
		[WEIR_DETAIL_WAITS] = trace->stream_count,
		[WEIR_DETAIL_WORK] = trace->stream_count,
		[WEIR_DETAIL_HOST] = trace->thread_count,
	};

	for (size_t k = 0; k < WEIR_DETAIL_KIND_COUNT; k++)
		drawing->tracks[k] = weir_alloc((numbers[k] + 1) * sizeof *drawing->tracks[k]);
}

/* Adds all spans of rank r. Waits precede the work, so that work is dropped first if there is too
 * much. */
static void draw_rank(struct drawing *drawing, const struct weir_analysis *analysis,
                      const struct weir_stage_merges *merges, const struct weir_path *path,
                      size_t r)
{
	uint32_t *row_of_stage = weir_stage_merges_of_rank(merges, analysis, r);

	drawing->rank = &analysis->ranks[r];
	drawing->shift_ns = weir_clock_shift(analysis->ranks, r);
	number_tracks(drawing);
	drawing->copies =
		weir_alloc(weir_names_count(drawing->rank->trace->names) * sizeof *drawing->copies);
	for (size_t i = 0; i < drawing->rank->steps.stage_count; i++)
		row_of_stage[i] += (uint32_t)merges->first_row;
	add_steps(drawing);
	add_stages(drawing, row_of_stage);
	if (r == path->rank)
		add_path(drawing, analysis, path, row_of_stage);
	add_gaps(drawing, row_of_stage);
	for (uint32_t i = 0; i < drawing->rank->trace->device.count; i++)
		add_wait(drawing, i);
	drawing->flows =
		weir_alloc((drawing->rank->trace->host.count + 1) * sizeof *drawing->flows);
	add_work(drawing);
	add_host(drawing);
	free(drawing->flows);
	weir_draw_counters(drawing->rank, drawing->shift_ns, drawing->arena, drawing->detail);
	for (size_t k = 0; k < WEIR_DETAIL_KIND_COUNT; k++)
		free(drawing->tracks[k]);
	free(drawing->copies);
	free(row_of_stage);
}

/* ---- overlapping spans move to further tracks ---- */

#define MOST_OPEN 64 /* nesting depth; deeper spans are treated as not fitting */

/* The ends of the open spans on one track, innermost last. */
struct lane {
	int64_t end_ns[MOST_OPEN];
	size_t open;
	uint32_t track; /* WEIR_NONE: not created yet */
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
	return (*a > *b) - (*a < *b); /* keeps the order by time */
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

/* ---- the whole drawing ---- */

static void fill_tracks(const struct weir_analysis *analysis,
                        const struct weir_stage_merges *merges, const struct weir_path *path,
                        struct weir_arena *arena, struct weir_detail *detail)
{
	struct drawing drawing = {.arena = arena, .detail = detail};
	struct weir_detail_span *spans;

	detail->tracks = weir_arena_alloc(arena, WEIR_DETAIL_MAX_TRACKS * sizeof *detail->tracks);
	for (size_t r = 0; r < analysis->rank_count; r++)
		draw_rank(&drawing, analysis, merges, path, r);
	if (detail->span_count > 0)
		qsort(detail->spans, detail->span_count, sizeof *detail->spans, by_track_and_time);
	spans = weir_arena_alloc(arena, (detail->span_count + 1) * sizeof *spans);
	if (detail->span_count > 0)
		memcpy(spans, detail->spans, detail->span_count * sizeof *spans);
	free(detail->spans);
	detail->spans = spans;
	weir_tracks_part(arena, detail);
}

void weir_fill_detail(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                      const struct weir_path *path, struct weir_report *report)
{
	struct weir_detail *detail = weir_arena_alloc(report->arena, sizeof *detail);
	struct weir_flame_builder *builder = weir_flame_builder_new();

	for (size_t r = 0; r < analysis->rank_count; r++)
		weir_stacks_add(builder, &analysis->ranks[r], analysis->rank_count > 1,
		                &analysis->options.settings->aliases);
	weir_flame_finish(builder, report->arena, &detail->flame);
	weir_flame_builder_free(builder);
	fill_tracks(analysis, merges, path, report->arena, detail);
	report->detail = detail;
}
