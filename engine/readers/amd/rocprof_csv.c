/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of AMD's profilers: rocprofv3 --output-format csv (kernels, copies, calls, markers,
 * allocations, totals), the same made from a rocpd database, rocprof before version 3. Times are
 * nanoseconds since the host was started.
 */
#include <inttypes.h>
#include <string.h>

#include "engine/readers/amd/rocprof.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/readers.h"

#define MAX_CELLS 128

static const struct weir_csv_options options = {.separator = ',', .quotes = true, .trim = true};

static const struct {
	const char *name;
	enum rocprof_column column;
} names[] = {
	{"Kernel_Name", COLUMN_KERNEL},
	{"KernelName", COLUMN_KERNEL},
	{"Function", COLUMN_FUNCTION},
	{"Domain", COLUMN_DOMAIN},
	{"Direction", COLUMN_DIRECTION},
	{"Operation", COLUMN_OPERATION},
	{"Name", COLUMN_NAME},
	{"Calls", COLUMN_CALLS},
	{"TotalDurationNs", COLUMN_TOTAL},
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
};

/* Tables by the columns that they must have; the first that fits is it. */
static const struct {
	enum rocprof_table table;
	enum rocprof_column needed[5];
	size_t count;
} tables[] = {
	{ROCPROF_KERNELS, {COLUMN_KERNEL, COLUMN_START, COLUMN_END}, 3},
	{ROCPROF_CALLS, {COLUMN_FUNCTION, COLUMN_DOMAIN, COLUMN_START, COLUMN_END}, 4},
	{ROCPROF_COPIES,
         {COLUMN_DIRECTION, COLUMN_SOURCE, COLUMN_DESTINATION, COLUMN_START, COLUMN_END},
         5},
	{ROCPROF_ALLOCATIONS,
         {COLUMN_OPERATION, COLUMN_AGENT, COLUMN_SIZE, COLUMN_START, COLUMN_END},
         5},
	{ROCPROF_TOTALS, {COLUMN_NAME, COLUMN_CALLS, COLUMN_TOTAL}, 3},
	{ROCPROF_AGENTS, {COLUMN_NODE, COLUMN_AGENT_TYPE, COLUMN_PRODUCT}, 3},
};

/* Columns of tables that say nothing of a run as it is without them, by name. */
static const struct {
	const char *column, *reason;
} refused[] = {
	{"Counter_Name",
         "it holds counters of rocprofv3, which runs kernels one by one to take them: pass "
         "*_kernel_trace.csv of a run without counters"},
	{"Exec_Mask", "it holds samples of program counters: pass *_kernel_trace.csv"},
	{"Alloc_Flags", "it holds rocprofv3's scratch memory only: pass *_kernel_trace.csv"},
};

static const char *find_refused(const struct weir_slice *cells, size_t count)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		for (size_t j = 0; j < count; j++)
			if (weir_slice_equals(cells[j], refused[i].column))
				return refused[i].reason;
	return NULL;
}

static bool has_all(const struct rocprof_columns *columns, const enum rocprof_column *needed,
                    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (columns->column[needed[i]] == WEIR_CSV_NO_COLUMN)
			return false;
	return true;
}

int weir_rocprof_columns(struct rocprof_columns *columns, const struct weir_slice *cells,
                         size_t count)
{
	int bits = 0;

	*columns = (struct rocprof_columns){.count = count};
	for (size_t i = 0; i < ROCPROF_COLUMNS; i++)
		columns->column[i] = WEIR_CSV_NO_COLUMN;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++)
			if (columns->column[names[j].column] == WEIR_CSV_NO_COLUMN &&
			    weir_slice_equals(cells[i], names[j].name)) {
				columns->column[names[j].column] = i;
				bits += 8 * (int)cells[i].length;
			}
	for (size_t i = 0; !find_refused(cells, count) && i < sizeof(tables) / sizeof(tables[0]);
	     i++)
		if (has_all(columns, tables[i].needed, tables[i].count)) {
			columns->table = tables[i].table;
			break;
		}
	return columns->table == ROCPROF_NONE ? 0 : bits;
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
	struct rocprof_columns columns;

	return weir_rocprof_columns(&columns, cells, split_first(head, len, cells));
}

/* Several processes that append to one file repeat its header. */
static bool take_header(struct rocprof_reader *reader, const struct weir_csv_row *row)
{
	struct rocprof_columns columns;

	weir_rocprof_columns(&columns, row->cells, row->count);
	if (columns.table == ROCPROF_NONE)
		return false;
	reader->columns = columns;
	if (columns.table != ROCPROF_TOTALS && !reader->builder)
		reader->builder = weir_builder_new(reader->input);
	return true;
}

static enum weir_status read_rows(struct rocprof_reader *reader, struct weir_csv *csv,
                                  struct weir_error *err)
{
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (!row->count || take_header(reader, row))
			continue;
		if (reader->columns.table == ROCPROF_NONE)
			return weir_fail(err, WEIR_E_FORMAT,
			                 "line %" PRIu64
			                 ": expected a header of rocprofv3 or rocprof, "
			                 "with the columns of kernels, copies or calls",
			                 row->number);
		reader->input->events++;
		weir_rocprof_row(reader, row);
	}
	return status;
}

static enum weir_status conclude(struct rocprof_reader *reader, struct weir_error *err)
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

static void warn_long_rows(struct rocprof_reader *reader, const struct weir_csv *csv)
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
	struct rocprof_reader reader = {.input = input};
	enum weir_status status;

	status = read_rows(&reader, csv, err);
	if (!status) {
		warn_long_rows(&reader, csv);
		weir_damage_of_source(input, source);
		status = conclude(&reader, err);
	}
	weir_builder_free(reader.builder);
	weir_csv_free(csv);
	return status;
}

const struct weir_reader weir_reader_rocprof = {
	.name = "rocprof",
	.title = "tables of AMD's rocprofv3 and rocprof (kernels, copies, calls, totals, agents)",
	.gives = "timeline",
	.sniff = sniff,
	.refuse = refuse,
	.join = weir_rocprof_join,
	.read = read_csv,
};
