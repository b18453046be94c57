/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/monitor/monitor.h"

void weir_monitor_open(struct weir_monitor *monitor, struct weir_input *input,
                       const struct weir_monitor_field *fields)
{
	*monitor = (struct weir_monitor){
		.input = input, .fields = fields, .ids = weir_names_new(), .stride = 1};
	input->telemetry = weir_telemetry_new();
	monitor->telemetry = input->telemetry;
}

void weir_monitor_close(struct weir_monitor *monitor)
{
	monitor->input->events = monitor->telemetry->count;
	weir_names_free(monitor->ids);
	free(monitor->devices);
	*monitor = (struct weir_monitor){0};
}

/* "power.draw [W]" is the name and "W"; the unit is NULL where there is none, or no known one. */
static struct weir_slice split_unit(struct weir_slice cell, const struct weir_monitor_unit **unit)
{
	size_t open = cell.length;

	*unit = NULL;
	if (!cell.length || cell.data[cell.length - 1] != ']')
		return cell;
	while (open && cell.data[open - 1] != '[')
		open--;
	if (!open)
		return cell;
	*unit = weir_monitor_unit((struct weir_slice){cell.data + open, cell.length - open - 1});
	cell.length = open - 1;
	while (cell.length && cell.data[cell.length - 1] == ' ')
		cell.length--;
	return cell;
}

const struct weir_monitor_field *weir_monitor_find(const struct weir_monitor_field *fields,
                                                   struct weir_slice cell,
                                                   const struct weir_monitor_unit **unit)
{
	struct weir_slice name = split_unit(cell, unit);

	for (size_t i = 0; fields[i].name; i++)
		if (weir_monitor_same(name, fields[i].name))
			return &fields[i];
	return NULL;
}

/* Which clock the header's times are of; the first header with one says it for the file. */
static void choose_clock(struct weir_monitor *monitor)
{
	struct weir_telemetry *telemetry = monitor->telemetry;
	bool unix_time = false, dated = false;

	monitor->has_time = false;
	for (size_t i = 0; i < monitor->column_count; i++) {
		enum weir_monitor_kind kind = monitor->columns[i].field->kind;

		unix_time |= kind == WEIR_MONITOR_UNIX_TIME;
		dated |= kind == WEIR_MONITOR_DATE || kind == WEIR_MONITOR_LOCAL_TIME;
		monitor->has_time |= kind == WEIR_MONITOR_UNIX_TIME ||
		                     kind == WEIR_MONITOR_LOCAL_TIME || kind == WEIR_MONITOR_CLOCK;
	}
	if (telemetry->count)
		return;
	telemetry->local_time = monitor->has_time && !unix_time;
	telemetry->no_date = telemetry->local_time && !dated;
}

/* What the table prefers first, then from left to right. */
static int compare_columns(const void *left, const void *right)
{
	const struct weir_monitor_column *a = left, *b = right;

	if (a->field != b->field)
		return a->field < b->field ? -1 : 1;
	return a->column < b->column ? -1 : a->column > b->column;
}

size_t weir_monitor_bind(struct weir_monitor *monitor, const struct weir_slice *header,
                         size_t count)
{
	monitor->width = count;
	monitor->column_count = 0;
	for (size_t i = 0; i < count && monitor->column_count < WEIR_MONITOR_MAX_COLUMNS; i++) {
		struct weir_monitor_column *column = &monitor->columns[monitor->column_count];

		column->column = i;
		column->field = weir_monitor_find(monitor->fields, header[i], &column->unit);
		if (!column->field)
			continue;
		monitor->column_count++;
	}
	if (monitor->column_count)
		qsort(monitor->columns, monitor->column_count, sizeof(monitor->columns[0]),
		      compare_columns);
	choose_clock(monitor);
	return monitor->column_count;
}

void weir_monitor_bind_units(struct weir_monitor *monitor, const struct weir_slice *units,
                             size_t count)
{
	for (size_t i = 0; i < monitor->column_count; i++) {
		struct weir_monitor_column *column = &monitor->columns[i];

		if (column->column < count)
			column->unit = weir_monitor_unit(units[column->column]);
	}
}

struct weir_monitor_reading weir_monitor_unknown(void)
{
	struct weir_monitor_reading reading = {
		.at_ns = WEIR_NO_TIME, .date_ns = WEIR_NO_TIME, .held = {NAN, NAN}};

	for (size_t i = 0; i < WEIR_GAUGE_COUNT; i++)
		reading.value[i] = NAN;
	return reading;
}

