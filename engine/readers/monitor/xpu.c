/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads `xpu-smi dump` of Intel GPUs: CSV with the units in the names of its columns, a row for
 * each device, or with the column TileId for each tile of a device.
 *
 *	Timestamp, DeviceId, GPU Utilization (%), GPU Power (W), GPU Frequency (MHz)
 *	10:00:00.043,    0, 98.50, 280.50, 1600.00
 *
 * Times have no date unless the option --date asks for it. Metrics that the device does not state
 * are "N/A". Shares of memory and of engines are not read.
 */
#include <stdio.h>
#include <string.h>

#include "engine/readers/monitor/monitor.h"
#include "engine/readers/readers.h"

#define MAX_ID 64 /* bytes of "DEVICE/TILE" */

static const struct weir_csv_options commas = {.separator = ',', .quotes = true, .trim = true};

#define GAUGE(name, gauge, unit)                                                                   \
	{                                                                                          \
		name, WEIR_MONITOR_GAUGE, gauge, unit                                              \
	}
#define FIELDS(time)                                                                               \
	{"Timestamp", time, 0, NULL}, {"DeviceId", WEIR_MONITOR_DEVICE, 0, NULL},                  \
		GAUGE("GPU Utilization (%)", WEIR_GAUGE_UTILIZATION, "%"),                         \
		GAUGE("GPU Power (W)", WEIR_GAUGE_POWER_W, "W"),                                   \
		GAUGE("GPU Frequency (MHz)", WEIR_GAUGE_SM_CLOCK_MHZ, "MHz"),                      \
		GAUGE("GPU Core Temperature (Celsius Degree)", WEIR_GAUGE_TEMPERATURE_C, "C"),     \
		GAUGE("GPU Memory Temperature (Celsius Degree)", WEIR_GAUGE_MEMORY_TEMPERATURE_C,  \
	              "C"),                                                                        \
		GAUGE("GPU Memory Used (MiB)", WEIR_GAUGE_MEMORY_USED_BYTES, "MiB"),               \
		GAUGE("GPU Energy Consumed (J)", WEIR_GAUGE_ENERGY_J, "J"),                        \
	{                                                                                          \
		NULL, WEIR_MONITOR_GAUGE, 0, NULL                                                  \
	}

static const struct weir_monitor_field timed_fields[] = {FIELDS(WEIR_MONITOR_CLOCK)};
static const struct weir_monitor_field dated_fields[] = {FIELDS(WEIR_MONITOR_LOCAL_TIME)};

/* The tile of each row. */
struct xpu {
	size_t device, tile; /* columns; WEIR_CSV_NO_COLUMN: missing */
};

static size_t find_cell(const struct weir_slice *cells, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (weir_monitor_same(cells[i], name))
			return i;
	return WEIR_CSV_NO_COLUMN;
}

static int header_bits(const struct weir_slice *cells, size_t count)
{
	if (count < 2 || !weir_monitor_same(cells[0], "Timestamp") ||
	    !weir_monitor_same(cells[1], "DeviceId"))
		return 0;
	return weir_monitor_header_bits(timed_fields, cells, count, 1, true);
}

static int recognise(struct weir_slice line)
{
	struct weir_slice cells[WEIR_MONITOR_MAX_CELLS];

	return header_bits(cells, weir_csv_split(line, &commas, cells, WEIR_MONITOR_MAX_CELLS));
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct xpu *xpu = monitor->context;
	size_t whole = weir_monitor_whole(row);
	char id[MAX_ID];
	int length;

	if (header_bits(row->cells, row->count) > 0) {
		weir_monitor_bind(monitor, row->cells, row->count);
		xpu->device = find_cell(row->cells, row->count, "DeviceId");
		xpu->tile = find_cell(row->cells, row->count, "TileId");
		return WEIR_OK;
	}
	if (!weir_monitor_fits(monitor, row))
		return WEIR_OK;
	weir_monitor_take(monitor, row->cells, whole, row->at, &reading);
	if (xpu->tile < whole && reading.device.length) {
		struct weir_slice tile = row->cells[xpu->tile];

		length = snprintf(id, sizeof(id), "%.*s/%.*s", (int)reading.device.length,
		                  reading.device.data, tile.length < 8 ? (int)tile.length : 8,
		                  tile.data);
		if (length > 0 && (size_t)length < sizeof(id))
			reading.device = (struct weir_slice){id, (size_t)length};
		reading.is_part = true;
	}
	return weir_monitor_add(monitor, &reading, row->at, err);
}

static const struct weir_monitor_table table = {
	.fields = timed_fields,
	.options = &commas,
	.take = take_row,
	.recognise = recognise,
	.header = "xpu-smi dump -d DEVICES -m METRICS",
};

static int sniff(const char *head, size_t len)
{
	return weir_monitor_sniff(&table, head, len);
}

/* True if the first row below a header begins with a date. */
static bool has_dates(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[2];
	bool below = false, since_1970;
	int64_t at_ns;

	while (weir_csv_take_line(&rest, &line)) {
		if (below && weir_csv_split(line, &commas, cells, 2) > 1)
			return weir_monitor_time(cells[0], &at_ns, &since_1970);
		below |= recognise(line) > 0;
	}
	return false;
}

static enum weir_status read_xpu(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	struct weir_monitor_table with_state = table;
	struct xpu xpu = {WEIR_CSV_NO_COLUMN, WEIR_CSV_NO_COLUMN};
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	with_state.context = &xpu;
	if (has_dates(head, len))
		with_state.fields = dated_fields;
	return weir_monitor_read(&with_state, source, input, err);
}

const struct weir_reader weir_reader_xpu_smi = {
	.name = "xpu-smi",
	.title = "xpu-smi dump of Intel GPUs",
	.gives = "telemetry",
	.sniff = sniff,
	.read = read_xpu,
};
