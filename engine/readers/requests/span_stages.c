/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/requests/span_stages.h"

#define MIN_ROOT_NS 1000
/* Phases that come to so many times the request are in milliseconds, a thousand times as many. */
#define MILLISECONDS_FROM 10

static const char *const stage_names[WEIR_SPAN_STAGES] = {
	[WEIR_SPAN_QUEUE] = "queue",
	[WEIR_SPAN_PREFILL] = "prefill",
	[WEIR_SPAN_QUEUE_PREFILL] = "queue+prefill",
	[WEIR_SPAN_DECODE] = "decode",
	[WEIR_SPAN_INFERENCE] = "inference",
	[WEIR_SPAN_FRONTEND] = "frontend",
	[WEIR_SPAN_PREPROCESS] = "preprocess",
	[WEIR_SPAN_H2D] = "h2d",
	[WEIR_SPAN_COMPUTE] = "compute",
	[WEIR_SPAN_D2H] = "d2h",
	[WEIR_SPAN_POSTPROCESS] = "postprocess",
	[WEIR_SPAN_HTTP_OVERHEAD] = "http_overhead",
	[WEIR_SPAN_GRPC_OVERHEAD] = "grpc_overhead",
	[WEIR_SPAN_HANDLER_OVERHEAD] = "handler_overhead",
	[WEIR_SPAN_ENSEMBLE_SCHEDULER] = "ensemble_scheduler",
};

void weir_span_cutter_init(struct weir_span_cutter *cutter, const struct weir_spans *spans,
                           const struct weir_span_tree *tree)
{
	*cutter = (struct weir_span_cutter){.spans = spans, .tree = tree};
	for (int i = 0; i < WEIR_SPAN_STAGES; i++)
		cutter->stages[i] =
			weir_names_add(spans->names, stage_names[i], strlen(stage_names[i]));
}

void weir_span_cutter_release(struct weir_span_cutter *cutter)
{
	free(cutter->pieces);
	free(cutter->covers);
}

static void add_piece(struct weir_span_cutter *cutter, uint32_t name, int64_t start_ns,
                      int64_t end_ns)
{
	cutter->pieces = weir_grow(cutter->pieces, &cutter->capacity, cutter->count + 1,
	                           sizeof *cutter->pieces);
	cutter->pieces[cutter->count++] = (struct weir_span_piece){start_ns, end_ns, name};
}

static void add_cover(struct weir_span_cutter *cutter, int64_t start_ns, int64_t end_ns)
{
	cutter->covers = weir_grow(cutter->covers, &cutter->cover_capacity, cutter->cover_count + 1,
	                           sizeof *cutter->covers);
	cutter->covers[cutter->cover_count++] = (struct weir_span_interval){start_ns, end_ns};
}

static void cover_children(struct weir_span_cutter *cutter, uint32_t row)
{
	const struct weir_span_tree *tree = cutter->tree;

	cutter->cover_count = 0;
	for (uint32_t i = tree->first_child[row]; i < tree->first_child[row + 1]; i++)
		add_cover(cutter, cutter->spans->start_ns[tree->child[i]],
		          cutter->spans->end_ns[tree->child[i]]);
}

