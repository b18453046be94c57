/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of one run refer to: texts, kernels, processes, threads, tracks, agents. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/readers/amd/rocpd.h"

#define DEVICES_PER_NODE 1024 /* a GPU's number on its node is below */

const char *weir_rocpd_table(const struct rocpd_set *set, const char *table, struct weir_text *text)
{
	weir_text_clear(text);
	weir_text_printf(text, "%s%s", table, set->suffix);
	return text->data;
}

/* The text as JSON: what walks it reads some bytes behind its end. */
static struct weir_jsoncursor on_json(struct rocpd_reader *reader, struct weir_slice text)
{
	static const char padding[WEIR_JSONSCAN_PADDING];

	weir_text_clear(&reader->scratch);
	weir_text_add(&reader->scratch, text.data, text.length);
	weir_text_add(&reader->scratch, padding, sizeof(padding));
	return weir_jsoncursor_on((struct weir_slice){reader->scratch.data, text.length});
}

struct weir_slice weir_rocpd_message(struct rocpd_reader *reader, int64_t event)
{
	struct weir_slice text, key, message = {"", 0};
	struct weir_jsoncursor cursor;

	if (reader->status)
		return message;
	reader->status = weir_sqltexts_find(reader->set.messages, event, &text, reader->err);
	if (reader->status || !text.length)
		return message;
	cursor = on_json(reader, text);
	if (!weir_jsoncursor_enter(&cursor, '{'))
		return message;
	while (weir_jsoncursor_key(&cursor, &key))
		if (weir_slice_equals(key, "message"))
			message = weir_jsoncursor_decode(weir_jsoncursor_scalar(&cursor),
			                                 &reader->decoded, NULL);
		else
			weir_jsoncursor_take(&cursor);
	return message;
}

int64_t weir_rocpd_process(const struct rocpd_set *set, int64_t row)
{
	const int64_t *cells = weir_sqlindex_find(&set->processes, row);

	if (!cells)
		return set->first_process;
	return set->first_process + (cells - set->processes.cells) / (int64_t)set->processes.width;
}

int64_t weir_rocpd_device(const struct rocpd_set *set, int64_t agent)
{
	for (size_t i = 0; i < set->agent_count; i++)
		if (set->agents[i].id == agent)
			return set->agents[i].device;
	return -1;
}

/* Sets of one node name the same devices. */
static int64_t find_node(struct rocpd_reader *reader, int64_t hash)
{
	for (size_t i = 0; i < reader->node_count; i++)
		if (reader->nodes[i] == hash)
			return (int64_t)i;
	if (reader->node_count == ROCPD_MAX_NODES)
		return 0;
	reader->nodes = weir_grow(reader->nodes, &reader->node_capacity, reader->node_count + 1,
	                          sizeof(*reader->nodes));
	reader->nodes[reader->node_count] = hash;
	return (int64_t)reader->node_count++;
}

static enum weir_status read_node(struct rocpd_reader *reader, struct weir_text *table)
{
	static const char *const columns[] = {"hash", NULL};
	struct weir_sqlscan scan;
	int64_t hash = 0;
	bool more;
	enum weir_status status = weir_sqlscan_open(
		&scan, reader->db, weir_rocpd_table(&reader->set, "rocpd_info_node", table),
		columns, reader->err);

	if (!status)
		status = weir_sqlscan_next(&scan, &more, reader->err);
	if (!status && more)
		weir_sqlscan_int(&scan, 0, &hash);
	weir_sqlscan_close(&scan);
	reader->set.node = find_node(reader, hash);
	return status;
}

enum agent_column {
	AGENT_ID,
	AGENT_TYPE,
	AGENT_INDEX,
	AGENT_PRODUCT,
	AGENT_MODEL,
	AGENT_NAME,
	AGENT_DETAILS,
};

static const char *const agent_columns[] = {"id",         "type", "type_index", "product_name",
                                            "model_name", "name", "extdata",    NULL};

