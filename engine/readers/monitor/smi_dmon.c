/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `nvidia-smi dmon`: columns set apart by blanks under two lines that begin with '#', names and
 * units, repeated every so often; or, with --format csv, the same with commas. */
#include <string.h>

#include "engine/readers/monitor/monitor.h"
#include "engine/readers/monitor/smi.h"
#include "engine/readers/readers.h"

#define MAX_CELLS 128 /* of the lines that are sniffed */
#define LINES     16  /* in which a header must show */

static const struct weir_csv_options blanks = {.separator = ' '};
static const struct weir_csv_options commas = {.separator = ',', .trim = true};

static const struct weir_monitor_field fields[] = {
	{"gpu", WEIR_MONITOR_DEVICE, 0, NULL},
	{"Date", WEIR_MONITOR_DATE, 0, NULL},
	{"Time", WEIR_MONITOR_CLOCK, 0, NULL},
	{"pwr", WEIR_MONITOR_GAUGE, WEIR_GAUGE_POWER_W, "W"},
	{"gtemp", WEIR_MONITOR_GAUGE, WEIR_GAUGE_TEMPERATURE_C, "C"},
	{"temp", WEIR_MONITOR_GAUGE, WEIR_GAUGE_TEMPERATURE_C, "C"},
	{"mtemp", WEIR_MONITOR_GAUGE, WEIR_GAUGE_MEMORY_TEMPERATURE_C, "C"},
	{"sm", WEIR_MONITOR_GAUGE, WEIR_GAUGE_UTILIZATION, "%"},
	{"mem", WEIR_MONITOR_GAUGE, WEIR_GAUGE_MEMORY_ACTIVITY, "%"},
	{"mclk", WEIR_MONITOR_GAUGE, WEIR_GAUGE_MEMORY_CLOCK_MHZ, "MHz"},
	{"pclk", WEIR_MONITOR_GAUGE, WEIR_GAUGE_SM_CLOCK_MHZ, "MHz"},
	{"fb", WEIR_MONITOR_GAUGE, WEIR_GAUGE_MEMORY_USED_BYTES, "MB"},
	{"pviol", WEIR_MONITOR_REASON_SHARE, WEIR_CLOCKS_POWER_CAP, "%"},
	{"tviol", WEIR_MONITOR_REASON, WEIR_CLOCKS_SW_THERMAL, NULL},
	{"rxpci", WEIR_MONITOR_GAUGE, WEIR_GAUGE_FROM_HOST_BYTES_PER_S, "MB/s"},
	{"txpci", WEIR_MONITOR_GAUGE, WEIR_GAUGE_TO_HOST_BYTES_PER_S, "MB/s"},
	{NULL, WEIR_MONITOR_GAUGE, 0, NULL},
};

/* The cells of a line that begins with '#', without it; 0 for other lines. "# gpu" and "#gpu" are
 * one. */
static size_t comment_cells(struct weir_slice line, struct weir_slice *cells, size_t max)
{
	size_t at = 0;

	while (at < line.length && line.data[at] == ' ')
		at++;
	if (at == line.length || line.data[at] != '#')
		return 0;
	line = (struct weir_slice){line.data + at + 1, line.length - at - 1};
	return weir_csv_split(line, memchr(line.data, ',', line.length) ? &commas : &blanks, cells,
	                      max);
}

/* Bits that a line of names verifies: devices, something that is measured, and no processes. */
static int header_bits(const struct weir_slice *cells, size_t count)
{
	const struct weir_monitor_unit *unit;
	bool devices = false, measures = false;
	int bits = 8;

	for (size_t i = 0; i < count; i++) {
		const struct weir_monitor_field *field = weir_monitor_find(fields, cells[i], &unit);

		if (weir_slice_equals(cells[i], "pid"))
			return 0;
		if (!field)
			continue;
		bits += 8 * (int)strlen(field->name);
		devices |= field->kind == WEIR_MONITOR_DEVICE;
		measures |= field->kind <= WEIR_MONITOR_REASON_SHARE;
	}
	return devices && measures ? bits : 0;
}

/* The first header in the head; *separator is its own. */
static int find_header(const char *head, size_t len, char *separator)
{
	struct weir_slice rest = {head, len}, line, cells[MAX_CELLS];
	int bits = 0;

	*separator = ' ';
	for (int i = 0; !bits && i < LINES && weir_csv_take_line(&rest, &line); i++) {
		bits = header_bits(cells, comment_cells(line, cells, MAX_CELLS));
		if (bits && memchr(line.data, ',', line.length))
			*separator = ',';
	}
	return bits;
}

static int sniff(const char *head, size_t len)
{
	char separator;

	return find_header(head, len, &separator);
}

static const char *refuse(const char *head, size_t len)
{
	return sniff(head, len) ? NULL : weir_smi_refusal(head, len);
}

/* A line of names, or that of units below it. */
static void take_comment(struct weir_monitor *monitor, const struct weir_slice *cells, size_t count)
{
	if (header_bits(cells, count))
		weir_monitor_bind(monitor, cells, count);
	else if (monitor->column_count && count == monitor->width)
		weir_monitor_bind_units(monitor, cells, count);
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct weir_slice cells[MAX_CELLS];
	size_t count = comment_cells(row->line, cells, MAX_CELLS);
	const char *failure;

	if (count) {
		take_comment(monitor, cells, count);
		return WEIR_OK;
	}
	failure = weir_smi_failure(row->line);
	if (failure)
		weir_monitor_fail(monitor, failure, row->at);
	if (failure || !weir_monitor_fits(monitor, row))
		return WEIR_OK;
	weir_monitor_take(monitor, row->cells, weir_monitor_whole(row), row->at, &reading);
	return weir_monitor_add(monitor, &reading, row->at, err);
}

static enum weir_status read_dmon(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	struct weir_monitor_table table = {
		.fields = fields,
		.options = &blanks,
		.take = take_row,
		.refuse = refuse,
		.header = "nvidia-smi dmon",
	};
	const char *head;
	size_t len;
	char separator;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	if (find_header(head, len, &separator) && separator == ',')
		table.options = &commas;
	return weir_monitor_read(&table, source, input, err);
}

const struct weir_reader weir_reader_smi_dmon = {
	.name = "nvidia-smi-dmon",
	.title = "nvidia-smi dmon, as text or --format csv",
	.gives = "telemetry",
	.sniff = sniff,
	.read = read_dmon,
};
