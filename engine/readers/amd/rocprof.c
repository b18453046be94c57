/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads tables of AMD's profilers: rocprofv3 --output-format csv (kernels, copies, calls, markers,
 * allocations, totals), the same tables made from a rocpd database, those of rocprof before version
 * 3, and pmc_kernel_top.csv of rocprof-compute (Omniperf). Times are nanoseconds since the host was
 * started. Counters serialise the kernels: a table of them gives totals of kernels, no timeline.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/amd/rocm_totals.h"
#include "engine/readers/amd/rocprof_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/shares.h"
#include "engine/readers/readers.h"
#include "engine/readers/trace/builder.h"
#include "engine/readers/trace/rocm.h"

#define MAX_CELLS    128
#define MAX_COUNTERS 64 /* names of counters that are listed */

/* Meanings of columns, whose names differ between versions. */
enum column {
	COLUMN_KERNEL,
	COLUMN_FUNCTION,
	COLUMN_DOMAIN,
	COLUMN_DIRECTION,
	COLUMN_OPERATION,
	COLUMN_NAME,
	COLUMN_CALLS,
	COLUMN_TOTAL,
	COLUMN_SHARE,
	COLUMN_START,
	COLUMN_END,
	COLUMN_PROCESS,
	COLUMN_THREAD,
	COLUMN_CORRELATION,
	COLUMN_AGENT,
	COLUMN_SOURCE,
	COLUMN_DESTINATION,
	COLUMN_QUEUE,
	COLUMN_STREAM,
	COLUMN_SIZE,
	COLUMN_GRID,
	COLUMN_GRID_X,
	COLUMN_GRID_Y,
	COLUMN_GRID_Z,
	COLUMN_GROUP,
	COLUMN_GROUP_X,
	COLUMN_GROUP_Y,
	COLUMN_GROUP_Z,
	COLUMN_NODE,
	COLUMN_AGENT_TYPE,
	COLUMN_PRODUCT,
	COLUMN_UNITS,
	COLUMN_WAVE,
	COLUMN_COUNTER,
	COLUMN_DISPATCH,
	COLUMNS
};

enum table {
	TABLE_NONE,
	TABLE_KERNELS,
	TABLE_CALLS, /* calls of the runtime, markers, calls of RCCL */
	TABLE_COPIES,
	TABLE_ALLOCATIONS,
	TABLE_TOTALS,   /* the *_stats files: calls and time by name */
	TABLE_AGENTS,   /* devices of the machine; no events */
	TABLE_COUNTERS, /* counters of kernels, and their times */
};

struct columns {
	enum table table;
	size_t count;                   /* of cells in the header */
	size_t column[COLUMNS];         /* WEIR_CSV_NO_COLUMN: missing */
	int total_places;               /* powers of ten from totals to nanoseconds */
	size_t counter, after_counters; /* columns that are counters of rocprof v1; equal: none */
};

struct reader {
	struct weir_input *input;
	struct weir_builder *builder; /* NULL: the table holds totals */
	struct columns columns;
	uint64_t timed;            /* usable rows */
	struct weir_shares shares; /* of the rows of a table of totals */
	double missing_ns;         /* time of rows that the tables of totals lack */
	const char *tool;          /* that wrote totals, for the label "rocprof"; NULL: rocprofv3 */
	struct weir_names *counters;             /* names of counters, which are left out */
	uint32_t first_counter;                  /* id in `counters`; 0: no row of a counter yet */
	int64_t last_dispatch, largest_dispatch; /* of rocprofv3's counters; -1: none yet */
	char first_problem[256];                 /* with its line; empty: no problem yet */
};

/* ---- headers ---- */

static const struct weir_csv_options options = {.separator = ',', .quotes = true, .trim = true};

