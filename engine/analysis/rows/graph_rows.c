/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/kernels.h"
#include "engine/analysis/ranks/graph_operators.h"
#include "engine/analysis/requests/joining.h"
#include "engine/analysis/rows/rows.h"
#include "engine/analysis/time/distribution.h"
#include "engine/analysis/timeline/idle.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/stats/quantile.h"

/*
 * A gap inside a replay is unrecorded work or waiting if its median is more than UNRECORDED_GAPS
 * times the median gap of the graph, and longer than the device's usual gap between queued kernels
 * (WEIR_INTER_KERNEL_NS). Profilers record only the first turn of a loop inside a graph, so that
 * the other turns look like a gap; so do callbacks to the host, and work that the profiler lost.
 */
#define UNRECORDED_GAPS 10.0
/* Fewest replays for this judgement, so that a single stall does not count as a gap. */
#define UNRECORDED_REPLAYS 3

/* A graph body on one rank. */
struct entry {
	const struct weir_rank *rank;
	uint32_t body;
	double busy_ns; /* sum over all entries of its row, once they are grouped */
};

static const struct weir_graph_body *body_of(const struct entry *entry)
{
	return &entry->rank->graphs.bodies[entry->body];
}

static const struct weir_graph_replay *replay_of(const struct entry *entry, size_t index)
{
	const struct weir_graphs *graphs = &entry->rank->graphs;

	return &graphs->replays[graphs->replays_by_body[body_of(entry)->first_replay + index]];
}

static int by_signature(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	uint64_t x = body_of(a)->signature, y = body_of(b)->signature;

	if (x != y)
		return x < y ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->body > b->body) - (a->body < b->body);
}

/* Sorts rows by time, the largest first; entries of one row stay together. */
static int by_busy(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->busy_ns != b->busy_ns)
		return a->busy_ns > b->busy_ns ? -1 : 1;
	return by_signature(left, right);
}

static bool same_row(const struct entry *a, const struct entry *b)
{
	return weir_graph_same_body(a->rank->trace, &a->rank->graphs, body_of(a), b->rank->trace,
	                            &b->rank->graphs, body_of(b));
}

static size_t end_of_row(const struct entry *entries, size_t first, size_t count)
{
	size_t end = first + 1;

	while (end < count && same_row(&entries[first], &entries[end]))
		end++;
	return end;
}

static struct entry *collect(const struct weir_analysis *analysis, size_t *count)
{
	struct entry *entries;
	size_t total = 0;

	*count = 0;
	for (size_t r = 0; r < analysis->rank_count; r++)
		total += analysis->ranks[r].graphs.body_count;
	entries = weir_alloc((total + 1) * sizeof *entries);
	for (size_t r = 0; r < analysis->rank_count; r++)
		for (uint32_t b = 0; b < analysis->ranks[r].graphs.body_count; b++)
			entries[(*count)++] =
				(struct entry){.rank = &analysis->ranks[r], .body = b};
	qsort(entries, *count, sizeof *entries, by_signature);
	for (size_t i = 0, end; i < *count; i = end) {
		double busy_ns = 0;

		end = end_of_row(entries, i, *count);
		for (size_t k = i; k < end; k++)
			busy_ns += (double)body_of(&entries[k])->busy_ns;
		for (size_t k = i; k < end; k++)
			entries[k].busy_ns = busy_ns;
	}
	qsort(entries, *count, sizeof *entries, by_busy);
	return entries;
}

/* ---- one graph ---- */

/* The entries of one row, and the number of their replays. */
struct row {
	const struct weir_analysis *analysis;
	struct weir_report *report;
	const struct entry *entries;
	size_t count, replays;
};

typedef double (*measure_fn)(const struct entry *entry, const struct weir_graph_replay *replay,
                             size_t position);

/* Measures every replay of the row at `position` and returns `values`, which must have room for
 * row->replays. */
static double *measured(const struct row *row, measure_fn measure, size_t position, double *values)
{
	size_t at = 0;

	for (size_t e = 0; e < row->count; e++)
		for (size_t i = 0; i < body_of(&row->entries[e])->replay_count; i++)
			values[at++] =
				measure(&row->entries[e], replay_of(&row->entries[e], i), position);
	return values;
}

