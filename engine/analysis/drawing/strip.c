/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/drawing/strip.h"
#include "engine/analysis/drawing/strip_lanes.h"
#include "engine/analysis/names/apis.h"
#include "engine/analysis/names/kernels.h"
#include "engine/base/arena.h"

#define OPENED_SHARE 4  /* operators of this part of the strip are shown by what they call */
#define LOOK_AHEAD   32 /* host rows in which an operator's first operator is looked for */
#define LOOK_BACK    64 /* device rows before the interval that may reach into it */
#define LONG_LEAD    2  /* durations of a step between its launches and the end of its work */

/* The interval that is drawn, on the clock of the trace. */
struct strip {
	const struct weir_rank *rank;
	uint32_t step;
	int64_t from_ns, to_ns;
	struct weir_strip_builder *out;
};

/* ---- operators of a thread ---- */

/* An operator that is shown by what it calls; the time between is its own. */
struct opened {
	uint32_t row;
	int64_t shown_until_ns;
};

#define MOST_OPENED 32

struct host_walk {
	const struct strip *strip;
	struct weir_strip_lane_builder *lane;
	struct opened opened[MOST_OPENED];
	size_t depth;
	int64_t hidden_until_ns; /* operators before this time are inside a shown one */
};

static void add_operator(const struct host_walk *walk, uint32_t row, int64_t start_ns,
                         int64_t end_ns)
{
	weir_strip_add(walk->strip->out, walk->lane, WEIR_STRIP_OPERATOR,
	               walk->strip->rank->trace->host.name[row], start_ns, end_ns);
}

/* Shows the own time of the innermost opened operator up to an instant. */
static void show_own(struct host_walk *walk, int64_t until_ns)
{
	struct opened *top = &walk->opened[walk->depth - 1];

	add_operator(walk, top->row, top->shown_until_ns, until_ns);
	if (until_ns > top->shown_until_ns)
		top->shown_until_ns = until_ns;
}

/* Closes the opened operators that end at or before an instant. */
static void close_until(struct host_walk *walk, int64_t at_ns)
{
	const int64_t *end_ns = walk->strip->rank->trace->host.end_ns;

	while (walk->depth > 0 && end_ns[walk->opened[walk->depth - 1].row] <= at_ns) {
		int64_t until_ns = end_ns[walk->opened[walk->depth - 1].row];

		show_own(walk, until_ns);
		walk->depth--;
		if (walk->depth > 0)
			walk->opened[walk->depth - 1].shown_until_ns = until_ns;
	}
}

/* Returns true if an operator runs inside the row, as far as the next rows tell. */
static bool calls_operators(const struct host_walk *walk, uint32_t row)
{
	const struct weir_host_columns *host = &walk->strip->rank->trace->host;

	for (size_t i = row + 1; i < host->count && i <= (size_t)row + LOOK_AHEAD; i++) {
		if (host->thread[i] != host->thread[row] || host->start_ns[i] >= host->end_ns[row])
			return false;
		if (host->kind[i] == WEIR_HOST_OP)
			return true;
	}
	return false;
}

static void walk_operator(struct host_walk *walk, uint32_t row)
{
	const struct weir_host_columns *host = &walk->strip->rank->trace->host;
	int64_t start_ns = host->start_ns[row], end_ns = host->end_ns[row];
	int64_t length_ns = weir_span_ns(walk->strip->from_ns, walk->strip->to_ns);

	if (start_ns < walk->hidden_until_ns)
		return;
	close_until(walk, start_ns);
	if (walk->depth > 0)
		show_own(walk, start_ns);
	if (walk->depth < MOST_OPENED &&
	    weir_span_ns(start_ns, end_ns) > length_ns / OPENED_SHARE &&
	    calls_operators(walk, row)) {
		walk->opened[walk->depth++] = (struct opened){row, start_ns};
		return;
	}
	add_operator(walk, row, start_ns, end_ns);
	if (walk->depth > 0)
		walk->opened[walk->depth - 1].shown_until_ns = end_ns;
	walk->hidden_until_ns = end_ns;
}

