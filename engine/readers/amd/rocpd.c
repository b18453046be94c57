/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads databases of AMD's rocprofv3 (rocpd), schemas 3 and 4. Tables and columns are looked up by
 * name, and each may be missing.
 *
 * Each run has a set of tables whose names end with its GUID. A merged database has several sets,
 * and ids are unique within their set only. Up to schema 3 a row holds its own times and place
 * (process, thread, agent, queue); from schema 4 on it refers to a track and to two time stamps.
 * Views are never run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/sql/sqlindex.h"
#include "engine/readers/trace/allocations.h"
#include "engine/readers/trace/builder.h"
#include "engine/readers/trace/rocm.h"

#define MAX_AGENTS       4096 /* of a set */
#define MAX_NODES        1024 /* of a database */
#define DEVICES_PER_NODE 1024 /* the index of a GPU on its node is below */
#define CALL_BITS        40   /* of a call's number, which is unique within its process */

struct agent {
	int64_t id;     /* of its row */
	int64_t device; /* in the trace; -1: not a GPU */
};

/* The tables of one set that its rows refer to. */
struct set {
	const char *suffix;          /* of its tables' names; borrowed from the database */
	struct weir_sqlnames names;  /* rocpd_string */
	struct weir_sqlnames kinds;  /* categories of events, if they have their own table */
	bool has_kinds;              /* false: `names` holds the categories */
	struct weir_sqlnames titles; /* demangled names of kernels */
	struct weir_sqlnames symbols;
	struct weir_sqltexts *messages; /* of events, as JSON */
	struct weir_sqlindex processes, threads, tracks, stamps, events;
	struct agent *agents;
	size_t agent_count, agent_capacity;
	int64_t node;          /* index in reader.nodes */
	int64_t first_process; /* number of processes in the sets before */
};

struct reader {
	struct weir_input *input;
	struct weir_builder *builder;
	struct weir_sqldb *db;
	struct weir_error *err;  /* the reason if `status` is not WEIR_OK */
	enum weir_status status; /* of lookups */
	struct set set;          /* being read */
	struct weir_allocations allocations;
	struct weir_text scratch, decoded;
	int64_t *nodes; /* hashes of nodes, in order of appearance */
	size_t node_count, node_capacity;
	uint64_t timed; /* rows with usable times */
};

/* ---- the tables that rows refer to ---- */

/* Returns the name of a table of the set, in `text`. */
static const char *table_name(const struct set *set, const char *table, struct weir_text *text)
{
	weir_text_clear(text);
	weir_text_printf(text, "%s%s", table, set->suffix);
	return text->data;
}

/* Returns a cursor on a padded copy of the JSON, because cursors read some bytes past its end. */
static struct weir_jsoncursor on_json(struct reader *reader, struct weir_slice text)
{
	static const char padding[WEIR_JSONSCAN_PADDING];

	weir_text_clear(&reader->scratch);
	weir_text_add(&reader->scratch, text.data, text.length);
	weir_text_add(&reader->scratch, padding, sizeof(padding));
	return weir_jsoncursor_on((struct weir_slice){reader->scratch.data, text.length});
}

/* Returns the member "message" of the event's JSON; empty without a message. Borrowed until the
 * next call. */
static struct weir_slice message_of(struct reader *reader, int64_t event)
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

/* Returns the index of a process in the database, given the id of its row. */
static int64_t process_of(const struct set *set, int64_t row)
{
	const int64_t *cells = weir_sqlindex_find(&set->processes, row);

	if (!cells)
		return set->first_process;
	return set->first_process + (cells - set->processes.cells) / (int64_t)set->processes.width;
}

/* Returns the device of an agent; -1: not a GPU, or unknown. */
static int64_t device_of(const struct set *set, int64_t agent)
{
	for (size_t i = 0; i < set->agent_count; i++)
		if (set->agents[i].id == agent)
			return set->agents[i].device;
	return -1;
}

