/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the text of rocm-smi: its table of devices, and the lines that options such as --showuse
 * print. A report has one value of each figure; reports may follow each other.
 *
 *	======================= ROCm System Management Interface =======================
 *	GPU  Temp   AvgPwr  SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  GPU%
 *	0    47.0c  91.0W   800Mhz  1600Mhz  0%   auto  560.0W    0%   97%
 *	================================================================================
 *	GPU[0]          : GPU use (%): 97
 *	GPU[0]          : sclk clock level: 1: (1259Mhz)
 *
 * Widths of columns differ between releases: words are joined to cells by their commas and
 * brackets, and a row must have the cells of its header. ROCm 6 prints the model of a device below
 * its row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/monitor/amd_fields.h"
#include "engine/readers/monitor/rocm_text.h"

#define MAX_WORDS   64
#define MAX_DEVICES 256 /* whose figures are kept until their report ends */
#define MAX_INDEX   9999
#define CELL_SIZE   64 /* bytes of a value; a longer one is not a figure */
#define HEAD_LINES  16 /* other lines before the first with figures */

static const struct weir_csv_options blanks = {.separator = ' '};
/* Lines have no columns that are bound. */
static const struct weir_monitor_field no_fields[] = {{NULL, WEIR_MONITOR_GAUGE, 0, NULL}};

/* Titles of the table, and the fields that hold the same. */
static const struct {
	const char *title, *field;
} titles[] = {
	{"Temp", "Temperature (Sensor edge) (C)"},
	{"AvgPwr", "Average Graphics Package Power (W)"},
	{"Power", "Average Graphics Package Power (W)"},
	{"SCLK", "sclk clock speed"},
	{"MCLK", "mclk clock speed"},
	{"PwrCap", "Max Graphics Package Power (W)"},
	{"VRAM%", "GPU Memory Allocated (VRAM%)"},
	{"GPU%", "GPU use (%)"},
};

/* The figures of a device in one report, by field; empty: not printed. */
struct device {
	int64_t index;
	uint64_t at; /* byte of its first figure */
	char cell[WEIR_ROCM_MAX_FIELDS][CELL_SIZE];
};

struct rocm_text {
	struct device *devices;
	size_t count, capacity;
	size_t columns[MAX_WORDS]; /* fields of the table's columns; WEIR_CSV_NO_COLUMN: none */
	size_t width;              /* columns; 0: no table is open */
	bool rows;                 /* the open table has rows */
};

/* ---- lines ---- */

static bool is_open(struct weir_slice cell)
{
	int depth = 0;

	for (size_t i = 0; i < cell.length; i++) {
		depth += cell.data[i] == '(' || cell.data[i] == '[';
		depth -= cell.data[i] == ')' || cell.data[i] == ']';
	}
	return depth > 0 || cell.data[cell.length - 1] == ',';
}

/* Joins words to cells: "NPS1, SPX, 0", "[0x74a1 : 0x00]", "Temp (DieEdge)", "SCLK OD". Returns the
 * number of cells. */
static size_t join_words(const struct weir_slice *words, size_t count, struct weir_slice *cells)
{
	size_t joined = 0;

	for (size_t i = 0; i < count; i++) {
		struct weir_slice *last = joined ? &cells[joined - 1] : NULL;

		if (last &&
		    (is_open(*last) || *words[i].data == '(' || weir_slice_equals(words[i], "OD")))
			last->length = (size_t)(words[i].data + words[i].length - last->data);
		else if (joined < MAX_WORDS)
			cells[joined++] = words[i];
	}
	return joined;
}

static size_t find_field(struct weir_slice name)
{
	const struct weir_monitor_unit *unit;
	const struct weir_monitor_field *field = weir_monitor_find(weir_rocm_fields, name, &unit);

	return field ? (size_t)(field - weir_rocm_fields) : WEIR_CSV_NO_COLUMN;
}

static size_t find_title(struct weir_slice cell)
{
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		size_t length = strlen(titles[i].title);

		/* "Temp (DieEdge)"; but "SCLK OD" is another figure. */
		if (weir_slice_starts(cell, titles[i].title) &&
		    (cell.length == length || cell.data[cell.length - 1] == ')'))
			return find_field(weir_slice_of(titles[i].field));
	}
	return WEIR_CSV_NO_COLUMN;
}

/* Takes the columns of a header. Returns the bits that verify it; 0: the cells are not a header. */
static int take_header(const struct weir_slice *cells, size_t count, struct rocm_text *text)
{
	bool clock = false;
	int bits = 0, found = 0;

	if (!count ||
	    (!weir_slice_equals(cells[0], "GPU") && !weir_slice_equals(cells[0], "Device")))
		return 0;
	for (size_t i = 0; i < count; i++) {
		text->columns[i] = find_title(cells[i]);
		if (text->columns[i] == WEIR_CSV_NO_COLUMN)
			continue;
		clock |= weir_slice_equals(cells[i], "SCLK");
		found++;
		bits += 8 * (int)cells[i].length;
	}
	if (!clock || found < 3)
		return 0;
	text->width = count;
	text->rows = false;
	return bits;
}

