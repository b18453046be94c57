/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the host did: CUDA calls, NVTX ranges, calls of the operating system, synchronisation, and
 * the profiler's own work. */
#include <string.h>

#include "engine/readers/nvidia/nsys.h"

#define NO_STREAM INT64_C(4294967295)

enum call_column {
	CALL_START,
	CALL_END,
	CALL_THREAD,
	CALL_NAME,
	CALL_CORRELATION,
};

static const char *const call_columns[] = {"start",  "end",           "globalTid",
                                           "nameId", "correlationId", NULL};

/* A row of the host; *global is the thread's global id, 0 where the row names none. */
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

/* "cudaLaunchKernel_v7000" without the version of the header that it was built with; "_v2" of the
 * driver's names is part of them. */
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

	reader->apart = weir_sqlscan_has(row, CALL_THREAD);
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

/* "dlopen(/path/lib.so)": what is in parentheses is a file of the host. */
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

/* Where `mark` begins in the text, which it does not begin; NULL: nowhere. */
static const char *find_mark(struct weir_slice text, const char *mark)
{
	size_t length = strlen(mark);

	for (size_t at = 1; at + length <= text.length; at++)
		if (text.data[at] == *mark && !memcmp(text.data + at, mark, length))
			return text.data + at;
	return NULL;
}

/* The list behind the mark: "[[8, 16], []]"; empty where there is none. */
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
 * Ranges that torch.autograd.profiler.emit_nvtx writes are operators: "aten::mm, seq = 12, op_id =
 * 345, sizes = [[8, 16], [16, 4]]". Their numbers are new in each call and no part of the name.
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

/* Ranges that libraries put around their own calls are no stages of the program. */
static bool is_of_library(struct weir_slice name)
{
	static const char *const prefixes[] = {"ncclGroup", "ncclComm",  "ncclSend", "ncclRecv",
	                                       "ncclAll",   "ncclBroad", "ncclRedu", "ncclScat",
	                                       "ncclGath",  "cub::",     "thrust::"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (weir_slice_starts(name, prefixes[i]))
			return true;
	return false;
}

/* A range that nothing closed has no end; marks and definitions are none. */
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
	range.kind = take_operator(&range) || is_of_library(range.name) ? WEIR_HOST_OP
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
