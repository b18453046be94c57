/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/graphs/graphs.h"
#include "engine/analysis/graphs/graphs_impl.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/base/rowmap.h"

/* Counts the rows of each replay; one with work outside the windows is left out, as 0 nodes. */
static void count_rows(struct weir_graphs *graphs, const struct weir_groups *groups,
                       uint32_t *replay_of, size_t count)
{
	uint8_t *outside = weir_alloc(graphs->replay_count + 1);

	for (size_t i = 0; i < count; i++)
		if (replay_of[i] != WEIR_NONE && groups->row_call[i] == WEIR_NONE)
			outside[replay_of[i]] = 1;
	for (size_t i = 0; i < count; i++) {
		if (replay_of[i] != WEIR_NONE && outside[replay_of[i]])
			replay_of[i] = WEIR_NONE;
		if (replay_of[i] != WEIR_NONE)
			graphs->replays[replay_of[i]].nodes++;
	}
	free(outside);
}

/* Rows of one replay together, in order of the device's clock. */
static void gather_rows(struct weir_graphs *graphs, const uint32_t *replay_of, size_t count)
{
	size_t at = 0;

	for (size_t r = 0; r < graphs->replay_count; r++) {
		graphs->replays[r].first = at;
		at += graphs->replays[r].nodes;
	}
	graphs->row_count = at;
	graphs->rows = weir_alloc((at + 1) * sizeof *graphs->rows);
	graphs->gap_ns = weir_alloc((at + 1) * sizeof *graphs->gap_ns);
	for (size_t i = 0; i < count; i++)
		if (replay_of[i] != WEIR_NONE)
			graphs->rows[graphs->replays[replay_of[i]].first++] = (uint32_t)i;
	for (size_t r = 0; r < graphs->replay_count; r++)
		graphs->replays[r].first -= graphs->replays[r].nodes;
}

static bool same_text(const struct weir_trace *a, uint32_t name, const struct weir_trace *b,
                      uint32_t other)
{
	if (a == b)
		return name == other;
	return weir_names_length(a->names, name) == weir_names_length(b->names, other) &&
	       strcmp(weir_names_text(a->names, name), weir_names_text(b->names, other)) == 0;
}

struct listed {
	const struct weir_trace *trace;
	const uint32_t *rows;
};

/* Streams are compared by where they change: their order is part of the positions. */
static bool same_rows(const struct listed *a, const struct listed *b, size_t count)
{
	const struct weir_device_columns *x = &a->trace->device, *y = &b->trace->device;

	for (size_t i = 0; i < count; i++) {
		uint32_t r = a->rows[i], s = b->rows[i];

		if (!same_text(a->trace, x->name[r], b->trace, y->name[s]) ||
		    x->blocks[r] != y->blocks[s] ||
		    x->threads_per_block[r] != y->threads_per_block[s] || x->kind[r] != y->kind[s])
			return false;
		if (i > 0 && (x->stream[r] == x->stream[a->rows[i - 1]]) !=
		                     (y->stream[s] == y->stream[b->rows[i - 1]]))
			return false;
	}
	return true;
}

static bool same_replay(const struct weir_trace *trace, const struct weir_graphs *graphs,
                        const struct weir_graph_replay *a, const struct weir_graph_replay *b)
{
	const struct listed left = {trace, graphs->rows + a->first};
	const struct listed right = {trace, graphs->rows + b->first};

	return a->signature == b->signature && a->nodes == b->nodes && a->streams == b->streams &&
	       same_rows(&left, &right, a->nodes);
}

