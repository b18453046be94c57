/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the tables of events: on the host CUDA calls, NVTX ranges, calls of the operating system,
 * synchronisation and the profiler's own work; on the device kernels, copies, fills, graph launches
 * and allocations. */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/nvidia/nsys.h"

#define NO_STREAM INT64_C(4294967295)

/* ---- host ---- */

enum call_column {
	CALL_START,
	CALL_END,
	CALL_THREAD,
	CALL_NAME,
	CALL_CORRELATION,
};

static const char *const call_columns[] = {"start",  "end",           "globalTid",
                                           "nameId", "correlationId", NULL};

/* Reads what rows of host events share. *global becomes the thread's global id; 0 if the row names
 * no thread. Returns false if the row has no usable time. */
static bool read_host(struct nsys_reader *reader, const struct weir_sqlscan *row,
                      struct weir_host_event *host, int64_t *global)
{
	*host = (struct weir_host_event){.at = UINT64_MAX};
	if (!weir_nsys_times(reader, row, CALL_START, &host->start_ns, &host->end_ns))
		return false;
	*global = 0;
	weir_sqlscan_int(row, CALL_THREAD, global);
	host->pid = weir_nsys_pid(*global);
	host->tid = weir_nsys_tid(*global);
	return true;
}

/* Returns "cudaLaunchKernel_v7000" without the version of the header. Versions of fewer digits
 * ("cuMemcpy_v2") are part of the driver's name. */
static struct weir_slice without_version(struct weir_slice name)
{
	size_t at = name.length;

	while (at && name.data[at - 1] >= '0' && name.data[at - 1] <= '9')
		at--;
	if (name.length - at >= 4 && at > 2 && !memcmp(name.data + at - 2, "_v", 2))
		name.length = at - 2;
	return name;
}

static void take_call(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct weir_host_event call;
	int64_t global, id = 0;

	reader->names_processes = weir_sqlscan_has(row, CALL_THREAD);
	if (!read_host(reader, row, &call, &global))
		return;
	call.kind = WEIR_HOST_API;
	call.name = without_version(weir_nsys_name(reader, row, CALL_NAME));
	weir_sqlscan_int(row, CALL_CORRELATION, &id);
	call.correlation = weir_nsys_correlation(reader, &global, id);
	weir_builder_add_host(reader->builder, &call);
}

const struct nsys_table weir_nsys_calls = {"CUPTI_ACTIVITY_KIND_RUNTIME", call_columns, take_call,
                                           true};

static void take_system_call(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct weir_host_event call;
	int64_t global;

	if (!read_host(reader, row, &call, &global))
		return;
	call.kind = WEIR_HOST_API;
	call.name = weir_nsys_name(reader, row, CALL_NAME);
	weir_builder_add_host(reader->builder, &call);
}

static const char *const named_columns[] = {"start", "end", "globalTid", "nameId", NULL};

const struct nsys_table weir_nsys_system_calls = {"OSRT_API", named_columns, take_system_call,
                                                  true};

/* Returns "dlopen(/path/lib.so)" without the argument, which names a private file. */
static struct weir_slice without_argument(struct weir_slice name)
{
	const char *open = name.length ? memchr(name.data, '(', name.length) : NULL;

	if (open && open > name.data)
		name.length = (size_t)(open - name.data);
	return name;
}

static void take_overhead(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct weir_host_event work;
	int64_t global;

	if (!read_host(reader, row, &work, &global))
		return;
	work.kind = WEIR_HOST_OVERHEAD;
	work.name = without_argument(weir_nsys_text(reader, row, CALL_NAME));
	weir_builder_add_host(reader->builder, &work);
}

const struct nsys_table weir_nsys_overhead = {"PROFILER_OVERHEAD", named_columns, take_overhead,
                                              true};
const struct nsys_table weir_nsys_cupti_overhead = {"CUPTI_ACTIVITY_KIND_OVERHEAD", named_columns,
                                                    take_overhead, true};

enum range_column {
	RANGE_START,
	RANGE_END,
	RANGE_THREAD,
	RANGE_TEXT_ID,
	RANGE_TEXT,
	RANGE_TYPE,
};

static const char *const range_columns[] = {"start", "end",       "globalTid", "textId",
                                            "text",  "eventType", NULL};

enum range_type {
	RANGE_PUSH_POP = 59,
	RANGE_START_END = 60,
};

static struct weir_slice range_name(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct weir_slice text = weir_sqlscan_text(row, RANGE_TEXT);

	return text.length ? text : weir_nsys_name(reader, row, RANGE_TEXT_ID);
}

