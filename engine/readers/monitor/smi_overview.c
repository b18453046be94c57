/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the overview that nvidia-smi prints without options, once or again and again: a sample of
 * each device. Columns are wider in later drivers, and early ones lack the line of MIG.
 *
 *	Tue Jan  6 10:00:00 2026
 *	| NVIDIA-SMI 535.154.05    Driver Version: 535.154.05    CUDA Version: 12.2 |
 *	|   0  Tesla V100-PCIE-32GB  On  | 00000000:86:00.0 Off |                  Off |
 *	| N/A   34C    P0    25W / 250W |  872MiB / 32768MiB |      0%      Default |
 *	|                               |                    |                  N/A |
 *
 * Tables of MIG devices and processes are left out, as is all that scripts print in between.
 *
 * hl-smi of Habana Gaudi draws the same table under its own title. It has no state of performance
 * and, in early versions, another spelling of the unit:
 *
 *	| HL-SMI Version:                              hl-1.18.0-fw-53.1.1.1          |
 *	|   0  HL-225              N/A  | 0000:19:00.0     N/A |                   0  |
 *	| N/A   29C   N/A    93W / 600W |    768MiB / 98304MiB |     0%           N/A |
 */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/readers.h"

#define CELLS     3
#define MAX_WORDS 16

static const struct weir_csv_options blanks = {.separator = ' '};

/* Lines have no columns. */
static const struct weir_monitor_field no_fields[] = {{NULL, WEIR_MONITOR_GAUGE, 0, NULL}};

/* The device of the line above; an empty index: none. Its texts are copies. */
#define MAX_INDEX 6
#define MAX_NAME  80

/* Two tools with one layout. */
struct layout {
	const char *title; /* of its table of devices */
	bool states;       /* figures of a device have a state of performance */
};

static const struct layout nvidia = {"| NVIDIA-SMI ", true};
static const struct layout habana = {"| HL-SMI Version:", false};

struct overview {
	const struct layout *layout;
	int64_t at_ns; /* of the last line with a time; WEIR_NO_TIME: none */
	bool timed;    /* the head of the file has a time */
	bool devices;  /* the lines are of the table of devices */
	char index[MAX_INDEX], name[MAX_NAME];
};

/* ---- lines ---- */

static size_t split_words(struct weir_slice cell, struct weir_slice *words)
{
	return weir_csv_split(cell, &blanks, words, MAX_WORDS);
}

static bool is_digits(struct weir_slice text)
{
	for (size_t i = 0; i < text.length; i++)
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
	return text.length > 0;
}

/* True for the state of performance, "P0" to "P15". */
static bool is_state(struct weir_slice word)
{
	return weir_slice_take(&word, "P") && word.length <= 2 && is_digits(word);
}

/* True for the cells with the figures of a device. */
static bool has_figures(const struct layout *layout, const struct weir_slice cells[CELLS])
{
	struct weir_slice words[MAX_WORDS];
	size_t count = split_words(cells[0], words);
	bool state = false;

	if (!layout->states)
		return weir_slice_holds(cells[0], " / ") && weir_slice_holds(cells[1], " / ") &&
		       memchr(cells[2].data, '%', cells[2].length);
	for (size_t i = 1; i < count; i++)
		state |= is_state(words[i]);
	return state && (weir_slice_holds(cells[1], "MiB /") ||
	                 memchr(cells[2].data, '%', cells[2].length) ||
	                 weir_slice_holds(cells[2], "Default"));
}

static void copy(char *out, size_t size, struct weir_slice text)
{
	size_t length = text.length < size ? text.length : size - 1;

	memcpy(out, text.data, length);
	out[length] = '\0';
}

/* Takes "0  Tesla V100-PCIE-32GB  On", the index, name and persistence or driver of a device.
 * Returns false for other cells. */