/* Finds or adds a node by its hash: the sets of one node share its devices. */
static int64_t find_node(struct reader *reader, int64_t hash)
{
	for (size_t i = 0; i < reader->node_count; i++)
		if (reader->nodes[i] == hash)
			return (int64_t)i;
	if (reader->node_count == MAX_NODES)
		return 0;
	reader->nodes = weir_grow(reader->nodes, &reader->node_capacity, reader->node_count + 1,
	                          sizeof(*reader->nodes));
	reader->nodes[reader->node_count] = hash;
	return (int64_t)reader->node_count++;
}

static enum weir_status read_node(struct reader *reader, struct weir_text *table)
{
	static const char *const columns[] = {"hash", NULL};
	struct weir_sqlscan scan;
	int64_t hash = 0;
	bool more;
	enum weir_status status = weir_sqlscan_open(
		&scan, reader->db, table_name(&reader->set, "rocpd_info_node", table), columns,
		reader->err);

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

static void read_details(struct reader *reader, struct weir_slice text,
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

static void take_agent(struct reader *reader, const struct weir_sqlscan *scan, int64_t *gpus)
{
	struct set *set = &reader->set;
	struct weir_trace_device device = {0};
	struct weir_slice name = {"", 0};
	int64_t id, index = *gpus;
	bool gpu = weir_slice_equals(weir_sqlscan_text(scan, AGENT_TYPE), "GPU");

	if (!weir_sqlscan_int(scan, AGENT_ID, &id) || set->agent_count == MAX_AGENTS)
		return;
	weir_sqlscan_int(scan, AGENT_INDEX, &index);
	*gpus += gpu;
	if (index < 0 || index >= DEVICES_PER_NODE)
		gpu = false;
	set->agents = weir_grow(set->agents, &set->agent_capacity, set->agent_count + 1,
	                        sizeof(*set->agents));
	device.id = set->node * DEVICES_PER_NODE + index;
	set->agents[set->agent_count++] = (struct agent){id, gpu ? device.id : -1};
	if (!gpu)
		return;
	for (int column = AGENT_PRODUCT; column <= AGENT_NAME && !name.length; column++)
		name = weir_sqlscan_text(scan, column);
	device.name = weir_builder_name(reader->builder, name);
	read_details(reader, weir_sqlscan_text(scan, AGENT_DETAILS), &device);
	weir_builder_describe_device(reader->builder, &device);
}

static enum weir_status read_agents(struct reader *reader, struct weir_text *table)
{
	struct weir_sqlscan scan;
	int64_t gpus = 0;
	bool more;
	enum weir_status status = weir_sqlscan_open(
		&scan, reader->db, table_name(&reader->set, "rocpd_info_agent", table),
		agent_columns, reader->err);

	while (!status && !(status = weir_sqlscan_next(&scan, &more, reader->err)) && more)
		take_agent(reader, &scan, &gpus);
	weir_sqlscan_close(&scan);
	return status;
}

static enum weir_status open_indexes(struct reader *reader, struct weir_text *table)
{
	static const char *const process_columns[] = {"id", "pid", NULL};
	static const char *const thread_columns[] = {"id", "tid", NULL};
	static const char *const track_columns[] = {"id",       "pid",       "tid", "agent_id",
	                                            "queue_id", "stream_id", NULL};
	static const char *const stamp_columns[] = {"id", "value", NULL};
	static const char *const event_columns[] = {"id", "stack_id", "category_id", NULL};
	struct set *set = &reader->set;
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
		                            table_name(set, indexes[i].table, table),
		                            indexes[i].columns, reader->err);
	return status;
}

static enum weir_status open_names(struct reader *reader, struct weir_text *table)
{
	struct set *set = &reader->set;
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
		                            table_name(set, all[i].table, table), "id", all[i].text,
		                            reader->err);
	set->has_kinds = weir_sqldb_has(reader->db, table_name(set, "rocpd_info_category", table));
	if (!status)
		status = weir_sqltexts_open(reader->db, table_name(set, "rocpd_event", table), "id",
		                            "extdata", &set->messages, reader->err);
	return status;
}

