/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits lines of monitors whose tables are drawn for people. */
#include <math.h>
#include <string.h>

#include "engine/readers/monitor/monitor.h"

bool weir_monitor_split_box(struct weir_slice line, struct weir_slice *cells, size_t count)
{
	line = weir_slice_trim(line);
	if (!weir_slice_take(&line, "|"))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!weir_monitor_take_before(&line, '|', &cells[i]))
			return false;
	return !weir_slice_trim(line).length;
}

/* True for a word that belongs to the value before it: its unit, or what a slash divides. */
static bool continues(struct weir_slice value, struct weir_slice word)
{
	return weir_monitor_unit(word) || weir_slice_equals(word, "Mb/s") ||
	       weir_slice_starts(word, "/") || weir_slice_ends(value, "/");
}

size_t weir_monitor_split_values(struct weir_slice text, struct weir_slice *values, size_t max)
{
	static const struct weir_csv_options blanks = {.separator = ' '};
	struct weir_slice words[WEIR_MONITOR_MAX_CELLS] = {{"", 0}};
	size_t count = weir_csv_split(text, &blanks, words, WEIR_MONITOR_MAX_CELLS), joined = 0;

	for (size_t i = 0; i < count; i++) {
		struct weir_slice *last = joined ? &values[joined - 1] : NULL;

		if (last && continues(*last, words[i]))
			last->length = (size_t)(words[i].data + words[i].length - last->data);
		else if (joined < max)
			values[joined++] = words[i];
	}
	return joined;
}

/* Returns the unit at the end of a number, or NULL. */
static const struct weir_monitor_unit *unit_of(struct weir_slice cell)
{
	struct weir_slice unit;
	double value;

	return weir_monitor_number(cell, &value, &unit) == WEIR_MONITOR_VALUE
	               ? weir_monitor_unit(unit)
	               : NULL;
}

void weir_monitor_set_pair(struct weir_monitor *monitor, const struct weir_monitor_field *field,
                           enum weir_gauge limit, struct weir_slice cell, uint64_t at,
                           struct weir_monitor_reading *reading)
{
	const struct weir_monitor_field of_limit = {field->name, WEIR_MONITOR_GAUGE, limit,
	                                            field->unit};
	struct weir_monitor_column column = {.field = &of_limit};
	size_t slash = weir_slice_starts(cell, "N/A") && cell.length <= 4 ? 0 : cell.length;
	bool known = !isnan(reading->value[limit]);

	while (slash && cell.data[slash - 1] != '/')
		slash--;
	if (slash) {
		struct weir_slice rest = {cell.data + slash, cell.length - slash};

		rest = weir_slice_trim(rest);
		column.unit = NULL;
		weir_monitor_set(monitor, &column, rest, at, reading);
		if (!known && reading->value[limit] == 0)
			reading->value[limit] = NAN;
		column.unit = unit_of(rest);
		cell = weir_slice_trim((struct weir_slice){cell.data, slash - 1});
	}
	column.field = field;
	weir_monitor_set(monitor, &column, cell, at, reading);
}