/* Returns the place of the mark after the first byte of the text; NULL if it is not there. */
static const char *find_mark(struct weir_slice text, const char *mark)
{
	size_t length = strlen(mark);

	for (size_t at = 1; at + length <= text.length; at++)
		if (text.data[at] == *mark && !memcmp(text.data + at, mark, length))
			return text.data + at;
	return NULL;
}

/* Returns the list after the mark, such as "[[8, 16], []]"; empty if no complete list follows. */
static struct weir_slice list_behind(struct weir_slice text, const char *mark)
{
	const char *end = text.data + text.length, *at = find_mark(text, mark), *start;
	int depth = 0;

	if (!at)
		return (struct weir_slice){"", 0};
	start = at += strlen(mark);
	for (; at < end; at++) {
		depth += *at == '[';
		depth -= *at == ']';
		if (depth <= 0)
			break;
	}
	if (at == end || *at != ']')
		return (struct weir_slice){"", 0};
	return (struct weir_slice){start, (size_t)(at + 1 - start)};
}

/*
 * Recognises operators, as torch.autograd.profiler.emit_nvtx writes them: "aten::mm, seq = 12,
 * op_id = 345, sizes = [[8, 16], [16, 4]]". Removes the arguments from the name, since the numbers
 * differ in each call, and keeps the sizes. Returns false for other ranges.
 */
static bool take_operator(struct weir_host_event *range)
{
	static const char *const marks[] = {", seq = ", ", op_id = ", ", sizes = ["};
	struct weir_slice text = range->name;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *mark = find_mark(text, marks[i]);

		if (mark && mark < range->name.data + range->name.length)
			range->name.length = (size_t)(mark - range->name.data);
	}
	if (range->name.length == text.length)
		return false;
	range->dims = list_behind(text, ", sizes = ");
	return true;
}

/* Returns true if a library put the range around its own calls: it is not a stage of the program.
 */
