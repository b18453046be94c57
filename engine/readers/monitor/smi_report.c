/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the report of nvidia-smi -q, whole or of some displays (-d), once or again and again: a
 * sample of each device for each report. Its XML (-q -x) has the same parts under other names.
 *
 *	==============NVSMI LOG==============
 *	Timestamp                                 : Tue Jan  6 10:00:00 2026
 *	GPU 00000000:86:00.0
 *	    Product Name                          : Tesla V100-PCIE-32GB
 *	    Utilization
 *	        Gpu                               : 98 %
 *	    Temperature
 *	        GPU Current Temp                  : 61 C
 *
 * Figures of parts of a device (MIG), of processes and of the module around a device are left out.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/readers.h"

#define MAX_DEPTH 8
#define MAX_TITLE 48 /* bytes of a section's title that are kept; known ones are shorter */
#define MAX_ID    24 /* bytes of "00000000:86:00.0" and its NUL */
#define MAX_NAME  80

static const struct weir_csv_options lines = {.separator = '\n'};

/* Lines have no columns. */
static const struct weir_monitor_field no_fields[] = {{NULL, WEIR_MONITOR_GAUGE, 0, NULL}};

/* ---- figures ---- */

/* A figure in the text and in the XML. */
struct figure {
	const char *section, *key;
	const char *xml_section, *xml_key;
	struct weir_monitor_field field;
};

#define GAUGE(section, key, xml_section, xml_key, gauge, unit)                                     \
	{                                                                                          \
		section, key, xml_section, xml_key,                                                \
		{                                                                                  \
			key, WEIR_MONITOR_GAUGE, gauge, unit                                       \
		}                                                                                  \
	}
#define POWER(section, xml_section)                                                                \
	GAUGE(section, "Power Draw", xml_section, "power_draw", WEIR_GAUGE_POWER_W, "W"),          \
		GAUGE(section, "Average Power Draw", xml_section, "average_power_draw",            \
	              WEIR_GAUGE_POWER_W, "W"),                                                    \
		GAUGE(section, "Instantaneous Power Draw", xml_section, "instant_power_draw",      \
	              WEIR_GAUGE_POWER_W, "W"),                                                    \
		GAUGE(section, "Power Limit", xml_section, "power_limit",                          \
	              WEIR_GAUGE_POWER_LIMIT_W, "W"),                                              \
		GAUGE(section, "Current Power Limit", xml_section, "current_power_limit",          \
	              WEIR_GAUGE_POWER_LIMIT_W, "W"),                                              \
		GAUGE(section, "Enforced Power Limit", xml_section, "enforced_power_limit",        \
	              WEIR_GAUGE_POWER_LIMIT_W, "W")
#define MEMORY(section, xml_section)                                                               \
	GAUGE(section, "Used", xml_section, "used", WEIR_GAUGE_MEMORY_USED_BYTES, "MiB"),          \
		GAUGE(section, "Total", xml_section, "total", WEIR_GAUGE_MEMORY_TOTAL_BYTES,       \
	              "MiB")
#define REASON(section, xml_section, key, ending, bit)                                             \
	{                                                                                          \
		section, key, xml_section, "reason_" ending,                                       \
		{                                                                                  \
			key, WEIR_MONITOR_REASON, bit, NULL                                        \
		}                                                                                  \
	}
#define REASONS(section, xml_section)                                                              \
	REASON(section, xml_section, "Idle", "gpu_idle", WEIR_CLOCKS_IDLE),                        \
		REASON(section, xml_section, "Applications Clocks Setting",                        \
	               "applications_clocks_setting", WEIR_CLOCKS_APPLICATION),                    \
		REASON(section, xml_section, "User Defined Clocks", "user_defined_clocks",         \
	               WEIR_CLOCKS_APPLICATION),                                                   \
		REASON(section, xml_section, "SW Power Cap", "sw_power_cap",                       \
	               WEIR_CLOCKS_POWER_CAP),                                                     \
		REASON(section, xml_section, "HW Slowdown", "hw_slowdown",                         \
	               WEIR_CLOCKS_HW_SLOWDOWN),                                                   \
		REASON(section, xml_section, "HW Thermal Slowdown", "hw_thermal_slowdown",         \
	               WEIR_CLOCKS_HW_THERMAL),                                                    \
		REASON(section, xml_section, "HW Power Brake Slowdown", "hw_power_brake_slowdown", \
	               WEIR_CLOCKS_HW_POWER_BRAKE),                                                \
		REASON(section, xml_section, "Sync Boost", "sync_boost", WEIR_CLOCKS_SYNC_BOOST),  \
		REASON(section, xml_section, "SW Thermal Slowdown", "sw_thermal_slowdown",         \
	               WEIR_CLOCKS_SW_THERMAL)