static int by_start(const void *left, const void *right)
{
	const struct weir_span_interval *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static void sort_covers(struct weir_span_cutter *cutter)
{
	for (size_t i = 1; i < cutter->cover_count; i++) {
		if (cutter->covers[i - 1].start_ns <= cutter->covers[i].start_ns)
			continue;
		qsort(cutter->covers, cutter->cover_count, sizeof *cutter->covers, by_start);
		return;
	}
}

/* What of [start, end) no cover holds, as pieces; the union of covers counts, not their sum.
 * Returns the length of them all. */
static int64_t add_uncovered(struct weir_span_cutter *cutter, uint32_t name, int64_t start_ns,
                             int64_t end_ns)
{
	int64_t at = start_ns, total = 0;

	sort_covers(cutter);
	for (size_t i = 0; i < cutter->cover_count && at < end_ns; i++) {
		const struct weir_span_interval cover = cutter->covers[i];
		int64_t until = cover.start_ns < end_ns ? cover.start_ns : end_ns;

		if (until > at) {
			add_piece(cutter, name, at, until);
			total += until - at;
		}
		at = cover.end_ns > at ? cover.end_ns : at;
	}
	if (at < end_ns) {
		add_piece(cutter, name, at, end_ns);
		total += end_ns - at;
	}
	return total;
}

/* A piece of the span that its parent's time does not hold. */
static void add_part(struct weir_span_cutter *cutter, enum weir_span_stage stage, int64_t start_ns,
                     int64_t end_ns)
{
	add_piece(cutter, cutter->stages[stage], start_ns, end_ns);
	add_cover(cutter, start_ns, end_ns);
}

static void cut_plain(struct weir_span_cutter *cutter, uint32_t row)
{
	const struct weir_spans *spans = cutter->spans;
	int64_t start = spans->start_ns[row], end = spans->end_ns[row], total;
	size_t before = cutter->count;

	if (!cutter->cover_count) {
		add_piece(cutter, spans->name[row], start, end);
		return;
	}
	total = add_uncovered(cutter, spans->name[row], start, end);
	if (cutter->tree->parent[row] == WEIR_NONE && total < MIN_ROOT_NS)
		cutter->count = before;
}

/* The phases of a request in their order; WEIR_SPAN_UNKNOWN: not told. */
struct phases {
	int64_t ns[3];
	enum weir_span_stage stage[3];
};

/*
 * vLLM tells the phases; its first engine told the queue and the first token only. SGLang writes
 * the same names and no queue: its prefill contains it.
 */
static struct phases phases_of(const int64_t *figure, int64_t length_ns)
{
	struct phases phases = {{figure[WEIR_FIGURE_QUEUE], figure[WEIR_FIGURE_PREFILL],
	                         figure[WEIR_FIGURE_DECODE]},
	                        {WEIR_SPAN_QUEUE, WEIR_SPAN_PREFILL, WEIR_SPAN_DECODE}};
	int64_t first = figure[WEIR_FIGURE_FIRST_TOKEN], e2e = figure[WEIR_FIGURE_E2E];
	bool told = phases.ns[1] >= 0 || phases.ns[2] >= 0;

	if (!told && figure[WEIR_FIGURE_INFERENCE] >= 0) {
		phases.ns[1] = figure[WEIR_FIGURE_INFERENCE];
		phases.stage[1] = WEIR_SPAN_INFERENCE;
	} else if (!told && phases.ns[0] >= 0 && first >= phases.ns[0]) {
		phases.ns[1] = first - phases.ns[0];
		phases.ns[2] = (e2e > first ? e2e : length_ns) - first;
	}
	if (phases.ns[0] < 0 && phases.stage[1] == WEIR_SPAN_PREFILL)
		phases.stage[1] = WEIR_SPAN_QUEUE_PREFILL;
	return phases;
}

static int64_t unit_of(const struct phases *phases, int64_t length_ns)
{
	int64_t sum = 0;

	for (int i = 0; i < 3; i++)
		sum += phases->ns[i] > 0 ? phases->ns[i] : 0;
	return length_ns > 0 && sum / MILLISECONDS_FROM > length_ns ? 1000 : 1;
}

/* Lays the phases end to end from the span's start; false where there are none. */
static bool cut_phases(struct weir_span_cutter *cutter, uint32_t row)
{
	const struct weir_spans *spans = cutter->spans;
	const int64_t *figure = spans->detail[spans->details[row]].figure;
	int64_t at = spans->start_ns[row], end = spans->end_ns[row], unit;
	struct phases phases = phases_of(figure, end - at);

	if (phases.ns[0] < 0 && phases.ns[1] < 0 && phases.ns[2] < 0)
		return false;
	unit = unit_of(&phases, figure[WEIR_FIGURE_E2E] > 0 ? figure[WEIR_FIGURE_E2E] : end - at);
	if (unit > 1)
		weir_input_warn(spans->input, WEIR_WARN_INCONSISTENT, UINT64_MAX,
		                "phases beyond their request, read as milliseconds");
	for (int i = 0; i < 3; i++) {
		int64_t length = phases.ns[i] / unit;

		if (phases.ns[i] < 0)
			continue;
		length = length < end - at ? length : end - at;
		add_part(cutter, phases.stage[i], at, at + length);
		at += length;
	}
	add_uncovered(cutter, cutter->stages[WEIR_SPAN_FRONTEND], spans->start_ns[row], end);
	return true;
}

static const int64_t *triton_times(const struct weir_spans *spans, uint32_t row)
{
	uint32_t details = spans->details[row];

	if (details == WEIR_NONE || spans->detail[details].triton == WEIR_NONE)
		return NULL;
	return spans->triton[spans->detail[details].triton].at;
}

/* Where computing began: here or, as Triton nests it, in a child that began after the queue. */
static int64_t compute_start(const struct weir_span_cutter *cutter, uint32_t row, int64_t from)
{
	const struct weir_span_tree *tree = cutter->tree;
	const int64_t *at = triton_times(cutter->spans, row);
	int64_t start = at[WEIR_TRITON_COMPUTE_START];

	for (uint32_t i = tree->first_child[row]; start < 0 && i < tree->first_child[row + 1];
	     i++) {
		at = triton_times(cutter->spans, tree->child[i]);
		if (at && at[WEIR_TRITON_COMPUTE_START] >= from)
			start = at[WEIR_TRITON_COMPUTE_START];
	}
	return start;
}

/* A stage between two time stamps, where both are there and in order. */
static void add_between(struct weir_span_cutter *cutter, enum weir_span_stage stage,
                        int64_t start_ns, int64_t end_ns)
{
	if (start_ns >= 0 && end_ns >= start_ns)
		add_part(cutter, stage, start_ns, end_ns);
}

static void add_compute(struct weir_span_cutter *cutter, const int64_t *at)
{
	int64_t in = at[WEIR_TRITON_COMPUTE_INPUT_END], out = at[WEIR_TRITON_COMPUTE_OUTPUT_START];

	if (in < 0 || out < 0) {
		add_between(cutter, WEIR_SPAN_COMPUTE, at[WEIR_TRITON_COMPUTE_START],
		            at[WEIR_TRITON_COMPUTE_END]);
		return;
	}
	add_between(cutter, WEIR_SPAN_H2D, at[WEIR_TRITON_COMPUTE_START], in);
	add_between(cutter, WEIR_SPAN_COMPUTE, in, out);
	add_between(cutter, WEIR_SPAN_D2H, out, at[WEIR_TRITON_COMPUTE_END]);
}

/* From REQUEST_START to REQUEST_END: the queue, computing, and what the server does around them. */
static void cut_handler(struct weir_span_cutter *cutter, uint32_t row, const int64_t *at)
{
	int64_t queued = at[WEIR_TRITON_QUEUE_START], computes = compute_start(cutter, row, queued),
		start = at[WEIR_TRITON_REQUEST_START], end = at[WEIR_TRITON_REQUEST_END];
	bool has_children = cutter->cover_count > 0;

	if (computes >= 0)
		add_between(cutter, WEIR_SPAN_QUEUE, queued, computes);
	add_compute(cutter, at);
	if (start < 0 || end < start)
		return;
	/* A model without computing of its own runs others, one after another. */
	add_uncovered(cutter,
	              cutter->stages[computes < 0 && has_children ? WEIR_SPAN_ENSEMBLE_SCHEDULER
	                                                          : WEIR_SPAN_HANDLER_OVERHEAD],
	              start, end);
	add_cover(cutter, start, end);
}

/* Triton's stages as its own trace_summary.py defines them; triton.md 1.4. */
static void cut_triton(struct weir_span_cutter *cutter, uint32_t row, const int64_t *at)
{
	const struct weir_spans *spans = cutter->spans;
	uint32_t name = spans->name[row];

	cut_handler(cutter, row, at);
	add_between(cutter, WEIR_SPAN_PREPROCESS, at[WEIR_TRITON_HTTP_RECV_START],
	            at[WEIR_TRITON_HTTP_RECV_END]);
	add_between(cutter, WEIR_SPAN_POSTPROCESS, at[WEIR_TRITON_HTTP_SEND_START],
	            at[WEIR_TRITON_HTTP_SEND_END]);
	add_between(cutter, WEIR_SPAN_POSTPROCESS, at[WEIR_TRITON_GRPC_SEND_START],
	            at[WEIR_TRITON_GRPC_SEND_END]);
	if (at[WEIR_TRITON_HTTP_RECV_START] >= 0)
		name = cutter->stages[WEIR_SPAN_HTTP_OVERHEAD];
	else if (at[WEIR_TRITON_GRPC_WAITREAD_END] >= 0)
		name = cutter->stages[WEIR_SPAN_GRPC_OVERHEAD];
	add_uncovered(cutter, name, spans->start_ns[row], spans->end_ns[row]);
}

void weir_span_cut(struct weir_span_cutter *cutter, uint32_t row)
{
	const struct weir_spans *spans = cutter->spans;
	const int64_t *at = triton_times(spans, row);

	cover_children(cutter, row);
	if (at)
		cut_triton(cutter, row, at);
	else if (spans->details[row] == WEIR_NONE || !cut_phases(cutter, row))
		cut_plain(cutter, row);
}
