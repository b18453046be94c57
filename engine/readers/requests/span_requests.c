/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/requests/span_requests.h"
#include "engine/readers/requests/span_tree.h"

#define MIN_ROOT_NS 1000
/* Phases are in ms, not in s, if they are this number of times as long as the request. */
#define MILLISECONDS_FROM 10

/*
 * ---- stages of one span ----
 *
 * A span's own time, without that of its children, goes under its name; the attributes
 * gen_ai.latency.* and Triton's time stamps split it further.
 */

/* Stages that do not have the name of a span. */
enum stage {
	STAGE_QUEUE,
	STAGE_PREFILL,
	STAGE_QUEUE_PREFILL,
	STAGE_DECODE,
	STAGE_INFERENCE,
	STAGE_FRONTEND,
	STAGE_PREPROCESS,
	STAGE_H2D,
	STAGE_COMPUTE,
	STAGE_D2H,
	STAGE_POSTPROCESS,
	STAGE_HTTP_OVERHEAD,
	STAGE_GRPC_OVERHEAD,
	STAGE_HANDLER_OVERHEAD,
	STAGE_ENSEMBLE_SCHEDULER,
	STAGES
};

/* A piece [start, end) of a span's own time, under a name of the spans' table. */
struct piece {
	int64_t start_ns, end_ns;
	uint32_t name;
};

struct interval {
	int64_t start_ns, end_ns;
};

/* Cuts one span after another into pieces. Borrows spans and tree. */
struct cutter {
	const struct weir_spans *spans;
	const struct weir_span_tree *tree;
	uint32_t stages[STAGES]; /* names */
	struct piece *pieces;
	size_t count, capacity;
	struct interval *covers; /* parts of the span that are not its own time */
	size_t cover_count, cover_capacity;
};

static const char *const stage_names[STAGES] = {
	[STAGE_QUEUE] = "queue",
	[STAGE_PREFILL] = "prefill",
	[STAGE_QUEUE_PREFILL] = "queue+prefill",
	[STAGE_DECODE] = "decode",
	[STAGE_INFERENCE] = "inference",
	[STAGE_FRONTEND] = "frontend",
	[STAGE_PREPROCESS] = "preprocess",
	[STAGE_H2D] = "h2d",
	[STAGE_COMPUTE] = "compute",
	[STAGE_D2H] = "d2h",
	[STAGE_POSTPROCESS] = "postprocess",
	[STAGE_HTTP_OVERHEAD] = "http_overhead",
	[STAGE_GRPC_OVERHEAD] = "grpc_overhead",
	[STAGE_HANDLER_OVERHEAD] = "handler_overhead",
	[STAGE_ENSEMBLE_SCHEDULER] = "ensemble_scheduler",
};

static void cutter_init(struct cutter *cutter, const struct weir_spans *spans,
                        const struct weir_span_tree *tree)
{
	*cutter = (struct cutter){.spans = spans, .tree = tree};
	for (int i = 0; i < STAGES; i++)
		cutter->stages[i] =
			weir_names_add(spans->names, stage_names[i], strlen(stage_names[i]));
}

static void cutter_release(struct cutter *cutter)
{
	free(cutter->pieces);
	free(cutter->covers);
}

static void add_piece(struct cutter *cutter, uint32_t name, int64_t start_ns, int64_t end_ns)
{
	cutter->pieces = weir_grow(cutter->pieces, &cutter->capacity, cutter->count + 1,
	                           sizeof *cutter->pieces);
	cutter->pieces[cutter->count++] = (struct piece){start_ns, end_ns, name};
}

static void add_cover(struct cutter *cutter, int64_t start_ns, int64_t end_ns)
{
	cutter->covers = weir_grow(cutter->covers, &cutter->cover_capacity, cutter->cover_count + 1,
	                           sizeof *cutter->covers);
	cutter->covers[cutter->cover_count++] = (struct interval){start_ns, end_ns};
}

static void cover_children(struct cutter *cutter, uint32_t row)
{
	const struct weir_span_tree *tree = cutter->tree;

	cutter->cover_count = 0;
	for (uint32_t i = tree->first_child[row]; i < tree->first_child[row + 1]; i++)
		add_cover(cutter, cutter->spans->start_ns[tree->child[i]],
		          cutter->spans->end_ns[tree->child[i]]);
}