#define TOTAL(key, xml_key, gauge)                                                                 \
	{                                                                                          \
		"Clocks Event Reasons Counters", key, "clocks_event_reasons_counters",             \
			"counters_" xml_key,                                                       \
		{                                                                                  \
			key, WEIR_MONITOR_TOTAL, gauge, "us"                                       \
		}                                                                                  \
	}

static const struct figure figures[] = {
	GAUGE("Utilization", "Gpu", "utilization", "gpu_util", WEIR_GAUGE_UTILIZATION, "%"),
	GAUGE("Utilization", "GPU", "utilization", "gpu_util", WEIR_GAUGE_UTILIZATION, "%"),
	GAUGE("Utilization", "Memory", "utilization", "memory_util", WEIR_GAUGE_MEMORY_ACTIVITY,
              "%"),
	MEMORY("FB Memory Usage", "fb_memory_usage"),
	MEMORY("Memory Usage", "memory_usage"),
	POWER("Power Readings", "power_readings"),
	POWER("GPU Power Readings", "gpu_power_readings"),
	GAUGE("Temperature", "GPU Current Temp", "temperature", "gpu_temp",
              WEIR_GAUGE_TEMPERATURE_C, "C"),
	GAUGE("Temperature", "Gpu", "temperature", "gpu_temp", WEIR_GAUGE_TEMPERATURE_C, "C"),
	GAUGE("Temperature", "Memory Current Temp", "temperature", "memory_temp",
              WEIR_GAUGE_MEMORY_TEMPERATURE_C, "C"),
	GAUGE("Clocks", "SM", "clocks", "sm_clock", WEIR_GAUGE_SM_CLOCK_MHZ, "MHz"),
	GAUGE("Clocks", "Memory", "clocks", "mem_clock", WEIR_GAUGE_MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("Max Clocks", "SM", "max_clocks", "sm_clock", WEIR_GAUGE_SM_CLOCK_MAX_MHZ, "MHz"),
	GAUGE("PCI", "Tx Throughput", "pci", "tx_util", WEIR_GAUGE_TO_HOST_BYTES_PER_S, "KB/s"),
	GAUGE("PCI", "Rx Throughput", "pci", "rx_util", WEIR_GAUGE_FROM_HOST_BYTES_PER_S, "KB/s"),
	REASONS("Clocks Event Reasons", "clocks_event_reasons"),
	REASONS("Clocks Throttle Reasons", "clocks_throttle_reasons"),
	TOTAL("SW Power Capping", "sw_power_cap", WEIR_GAUGE_POWER_CAPPED_NS),
	TOTAL("HW Power Braking", "hw_power_brake_slowdown", WEIR_GAUGE_POWER_CAPPED_NS),
	TOTAL("SW Thermal Slowdown", "sw_thermal_slowdown", WEIR_GAUGE_THERMAL_NS),
	TOTAL("HW Thermal Slowdown", "hw_thermal_slowdown", WEIR_GAUGE_THERMAL_NS),
};

/* ---- lines ---- */

enum kind {
	OTHER,
	REPORT,  /* a report begins */
	DEVICE,  /* a device begins; `value` is its id */
	SECTION, /* a section begins */
	END,     /* a section ends (XML) */
	VALUE,
};

struct line {
	enum kind kind;
	size_t column; /* its first byte that is not blank */
	struct weir_slice key, value;
	bool xml;
};

/* The sections that are open at a line. */
struct place {
	struct {
		size_t column;
		char title[MAX_TITLE];
	} sections[MAX_DEPTH];
	size_t depth;
	bool xml; /* of the line of the report or device above */
};

/* Returns true for "00000000:86:00.0". */
static bool is_bus_id(struct weir_slice text)
{
	static const char bytes[] = "0123456789abcdefABCDEF:.";

	for (size_t i = 0; i < text.length; i++)
		if (!text.data[i] || !strchr(bytes, text.data[i]))
			return false;
	return text.length < MAX_ID && text.length && memchr(text.data, ':', text.length);
}

/* Returns the end of the element that a closing tag names: "mig_devices>". */
static struct line end_of_element(struct weir_slice tag)
{
	struct line line = {.kind = END, .xml = true};

	weir_monitor_take_before(&tag, '>', &line.key);
	return line;
}

/* Parses a line of the XML, which begins with a tag: an element, or one that lines below end. */
static struct line parse_xml(struct weir_slice text)
{
	struct line line = {.kind = SECTION, .xml = true};
	struct weir_slice rest = text;
	const char *attributes, *close;

	if (weir_slice_take(&rest, "</"))
		return end_of_element(rest);
	weir_slice_take(&rest, "<");
	if (weir_slice_take(&rest, "gpu id=\"")) {
		line.kind =
			weir_monitor_take_before(&rest, '"', &line.value) && is_bus_id(line.value)
				? DEVICE
				: OTHER;
		return line;
	}
	if (!weir_monitor_take_before(&rest, '>', &line.key) || !line.key.length ||
	    *line.key.data == '?' || *line.key.data == '!' || weir_slice_ends(line.key, "/"))
		return (struct line){.kind = OTHER, .xml = true};
	if (weir_slice_equals(line.key, "nvidia_smi_log"))
		line.kind = REPORT;
	attributes = memchr(line.key.data, ' ', line.key.length);
	if (attributes)
		line.key.length = (size_t)(attributes - line.key.data);
	close = weir_slice_find(rest, "</");
	if (close) {
		line.kind = VALUE;
		line.value = weir_slice_trim(
			(struct weir_slice){rest.data, (size_t)(close - rest.data)});
	}
	return line;
}

/* Parses a line of text between the tags of an element: "None" in <mig_devices>. The element may
 * end in it. */
static struct line parse_xml_text(struct weir_slice text)
{
	const char *close = weir_slice_find(text, "</");
	size_t before = close ? (size_t)(close - text.data) : 0;

	return close ? end_of_element((struct weir_slice){close + 2, text.length - before - 2})
	             : (struct line){.kind = OTHER, .xml = true};
}

static struct line parse_line(const struct place *place, struct weir_slice text)
{
	struct weir_slice trimmed = weir_slice_trim(text), rest = trimmed;
	struct line line = {.kind = OTHER, .key = trimmed};
	const char *colon;

	if (weir_slice_starts(trimmed, "<"))
		return parse_xml(trimmed);
	if (place->xml && !weir_slice_holds(trimmed, "==NVSMI LOG=="))
		return parse_xml_text(trimmed);
	line.column = (size_t)(trimmed.data - text.data);
	colon = weir_slice_find(trimmed, ": ");
	if (weir_slice_holds(trimmed, "==NVSMI LOG==")) {
		line.kind = REPORT;
	} else if (weir_slice_take(&rest, "GPU ") && is_bus_id(rest)) {
		line.kind = DEVICE;
		line.value = rest;
	} else if (colon) {
		line.kind = VALUE;
		line.key = weir_slice_trim(
			(struct weir_slice){trimmed.data, (size_t)(colon - trimmed.data)});
		line.value = weir_slice_trim((struct weir_slice){
			colon + 2, trimmed.length - (size_t)(colon - trimmed.data) - 2});
	} else if (trimmed.length && trimmed.length < MAX_TITLE &&
	           !memchr(trimmed.data, ':', trimmed.length)) {
		line.kind = SECTION;
	}
	return line;
}

static void copy(char *out, size_t size, struct weir_slice text)
{
	size_t length = text.length < size ? text.length : size - 1;

	memcpy(out, text.data, length);
	out[length] = '\0';
}

/* Closes the innermost section with the title of an ended element, and those inside of it that
 * lack their end. */
static void end_section(struct place *place, struct weir_slice title)
{
	if (title.length >= MAX_TITLE)
		title.length = MAX_TITLE - 1; /* as it was kept */
	for (size_t depth = place->depth; depth; depth--)
		if (weir_slice_equals(title, place->sections[depth - 1].title)) {
			place->depth = depth - 1;
			return;
		}
}

/* Opens and closes sections: in the text by the columns of lines. If indentation was lost, a
 * section lasts until the next one. */
static void follow(struct place *place, const struct line *line)
{
	bool by_column = !line->xml && (line->kind == SECTION || line->column);

	if (line->kind == REPORT || line->kind == DEVICE) {
		place->depth = 0;
		place->xml = line->xml;
	}
	if (line->kind == END)
		end_section(place, line->key);
	while (by_column && place->depth &&
	       place->sections[place->depth - 1].column >= line->column)
		place->depth--;
	if (line->kind != SECTION)
		return;
	if (place->depth == MAX_DEPTH) /* damage: no figure lies this deep */
		place->depth--;
	place->sections[place->depth].column = line->column;
	copy(place->sections[place->depth].title, MAX_TITLE, line->key);
	place->depth++;
}

/* Returns true if the line has the key of the figure: in XML reasons have another prefix with each
 * version of the driver. */
static bool has_key(const struct figure *figure, const struct line *line)
{
	if (!line->xml)
		return weir_slice_equals(line->key, figure->key);
	return figure->field.kind == WEIR_MONITOR_GAUGE
	               ? weir_slice_equals(line->key, figure->xml_key)
	               : weir_slice_ends(line->key, figure->xml_key);
}

static bool is_start_of_number(struct weir_slice value)
{
	return value.length &&
	       (strchr("0123456789-[", *value.data) || weir_slice_holds(value, "Error") ||
	        weir_slice_holds(value, "lost"));
}

/* Finds the figure that a line states in a section of the device itself; NULL: none. Words in the
 * place of a number ("N/A", "Insufficient Permissions") are no figure. */
static const struct figure *find_figure(const struct place *place, const struct line *line)
{
	if (line->kind != VALUE || place->depth != 1)
		return NULL;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		const struct figure *figure = &figures[i];
		const char *section = line->xml ? figure->xml_section : figure->section;

		if (strcmp(section, place->sections[0].title) != 0 || !has_key(figure, line))
			continue;
		return figure->field.kind == WEIR_MONITOR_REASON || is_start_of_number(line->value)
		               ? figure
		               : NULL;
	}
	return NULL;
}

