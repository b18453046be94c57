/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The positions of one replay, whatever the order in which its streams happened to run. */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/graphs/graphs_impl.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/base/rowmap.h"
#include "engine/base/splitmix.h"

struct node {
	uint64_t symbol; /* a hash of what it is */
	uint32_t row, stream;
	int64_t gap_ns;
};

/* One stream within the replay at hand. */
struct lane {
	uint64_t hash;         /* of its symbols, in their order */
	uint32_t count, first; /* first: the place of its first node in order of time */
	size_t next;
};

struct weir_graph_order {
	const struct weir_trace *trace;
	uint64_t *hash_of_name;   /* 0: not yet */
	uint32_t *lane_of_stream; /* + 1; 0: none in the replay at hand */
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

static uint64_t symbol_of(struct weir_graph_order *order, uint32_t row)
{
	const struct weir_device_columns *device = &order->trace->device;
	uint64_t *name = &order->hash_of_name[device->name[row]];

	if (*name == 0)
		*name = weir_rowmap_hash_text(
				weir_names_text(order->trace->names, device->name[row]),
				weir_names_length(order->trace->names, device->name[row]), 0) |
		        1;
	return mix(mix(*name, device->blocks[row]),
	           (uint64_t)device->threads_per_block[row] << 8 | device->kind[row]);
}

struct weir_graph_order *weir_graph_order_new(const struct weir_trace *trace)
{
	struct weir_graph_order *order = weir_alloc(sizeof *order);

	order->trace = trace;
	order->hash_of_name =
		weir_alloc(weir_names_count(trace->names) * sizeof *order->hash_of_name);
	order->lane_of_stream =
		weir_alloc((trace->stream_count + 1) * sizeof *order->lane_of_stream);
	return order;
}

void weir_graph_order_free(struct weir_graph_order *order)
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

/* Work at exactly the same time comes in the order of the input: here it must not matter. */
static void settle_ties(const struct weir_graph_order *order, size_t count)
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

static void measure(const struct weir_graph_order *order, struct weir_graph_replay *replay)
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

static void find_lanes(struct weir_graph_order *order, size_t count)
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

/* Sorts the lanes; place[] is the rank of each as it was numbered before. */
static void rank_lanes(struct weir_graph_order *order)
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

void weir_graph_order_replay(struct weir_graph_order *order, struct weir_graphs *graphs,
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