static bool take_index(struct weir_slice cell, int64_t *index)
{
	return cell.length && weir_parse_i64(cell.data, cell.length, index) && *index >= 0 &&
	       *index <= MAX_INDEX;
}

/* A figure of a device. */
struct figure {
	int64_t index;
	size_t field;
	struct weir_slice value;
};

/* Finds the field of a key. Lines name the level of a clock and have its speed in brackets. */
static size_t field_of(struct weir_slice key, struct weir_slice *value)
{
	size_t bracket = value->length;

	if (!weir_slice_equals(key, "sclk clock level") &&
	    !weir_slice_equals(key, "mclk clock level"))
		return find_field(key);
	while (bracket && value->data[bracket - 1] != '(')
		bracket--;
	if (!bracket)
		return WEIR_CSV_NO_COLUMN;
	*value = (struct weir_slice){value->data + bracket - 1, value->length - bracket + 1};
	return find_field(
		weir_slice_of(*key.data == 's' ? "sclk clock speed" : "mclk clock speed"));
}

/* Parses "GPU[0]   : GPU use (%): 97". Returns false for a line of another form; the field may be
 * unknown. */
static bool parse_figure(struct weir_slice line, struct figure *figure)
{
	struct weir_slice part, key;

	if (!weir_slice_starts(line, "GPU["))
		return false;
	line = (struct weir_slice){line.data + 4, line.length - 4};
	if (!weir_monitor_take_before(&line, ']', &part) || !take_index(part, &figure->index) ||
	    !weir_monitor_take_before(&line, ':', &part) || part.length)
		return false;
	figure->field = WEIR_CSV_NO_COLUMN;
	if (weir_monitor_take_before(&line, ':', &key)) {
		figure->value = weir_slice_trim(line);
		figure->field = field_of(key, &figure->value);
	}
	return true;
}

/* ---- reports ---- */

static bool is_gauge(size_t field)
{
	return weir_rocm_fields[field].kind == WEIR_MONITOR_GAUGE;
}

static enum weir_status add_device(struct weir_monitor *monitor, struct device *device,
                                   struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct weir_rocm_seen seen = {0};
	char index[16];

	for (size_t i = 0; weir_rocm_fields[i].name; i++)
		weir_rocm_see(&seen, &weir_rocm_fields[i], weir_slice_of(device->cell[i]));
	if (weir_rocm_unreadable(&seen, monitor->input, device->at))
		return WEIR_OK;
	snprintf(index, sizeof(index), "%d", (int)device->index);
	reading.device = weir_slice_of(index);
	for (size_t i = 0; weir_rocm_fields[i].name; i++) {
		struct weir_monitor_column column = {.field = &weir_rocm_fields[i]};

		if (device->cell[i][0])
			weir_monitor_set(monitor, &column, weir_slice_of(device->cell[i]),
			                 device->at, &reading);
	}
	return weir_monitor_add(monitor, &reading, device->at, err);
}

/* Ends a report: each device becomes a sample. */
static enum weir_status end_report(struct weir_monitor *monitor, struct weir_error *err)
{
	struct rocm_text *text = monitor->context;
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < text->count; i++)
		status = add_device(monitor, &text->devices[i], err);
	text->count = 0;
	return status;
}

static struct device *find_device(struct rocm_text *text, int64_t index)
{
	for (size_t i = 0; i < text->count; i++)
		if (text->devices[i].index == index)
			return &text->devices[i];
	return NULL;
}

static bool is_missing(const struct figure *figure)
{
	/* A card states its power limit at its first die, and 0 at the second. */
	if (weir_slice_equals(figure->value, "0.0W") &&
	    figure->field == find_field(weir_slice_of("Max Graphics Package Power (W)")))
		return true;
	return !figure->value.length || figure->value.length >= CELL_SIZE ||
	       weir_slice_equals(figure->value, "unsupported");
}

/* Keeps a figure. One that its device has already begins the next report. */
static enum weir_status keep(struct weir_monitor *monitor, const struct figure *figure, uint64_t at,
                             struct weir_error *err)
{
	struct rocm_text *text = monitor->context;
	struct device *device = find_device(text, figure->index);
	enum weir_status status = WEIR_OK;

	monitor->telemetry->has_use_column |=
		is_gauge(figure->field) &&
		weir_rocm_fields[figure->field].what == WEIR_GAUGE_UTILIZATION;
	monitor->telemetry->power_of_cards |= weir_slice_holds(figure->value, "(Secondary die)");
	if (is_missing(figure) ||
	    (device && device->cell[figure->field][0] && !is_gauge(figure->field)))
		return WEIR_OK;
	if ((device && device->cell[figure->field][0]) || (!device && text->count == MAX_DEVICES)) {
		status = end_report(monitor, err);
		device = NULL;
	}
	if (status)
		return status;
	if (!device) {
		text->devices = weir_grow(text->devices, &text->capacity, text->count + 1,
		                          sizeof(*text->devices));
		device = &text->devices[text->count++];
		*device = (struct device){.index = figure->index, .at = at};
	}
	memcpy(device->cell[figure->field], figure->value.data, figure->value.length);
	return WEIR_OK;
}