/* Passes the names that the program gave its threads to the builder. */
static enum weir_status name_threads(struct reader *reader, struct weir_text *table)
{
	static const char *const columns[] = {"tid", "pid", "name", NULL};
	struct weir_sqlscan scan;
	bool more;
	enum weir_status status = weir_sqlscan_open(
		&scan, reader->db, table_name(&reader->set, "rocpd_info_thread", table), columns,
		reader->err);

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

/* Opens the tables that rows of a set refer to and describes its agents as devices. Close the set
 * even if this fails. */
static enum weir_status open_set(struct reader *reader, const char *suffix)
{
	int64_t processes = reader->set.first_process;
	struct weir_text table = {0};
	enum weir_status status;

	reader->set = (struct set){.suffix = suffix, .first_process = processes};
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

static void close_set(struct set *set)
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
	*set = (struct set){.first_process = set->first_process + (int64_t)processes};
}

/* ---- rows ---- */

/* Columns that all tables of rows share. Tracks have those from ROW_PROCESS to ROW_STREAM too. */
enum row_column {
	ROW_START,
	ROW_END,
	ROW_START_ID,
	ROW_END_ID,
	ROW_TRACK,
	ROW_PROCESS,
	ROW_THREAD,
	ROW_AGENT,
	ROW_QUEUE,
	ROW_STREAM,
	ROW_EVENT,
	ROW_OWN, /* first column that is specific to a table */
};

#define ROW_COLUMNS                                                                                \
	"start", "end", "start_id", "end_id", "track_id", "pid", "tid", "agent_id", "queue_id",    \
		"stream_id", "event_id"

/* Cells of rocpd_event after its id. */
enum event_cell {
	EVENT_CALL, /* stack_id, shared by an API call and its work; programs set correlation_id */
	EVENT_KIND,
};

struct row {
	struct reader *reader;
	const struct weir_sqlscan *scan;
	const int64_t *track, *event; /* NULL: no such row */
	int64_t start_ns, end_ns;
	int64_t process; /* index in the database */
};

static int64_t int_or(const struct weir_sqlscan *scan, int column, int64_t otherwise)
{
	int64_t value = otherwise;

	weir_sqlscan_int(scan, column, &value);
	return value;
}

/* Returns a cell about the place of a row, from the row or else from its track; -1: unknown. */
static int64_t place(const struct row *row, enum row_column column)
{
	int64_t value;

	if (weir_sqlscan_int(row->scan, (int)column, &value))
		return value;
	if (!row->track || row->track[column - ROW_PROCESS] == WEIR_SQL_NULL)
		return -1;
	return row->track[column - ROW_PROCESS];
}

static void warn(const struct row *row, enum weir_warning_code code, const char *what)
{
	char detail[sizeof(((struct weir_warning *)0)->detail)];

	/* Without the GUID, which means nothing to a user. */
	snprintf(detail, sizeof(detail), "row %llu of %.*s: %s", (unsigned long long)row->scan->row,
	         (int)(strlen(row->scan->table) - strlen(row->reader->set.suffix)),
	         row->scan->table, what);
	weir_input_warn(row->reader->input, code, UINT64_MAX, detail);
}

static int64_t time_of(const struct row *row, enum row_column column)
{
	const int64_t *stamp;
	int64_t value;

	if (weir_sqlscan_int(row->scan, (int)column, &value))
		return value;
	if (!weir_sqlscan_int(row->scan, (int)(column + ROW_START_ID), &value))
		return -1;
	stamp = weir_sqlindex_find(&row->reader->set.stamps, value);
	return stamp ? *stamp : -1;
}

/* Reads the columns that all tables share. Returns false, and warns, if the times are unusable. */
static bool read_row(struct reader *reader, const struct weir_sqlscan *scan, struct row *row)
{
	const char *problem;
	int64_t track, event;
	bool turned;

	*row = (struct row){.reader = reader, .scan = scan};
	row->start_ns = time_of(row, ROW_START);
	row->end_ns = time_of(row, ROW_END);
	problem = weir_rocm_times(row->start_ns, &row->end_ns, &turned);
	if (turned)
		warn(row, WEIR_WARN_NEGATIVE_DURATION, "it ends before it starts");
	if (problem) {
		warn(row, WEIR_WARN_NO_TIME, problem);
		return false;
	}
	if (weir_sqlscan_int(scan, ROW_TRACK, &track))
		row->track = weir_sqlindex_find(&reader->set.tracks, track);
	if (weir_sqlscan_int(scan, ROW_EVENT, &event))
		row->event = weir_sqlindex_find(&reader->set.events, event);
	row->process = process_of(&reader->set, place(row, ROW_PROCESS));
	reader->timed++;
	return true;
}

/* Returns the id that joins device work and the API call that launched it; 0: unknown. */
static uint64_t correlation(const struct row *row)
{
	int64_t call = row->event ? row->event[EVENT_CALL] : 0;

	if (call <= 0 || call >= INT64_C(1) << CALL_BITS)
		return 0;
	return (uint64_t)row->process << CALL_BITS | (uint64_t)call;
}

/* Returns the stream or else the queue of a row, unique in the database: ids of streams and queues
 * are unique within a process only. -1: unknown. */
static int64_t stream_of(const struct row *row)
{
	int64_t id = place(row, ROW_STREAM);

	if (id < 0)
		id = place(row, ROW_QUEUE);
	return id < 0 || id > UINT32_MAX ? -1 : (int64_t)((uint64_t)row->process << 32) | id;
}

static struct weir_slice name_of(struct reader *reader, struct weir_sqlnames *names, int64_t id)
{
	const struct weir_names *texts = reader->input->trace->names;
	uint32_t name;