static double median(const struct row *row, measure_fn measure, size_t position, double *values)
{
	return weir_quantile_select(measured(row, measure, position, values), row->replays, 0.5);
}

static double span_ns(const struct entry *entry, const struct weir_graph_replay *replay,
                      size_t position)
{
	(void)entry;
	(void)position;
	return (double)weir_span_ns(replay->start_ns, replay->end_ns);
}

static double busy_ns(const struct entry *entry, const struct weir_graph_replay *replay,
                      size_t position)
{
	(void)entry;
	(void)position;
	return (double)replay->busy_ns;
}

static double idle_ns(const struct entry *entry, const struct weir_graph_replay *replay,
                      size_t position)
{
	return span_ns(entry, replay, position) - busy_ns(entry, replay, position);
}

static uint32_t row_at(const struct entry *entry, const struct weir_graph_replay *replay,
                       size_t position)
{
	return entry->rank->graphs.rows[replay->first + position];
}

static double kernel_ns(const struct entry *entry, const struct weir_graph_replay *replay,
                        size_t position)
{
	const struct weir_device_columns *device = &entry->rank->trace->device;
	uint32_t row = row_at(entry, replay, position);

	return (double)weir_span_ns(device->start_ns[row], device->end_ns[row]);
}

static double offset_ns(const struct entry *entry, const struct weir_graph_replay *replay,
                        size_t position)
{
	return (double)weir_span_ns(
		replay->start_ns,
		entry->rank->trace->device.start_ns[row_at(entry, replay, position)]);
}

static double gap_ns(const struct entry *entry, const struct weir_graph_replay *replay,
                     size_t position)
{
	return (double)entry->rank->graphs.gap_ns[replay->first + position];
}

static const char *copy(struct weir_report *report, const char *text)
{
	return weir_arena_copy(report->arena, text, strlen(text));
}

static const char *shown(struct weir_report *report, const char *name)
{
	struct weir_text text = {0};
	const char *out;

	weir_kernel_display(name, &text);
	out = copy(report, text.length ? text.data : WEIR_OTHER_WORK);
	weir_text_release(&text);
	return out;
}

/* Fills operator and work of a position from the first rank. */
static void fill_operator(const struct row *row, size_t position, struct weir_graph_position *out)
{
	const struct weir_rank *rank = row->entries->rank;
	size_t at = body_of(row->entries)->first_position + position;
	const struct weir_graph_work *work;

	out->flops = out->bytes = out->tflops = out->gbps = out->efficiency = NAN;
	if (!rank->graph_source || rank->graph_ops[at].op_row == WEIR_NONE)
		return;
	work = &rank->graph_works[at];
	out->op = copy(row->report, weir_timeline_host_name(&rank->graph_source->timeline,
	                                                    rank->graph_ops[at].op_row));
	out->roofline = work->roofline.roofline;
	if (work->work.confidence == WEIR_MODEL_NONE)
		return;
	out->flops = work->work.flops;
	out->bytes = work->work.bytes;
	out->tflops = work->roofline.tflops;
	out->gbps = work->roofline.gbps;
	out->efficiency = work->roofline.efficiency;
}

static void fill_position(const struct row *row, size_t position, struct weir_graph_position *out)
{
	const struct entry *first = row->entries;
	const struct weir_device_columns *device = &first->rank->trace->device;
	uint32_t at = weir_graph_row(&first->rank->graphs, body_of(first), position);
	const char *name = weir_timeline_device_name(&first->rank->timeline, at);

	out->kernel = shown(row->report, name);
	out->kind = weir_family_name(weir_kernel_family(name));
	out->blocks = device->blocks[at];
	out->threads_per_block = device->threads_per_block[at];
	if (position > 0 &&
	    device->stream[at] != device->stream[weir_graph_row(&first->rank->graphs,
	                                                        body_of(first), position - 1)])
		out->stream = out[-1].stream + 1;
	else if (position > 0)
		out->stream = out[-1].stream;
	fill_operator(row, position, out);
}

struct positions {
	const struct row *row;
	struct weir_graph_position *items;
};