static int by_start(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static void sort_covers(struct cutter *cutter)
{
	for (size_t i = 1; i < cutter->cover_count; i++) {
		if (cutter->covers[i - 1].start_ns <= cutter->covers[i].start_ns)
			continue;
		qsort(cutter->covers, cutter->cover_count, sizeof *cutter->covers, by_start);
		return;
	}
}

/* Adds pieces for the parts of [start, end) outside of the union of the covers. Returns the sum of
 * their lengths. */
static int64_t add_uncovered(struct cutter *cutter, uint32_t name, int64_t start_ns, int64_t end_ns)
{
	int64_t at = start_ns, total = 0;

	sort_covers(cutter);
	for (size_t i = 0; i < cutter->cover_count && at < end_ns; i++) {
		const struct interval cover = cutter->covers[i];
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

/* Adds a piece that is not the span's own time. */
static void add_stage(struct cutter *cutter, enum stage stage, int64_t start_ns, int64_t end_ns)
{
	add_piece(cutter, cutter->stages[stage], start_ns, end_ns);
	add_cover(cutter, start_ns, end_ns);
}

static void cut_plain(struct cutter *cutter, uint32_t row)
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

/* The phases of a request in their order; WEIR_SPAN_UNKNOWN: not given. */
struct phases {
	int64_t ns[3];
	enum stage stage[3];
};

/*
 * vLLM states the phases; its first engine stated only the queue and the first token. SGLang uses
 * the same names but has no queue: its prefill includes it.
 */
static struct phases phases_of(const int64_t *figure, int64_t length_ns)
{
	struct phases phases = {{figure[WEIR_FIGURE_QUEUE], figure[WEIR_FIGURE_PREFILL],
	                         figure[WEIR_FIGURE_DECODE]},
	                        {STAGE_QUEUE, STAGE_PREFILL, STAGE_DECODE}};
	int64_t first = figure[WEIR_FIGURE_FIRST_TOKEN], e2e = figure[WEIR_FIGURE_E2E];
	bool given = phases.ns[1] >= 0 || phases.ns[2] >= 0;

	if (!given && figure[WEIR_FIGURE_INFERENCE] >= 0) {
		phases.ns[1] = figure[WEIR_FIGURE_INFERENCE];
		phases.stage[1] = STAGE_INFERENCE;
	} else if (!given && phases.ns[0] >= 0 && first >= phases.ns[0]) {
		phases.ns[1] = first - phases.ns[0];
		phases.ns[2] = (e2e > first ? e2e : length_ns) - first;
	}
	if (phases.ns[0] < 0 && phases.stage[1] == STAGE_PREFILL)
		phases.stage[1] = STAGE_QUEUE_PREFILL;
	return phases;
}

static int64_t unit_of(const struct phases *phases, int64_t length_ns)
{
	int64_t sum = 0;

	for (int i = 0; i < 3; i++)
		sum += phases->ns[i] > 0 ? phases->ns[i] : 0;
	return length_ns > 0 && sum / MILLISECONDS_FROM > length_ns ? 1000 : 1;
}

/* Lays the phases end to end from the span's start. Returns false without phases. */
static bool cut_phases(struct cutter *cutter, uint32_t row)
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
		                "phases longer than their request, read as milliseconds");
	for (int i = 0; i < 3; i++) {
		int64_t length = phases.ns[i] / unit;

		if (phases.ns[i] < 0)
			continue;
		length = length < end - at ? length : end - at;
		add_stage(cutter, phases.stage[i], at, at + length);
		at += length;
	}
	add_uncovered(cutter, cutter->stages[STAGE_FRONTEND], spans->start_ns[row], end);
	return true;
}

static const int64_t *triton_times(const struct weir_spans *spans, uint32_t row)
{
	uint32_t details = spans->details[row];

	if (details == WEIR_NONE || spans->detail[details].triton == WEIR_NONE)
		return NULL;
	return spans->triton[spans->detail[details].triton].at;
}

/* Returns the start of computation: in this span or, as Triton nests them, in a child that began
 * after the queue. */
static int64_t compute_start(const struct cutter *cutter, uint32_t row, int64_t from)
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

/* Adds a stage between two time stamps if both exist and are in order. */
static void add_between(struct cutter *cutter, enum stage stage, int64_t start_ns, int64_t end_ns)
{
	if (start_ns >= 0 && end_ns >= start_ns)
		add_stage(cutter, stage, start_ns, end_ns);
}

static void add_compute(struct cutter *cutter, const int64_t *at)
{
	int64_t in = at[WEIR_TRITON_COMPUTE_INPUT_END], out = at[WEIR_TRITON_COMPUTE_OUTPUT_START];

	if (in < 0 || out < 0) {
		add_between(cutter, STAGE_COMPUTE, at[WEIR_TRITON_COMPUTE_START],
		            at[WEIR_TRITON_COMPUTE_END]);
		return;
	}
	add_between(cutter, STAGE_H2D, at[WEIR_TRITON_COMPUTE_START], in);
	add_between(cutter, STAGE_COMPUTE, in, out);
	add_between(cutter, STAGE_D2H, out, at[WEIR_TRITON_COMPUTE_END]);
}

/* Cuts REQUEST_START to REQUEST_END into queue, computation and the server's overhead. */
static void cut_handler(struct cutter *cutter, uint32_t row, const int64_t *at)
{
	int64_t queued = at[WEIR_TRITON_QUEUE_START], computes = compute_start(cutter, row, queued),
		start = at[WEIR_TRITON_REQUEST_START], end = at[WEIR_TRITON_REQUEST_END];
	bool has_children = cutter->cover_count > 0;

	if (computes >= 0)
		add_between(cutter, STAGE_QUEUE, queued, computes);
	add_compute(cutter, at);
	if (start < 0 || end < start)
		return;
	/* A model that does not compute runs other models, one after another. */
	add_uncovered(cutter,
	              cutter->stages[computes < 0 && has_children ? STAGE_ENSEMBLE_SCHEDULER
	                                                          : STAGE_HANDLER_OVERHEAD],
	              start, end);
	add_cover(cutter, start, end);
}

/* Cuts a span into Triton's stages, as its qa/common/trace_summary.py defines them. */
static void cut_triton(struct cutter *cutter, uint32_t row, const int64_t *at)
{
	const struct weir_spans *spans = cutter->spans;
	uint32_t name = spans->name[row];

	cut_handler(cutter, row, at);
	add_between(cutter, STAGE_PREPROCESS, at[WEIR_TRITON_HTTP_RECV_START],
	            at[WEIR_TRITON_HTTP_RECV_END]);
	add_between(cutter, STAGE_POSTPROCESS, at[WEIR_TRITON_HTTP_SEND_START],
	            at[WEIR_TRITON_HTTP_SEND_END]);
	add_between(cutter, STAGE_POSTPROCESS, at[WEIR_TRITON_GRPC_SEND_START],
	            at[WEIR_TRITON_GRPC_SEND_END]);
	if (at[WEIR_TRITON_HTTP_RECV_START] >= 0)
		name = cutter->stages[STAGE_HTTP_OVERHEAD];
	else if (at[WEIR_TRITON_GRPC_WAITREAD_END] >= 0)
		name = cutter->stages[STAGE_GRPC_OVERHEAD];
	add_uncovered(cutter, name, spans->start_ns[row], spans->end_ns[row]);
}

/* Appends the pieces of a span, in order of start for each name. Pieces of a root with children are
 * dropped if they sum to less than 1 us: they lie between two clock readings. */
static void cut_span(struct cutter *cutter, uint32_t row)
{
	const struct weir_spans *spans = cutter->spans;
	const int64_t *at = triton_times(spans, row);

	cover_children(cutter, row);
	if (at)
		cut_triton(cutter, row, at);
	else if (spans->details[row] == WEIR_NONE || !cut_phases(cutter, row))
		cut_plain(cutter, row);
}

/* ---- requests from trees ---- */

struct builder {
	struct weir_spans *spans;
	struct weir_span_tree tree;
	struct cutter cutter;
	struct weir_requests *requests;
	uint16_t *stage_of; /* by name: the stage + 1; 0: not looked up yet */
	uint32_t *stack;    /* rows still to visit */
	size_t depth, stack_capacity;
	uint64_t clients; /* requests that only a client saw */
};

/* Figures of one tree; the first span in order of the tree that has one counts. */
struct summary {
	int64_t figure[WEIR_FIGURES];
	bool genai;
	bool served; /* a server has a span of it */
};

static void note_figures(struct summary *summary, const struct weir_spans *spans, uint32_t root,
                         uint32_t row)
{
	const int64_t *figure;

	summary->served |= spans->kind[row] == WEIR_SPAN_SERVER;
	summary->genai |= (spans->flags[row] & WEIR_SPAN_GENAI) != 0;
	if (spans->details[row] == WEIR_NONE)
		return;
	figure = spans->detail[spans->details[row]].figure;
	for (int i = 0; i < WEIR_FIGURES; i++) {
		if (summary->figure[i] != WEIR_SPAN_UNKNOWN || figure[i] < 0)
			continue;
		summary->figure[i] = figure[i];
		if (i == WEIR_FIGURE_FIRST_TOKEN)
			summary->figure[i] += spans->start_ns[row] - spans->start_ns[root];
	}
}

static void push(struct builder *builder, uint32_t row)
{
	builder->stack = weir_grow(builder->stack, &builder->stack_capacity, builder->depth + 1,
	                           sizeof *builder->stack);
	builder->stack[builder->depth++] = row;
}

/* Collects pieces and figures of a tree, each span before its children, these in order. */
static void walk_tree(struct builder *builder, uint32_t root, struct summary *summary)
{
	const struct weir_span_tree *tree = &builder->tree;

	*summary = (struct summary){0};
	for (int i = 0; i < WEIR_FIGURES; i++)
		summary->figure[i] = WEIR_SPAN_UNKNOWN;
	builder->cutter.count = 0;
	push(builder, root);
	while (builder->depth) {
		uint32_t row = builder->stack[--builder->depth];

		cut_span(&builder->cutter, row);
		note_figures(summary, builder->spans, root, row);
		for (uint32_t i = tree->first_child[row + 1]; i > tree->first_child[row]; i--)
			push(builder, tree->child[i - 1]);
	}
}

static uint8_t stage_of(struct builder *builder, uint32_t name)
{
	const struct weir_names *names = builder->spans->names;

	if (!builder->stage_of[name])
		builder->stage_of[name] =
			(uint16_t)(weir_requests_stage(builder->requests,
		                                       weir_names_text(names, name),
		                                       weir_names_length(names, name)) +
		                   1);
	return (uint8_t)(builder->stage_of[name] - 1);
}

/* Clips pieces to the request: time after the response is no waiting. Returns the number left. */
static size_t clip_pieces(struct piece *pieces, size_t count, int64_t start, int64_t end)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct piece piece = pieces[i];
		bool instant = piece.start_ns == piece.end_ns;

		piece.start_ns = piece.start_ns > start ? piece.start_ns : start;
		piece.end_ns = piece.end_ns < end ? piece.end_ns : end;
		if (piece.start_ns < piece.end_ns || (instant && piece.start_ns == piece.end_ns))
			pieces[kept++] = piece;
	}
	return kept;
}