/* ---- the reader ---- */

struct report {
	struct place place;
	int64_t at_ns; /* of the last line with a time; WEIR_NO_TIME: none */
	bool timed;    /* the head of the file has a time */
	bool has_device;
	struct weir_monitor_reading reading; /* of the device, without its texts */
	char id[MAX_ID], name[MAX_NAME];
	uint64_t at; /* byte of the line of the device */
};

/* Adds the sample of the device whose lines end here, if any. */
static enum weir_status end_device(struct weir_monitor *monitor, struct weir_error *err)
{
	struct report *report = monitor->context;
	struct weir_monitor_reading *reading = &report->reading;

	if (!report->has_device)
		return WEIR_OK;
	report->has_device = false;
	reading->device = weir_slice_of(report->id);
	reading->name = weir_slice_of(report->name);
	reading->at_ns = report->at_ns;
	reading->local = report->at_ns != WEIR_NO_TIME;
	reading->bad_time = !reading->local && report->timed;
	return weir_monitor_add(monitor, reading, report->at, err);
}

static void begin_device(struct report *report, const struct line *line, uint64_t at)
{
	report->has_device = true;
	report->reading = weir_monitor_unknown();
	report->name[0] = '\0';
	report->at = at;
	copy(report->id, sizeof(report->id), line->value);
}

