/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a row of a rocpd table to the builder's call. */
#include <stdio.h>
#include <string.h>

#include "engine/readers/amd/rocpd.h"
#include "engine/readers/trace/rocm.h"

#define CALL_BITS 40 /* of a call's number, which is its process's own */

/* What rows have in common comes first; those from ROW_PROCESS to ROW_STREAM a track has too. */
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
	ROW_OWN, /* the first column of the table's own */
};

#define ROW_COLUMNS                                                                                \
	"start", "end", "start_id", "end_id", "track_id", "pid", "tid", "agent_id", "queue_id",    \
		"stream_id", "event_id"

/* Of rocpd_event. */
enum event_cell {
	EVENT_CALL, /* the API call that it is part of; its correlation_id is the program's own */
	EVENT_KIND,
};

struct row {
	struct rocpd_reader *reader;
	const struct weir_sqlscan *scan;
	const int64_t *track, *event; /* NULL: none */
	int64_t start_ns, end_ns;
	int64_t process; /* its place in the database */
};

static int64_t int_or(const struct weir_sqlscan *scan, int column, int64_t otherwise)
{
	int64_t value = otherwise;

	weir_sqlscan_int(scan, column, &value);
	return value;
}

/* What the row says of its place, or its track does; -1: neither. */
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

	/* The GUID is no use to a reader. */
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

/* False: left out, counted. */
static bool read_row(struct rocpd_reader *reader, const struct weir_sqlscan *scan, struct row *row)
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
	row->process = weir_rocpd_process(&reader->set, place(row, ROW_PROCESS));
	reader->timed++;
	return true;
}

static uint64_t correlation(const struct row *row)
{
	int64_t call = row->event ? row->event[EVENT_CALL] : 0;

	if (call <= 0 || call >= INT64_C(1) << CALL_BITS)
		return 0;
	return (uint64_t)row->process << CALL_BITS | (uint64_t)call;
}

/* Processes number their streams and queues each for itself. */
static int64_t stream_of(const struct row *row)
{
	int64_t id = place(row, ROW_STREAM);

	if (id < 0)
		id = place(row, ROW_QUEUE);
	return id < 0 || id > UINT32_MAX ? -1 : (int64_t)((uint64_t)row->process << 32) | id;
}

static struct weir_slice name_of(struct rocpd_reader *reader, struct weir_sqlnames *names,
                                 int64_t id)
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
	KERNEL_GRAPH = KERNEL_GROUP + 3, /* from schema 3.0.2 on; 0: launched by itself */
};

static const char *const kernel_columns[] = {
	ROW_COLUMNS,        "kernel_id",        "grid_size_x",      "grid_size_y",   "grid_size_z",
	"workgroup_size_x", "workgroup_size_y", "workgroup_size_z", "graph_exec_id", NULL};

/* Of three dimensions: threads of a workgroup, or workgroups of the grid. */
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

static struct weir_slice kernel_name(struct rocpd_reader *reader, int64_t id)
{
	struct weir_slice name = name_of(reader, &reader->set.titles, id);

	if (!name.length)
		name = name_of(reader, &reader->set.symbols, id);
	name = weir_rocm_kernel_name(name);
	return name.length ? name : weir_slice_of("(unnamed kernel)");
}

static void take_kernel(struct rocpd_reader *reader, const struct weir_sqlscan *scan)
{
	struct weir_device_event work = {.bytes = -1, .at = UINT64_MAX};
	struct row row;

	if (!read_row(reader, scan, &row))
		return;
	work.start_ns = row.start_ns;
	work.end_ns = row.end_ns;
	work.name = kernel_name(reader, int_or(scan, KERNEL_SYMBOL, -1));
	work.kind = weir_rocm_kernel_kind(work.name);
	work.device = weir_rocpd_device(&reader->set, place(&row, ROW_AGENT));
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

static void take_copy(struct rocpd_reader *reader, const struct weir_sqlscan *scan)
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
	work.device = weir_rocpd_device(&reader->set, int_or(scan, COPY_TO, -1));
	if (work.device < 0)
		work.device = weir_rocpd_device(&reader->set, int_or(scan, COPY_FROM, -1));
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

static bool is_marker(struct rocpd_reader *reader, const struct row *row)
{
	struct rocpd_set *set = &reader->set;
	struct weir_slice kind;

	if (!row->event || row->event[EVENT_KIND] == WEIR_SQL_NULL)
		return false;
	kind = name_of(reader, set->has_kinds ? &set->kinds : &set->names, row->event[EVENT_KIND]);
	return weir_slice_starts(kind, "MARKER_") || weir_slice_starts(kind, "marker_");
}

/*
 * Up to schema 3.0 a marker has the name of the call that made it ("roctxRangePushA"), and the
 * program's text is its event's message; later it is the other way round. Calls that mark nothing
 * have no message: false.
 */
static bool take_marker(const struct row *row, struct weir_slice *name)
{
	static const char call[] = "roctx";
	struct weir_slice message = {"", 0};
	int64_t event;

	if (weir_sqlscan_int(row->scan, ROW_EVENT, &event))
		message = weir_rocpd_message(row->reader, event);
	if (!message.length)
		return !weir_slice_starts(*name, call);
	if (!weir_slice_starts(message, call))
		*name = message;
	return true;
}

static void take_region(struct rocpd_reader *reader, const struct weir_sqlscan *scan)
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

/* Reserved addresses (VIRTUAL) and what kernels spill (SCRATCH) are no memory of the program's.
 * What gives memory back names its address alone. */
static void take_allocation(struct rocpd_reader *reader, const struct weir_sqlscan *scan)
{
	struct weir_slice type = weir_sqlscan_text(scan, ALLOCATION_TYPE);
	struct weir_allocation allocation = {.is_free = weir_slice_equals(type, "FREE")};
	struct row row;
	int64_t device;

	if (!weir_slice_equals(weir_sqlscan_text(scan, ALLOCATION_LEVEL), "REAL") ||
	    !read_row(reader, scan, &row) ||
	    !weir_sqlscan_int(scan, ALLOCATION_ADDRESS, &allocation.address))
		return;
	device = weir_rocpd_device(&reader->set, place(&row, ROW_AGENT));
	if (device < 0 && !allocation.is_free)
		return;
	allocation.at_ns = row.end_ns;
	allocation.process = row.process;
	allocation.bytes = int_or(scan, ALLOCATION_BYTES, -1);
	allocation.device = (int32_t)device;
	weir_allocations_add(&reader->allocations, &allocation);
}

enum weir_status weir_rocpd_set_read(struct rocpd_reader *reader)
{
	static const struct {
		const char *name;
		const char *const *columns;
		void (*take)(struct rocpd_reader *reader, const struct weir_sqlscan *scan);
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
		                           weir_rocpd_table(&reader->set, tables[i].name, &table),
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