static const struct {
	const char *name;
	enum column column;
} names[] = {
	{"Kernel_Name", COLUMN_KERNEL},
	{"KernelName", COLUMN_KERNEL},
	{"Function", COLUMN_FUNCTION},
	{"Domain", COLUMN_DOMAIN},
	{"Direction", COLUMN_DIRECTION},
	{"Operation", COLUMN_OPERATION},
	{"Name", COLUMN_NAME},
	{"Calls", COLUMN_CALLS},
	{"Count", COLUMN_CALLS},
	{"TotalDurationNs", COLUMN_TOTAL},
	{"DURATION (nsec)", COLUMN_TOTAL}, /* rocpd summary --format csv */
	{"Sum(ns)", COLUMN_TOTAL},
	{"Sum(us)", COLUMN_TOTAL},
	{"Sum(ms)", COLUMN_TOTAL},
	{"Sum(s)", COLUMN_TOTAL},
	{"Percentage", COLUMN_SHARE},
	{"Pct", COLUMN_SHARE},
	{"PERCENT (INC)", COLUMN_SHARE},
	{"Start_Timestamp", COLUMN_START},
	{"BeginNs", COLUMN_START},
	{"End_Timestamp", COLUMN_END},
	{"EndNs", COLUMN_END},
	{"Process_Id", COLUMN_PROCESS},
	{"PID", COLUMN_PROCESS},
	{"pid", COLUMN_PROCESS},
	{"Thread_Id", COLUMN_THREAD},
	{"TID", COLUMN_THREAD},
	{"tid", COLUMN_THREAD},
	{"Correlation_Id", COLUMN_CORRELATION},
	{"Correlation_ID", COLUMN_CORRELATION},
	{"Agent_Id", COLUMN_AGENT},
	{"GPU_ID", COLUMN_AGENT},
	{"gpu-id", COLUMN_AGENT},
	{"Source_Agent_Id", COLUMN_SOURCE},
	{"Destination_Agent_Id", COLUMN_DESTINATION},
	{"Queue_Id", COLUMN_QUEUE},
	{"Queue_ID", COLUMN_QUEUE},
	{"queue-id", COLUMN_QUEUE},
	{"Stream_Id", COLUMN_STREAM},
	{"Allocation_Size", COLUMN_SIZE},
	{"Grid_Size", COLUMN_GRID},
	{"grd", COLUMN_GRID},
	{"Grid_Size_X", COLUMN_GRID_X},
	{"Grid_Size_Y", COLUMN_GRID_Y},
	{"Grid_Size_Z", COLUMN_GRID_Z},
	{"Workgroup_Size", COLUMN_GROUP},
	{"wgr", COLUMN_GROUP},
	{"Workgroup_Size_X", COLUMN_GROUP_X},
	{"Workgroup_Size_Y", COLUMN_GROUP_Y},
	{"Workgroup_Size_Z", COLUMN_GROUP_Z},
	{"Node_Id", COLUMN_NODE},
	{"Agent_Type", COLUMN_AGENT_TYPE},
	{"Product_Name", COLUMN_PRODUCT},
	{"Cu_Count", COLUMN_UNITS},
	{"Wave_Front_Size", COLUMN_WAVE},
	{"Counter_Name", COLUMN_COUNTER},
	{"Dispatch_Id", COLUMN_DISPATCH},
};

/* The columns that a table must have; the first table that fits is chosen. */
static const struct {
	enum table table;
	enum column needed[5];
	size_t count;
} tables[] = {
	{TABLE_COUNTERS, {COLUMN_COUNTER, COLUMN_KERNEL, COLUMN_START, COLUMN_END}, 4},
	{TABLE_KERNELS, {COLUMN_KERNEL, COLUMN_START, COLUMN_END}, 3},
	{TABLE_CALLS, {COLUMN_FUNCTION, COLUMN_DOMAIN, COLUMN_START, COLUMN_END}, 4},
	{TABLE_COPIES,
         {COLUMN_DIRECTION, COLUMN_SOURCE, COLUMN_DESTINATION, COLUMN_START, COLUMN_END},
         5},
	{TABLE_ALLOCATIONS,
         {COLUMN_OPERATION, COLUMN_AGENT, COLUMN_SIZE, COLUMN_START, COLUMN_END},
         5},
	{TABLE_TOTALS, {COLUMN_NAME, COLUMN_CALLS, COLUMN_TOTAL}, 3},
	{TABLE_TOTALS, {COLUMN_KERNEL, COLUMN_CALLS, COLUMN_TOTAL}, 3},
	{TABLE_AGENTS, {COLUMN_NODE, COLUMN_AGENT_TYPE, COLUMN_PRODUCT}, 3},
};

