/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads `dcgmi dmon`: columns of fixed width below a line of short names, which repeats every 14
 * ticks. Below it a line of units may follow. A field that does not apply to an entity is blank, so
 * rows are cut where the names begin. If a file was formatted again and that does not fit, rows are
 * split at blanks, and the last cells are the values.
 */
#include <stdio.h>
#include <string.h>

#include "engine/readers/monitor/monitor.h"
#include "engine/readers/readers.h"

#define MAX_FIELDS  128
#define MAX_MESSAGE 160 /* bytes of a message of dcgmi */
#define MAX_ERROR   320

static const struct weir_csv_options blanks = {.separator = ' '};

/* Short names (dcgm_fields.h) stay while macros are renamed. PCITX is sent by the device, to the
 * host. */
static const struct weir_monitor_field fields[] = {
	{"GPUTL", WEIR_MONITOR_GAUGE, WEIR_GAUGE_UTILIZATION, "%"},
	{"GRACT", WEIR_MONITOR_GAUGE, WEIR_GAUGE_UTILIZATION, "ratio"},
	{"MCUTL", WEIR_MONITOR_GAUGE, WEIR_GAUGE_MEMORY_ACTIVITY, "%"},
	{"FBUSD", WEIR_MONITOR_GAUGE, WEIR_GAUGE_MEMORY_USED_BYTES, "MiB"},
	{"FBTTL", WEIR_MONITOR_GAUGE, WEIR_GAUGE_MEMORY_TOTAL_BYTES, "MiB"},
	{"POWER", WEIR_MONITOR_GAUGE, WEIR_GAUGE_POWER_W, "W"},
	{"SMCLK", WEIR_MONITOR_GAUGE, WEIR_GAUGE_SM_CLOCK_MHZ, "MHz"},
	{"MMCLK", WEIR_MONITOR_GAUGE, WEIR_GAUGE_MEMORY_CLOCK_MHZ, "MHz"},
	{"TMPTR", WEIR_MONITOR_GAUGE, WEIR_GAUGE_TEMPERATURE_C, "C"},
	{"MMTMP", WEIR_MONITOR_GAUGE, WEIR_GAUGE_MEMORY_TEMPERATURE_C, "C"},
	{"SMACT", WEIR_MONITOR_GAUGE, WEIR_GAUGE_SM_ACTIVE, "ratio"},
	{"SMOCC", WEIR_MONITOR_GAUGE, WEIR_GAUGE_SM_OCCUPANCY, "ratio"},
	{"TENSO", WEIR_MONITOR_GAUGE, WEIR_GAUGE_TENSOR_ACTIVE, "ratio"},
	{"DRAMA", WEIR_MONITOR_GAUGE, WEIR_GAUGE_DRAM_ACTIVE, "ratio"},
	{"PCITX", WEIR_MONITOR_GAUGE, WEIR_GAUGE_TO_HOST_BYTES_PER_S, "B/s"},
	{"PCIRX", WEIR_MONITOR_GAUGE, WEIR_GAUGE_FROM_HOST_BYTES_PER_S, "B/s"},
	{"NVLTX", WEIR_MONITOR_GAUGE, WEIR_GAUGE_LINK_SENT_BYTES_PER_S, "B/s"},
	{"NVLRX", WEIR_MONITOR_GAUGE, WEIR_GAUGE_LINK_RECEIVED_BYTES_PER_S, "B/s"},
	{"DVCCTR", WEIR_MONITOR_REASONS, 0, NULL},
	{"PVIOL", WEIR_MONITOR_GAUGE, WEIR_GAUGE_POWER_CAPPED_NS, "ns"},
	{"TVIOL", WEIR_MONITOR_GAUGE, WEIR_GAUGE_THERMAL_NS, "ns"},
	{"TOTEC", WEIR_MONITOR_GAUGE, WEIR_GAUGE_ENERGY_J, "mJ"},
	{NULL, WEIR_MONITOR_GAUGE, 0, NULL},
};

struct dcgmi {
	size_t start[MAX_FIELDS + 1]; /* where names begin in the header; then SIZE_MAX */
	size_t count;
	char error[MAX_ERROR]; /* what dcgmi says; empty: nothing */
	uint64_t odd_at;       /* of a line that is not a row; the last line may be a message */
	bool odd;
};

/* Returns the number of cells that name the entity: "#Entity", "# Entity", "# EntityId" or
 * "# Entity Id"; 0: the line is not a header. */
