/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads two outputs of nvidia-smi, and recognises others to refuse them:
 *
 *	nvidia-smi --query-gpu=... --format=csv  with and without units, once or in a loop
 *	nvidia-smi dmon  columns separated by blanks below two lines that begin with '#', names and
 *	units, which repeat; or the same with commas (--format csv)
 *
 * Scripts write the overview of nvidia-smi before such a table: its lines are passed over.
 */
#include <string.h>

#include "engine/readers/monitor/monitor.h"
#include "engine/readers/readers.h"

/* Cells are never quoted: a comma in a name shifts its row, which then has too many cells. */
static const struct weir_csv_options commas = {.separator = ',', .trim = true};
static const struct weir_csv_options blanks = {.separator = ' '};

/* ---- outputs without samples ---- */

/* The starts of lines with an error. */
static const struct {
	const char *text, *reason;
} failures[] = {
	{"No devices were found", "nvidia-smi found no device"},
	{"Failed to initialize NVML", "nvidia-smi could not initialise NVML: is the driver loaded, "
                                      "and of the library's version?"},
	{"NVIDIA-SMI has failed because", "nvidia-smi could not reach the driver"},
	{"Unable to determine the device handle", "nvidia-smi could not reach a device"},
	{"Field \"", "nvidia-smi does not know a field that was asked for"},
	{"Not supported on the device(s)", "the device does not support this monitor"},
	{"Insufficient Permissions", "nvidia-smi was not allowed to ask the device"},
	{"Failed to process command line", "nvidia-smi did not understand its options"},
	{"Invalid combination of input arguments", "nvidia-smi did not understand its options"},
	{"ERROR: Option", "nvidia-smi did not understand its options"},
};

#define RECORD_QUERY "record a table with --query-gpu=... --format=csv -lms 200"

/* Lines of outputs without samples: texts in them. */
static const struct {
	const char *text, *reason;
} outputs[] = {
	{"\x1b[4mGPU0", "it is the topology of nvidia-smi topo: links between devices, no samples"},
	{"CPU Affinity", "it is the topology of nvidia-smi topo -m: links between devices, no "
                         "samples; " RECORD_QUERY},
	{"==============NVSMI LOG", "it is a report of nvidia-smi -q without utilisation, memory, "
                                    "power, temperature or clocks "
                                    "of a device: run nvidia-smi -q without -d, or " RECORD_QUERY},
	{"| NVIDIA-SMI ",
         "it is the overview of nvidia-smi without the figures of a device: " RECORD_QUERY},
	{"<nvidia_smi_log",
         "it is XML of nvidia-smi -q -x without the figures of a device: run nvidia-smi -q -x "
         "without -d, or " RECORD_QUERY},
	{"List of valid properties to query",
         "it is the help of nvidia-smi --help-query-gpu, not a recording"},
};

/* Returns the error that the line reports, in our words, or NULL. */
static const char *failure_of(struct weir_slice line)
{
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (weir_slice_starts(line, failures[i].text))
			return failures[i].reason;
	return NULL;
}

static bool has_cell(const struct weir_slice *cells, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (weir_slice_equals(cells[i], name))
			return true;
	return false;
}

/* Refuses the header of a list of processes: --query-compute-apps, --query-accounted-apps, pmon. */
static const char *refuse_header(struct weir_slice line)
{
	struct weir_slice cells[WEIR_MONITOR_MAX_CELLS];
	size_t count = weir_csv_split(line, &commas, cells, WEIR_MONITOR_MAX_CELLS);

	if (has_cell(cells, count, "pid") &&
	    (has_cell(cells, count, "process_name") || has_cell(cells, count, "gpu_uuid") ||
	     has_cell(cells, count, "used_gpu_memory [MiB]")))
		return "it is a list of processes (nvidia-smi --query-compute-apps) without "
		       "figures of a device: record --query-gpu=...";
	if (count < 2)
		count = weir_csv_split(line, &blanks, cells, WEIR_MONITOR_MAX_CELLS);
	if (weir_slice_starts(line, "#") && has_cell(cells, count, "pid") &&
	    has_cell(cells, count, "command"))
		return "it is a list of processes (nvidia-smi pmon) without their use of a device "
		       "or its memory: record nvidia-smi dmon, or nvidia-smi pmon -s um";
	return NULL;
}

/* Refuses a line of an output without samples. */
static const char *refuse_line(struct weir_slice line)
{
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
		if (weir_slice_holds(line, outputs[i].text))
			return outputs[i].reason;
	return NULL;
}