static void measure_position(void *context, size_t position)
{
	const struct positions *positions = context;
	const struct row *row = positions->row;
	struct weir_graph_position *out = &positions->items[position];
	double *values = weir_alloc((row->replays + 1) * sizeof *values);

	out->duration =
		weir_distribution_of(measured(row, kernel_ns, position, values), row->replays);
	out->offset_ns = median(row, offset_ns, position, values);
	out->gap_ns = median(row, gap_ns, position, values);
	free(values);
}

/* Returns the time in gaps that are far longer than the others; NAN with too few replays. */
static double unrecorded_ns(const struct weir_graph_row *graph)
{
	double limit = fmax(UNRECORDED_GAPS * graph->gap_p50_ns, WEIR_INTER_KERNEL_NS);
	double sum_ns = 0;

	if (graph->replays < UNRECORDED_REPLAYS)
		return NAN;
	for (size_t p = 0; p < graph->position_count; p++)
		if (graph->positions[p].gap_ns > limit)
			sum_ns += graph->positions[p].gap_ns;
	return sum_ns;
}

/* Fills the figures about gaps between positions. No gap precedes the first position in time. */
static void fill_gaps(struct weir_graph_row *out)
{
	double *gaps = weir_alloc((out->position_count + 1) * sizeof *gaps), widest_ns = 0;
	size_t count = 0;

	for (size_t p = 0; p < out->position_count; p++) {
		double gap = out->positions[p].gap_ns;

		if (out->positions[p].offset_ns > 0)
			gaps[count++] = gap;
		if (gap > widest_ns) {
			widest_ns = gap;
			out->widest = (double)p;
		}
	}
	if (count > 0)
		out->gap_p50_ns = weir_quantile_select(gaps, count, 0.5);
	if (count > 1)
		out->unrecorded_ns = unrecorded_ns(out);
	free(gaps);
}

/* Returns the stage of its rank that launched the replay; WEIR_NONE: outside every stage. */
static uint32_t stage_of_replay(const struct entry *entry, const struct weir_graph_replay *replay)
{
	const struct weir_steps *steps = &entry->rank->steps;
	uint32_t span = steps->row_span[row_at(entry, replay, 0)];

	return span == WEIR_NONE ? WEIR_NONE : steps->spans[span].stage;
}

/* Returns the stage in which all replays with a recorded launch were launched; NULL: none, or more
 * than one. */
static const char *stage_of(const struct row *row)
{
	const char *stage = NULL;

	for (size_t e = 0; e < row->count; e++) {
		const struct entry *entry = &row->entries[e];

		for (size_t i = 0; i < body_of(entry)->replay_count; i++) {
			uint32_t of = stage_of_replay(entry, replay_of(entry, i));
			const char *name;

			if (!replay_of(entry, i)->certain)
				continue;
			if (of == WEIR_NONE)
				return NULL;
			name = entry->rank->steps.stages[of].name;
			if (stage && strcmp(stage, name) != 0)
				return NULL;
			stage = name;
		}
	}
	return stage ? copy(row->report, stage) : NULL;
}

static const char *source_of(const struct row *row)
{
	const struct weir_analysis *analysis = row->analysis;
	const struct weir_rank *source = row->entries->rank->graph_source;

	if (!source)
		return NULL;
	return copy(
		row->report,
		analysis->profile->inputs[analysis->rank_inputs[source - analysis->ranks]].path);
}

/* With fewer launches, starting threads takes longer than measuring in one. */
#define LAUNCHES_FOR_THREADS 50000

static void fill_positions(const struct row *row, struct weir_graph_row *out, size_t *room)
{
	struct positions positions = {.row = row};
	double total_ns = 0;

	if (out->nodes > *room)
		return;
	*room -= out->nodes;
	out->position_count = out->nodes;
	out->positions = weir_arena_alloc(row->report->arena, out->nodes * sizeof *out->positions);
	for (size_t p = 0; p < out->nodes; p++)
		fill_position(row, p, &out->positions[p]);
	positions.items = out->positions;
	weir_pool_run(
		out->nodes,
		out->nodes * row->replays < LAUNCHES_FOR_THREADS ? 1 : weir_pool_width(out->nodes),
		measure_position, &positions);
	for (size_t p = 0; p < out->nodes; p++)
		total_ns += out->positions[p].duration.total_ns;
	for (size_t p = 0; p < out->nodes; p++)
		out->positions[p].share =
			total_ns > 0 ? out->positions[p].duration.total_ns / total_ns : NAN;
	fill_gaps(out);
}