	if (reader->status)
		return (struct weir_slice){"", 0};
	reader->status =
		weir_sqlnames_find(names, id, reader->input->trace->names, &name, reader->err);
	return (struct weir_slice){weir_names_text(texts, name), weir_names_length(texts, name)};
}

enum kernel_column {
	KERNEL_SYMBOL = ROW_OWN,
	KERNEL_GRID,
	KERNEL_GROUP = KERNEL_GRID + 3,
	KERNEL_GRAPH = KERNEL_GROUP + 3, /* from schema 3.0.2 on; 0: not part of a graph */
};

static const char *const kernel_columns[] = {
	ROW_COLUMNS,        "kernel_id",        "grid_size_x",      "grid_size_y",   "grid_size_z",
	"workgroup_size_x", "workgroup_size_y", "workgroup_size_z", "graph_exec_id", NULL};

/* Returns the number of workgroups in the grid, or of threads in a workgroup; 0: unknown. */
static uint32_t product(const struct weir_sqlscan *scan, bool blocks)
{
	uint64_t all = 1;

	for (int i = 0; i < 3; i++) {
		int64_t group = int_or(scan, KERNEL_GROUP + i, 0);
		uint64_t size = group > 0 ? (uint64_t)group : 0;

		if (blocks)
			size = weir_rocm_blocks(int_or(scan, KERNEL_GRID + i, 0), group);
		all = weir_rocm_clamp(all) * (uint64_t)weir_rocm_clamp(size);
	}
	return weir_rocm_clamp(all);
}

static struct weir_slice kernel_name(struct reader *reader, int64_t id)
{
	struct weir_slice name = name_of(reader, &reader->set.titles, id);