static enum weir_status take_cells(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                   const struct weir_slice *cells, size_t count,
                                   struct weir_error *err)
{
	struct rocm_text *text = monitor->context;
	enum weir_status status = WEIR_OK;
	struct figure figure;

	if (!take_index(cells[0], &figure.index))
		return WEIR_OK;
	if (count != text->width || (row->cut && !weir_slice_ends(cells[count - 1], "%"))) {
		weir_input_warn(monitor->input,
		                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW, row->at,
		                NULL);
		return WEIR_OK;
	}
	text->rows = true;
	for (size_t i = 0; !status && i < count; i++) {
		figure.field = text->columns[i];
		figure.value = cells[i];
		if (figure.field != WEIR_CSV_NO_COLUMN)
			status = keep(monitor, &figure, row->at, err);
	}
	return status;
}

/* Takes the model of the device above: "        AMD Instinct MI300X". */
static void take_model(struct rocm_text *text, const struct weir_csv_row *row)
{
	struct weir_slice name = weir_slice_trim(row->line);
	size_t field = find_field(weir_slice_of("Card Series"));

	if (text->count && text->rows && *row->line.data == ' ' && name.length < CELL_SIZE &&
	    !text->devices[text->count - 1].cell[field][0])
		memcpy(text->devices[text->count - 1].cell[field], name.data, name.length);
}

/* Takes a line of "=", which may have a title: it ends a table, and titles begin and end reports.
 */
static enum weir_status take_rule(struct weir_monitor *monitor, struct weir_slice line,
                                  struct weir_error *err)
{
	struct rocm_text *text = monitor->context;

	if (text->rows)
		text->width = 0;
	if (weir_slice_holds(line, "ROCm System Management Interface") ||
	    weir_slice_holds(line, "End of ROCm SMI Log"))
		return end_report(monitor, err);
	return WEIR_OK;
}

/* Warns of a traceback of Python, with which rocm-smi ended. Returns false for any other line. */
static bool take_crash(struct weir_monitor *monitor, struct weir_slice line, uint64_t at)
{
	if (!weir_slice_starts(line, "Traceback (most recent call last)"))
		return false;
	weir_input_warn(monitor->input, WEIR_WARN_OF_TOOL, at,
	                "rocm-smi crashed here: the figures behind are missing");
	return true;
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct rocm_text *text = monitor->context;
	struct weir_slice line = weir_slice_trim(row->line), cells[MAX_WORDS];
	struct figure figure;
	size_t count;

	if (!row->count)
		return WEIR_OK;
	if (weir_slice_starts(line, "==="))
		return take_rule(monitor, line, err);
	if (weir_rocm_warning(monitor, line, row->at) || take_crash(monitor, line, row->at))
		return WEIR_OK;
	if (parse_figure(line, &figure)) {
		if (figure.field == WEIR_CSV_NO_COLUMN)
			return WEIR_OK;
		if (!row->cut)
			return keep(monitor, &figure, row->at, err);
		weir_input_warn(monitor->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return WEIR_OK;
	}
	count = join_words(row->cells, row->count, cells);
	if (take_header(cells, count, text) || !text->width)
		return WEIR_OK;
	if (*line.data >= '0' && *line.data <= '9')
		return take_cells(monitor, row, cells, count, err);
	take_model(text, row);
	return WEIR_OK;
}

/* ---- the reader ---- */

static int recognise(struct weir_slice line)
{
	struct weir_slice words[MAX_WORDS], cells[MAX_WORDS];
	struct rocm_text text = {0};
	struct figure figure;

	if (parse_figure(line, &figure)) {
		if (figure.field == WEIR_CSV_NO_COLUMN || !is_gauge(figure.field))
			return 0;
		return 8 * (int)strlen(weir_rocm_fields[figure.field].name);
	}
	return take_header(
		cells, join_words(words, weir_csv_split(line, &blanks, words, MAX_WORDS), cells),
		&text);
}

int weir_rocm_text_sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	int bits = 0;

	for (int others = 0; !bits && others < HEAD_LINES && weir_csv_take_line(&rest, &line);) {
		line = weir_slice_trim(line);
		bits = recognise(line);
		others += line.length && !weir_slice_starts(line, "===") &&
		          !weir_slice_starts(line, "GPU[");
	}
	return bits;
}

static const struct weir_monitor_table table = {
	.fields = no_fields,
	.options = &blanks,
	.take = take_row,
	.end = end_report,
	.recognise = recognise,
	.header = "rocm-smi with a figure of a device: record rocm-smi --showuse --showpower "
		  "--showclocks --showtemp --showmeminfo vram --csv",
};

enum weir_status weir_rocm_text_read(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	struct rocm_text text = {0};
	struct weir_monitor_table own = table;
	enum weir_status status;

	own.context = &text;
	status = weir_monitor_read(&own, source, input, err);
	free(text.devices);
	return status;
}
