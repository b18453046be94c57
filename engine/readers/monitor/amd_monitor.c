/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the text table of `amd-smi monitor`, once or with -w again and again. Options choose the
 * columns, units stand in the cells, and titles changed: GFX_UTIL and GPU_TEMP became GFX% and
 * GPU_T, and VRAM_USED and VRAM_TOTAL became VRAM_USAGE.
 *
 *	 TIMESTAMP  GPU  XCP  POWER   GPU_T   GFX_CLK   GFX%      VRAM_USAGE
 *	1767693600    0    0  310 W   61 °C  1900 MHz   97 %   40.1/191.7 GB
 *
 * The rows of a GPU that is divided (XCP 1 and further) are instances of it. The processes that
 * -q lists below the table (PROCESS INFO) are left out.
 */
#include <stdio.h>
#include <string.h>

#include "engine/readers/monitor/amd_fields.h"
#include "engine/readers/monitor/amd_monitor.h"

#define MAX_TITLES 64
#define MAX_ID     24 /* bytes of "GPU/XCP" */

static const struct weir_csv_options blanks = {.separator = ' '};

static const struct weir_monitor_field fields[] = {
	{"TIMESTAMP", WEIR_MONITOR_UNIX_TIME, 0, NULL},
	{"GPU", WEIR_MONITOR_DEVICE, 0, NULL},
	GAUGE("POWER", POWER_W, "W"),
	GAUGE("PWR_CAP", POWER_LIMIT_W, "W"),
	GAUGE("GPU_T", TEMPERATURE_C, "C"),
	GAUGE("GPU_TEMP", TEMPERATURE_C, "C"),
	GAUGE("MEM_T", MEMORY_TEMPERATURE_C, "C"),
	GAUGE("MEM_TEMP", MEMORY_TEMPERATURE_C, "C"),
	GAUGE("GFX%", UTILIZATION, "%"),
	GAUGE("GFX_UTIL", UTILIZATION, "%"),
	GAUGE("GFX_CLK", SM_CLOCK_MHZ, "MHz"),
	GAUGE("GFX_CLOCK", SM_CLOCK_MHZ, "MHz"),
	GAUGE("MEM%", MEMORY_ACTIVITY, "%"),
	GAUGE("MEM_UTIL", MEMORY_ACTIVITY, "%"),
	GAUGE("MEM_CLOCK", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("VRAM_USED", MEMORY_USED_BYTES, "MB"),
	GAUGE("VRAM_TOTAL", MEMORY_TOTAL_BYTES, "MB"),
	{"PVIOL", WEIR_MONITOR_REASON_SHARE, WEIR_CLOCKS_POWER_CAP, "%"},
	{"TVIOL", WEIR_MONITOR_REASON_SHARE, WEIR_CLOCKS_SW_THERMAL, "%"},
	END,
};

/* Holds both the memory in use and all of it, in one unit. */
static const struct weir_monitor_field usage = GAUGE("VRAM_USAGE", MEMORY_USED_BYTES, "GB");

/* The columns that need care; WEIR_CSV_NO_COLUMN: missing. */
struct columns {
	size_t partition, usage;
};

static size_t find_title(const struct weir_slice *titles, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (weir_slice_equals(titles[i], name))
			return i;
	return WEIR_CSV_NO_COLUMN;
}

static bool has_lower_case(struct weir_slice line)
{
	for (size_t i = 0; i < line.length; i++)
		if (line.data[i] >= 'a' && line.data[i] <= 'z')
			return true;
	return false;
}

/* Splits the titles: words of capitals, "GPU" and a column with a gauge. Returns their number; 0:
 * the line is of another kind. */
static size_t split_titles(struct weir_slice line, struct weir_slice *titles, int *bits)
{
	size_t count = has_lower_case(line) ? 0 : weir_csv_split(line, &blanks, titles, MAX_TITLES);

	*bits = 0;
	if (count < 2 || count == MAX_TITLES ||
	    find_title(titles, count, "GPU") == WEIR_CSV_NO_COLUMN)
		return 0;
	*bits = weir_monitor_header_bits(fields, titles, count, 1, true);
	if (*bits <= 0 && find_title(titles, count, usage.name) < count)
		*bits = 8 * (int)strlen(usage.name);
	return *bits > 0 ? count : 0;
}

/* Names the device of a row: "0", or "0/1" of a part that is not the first. */
static void name_device(struct weir_monitor_reading *reading, struct weir_slice partition,
                        char id[MAX_ID])
{
	if (!partition.length || *partition.data < '0' || *partition.data > '9' ||
	    weir_slice_equals(partition, "0"))
		return;
	snprintf(id, MAX_ID, "%.*s/%.*s", (int)(reading->device.length % MAX_ID),
	         reading->device.data, (int)(partition.length % MAX_ID), partition.data);
	reading->device = weir_slice_of(id);
	reading->is_part = true;
}

static enum weir_status take_values(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                    struct weir_slice *cells, struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	const struct columns *columns = monitor->context;
	struct weir_csv_row joined = *row;
	char id[MAX_ID];
	size_t whole;

	joined.cells = cells;
	joined.count = monitor->width;
	whole = weir_monitor_whole(&joined);
	if (whole < joined.count)
		weir_input_warn(monitor->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	for (size_t i = 0; i < whole; i++)
		if (weir_slice_starts(cells[i], "N/A ")) /* and a unit */
			cells[i].length = strlen("N/A");
	weir_monitor_take(monitor, cells, whole, row->at, &reading);
	if (columns->usage < whole)
		weir_monitor_set_pair(monitor, &usage, WEIR_GAUGE_MEMORY_TOTAL_BYTES,
		                      cells[columns->usage], row->at, &reading);
	if (columns->partition < whole)
		name_device(&reading, cells[columns->partition], id);
	return weir_monitor_add(monitor, &reading, row->at, err);
}

static void take_titles(struct weir_monitor *monitor, const struct weir_slice *titles, size_t count)
{
	struct columns *columns = monitor->context;

	weir_monitor_bind(monitor, titles, count);
	columns->partition = find_title(titles, count, "XCP");
	columns->usage = find_title(titles, count, usage.name);
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct weir_slice cells[MAX_TITLES] = {{"", 0}};
	int bits;
	size_t count = split_titles(row->line, cells, &bits);

	if (count) {
		take_titles(monitor, cells, count);
		return WEIR_OK;
	}
	if (weir_rocm_warning(monitor, row->line, row->at))
		return WEIR_OK;
	if (weir_slice_starts(weir_slice_trim(row->line), "PROCESS INFO"))
		monitor->width = 0;
	if (!monitor->width || !row->count || *row->cells[0].data < '0' ||
	    *row->cells[0].data > '9')
		return WEIR_OK;
	if (weir_monitor_split_values(row->line, cells, MAX_TITLES) == monitor->width)
		return take_values(monitor, row, cells, err);
	weir_input_warn(monitor->input, row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW,
	                row->at, NULL);
	return WEIR_OK;
}

static int recognise(struct weir_slice line)
{
	struct weir_slice titles[MAX_TITLES];
	int bits;

	return split_titles(line, titles, &bits) ? bits : 0;
}

static const struct weir_monitor_table table = {
	.fields = fields,
	.options = &blanks,
	.take = take_row,
	.recognise = recognise,
	.header = "amd-smi monitor",
	.if_empty =
		"amd-smi finds no sensor of this GPU, as with many integrated ones: try rocm-smi "
		"--showuse --showtemp, or radeontop",
};

int weir_amd_monitor_sniff(const char *head, size_t len)
{
	return weir_monitor_sniff_log(&table, head, len);
}

enum weir_status weir_amd_monitor_read(struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err)
{
	struct columns columns = {WEIR_CSV_NO_COLUMN, WEIR_CSV_NO_COLUMN};
	struct weir_monitor_table own = table;

	own.context = &columns;
	return weir_monitor_read(&own, source, input, err);
}