/* Columns of tables that are not read, unless they have another column as well, and why. */
static const struct {
	const char *column, *unless, *reason;
} refused[] = {
	{"Counter_Name", "Start_Timestamp",
         "it holds counters of rocprofv3 without the times of kernels: pass *_kernel_trace.csv of "
         "a run without counters"},
	{"Exec_Mask", NULL, "it holds samples of program counters: pass *_kernel_trace.csv"},
	{"Alloc_Flags", NULL, "it holds rocprofv3's scratch memory only: pass *_kernel_trace.csv"},
};

/* Returns the index of a cell; `count`: no cell has this text. */
static size_t find_cell(const struct weir_slice *cells, size_t count, const char *text)
{
	size_t at = 0;

	while (at < count && !weir_slice_equals(cells[at], text))
		at++;
	return at;
}

static const char *find_refused(const struct weir_slice *cells, size_t count)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (find_cell(cells, count, refused[i].column) < count &&
		    (!refused[i].unless || find_cell(cells, count, refused[i].unless) == count))
			return refused[i].reason;
	return NULL;
}

static bool has_all(const struct columns *columns, const enum column *needed, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (columns->column[needed[i]] == WEIR_CSV_NO_COLUMN)
			return false;
	return true;
}

/* Returns the powers of ten from the unit of a total, "Sum(us)", to nanoseconds. */
static int places_of(struct weir_slice name)
{
	if (weir_slice_equals(name, "Sum(us)"))
		return 3;
	if (weir_slice_equals(name, "Sum(ms)"))
		return 6;
	return weir_slice_equals(name, "Sum(s)") ? 9 : 0;
}

/* Finds the counters in a table of kernels by rocprof v1, which stand between the address of the
 * kernel ("obj") and its times. */
static void find_counters(struct columns *columns, const struct weir_slice *cells, size_t count)
{
	size_t before = find_cell(cells, count, "obj");
	size_t after = find_cell(cells, count, "DispatchNs");

	if (columns->table != TABLE_KERNELS || after == count || before + 1 >= after)
		return;
	columns->table = TABLE_COUNTERS;
	columns->counter = before + 1;
	columns->after_counters = after;
}

/* Finds the columns and the kind of table in a header. Returns the number of bits that verify it;
 * 0: not a header that is read. */
static int find_columns(struct columns *columns, const struct weir_slice *cells, size_t count)
{
	int bits = 0;

	*columns = (struct columns){.count = count};
	for (size_t i = 0; i < COLUMNS; i++)
		columns->column[i] = WEIR_CSV_NO_COLUMN;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++)
			if (columns->column[names[j].column] == WEIR_CSV_NO_COLUMN &&
			    weir_slice_equals(cells[i], names[j].name)) {
				columns->column[names[j].column] = i;
				bits += 8 * (int)cells[i].length;
				if (names[j].column == COLUMN_TOTAL)
					columns->total_places = places_of(cells[i]);
			}
	for (size_t i = 0; !find_refused(cells, count) && i < sizeof(tables) / sizeof(tables[0]);
	     i++)
		if (has_all(columns, tables[i].needed, tables[i].count)) {
			columns->table = tables[i].table;
			break;
		}
	find_counters(columns, cells, count);
	return columns->table == TABLE_NONE ? 0 : bits;
}

static size_t split_first(const char *head, size_t len, struct weir_slice *cells)
{
	struct weir_slice rest = {head, len}, line;

	return weir_csv_take_line(&rest, &line) ? weir_csv_split(line, &options, cells, MAX_CELLS)
	                                        : 0;
}

static const char *refuse(const char *head, size_t len)
{
	struct weir_slice cells[MAX_CELLS];

	return find_refused(cells, split_first(head, len, cells));
}

