/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of kernels, markers and operations, and agents, as rocprofv3's JSON states them before its
 * records. */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/readers/amd/rocprof_json.h"

void weir_rocprof_names_reset(struct rocprof_names *names)
{
	int64_t gpus = names->gpus;

	free(names->operations);
	free(names->items);
	free(names->agents);
	weir_rowmap_release(&names->map);
	*names = (struct rocprof_names){.gpus = gpus};
}

static uint64_t kernel_key(uint64_t id)
{
	return id << 1;
}

static uint64_t marker_key(uint64_t id)
{
	return id << 1 | 1;
}

static uint32_t find(const struct rocprof_names *names, uint64_t key)
{
	uint32_t row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(&names->map, weir_rowmap_hash(key), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (names->items[row].id == key)
			return names->items[row].name;
	return 0;
}

static void add(struct rocprof_names *names, uint64_t key, uint32_t name)
{
	if (!name || names->count == ROCPROF_MAX_NAMES || find(names, key))
		return;
	names->items =
		weir_grow(names->items, &names->capacity, names->count + 1, sizeof(*names->items));
	weir_rowmap_add(&names->map, weir_rowmap_hash(key), (uint32_t)names->count);
	names->items[names->count++] = (struct rocprof_name){key, name};
}

void weir_rocprof_add_kernel(struct rocprof_names *names, uint64_t id, uint32_t name)
{
	add(names, kernel_key(id), name);
}

uint32_t weir_rocprof_kernel(const struct rocprof_names *names, uint64_t id)
{
	return find(names, kernel_key(id));
}

uint32_t weir_rocprof_marker(const struct rocprof_names *names, uint64_t correlation)
{
	return find(names, marker_key(correlation));
}

uint32_t weir_rocprof_operation(const struct rocprof_names *names, int64_t kind, int64_t operation)
{
	if (kind < 0 || kind >= ROCPROF_MAX_KINDS || operation < 0 ||
	    (uint64_t)operation >= names->kinds[kind].count)
		return 0;
	return names->operations[names->kinds[kind].first + (size_t)operation];
}

int64_t weir_rocprof_device(const struct rocprof_names *names, int64_t handle)
{
	for (size_t i = 0; i < names->agent_count; i++)
		if (names->agents[i].handle == (uint64_t)handle)
			return names->agents[i].device;
	return -1;
}

static uint32_t take_text(struct weir_builder *builder, struct weir_jsoncursor *cursor)
{
	struct weir_text scratch = {0};
	uint32_t name = weir_builder_name(
		builder, weir_jsoncursor_decode(weir_jsoncursor_scalar(cursor), &scratch, NULL));

	weir_text_release(&scratch);
	return name;
}

static int64_t take_number(struct weir_jsoncursor *cursor, int64_t fallback)
{
	struct weir_slice text = weir_jsoncursor_scalar(cursor);
	int64_t value;

	return text.length && weir_parse_i64(text.data, text.length, &value) ? value : fallback;
}

static void take_operations(struct rocprof_names *names, struct weir_builder *builder,
                            struct weir_jsoncursor *cursor, size_t kind)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	names->kinds[kind].first = names->operation_count;
	while (weir_jsoncursor_item(cursor)) {
		uint32_t name = take_text(builder, cursor);

		if (names->operation_count == ROCPROF_MAX_NAMES)
			continue;
		names->operations =
			weir_grow(names->operations, &names->operation_capacity,
		                  names->operation_count + 1, sizeof(*names->operations));
		names->operations[names->operation_count++] = name;
	}
	names->kinds[kind].count = names->operation_count - names->kinds[kind].first;
}