static void fill_row(struct row *row, double all_ns, size_t *room)
{
	struct weir_graph_row *out = &row->report->graphs[row->report->graph_count++];
	const struct weir_graph_body *body = body_of(row->entries);
	double *values;

	row->replays = 0;
	for (size_t e = 0; e < row->count; e++)
		row->replays += body_of(&row->entries[e])->replay_count;
	values = weir_alloc((row->replays + 1) * sizeof *values);
	*out = (struct weir_graph_row){
		.signature = weir_arena_format(row->report->arena, "%016" PRIx64, body->signature),
		.stage = stage_of(row),
		.replays = row->replays,
		.nodes = body->nodes,
		.streams = body->streams,
		.matched = weir_graph_matched(row->entries->rank, body),
		.share = all_ns > 0 ? row->entries->busy_ns / all_ns : NAN,
		.span = weir_distribution_of(measured(row, span_ns, 0, values), row->replays),
		.gap_p50_ns = NAN,
		.unrecorded_ns = NAN,
		.widest = NAN,
	};
	out->busy = weir_distribution_of(measured(row, busy_ns, 0, values), row->replays);
	out->idle = weir_distribution_of(measured(row, idle_ns, 0, values), row->replays);
	if (out->matched > 0) {
		out->confidence = weir_graph_confidence(row->entries->rank, body);
		out->source = source_of(row);
	}
	fill_positions(row, out, room);
	free(values);
}

/* ---- notes ---- */

static const char *name_of(const struct weir_graph_row *graph)
{
	return graph->stage ? graph->stage : "-";
}

static void note_unrecorded(struct weir_report *report)
{
	for (size_t g = 0; g < report->graph_count; g++) {
		const struct weir_graph_row *graph = &report->graphs[g];

		if (!(graph->unrecorded_ns > 0))
			continue;
		weir_report_note(
			report, "graph_unrecorded",
			"%.0f %% of each replay of graph %.8s (%s) is idle, mostly before "
			"position %.0f: unrecorded work (of a loop inside a graph only the "
			"first iteration is recorded), or waiting",
			100 * graph->unrecorded_ns / graph->span.p50_ns, graph->signature,
			name_of(graph), graph->widest);
		return; /* the table lists the other graphs */
	}
}

static void note_operators(struct weir_report *report)
{
	uint64_t matched = 0, nodes = 0;

	for (size_t g = 0; g < report->graph_count; g++) {
		matched += report->graphs[g].matched;
		nodes += report->graphs[g].nodes;
	}
	if (matched > 0)
		weir_report_note(report, "graph_operators",
		                 "operators of %" PRIu64 " of %" PRIu64
		                 " graph positions were taken from the same sequence of kernels "
		                 "launched eagerly",
		                 matched, nodes);
}

void weir_fill_graphs(const struct weir_analysis *analysis, struct weir_report *report)
{
	struct row row = {.analysis = analysis, .report = report};
	size_t count, room = WEIR_MAX_GRAPH_POSITION_ROWS;
	struct entry *entries = collect(analysis, &count);
	double all_ns = 0;

	for (size_t r = 0; r < analysis->rank_count; r++)
		all_ns += (double)analysis->ranks[r].busy_ns;
	if (count > 0)
		report->graphs = weir_arena_alloc(report->arena,
		                                  WEIR_MAX_GRAPH_ROWS * sizeof *report->graphs);
	for (size_t i = 0, end; i < count && report->graph_count < WEIR_MAX_GRAPH_ROWS; i = end) {
		end = end_of_row(entries, i, count);
		row.entries = &entries[i];
		row.count = end - i;
		fill_row(&row, all_ns, &room);
	}
	free(entries);
	note_unrecorded(report);
	note_operators(report);
}
