/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the device did: kernels, copies, fills, and graphs whose kernels the export does not hold.
 */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/nvidia/nsys.h"

/* What rows of device work have in common comes first. */
enum work_column {
	WORK_START,
	WORK_END,
	WORK_DEVICE,
	WORK_STREAM,
	WORK_CORRELATION,
	WORK_PROCESS,
	WORK_GRAPH_NODE,
	WORK_OWN, /* the first column of the kind's own */
};

#define WORK_COLUMNS                                                                               \
	"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphNodeId"

static int64_t int_or(const struct weir_sqlscan *row, int column, int64_t otherwise)
{
	int64_t value = otherwise;

	weir_sqlscan_int(row, column, &value);
	return value;
}

/* False: left out. A file that names no device has one, and so it is with streams. */
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

/* Of three columns; 0: not given, or no number of blocks or threads. */
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

/* As CUPTI's other users write it: "Memcpy DtoH (Device -> Pageable)". */
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

/* One launch of a graph as a whole: time in which the device was busy with kernels that the export
 * does not hold. */
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

/* Of the kinds of memory only these are the host's. */
static bool is_of_host(const char *kind)
{
	return kind && (strcmp(kind, "Pageable") == 0 || strcmp(kind, "Pinned") == 0);
}

static void take_memory(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	const char *operation = kind_name(row, MEMORY_OPERATION, reader->memory_operations);
	struct weir_allocation allocation = {.bytes = int_or(row, MEMORY_BYTES, -1)};
	int64_t process;
	const int64_t *global = weir_sqlscan_int(row, MEMORY_PROCESS, &process) ? &process : NULL;

	if (!operation || is_of_host(kind_name(row, MEMORY_KIND, reader->memory_kinds)) ||
	    !weir_sqlscan_int(row, MEMORY_ADDRESS, &allocation.address))
		return;
	if (!weir_sqlscan_int(row, MEMORY_AT, &allocation.at_ns) ||
	    allocation.at_ns <= -WEIR_MAX_TIME_NS || allocation.at_ns >= WEIR_MAX_TIME_NS) {
		weir_nsys_warn(reader, row, WEIR_WARN_NO_TIME, "no start, or out of range");
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