static uint32_t as_u32(struct weir_slice text)
{
	int64_t value;

	return text.length && weir_parse_i64(text.data, text.length, &value) && value > 0 &&
	                       value < UINT32_MAX
	               ? (uint32_t)value
	               : 0;
}

static void read_details(struct rocpd_reader *reader, struct weir_slice text,
                         struct weir_trace_device *device)
{
	struct weir_jsoncursor cursor = on_json(reader, text);
	struct weir_slice key;

	if (!text.length || !weir_jsoncursor_enter(&cursor, '{'))
		return;
	while (weir_jsoncursor_key(&cursor, &key))
		if (weir_slice_equals(key, "cu_count"))
			device->sms = as_u32(weir_jsoncursor_scalar(&cursor));
		else if (weir_slice_equals(key, "wave_front_size"))
			device->warp_size = as_u32(weir_jsoncursor_scalar(&cursor));
		else
			weir_jsoncursor_take(&cursor);
}

static void take_agent(struct rocpd_reader *reader, const struct weir_sqlscan *scan, int64_t *gpus)
{
	struct rocpd_set *set = &reader->set;
	struct weir_trace_device device = {0};
	struct weir_slice name = {"", 0};
	int64_t id, index = *gpus;
	bool gpu = weir_slice_equals(weir_sqlscan_text(scan, AGENT_TYPE), "GPU");

	if (!weir_sqlscan_int(scan, AGENT_ID, &id) || set->agent_count == ROCPD_MAX_AGENTS)
		return;
	weir_sqlscan_int(scan, AGENT_INDEX, &index);
	*gpus += gpu;
	if (index < 0 || index >= DEVICES_PER_NODE)
		gpu = false;
	set->agents = weir_grow(set->agents, &set->agent_capacity, set->agent_count + 1,
	                        sizeof(*set->agents));
	device.id = set->node * DEVICES_PER_NODE + index;
	set->agents[set->agent_count++] = (struct rocpd_agent){id, gpu ? device.id : -1};
	if (!gpu)
		return;
	for (int column = AGENT_PRODUCT; column <= AGENT_NAME && !name.length; column++)
		name = weir_sqlscan_text(scan, column);
	device.name = weir_builder_name(reader->builder, name);
	read_details(reader, weir_sqlscan_text(scan, AGENT_DETAILS), &device);
	weir_builder_describe_device(reader->builder, &device);
}

static enum weir_status read_agents(struct rocpd_reader *reader, struct weir_text *table)
{
	struct weir_sqlscan scan;
	int64_t gpus = 0;
	bool more;
	enum weir_status status = weir_sqlscan_open(
		&scan, reader->db, weir_rocpd_table(&reader->set, "rocpd_info_agent", table),
		agent_columns, reader->err);

	while (!status && !(status = weir_sqlscan_next(&scan, &more, reader->err)) && more)
		take_agent(reader, &scan, &gpus);
	weir_sqlscan_close(&scan);
	return status;
}

static enum weir_status open_indexes(struct rocpd_reader *reader, struct weir_text *table)
{
	static const char *const process_columns[] = {"id", "pid", NULL};
	static const char *const thread_columns[] = {"id", "tid", NULL};
	static const char *const track_columns[] = {"id",       "pid",       "tid", "agent_id",
	                                            "queue_id", "stream_id", NULL};
	static const char *const stamp_columns[] = {"id", "value", NULL};
	static const char *const event_columns[] = {"id", "stack_id", "category_id", NULL};
	struct rocpd_set *set = &reader->set;
	const struct {
		struct weir_sqlindex *index;
		const char *table;
		const char *const *columns;
	} indexes[] = {
		{&set->processes, "rocpd_info_process", process_columns},
		{&set->threads, "rocpd_info_thread", thread_columns},
		{&set->tracks, "rocpd_track", track_columns},
		{&set->stamps, "rocpd_timestamp", stamp_columns},
		{&set->events, "rocpd_event", event_columns},
	};
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < sizeof(indexes) / sizeof(indexes[0]); i++)
		status = weir_sqlindex_open(indexes[i].index, reader->db,
		                            weir_rocpd_table(set, indexes[i].table, table),
		                            indexes[i].columns, reader->err);
	return status;
}

