/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads nvidia-smi pmon, a row for each process on a device at each moment:
 *
 *	# gpu         pid   type     sm    mem    enc    dec     fb    command
 *	# Idx           #    C/G      %      %      %      %     MB    name
 *	    0       4711      C     62     30      -      -   9048    python
 *	    0       4712      C     31     12      -      -   4010    python
 *
 * A sample of a device is the sum over its processes, at most all of the device; "-" is unknown.
 * Without times, a moment ends where the number of the device or a process repeats.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/readers.h"

#define MAX_ID        8
#define MAX_PROCESSES 256 /* of a device at a moment; further ones are not compared */

static const struct weir_csv_options commas = {.separator = ',', .trim = true};
static const struct weir_csv_options blanks = {.separator = ' '};

static const struct weir_monitor_field fields[] = {
	{"gpu", WEIR_MONITOR_DEVICE, 0, NULL},
	{"Date", WEIR_MONITOR_DATE, 0, NULL},
	{"Time", WEIR_MONITOR_CLOCK, 0, NULL},
	{"sm", WEIR_MONITOR_GAUGE, WEIR_GAUGE_UTILIZATION, "%"},
	{"mem", WEIR_MONITOR_GAUGE, WEIR_GAUGE_MEMORY_ACTIVITY, "%"},
	{"fb", WEIR_MONITOR_GAUGE, WEIR_GAUGE_MEMORY_USED_BYTES, "MB"},
	{NULL, WEIR_MONITOR_GAUGE, 0, NULL},
};

static const enum weir_gauge gauges[] = {WEIR_GAUGE_UTILIZATION, WEIR_GAUGE_MEMORY_ACTIVITY,
                                         WEIR_GAUGE_MEMORY_USED_BYTES};

/* The processes of a device at a moment. */
struct pmon {
	size_t pid; /* column */
	bool has_device;
	struct weir_monitor_reading sum; /* without its texts */
	char id[MAX_ID];
	int64_t pids[MAX_PROCESSES];
	size_t count;
	uint64_t at; /* byte of the first row */
};

/* ---- lines ---- */

static size_t split(struct weir_slice line, struct weir_slice *cells)
{
	return weir_csv_split(line, memchr(line.data, ',', line.length) ? &commas : &blanks, cells,
	                      WEIR_MONITOR_MAX_CELLS);
}

/* Splits a line that begins with '#' into its cells, without the '#'; 0 for other lines. */
static size_t comment_cells(struct weir_slice line, struct weir_slice *cells)
{
	line = weir_slice_trim(line);
	return weir_slice_take(&line, "#") && line.length ? split(line, cells) : 0;
}

static size_t find_cell(const struct weir_slice *cells, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (weir_slice_equals(cells[i], name))
			return i;
	return WEIR_CSV_NO_COLUMN;
}

static int header_bits(const struct weir_slice *cells, size_t count)
{
	int bits;

	if (find_cell(cells, count, "pid") == WEIR_CSV_NO_COLUMN ||
	    find_cell(cells, count, "command") == WEIR_CSV_NO_COLUMN)
		return 0;
	bits = weir_monitor_header_bits(fields, cells, count, 1, true);
	return bits > 0 ? bits + 8 * (int)strlen("pid"
	                                         "command")
	                : 0;
}

/* ---- samples ---- */

/* Adds the sample of the device whose processes end here, if any. */
static enum weir_status end_device(struct weir_monitor *monitor, struct weir_error *err)
{
	struct pmon *pmon = monitor->context;

	if (!pmon->has_device)
		return WEIR_OK;
	pmon->has_device = false;
	pmon->sum.device = weir_slice_of(pmon->id);
	for (size_t i = 0; i < 2; i++) /* rounded shares may add up to more */
		if (pmon->sum.value[gauges[i]] > 1)
			pmon->sum.value[gauges[i]] = 1;
	return weir_monitor_add(monitor, &pmon->sum, pmon->at, err);
}

/* Returns the number of the process; -1 if the device has none ("-"). */
static int64_t pid_of(const struct pmon *pmon, const struct weir_slice *cells, size_t count)
{
	int64_t pid;

	return pmon->pid < count &&
	                       weir_parse_i64(cells[pmon->pid].data, cells[pmon->pid].length, &pid)
	               ? pid
	               : -1;
}

