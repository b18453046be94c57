/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the text that gpustat prints, once or again and again: a line with the host, the time and
 * the driver, which --no-header leaves out, and a line for each device.
 *
 *	node3  Mon Jan  5 10:00:00 2026  550.54.15
 *	[0] NVIDIA A100 | 60'C,  30 %,  68 %,  212 / 400 W |  3712 / 40960 MB | user(3709M)
 *
 * The form of the time follows the locale of the host: its parts are found wherever they are.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/readers.h"

#define MAX_WORDS 24

/* The sign for degrees in UTF-8. */
#define DEGREES                                                                                    \
	"\xc2\xb0"                                                                                 \
	"C"

static const struct weir_csv_options blanks = {.separator = ' '};
static const struct weir_csv_options commas = {.separator = ',', .trim = true};

/* Lines have no columns. */
static const struct weir_monitor_field no_fields[] = {{NULL, WEIR_MONITOR_GAUGE, 0, NULL}};

struct gpustat {
	int64_t at_ns; /* of the last line with a time; WEIR_NO_TIME: none */
	bool timed;    /* the head of the file has a time */
};

/* ---- the line of a device ---- */

struct row {
	struct weir_slice index, name, state, memory;
	bool whole; /* a mark ends the memory */
};

static bool is_index(struct weir_slice text)
{
	int64_t value;

	return text.length && text.length <= 5 && weir_parse_i64(text.data, text.length, &value) &&
	       value >= 0 && *text.data != '+' && *text.data != '-';
}

/* Splits "[0] NAME | STATE | MEMORY | PROCESSES"; processes and their mark may be missing. */
static bool split_row(struct weir_slice line, struct row *row)
{
	line = weir_slice_trim(line);
	if (!line.length || *line.data != '[')
		return false;
	line = (struct weir_slice){line.data + 1, line.length - 1};
	if (!weir_monitor_take_before(&line, ']', &row->index) || !is_index(row->index) ||
	    !weir_monitor_take_before(&line, '|', &row->name) ||
	    !weir_monitor_take_before(&line, '|', &row->state))
		return false;
	row->whole = weir_monitor_take_before(&line, '|', &row->memory);
	if (!row->whole)
		row->memory = weir_slice_trim(line);
	return true;
}

/* Takes "212 / 400 W", "3712 / 40960 MB" or "212 W": a figure and its limit. */
static void take_pair(struct weir_slice text, const char *unit, enum weir_gauge figure,
                      enum weir_gauge limit, struct weir_monitor_reading *reading)
{
	struct weir_slice before = {0};
	double value;

	text.length -= strlen(unit);
	if (weir_monitor_take_before(&text, '/', &before)) {
		text = weir_slice_trim(text);
		if (weir_parse_double(text.data, text.length, &value))
			reading->value[limit] = weir_monitor_convert(
				limit, value, weir_monitor_unit(weir_slice_of(unit)));
	} else {
		before = weir_slice_trim(text);
	}
	if (before.length && weir_parse_double(before.data, before.length, &value))
		reading->value[figure] =
			weir_monitor_convert(figure, value, weir_monitor_unit(weir_slice_of(unit)));
}

static bool ends(struct weir_slice text, const char *ending)
{
	size_t length = strlen(ending);

	return text.length > length && !memcmp(text.data + text.length - length, ending, length);
}

static double number_before(struct weir_slice text, const char *ending)
{
	double value;

	text.length -= strlen(ending);
	text = weir_slice_trim(text);
	return text.length && weir_parse_double(text.data, text.length, &value) ? value : NAN;
}

/* Takes "60'C", "68 %" or "212 / 400 W". Of several shares the last is the utilisation,
 * and the first the speed of the fan. */