static int sniff(const char *head, size_t len)
{
	struct weir_slice cells[MAX_CELLS];
	struct columns columns;

	return find_columns(&columns, cells, split_first(head, len, cells));
}

/* ---- rows ---- */

static struct weir_slice cell(const struct reader *reader, const struct weir_csv_row *row,
                              enum column column)
{
	return weir_csv_cell(row, reader->columns.column[column]);
}

static bool has(const struct reader *reader, enum column column)
{
	return reader->columns.column[column] != WEIR_CSV_NO_COLUMN;
}

static int64_t number(const struct reader *reader, const struct weir_csv_row *row,
                      enum column column, int64_t fallback)
{
	struct weir_slice text = cell(reader, row, column);
	int64_t value;

	return text.length && weir_parse_i64(text.data, text.length, &value) ? value : fallback;
}

static uint64_t correlation(const struct reader *reader, const struct weir_csv_row *row)
{
	int64_t id = number(reader, row, COLUMN_CORRELATION, 0);

	return id > 0 ? (uint64_t)id : 0;
}

/* Returns the number in "Agent 4", "GPU 0" or "4"; -1: unknown. */
static int64_t agent(const struct reader *reader, const struct weir_csv_row *row,
                     enum column column)
{
	struct weir_slice text = cell(reader, row, column);
	size_t digits = 0;
	int64_t id;

	while (digits < text.length && text.data[text.length - digits - 1] >= '0' &&
	       text.data[text.length - digits - 1] <= '9')
		digits++;
	return digits && weir_parse_i64(text.data + text.length - digits, digits, &id) ? id : -1;
}

/* Warns about a row that is left out. */
static void refuse_row(struct reader *reader, const struct weir_csv_row *row,
                       enum weir_warning_code code, const char *expected)
{
	char detail[sizeof(((struct weir_warning *)0)->detail)];

	snprintf(detail, sizeof(detail), "line %" PRIu64 ": %s", row->number, expected);
	if (!reader->first_problem[0])
		snprintf(reader->first_problem, sizeof(reader->first_problem), "%s", detail);
	weir_input_warn(reader->input, code, row->at, detail);
}

static bool read_times(struct reader *reader, const struct weir_csv_row *row, int64_t *start_ns,
                       int64_t *end_ns)
{
	const char *problem;
	bool turned;

	*start_ns = number(reader, row, COLUMN_START, -1);
	*end_ns = number(reader, row, COLUMN_END, -1);
	if (*end_ns >= 0 && *end_ns < *start_ns && row->cut) {
		refuse_row(reader, row, WEIR_WARN_TRUNCATED, "the file ends in this row");
		return false;
	}
	problem = weir_rocm_times(*start_ns, end_ns, &turned);
	if (turned)
		weir_input_warn(reader->input, WEIR_WARN_NEGATIVE_DURATION, row->at, NULL);
	if (problem)
		refuse_row(reader, row, WEIR_WARN_NO_TIME, problem);
	else
		reader->timed++;
	return !problem;
}

/* Returns the number of workgroups in the grid, or of work items in a workgroup; 0: unknown. */
static uint64_t dimensions(const struct reader *reader, const struct weir_csv_row *row, bool blocks)
{
	static const enum column groups[] = {COLUMN_GROUP_X, COLUMN_GROUP_Y, COLUMN_GROUP_Z},
				 grids[] = {COLUMN_GRID_X, COLUMN_GRID_Y, COLUMN_GRID_Z};
	uint64_t product = 1;

	if (has(reader, COLUMN_GROUP)) {
		int64_t group = number(reader, row, COLUMN_GROUP, 0);

		if (blocks)
			return weir_rocm_blocks(number(reader, row, COLUMN_GRID, 0), group);
		return group > 0 ? (uint64_t)group : 0;
	}
	for (size_t i = 0; i < 3; i++) {
		int64_t group = number(reader, row, groups[i], 0);
		uint64_t size = group > 0 ? (uint64_t)group : 0;

		if (blocks)
			size = weir_rocm_blocks(number(reader, row, grids[i], 0), group);
		product = weir_rocm_clamp(product) * (uint64_t)weir_rocm_clamp(size);
	}
	return product;
}

