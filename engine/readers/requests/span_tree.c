/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/requests/span_join.h"
#include "engine/readers/requests/span_tree.h"

/* A span in order of trace and id. Spans with the same trace and id are a run. */
struct place {
	uint64_t high, low, id;
	uint32_t row;
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_identity(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = compare_u64(a->high, b->high);

	order = order ? order : compare_u64(a->low, b->low);
	order = order ? order : compare_u64(a->id, b->id);
	return order ? order : compare_u64(a->row, b->row);
}

static bool same_trace(const struct place *a, const struct place *b)
{
	return a->high == b->high && a->low == b->low;
}

static struct place *sort_places(const struct weir_spans *spans)
{
	struct place *places = weir_alloc((spans->count + 1) * sizeof *places);
	bool sorted = true;

	for (size_t i = 0; i < spans->count; i++) {
		places[i] = (struct place){spans->trace_high[i], spans->trace_low[i], spans->id[i],
		                           (uint32_t)i};
		sorted = sorted && (!i || by_identity(&places[i - 1], &places[i]) < 0);
	}
	if (!sorted)
		qsort(places, spans->count, sizeof *places, by_identity);
	return places;
}

/* A span of a run, or a child of one parent. */
struct timed {
	int64_t start_ns, end_ns;
	uint32_t row;
};

static int by_time(const void *left, const void *right)
{
	const struct timed *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return compare_u64(a->row, b->row);
}

static bool is_repeated(const struct weir_spans *spans, const struct timed *a,
                        const struct timed *b)
{
	return a->start_ns == b->start_ns && a->end_ns == b->end_ns &&
	       spans->parent[a->row] == spans->parent[b->row] &&
	       spans->name[a->row] == spans->name[b->row] &&
	       spans->kind[a->row] == spans->kind[b->row];
}

/* Drops the spans of a run that an export sent again. */
static void drop_repeated(struct weir_spans *spans, const struct place *run, size_t length)
{
	struct timed *timed = weir_alloc(length * sizeof *timed);

	for (size_t i = 0; i < length; i++)
		timed[i] = (struct timed){spans->start_ns[run[i].row], spans->end_ns[run[i].row],
		                          run[i].row};
	qsort(timed, length, sizeof *timed, by_time);
	for (size_t i = 1, kept = 0; i < length; i++) {
		if (!is_repeated(spans, &timed[kept], &timed[i])) {
			kept = i;
			continue;
		}
		spans->flags[timed[i].row] |= WEIR_SPAN_DROPPED;
		weir_input_warn(spans->input, WEIR_WARN_DUPLICATE, UINT64_MAX, "a span");
	}
	free(timed);
}

/* Flags servers that use the id of their client. Zipkin's spans are flagged already; elsewhere, a
 * server and a client with one id show it. */
static void mark_shared(struct weir_spans *spans, const struct place *run, size_t length)
{
	bool client = false;

	for (size_t i = 0; i < length; i++)
		client |= spans->kind[run[i].row] == WEIR_SPAN_CLIENT;
	for (size_t i = 0; client && i < length; i++)
		if (spans->kind[run[i].row] == WEIR_SPAN_SERVER)
			spans->flags[run[i].row] |= WEIR_SPAN_SHARED;
}

/* Settles ids that several spans have. Returns the number of places without dropped spans. */
static size_t settle_runs(struct weir_spans *spans, struct place *places)
{
	size_t kept = 0;

	for (size_t i = 0, end; i < spans->count; i = end) {
		for (end = i + 1; end < spans->count; end++)
			if (!same_trace(&places[i], &places[end]) || places[i].id != places[end].id)
				break;
		if (end - i > 1) {
			drop_repeated(spans, places + i, end - i);
			mark_shared(spans, places + i, end - i);
		}
		for (size_t j = i; j < end; j++)
			if (!(spans->flags[places[j].row] & WEIR_SPAN_DROPPED))
				places[kept++] = places[j];
	}
	return kept;
}

/* Returns the first place of [from, to), all of one trace, with this id or a higher one. */
static size_t find_id(const struct place *places, size_t from, size_t to, uint64_t id)
{
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (places[middle].id < id)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The places of one trace, without duplicates. */
struct stretch {
	const struct place *places;
	size_t from, to;
};

/* Spans of one id that are compared for the best parent: a client and its servers. */
#define MAX_CANDIDATES 16

static uint32_t service_of(const struct weir_spans *spans, uint32_t row)
{
	return spans->resources[spans->resource[row]].service;
}

/* Finds the parent with this id. Prefers one of the child's service, then a server that shares the
 * id over its client: calls of a server are below the server. */
static uint32_t find_span(const struct weir_spans *spans, const struct stretch *trace, uint64_t id,
                          uint32_t child)
{
	uint32_t best = WEIR_NONE;
	int best_rank = -1;
	size_t at = find_id(trace->places, trace->from, trace->to, id), seen = 0;

	for (; at < trace->to && trace->places[at].id == id && seen < MAX_CANDIDATES; at++) {
		uint32_t row = trace->places[at].row;
		int rank;

		seen++;
		rank = service_of(spans, row) == service_of(spans, child) ? 2 : 0;
		rank += spans->flags[row] & WEIR_SPAN_SHARED ? 1 : 0;
		if (row == child || rank <= best_rank)
			continue;
		best = row;
		best_rank = rank;
	}
	return best;
}

/* Finds the client's span of the same id; WEIR_NONE: not found. */
static uint32_t find_client(const struct weir_spans *spans, const struct stretch *trace,
                            uint32_t server)
{
	size_t at = find_id(trace->places, trace->from, trace->to, spans->id[server]), seen = 0;

	for (; at < trace->to && trace->places[at].id == spans->id[server]; at++) {
		uint32_t row = trace->places[at].row;

		if (!(spans->flags[row] & WEIR_SPAN_SHARED))
			return row;
		if (++seen == MAX_CANDIDATES)
			break;
	}
	return WEIR_NONE;
}

static uint32_t find_parent(struct weir_spans *spans, const struct stretch *trace, uint32_t row)
{
	uint32_t parent = WEIR_NONE;

	if (spans->flags[row] & WEIR_SPAN_SHARED)
		parent = find_client(spans, trace, row);
	if (parent != WEIR_NONE || !spans->parent[row])
		return parent;
	if (spans->parent[row] != spans->id[row])
		parent = find_span(spans, trace, spans->parent[row], row);
	if (parent == WEIR_NONE)
		weir_input_warn(spans->input, WEIR_WARN_ORPHAN_SPAN, UINT64_MAX, NULL);
	return parent;
}

static void find_parents(struct weir_spans *spans, const struct place *places, size_t count,
                         uint32_t *parent)
{
	struct stretch trace = {.places = places};

	for (size_t i = 0; i < spans->count; i++)
		parent[i] = WEIR_NONE;
	for (size_t i = 0; i < count; i++) {
		if (i == trace.to) {
			trace.from = i;
			for (trace.to = i + 1; trace.to < count; trace.to++)
				if (!same_trace(&places[i], &places[trace.to]))
					break;
		}
		parent[places[i].row] = find_parent(spans, &trace, places[i].row);
	}
}

/* Makes the earliest span of the circle of parents through `on` a root. */
static void cut_circle(struct weir_spans *spans, uint32_t *parent, uint32_t on)
{
	uint32_t earliest = on;

	for (uint32_t row = parent[on]; row != on; row = parent[row])
		if (spans->start_ns[row] < spans->start_ns[earliest] ||
		    (spans->start_ns[row] == spans->start_ns[earliest] && row < earliest))
			earliest = row;
	parent[earliest] = WEIR_NONE;
	weir_input_warn(spans->input, WEIR_WARN_ORPHAN_SPAN, UINT64_MAX, "a circle of parents");
}

/* Visits each span twice at most: until it meets a known span, and to mark the path as known. */
static void cut_circles(struct weir_spans *spans, uint32_t *parent)
{
	enum { NEW, WALKED, KNOWN };
	uint8_t *state = weir_alloc(spans->count + 1);

	for (size_t i = 0; i < spans->count; i++) {
		uint32_t end, row = (uint32_t)i;

		for (; row != WEIR_NONE && state[row] == NEW; row = parent[row])
			state[row] = WALKED;
		end = row != WEIR_NONE && state[row] == WALKED ? row : WEIR_NONE;
		for (row = (uint32_t)i; row != WEIR_NONE && state[row] == WALKED; row = parent[row])
			state[row] = KNOWN;
		if (end != WEIR_NONE)
			cut_circle(spans, parent, end);
	}
	free(state);
}

/* True for a function of the program outside of any request, as of vLLM's start. */
static bool is_function(const struct weir_spans *spans, uint32_t row)
{
	return spans->flags[row] & WEIR_SPAN_CODE && spans->kind[row] <= WEIR_SPAN_INTERNAL;
}

/* Joins the roots of traces that have several; see span_join.h. The places are in order of trace.
 */
static void join_roots(struct weir_spans *spans, const struct place *places, size_t count,
                       struct weir_span_tree *tree)
{
	uint32_t *roots = NULL;
	size_t root_count = 0, capacity = 0;

	for (size_t i = 0; i < count; i++) {
		if (tree->parent[places[i].row] != WEIR_NONE || is_function(spans, places[i].row))
			continue;
		roots = weir_grow(roots, &capacity, root_count + 1, sizeof *roots);
		roots[root_count++] = places[i].row;
	}
	weir_span_join_roots(spans, roots, root_count, &tree->parent);
	free(roots);
	tree->count = spans->count;
}

static void list_children(const struct weir_spans *spans, struct weir_span_tree *tree)
{
	size_t count = tree->count, sum = 0;
	uint32_t *first = tree->first_child;

	for (size_t i = 0; i < count; i++) {
		if (tree->parent[i] != WEIR_NONE)
			first[tree->parent[i]]++;
		else if (!(spans->flags[i] & WEIR_SPAN_DROPPED))
			tree->roots[tree->root_count++] = (uint32_t)i;
	}
	for (size_t i = 0; i <= count; i++) {
		sum += first[i];
		first[i] = (uint32_t)
			sum; /* end of its children; the loop below makes it their start */
	}
	for (size_t i = count; i-- > 0;)
		if (tree->parent[i] != WEIR_NONE)
			tree->child[--first[tree->parent[i]]] = (uint32_t)i;
}

static void sort_children(const struct weir_spans *spans, struct weir_span_tree *tree)
{
	struct timed *timed = NULL;
	size_t capacity = 0;

	for (size_t i = 0; i < tree->count; i++) {
		uint32_t *child = &tree->child[tree->first_child[i]];
		size_t count = tree->first_child[i + 1] - tree->first_child[i];
		bool sorted = true;

		for (size_t j = 1; sorted && j < count; j++)
			sorted = spans->start_ns[child[j - 1]] <= spans->start_ns[child[j]];
		if (sorted)
			continue;
		timed = weir_grow(timed, &capacity, count, sizeof *timed);
		for (size_t j = 0; j < count; j++)
			timed[j] = (struct timed){spans->start_ns[child[j]], 0, child[j]};
		qsort(timed, count, sizeof *timed, by_time);
		for (size_t j = 0; j < count; j++)
			child[j] = timed[j].row;
	}
	free(timed);
}

/* True if clocks may differ: the hosts differ, or the services if a host is unknown. */
static bool clocks_differ(const struct weir_spans *spans, uint32_t a, uint32_t b)
{
	const struct weir_span_resource *left = &spans->resources[spans->resource[a]],
					*right = &spans->resources[spans->resource[b]];

	if (left->host && right->host)
		return left->host != right->host;
	return left->service && right->service && left->service != right->service;
}

/*
 * Returns the shift that makes a child, which starts at `start`, fit its parent (Jaeger,
 * adjuster/clockskew.go). A child that is longer is moved to the start of its parent if it starts
 * earlier; a shorter one outside of its parent is moved into the middle.
 */
static int64_t shift_into(const struct weir_spans *spans, uint32_t parent, uint32_t child,
                          int64_t start)
{
	const int64_t slack = spans->resolution_ns, parent_start = spans->start_ns[parent],
		      length = spans->end_ns[child] - spans->start_ns[child],
		      room = spans->end_ns[parent] - parent_start;

	if (length > room + slack)
		return start < parent_start - slack ? parent_start - start : 0;
	if (start >= parent_start - slack && start - parent_start <= room - length + slack)
		return 0;
	return parent_start - start + (room - length) / 2;
}

static void move_span(struct weir_spans *spans, uint32_t row, int64_t shift)
{
	const struct weir_span_details *details =
		spans->details[row] == WEIR_NONE ? NULL : &spans->detail[spans->details[row]];

	spans->start_ns[row] += shift;
	spans->end_ns[row] += shift;
	if (!details || details->triton == WEIR_NONE)
		return;
	for (int i = 0; i < WEIR_TRITON_EVENTS; i++)
		if (spans->triton[details->triton].at[i] >= 0)
			spans->triton[details->triton].at[i] += shift;
}

/* Returns the shift of a child whose parent was moved by `inherited`. */
static int64_t skew_of(struct weir_spans *spans, uint32_t parent, uint32_t child, int64_t inherited)
{
	int64_t start = spans->start_ns[child], shift;

	if (!clocks_differ(spans, parent, child))
		return inherited;
	/* The child is on a host with the right clock again. */
	if (!shift_into(spans, parent, child, start))
		return 0;
	shift = inherited + shift_into(spans, parent, child, start + inherited);
	if (shift > WEIR_SPAN_MAX_SKEW_NS || shift < -WEIR_SPAN_MAX_SKEW_NS) {
		weir_input_warn(spans->input, WEIR_WARN_INCONSISTENT, UINT64_MAX,
		                "a span over an hour away from its parent; not moved");
		return inherited;
	}
	if (shift != inherited)
		weir_input_warn(spans->input, WEIR_WARN_CLOCK_SKEW, UINT64_MAX, NULL);
	return shift;
}

/* Moves spans, parents before their children. */
static void adjust_clocks(struct weir_spans *spans, const struct weir_span_tree *tree)
{
	uint32_t *order = weir_alloc((tree->count + 1) * sizeof *order);
	int64_t *shift = weir_alloc((tree->count + 1) * sizeof *shift);
	size_t count = tree->root_count;

	memcpy(order, tree->roots, count * sizeof *order);
	for (size_t i = 0; i < count; i++) {
		uint32_t row = order[i];

		for (uint32_t c = tree->first_child[row]; c < tree->first_child[row + 1]; c++) {
			uint32_t child = tree->child[c];

			shift[child] = skew_of(spans, row, child, shift[row]);
			if (shift[child])
				move_span(spans, child, shift[child]);
			order[count++] = child;
		}
	}
	free(order);
	free(shift);
}

void weir_span_tree_build(struct weir_spans *spans, struct weir_span_tree *tree)
{
	struct place *places = sort_places(spans);
	size_t count = settle_runs(spans, places);

	*tree = (struct weir_span_tree){
		.parent = weir_alloc((spans->count + 1) * sizeof(uint32_t)),
	};
	find_parents(spans, places, count, tree->parent);
	cut_circles(spans, tree->parent);
	join_roots(spans, places, count, tree);
	free(places); /* the largest table; the others come after it */
	count = tree->count;
	tree->first_child = weir_alloc((count + 1) * sizeof(uint32_t));
	tree->child = weir_alloc((count + 1) * sizeof(uint32_t));
	tree->roots = weir_alloc((count + 1) * sizeof(uint32_t));
	list_children(spans, tree);
	adjust_clocks(spans, tree);
	sort_children(spans, tree);
}

void weir_span_tree_release(struct weir_span_tree *tree)
{
	free(tree->parent);
	free(tree->first_child);
	free(tree->child);
	free(tree->roots);
}