/* Returns the first row of [first, end) that starts at or after an instant. */
static size_t first_from(const int64_t *start_ns, size_t first, size_t end, int64_t at_ns)
{
	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (start_ns[middle] < at_ns)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* Lists the rows that are open at the start of the strip, outermost first: the last row before it
 * and those around that one. */
static size_t rows_open(const struct strip *strip, size_t first, size_t at,
                        uint32_t rows[MOST_OPENED])
{
	const struct weir_host_columns *host = &strip->rank->trace->host;
	uint32_t row = at > first ? (uint32_t)at - 1 : WEIR_NONE;
	size_t count = 0;

	for (; row != WEIR_NONE; row = strip->rank->timeline.parent[row]) {
		if (host->end_ns[row] <= strip->from_ns)
			continue;
		if (count == MOST_OPENED)
			memmove(&rows[0], &rows[1], --count * sizeof *rows);
		rows[count++] = row;
	}
	for (size_t i = 0; i < count / 2; i++) {
		uint32_t other = rows[count - 1 - i];

		rows[count - 1 - i] = rows[i];
		rows[i] = other;
	}
	return count;
}

static enum weir_strip_kind kind_of_call(uint8_t class)
{
	switch ((enum weir_api_class) class) {
	case WEIR_API_LAUNCH:
	case WEIR_API_GRAPH_LAUNCH:
	case WEIR_API_COPY_ASYNC:
	case WEIR_API_SET:
		return WEIR_STRIP_LAUNCH;
	case WEIR_API_SYNC:
	case WEIR_API_COPY_BLOCKING:
		return WEIR_STRIP_WAIT;
	case WEIR_API_OTHER:
	case WEIR_API_ALLOC:
	case WEIR_API_ALLOC_ASYNC:
	case WEIR_API_MODULE:
	case WEIR_API_CAPTURE:
	case WEIR_API_CAPTURE_BEGIN:
	case WEIR_API_CAPTURE_END:
	case WEIR_API_EVENT:
	case WEIR_API_STREAM_WAIT:
	case WEIR_API_QUERY:
	case WEIR_API_SYSTEM:
	case WEIR_API_SYSTEM_FILE:
	case WEIR_API_SYSTEM_WAIT:
	case WEIR_API_CLASS_COUNT:
		break;
	}
	return WEIR_STRIP_CALL;
}

/* Adds a driver or runtime call that no other call makes. System calls are parts of their
 * callers. */
static void add_call(const struct strip *strip, struct weir_strip_lane_builder *lane, uint32_t row)
{
	const struct weir_timeline *timeline = &strip->rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	uint8_t class = timeline->api_class[host->name[row]];

	if (host->kind[row] != WEIR_HOST_API || weir_api_is_system((enum weir_api_class) class))
		return;
	weir_strip_add(strip->out, lane, kind_of_call(class), host->name[row], host->start_ns[row],
	               host->end_ns[row]);
}

static void add_thread(const struct strip *strip, uint32_t thread)
{
	const struct weir_trace *trace = strip->rank->trace;
	int64_t number = trace->threads[thread].tid;
	struct host_walk walk = {.strip = strip,
	                         .lane = weir_strip_lane(strip->out, WEIR_STRIP_HOST, number),
	                         .hidden_until_ns = INT64_MIN};
	struct weir_strip_lane_builder *calls =
		weir_strip_lane(strip->out, WEIR_STRIP_CALLS, number);
	uint32_t open[MOST_OPENED];
	size_t first, end, at, count;

	weir_timeline_thread_rows(&strip->rank->timeline, thread, &first, &end);
	at = first_from(trace->host.start_ns, first, end, strip->from_ns);
	count = rows_open(strip, first, at, open);
	for (size_t i = 0; i < count; i++) {
		if (trace->host.kind[open[i]] == WEIR_HOST_OP)
			walk_operator(&walk, open[i]);
		add_call(strip, calls, open[i]);
	}
	for (; at < end && trace->host.start_ns[at] < strip->to_ns; at++) {
		if (trace->host.kind[at] == WEIR_HOST_OP)
			walk_operator(&walk, (uint32_t)at);
		add_call(strip, calls, (uint32_t)at);
	}
	close_until(&walk, INT64_MAX);
}

/* ---- threads that launch the step's work ---- */

static void add_threads(const struct strip *strip)
{
	const struct weir_trace *trace = strip->rank->trace;
	const struct weir_step *step = &strip->rank->steps.steps[strip->step];
	uint64_t *launches = weir_alloc((trace->thread_count + 1) * sizeof *launches);

	launches[trace->host.thread[step->host_row]] = 1; /* without launches, the step's own */
	for (size_t i = 0; i < strip->out->own_count; i++) {
		uint32_t launch = trace->device.launch[strip->out->own[i]];

		if (launch != WEIR_NONE)
			launches[trace->host.thread[launch]] += 2;
	}
	for (size_t n = 0; n < WEIR_STRIP_MAX_THREADS; n++) {
		size_t best = 0;

		for (size_t t = 1; t < trace->thread_count; t++)
			if (launches[t] > launches[best])
				best = t;
		if (trace->thread_count == 0 || launches[best] == 0)
			break;
		add_thread(strip, (uint32_t)best);
		launches[best] = 0;
	}
	free(launches);
}

static void add_stages(const struct strip *strip)
{
	const struct weir_steps *steps = &strip->rank->steps;
	const struct weir_span_track *track;
	struct weir_strip_lane_builder *lane;

	if (steps->tracks.count == 0)
		return;
	track = &steps->tracks.items[steps->tracks.main];
	lane = weir_strip_lane(strip->out, WEIR_STRIP_STAGES, 0);
	for (size_t i = weir_instants_until(track->time_ns, track->count, strip->from_ns);
	     i <= track->count; i++) {
		int64_t end_ns = i < track->count ? track->time_ns[i] : INT64_MAX;

		if (i > 0 && track->span[i - 1] != WEIR_NONE)
			weir_strip_add(strip->out, lane, WEIR_STRIP_STAGE,
			               steps->spans[track->span[i - 1]].stage,
			               track->time_ns[i - 1], end_ns);
		if (end_ns >= strip->to_ns)
			break;
	}
}

/* ---- devices ---- */

static void add_gaps(const struct strip *strip, size_t device)
{
	const struct weir_segments *segments = &strip->rank->segments;
	struct weir_strip_lane_builder *lane = weir_strip_lane(
		strip->out, WEIR_STRIP_GAPS, strip->rank->trace->devices[device].id);

	for (size_t i = weir_segments_after(segments, device, strip->from_ns);
	     i < segments->count && segments->items[i].device == device &&
	     segments->items[i].start_ns < strip->to_ns;
	     i++)
		if (!segments->items[i].busy)
			weir_strip_add(strip->out, lane, WEIR_STRIP_IDLE, segments->items[i].idle,
			               segments->items[i].start_ns, segments->items[i].end_ns);
}

static enum weir_strip_kind kind_of_work(const struct strip *strip, size_t row)
{
	if (strip->rank->steps.row_step[row] != strip->step)
		return WEIR_STRIP_OTHER_STEP;
	switch ((enum weir_work_class)strip->rank->timeline.work[row]) {
	case WEIR_WORK_COMM:
		return WEIR_STRIP_COMMUNICATION;
	case WEIR_WORK_COPY:
		return WEIR_STRIP_COPY;
	case WEIR_WORK_COMPUTE:
	case WEIR_WORK_COUNT:
		break;
	}
	return WEIR_STRIP_COMPUTE;
}

/* Finds the rows of a device in the strip: [*first, *end). */
static void rows_of_device(const struct strip *strip, size_t device, size_t *first, size_t *end)
{
	const struct weir_device_columns *rows = &strip->rank->trace->device;
	size_t begin = strip->rank->timeline.first_row[device];

	*end = strip->rank->timeline.first_row[device + 1];
	*first = first_from(rows->start_ns, begin, *end, strip->from_ns);
	*end = first_from(rows->start_ns, *first, *end, strip->to_ns);
	for (size_t back = 1; back <= LOOK_BACK && *first >= begin + back; back++)
		if (rows->end_ns[*first - back] > strip->from_ns) {
			*first -= back;
			back = 0;
		}
}

static bool in_strip(const struct strip *strip, size_t row)
{
	const struct weir_device_columns *rows = &strip->rank->trace->device;

	return rows->end_ns[row] > strip->from_ns && rows->start_ns[row] < strip->to_ns;
}

/* Sums the time of each stream in the strip, and lists the rows of the step. */
static void measure_device(const struct strip *strip, size_t device, int64_t *stream_ns)
{
	const struct weir_device_columns *rows = &strip->rank->trace->device;
	size_t first, end;

	rows_of_device(strip, device, &first, &end);
	for (size_t i = first; i < end; i++) {
		if (!in_strip(strip, i))
			continue;
		stream_ns[rows->stream[i]] =
			weir_add_ns(stream_ns[rows->stream[i]],
		                    1 + weir_span_ns(rows->start_ns[i], rows->end_ns[i]));
		if (strip->rank->steps.row_step[i] == strip->step)
			weir_strip_own(strip->out, (uint32_t)i);
	}
}

static void add_stream(const struct strip *strip, uint32_t stream)
{
	const struct weir_trace *trace = strip->rank->trace;
	struct weir_strip_lane_builder *lane =
		weir_strip_lane(strip->out, WEIR_STRIP_STREAM, trace->streams[stream].id);
	size_t first, end;

	rows_of_device(strip, trace->streams[stream].device, &first, &end);
	for (size_t i = first; i < end; i++)
		if (trace->device.stream[i] == stream)
			weir_strip_add(strip->out, lane, kind_of_work(strip, i),
			               trace->device.name[i], trace->device.start_ns[i],
			               trace->device.end_ns[i]);
}

/* Keeps the streams with most time: sets that of the others to 0. Returns how many have any. */
static uint64_t choose_streams(const struct weir_trace *trace, int64_t *stream_ns)
{
	int64_t *sorted = weir_alloc((trace->stream_count + 1) * sizeof *sorted);
	uint64_t working = 0;
	int64_t least_ns = 1;
	size_t kept = 0;

	for (size_t s = 0; s < trace->stream_count; s++)
		if (stream_ns[s] > 0)
			sorted[working++] = stream_ns[s];
	weir_instants_sort(sorted, working);
	if (working > WEIR_STRIP_MAX_STREAMS)
		least_ns = sorted[working - WEIR_STRIP_MAX_STREAMS];
	for (size_t s = 0; s < trace->stream_count; s++)
		if (stream_ns[s] < least_ns || kept++ >= WEIR_STRIP_MAX_STREAMS)
			stream_ns[s] = 0;
	free(sorted);
	return working;
}

static bool device_works(const struct weir_trace *trace, size_t device, const int64_t *stream_ns)
{
	for (size_t s = 0; s < trace->stream_count; s++)
		if (trace->streams[s].device == device && stream_ns[s] > 0)
			return true;
	return false;
}

static void add_lanes(const struct strip *strip, struct weir_strip *out)
{
	const struct weir_trace *trace = strip->rank->trace;
	int64_t *stream_ns = weir_alloc((trace->stream_count + 1) * sizeof *stream_ns);

	for (size_t d = 0; d < trace->device_count; d++)
		measure_device(strip, d, stream_ns);
	add_stages(strip);
	add_threads(strip);
	for (size_t d = 0; d < trace->device_count; d++)
		if (device_works(trace, d, stream_ns) && out->devices++ < WEIR_STRIP_MAX_DEVICES)
			add_gaps(strip, d);
	out->streams = choose_streams(trace, stream_ns);
	for (uint32_t s = 0; s < trace->stream_count; s++)
		if (stream_ns[s] > 0)
			add_stream(strip, s);
	free(stream_ns);
}

/* ---- the strip ---- */

/* Appends the name that people know a span by. */
static void name_span(const void *context, enum weir_strip_kind kind, uint32_t name,
                      struct weir_text *out)
{
	const struct weir_rank *rank = ((const struct strip *)context)->rank;

	switch (kind) {
	case WEIR_STRIP_STAGE:
		weir_text_puts(out, rank->steps.stages[name].name);
		return;
	case WEIR_STRIP_IDLE:
		weir_text_puts(out, weir_idle_name((enum weir_idle)name));
		return;
	case WEIR_STRIP_COMPUTE:
	case WEIR_STRIP_COMMUNICATION:
	case WEIR_STRIP_COPY:
	case WEIR_STRIP_OTHER_STEP:
		weir_kernel_display(weir_names_text(rank->trace->names, name), out);
		return;
	case WEIR_STRIP_OPERATOR:
	case WEIR_STRIP_LAUNCH:
	case WEIR_STRIP_WAIT:
	case WEIR_STRIP_CALL:
	case WEIR_STRIP_KIND_COUNT:
		break;
	}
	weir_text_puts(out, weir_names_text(rank->trace->names, name));
}

/* Returns end - start; negative if the end comes first. The ends of the range stand for more. */
static int64_t signed_span_ns(int64_t start_ns, int64_t end_ns)
{
	return end_ns >= start_ns ? weir_span_ns(start_ns, end_ns)
	                          : -weir_span_ns(end_ns, start_ns);
}

/* Chooses the interval: all of the step or, if its work runs long after its launches, its time on
 * the devices, where other steps are on the host. */
static void choose_interval(struct strip *strip, const struct weir_step *step)
{
	strip->from_ns = step->start_ns;
	strip->to_ns = step->end_ns;
	if (step->device_rows == 0)
		return;
	if (step->device_start_ns < strip->from_ns)
		strip->from_ns = step->device_start_ns;
	if (step->device_end_ns > strip->to_ns)
		strip->to_ns = step->device_end_ns;
	if (weir_span_ns(strip->from_ns, strip->to_ns) / LONG_LEAD <= step->period_ns)
		return;
	strip->from_ns = step->device_start_ns;
	strip->to_ns = step->device_end_ns;
}

const struct weir_strip *weir_strip_new(const struct weir_rank *rank, uint32_t step,
                                        struct weir_arena *arena)
{
	const struct weir_step *at = &rank->steps.steps[step];
	bool has_work = at->device_rows > 0;
	struct strip strip = {.rank = rank, .step = step};
	struct weir_strip *out;
	const char *name = weir_timeline_host_name(&rank->timeline, at->host_row);

	choose_interval(&strip, at);
	if (strip.to_ns <= strip.from_ns || at->period_ns > WEIR_LONGEST_NS ||
	    weir_span_ns(strip.from_ns, strip.to_ns) > WEIR_LONGEST_NS ||
	    weir_span_ns(at->start_ns, strip.from_ns) > WEIR_LONGEST_NS)
		return NULL;
	out = weir_arena_alloc(arena, sizeof *out);
	*out = (struct weir_strip){
		.step = weir_arena_copy(arena, name, strlen(name)),
		.rank = rank->rank,
		.period_ns = at->period_ns,
		.length_ns = weir_span_ns(strip.from_ns, strip.to_ns),
		.host_start_ns = signed_span_ns(strip.from_ns, at->start_ns),
		.host_end_ns = signed_span_ns(strip.from_ns, at->end_ns),
		.device_start_ns = has_work ? weir_span_ns(strip.from_ns, at->device_start_ns) : -1,
		.device_end_ns = has_work ? weir_span_ns(strip.from_ns, at->device_end_ns) : -1,
	};
	strip.out = weir_strip_builder_new(strip.from_ns, strip.to_ns);
	add_lanes(&strip, out);
	weir_strip_finish(strip.out, name_span, &strip, arena, out);
	return out;
}