static size_t entity_cells(const struct weir_slice *cells, size_t count)
{
	static const char *const words[] = {"Entity", "EntityId"};
	size_t at = count && weir_slice_equals(cells[0], "#");
	struct weir_slice word = at < count ? cells[at] : weir_slice_of("");

	if (!at && !weir_slice_starts(word, "#"))
		return 0;
	if (!at)
		word = (struct weir_slice){word.data + 1, word.length - 1};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (weir_monitor_same(word, words[i]))
			return at + 1 + (at + 1 < count && weir_monitor_same(cells[at + 1], "Id"));
	return 0;
}

/* Splits a header into its names, without those of the entity; 0 for other lines. */
static size_t header_names(struct weir_slice line, struct weir_slice *names)
{
	struct weir_slice cells[MAX_FIELDS];
	size_t count = weir_csv_split(line, &blanks, cells, MAX_FIELDS);
	size_t before = entity_cells(cells, count);

	if (!before || count <= before)
		return 0;
	memcpy(names, cells + before, (count - before) * sizeof(*names));
	return count - before;
}

static int recognise(struct weir_slice line)
{
	struct weir_slice names[MAX_FIELDS];
	size_t count = header_names(line, names);

	return count ? 8 * (int)strlen("#Entity") +
	                       weir_monitor_header_bits(fields, names, count, 0, false)
	             : 0;
}

static struct weir_slice cut_out(struct weir_slice line, size_t start, size_t end)
{
	end = end < line.length ? end : line.length;
	while (start < end && line.data[start] == ' ')
		start++;
	while (start < end && line.data[end - 1] == ' ')
		end--;
	return start < end ? (struct weir_slice){line.data + start, end - start}
	                   : (struct weir_slice){"", 0};
}

/* Cuts a row where the names of the header begin; false if a cell begins elsewhere. */
static bool cut_columns(const struct dcgmi *dcgmi, struct weir_slice line,
                        struct weir_slice *entity, struct weir_slice *cells)
{
	for (size_t i = 0; i < dcgmi->count; i++) {
		size_t start = dcgmi->start[i];

		if (start < line.length && line.data[start] != ' ' && line.data[start - 1] != ' ')
			return false;
		cells[i] = cut_out(line, start, dcgmi->start[i + 1]);
		if (memchr(cells[i].data, ' ', cells[i].length))
			return false;
	}
	*entity = cut_out(line, 0, dcgmi->start[0]);
	return true;
}

/* Splits a row at blanks: the last cells are the values, the others the entity. */
static bool split_columns(const struct dcgmi *dcgmi, const struct weir_csv_row *row,
                          struct weir_slice *entity, struct weir_slice *cells)
{
	const struct weir_slice *last;

	if (row->count < dcgmi->count + 2)
		return false;
	last = &row->cells[row->count - dcgmi->count - 1];
	*entity = (struct weir_slice){row->cells[0].data, 0};
	entity->length = (size_t)(last->data + last->length - entity->data);
	memcpy(cells, last + 1, dcgmi->count * sizeof(*cells));
	return true;
}

enum entity {
	ENTITY_NONE,
	ENTITY_DEVICE,
	ENTITY_PART,  /* an instance of a divided GPU */
	ENTITY_OTHER, /* a link, a switch, a CPU: not sampled here */
};

/* Identifies an entity: "GPU 3" is the device "3", "GPU-I 3" keeps its name. */
static enum entity identify(struct weir_slice text, struct weir_slice *id)
{
	static const char *const others[] = {"GPU-CI", "Switch", "NvSwitch", "CPU",
	                                     "LINK",   "Core",   "ConnectX", "None"};
	struct weir_slice words[4];
	size_t count = weir_csv_split(text, &blanks, words, 4);