static bool take_device(struct overview *overview, const struct weir_slice cells[CELLS])
{
	struct weir_slice words[MAX_WORDS], name;
	size_t count = split_words(cells[0], words);

	if (count < 2 || !is_digits(words[0]) || words[0].length >= MAX_INDEX ||
	    !memchr(cells[1].data, ':', cells[1].length))
		return false;
	name = (struct weir_slice){words[1].data, (size_t)(words[count - 1].data - words[1].data)};
	if (count == 2)
		name.length = words[1].length;
	copy(overview->index, sizeof(overview->index), words[0]);
	copy(overview->name, sizeof(overview->name), weir_slice_trim(name));
	return true;
}

/* Sets a gauge from a word such as "34C" or "872MiB". Returns false if the word has another unit.
 */
static bool take_value(struct weir_slice word, const char *unit, enum weir_gauge gauge,
                       struct weir_monitor_reading *reading)
{
	double value;

	if (!weir_slice_ends(word, unit) ||
	    !weir_parse_double(word.data, word.length - strlen(unit), &value))
		return false;
	reading->value[gauge] =
		weir_monitor_convert(gauge, value, weir_monitor_unit(weir_slice_of(unit)));
	return true;
}

/* Takes "25W / 250W" or "872MiB / 32768MiB" among other words: a figure and its limit. */
static void take_pair(struct weir_slice cell, const char *unit, enum weir_gauge figure,
                      enum weir_gauge limit, struct weir_monitor_reading *reading)
{
	struct weir_slice words[MAX_WORDS];
	size_t count = split_words(cell, words);
	bool behind = false;

	for (size_t i = 0; i < count; i++) {
		behind |= weir_slice_equals(words[i], "/");
		take_value(words[i], unit, behind ? limit : figure, reading);
	}
}

/* Takes the figures of a device; those that are N/A stay unknown. The first share in a line is the
 * speed of the fan. */
static void take_figures(const struct weir_slice cells[CELLS], struct weir_monitor_reading *reading)
{
	static const char *const memory_units[] = {"MiB", "Mib"};
	struct weir_slice words[MAX_WORDS];
	size_t count = split_words(cells[0], words);

	for (size_t i = 0; i < count; i++)
		take_value(words[i], "C", WEIR_GAUGE_TEMPERATURE_C, reading);
	take_pair(cells[0], "W", WEIR_GAUGE_POWER_W, WEIR_GAUGE_POWER_LIMIT_W, reading);
	for (size_t i = 0; i < sizeof(memory_units) / sizeof(memory_units[0]); i++)
		take_pair(cells[1], memory_units[i], WEIR_GAUGE_MEMORY_USED_BYTES,
		          WEIR_GAUGE_MEMORY_TOTAL_BYTES, reading);
	count = split_words(cells[2], words);
	for (size_t i = 0; i < count; i++)
		take_value(words[i], "%", WEIR_GAUGE_UTILIZATION, reading);
}

/* ---- the reader ---- */

/* Counts few bits: a table of nvidia-smi may follow, and a header has more. */
static int recognise(struct weir_slice line)
{
	struct weir_slice cells[CELLS];

	return weir_monitor_split_box(line, cells, CELLS) && has_figures(&nvidia, cells)
	               ? 8 * (int)strlen("||||")
	               : 0;
}

/* Takes a line that draws no cells of the table of devices. Returns false for other lines. */
static bool take_title(struct overview *overview, struct weir_slice line)
{
	line = weir_slice_trim(line);
	if (weir_slice_starts(line, overview->layout->title))
		overview->devices = true;
	else if (weir_slice_starts(line, "| Processes") ||
	         weir_slice_starts(line, "| Compute Processes") ||
	         weir_slice_starts(line, "| MIG devices"))
		overview->devices = false;
	else
		return false;
	overview->index[0] = '\0';
	return true;
}