/* A list of kinds, each with the list of its operations; both are numbered by their place. */
static void take_kinds(struct rocprof_names *names, struct weir_builder *builder,
                       struct weir_jsoncursor *cursor)
{
	struct weir_slice key;
	size_t kind = 0;

	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	for (; weir_jsoncursor_item(cursor); kind++) {
		if (!weir_jsoncursor_enter(cursor, '{'))
			continue;
		while (weir_jsoncursor_key(cursor, &key))
			if (kind < ROCPROF_MAX_KINDS && weir_slice_equals(key, "operations"))
				take_operations(names, builder, cursor, kind);
			else
				weir_jsoncursor_take(cursor);
	}
}

/* Messages of markers by the correlation id of their record. */
static void take_markers(struct rocprof_names *names, struct weir_builder *builder,
                         struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	while (weir_jsoncursor_item(cursor)) {
		int64_t id = -1;
		uint32_t name = 0;

		if (!weir_jsoncursor_enter(cursor, '{'))
			continue;
		while (weir_jsoncursor_key(cursor, &key))
			if (weir_slice_equals(key, "key"))
				id = take_number(cursor, -1);
			else if (weir_slice_equals(key, "value"))
				name = take_text(builder, cursor);
			else
				weir_jsoncursor_take(cursor);
		if (id >= 0)
			add(names, marker_key((uint64_t)id), name);
	}
}

void weir_rocprof_take_strings(struct rocprof_names *names, struct weir_builder *builder,
                               const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return;
	while (weir_jsoncursor_key(&cursor, &key))
		if (weir_slice_equals(key, "buffer_records"))
			take_kinds(names, builder, &cursor);
		else if (weir_slice_equals(key, "marker_api"))
			take_markers(names, builder, &cursor);
		else
			weir_jsoncursor_take(&cursor);
}

/* The number in {"handle": 16}; a plain number is itself. */
static int64_t take_handle(struct weir_jsoncursor *cursor)
{
	struct weir_slice key;
	int64_t handle = -1;

	if (weir_jsoncursor_peek(cursor) != '{')
		return take_number(cursor, -1);
	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key))
		if (weir_slice_equals(key, "handle"))
			handle = take_number(cursor, -1);
		else
			weir_jsoncursor_take(cursor);
	return handle;
}

#define TYPE_GPU 2

static void take_agent(struct rocprof_names *names, struct weir_builder *builder,
                       struct weir_jsoncursor *cursor)
{
	struct weir_trace_device device = {0};
	int64_t handle = -1, type = 0, units = 0, wave = 0;
	struct weir_slice key;

	while (weir_jsoncursor_key(cursor, &key))
		if (weir_slice_equals(key, "id"))
			handle = take_handle(cursor);
		else if (weir_slice_equals(key, "type"))
			type = take_number(cursor, 0);
		else if (weir_slice_equals(key, "cu_count"))
			units = take_number(cursor, 0);
		else if (weir_slice_equals(key, "wave_front_size"))
			wave = take_number(cursor, 0);
		else if (weir_slice_equals(key, "product_name"))
			device.name = take_text(builder, cursor);
		else
			weir_jsoncursor_take(cursor);
	if (handle < 0 || names->agent_count == ROCPROF_MAX_AGENTS)
		return;
	names->agents = weir_grow(names->agents, &names->agent_capacity, names->agent_count + 1,
	                          sizeof(*names->agents));
	names->agents[names->agent_count++] =
		(struct rocprof_agent){(uint64_t)handle, type == TYPE_GPU ? names->gpus : -1};
	if (type != TYPE_GPU)
		return;
	device.id = names->gpus++;
	device.sms = units > 0 && units < UINT32_MAX ? (uint32_t)units : 0;
	device.warp_size = wave > 0 && wave < UINT32_MAX ? (uint32_t)wave : 0;
	weir_builder_describe_device(builder, &device);
}

void weir_rocprof_take_agents(struct rocprof_names *names, struct weir_builder *builder,
                              const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);

	names->agent_count = 0;
	names->gpus = 0;
	if (!weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor))
		if (weir_jsoncursor_enter(&cursor, '{'))
			take_agent(names, builder, &cursor);
}