static enum weir_status open_names(struct rocpd_reader *reader, struct weir_text *table)
{
	struct rocpd_set *set = &reader->set;
	const struct {
		struct weir_sqlnames *names;
		const char *table, *text;
	} all[] = {
		{&set->names, "rocpd_string", "string"},
		{&set->kinds, "rocpd_info_category", "name"},
		{&set->titles, "rocpd_info_kernel_symbol", "display_name"},
		{&set->symbols, "rocpd_info_kernel_symbol", "kernel_name"},
	};
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < sizeof(all) / sizeof(all[0]); i++)
		status = weir_sqlnames_open(all[i].names, reader->db,
		                            weir_rocpd_table(set, all[i].table, table), "id",
		                            all[i].text, reader->err);
	set->has_kinds =
		weir_sqldb_has(reader->db, weir_rocpd_table(set, "rocpd_info_category", table));
	if (!status)
		status = weir_sqltexts_open(reader->db, weir_rocpd_table(set, "rocpd_event", table),
		                            "id", "extdata", &set->messages, reader->err);
	return status;
}

/* Names of threads are those that the user gave. */
static enum weir_status name_threads(struct rocpd_reader *reader, struct weir_text *table)
{
	static const char *const columns[] = {"tid", "pid", "name", NULL};
	struct weir_sqlscan scan;
	bool more;
	enum weir_status status = weir_sqlscan_open(
		&scan, reader->db, weir_rocpd_table(&reader->set, "rocpd_info_thread", table),
		columns, reader->err);

	while (!status && !(status = weir_sqlscan_next(&scan, &more, reader->err)) && more) {
		struct weir_slice name = weir_sqlscan_text(&scan, 2);
		const int64_t *process;
		int64_t tid, pid;

		if (!name.length || !weir_sqlscan_int(&scan, 0, &tid) ||
		    !weir_sqlscan_int(&scan, 1, &pid))
			continue;
		process = weir_sqlindex_find(&reader->set.processes, pid);
		weir_builder_name_thread(reader->builder, process ? *process : pid, tid, name);
	}
	weir_sqlscan_close(&scan);
	return status;
}

enum weir_status weir_rocpd_set_open(struct rocpd_reader *reader, const char *suffix)
{
	int64_t processes = reader->set.first_process;
	struct weir_text table = {0};
	enum weir_status status;

	reader->set = (struct rocpd_set){.suffix = suffix, .first_process = processes};
	status = open_indexes(reader, &table);
	if (!status)
		status = open_names(reader, &table);
	if (!status)
		status = read_node(reader, &table);
	if (!status)
		status = read_agents(reader, &table);
	if (!status)
		status = name_threads(reader, &table);
	weir_text_release(&table);
	return status;
}

void weir_rocpd_set_close(struct rocpd_set *set)
{
	struct weir_sqlindex *indexes[] = {&set->processes, &set->threads, &set->tracks,
	                                   &set->stamps, &set->events};
	struct weir_sqlnames *names[] = {&set->names, &set->kinds, &set->titles, &set->symbols};
	size_t processes = set->processes.count ? set->processes.count : 1;

	for (size_t i = 0; i < sizeof(indexes) / sizeof(indexes[0]); i++)
		weir_sqlindex_close(indexes[i]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		weir_sqlnames_close(names[i]);
	weir_sqltexts_close(set->messages);
	free(set->agents);
	*set = (struct rocpd_set){.first_process = set->first_process + (int64_t)processes};
}