/* Returns true if the file ends inside of the number or of its unit. */
static bool is_cut(const struct weir_csv_row *row, const struct figure *figure,
                   const struct line *line)
{
	double number;
	struct weir_slice unit;

	if (!row->cut || line->xml || figure->field.kind == WEIR_MONITOR_REASON)
		return false;
	return weir_monitor_number(line->value, &number, &unit) == WEIR_MONITOR_VALUE &&
	       !weir_monitor_unit(unit);
}

/* Takes "Tue Jan  6 10:00:00 2026", with a word in front as times elsewhere have one. */
static void take_time(struct report *report, struct weir_slice value)
{
	char line[MAX_NAME];
	int length = snprintf(line, sizeof(line), "at %.*s",
	                      (int)(value.length < MAX_NAME ? value.length : MAX_NAME), value.data);

	if (length > 0 && (size_t)length < sizeof(line))
		weir_monitor_time_of_words((struct weir_slice){line, (size_t)length},
		                           &report->at_ns);
}

/* Takes a line above the devices: the time, or the number of devices. */
static void take_head(struct weir_monitor *monitor, const struct line *line)
{
	struct report *report = monitor->context;
	int64_t count;

	if (weir_monitor_same(line->key, "Timestamp"))
		take_time(report, line->value);
	else if (weir_slice_equals(line->key, line->xml ? "attached_gpus" : "Attached GPUs") &&
	         weir_parse_i64(line->value.data, line->value.length, &count) && count > 0 &&
	         count <= WEIR_MAX_TELEMETRY_DEVICES)
		monitor->telemetry->attached = (uint32_t)count;
}

/* Returns true if the innermost section has this title in the XML or in the text. */
static bool is_in(const struct place *place, size_t depth, const char *xml, const char *text)
{
	return place->depth > depth &&
	       strcmp(place->sections[depth].title, place->xml ? xml : text) == 0;
}