	if (!name.length)
		name = name_of(reader, &reader->set.symbols, id);
	name = weir_rocm_kernel_name(name);
	return name.length ? name : weir_slice_of("(unnamed kernel)");
}

static void take_kernel(struct reader *reader, const struct weir_sqlscan *scan)
{
	struct weir_device_event work = {.bytes = -1, .at = UINT64_MAX};
	struct row row;

	if (!read_row(reader, scan, &row))
		return;
	work.start_ns = row.start_ns;
	work.end_ns = row.end_ns;
	work.name = kernel_name(reader, int_or(scan, KERNEL_SYMBOL, -1));
	work.kind = weir_rocm_kernel_kind(work.name);
	work.device = device_of(&reader->set, place(&row, ROW_AGENT));
	work.stream = stream_of(&row);
	work.correlation = correlation(&row);
	work.blocks = product(scan, true);
	work.threads_per_block = product(scan, false);
	work.in_graph = int_or(scan, KERNEL_GRAPH, 0) > 0;
	weir_builder_add_device(reader->builder, &work);
}

enum copy_column {
	COPY_NAME = ROW_OWN,
	COPY_TO,
	COPY_FROM,
	COPY_BYTES,
	COPY_GRAPH,
};

static const char *const copy_columns[] = {
	ROW_COLUMNS, "name_id", "dst_agent_id", "src_agent_id", "size", "graph_exec_id", NULL};

static void take_copy(struct reader *reader, const struct weir_sqlscan *scan)
{
	struct weir_device_event work = {.kind = WEIR_DEVICE_COPY, .at = UINT64_MAX};
	struct row row;

	if (!read_row(reader, scan, &row))
		return;
	work.start_ns = row.start_ns;
	work.end_ns = row.end_ns;
	work.name = weir_rocm_copy_name(
		name_of(reader, &reader->set.names, int_or(scan, COPY_NAME, -1)));
	if (!work.name.length)
		work.name = weir_slice_of("Memcpy");
	work.device = device_of(&reader->set, int_or(scan, COPY_TO, -1));
	if (work.device < 0)
		work.device = device_of(&reader->set, int_or(scan, COPY_FROM, -1));
	work.stream = stream_of(&row);
	work.correlation = correlation(&row);
	work.bytes = int_or(scan, COPY_BYTES, -1);
	work.in_graph = int_or(scan, COPY_GRAPH, 0) > 0;
	weir_builder_add_device(reader->builder, &work);
}

enum region_column {
	REGION_NAME = ROW_OWN,
};

static const char *const region_columns[] = {ROW_COLUMNS, "name_id", NULL};

static bool is_marker(struct reader *reader, const struct row *row)
{
	struct set *set = &reader->set;
	struct weir_slice kind;

	if (!row->event || row->event[EVENT_KIND] == WEIR_SQL_NULL)
		return false;
	kind = name_of(reader, set->has_kinds ? &set->kinds : &set->names, row->event[EVENT_KIND]);
	return weir_slice_starts(kind, "MARKER_") || weir_slice_starts(kind, "marker_");
}

/*
 * Sets *name to the text of a marker. Up to schema 3.0 the name of a marker is the call that made
 * it ("roctxRangePushA"), and the message of its event is the program's text; later schemas swap
 * the two. Returns false for a roctx call without a message, which marks no range.
 */
static bool take_marker(const struct row *row, struct weir_slice *name)
{
	static const char call[] = "roctx";
	struct weir_slice message = {"", 0};
	int64_t event;

	if (weir_sqlscan_int(row->scan, ROW_EVENT, &event))
		message = message_of(row->reader, event);
	if (!message.length)
		return !weir_slice_starts(*name, call);
	if (!weir_slice_starts(message, call))
		*name = message;
	return true;
}

static void take_region(struct reader *reader, const struct weir_sqlscan *scan)
{
	struct weir_host_event host = {.kind = WEIR_HOST_API, .at = UINT64_MAX};
	const int64_t *process, *thread;
	struct row row;

	if (!read_row(reader, scan, &row))
		return;
	process = weir_sqlindex_find(&reader->set.processes, place(&row, ROW_PROCESS));
	thread = weir_sqlindex_find(&reader->set.threads, place(&row, ROW_THREAD));
	host.start_ns = row.start_ns;
	host.end_ns = row.end_ns;
	host.pid = process ? *process : place(&row, ROW_PROCESS);
	host.tid = thread ? *thread : place(&row, ROW_THREAD);
	host.name = name_of(reader, &reader->set.names, int_or(scan, REGION_NAME, -1));
	if (is_marker(reader, &row) && take_marker(&row, &host.name))
		host.kind = WEIR_HOST_ANNOTATION;
	else
		host.correlation = correlation(&row);
	if (!host.name.length)
		host.name = weir_slice_of("(unnamed call)");
	weir_builder_add_host(reader->builder, &host);
}

enum allocation_column {
	ALLOCATION_TYPE = ROW_OWN,
	ALLOCATION_LEVEL,
	ALLOCATION_ADDRESS,
	ALLOCATION_BYTES,
};

static const char *const allocation_columns[] = {ROW_COLUMNS, "type", "level",
                                                 "address",   "size", NULL};

/* Records an allocation or a free. Reserved addresses (VIRTUAL) and spilled registers (SCRATCH) are
 * not memory that the program allocated. A free states the address only. */
static void take_allocation(struct reader *reader, const struct weir_sqlscan *scan)
{
	struct weir_slice type = weir_sqlscan_text(scan, ALLOCATION_TYPE);
	struct weir_allocation allocation = {.is_free = weir_slice_equals(type, "FREE")};
	struct row row;
	int64_t device;

	if (!weir_slice_equals(weir_sqlscan_text(scan, ALLOCATION_LEVEL), "REAL") ||
	    !read_row(reader, scan, &row) ||
	    !weir_sqlscan_int(scan, ALLOCATION_ADDRESS, &allocation.address))
		return;
	device = device_of(&reader->set, place(&row, ROW_AGENT));
	if (device < 0 && !allocation.is_free)
		return;
	allocation.at_ns = row.end_ns;
	allocation.process = row.process;
	allocation.bytes = int_or(scan, ALLOCATION_BYTES, -1);
	allocation.device = (int32_t)device;
	weir_allocations_add(&reader->allocations, &allocation);
}

/* Passes the rows of the set to the builder. */
static enum weir_status read_rows(struct reader *reader)
{
	static const struct {
		const char *name;
		const char *const *columns;
		void (*take)(struct reader *reader, const struct weir_sqlscan *scan);
	} tables[] = {
		{"rocpd_region", region_columns, take_region},
		{"rocpd_kernel_dispatch", kernel_columns, take_kernel},
		{"rocpd_memory_copy", copy_columns, take_copy},
		{"rocpd_memory_allocate", allocation_columns, take_allocation},
	};
	struct weir_text table = {0};
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct weir_sqlscan scan;
		bool more;