static enum weir_status add_sample(struct weir_monitor *monitor,
                                   const struct weir_slice cells[CELLS], uint64_t at,
                                   struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct overview *overview = monitor->context;
	char index[MAX_INDEX];

	memcpy(index, overview->index, sizeof(index));
	overview->index[0] = '\0';
	take_figures(cells, &reading);
	reading.device = weir_slice_of(index);
	reading.name = weir_slice_of(overview->name);
	reading.at_ns = overview->at_ns;
	reading.local = overview->at_ns != WEIR_NO_TIME;
	reading.bad_time = !reading.local && overview->timed;
	return weir_monitor_add(monitor, &reading, at, err);
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *line,
                                 struct weir_error *err)
{
	struct overview *overview = monitor->context;
	struct weir_slice cells[CELLS], text = weir_slice_trim(line->line);
	bool row;

	if (!text.length || take_title(overview, text))
		return WEIR_OK;
	if (*text.data != '|') {
		weir_monitor_time_of_words(text, &overview->at_ns);
		return WEIR_OK;
	}
	row = weir_monitor_split_box(text, cells, CELLS);
	if (line->cut && !row && overview->devices) {
		weir_input_warn(monitor->input, WEIR_WARN_TRUNCATED, line->at, NULL);
		return WEIR_OK;
	}
	if (!row || !overview->devices || take_device(overview, cells))
		return WEIR_OK;
	row = has_figures(overview->layout, cells);
	if (row && overview->index[0])
		return add_sample(monitor, cells, line->at, err);
	if (row || overview->index[0])
		weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, line->at, NULL);
	overview->index[0] = '\0';
	return WEIR_OK;
}

static const struct weir_monitor_table table = {
	.fields = no_fields,
	.options = &blanks,
	.take = take_row,
	.recognise = recognise,
	.header = "nvidia-smi without options: expected \"| N/A  34C  P0  25W / 250W | 872MiB / "
		  "32768MiB | 0%  Default |\" below the line of a device",
};

static int sniff(const char *head, size_t len)
{
	return weir_monitor_sniff(&table, head, len);
}

static enum weir_status read_layout(const struct layout *layout,
                                    const struct weir_monitor_table *of_layout,
                                    struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct overview overview = {.layout = layout, .at_ns = WEIR_NO_TIME};
	struct weir_monitor_table with_state = *of_layout;
	struct weir_slice rest = {0}, line;
	enum weir_status status = weir_source_head(source, &rest.data, &rest.length, err);
	int64_t at_ns;

	if (status)
		return status;
	while (!overview.timed && weir_csv_take_line(&rest, &line))
		overview.timed = !weir_slice_starts(weir_slice_trim(line), "|") &&
		                 weir_monitor_time_of_words(line, &at_ns);
	with_state.context = &overview;
	return weir_monitor_read(&with_state, source, input, err);
}

static enum weir_status read_overview(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	return read_layout(&nvidia, &table, source, input, err);
}

static int recognise_habana(struct weir_slice line)
{
	return weir_slice_starts(weir_slice_trim(line), habana.title)
	               ? 8 * (int)strlen(habana.title)
	               : 0;
}

static const struct weir_monitor_table habana_table = {
	.fields = no_fields,
	.options = &blanks,
	.take = take_row,
	.recognise = recognise_habana,
	.header = "hl-smi without options: expected \"| N/A  29C  N/A  93W / 600W | 768MiB / "
		  "98304MiB | 0%  N/A |\" below the line of a device",
};

static int sniff_habana(const char *head, size_t len)
{
	return weir_monitor_sniff(&habana_table, head, len);
}

static enum weir_status read_habana(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	return read_layout(&habana, &habana_table, source, input, err);
}

const struct weir_reader weir_reader_hl_smi = {
	.name = "hl-smi",
	.title = "hl-smi of Habana Gaudi, as it prints without options",
	.gives = "telemetry",
	.sniff = sniff_habana,
	.read = read_habana,
};

const struct weir_reader weir_reader_smi_overview = {
	.name = "nvidia-smi-overview",
	.title = "nvidia-smi, as it prints without options",
	.gives = "telemetry",
	.sniff = sniff,
	.read = read_overview,
};
