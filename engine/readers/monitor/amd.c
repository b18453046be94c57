/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads rocm-smi and amd-smi: `rocm-smi ... --csv`, `amd-smi monitor --csv`, `amd-smi metric
 * --csv`, which may repeat their header at every tick, and JSON of the same tools: a list of
 * devices, the same under "gpu_data", or an object per card; one document per tick. Names of fields
 * changed from release to release; all of them are known. rocm_text.c reads the text of rocm-smi,
 * amd_page.c the page of amd-smi, and amd_monitor.c the text of amd-smi monitor.
 */
#include <string.h>

#include "engine/base/enums.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/readers/monitor/amd_fields.h"
#include "engine/readers/monitor/amd_monitor.h"
#include "engine/readers/monitor/amd_page.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/monitor/rocm_text.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

/* ---- fields ---- */

/* Columns of `amd-smi monitor --csv`. */
static const struct weir_monitor_field monitor_fields[] = {
	{"timestamp", WEIR_MONITOR_UNIX_TIME, 0, NULL},
	{"gpu", WEIR_MONITOR_DEVICE, 0, NULL},
	GAUGE("gfx", UTILIZATION, "%"),
	GAUGE("gfx_util", UTILIZATION, "%"),
	GAUGE("mem", MEMORY_ACTIVITY, "%"),
	GAUGE("mem_util", MEMORY_ACTIVITY, "%"),
	GAUGE("vram_used", MEMORY_USED_BYTES, "MB"),
	GAUGE("vram_total", MEMORY_TOTAL_BYTES, "MB"),
	GAUGE("power_usage", POWER_W, "W"),
	GAUGE("max_power", POWER_LIMIT_W, "W"),
	GAUGE("gfx_clock", SM_CLOCK_MHZ, "MHz"),
	GAUGE("gfx_clk", SM_CLOCK_MHZ, "MHz"),
	GAUGE("mem_clock", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("mem_clk", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("hotspot_temperature", TEMPERATURE_C, "C"),
	GAUGE("memory_temperature", MEMORY_TEMPERATURE_C, "C"),
	{"pviol", WEIR_MONITOR_REASON_SHARE, WEIR_CLOCKS_POWER_CAP, "%"},
	{"tviol", WEIR_MONITOR_REASON_SHARE, WEIR_CLOCKS_SW_THERMAL, "%"},
	END,
};

/* Columns of `amd-smi metric --csv`. */
static const struct weir_monitor_field metric_fields[] = {
	{"timestamp", WEIR_MONITOR_UNIX_TIME, 0, NULL},
	{"gpu", WEIR_MONITOR_DEVICE, 0, NULL},
	GAUGE("gfx_activity", UTILIZATION, "%"),
	GAUGE("gfx_usage", UTILIZATION, "%"), /* ROCm 5 */
	GAUGE("umc_activity", MEMORY_ACTIVITY, "%"),
	GAUGE("mem_usage", MEMORY_ACTIVITY, "%"),
	GAUGE("used_vram", MEMORY_USED_BYTES, "MB"),
	GAUGE("fb_used", MEMORY_USED_BYTES, "MB"),
	GAUGE("total_vram", MEMORY_TOTAL_BYTES, "MB"),
	GAUGE("fb_total", MEMORY_TOTAL_BYTES, "MB"),
	GAUGE("socket_power", POWER_W, "W"),
	GAUGE("current_socket_power", POWER_W, "W"),
	GAUGE("average_socket_power", POWER_W, "W"),
	GAUGE("gfx_0_clk", SM_CLOCK_MHZ, "MHz"),
	GAUGE("gfx_cur_clk", SM_CLOCK_MHZ, "MHz"),
	GAUGE("gfx_0_max_clk", SM_CLOCK_MAX_MHZ, "MHz"),
	GAUGE("gfx_max_clk", SM_CLOCK_MAX_MHZ, "MHz"),
	GAUGE("mem_0_clk", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("mem_cur_clk", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("hotspot", TEMPERATURE_C, "C"),
	GAUGE("edge", TEMPERATURE_C, "C"),
	GAUGE("mem", MEMORY_TEMPERATURE_C, "C"),
	GAUGE("total_energy_consumption", ENERGY_J, "J"),
	REASON("ppt_violation_status", WEIR_CLOCKS_POWER_CAP),
	REASON("socket_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	REASON("hbm_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	REASON("vr_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	END,
};

#define MAX_JSON_FIELDS WEIR_ROCM_MAX_FIELDS

/* Keys of `amd-smi metric --json` and `monitor --json`, joined by points. */
static const struct weir_monitor_field json_fields[] = {
	{"timestamp", WEIR_MONITOR_UNIX_TIME, 0, NULL},
	{"gpu", WEIR_MONITOR_DEVICE, 0, NULL},
	GAUGE("usage.gfx_activity", UTILIZATION, "%"),
	GAUGE("gfx", UTILIZATION, "%"),
	GAUGE("gfx_util", UTILIZATION, "%"),
	GAUGE("usage.umc_activity", MEMORY_ACTIVITY, "%"),
	GAUGE("mem", MEMORY_ACTIVITY, "%"),
	GAUGE("mem_util", MEMORY_ACTIVITY, "%"),
	GAUGE("mem_usage.used_vram", MEMORY_USED_BYTES, "MB"),
	GAUGE("vram_used", MEMORY_USED_BYTES, "MB"),
	GAUGE("mem_usage.total_vram", MEMORY_TOTAL_BYTES, "MB"),
	GAUGE("vram_total", MEMORY_TOTAL_BYTES, "MB"),
	GAUGE("power.socket_power", POWER_W, "W"),
	GAUGE("power.current_socket_power", POWER_W, "W"),
	GAUGE("power.average_socket_power", POWER_W, "W"),
	GAUGE("power_usage", POWER_W, "W"),
	GAUGE("max_power", POWER_LIMIT_W, "W"),
	GAUGE("clock.gfx_0.clk", SM_CLOCK_MHZ, "MHz"),
	GAUGE("gfx_clock", SM_CLOCK_MHZ, "MHz"),
	GAUGE("gfx_clk", SM_CLOCK_MHZ, "MHz"),
	GAUGE("clock.gfx_0.max_clk", SM_CLOCK_MAX_MHZ, "MHz"),
	GAUGE("clock.mem_0.clk", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("mem_clock", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("mem_clk", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("temperature.hotspot", TEMPERATURE_C, "C"),
	GAUGE("temperature.edge", TEMPERATURE_C, "C"),
	GAUGE("hotspot_temperature", TEMPERATURE_C, "C"),
	GAUGE("temperature.mem", MEMORY_TEMPERATURE_C, "C"),
	GAUGE("memory_temperature", MEMORY_TEMPERATURE_C, "C"),
	GAUGE("energy.total_energy_consumption", ENERGY_J, "J"),
	REASON("throttle.ppt_violation_status", WEIR_CLOCKS_POWER_CAP),
	REASON("throttle.socket_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	REASON("throttle.hbm_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	REASON("throttle.vr_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	END,
};

_Static_assert(sizeof(json_fields) / sizeof(json_fields[0]) <= MAX_JSON_FIELDS,
               "a cell for each field");

/* ---- CSV ---- */

static const struct weir_csv_options options = {.separator = ',', .quotes = true, .trim = true};

/* The tables of columns, and the number of gauges that a header needs: some names are short. */
static const struct {
	const struct weir_monitor_field *fields;
	size_t gauges;
} families[] = {
	{weir_rocm_fields, 1},
	{monitor_fields, 2},
	{metric_fields, 2},
};

/* Chooses the table that knows most of a header; NULL: the row is not a header. */
static const struct weir_monitor_field *choose_family(const struct weir_slice *cells, size_t count,
                                                      int *bits)
{
	static const char *const first[] = {"device", "gpu", "timestamp"};
	const struct weir_monitor_field *best = NULL;
	bool candidate = false;

	*bits = 0;
	for (size_t i = 0; count && i < sizeof(first) / sizeof(first[0]); i++)
		candidate |= weir_monitor_same(cells[0], first[i]);
	for (size_t i = 0; candidate && i < sizeof(families) / sizeof(families[0]); i++) {
		int found = weir_monitor_header_bits(families[i].fields, cells, count,
		                                     families[i].gauges, true);

		if (found > *bits) {
			best = families[i].fields;
			*bits = found;
		}
	}
	return best;
}

static bool is_unreadable_row(const struct weir_monitor *monitor, const struct weir_csv_row *row)
{
	struct weir_rocm_seen seen = {0};

	for (size_t i = 0; i < monitor->column_count; i++)
		if (monitor->columns[i].column < row->count)
			weir_rocm_see(&seen, monitor->columns[i].field,
			              row->cells[monitor->columns[i].column]);
	return weir_rocm_unreadable(&seen, monitor->input, row->at);
}

/* Joins the cells of lists: early versions print "[0, 0]" without quotes, which the comma divides.
 * A joined cell keeps the text of its first part. Returns the number of cells. */
static size_t join_lists(const struct weir_csv_row *row, struct weir_slice *cells)
{
	size_t count = 0;
	bool open = false;

	for (size_t i = 0; i < row->count && count < WEIR_MONITOR_MAX_CELLS; i++) {
		struct weir_slice cell = row->cells[i];
		bool ends = weir_slice_ends(cell, "]");

		if (!open)
			cells[count++] = cell;
		open = (open || weir_slice_starts(cell, "[")) && !ends;
	}
	return count;
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *raw,
                                 struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct weir_slice cells[WEIR_MONITOR_MAX_CELLS];
	struct weir_csv_row joined = *raw;
	const struct weir_csv_row *row = &joined;
	const struct weir_monitor_field *fields;
	int bits;

	if (weir_rocm_warning(monitor, raw->line, raw->at))
		return WEIR_OK;
	if (raw->count != monitor->width) {
		joined.cells = cells;
		joined.count = join_lists(raw, cells);
	}
	fields = choose_family(row->cells, row->count, &bits);
	if (fields) {
		monitor->fields = fields;
		weir_monitor_bind(monitor, row->cells, row->count);
		return WEIR_OK;
	}
	if (!weir_monitor_fits(monitor, row))
		return WEIR_OK;
	if (monitor->fields == weir_rocm_fields && is_unreadable_row(monitor, row))
		return WEIR_OK;
	weir_monitor_take(monitor, row->cells, weir_monitor_whole(row), row->at, &reading);
	return weir_monitor_add(monitor, &reading, row->at, err);
}

static int recognise(struct weir_slice line)
{
	struct weir_slice cells[WEIR_MONITOR_MAX_CELLS];
	int bits;

	choose_family(cells, weir_csv_split(line, &options, cells, WEIR_MONITOR_MAX_CELLS), &bits);
	return bits;
}

static const struct weir_monitor_table table = {
	.fields = metric_fields,
	.options = &options,
	.take = take_row,
	.recognise = recognise,
	.header = "rocm-smi --csv, amd-smi monitor --csv or amd-smi metric --csv",
};

/* ---- JSON ---- */

#define MAX_PATH  96 /* bytes; the paths of all fields are shorter */
#define MAX_DEPTH 4  /* of objects below a device: clock.gfx_0.clk.value */
#define MAX_LISTS 3  /* documents, "gpu_data", devices */

/* The fields of a device, one cell each; texts are borrowed from the document. */
struct cells {
	const struct weir_monitor_field *fields;
	struct weir_slice value[MAX_JSON_FIELDS];
	struct weir_slice unit[MAX_JSON_FIELDS]; /* "": of the field */
	char path[MAX_PATH];
	size_t path_length; /* above MAX_PATH: not a field */
};

struct amd_json {
	struct weir_monitor monitor;
	uint64_t at; /* of the document */
	enum weir_status status;
	struct weir_error *err;
};

static void add_to_path(struct cells *cells, struct weir_slice key)
{
	size_t point = cells->path_length > 0;

	if (cells->path_length + point + key.length > MAX_PATH) {
		cells->path_length = MAX_PATH + 1;
		return;
	}
	if (point)
		cells->path[cells->path_length++] = '.';
	memcpy(cells->path + cells->path_length, key.data, key.length);
	cells->path_length += key.length;
}

static void keep(struct cells *cells, struct weir_slice value, struct weir_slice unit)
{
	const struct weir_monitor_unit *own;
	const struct weir_monitor_field *field;

	if (cells->path_length > MAX_PATH)
		return;
	field = weir_monitor_find(cells->fields,
	                          (struct weir_slice){cells->path, cells->path_length}, &own);
	if (!field)
		return;
	cells->value[field - cells->fields] = value;
	cells->unit[field - cells->fields] = unit;
}

/* Walks an object below a device: a section of fields, or one field as value and unit. */
static void walk_object(struct cells *cells, struct weir_jsoncursor *cursor, unsigned depth)
{
	struct weir_slice key, value = {"", 0}, unit = {"", 0};
	size_t length = cells->path_length;

	if (depth > MAX_DEPTH) {
		weir_jsoncursor_take(cursor);
		return;
	}
	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "value")) {
			value = weir_jsoncursor_scalar(cursor);
		} else if (weir_slice_equals(key, "unit")) {
			unit = weir_jsoncursor_scalar(cursor);
		} else {
			add_to_path(cells, key);
			if (weir_jsoncursor_peek(cursor) == '{')
				walk_object(cells, cursor, depth + 1);
			else
				keep(cells, weir_jsoncursor_scalar(cursor),
				     (struct weir_slice){"", 0});
			cells->path_length = length;
		}
	}
	if (value.length)
		keep(cells, value, unit);
}

/* Adds the cells in the order of the table: preferred fields first. */
static void add_sample(struct amd_json *amd, const struct cells *cells, struct weir_slice device)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct weir_rocm_seen seen = {0};

	for (size_t i = 0; cells->fields == weir_rocm_fields && cells->fields[i].name; i++)
		weir_rocm_see(&seen, &cells->fields[i], cells->value[i]);
	if (weir_rocm_unreadable(&seen, amd->monitor.input, amd->at))
		return;
	reading.device = device;
	for (size_t i = 0; cells->fields[i].name; i++) {
		struct weir_monitor_column column = {.field = &cells->fields[i]};

		if (!cells->value[i].length)
			continue;
		column.unit = weir_monitor_unit(cells->unit[i]);
		weir_monitor_set(&amd->monitor, &column, cells->value[i], amd->at, &reading);
	}
	if (!amd->status)
		amd->status = weir_monitor_add(&amd->monitor, &reading, amd->at, amd->err);
}

static bool is_card(struct weir_slice key)
{
	return weir_slice_starts(key, "card") && key.length > strlen("card");
}

static void take_list(struct amd_json *amd, struct weir_jsoncursor *cursor, unsigned depth);

/* Takes a device, or an object of devices: "gpu_data", cards by name. */
static void take_object(struct amd_json *amd, struct weir_jsoncursor *cursor, unsigned depth)
{
	struct cells cells = {.fields = json_fields};
	struct weir_slice key;

	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		char first = weir_jsoncursor_peek(cursor);

		if (first == '[' && depth < MAX_LISTS && weir_slice_equals(key, "gpu_data")) {
			take_list(amd, cursor, depth + 1);
		} else if (first == '{' && is_card(key)) {
			struct cells card = {.fields = weir_rocm_fields};

			walk_object(&card, cursor, 1);
			if (!cursor->bad)
				add_sample(amd, &card, key);
		} else {
			add_to_path(&cells, key);
			if (first == '{')
				walk_object(&cells, cursor, 1);
			else
				keep(&cells, weir_jsoncursor_scalar(cursor),
				     (struct weir_slice){"", 0});
			cells.path_length = 0;
		}
	}
	if (!cursor->bad)
		add_sample(amd, &cells, (struct weir_slice){"", 0});
}

static void take_list(struct amd_json *amd, struct weir_jsoncursor *cursor, unsigned depth)
{
	weir_jsoncursor_enter(cursor, '[');
	while (weir_jsoncursor_item(cursor)) {
		char first = weir_jsoncursor_peek(cursor);

		if (first == '{')
			take_object(amd, cursor, depth);
		else if (first == '[' && depth < MAX_LISTS)
			take_list(amd, cursor, depth + 1);
		else
			weir_jsoncursor_take(cursor);
	}
}

/* Takes a document. Keeps the devices before a place that is not valid JSON. */
static void take_document(struct amd_json *amd, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);

	amd->at = item->at;
	weir_jsoncursor_skip_blanks(&cursor);
	if (weir_jsoncursor_peek(&cursor) == '[')
		take_list(amd, &cursor, 1);
	else if (weir_jsoncursor_peek(&cursor) == '{')
		take_object(amd, &cursor, 1);
	else
		cursor.bad = true;
	if (cursor.bad)
		weir_input_warn(amd->monitor.input, WEIR_WARN_SKIPPED_EVENT, item->at, NULL);
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct amd_json *amd = context;

	(void)scan;
	(void)err; /* the reader has it */
	if (item->kind == WEIR_JSONSCAN_ELEMENT)
		take_document(amd, item);
	return amd->status;
}

static enum weir_status take_documents(struct amd_json *amd, struct weir_source *source,
                                       struct weir_error *err)
{
	static const struct weir_jsonscan_options lines = {.lines = true};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &lines);
	enum weir_status status = weir_jsonscan_each(scan, take_item, amd, err);

	weir_damage_of_scan(amd->monitor.input, scan, source);
	weir_jsonscan_free(scan);
	return status;
}

static enum weir_status read_json(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	struct amd_json amd = {.err = err};
	enum weir_status status;

	weir_monitor_open(&amd.monitor, input, json_fields);
	status = take_documents(&amd, source, err);
	if (!status && !amd.monitor.telemetry->count)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no device with a value: record amd-smi metric or monitor");
	weir_monitor_close(&amd.monitor);
	return status;
}

/* ---- text tables ---- */

#define REFUSAL_LINES 32 /* within which a table must begin: warnings may precede it */
#define ROCM_TEXT                                                                                  \
	"it is text of rocm-smi without a figure of a device: record rocm-smi --showuse "          \
	"--showpower --showclocks --showtemp --showmeminfo vram --csv"

#define PROCESSES                                                                                  \
	"it is the list of processes of amd-smi process, which states neither use nor power of "   \
	"a device, and not all of its memory: record amd-smi metric --json or amd-smi monitor "    \
	"--csv under load"

/* Texts that only the tables for people hold, and the call that writes the same as data. */
static const struct {
	const char *text, *reason;
} tables[] = {
	{"ROCm System Management Interface", ROCM_TEXT},
	{"End of ROCm SMI Log", ROCM_TEXT},
	{"| AMD-SMI ", "it is the page of amd-smi without a device: record amd-smi metric --json "
                       "or amd-smi monitor --csv"},
	{"AMD System Management Interface",
         "it is text of amd-smi: record amd-smi metric --json or "
         "amd-smi monitor --csv"},
	{"PROCESS_INFO:", PROCESSES},
	{"GFX_ACTIVITY:", "it is the text of amd-smi metric: record it with --json or --csv"},
	{"SOCKET_POWER:", "it is the text of amd-smi metric: record it with --json or --csv"},
};

/* True for the header of amd-smi process --csv. */
static bool is_process_list(struct weir_slice line)
{
	return (weir_slice_starts(line, "gpu,") || weir_slice_starts(line, "timestamp,gpu,")) &&
	       weir_slice_holds(line, ",name,pid,");
}

/* Returns the hint for one line; NULL: it is not a line of such a table. */
static const char *refuse_line(struct weir_slice line)
{
	bool has_data = memchr(line.data, ',', line.length) || memchr(line.data, '"', line.length);

	if (weir_slice_starts(line, "GPU[") && weir_slice_holds(line, "]\t"))
		return tables[0].reason;
	if (is_process_list(line))
		return PROCESSES;
	for (size_t i = 0; !has_data && i < sizeof(tables) / sizeof(tables[0]); i++)
		if (weir_slice_holds(line, tables[i].text))
			return tables[i].reason;
	return NULL;
}

/* Returns the hint to record data instead of a table for people; NULL: it is not such a table. */
static const char *refuse_table(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	const char *reason = NULL;

	for (int i = 0; !reason && i < REFUSAL_LINES && weir_csv_take_line(&rest, &line); i++)
		reason = refuse_line(line);
	return reason;
}

/* ---- the reader ---- */

static const struct weir_mark marks[] = {
	{.first = "{[", .keys = {{"gpu_data"}, .all = 1}},
	{.first = "{[",
         .keys = {{"gpu", "usage", "power", "temperature", "clock", "power_usage", "mem_usage",
                   "hotspot_temperature", "gfx"},
                  .all = 1,
                  .any = 8}},
	{.first = "{[", .keys = {{"card0", "card1"}, .any = 2}},
	{.first = "[", .keys = {{"gpu", "process_list"}, .all = 2}, .refusal = PROCESSES},
	{0},
};

/* Texts for people, which are looked for in this order below the tables of data. */
static const struct {
	int (*sniff)(const char *head, size_t len);
	enum weir_status (*read)(struct weir_source *source, struct weir_input *input,
	                         struct weir_error *err);
} texts[] = {
	{weir_amd_page_sniff, weir_amd_page_read},
	{weir_amd_monitor_sniff, weir_amd_monitor_read},
	{weir_rocm_text_sniff, weir_rocm_text_read},
};

static int sniff(const char *head, size_t len)
{
	int bits = weir_monitor_sniff(&table, head, len);

	for (size_t i = 0; !bits && i < WEIR_COUNT_OF(texts); i++)
		bits = texts[i].sniff(head, len);
	return bits;
}

static enum weir_status read_amd(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	char first;
	const char *head;
	size_t len;
	enum weir_status status = weir_sniff_source(source, &first, err);

	if (!status)
		status = weir_source_head(source, &head, &len, err);
	if (status)
		return status;
	if (first == '{' || first == '[')
		return read_json(source, input, err);
	for (size_t i = 0; !weir_monitor_sniff(&table, head, len) && i < WEIR_COUNT_OF(texts); i++)
		if (texts[i].sniff(head, len))
			return texts[i].read(source, input, err);
	return weir_monitor_read(&table, source, input, err);
}

const struct weir_reader weir_reader_amd = {
	.name = "amd-smi",
	.title = "rocm-smi, amd-smi as it prints alone, its monitor, and metric (--csv, --json)",
	.gives = "telemetry",
	.of_amd = true,
	.marks = marks,
	.sniff = sniff,
	.refuse = refuse_table,
	.read = read_amd,
};