/* Adds one part per stage, for trees with more pieces than a request has parts. */
static void add_sums(struct builder *builder, const struct piece *pieces, size_t count,
                     int64_t start)
{
	int64_t sum[WEIR_MAX_REQUEST_STAGES] = {0}, first[WEIR_MAX_REQUEST_STAGES] = {0};
	bool met[WEIR_MAX_REQUEST_STAGES] = {false};

	for (size_t i = 0; i < count; i++) {
		uint8_t stage = stage_of(builder, pieces[i].name);
		int64_t length = pieces[i].end_ns - pieces[i].start_ns;

		if (!met[stage] || pieces[i].start_ns < first[stage])
			first[stage] = pieces[i].start_ns;
		met[stage] = true;
		sum[stage] = sum[stage] < WEIR_SPAN_MAX_NS - length ? sum[stage] + length
		                                                    : WEIR_SPAN_MAX_NS;
	}
	for (int i = 0; i < WEIR_MAX_REQUEST_STAGES; i++)
		if (met[i])
			weir_requests_add_part_at(builder->requests, (uint8_t)i, first[i] - start,
			                          sum[i]);
}

static void add_parts(struct builder *builder, uint32_t root)
{
	const struct weir_spans *spans = builder->spans;
	struct piece *pieces = builder->cutter.pieces;
	int64_t start = spans->start_ns[root];
	size_t count = clip_pieces(pieces, builder->cutter.count, start, spans->end_ns[root]);

	if (count > WEIR_MAX_REQUEST_PARTS) {
		add_sums(builder, pieces, count, start);
		return;
	}
	for (size_t i = 0; i < count; i++)
		weir_requests_add_part_at(builder->requests, stage_of(builder, pieces[i].name),
		                          pieces[i].start_ns - start,
		                          pieces[i].end_ns - pieces[i].start_ns);
}