static void take_kernel(struct reader *reader, const struct weir_csv_row *row)
{
	struct weir_device_event work = {.bytes = -1, .at = row->at};

	if (!read_times(reader, row, &work.start_ns, &work.end_ns))
		return;
	work.name = weir_rocm_kernel_name(cell(reader, row, COLUMN_KERNEL));
	if (!work.name.length)
		work.name = weir_slice_of("(unnamed kernel)");
	work.kind = weir_rocm_kernel_kind(work.name);
	work.device = agent(reader, row, COLUMN_AGENT);
	work.stream =
		number(reader, row, has(reader, COLUMN_STREAM) ? COLUMN_STREAM : COLUMN_QUEUE, -1);
	work.correlation = correlation(reader, row);
	work.blocks = weir_rocm_clamp(dimensions(reader, row, true));
	work.threads_per_block = weir_rocm_clamp(dimensions(reader, row, false));
	weir_builder_add_device(reader->builder, &work);
}

static void take_copy(struct reader *reader, const struct weir_csv_row *row)
{
	struct weir_slice direction = cell(reader, row, COLUMN_DIRECTION);
	struct weir_device_event work = {
		.kind = WEIR_DEVICE_COPY, .bytes = -1, .at = row->at, .stream = -1};

	if (!read_times(reader, row, &work.start_ns, &work.end_ns))
		return;
	work.name = weir_rocm_copy_name(direction);
	work.device =
		agent(reader, row,
	              weir_rocm_copies_to_host(direction) ? COLUMN_SOURCE : COLUMN_DESTINATION);
	work.stream = number(reader, row, COLUMN_STREAM, -1);
	work.correlation = correlation(reader, row);
	weir_builder_add_device(reader->builder, &work);
}

/* Returns true for the domain of ranges that the program marked; older versions call it ROCTX. */
static bool is_marker(struct weir_slice domain)
{
	return weir_slice_starts(domain, "MARKER_") || weir_slice_starts(domain, "ROCTX");
}

static void take_call(struct reader *reader, const struct weir_csv_row *row)
{
	struct weir_host_event host = {.kind = WEIR_HOST_API, .at = row->at};

	if (!read_times(reader, row, &host.start_ns, &host.end_ns))
		return;
	host.name = cell(reader, row, COLUMN_FUNCTION);
	host.pid = number(reader, row, COLUMN_PROCESS, -1);
	host.tid = number(reader, row, COLUMN_THREAD, -1);
	if (is_marker(cell(reader, row, COLUMN_DOMAIN)))
		host.kind = WEIR_HOST_ANNOTATION;
	else
		host.correlation = correlation(reader, row);
	weir_builder_add_host(reader->builder, &host);
}

/* Adds an allocation as a call only: frees do not state their size, so memory in use is unknown. */
static void take_allocation(struct reader *reader, const struct weir_csv_row *row)
{
	struct weir_host_event host = {.kind = WEIR_HOST_API, .pid = -1, .tid = -1, .at = row->at};

	if (!read_times(reader, row, &host.start_ns, &host.end_ns))
		return;
	host.name = cell(reader, row, COLUMN_OPERATION);
	weir_builder_add_host(reader->builder, &host);
}

/* True for the packets by which a queue waits for others: no kernel runs in their time. */
static bool is_barrier(struct weir_slice name)
{
	return weir_slice_equals(name, "<barrier packet>");
}

/* True for the name of a call of the host, "hipMemcpy", "hsa_queue_create", or of a domain of such
 * calls, "HIP_API": identifiers, while names of C++ kernels have arguments. */
