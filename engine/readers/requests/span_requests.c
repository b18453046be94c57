/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/requests/span_requests.h"
#include "engine/readers/requests/span_stages.h"

struct builder {
	struct weir_spans *spans;
	struct weir_span_tree tree;
	struct weir_span_cutter cutter;
	struct weir_requests *requests;
	uint16_t *stage_of; /* by name; 0: none yet, else the stage + 1 */
	uint32_t *stack;    /* rows that are still to be visited */
	size_t depth, stack_capacity;
	uint64_t startups; /* trees that are no requests */
	uint64_t clients;
};

/* What the spans of one tree say of it; the first in order of the tree counts. */
struct told {
	int64_t figure[WEIR_FIGURES];
	bool genai;
	bool served; /* a server tells of it as well */
};

static void note_figures(struct told *told, const struct weir_spans *spans, uint32_t root,
                         uint32_t row)
{
	const int64_t *figure;

	told->served |= spans->kind[row] == WEIR_SPAN_SERVER;
	told->genai |= (spans->flags[row] & WEIR_SPAN_GENAI) != 0;
	if (spans->details[row] == WEIR_NONE)
		return;
	figure = spans->detail[spans->details[row]].figure;
	for (int i = 0; i < WEIR_FIGURES; i++) {
		if (told->figure[i] != WEIR_SPAN_UNKNOWN || figure[i] < 0)
			continue;
		told->figure[i] = figure[i];
		if (i == WEIR_FIGURE_FIRST_TOKEN)
			told->figure[i] += spans->start_ns[row] - spans->start_ns[root];
	}
}

static void push(struct builder *builder, uint32_t row)
{
	builder->stack = weir_grow(builder->stack, &builder->stack_capacity, builder->depth + 1,
	                           sizeof *builder->stack);
	builder->stack[builder->depth++] = row;
}

/* Pieces and figures of a whole tree, each span before its children and those in their order. */
static void walk_tree(struct builder *builder, uint32_t root, struct told *told)
{
	const struct weir_span_tree *tree = &builder->tree;

	*told = (struct told){0};
	for (int i = 0; i < WEIR_FIGURES; i++)
		told->figure[i] = WEIR_SPAN_UNKNOWN;
	builder->cutter.count = 0;
	push(builder, root);
	while (builder->depth) {
		uint32_t row = builder->stack[--builder->depth];

		weir_span_cut(&builder->cutter, row);
		note_figures(told, builder->spans, root, row);
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

/* Keeps what lies within the request; the number of pieces left. */
static size_t clip_pieces(struct weir_span_piece *pieces, size_t count, int64_t start, int64_t end)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct weir_span_piece piece = pieces[i];
		bool instant = piece.start_ns == piece.end_ns;

		piece.start_ns = piece.start_ns > start ? piece.start_ns : start;
		piece.end_ns = piece.end_ns < end ? piece.end_ns : end;
		if (piece.start_ns < piece.end_ns || (instant && piece.start_ns == piece.end_ns))
			pieces[kept++] = piece;
	}
	return kept;
}

/* A tree of more pieces than a request has parts: one part for each stage of it. */
static void add_sums(struct builder *builder, const struct weir_span_piece *pieces, size_t count,
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
	struct weir_span_piece *pieces = builder->cutter.pieces;
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
                                    const struct told *told)
{
	struct weir_request request = weir_request_unknown();
	int64_t first = told->figure[WEIR_FIGURE_FIRST_TOKEN];

	request.start_ns = builder->spans->start_ns[root];
	request.end_ns = builder->spans->end_ns[root];
	if (told->figure[WEIR_FIGURE_BATCH] > 0)
		request.batch_size = told->figure[WEIR_FIGURE_BATCH];
	request.tokens = told->figure[WEIR_FIGURE_TOKENS];
	request.padded_tokens = told->figure[WEIR_FIGURE_PADDED_TOKENS];
	request.output_tokens = told->figure[WEIR_FIGURE_OUTPUT_TOKENS];
	if (first >= 0 && first <= request.end_ns - request.start_ns)
		request.first_token_ns = first;
	return request;
}

/* vLLM traces its start as well: functions of the program, below no request. */
static bool is_startup(const struct builder *builder, uint32_t root, const struct told *told)
{
	const struct weir_spans *spans = builder->spans;

	if (!(spans->flags[root] & WEIR_SPAN_CODE) || spans->kind[root] > WEIR_SPAN_INTERNAL)
		return false;
	for (int i = 0; i < WEIR_FIGURES; i++)
		if (told->figure[i] != WEIR_SPAN_UNKNOWN)
			return false;
	return !told->genai;
}

static void add_request(struct builder *builder, uint32_t root)
{
	struct weir_request request;
	struct told told;

	walk_tree(builder, root, &told);
	if (is_startup(builder, root, &told)) {
		builder->startups++;
		return;
	}
	request = describe(builder, root, &told);
	add_parts(builder, root);
	weir_requests_add(builder->requests, &request);
	builder->clients += builder->spans->kind[root] == WEIR_SPAN_CLIENT && !told.served;
}

/* Spans were found, and none of them could be used: says how many there were of each kind. */
static enum weir_status fail_unusable(const struct weir_spans *spans, struct weir_error *err)
{
	static const struct {
		enum weir_warning_code code;
		const char *what;
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
			                 reasons[i].what);
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

	for (size_t i = 0; i < builder->tree.root_count; i++)
		add_request(builder, builder->tree.roots[i]);
	if (!requests->count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "start-up spans only (code.function), no request: send requests "
		                 "while the server is traced");
	requests->client = builder->clients == requests->count;
	/* Triton traces one request of `rate`, 1000 where nothing is said, in this mode as in its
	 * own; other spans do not say. */
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
	weir_span_cutter_init(&builder.cutter, spans, &builder.tree);
	builder.requests = spans->input->requests = weir_requests_new();
	builder.requests->time_base = WEIR_TIME_UNIX;
	builder.stage_of = weir_alloc(weir_names_count(spans->names) * sizeof *builder.stage_of);
	status = build(&builder, err);
	spans->input->events = spans->found;
	free(builder.stage_of);
	free(builder.stack);
	weir_span_cutter_release(&builder.cutter);
	weir_span_tree_release(&builder.tree);
	return status;
}