static bool is_library_range(struct weir_slice name)
{
	static const char *const prefixes[] = {"ncclGroup", "ncclComm",  "ncclSend", "ncclRecv",
	                                       "ncclAll",   "ncclBroad", "ncclRedu", "ncclScat",
	                                       "ncclGath",  "cub::",     "thrust::"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (weir_slice_starts(name, prefixes[i]))
			return true;
	return false;
}

/* Takes a range. Other types of rows are marks and definitions; a range without an end was never
 * closed. */
static void take_range(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct weir_host_event range;
	int64_t global, type = 0, end_ns;

	weir_sqlscan_int(row, RANGE_TYPE, &type);
	if (type != RANGE_PUSH_POP && type != RANGE_START_END)
		return;
	if (!weir_sqlscan_int(row, RANGE_END, &end_ns)) {
		weir_nsys_warn(reader, row, WEIR_WARN_NO_TIME, "a range that was never closed");
		return;
	}
	if (!read_host(reader, row, &range, &global))
		return;
	range.name = range_name(reader, row);
	range.kind = take_operator(&range) || is_library_range(range.name) ? WEIR_HOST_OP
	                                                                   : WEIR_HOST_ANNOTATION;
	if (range.name.length)
		weir_builder_add_host(reader->builder, &range);
}

const struct nsys_table weir_nsys_ranges = {"NVTX_EVENTS", range_columns, take_range, true};

enum sync_column {
	SYNC_START,
	SYNC_END,
	SYNC_STREAM,
	SYNC_CORRELATION,
	SYNC_PROCESS,
	SYNC_TYPE,
};

static const char *const sync_columns[] = {"start",     "end",      "streamId", "correlationId",
                                           "globalPid", "syncType", NULL};

static void take_sync(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct weir_sync_event sync = {.stream = -1, .wait_on_stream = -1};
	int64_t process, stream, type, id = 0;
	const int64_t *global = weir_sqlscan_int(row, SYNC_PROCESS, &process) ? &process : NULL;

	if (!weir_nsys_times(reader, row, SYNC_START, &sync.start_ns, &sync.end_ns))
		return;
	if (weir_sqlscan_int(row, SYNC_STREAM, &stream) && stream != NO_STREAM)
		sync.stream = weir_nsys_stream(reader, global, stream);
	weir_sqlscan_int(row, SYNC_CORRELATION, &id);
	sync.correlation = weir_nsys_correlation(reader, global, id);
	if (weir_sqlscan_int(row, SYNC_TYPE, &type) && type >= 0 && type < NSYS_KINDS &&
	    reader->sync_kinds[type])
		sync.kind_name =
			weir_builder_name(reader->builder, weir_slice_of(reader->sync_kinds[type]));
	weir_builder_add_sync(reader->builder, &sync);
}

const struct nsys_table weir_nsys_syncs = {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", sync_columns,
                                           take_sync, true};

/* ---- device ---- */

/* Columns that all tables of device work share come first. */
enum work_column {
	WORK_START,
	WORK_END,
	WORK_DEVICE,
	WORK_STREAM,
	WORK_CORRELATION,
	WORK_PROCESS,
	WORK_GRAPH_NODE,
	WORK_OWN, /* first column that only one table has */
};

#define WORK_COLUMNS                                                                               \
	"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphNodeId"

static int64_t int_or(const struct weir_sqlscan *row, int column, int64_t otherwise)
{
	int64_t value = otherwise;

	weir_sqlscan_int(row, column, &value);
	return value;
}

/* Reads what rows of device work share. A file without ids of devices or streams has one of each.
 * Returns false if the row has no usable time. */
static bool read_work(struct nsys_reader *reader, const struct weir_sqlscan *row,
                      struct weir_device_event *work)
{
	int64_t process, node;
	const int64_t *global = weir_sqlscan_int(row, WORK_PROCESS, &process) ? &process : NULL;

	*work = (struct weir_device_event){.bytes = -1, .at = UINT64_MAX};
	if (!weir_nsys_times(reader, row, WORK_START, &work->start_ns, &work->end_ns))
		return false;
	work->device = weir_nsys_device(reader, global, int_or(row, WORK_DEVICE, 0));
	work->stream = weir_nsys_stream(reader, global, int_or(row, WORK_STREAM, 0));
	work->correlation = weir_nsys_correlation(reader, global, int_or(row, WORK_CORRELATION, 0));
	work->in_graph = weir_sqlscan_int(row, WORK_GRAPH_NODE, &node) && node != 0;
	return true;
}

enum kernel_column {
	KERNEL_FULL_NAME = WORK_OWN,
	KERNEL_SHORT_NAME,
	KERNEL_MANGLED_NAME,
	KERNEL_GRID,
	KERNEL_BLOCK = KERNEL_GRID + 3,
};

static const char *const kernel_columns[] = {
	WORK_COLUMNS, "demangledName", "shortName", "mangledName", "gridX", "gridY",
	"gridZ",      "blockX",        "blockY",    "blockZ",      NULL};

/* Returns the product of three columns; 0 if one is missing or not positive, or on overflow. */
static uint32_t product(const struct weir_sqlscan *row, int first)
{
	int64_t total = 1;

	for (int i = 0; i < 3; i++) {
		int64_t side = int_or(row, first + i, 0);

		if (side <= 0 || side > UINT32_MAX || total > UINT32_MAX / side)
			return 0;
		total *= side;
	}
	return (uint32_t)total;
}

static struct weir_slice kernel_name(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	for (int column = KERNEL_FULL_NAME; column <= KERNEL_MANGLED_NAME; column++) {
		struct weir_slice name = weir_nsys_name(reader, row, column);

		if (name.length)
			return name;
	}
	return weir_slice_of("(kernel without a name)");
}

static void take_kernel(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct weir_device_event work;

	if (!read_work(reader, row, &work))
		return;
	work.kind = WEIR_DEVICE_KERNEL;
	work.name = kernel_name(reader, row);
	work.blocks = product(row, KERNEL_GRID);
	work.threads_per_block = product(row, KERNEL_BLOCK);
	weir_builder_add_device(reader->builder, &work);
}

const struct nsys_table weir_nsys_kernels = {"CUPTI_ACTIVITY_KIND_KERNEL", kernel_columns,
                                             take_kernel, true};

enum copy_column {
	COPY_BYTES = WORK_OWN,
	COPY_KIND,
	COPY_FROM,
	COPY_TO,
};

static const char *const copy_columns[] = {WORK_COLUMNS, "bytes",   "copyKind",
                                           "srcKind",    "dstKind", NULL};

static const char *kind_name(const struct weir_sqlscan *row, int column, const char *const *names)
{
	int64_t kind = int_or(row, column, -1);

	return kind >= 0 && kind < NSYS_KINDS ? names[kind] : NULL;
}

/* Writes the name as other tools on CUPTI do: "Memcpy DtoH (Device -> Pageable)". */
static void name_copy(const struct nsys_reader *reader, const struct weir_sqlscan *row,
                      struct weir_text *text)
{
	const char *way = kind_name(row, COPY_KIND, reader->copy_kinds);
	const char *from = kind_name(row, COPY_FROM, reader->memory_kinds);
	const char *to = kind_name(row, COPY_TO, reader->memory_kinds);

	weir_text_puts(text, "Memcpy");
	if (way)
		weir_text_printf(text, " %s", way);
	if (from || to)
		weir_text_printf(text, " (%s -> %s)", from ? from : "Unknown", to ? to : "Unknown");
}

static void take_copy(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct weir_device_event work;
	struct weir_text name = {0};

	if (!read_work(reader, row, &work))
		return;
	name_copy(reader, row, &name);
	work.kind = WEIR_DEVICE_COPY;
	work.name = (struct weir_slice){name.data, name.length};
	work.bytes = int_or(row, COPY_BYTES, -1);
	weir_builder_add_device(reader->builder, &work);
	weir_text_release(&name);
}

const struct nsys_table weir_nsys_copies = {"CUPTI_ACTIVITY_KIND_MEMCPY", copy_columns, take_copy,
                                            true};

enum set_column {
	SET_BYTES = WORK_OWN,
	SET_KIND,
};

static const char *const set_columns[] = {WORK_COLUMNS, "bytes", "memKind", NULL};

static void take_set(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	const char *kind = kind_name(row, SET_KIND, reader->memory_kinds);
	struct weir_device_event work;
	struct weir_text name = {0};

	if (!read_work(reader, row, &work))
		return;
	weir_text_printf(&name, "Memset (%s)", kind ? kind : "Unknown");
	work.kind = WEIR_DEVICE_SET;
	work.name = (struct weir_slice){name.data, name.length};
	work.bytes = int_or(row, SET_BYTES, -1);
	weir_builder_add_device(reader->builder, &work);
	weir_text_release(&name);
}

const struct nsys_table weir_nsys_sets = {"CUPTI_ACTIVITY_KIND_MEMSET", set_columns, take_set,
                                          true};

enum graph_column {
	GRAPH_EXEC = WORK_OWN,
	GRAPH_ID,
};

static const char *const graph_columns[] = {WORK_COLUMNS, "graphExecId", "graphId", NULL};

/* Takes the launch of a whole graph: the device was busy with kernels that the export lacks. */
static void take_graph(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct weir_device_event work;
	struct weir_text name = {0};

	if (!read_work(reader, row, &work))
		return;
	weir_text_printf(&name, "(CUDA graph %lld)",
	                 (long long)int_or(row, GRAPH_EXEC, int_or(row, GRAPH_ID, 0)));
	work.kind = WEIR_DEVICE_KERNEL;
	work.name = (struct weir_slice){name.data, name.length};
	work.in_graph = true;
	weir_builder_add_device(reader->builder, &work);
	weir_text_release(&name);
}

const struct nsys_table weir_nsys_graphs = {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", graph_columns,
                                            take_graph, true};

enum memory_column {
	MEMORY_AT,
	MEMORY_PROCESS,
	MEMORY_DEVICE,
	MEMORY_ADDRESS,
	MEMORY_BYTES,
	MEMORY_KIND,
	MEMORY_OPERATION,
};

static const char *const memory_columns[] = {
	"start",   "globalPid",           "deviceId", "address", "bytes",
	"memKind", "memoryOperationType", NULL};

/* Returns true if the kind of memory is on the host. */
static bool is_host_memory(const char *kind)
{
	return kind && (strcmp(kind, "Pageable") == 0 || strcmp(kind, "Pinned") == 0);
}

static void take_memory(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	const char *operation = kind_name(row, MEMORY_OPERATION, reader->memory_operations);
	struct weir_allocation allocation = {.bytes = int_or(row, MEMORY_BYTES, -1)};
	int64_t process;
	const int64_t *global = weir_sqlscan_int(row, MEMORY_PROCESS, &process) ? &process : NULL;

	if (!operation || is_host_memory(kind_name(row, MEMORY_KIND, reader->memory_kinds)) ||
	    !weir_sqlscan_int(row, MEMORY_ADDRESS, &allocation.address))
		return;
	if (!weir_sqlscan_int(row, MEMORY_AT, &allocation.at_ns) ||
	    allocation.at_ns <= -WEIR_MAX_TIME_NS || allocation.at_ns >= WEIR_MAX_TIME_NS) {
		weir_nsys_warn(reader, row, WEIR_WARN_NO_TIME, "start is missing or out of range");
		return;
	}
	allocation.is_free = *operation == 'r';
	allocation.process = global ? weir_nsys_pid(*global) : 0;
	allocation.device =
		(int32_t)(weir_nsys_device(reader, global, int_or(row, MEMORY_DEVICE, 0)) &
	                  INT32_MAX);
	weir_allocations_add(&reader->allocations, &allocation);
}

const struct nsys_table weir_nsys_memory = {"CUDA_GPU_MEMORY_USAGE_EVENTS", memory_columns,
                                            take_memory, true};