/* The cell as a number of its gauge or bits; counts what is none. */
static bool take_number(struct weir_monitor *monitor, struct weir_slice cell, uint64_t at,
                        double *value, struct weir_slice *unit)
{
	switch (weir_monitor_number(cell, value, unit)) {
	case WEIR_MONITOR_VALUE:
		return true;
	case WEIR_MONITOR_MISSING:
		return false;
	case WEIR_MONITOR_ERROR:
		weir_input_warn(monitor->input, WEIR_WARN_DEVICE_ERROR, at, NULL);
		return false;
	case WEIR_MONITOR_BAD:
		break;
	}
	weir_input_warn(monitor->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	return false;
}

/* A quantity in the unit of the gauge; NAN where there is none. */
static double take_quantity(struct weir_monitor *monitor, const struct weir_monitor_column *column,
                            enum weir_gauge gauge, struct weir_slice cell, uint64_t at)
{
	const struct weir_monitor_unit *unit = column->unit;
	struct weir_slice own;
	double value;

	if (!take_number(monitor, cell, at, &value, &own))
		return NAN;
	if (own.length)
		unit = weir_monitor_unit(own);
	else if (!unit && column->field->unit)
		unit = weir_monitor_unit(weir_slice_of(column->field->unit));
	value = own.length && !unit ? NAN : weir_monitor_convert(gauge, value, unit);
	if (isnan(value))
		weir_input_warn(monitor->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	return value;
}

static bool parse_hex(struct weir_slice cell, uint64_t *out)
{
	*out = 0;
	if (cell.length < 3 || cell.length > 18 || cell.data[0] != '0' ||
	    (cell.data[1] != 'x' && cell.data[1] != 'X'))
		return false;
	for (size_t i = 2; i < cell.length; i++) {
		char c = cell.data[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
		            : c >= 'a' && c <= 'f' ? c - 'a' + 10
		            : c >= 'A' && c <= 'F' ? c - 'A' + 10
		                                   : -1;

		if (digit < 0)
			return false;
		*out = *out << 4 | (unsigned)digit;
	}
	return true;
}

static void set_reasons(struct weir_monitor *monitor, struct weir_slice cell, uint64_t at,
                        struct weir_monitor_reading *reading)
{
	struct weir_slice unit;
	uint64_t bits;
	double value;

	if (!parse_hex(cell, &bits)) {
		if (!take_number(monitor, cell, at, &value, &unit))
			return;
		if (unit.length || !(value >= 0 && value <= UINT32_MAX) || value != floor(value)) {
			weir_input_warn(monitor->input, WEIR_WARN_BAD_NUMBER, at, NULL);
			return;
		}
		bits = (uint64_t)value;
	}
	reading->has_reasons = true;
	reading->reasons |= (uint32_t)bits;
}

static void set_reason(struct weir_monitor *monitor, unsigned bit, struct weir_slice cell,
                       uint64_t at, struct weir_monitor_reading *reading)
{
	static const struct {
		const char *word;
		bool active;
	} words[] = {{"Active", true}, {"Not Active", false}, {"1", true},
	             {"0", false},     {"True", true},        {"False", false}};
	struct weir_slice unit;
	double value;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (weir_monitor_same(cell, words[i].word)) {
			reading->has_reasons = true;
			reading->reasons |= words[i].active ? bit : 0;
			return;
		}
	if (take_number(monitor, cell, at, &value, &unit))
		weir_input_warn(monitor->input, WEIR_WARN_BAD_NUMBER, at, NULL);
}

static void set_text(struct weir_slice *text, struct weir_slice cell, size_t most)
{
	if (text->length || !cell.length || cell.length > most || cell.data[0] == '[' ||
	    weir_monitor_same(cell, "N/A"))
		return;
	for (size_t i = 0; i < cell.length; i++)
		if ((unsigned char)cell.data[i] < ' ')
			return;
	*text = cell;
}

static void set_time(enum weir_monitor_kind kind, struct weir_slice cell,
                     struct weir_monitor_reading *reading)
{
	bool good = false;

	if (kind == WEIR_MONITOR_LOCAL_TIME)
		good = weir_monitor_local_time(cell, &reading->at_ns);
	else if (kind == WEIR_MONITOR_UNIX_TIME)
		good = weir_parse_s_as_ns(cell.data, cell.length, &reading->at_ns) &&
		       reading->at_ns >= 0;
	else if (kind == WEIR_MONITOR_DATE)
		good = weir_monitor_date(cell, &reading->date_ns);
	else
		good = weir_monitor_clock(cell, &reading->at_ns);
	reading->bad_time |= !good;
}

void weir_monitor_set(struct weir_monitor *monitor, const struct weir_monitor_column *column,
                      struct weir_slice cell, uint64_t at, struct weir_monitor_reading *reading)
{
	const struct weir_monitor_field *field = column->field;
	double *value = &reading->value[field->what % WEIR_GAUGE_COUNT], quantity;

	switch (field->kind) {
	case WEIR_MONITOR_GAUGE:
		if (isnan(*value))
			*value = take_quantity(monitor, column, field->what, cell, at);
		return;
	case WEIR_MONITOR_TOTAL:
		quantity = take_quantity(monitor, column, field->what, cell, at);
		if (!isnan(quantity))
			*value = isnan(*value) ? quantity : *value + quantity;
		return;
	case WEIR_MONITOR_REASONS:
		set_reasons(monitor, cell, at, reading);
		return;
	case WEIR_MONITOR_REASON:
		set_reason(monitor, field->what, cell, at, reading);
		return;
	case WEIR_MONITOR_REASON_SHARE:
		reading->held[field->what & WEIR_CLOCKS_POWER ? 0 : 1] =
			take_quantity(monitor, column, WEIR_GAUGE_UTILIZATION, cell, at);
		return;
	case WEIR_MONITOR_DEVICE:
		set_text(&reading->device, cell, WEIR_MONITOR_MAX_ID);
		return;
	case WEIR_MONITOR_NAME:
		set_text(&reading->name, cell, WEIR_MONITOR_MAX_NAME);
		return;
	case WEIR_MONITOR_LOCAL_TIME:
	case WEIR_MONITOR_UNIX_TIME:
	case WEIR_MONITOR_DATE:
	case WEIR_MONITOR_CLOCK:
		set_time(field->kind, cell, reading);
		return;
	}
}

void weir_monitor_take(struct weir_monitor *monitor, const struct weir_slice *cells, size_t count,
                       uint64_t at, struct weir_monitor_reading *reading)
{
	for (size_t i = 0; i < monitor->column_count; i++) {
		const struct weir_monitor_column *column = &monitor->columns[i];

		if (column->column < count)
			weir_monitor_set(monitor, column, cells[column->column], at, reading);
	}
	if (monitor->has_time && reading->at_ns == WEIR_NO_TIME)
		reading->bad_time = true;
	if (reading->date_ns != WEIR_NO_TIME && reading->at_ns != WEIR_NO_TIME)
		reading->at_ns += reading->date_ns;
}