static void take_item(struct weir_slice item, struct weir_monitor_reading *reading)
{
	static const char *const degrees[] = {"'C", DEGREES};
	const char *codec = item.length ? memchr(item.data, '(', item.length) : NULL;

	if (codec) /* "68 % (E: 0 %  D: 0 %)" */
		item = weir_slice_trim((struct weir_slice){item.data, (size_t)(codec - item.data)});
	for (size_t i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
		if (ends(item, degrees[i]))
			reading->value[WEIR_GAUGE_TEMPERATURE_C] = weir_monitor_convert(
				WEIR_GAUGE_TEMPERATURE_C, number_before(item, degrees[i]), NULL);
	if (ends(item, "%"))
		reading->value[WEIR_GAUGE_UTILIZATION] =
			weir_monitor_convert(WEIR_GAUGE_UTILIZATION, number_before(item, "%"),
		                             weir_monitor_unit(weir_slice_of("%")));
	else if (ends(item, "W"))
		take_pair(item, "W", WEIR_GAUGE_POWER_W, WEIR_GAUGE_POWER_LIMIT_W, reading);
}

static void take_figures(const struct row *row, struct weir_monitor_reading *reading)
{
	struct weir_slice items[MAX_WORDS];
	size_t count = weir_csv_split(row->state, &commas, items, MAX_WORDS);

	for (size_t i = 0; i < count; i++)
		take_item(items[i], reading);
	if (ends(row->memory, "MB"))
		take_pair(row->memory, "MB", WEIR_GAUGE_MEMORY_USED_BYTES,
		          WEIR_GAUGE_MEMORY_TOTAL_BYTES, reading);
}

/* ---- the reader ---- */

static int recognise(struct weir_slice line)
{
	static const char *const marks[] = {"'C,", DEGREES, " %", " MB"};
	struct row row;
	int bits = 8 * (int)strlen("[] | | ");

	if (!split_row(line, &row) || !ends(row.memory, "MB") ||
	    !memchr(row.state.data, '%', row.state.length))
		return 0;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (weir_slice_holds(line, marks[i]))
			bits += 8 * (int)strlen(marks[i]);
	return bits;
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *line,
                                 struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct gpustat *state = monitor->context;
	struct row row;
	bool is_row;

	if (!line->count)
		return WEIR_OK;
	is_row = split_row(line->line, &row);
	if (line->cut && (!is_row || !row.whole)) {
		weir_input_warn(monitor->input, WEIR_WARN_TRUNCATED, line->at, NULL);
		return WEIR_OK;
	}
	if (!is_row) {
		if (!weir_monitor_time_of_words(line->line, &state->at_ns))
			weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, line->at, NULL);
		return WEIR_OK;
	}
	take_figures(&row, &reading);
	reading.device = row.index;
	reading.name = row.name;
	reading.at_ns = state->at_ns;
	reading.local = state->at_ns != WEIR_NO_TIME;
	reading.bad_time = !reading.local && state->timed;
	return weir_monitor_add(monitor, &reading, line->at, err);
}

static const struct weir_monitor_table table = {
	.fields = no_fields,
	.options = &blanks,
	.take = take_row,
	.recognise = recognise,
	.header = "gpustat: expected \"[0] NAME | 60'C,  68 % |  3712 /  7982 MB | ...\"",
};

static int sniff(const char *head, size_t len)
{
	return weir_monitor_sniff(&table, head, len);
}

static enum weir_status read_gpustat(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	struct gpustat state = {.at_ns = WEIR_NO_TIME};
	struct weir_monitor_table with_state = table;
	struct weir_slice rest = {0}, line;
	enum weir_status status = weir_source_head(source, &rest.data, &rest.length, err);
	int64_t at_ns;

	if (status)
		return status;
	while (!state.timed && weir_csv_take_line(&rest, &line))
		state.timed = weir_monitor_time_of_words(line, &at_ns);
	with_state.context = &state;
	return weir_monitor_read(&with_state, source, input, err);
}

const struct weir_reader weir_reader_gpustat = {
	.name = "gpustat",
	.title = "gpustat, as text",
	.gives = "telemetry",
	.sniff = sniff,
	.read = read_gpustat,
};
