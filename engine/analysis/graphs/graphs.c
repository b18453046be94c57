/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/graphs/graphs.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/base/rowmap.h"
#include "engine/base/splitmix.h"

/* ---- assigning device rows to replays ---- */

/* A key by which replays of one device are found: a correlation id, or a node and its graph. */
struct key {
	uint64_t value;
	uint32_t replay;
};

struct keys {
	struct weir_rowmap map;
	struct key *items;
	size_t count, capacity;
};

struct finding {
	struct weir_graphs *graphs;
	const struct weir_timeline *timeline;
	uint32_t *of_launch; /* per host row: its latest replay + 1; 0: none yet */
	struct keys correlations, nodes, executions; /* of the current device */
	bool any; /* the trace has a row that certainly belongs to a graph; only then are uncertain
	             rows assigned */
};

static uint32_t add_replay(struct finding *finding, size_t row, bool certain)
{
	struct weir_graphs *graphs = finding->graphs;

	graphs->replays = weir_grow(graphs->replays, &graphs->replay_capacity,
	                            graphs->replay_count + 1, sizeof *graphs->replays);
	graphs->replays[graphs->replay_count] = (struct weir_graph_replay){
		.body = WEIR_NONE,
		.device = finding->timeline->trace->device.device[row],
		.certain = certain,
	};
	return (uint32_t)graphs->replay_count++;
}

/* Returns the entry of a value, which is added with replay WEIR_NONE if it is new. The pointer is
 * valid until the next call. */
static struct key *find_key(struct keys *keys, uint64_t value)
{
	uint32_t hash = weir_rowmap_hash(value), row;
	size_t probe = 0;