/* Takes a line about the parts (MIG) of a device: whether it is divided, or the memory of a part.
 */
static void take_part(struct weir_telemetry *telemetry, const struct place *place,
                      const struct line *line)
{
	struct weir_slice unit;
	double bytes;

	if (is_in(place, 0, "mig_mode", "MIG Mode"))
		telemetry->divided |=
			weir_slice_equals(line->key, line->xml ? "current_mig" : "Current") &&
			weir_slice_equals(line->value, "Enabled");
	if ((!is_in(place, 0, "mig_devices", "MIG Device") &&
	     !is_in(place, 0, "mig_devices", "MIG Devices")) ||
	    !weir_slice_equals(line->key, line->xml ? "total" : "Total") ||
	    !is_in(place, place->depth - 1, "fb_memory_usage", "FB Memory Usage") ||
	    weir_monitor_number(line->value, &bytes, &unit) != WEIR_MONITOR_VALUE ||
	    !weir_monitor_unit(unit) || telemetry->part_count == WEIR_MAX_TELEMETRY_DEVICES)
		return;
	bytes = weir_monitor_convert(WEIR_GAUGE_MEMORY_TOTAL_BYTES, bytes, weir_monitor_unit(unit));
	if (!(bytes > 0))
		return;
	if (!telemetry->part_count++)
		telemetry->part_least_bytes = telemetry->part_most_bytes = bytes;
	telemetry->part_least_bytes = fmin(telemetry->part_least_bytes, bytes);
	telemetry->part_most_bytes = fmax(telemetry->part_most_bytes, bytes);
}

static void take_value(struct weir_monitor *monitor, const struct line *line,
                       const struct weir_csv_row *row)
{
	struct report *report = monitor->context;
	const struct figure *figure = find_figure(&report->place, line);
	const struct weir_monitor_column column = {.field = figure ? &figure->field : NULL};

	if (!report->has_device)
		take_head(monitor, line);
	else
		take_part(monitor->telemetry, &report->place, line);
	if (!report->has_device)
		return;
	if (!report->place.depth &&
	    weir_slice_equals(line->key, line->xml ? "product_name" : "Product Name"))
		copy(report->name, sizeof(report->name), line->value);
	if (!figure)
		return;
	if (is_cut(row, figure, line))
		weir_input_warn(monitor->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	else
		weir_monitor_set(monitor, &column, line->value, row->at, &report->reading);
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct report *report = monitor->context;
	struct line line = parse_line(&report->place, row->line);
	enum weir_status status = WEIR_OK;

	if (line.kind == REPORT || line.kind == DEVICE)
		status = end_device(monitor, err);
	follow(&report->place, &line);
	if (line.kind == REPORT) {
		report->at_ns = WEIR_NO_TIME;
		monitor->telemetry->part_count = 0; /* as the last report states them */
	} else if (line.kind == DEVICE) {
		begin_device(report, &line, row->at);
	} else if (line.kind == VALUE) {
		take_value(monitor, &line, row);
	}
	return status;
}

static const struct weir_monitor_table table = {
	.fields = no_fields,
	.options = &lines,
	.take = take_row,
	.end = end_device,
	.header =
		"nvidia-smi -q: expected \"Gpu : 98 %\" below \"Utilization\", or another figure, "
		"below the line of a device, \"GPU 00000000:86:00.0\"",
};

/* Counts few bits: a table of nvidia-smi may follow, and a header has more. */
static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, text;
	struct place place = {0};
	bool device = false;

	while (weir_csv_take_line(&rest, &text)) {
		struct line line = parse_line(&place, text);

		follow(&place, &line);
		device |= line.kind == DEVICE;
		if (device && find_figure(&place, &line))
			return 8 * (int)strlen("GPU 0:.");
	}
	return 0;
}

static enum weir_status read_report(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct report report = {.at_ns = WEIR_NO_TIME};
	struct weir_monitor_table with_state = table;
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	report.timed = weir_slice_holds((struct weir_slice){head, len}, "Timestamp  ") ||
	               weir_slice_holds((struct weir_slice){head, len}, "<timestamp>");
	with_state.context = &report;
	return weir_monitor_read(&with_state, source, input, err);
}

const struct weir_reader weir_reader_smi_report = {
	.name = "nvidia-smi-q",
	.title = "nvidia-smi -q, as text or XML (-x)",
	.gives = "telemetry",
	.sniff = sniff,
	.read = read_report,
};