		status = weir_sqlscan_open(&scan, reader->db,
		                           table_name(&reader->set, tables[i].name, &table),
		                           tables[i].columns, reader->err);
		while (!status && !(status = weir_sqlscan_next(&scan, &more, reader->err)) &&
		       more) {
			reader->input->events++;
			tables[i].take(reader, &scan);
			status = reader->status;
		}
		weir_sqlscan_close(&scan);
	}
	weir_text_release(&table);
	return status;
}

/* ---- the database ---- */

/* Prefix of a table that every run has. The rest of its name ends the names of the run's other
 * tables. */
static const char anchor[] = "rocpd_info_agent";

/* For databases whose tables cannot be listed; otherwise owns() decides. */
static const struct weir_mark marks[] = {
	{.first = "S",
         .texts = {{WEIR_SQL_MAGIC, "rocpd_info_agent", "rocpd_kernel_dispatch"},
                   .all = 1,
                   .any = 2}},
	{0},
};

static bool owns(const struct weir_sqldb *db)
{
	return weir_sqldb_has_prefix(db, anchor);
}

/* Returns true if the text may end the name of a table in a query. */
static bool is_suffix(const char *text)
{
	return text[strspn(text,
	                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] ==
	       '\0';
}

static const char *const metadata_columns[] = {"tag", "value", NULL};

/* Takes the schema version as a label. Fails if tables without a GUID in their names hold several
 * runs. */
static enum weir_status read_metadata(struct reader *reader)
{
	const bool plain = !*reader->set.suffix;
	struct weir_text table = {0};
	struct weir_sqlscan scan;
	size_t runs = 0;
	bool more;
	enum weir_status status = weir_sqlscan_open(
		&scan, reader->db, table_name(&reader->set, "rocpd_metadata", &table),
		metadata_columns, reader->err);

	while (!status && !(status = weir_sqlscan_next(&scan, &more, reader->err)) && more) {
		struct weir_slice tag = weir_sqlscan_text(&scan, 0);

		runs += weir_slice_equals(tag, "guid");
		if (weir_slice_equals(tag, "schema_version"))
			weir_builder_add_label(reader->builder,
			                       weir_slice_of("rocpd_schema_version"),
			                       weir_sqlscan_text(&scan, 1));
	}
	weir_sqlscan_close(&scan);
	weir_text_release(&table);
	if (!status && plain && runs > 1)
		status = weir_fail(reader->err, WEIR_E_FORMAT,
		                   "%zu runs share one set of tables, but ids are unique within a "
		                   "run only: pass the database of each run",
		                   runs);
	return status;
}

static enum weir_status read_set(struct reader *reader, const char *suffix)
{
	enum weir_status status = open_set(reader, suffix);

	if (!status)
		status = read_metadata(reader);
	if (!status)
		status = read_rows(reader);
	close_set(&reader->set);
	return status;
}

static enum weir_status read_sets(struct reader *reader)
{
	enum weir_status status = WEIR_OK;
	const char *table;

	if (!owns(reader->db))
		return weir_fail(reader->err, WEIR_E_FORMAT,
		                 "no tables of rocprofv3 (rocpd_info_agent_GUID): %s",
		                 weir_sqldb_hint(reader->db));
	for (size_t i = 0; !status && (table = weir_sqldb_table(reader->db, i)); i++) {
		const char *suffix = table + sizeof(anchor) - 1;

		if (strncasecmp(table, anchor, sizeof(anchor) - 1) == 0 && is_suffix(suffix))
			status = read_set(reader, suffix);
	}
	return status;
}

static enum weir_status conclude(struct reader *reader)
{
	if (reader->timed) {
		weir_allocations_finish(&reader->allocations, reader->builder);
		return weir_builder_finish(reader->builder, reader->err);
	}
	if (reader->input->events)
		return weir_fail(reader->err, WEIR_E_EMPTY,
		                 "none of its %" PRIu64 " rows has a usable time",
		                 reader->input->events);
	return weir_fail(reader->err, WEIR_E_EMPTY,
	                 "no kernel, copy or call was recorded: run rocprofv3 with "
	                 "--kernel-trace, --memory-copy-trace, --hip-trace and --marker-trace");
}

static enum weir_status read_database(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	struct reader reader = {.input = input, .err = err};
	enum weir_status status = weir_sqldb_open(source, &reader.db, err);

	if (status)
		return status;
	reader.builder = weir_builder_new(input);
	status = read_sets(&reader);
	if (!status)
		status = conclude(&reader);
	weir_allocations_release(&reader.allocations);
	weir_builder_free(reader.builder);
	weir_sqldb_close(reader.db);
	weir_text_release(&reader.scratch);
	weir_text_release(&reader.decoded);
	free(reader.nodes);
	return status;
}

const struct weir_reader weir_reader_rocpd = {
	.name = "rocpd",
	.title = "databases of AMD's rocprofv3 (rocpd): kernels, copies, calls, markers, "
		 "allocations",
	.gives = "timeline",
	.of_amd = true,
	.marks = marks,
	.owns = owns,
	.read = read_database,
};