/* Gives the replay its body; what is only a guess joins bodies that are there. */
static void join_body(struct weir_graphs *graphs, const struct weir_trace *trace,
                      struct weir_rowmap *map, uint32_t index)
{
	struct weir_graph_replay *replay = &graphs->replays[index];
	uint32_t hash = weir_rowmap_hash(replay->signature), row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (same_replay(trace, graphs, replay,
		                &graphs->replays[graphs->bodies[row].first_replay]))
			break;
	if (row == WEIR_ROWMAP_NONE && !replay->certain)
		return;
	if (row == WEIR_ROWMAP_NONE) {
		row = (uint32_t)graphs->body_count++;
		graphs->bodies = weir_grow(graphs->bodies, &graphs->body_capacity,
		                           graphs->body_count, sizeof *graphs->bodies);
		graphs->bodies[row] = (struct weir_graph_body){
			.signature = replay->signature,
			.nodes = replay->nodes,
			.streams = replay->streams,
			.first_replay = index, /* until the replays are listed */
			.first_position = graphs->position_count,
		};
		graphs->position_count += replay->nodes;
		weir_rowmap_add(map, hash, row);
	}
	replay->body = row;
	graphs->bodies[row].replay_count++;
	graphs->bodies[row].busy_ns = weir_add_ns(graphs->bodies[row].busy_ns, replay->busy_ns);
}

static void join_bodies(struct weir_graphs *graphs, const struct weir_trace *trace)
{
	struct weir_graph_order *order = weir_graph_order_new(trace);
	struct weir_rowmap map = {0};

	for (int certain = 1; certain >= 0; certain--)
		for (uint32_t r = 0; r < graphs->replay_count; r++) {
			struct weir_graph_replay *replay = &graphs->replays[r];

			if (replay->certain != (certain == 1) || replay->nodes == 0)
				continue;
			weir_graph_order_replay(order, graphs, replay);
			join_body(graphs, trace, &map, r);
		}
	weir_graph_order_free(order);
	weir_rowmap_release(&map);
}

static void list_replays(struct weir_graphs *graphs)
{
	size_t at = 0;

	graphs->replays_by_body =
		weir_alloc((graphs->replay_count + 1) * sizeof *graphs->replays_by_body);
	for (size_t b = 0; b < graphs->body_count; b++) {
		graphs->bodies[b].first_replay = at;
		at += graphs->bodies[b].replay_count;
	}
	for (uint32_t r = 0; r < graphs->replay_count; r++)
		if (graphs->replays[r].body != WEIR_NONE)
			graphs->replays_by_body[graphs->bodies[graphs->replays[r].body]
			                                .first_replay++] = r;
	for (size_t b = 0; b < graphs->body_count; b++)
		graphs->bodies[b].first_replay -= graphs->bodies[b].replay_count;
}

void weir_graphs_init(struct weir_graphs *graphs, const struct weir_timeline *timeline,
                      const struct weir_groups *groups)
{
	size_t count = timeline->trace->device.count;
	uint32_t *replay_of;

	*graphs = (struct weir_graphs){0};
	replay_of = weir_graphs_find(graphs, timeline);
	count_rows(graphs, groups, replay_of, count);
	gather_rows(graphs, replay_of, count);
	free(replay_of);
	join_bodies(graphs, timeline->trace);
	list_replays(graphs);
}

void weir_graphs_release(struct weir_graphs *graphs)
{
	free(graphs->replays);
	free(graphs->bodies);
	free(graphs->replays_by_body);
	free(graphs->rows);
	free(graphs->gap_ns);
	*graphs = (struct weir_graphs){0};
}

static const uint32_t *rows_of(const struct weir_graphs *graphs, const struct weir_graph_body *body)
{
	return graphs->rows + graphs->replays[graphs->replays_by_body[body->first_replay]].first;
}

uint32_t weir_graph_row(const struct weir_graphs *graphs, const struct weir_graph_body *body,
                        size_t position)
{
	return rows_of(graphs, body)[position];
}

bool weir_graph_same_body(const struct weir_trace *trace, const struct weir_graphs *graphs,
                          const struct weir_graph_body *body, const struct weir_trace *other_trace,
                          const struct weir_graphs *other_graphs,
                          const struct weir_graph_body *other)
{
	const struct listed left = {trace, rows_of(graphs, body)};
	const struct listed right = {other_trace, rows_of(other_graphs, other)};

	return body->signature == other->signature && body->nodes == other->nodes &&
	       body->streams == other->streams && same_rows(&left, &right, body->nodes);
}