static struct weir_request describe(const struct builder *builder, uint32_t root,
                                    const struct summary *summary)
{
	struct weir_request request = weir_request_unknown();
	int64_t first = summary->figure[WEIR_FIGURE_FIRST_TOKEN];

	request.start_ns = builder->spans->start_ns[root];
	request.end_ns = builder->spans->end_ns[root];
	if (summary->figure[WEIR_FIGURE_BATCH] > 0)
		request.batch_size = summary->figure[WEIR_FIGURE_BATCH];
	request.tokens = summary->figure[WEIR_FIGURE_TOKENS];
	request.padded_tokens = summary->figure[WEIR_FIGURE_PADDED_TOKENS];
	request.output_tokens = summary->figure[WEIR_FIGURE_OUTPUT_TOKENS];
	if (first >= 0 && first <= request.end_ns - request.start_ns)
		request.first_token_ns = first;
	return request;
}

/* True for a tree of vLLM's own start: functions of the program outside of any request. */
static bool is_startup(const struct builder *builder, uint32_t root, const struct summary *summary)
{
	const struct weir_spans *spans = builder->spans;

	if (!(spans->flags[root] & WEIR_SPAN_CODE) || spans->kind[root] > WEIR_SPAN_INTERNAL)
		return false;
	for (int i = 0; i < WEIR_FIGURES; i++)
		if (summary->figure[i] != WEIR_SPAN_UNKNOWN)
			return false;
	return !summary->genai;
}