static bool is_host_call(struct weir_slice name)
{
	static const char *const starts[] = {"__hip", "hsa_", "roctx"};
	static const size_t api = sizeof("_API") - 1;
	bool found = name.length > strlen("hip") && weir_slice_starts(name, "hip") &&
	             name.data[strlen("hip")] >= 'A' && name.data[strlen("hip")] <= 'Z';

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		found |= weir_slice_starts(name, starts[i]);
	found |= name.length > api && !memcmp(name.data + name.length - api, "_API", api);
	for (size_t i = 0; found && i < name.length; i++) {
		char c = name.data[i];

		found = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		        (c >= '0' && c <= '9') || c == '_';
	}
	return found;
}

/* Returns the run that totals are added to. */
static struct weir_run *run_of(struct reader *reader)
{
	if (!reader->input->run) {
		reader->input->run = weir_run_new();
		reader->input->gives = "native run";
	}
	return reader->input->run;
}

/* Adds the total of a name; the run counts as one iteration. The first row of a name counts. */
static void take_total(struct reader *reader, const struct weir_csv_row *row)
{
	struct weir_slice name =
		cell(reader, row, has(reader, COLUMN_NAME) ? COLUMN_NAME : COLUMN_KERNEL);
	struct weir_slice total = cell(reader, row, COLUMN_TOTAL);
	int64_t calls = number(reader, row, COLUMN_CALLS, -1), total_ns = -1;
	struct weir_text text = {0};

	if (!name.length || calls < 0 || !total.length ||
	    !weir_parse_scaled(total.data, total.length, reader->columns.total_places, &total_ns) ||
	    total_ns < 0) {
		refuse_row(reader, row, WEIR_WARN_BAD_NUMBER,
		           "no name, or no calls and nanoseconds");
		return;
	}
	weir_shares_add(&reader->shares, cell(reader, row, COLUMN_SHARE), (double)total_ns);
	if (run_of(reader)->operators.count >= WEIR_FIGURE_MAX)
		return;
	weir_text_add(&text, name.data, name.length);
	if (is_host_call(name) || is_barrier(name)) {
		weir_rocm_add_call(reader->input->run, text.data, (double)total_ns, calls);
		reader->timed++;
	} else if (weir_rocm_add_work(reader->input->run, text.data, (double)total_ns, calls)) {
		reader->timed++;
	}
	weir_text_release(&text);
}

/* ---- counters ---- */

/* Keeps the name of a counter, which is left out. */
static void list_counter(struct reader *reader, struct weir_slice name)
{
	if (name.length && weir_names_count(reader->counters) <= MAX_COUNTERS)
		weir_names_add(reader->counters, name.data, name.length);
}

/* True if the row of a counter is the first one of its dispatch. rocprofv3 writes a row for each
 * counter, by dispatch; sorted by counter, the rows of the first counter count. */
static bool begins_dispatch(struct reader *reader, const struct weir_csv_row *row)
{
	struct weir_slice counter = cell(reader, row, COLUMN_COUNTER);
	uint32_t id;
	int64_t dispatch = number(reader, row, COLUMN_DISPATCH, -1);
	bool first, begins;

	if (!has(reader, COLUMN_COUNTER))
		return true;
	list_counter(reader, counter);
	id = weir_names_find(reader->counters, counter.data, counter.length);
	if (!reader->first_counter)
		reader->first_counter = id;
	first = id == reader->first_counter;
	begins = dispatch < 0 ? first
	                      : dispatch != reader->last_dispatch &&
	                                (first || dispatch > reader->largest_dispatch);
	reader->last_dispatch = dispatch;
	if (dispatch > reader->largest_dispatch)
		reader->largest_dispatch = dispatch;
	return begins;
}

