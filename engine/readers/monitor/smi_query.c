/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `nvidia-smi --query-gpu=... --format=csv`, with and without units, in a loop or once. */
#include <string.h>

#include "engine/readers/monitor/monitor.h"
#include "engine/readers/monitor/smi.h"
#include "engine/readers/readers.h"

#define MAX_CELLS 512 /* of the lines that are sniffed */
#define LINES     16  /* in which a header must show */

/* Cells are never quoted: a comma in a name shifts its row, which then has too many. */
static const struct weir_csv_options table = {.separator = ',', .trim = true};

/* Drivers before 535 say throttle where later ones say event. */
#define REASONS(suffix, kind, what, unit)                                                          \
	{"clocks_event_reasons" suffix, kind, what, unit},                                         \
	{                                                                                          \
		"clocks_throttle_reasons" suffix, kind, what, unit                                 \
	}
#define REASON(name, bit) REASONS("." name, WEIR_MONITOR_REASON, bit, NULL)
#define GAUGE(name, gauge, unit)                                                                   \
	{                                                                                          \
		name, WEIR_MONITOR_GAUGE, gauge, unit                                              \
	}

static const struct weir_monitor_field fields[] = {
	{"timestamp", WEIR_MONITOR_LOCAL_TIME, 0, NULL},
	{"index", WEIR_MONITOR_DEVICE, 0, NULL},
	{"pci.bus_id", WEIR_MONITOR_DEVICE, 0, NULL},
	{"gpu_bus_id", WEIR_MONITOR_DEVICE, 0, NULL},
	{"uuid", WEIR_MONITOR_DEVICE, 0, NULL},
	{"gpu_uuid", WEIR_MONITOR_DEVICE, 0, NULL},
	{"name", WEIR_MONITOR_NAME, 0, NULL},
	{"gpu_name", WEIR_MONITOR_NAME, 0, NULL},
	GAUGE("utilization.gpu", WEIR_GAUGE_UTILIZATION, "%"),
	GAUGE("utilization.memory", WEIR_GAUGE_MEMORY_ACTIVITY, "%"),
	GAUGE("memory.used", WEIR_GAUGE_MEMORY_USED_BYTES, "MiB"),
	GAUGE("memory.total", WEIR_GAUGE_MEMORY_TOTAL_BYTES, "MiB"),
	GAUGE("power.draw", WEIR_GAUGE_POWER_W, "W"),
	GAUGE("gpu.power.draw", WEIR_GAUGE_POWER_W, "W"),
	GAUGE("power.draw.average", WEIR_GAUGE_POWER_W, "W"),
	GAUGE("gpu.power.draw.average", WEIR_GAUGE_POWER_W, "W"),
	GAUGE("power.draw.instant", WEIR_GAUGE_POWER_W, "W"),
	GAUGE("gpu.power.draw.instant", WEIR_GAUGE_POWER_W, "W"),
	GAUGE("enforced.power.limit", WEIR_GAUGE_POWER_LIMIT_W, "W"),
	GAUGE("power.limit", WEIR_GAUGE_POWER_LIMIT_W, "W"),
	GAUGE("gpu.power.limit", WEIR_GAUGE_POWER_LIMIT_W, "W"),
	GAUGE("clocks.current.sm", WEIR_GAUGE_SM_CLOCK_MHZ, "MHz"),
	GAUGE("clocks.sm", WEIR_GAUGE_SM_CLOCK_MHZ, "MHz"),
	GAUGE("clocks.current.graphics", WEIR_GAUGE_SM_CLOCK_MHZ, "MHz"),
	GAUGE("clocks.gr", WEIR_GAUGE_SM_CLOCK_MHZ, "MHz"),
	GAUGE("clocks.max.sm", WEIR_GAUGE_SM_CLOCK_MAX_MHZ, "MHz"),
	GAUGE("clocks.max.graphics", WEIR_GAUGE_SM_CLOCK_MAX_MHZ, "MHz"),
	GAUGE("clocks.max.gr", WEIR_GAUGE_SM_CLOCK_MAX_MHZ, "MHz"),
	GAUGE("clocks.current.memory", WEIR_GAUGE_MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("clocks.mem", WEIR_GAUGE_MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("temperature.gpu", WEIR_GAUGE_TEMPERATURE_C, "C"),
	GAUGE("temperature.memory", WEIR_GAUGE_MEMORY_TEMPERATURE_C, "C"),
	REASONS(".active", WEIR_MONITOR_REASONS, 0, NULL),
	REASON("gpu_idle", WEIR_CLOCKS_IDLE),
	REASON("applications_clocks_setting", WEIR_CLOCKS_APPLICATION),
	REASON("sw_power_cap", WEIR_CLOCKS_POWER_CAP),
	REASON("hw_slowdown", WEIR_CLOCKS_HW_SLOWDOWN),
	REASON("sync_boost", WEIR_CLOCKS_SYNC_BOOST),
	REASON("sw_thermal_slowdown", WEIR_CLOCKS_SW_THERMAL),
	REASON("hw_thermal_slowdown", WEIR_CLOCKS_HW_THERMAL),
	REASON("hw_power_brake_slowdown", WEIR_CLOCKS_HW_POWER_BRAKE),
	REASONS("_counters.sw_power_cap", WEIR_MONITOR_TOTAL, WEIR_GAUGE_POWER_CAPPED_NS, "us"),
	REASONS("_counters.hw_power_brake_slowdown", WEIR_MONITOR_TOTAL, WEIR_GAUGE_POWER_CAPPED_NS,
                "us"),
	REASONS("_counters.sw_thermal_slowdown", WEIR_MONITOR_TOTAL, WEIR_GAUGE_THERMAL_NS, "us"),
	REASONS("_counters.hw_thermal_slowdown", WEIR_MONITOR_TOTAL, WEIR_GAUGE_THERMAL_NS, "us"),
	{NULL, WEIR_MONITOR_GAUGE, 0, NULL},
};

/* Bits that a header verifies; negative where it names nothing that is measured, 0: no header. */
static int header_bits(const struct weir_slice *cells, size_t count)
{
	const struct weir_monitor_unit *unit;
	bool measures = false;
	int bits = 0;

	/* Names begin with a lower-case letter, values do not: most rows end here. */
	if (!count || !cells[0].length || cells[0].data[0] < 'a' || cells[0].data[0] > 'z')
		return 0;
	for (size_t i = 0; i < count; i++) {
		const struct weir_monitor_field *field = weir_monitor_find(fields, cells[i], &unit);

		if (!field)
			continue;
		bits += 8 * (int)strlen(field->name);
		measures |= field->kind <= WEIR_MONITOR_REASON;
	}
	return measures ? bits : -bits;
}

/* Bits that a row without a header verifies: its time stamp, and values with the units in which
 * nvidia-smi prints. */
static int row_bits(const struct weir_slice *cells, size_t count)
{
	static const char *const endings[] = {" %", " MiB", " W", " MHz", " us"};
	int64_t at_ns;
	double value;
	int bits = 0;

	if (count < 2)
		return 0;
	for (size_t i = 0; i < count; i++) {
		struct weir_slice unit;

		if (weir_monitor_local_time(cells[i], &at_ns)) {
			bits += 8 * (int)cells[i].length;
			continue;
		}
		if (weir_monitor_number(cells[i], &value, &unit) != WEIR_MONITOR_VALUE)
			continue;
		for (size_t j = 0; j < sizeof(endings) / sizeof(endings[0]); j++)
			if (weir_slice_equals(unit, endings[j] + 1))
				bits += 8 * (int)strlen(endings[j]);
	}
	return bits >= 64 ? bits : 0;
}

static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[MAX_CELLS];
	int bits = 0;

	for (int i = 0; !bits && i < LINES && weir_csv_take_line(&rest, &line); i++) {
		size_t count = weir_csv_split(line, &table, cells, MAX_CELLS);

		bits = header_bits(cells, count);
		if (!bits)
			bits = row_bits(cells, count);
	}
	return bits > 0 ? bits : 0;
}

/* An error line or a list of processes above a table refuses nothing. */
static const char *refuse(const char *head, size_t len)
{
	return sniff(head, len) ? NULL : weir_smi_refusal(head, len);
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	const char *failure = weir_smi_failure(row->line);

	if (header_bits(row->cells, row->count) > 0) {
		weir_monitor_bind(monitor, row->cells, row->count);
		return WEIR_OK;
	}
	if (failure) {
		weir_monitor_fail(monitor, failure, row->at);
		return WEIR_OK;
	}
	if (!monitor->column_count && row_bits(row->cells, row->count))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "line %llu: a row before any header (format noheader): what its "
		                 "columns are cannot be known; record with --format=csv",
		                 (unsigned long long)row->number);
	if (!weir_monitor_fits(monitor, row))
		return WEIR_OK;
	weir_monitor_take(monitor, row->cells, weir_monitor_whole(row), row->at, &reading);
	return weir_monitor_add(monitor, &reading, row->at, err);
}

static enum weir_status read_query(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	static const struct weir_monitor_table monitor = {
		.fields = fields,
		.options = &table,
		.take = take_row,
		.refuse = refuse,
		.header = "nvidia-smi --query-gpu=... --format=csv",
	};

	return weir_monitor_read(&monitor, source, input, err);
}

const struct weir_reader weir_reader_smi_query = {
	.name = "nvidia-smi",
	.title = "nvidia-smi --query-gpu=... --format=csv",
	.gives = "telemetry",
	.sniff = sniff,
	.read = read_query,
};