#define REFUSAL_LINES 16 /* within which a header, an error or a transcript must begin */

/* Returns why an output of nvidia-smi has no samples of devices; NULL: it may have some, or it is
 * not of nvidia-smi. */
static const char *refuse_output(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	const char *reason = NULL;

	for (int i = 0; !reason && i < REFUSAL_LINES && weir_csv_take_line(&rest, &line); i++) {
		if (weir_slice_holds(line, "nvidia_gpu_exporter GPU capture") ||
		    weir_slice_starts(line, "# $ nvidia-smi"))
			return "it is a transcript of several nvidia-smi calls: keep the table of "
			       "one of them";
		reason = refuse_line(line);
		if (!reason)
			reason = refuse_header(line);
		if (!reason)
			reason = failure_of(line);
	}
	return reason;
}

/* ---- nvidia-smi --query-gpu ---- */

/* Drivers before 535 write throttle instead of event. */
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

static const struct weir_monitor_field query_fields[] = {
	{"timestamp", WEIR_MONITOR_LOCAL_TIME, 0, NULL},
	{"gpu", WEIR_MONITOR_OWN_DEVICE, 0, NULL},
	{"gpu_id", WEIR_MONITOR_OWN_DEVICE, 0, NULL},
	{"gpu_index", WEIR_MONITOR_OWN_DEVICE, 0, NULL},
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

/* Names begin with a lower-case letter, values do not: most rows end here. */
static int query_header_bits(const struct weir_slice *cells, size_t count)
{
	if (!count || !cells[0].length || cells[0].data[0] < 'a' || cells[0].data[0] > 'z')
		return 0;
	return weir_monitor_header_bits(query_fields, cells, count, 1, false);
}

/* Returns the number of bits that a row without a header verifies: a time stamp, and values with
 * nvidia-smi's units. */
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
		/* nvidia-smi writes "98 %"; other tables have columns named "99%". */
		if (unit.data == cells[i].data || unit.data[-1] != ' ')
			continue;
		for (size_t j = 0; j < sizeof(endings) / sizeof(endings[0]); j++)
			if (weir_slice_equals(unit, endings[j] + 1))
				bits += 8 * (int)strlen(endings[j]);
	}
	return bits >= 64 ? bits : 0;
}

static int recognise_query(struct weir_slice line)
{
	struct weir_slice cells[WEIR_MONITOR_MAX_CELLS];
	size_t count = weir_csv_split(line, &commas, cells, WEIR_MONITOR_MAX_CELLS);
	int bits = query_header_bits(cells, count);

	return bits ? bits : row_bits(cells, count);
}

static enum weir_status take_query_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                       struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	const char *failure = failure_of(row->line);

	if (query_header_bits(row->cells, row->count) > 0) {
		weir_monitor_bind(monitor, row->cells, row->count);
		return WEIR_OK;
	}
	if (failure) {
		weir_monitor_fail(monitor, failure, row->at);
		return WEIR_OK;
	}
	if (!monitor->column_count && row_bits(row->cells, row->count))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "line %llu: a row before any header (format noheader): its "
		                 "columns are unknown; record with --format=csv",
		                 (unsigned long long)row->number);
	if (weir_monitor_draws_box(row->line) || !weir_monitor_fits(monitor, row))
		return WEIR_OK;
	weir_monitor_take(monitor, row->cells, weir_monitor_whole(row), row->at, &reading);
	return weir_monitor_add(monitor, &reading, row->at, err);
}

static const struct weir_monitor_table query_table = {
	.fields = query_fields,
	.options = &commas,
	.take = take_query_row,
	.recognise = recognise_query,
	.refuse = refuse_output,
	.header = "nvidia-smi --query-gpu=... --format=csv",
};

static int sniff_query(const char *head, size_t len)
{
	return weir_monitor_sniff(&query_table, head, len);
}

/* Finds rows without a header and a list of processes below them, by their lines; false: the head
 * has no such lines before a header. */
static bool find_processes(const char *head, size_t len, unsigned *row, unsigned *processes)
{
	struct weir_slice rest = {head, len}, line, cells[WEIR_MONITOR_MAX_CELLS];
	bool found = false;

	*row = 0;
	for (unsigned i = 1; !found && i <= REFUSAL_LINES && weir_csv_take_line(&rest, &line);
	     i++) {
		size_t count = weir_csv_split(line, &commas, cells, WEIR_MONITOR_MAX_CELLS);

		if (query_header_bits(cells, count) > 0)
			return false;
		if (!*row && row_bits(cells, count))
			*row = i;
		found = *row && refuse_header(line);
		*processes = i;
	}
	return found;
}