/* Adds the time of a kernel to the total of its name. Its counters are left out. */
static void take_counted(struct reader *reader, const struct weir_csv_row *row)
{
	struct weir_slice name = weir_rocm_kernel_name(cell(reader, row, COLUMN_KERNEL));
	struct weir_run *run = run_of(reader);
	struct weir_series *total, *calls;
	struct weir_text text = {0};
	int64_t start_ns, end_ns;

	if (!begins_dispatch(reader, row) || !read_times(reader, row, &start_ns, &end_ns))
		return;
	weir_text_add(&text, name.data, name.length);
	if (!name.length)
		weir_text_puts(&text, "(unnamed kernel)");
	if (run->operators.count >= WEIR_FIGURE_MAX &&
	    !weir_series_find(&run->operators, text.data)) {
		reader->missing_ns += (double)(end_ns - start_ns);
		weir_text_release(&text);
		return;
	}
	total = weir_series_get(&run->operators, text.data);
	calls = weir_series_get(&run->calls, text.data);
	weir_text_release(&text);
	if (!total->count) {
		weir_series_push(total, 0);
		weir_series_push(calls, 0);
	}
	total->value[0] += (double)(end_ns - start_ns);
	calls->value[0]++;
}

/* States the counters that were left out. */
static void label_counters(struct reader *reader)
{
	struct weir_text list = {0};
	size_t count = weir_names_count(reader->counters);

	for (size_t i = 1; i < count && i <= MAX_COUNTERS; i++) /* 0 is the empty text */
		weir_text_printf(&list, "%s%s", list.length ? ", " : "",
		                 weir_names_text(reader->counters, (uint32_t)i));
	if (count > MAX_COUNTERS)
		weir_text_puts(&list, " and perhaps others");
	if (list.length && reader->input->run)
		weir_run_set_label(reader->input->run, "counters", list.data);
	weir_text_release(&list);
}

/* ---- devices ---- */

/* Describes a device. If the product has no name, the architecture (gfx942) names it. */
static void take_agent(struct reader *reader, const struct weir_csv_row *row)
{
	struct weir_trace_device device = {.id = number(reader, row, COLUMN_NODE, -1)};
	struct weir_slice name = cell(reader, row, COLUMN_PRODUCT);
	int64_t units = number(reader, row, COLUMN_UNITS, 0);
	int64_t wave = number(reader, row, COLUMN_WAVE, 0);

	reader->timed++;
	if (device.id < 0 || !weir_slice_equals(cell(reader, row, COLUMN_AGENT_TYPE), "GPU"))
		return;
	device.name = weir_builder_name(reader->builder,
	                                name.length ? name : cell(reader, row, COLUMN_NAME));
	device.sms = units > 0 ? weir_rocm_clamp((uint64_t)units) : 0;
	device.warp_size = wave > 0 ? weir_rocm_clamp((uint64_t)wave) : 0;
	weir_builder_describe_device(reader->builder, &device);
}

static void take_row(struct reader *reader, const struct weir_csv_row *row)
{
	static void (*const takers[])(struct reader *, const struct weir_csv_row *) = {
		[TABLE_KERNELS] = take_kernel,
		[TABLE_CALLS] = take_call,
		[TABLE_COPIES] = take_copy,
		[TABLE_TOTALS] = take_total,
		[TABLE_ALLOCATIONS] = take_allocation,
		[TABLE_AGENTS] = take_agent,
		[TABLE_COUNTERS] = take_counted,
	};

	if (row->count != reader->columns.count) {
		refuse_row(reader, row, row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW,
		           row->cut ? "the file ends in this row"
		                    : "other columns than the header");
		return;
	}
	takers[reader->columns.table](reader, row);
}

/* ---- one file ---- */

/* Ends a table of totals. */
static void end_totals(struct reader *reader)
{
	reader->missing_ns += weir_shares_end(&reader->shares, reader->input, "totals");
}

/* States the time of all rows if some are missing: of operators, or of calls if the table holds no
 * others. */
static void state_total(struct reader *reader)
{
	struct weir_run *run = reader->input->run;
	double total = reader->missing_ns;

	if (!(total > 0) || !run)
		return;
	for (size_t i = 0; i < run->operators.count; i++)
		total += run->operators.items[i].value[0];
	if (run->operators.count) {
		weir_figure_add(run, "operators/total_ns", "ns", false, total);
		return;
	}
	for (size_t i = 0; i < run->metrics.count; i++)
		if (strstr(run->metrics.items[i].name, "/total_ns"))
			total += run->metrics.items[i].value[0];
	weir_figure_add(run, "calls/total_ns", "ns", false, total);
}