/* Returns true if the row is of the device and moment of the rows above it. */
static bool continues(const struct pmon *pmon, const struct weir_monitor_reading *reading,
                      int64_t pid)
{
	if (!pmon->has_device || !weir_slice_equals(reading->device, pmon->id) ||
	    reading->at_ns != pmon->sum.at_ns)
		return false;
	for (size_t i = 0; i < pmon->count; i++)
		if (pmon->pids[i] == pid)
			return false;
	return true;
}

static enum weir_status add_process(struct weir_monitor *monitor,
                                    const struct weir_monitor_reading *reading, int64_t pid,
                                    uint64_t at, struct weir_error *err)
{
	struct pmon *pmon = monitor->context;
	enum weir_status status = WEIR_OK;

	if (!continues(pmon, reading, pid)) {
		status = end_device(monitor, err);
		pmon->sum = weir_monitor_unknown();
		pmon->sum.at_ns = reading->at_ns;
		pmon->sum.bad_time = reading->bad_time;
		pmon->has_device = true;
		pmon->count = 0;
		pmon->at = at;
		memcpy(pmon->id, reading->device.data, reading->device.length);
		pmon->id[reading->device.length] = '\0';
	}
	if (pmon->count < MAX_PROCESSES)
		pmon->pids[pmon->count++] = pid;
	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++) {
		double *sum = &pmon->sum.value[gauges[i]], value = reading->value[gauges[i]];

		if (!isnan(value))
			*sum = isnan(*sum) ? value : *sum + value;
	}
	return status;
}

static enum weir_status take_comment(struct weir_monitor *monitor, const struct weir_slice *cells,
                                     size_t count, struct weir_error *err)
{
	struct pmon *pmon = monitor->context;

	if (header_bits(cells, count) > 0) {
		weir_monitor_bind(monitor, cells, count);
		pmon->pid = find_cell(cells, count, "pid");
		return end_device(monitor, err);
	}
	if (monitor->column_count && count == monitor->width)
		weir_monitor_bind_units(monitor, cells, count);
	return WEIR_OK;
}

/* Takes a row. The name of a program, which is last, may have blanks and may be missing. */
static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct weir_slice cells[WEIR_MONITOR_MAX_CELLS];
	size_t count = comment_cells(row->line, cells);

	if (count)
		return take_comment(monitor, cells, count, err);
	count = split(row->line, cells);
	if (!count || !monitor->column_count)
		return WEIR_OK;
	if (count + !row->cut < monitor->width) {
		weir_input_warn(monitor->input,
		                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW, row->at,
		                NULL);
		return WEIR_OK;
	}
	weir_monitor_take(monitor, cells, count, row->at, &reading);
	if (!reading.device.length || reading.device.length >= MAX_ID ||
	    memchr(reading.device.data, '\0', reading.device.length)) {
		weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		return WEIR_OK;
	}
	return add_process(monitor, &reading, pid_of(monitor->context, cells, count), row->at, err);
}

/* ---- the reader ---- */

static const struct weir_monitor_table table = {
	.fields = fields,
	.options = &(const struct weir_csv_options){.separator = '\n'},
	.take = take_row,
	.end = end_device,
	.header = "nvidia-smi pmon with sm, mem or fb (-s um)",
};

/* Returns true if a row states a figure in a column of the header. */
static bool has_figure(const struct weir_slice *header, size_t width, const struct weir_slice *row,
                       size_t count)
{
	static const char *const names[] = {"sm", "mem", "fb"};
	double value;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t column = find_cell(header, width, names[i]);

		if (column < count &&
		    weir_parse_double(row[column].data, row[column].length, &value))
			return true;
	}
	return false;
}

/* Looks for a header and a row with a figure below it. */
static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	struct weir_slice header[WEIR_MONITOR_MAX_CELLS], cells[WEIR_MONITOR_MAX_CELLS];
	size_t width = 0, count;
	int bits = 0;

	while (weir_csv_take_line(&rest, &line)) {
		if (!bits) {
			width = comment_cells(line, header);
			bits = width ? header_bits(header, width) : 0;
			continue;
		}
		count = split(line, cells);
		if (has_figure(header, width, cells, count))
			return bits;
	}
	return 0;
}

static enum weir_status read_pmon(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	struct pmon pmon = {.pid = WEIR_CSV_NO_COLUMN};
	struct weir_monitor_table with_state = table;

	with_state.context = &pmon;
	return weir_monitor_read(&with_state, source, input, err);
}

const struct weir_reader weir_reader_smi_pmon = {
	.name = "nvidia-smi-pmon",
	.title = "nvidia-smi pmon, the sum of the processes of each device",
	.gives = "telemetry",
	.sniff = sniff,
	.read = read_pmon,
};