static enum weir_status read_query(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	const char *head;
	size_t len;
	unsigned row, processes;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	if (find_processes(head, len, &row, &processes))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "line %u: rows without a header (format noheader), so their "
		                 "columns are unknown; line %u: a list of processes and their "
		                 "memory, without figures of a device: record nvidia-smi "
		                 "--query-gpu=index,memory.used,memory.total,utilization.gpu "
		                 "--format=csv",
		                 row, processes);
	return weir_monitor_read(&query_table, source, input, err);
}

const struct weir_reader weir_reader_smi_query = {
	.name = "nvidia-smi",
	.title = "nvidia-smi --query-gpu=... --format=csv",
	.gives = "telemetry",
	.sniff = sniff_query,
	.refuse = refuse_output,
	.read = read_query,
};

/* ---- nvidia-smi dmon ---- */

static const struct weir_monitor_field dmon_fields[] = {
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

/* Splits a line that begins with '#' into its cells, without the '#'; 0 for other lines. */
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

static int dmon_header_bits(const struct weir_slice *cells, size_t count)
{
	int bits;

	for (size_t i = 0; i < count; i++)
		if (weir_slice_equals(cells[i], "pid"))
			return 0;
	bits = weir_monitor_header_bits(dmon_fields, cells, count, 1, true);
	return bits > 0 ? bits + 8 : 0;
}

static int recognise_dmon(struct weir_slice line)
{
	struct weir_slice cells[WEIR_MONITOR_MAX_CELLS];

	return dmon_header_bits(cells, comment_cells(line, cells, WEIR_MONITOR_MAX_CELLS));
}

/* Takes a line of names, or the line of units below it. */
static void take_comment(struct weir_monitor *monitor, const struct weir_slice *cells, size_t count)
{
	if (dmon_header_bits(cells, count) > 0)
		weir_monitor_bind(monitor, cells, count);
	else if (monitor->column_count && count == monitor->width)
		weir_monitor_bind_units(monitor, cells, count);
}

/* True for a line that another program printed between the rows, which begin with a number or with
 * "-" for a missing one. */
static bool is_foreign(const struct weir_csv_row *row)
{
	char first = row->count && row->cells[0].length ? *row->cells[0].data : '-';

	return first != '-' && (first < '0' || first > '9');
}

static enum weir_status take_dmon_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                      struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct weir_slice cells[WEIR_MONITOR_MAX_CELLS];
	size_t count = comment_cells(row->line, cells, WEIR_MONITOR_MAX_CELLS);
	const char *failure;

	if (count) {
		take_comment(monitor, cells, count);
		return WEIR_OK;
	}
	failure = failure_of(row->line);
	if (failure)
		weir_monitor_fail(monitor, failure, row->at);
	if (failure || weir_monitor_draws_box(row->line) || is_foreign(row) ||
	    !weir_monitor_fits(monitor, row))
		return WEIR_OK;
	weir_monitor_take(monitor, row->cells, weir_monitor_whole(row), row->at, &reading);
	return weir_monitor_add(monitor, &reading, row->at, err);
}

static const struct weir_monitor_table dmon_table = {
	.fields = dmon_fields,
	.options = &blanks,
	.take = take_dmon_row,
	.recognise = recognise_dmon,
	.refuse = refuse_output,
	.header = "nvidia-smi dmon",
};

static int sniff_dmon(const char *head, size_t len)
{
	return weir_monitor_sniff(&dmon_table, head, len);
}

/* True if the first header in the head has commas. */
static bool has_commas(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;

	while (weir_csv_take_line(&rest, &line))
		if (recognise_dmon(line))
			return memchr(line.data, ',', line.length) != NULL;
	return false;
}

static enum weir_status read_dmon(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	struct weir_monitor_table table = dmon_table;
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	if (has_commas(head, len))
		table.options = &commas;
	return weir_monitor_read(&table, source, input, err);
}

const struct weir_reader weir_reader_smi_dmon = {
	.name = "nvidia-smi-dmon",
	.title = "nvidia-smi dmon, as text or --format csv",
	.gives = "telemetry",
	.sniff = sniff_dmon,
	.read = read_dmon,
};