static void add_request(struct builder *builder, uint32_t root, const struct summary *summary)
{
	struct weir_request request = describe(builder, root, summary);

	add_parts(builder, root);
	weir_requests_add(builder->requests, &request);
	builder->clients += builder->spans->kind[root] == WEIR_SPAN_CLIENT && !summary->served;
}

/* Adds the requests of one outcome, and returns the number of those of the other one. */
static size_t add_requests(struct builder *builder, bool failed)
{
	size_t others = 0;

	for (size_t i = 0; i < builder->tree.root_count; i++) {
		uint32_t root = builder->tree.roots[i];
		struct summary summary;

		walk_tree(builder, root, &summary);
		if (is_startup(builder, root, &summary))
			continue;
		if (((builder->spans->flags[root] & WEIR_SPAN_FAILED) != 0) == failed)
			add_request(builder, root, &summary);
		else
			others++;
	}
	return others;
}

/* Fails with the number of unusable spans of each kind. */
static enum weir_status fail_unusable(const struct weir_spans *spans, struct weir_error *err)
{
	static const struct {
		enum weir_warning_code code;
		const char *fault;
	} reasons[] = {
		{WEIR_WARN_SKIPPED_EVENT, "without an id"},
		{WEIR_WARN_NO_TIME, "without a start"},
		{WEIR_WARN_UNFINISHED, "without an end"},
		{WEIR_WARN_NEGATIVE_DURATION, "with an end before their start"},
	};
	struct weir_text text = {0};
	enum weir_status status;

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		uint64_t count = spans->input->warnings[reasons[i].code].count;

		if (count)
			weir_text_printf(&text, "%s%" PRIu64 " %s", text.length ? ", " : "", count,
			                 reasons[i].fault);
	}
	status = weir_fail(err, WEIR_E_EMPTY,
	                   "no usable span in it, of %" PRIu64
	                   " found: %s; expected spans with ids, start and end",
	                   spans->found, text.data);
	weir_text_release(&text);
	return status;
}

static enum weir_status build(struct builder *builder, struct weir_error *err)
{
	struct weir_requests *requests = builder->requests;

	requests->failed = add_requests(builder, false);
	if (!requests->count && requests->failed) {
		requests->all_failed = true;
		requests->failed = add_requests(builder, true);
	}
	for (uint64_t i = 0; i < requests->failed; i++)
		weir_input_warn(builder->spans->input, WEIR_WARN_FAILED_REQUEST, UINT64_MAX, NULL);
	if (!requests->count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "start-up spans only (code.function), no request: send requests "
		                 "while the server is traced");
	requests->client = builder->clients == requests->count;
	/* Triton traces one of `rate` requests, 1000 by default; other formats do not state it. */
	requests->sampled = builder->spans->triton_count > 0;
	weir_requests_finish(requests);
	return WEIR_OK;
}

enum weir_status weir_span_requests_build(struct weir_spans *spans, const char *hint,
                                          struct weir_error *err)
{
	struct builder builder = {.spans = spans};
	enum weir_status status;

	if (!spans->found)
		return weir_fail(err, WEIR_E_EMPTY, "no span in it; %s", hint);
	if (!spans->count)
		return fail_unusable(spans, err);
	weir_span_tree_build(spans, &builder.tree);
	cutter_init(&builder.cutter, spans, &builder.tree);
	builder.requests = spans->input->requests = weir_requests_new();
	builder.requests->time_base = WEIR_TIME_UNIX;
	builder.stage_of = weir_alloc(weir_names_count(spans->names) * sizeof *builder.stage_of);
	status = build(&builder, err);
	spans->input->events = spans->found;
	free(builder.stage_of);
	free(builder.stack);
	cutter_release(&builder.cutter);
	weir_span_tree_release(&builder.tree);
	return status;
}
