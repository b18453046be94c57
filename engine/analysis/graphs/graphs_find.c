/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which device rows are one replay. */
#include <stdlib.h>

#include "engine/analysis/graphs/graphs_impl.h"
#include "engine/base/arena.h"
#include "engine/base/rowmap.h"

/* What replays of one device are looked up by: a correlation id, or a node and the graph that it
 * is of. */
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
	struct keys correlations, nodes, executions; /* of the device at hand */
	bool any; /* a row that is of a graph for certain: only then others are looked at */
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

/* The entry of that value, made where there is none: its replay is WEIR_NONE. The pointer holds
 * until the next call. */
static struct key *find_key(struct keys *keys, uint64_t value)
{
	uint32_t hash = weir_rowmap_hash(value * UINT64_C(0xd6e8feb86659fd93)), row;
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

/* A node that the replay of its graph holds already begins the next one. */
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

uint32_t *weir_graphs_find(struct weir_graphs *graphs, const struct weir_timeline *timeline)
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