	if (count < 2)
		return ENTITY_NONE;
	if (weir_slice_equals(words[0], "GPU") || weir_slice_equals(words[0], "GPU-I")) {
		bool is_part = words[0].length > strlen("GPU");

		*id = is_part ? text : words[1];
		if (count > 2)
			return ENTITY_OTHER;
		return is_part ? ENTITY_PART : ENTITY_DEVICE;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (weir_slice_equals(words[0], others[i]))
			return ENTITY_OTHER;
	return ENTITY_NONE;
}

static void take_header(struct weir_monitor *monitor, const struct weir_csv_row *row,
                        const struct weir_slice *names, size_t count)
{
	struct dcgmi *dcgmi = monitor->context;

	for (size_t i = 0; i < count; i++)
		dcgmi->start[i] = (size_t)(names[i].data - row->line.data);
	dcgmi->start[count] = SIZE_MAX;
	dcgmi->count = count;
	weir_monitor_bind(monitor, names, count);
}

/* Takes the line of units below the names: "ID", and a cell for each column with a unit. */
static bool take_units(struct weir_monitor *monitor, const struct weir_csv_row *row)
{
	const struct dcgmi *dcgmi = monitor->context;
	struct weir_slice id, units[MAX_FIELDS];

	if (!row->count || !weir_monitor_same(row->cells[0], "ID"))
		return false;
	if (cut_columns(dcgmi, row->line, &id, units))
		weir_monitor_bind_units(monitor, units, dcgmi->count);
	return true;
}

static enum weir_status take_entity(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                    struct weir_slice *cells, struct weir_slice id,
                                    enum entity entity, struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	const struct dcgmi *dcgmi = monitor->context;
	size_t last = dcgmi->count;

	if (weir_monitor_whole(row) < row->count) {
		while (last && !cells[last - 1].length)
			last--;
		last -= last > 0;
		weir_input_warn(monitor->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	}
	reading.device = id;
	reading.is_part = entity == ENTITY_PART;
	weir_monitor_take(monitor, cells, last, row->at, &reading);
	return weir_monitor_add(monitor, &reading, row->at, err);
}

/* Takes the message with which dcgmi ends. */
static void take_error(struct weir_monitor *monitor, const struct weir_csv_row *row)
{
	struct dcgmi *dcgmi = monitor->context;
	struct weir_slice line = weir_slice_trim(row->line);

	if (dcgmi->error[0])
		return;
	(void)snprintf(dcgmi->error, sizeof(dcgmi->error),
	               "dcgmi says \"%.*s\"; fields below 1000 need no profiling module: dcgmi "
	               "dmon -e 203,155,150",
	               (int)(line.length < MAX_MESSAGE ? line.length : MAX_MESSAGE), line.data);
	weir_monitor_fail(monitor, dcgmi->error, row->at);
}

/* Takes any other line: it is damage if more follows, else a message of the tool at its end. */
static void take_odd(struct weir_monitor *monitor, const struct weir_csv_row *row)
{
	struct dcgmi *dcgmi = monitor->context;

	if (weir_slice_starts(row->line, "Error") || weir_slice_starts(row->line, "error"))
		take_error(monitor, row);
	else if (dcgmi->count)
		dcgmi->odd = true;
	dcgmi->odd_at = row->at;
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct dcgmi *dcgmi = monitor->context;
	struct weir_slice cells[MAX_FIELDS], text = {"", 0}, id = {"", 0};
	size_t count = header_names(row->line, cells);
	enum entity entity = ENTITY_NONE;

	if (dcgmi->odd && row->count)
		weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, dcgmi->odd_at, NULL);
	dcgmi->odd = dcgmi->odd && !row->count;
	if (count)
		take_header(monitor, row, cells, count);
	if (count || !row->count || take_units(monitor, row))
		return WEIR_OK;
	if (dcgmi->count && (cut_columns(dcgmi, row->line, &text, cells) ||
	                     split_columns(dcgmi, row, &text, cells)))
		entity = identify(text, &id);
	if (entity == ENTITY_NONE)
		take_odd(monitor, row);
	return entity == ENTITY_DEVICE || entity == ENTITY_PART
	               ? take_entity(monitor, row, cells, id, entity, err)
	               : WEIR_OK;
}

static const struct weir_monitor_table table = {
	.fields = fields,
	.options = &blanks,
	.take = take_row,
	.recognise = recognise,
	.header = "dcgmi dmon (#Entity)",
	.if_empty = "fields of profiling (1001 and later) need a data-centre GPU, DCGM's profiling "
		    "module and no other profiler; dcgmi dmon -e 203,155,150 records utilisation, "
		    "power and temperature",
};

static int sniff(const char *head, size_t len)
{
	return weir_monitor_sniff(&table, head, len);
}

static enum weir_status read_dcgmi(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct dcgmi dcgmi = {0};
	struct weir_monitor_table with_state = table;

	with_state.context = &dcgmi;
	return weir_monitor_read(&with_state, source, input, err);
}

const struct weir_reader weir_reader_dcgmi = {
	.name = "dcgmi-dmon",
	.title = "dcgmi dmon -e ...",
	.gives = "telemetry",
	.sniff = sniff,
	.read = read_dcgmi,
};