	while (keys->items &&
	       (row = weir_rowmap_next(&keys->map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (keys->items[row].value == value)
			return &keys->items[row];
	keys->items = weir_grow(keys->items, &keys->capacity, keys->count + 1, sizeof *keys->items);
	keys->items[keys->count] = (struct key){value, WEIR_NONE};
	weir_rowmap_add(&keys->map, hash, (uint32_t)keys->count);
	return &keys->items[keys->count++];
}

static void keys_clear(struct keys *keys)
{
	weir_rowmap_release(&keys->map);
	keys->count = 0;
}

static void keys_release(struct keys *keys)
{
	weir_rowmap_release(&keys->map);
	free(keys->items);
}

static uint32_t by_launch(struct finding *finding, size_t row)
{
	const struct weir_device_columns *device = &finding->timeline->trace->device;
	uint32_t *latest = &finding->of_launch[device->launch[row]];

	if (*latest == 0 || finding->graphs->replays[*latest - 1].device != device->device[row])
		*latest = add_replay(finding, row, true) + 1;
	return *latest - 1;
}

/* Finds the replay of a node: a node that the current replay of its graph already has begins the
 * next one. */
static uint32_t by_node(struct finding *finding, size_t row)
{
	uint64_t node = finding->timeline->trace->device.graph_node[row];
	struct key *execution = find_key(&finding->executions, node >> 32);
	struct key *latest = find_key(&finding->nodes, node);

	if (execution->replay == WEIR_NONE || latest->replay == execution->replay)
		execution->replay = add_replay(finding, row, true);
	latest->replay = execution->replay;
	return latest->replay;
}

static uint32_t by_correlation(struct finding *finding, size_t row)
{
	struct key *key =
		find_key(&finding->correlations, finding->timeline->trace->device.correlation[row]);

	if (key->replay == WEIR_NONE)
		key->replay =
			add_replay(finding, row, weir_timeline_is_replayed(finding->timeline, row));
	return key->replay;
}

static uint32_t replay_of_row(struct finding *finding, size_t row)
{
	const struct weir_device_columns *device = &finding->timeline->trace->device;
	bool replayed = weir_timeline_is_replayed(finding->timeline, row);

	if (device->launch[row] != WEIR_NONE)
		return replayed ? by_launch(finding, row) : WEIR_NONE;
	if (device->graph_node[row] != 0)
		return by_node(finding, row);
	return device->correlation[row] != 0 ? by_correlation(finding, row) : WEIR_NONE;
}

static uint32_t *graphs_find(struct weir_graphs *graphs, const struct weir_timeline *timeline)
{
	const struct weir_trace *trace = timeline->trace;
	struct finding finding = {.graphs = graphs, .timeline = timeline};
	uint32_t *replay_of = weir_alloc((trace->device.count + 1) * sizeof *replay_of);

	for (size_t i = 0; i < trace->device.count && !finding.any; i++)
		finding.any = weir_timeline_is_replayed(timeline, i);
	finding.of_launch = weir_alloc((trace->host.count + 1) * sizeof *finding.of_launch);
	for (size_t i = 0; i < trace->device.count; i++) {
		if (i > 0 && trace->device.device[i] != trace->device.device[i - 1]) {
			keys_clear(&finding.correlations);
			keys_clear(&finding.nodes);
			keys_clear(&finding.executions);
		}
		replay_of[i] = finding.any ? replay_of_row(&finding, i) : WEIR_NONE;
	}
	keys_release(&finding.correlations);
	keys_release(&finding.nodes);
	keys_release(&finding.executions);
	free(finding.of_launch);
	return replay_of;
}

/* ---- positions of a replay, independent of the order in which its streams ran ---- */

struct node {
	uint64_t symbol; /* hash of name, grid, block and kind */
	uint32_t row, stream;
	int64_t gap_ns;
};

/* One stream of the current replay. */
struct lane {
	uint64_t hash;         /* of its symbols in order */
	uint32_t count, first; /* first: index of its first node in order of time */
	size_t next;
};

struct graph_order {
	const struct weir_trace *trace;
	uint64_t *hash_of_name;   /* 0: not computed yet */
	uint32_t *lane_of_stream; /* lane + 1; 0: none in the current replay */
	struct node *nodes;
	size_t node_capacity;
	struct lane *lanes;
	size_t lane_count, lane_capacity;
	uint32_t *place; /* per lane: its rank */
	size_t place_capacity;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return weir_splitmix64(hash ^ weir_splitmix64(value));
}

static uint64_t symbol_of(struct graph_order *order, uint32_t row)
{
	const struct weir_device_columns *device = &order->trace->device;
	uint64_t *name = &order->hash_of_name[device->name[row]];

	if (*name == 0)
		*name = weir_hash_stable(weir_names_text(order->trace->names, device->name[row]),
		                         weir_names_length(order->trace->names, device->name[row]),
		                         0) |
		        1;
	return mix(mix(*name, device->blocks[row]),
	           (uint64_t)device->threads_per_block[row] << 8 | device->kind[row]);
}

static struct graph_order *graph_order_new(const struct weir_trace *trace)
{
	struct graph_order *order = weir_alloc(sizeof *order);

	order->trace = trace;
	order->hash_of_name =
		weir_alloc(weir_names_count(trace->names) * sizeof *order->hash_of_name);
	order->lane_of_stream =
		weir_alloc((trace->stream_count + 1) * sizeof *order->lane_of_stream);
	return order;
}

static void graph_order_free(struct graph_order *order)
{
	free(order->hash_of_name);
	free(order->lane_of_stream);
	free(order->nodes);
	free(order->lanes);
	free(order->place);
	free(order);
}

static int by_symbol(const void *left, const void *right)
{
	const struct node *a = left, *b = right;

	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Sorts work with equal times, which comes in the order of the input, so that the signature does
 * not depend on that order. */
static void settle_ties(const struct graph_order *order, size_t count)
{
	const struct weir_device_columns *device = &order->trace->device;
	struct node *nodes = order->nodes;

	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1;
		     end < count &&
		     device->start_ns[nodes[end].row] == device->start_ns[nodes[i].row] &&
		     device->end_ns[nodes[end].row] == device->end_ns[nodes[i].row];)
			end++;
		if (end - i > 1)
			qsort(&nodes[i], end - i, sizeof *nodes, by_symbol);
	}
}

static void measure(const struct graph_order *order, struct weir_graph_replay *replay)
{
	const struct weir_device_columns *device = &order->trace->device;
	int64_t idle_ns = 0;

	replay->start_ns = device->start_ns[order->nodes[0].row];
	replay->end_ns = device->end_ns[order->nodes[0].row];
	for (size_t i = 0; i < replay->nodes; i++) {
		struct node *node = &order->nodes[i];

		node->gap_ns = weir_span_ns(replay->end_ns, device->start_ns[node->row]);
		idle_ns = weir_add_ns(idle_ns, node->gap_ns);
		if (device->end_ns[node->row] > replay->end_ns)
			replay->end_ns = device->end_ns[node->row];
	}
	replay->busy_ns = weir_span_ns(replay->start_ns, replay->end_ns);
	replay->busy_ns = replay->busy_ns > idle_ns ? replay->busy_ns - idle_ns : 0;
}

static void find_lanes(struct graph_order *order, size_t count)
{
	order->lane_count = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t *lane = &order->lane_of_stream[order->nodes[i].stream];

		if (*lane == 0) {
			order->lanes = weir_grow(order->lanes, &order->lane_capacity,
			                         order->lane_count + 1, sizeof *order->lanes);
			order->lanes[order->lane_count] = (struct lane){.first = (uint32_t)i};
			*lane = (uint32_t)++order->lane_count;
		}
		order->lanes[*lane - 1].count++;
		order->lanes[*lane - 1].hash =
			mix(order->lanes[*lane - 1].hash, order->nodes[i].symbol);
	}
}

static int by_weight(const void *left, const void *right)
{
	const struct lane *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* Sorts the lanes. place[] maps the former index of a lane to its rank. */
static void rank_lanes(struct graph_order *order)
{
	size_t before = 0;

	order->place = weir_grow(order->place, &order->place_capacity, order->lane_count,
	                         sizeof *order->place);
	qsort(order->lanes, order->lane_count, sizeof *order->lanes, by_weight);
	for (size_t rank = 0; rank < order->lane_count; rank++) {
		uint32_t stream = order->nodes[order->lanes[rank].first].stream;

		order->place[order->lane_of_stream[stream] - 1] = (uint32_t)rank;
		order->lanes[rank].next = before;
		before += order->lanes[rank].count;
	}
}

static void graph_order_replay(struct graph_order *order, struct weir_graphs *graphs,
                               struct weir_graph_replay *replay)
{
	const struct weir_device_columns *device = &order->trace->device;
	uint32_t *rows = graphs->rows + replay->first;

	order->nodes =
		weir_grow(order->nodes, &order->node_capacity, replay->nodes, sizeof *order->nodes);
	for (size_t i = 0; i < replay->nodes; i++)
		order->nodes[i] = (struct node){.symbol = symbol_of(order, rows[i]),
		                                .row = rows[i],
		                                .stream = device->stream[rows[i]]};
	settle_ties(order, replay->nodes);
	measure(order, replay);
	find_lanes(order, replay->nodes);
	rank_lanes(order);
	for (size_t i = 0; i < replay->nodes; i++) {
		const struct node *node = &order->nodes[i];
		uint32_t lane = order->lane_of_stream[node->stream] - 1;
		size_t at = order->lanes[order->place[lane]].next++;

		rows[at] = node->row;
		graphs->gap_ns[replay->first + at] = node->gap_ns;
	}
	replay->streams = (uint32_t)order->lane_count;
	replay->signature = replay->nodes;
	for (size_t i = 0; i < order->lane_count; i++)
		replay->signature = mix(replay->signature, order->lanes[i].hash);
	for (size_t i = 0; i < replay->nodes; i++)
		order->lane_of_stream[order->nodes[i].stream] = 0;
}

/* ---- bodies ---- */

/* Counts the rows of each replay. A replay with work outside the windows gets 0 nodes. */
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

/* Collects the rows of each replay, in order of the device's clock. */
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

/* Streams are compared by the positions at which they change, since their order is part of the
 * positions. */
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

/* Assigns a replay to its body. An uncertain replay may only join an existing body. */
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
			.first_replay = index, /* until list_replays() */
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
	struct graph_order *order = graph_order_new(trace);
	struct weir_rowmap map = {0};

	for (int certain = 1; certain >= 0; certain--)
		for (uint32_t r = 0; r < graphs->replay_count; r++) {
			struct weir_graph_replay *replay = &graphs->replays[r];

			if (replay->certain != (certain == 1) || replay->nodes == 0)
				continue;
			graph_order_replay(order, graphs, replay);
			join_body(graphs, trace, &map, r);
		}
	graph_order_free(order);
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
	replay_of = graphs_find(graphs, timeline);
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