/* True for the header of totals by rocprof v1, which states no extremes. */
static bool is_of_version_1(const struct weir_csv_row *row)
{
	return row->count == 5 && weir_slice_equals(row->cells[0], "Name") &&
	       weir_slice_equals(row->cells[4], "Percentage");
}

/* Returns the tool behind a header, for the label "rocprof"; NULL: rocprofv3. */
static const char *tool_of(const struct weir_csv_row *row, const struct columns *columns)
{
	if (find_cell(row->cells, row->count, "Sum(ns)") < row->count)
		return "compute"; /* pmc_kernel_top.csv of rocprof-compute */
	return is_of_version_1(row) || columns->counter ? "1" : NULL;
}

/* Takes a header. There may be several: processes that append to one file repeat it. */
static bool take_header(struct reader *reader, const struct weir_csv_row *row)
{
	struct columns columns;

	find_columns(&columns, row->cells, row->count);
	if (columns.table == TABLE_NONE)
		return false;
	end_totals(reader);
	reader->columns = columns;
	reader->tool = tool_of(row, &columns) ? tool_of(row, &columns) : reader->tool;
	for (size_t i = columns.counter; i < columns.after_counters; i++)
		list_counter(reader, row->cells[i]);
	reader->first_counter = 0;
	reader->last_dispatch = reader->largest_dispatch = -1;
	if (columns.table != TABLE_TOTALS && columns.table != TABLE_COUNTERS && !reader->builder)
		reader->builder = weir_builder_new(reader->input);
	return true;
}

static enum weir_status read_rows(struct reader *reader, struct weir_csv *csv,
                                  struct weir_error *err)
{
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (!row->count || take_header(reader, row))
			continue;
		if (reader->columns.table == TABLE_NONE)
			return weir_fail(err, WEIR_E_FORMAT,
			                 "line %" PRIu64
			                 ": expected a header of rocprofv3 or rocprof, "
			                 "with the columns of kernels, copies or calls",
			                 row->number);
		reader->input->events++;
		take_row(reader, row);
	}
	return status;
}

static enum weir_status conclude(struct reader *reader, struct weir_error *err)
{
	if (reader->timed)
		return reader->builder ? weir_builder_finish(reader->builder, err) : WEIR_OK;
	if (reader->first_problem[0])
		return weir_fail(err, WEIR_E_EMPTY, "%s; no row with a time is left",
		                 reader->first_problem);
	return weir_fail(err, WEIR_E_EMPTY,
	                 "no row below the header: did the program end by a signal? rocprofv3 "
	                 "writes when it exits");
}

static void warn_long_rows(struct reader *reader, const struct weir_csv *csv)
{
	const struct weir_csv_skipped *skipped = weir_csv_skipped(csv);

	if (!skipped->count)
		return;
	weir_input_warn(reader->input, WEIR_WARN_RAGGED_ROW, skipped->first_at, "too long");
	reader->input->warnings[WEIR_WARN_RAGGED_ROW].count += skipped->count - 1;
}

static enum weir_status read_csv(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct reader reader = {.input = input, .counters = weir_names_new()};
	enum weir_status status;

	status = read_rows(&reader, csv, err);
	if (!status) {
		end_totals(&reader);
		state_total(&reader);
		if (reader.tool && input->run)
			weir_run_set_label(input->run, "rocprof", reader.tool);
		label_counters(&reader);
		warn_long_rows(&reader, csv);
		weir_damage_of_source(input, source);
		status = conclude(&reader, err);
	}
	weir_builder_free(reader.builder);
	weir_names_free(reader.counters);
	weir_csv_free(csv);
	return status;
}

const struct weir_reader weir_reader_rocprof = {
	.name = "rocprof",
	.title = "tables of AMD's rocprofv3 and rocprof (kernels, copies, calls, totals, agents)",
	.gives = "timeline",
	.of_amd = true,
	.sniff = sniff,
	.refuse = refuse,
	.read = read_csv,
	.join = weir_rocprof_join,
};
