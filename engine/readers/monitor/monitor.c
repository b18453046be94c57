/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/parts/damage.h"

#define MAX_ID     64 /* bytes; longer ids are ignored */
#define MAX_NAME   128
#define MAX_LISTED 12 /* fields that a message names */
#define HEAD_LINES 16 /* within which a header must begin: warnings may precede it */
#define NS_PER_DAY (INT64_C(86400) * 1000000000)

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

/* Splits "power.draw [W]" into name and unit; the unit is NULL if it is missing or not
 * known. */
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

/* Sets the clock of the file by the first header with a column of times. */
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

/* Preferred fields first, then from left to right. */
static int compare_columns(const void *left, const void *right)
{
	const struct weir_monitor_column *a = left, *b = right;

	if (a->field != b->field)
		return a->field < b->field ? -1 : 1;
	return a->column < b->column ? -1 : a->column > b->column;
}

/* Returns true if no gauge stands left of a column. A column "gpu" behind gauges is one itself. */
static bool precedes_gauges(const struct weir_monitor *monitor, const struct weir_slice *header,
                            size_t column)
{
	const struct weir_monitor_unit *unit;

	for (size_t i = 0; i < column; i++) {
		const struct weir_monitor_field *field =
			weir_monitor_find(monitor->fields, header[i], &unit);

		if (field && field->kind <= WEIR_MONITOR_REASON_SHARE)
			return false;
	}
	return true;
}

void weir_monitor_bind(struct weir_monitor *monitor, const struct weir_slice *header, size_t count)
{
	monitor->width = count;
	monitor->column_count = 0;
	for (size_t i = 0; i < count && monitor->column_count < WEIR_MONITOR_MAX_COLUMNS; i++) {
		struct weir_monitor_column *column = &monitor->columns[monitor->column_count];

		column->column = i;
		column->field = weir_monitor_find(monitor->fields, header[i], &column->unit);
		if (!column->field || (column->field->kind == WEIR_MONITOR_OWN_DEVICE &&
		                       !precedes_gauges(monitor, header, i)))
			continue;
		monitor->telemetry->has_use_column |= column->field->kind == WEIR_MONITOR_GAUGE &&
		                                      column->field->what == WEIR_GAUGE_UTILIZATION;
		monitor->column_count++;
	}
	if (monitor->column_count)
		qsort(monitor->columns, monitor->column_count, sizeof(monitor->columns[0]),
		      compare_columns);
	choose_clock(monitor);
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
		.at_ns = WEIR_NO_TIME, .date_ns = WEIR_NO_TIME, .reason_shares = {NAN, NAN}};

	for (size_t i = 0; i < WEIR_GAUGE_COUNT; i++)
		reading.value[i] = NAN;
	return reading;
}

/* Parses a number of a gauge or bits; counts malformed cells as warnings. */
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

/* Returns a quantity in the unit of the gauge, or NAN. */
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

/* True for "0x1002": rocm-smi prints a PCI number if it has no name, often that of the vendor. */
static bool is_pci_number(struct weir_slice cell)
{
	uint64_t number;

	return parse_hex(cell, &number);
}

/* True for a whole number without a sign. */
static bool is_index(struct weir_slice cell)
{
	for (size_t i = 0; i < cell.length; i++)
		if (cell.data[i] < '0' || cell.data[i] > '9')
			return false;
	return cell.length > 0;
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

	if (kind == WEIR_MONITOR_LOCAL_TIME) {
		good = weir_monitor_time(cell, &reading->at_ns, &reading->since_1970);
		reading->local = good && !reading->since_1970;
	} else if (kind == WEIR_MONITOR_UNIX_TIME)
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
		reading->reason_shares[field->what & WEIR_CLOCKS_POWER ? 0 : 1] =
			take_quantity(monitor, column, WEIR_GAUGE_UTILIZATION, cell, at);
		return;
	case WEIR_MONITOR_DEVICE:
		set_text(&reading->device, cell, MAX_ID);
		return;
	case WEIR_MONITOR_OWN_DEVICE:
		if (is_index(cell))
			set_text(&reading->device, cell, MAX_ID);
		return;
	case WEIR_MONITOR_NAME:
		if (!is_pci_number(cell))
			set_text(&reading->name, cell, MAX_NAME);
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

/* ---- samples ---- */

static bool is_empty(const struct weir_monitor_reading *reading)
{
	if (reading->has_reasons || !isnan(reading->reason_shares[0]) ||
	    !isnan(reading->reason_shares[1]))
		return false;
	for (size_t i = 0; i < WEIR_GAUGE_COUNT; i++)
		if (!isnan(reading->value[i]))
			return false;
	return true;
}

/* True if the text is damaged: an id or a name is kept as a C string, which ends at a zero byte. */
static bool has_zero_byte(struct weir_slice text)
{
	return text.length && memchr(text.data, '\0', text.length);
}

/* Finds or adds the device of a row; NULL beyond the limit. A monitor of one device need not name
 * it.
 */
static struct weir_monitor_device *find_device(struct weir_monitor *monitor, struct weir_slice id)
{
	struct weir_telemetry *telemetry = monitor->telemetry;
	uint32_t name;

	if (!id.length)
		id = weir_slice_of("0");
	name = weir_names_find(monitor->ids, id.data, id.length);
	if (name != UINT32_MAX)
		return &monitor->devices[name];
	if (telemetry->device_count == WEIR_MAX_TELEMETRY_DEVICES)
		return NULL;
	name = weir_names_add(monitor->ids, id.data, id.length);
	monitor->devices = weir_grow(monitor->devices, &monitor->device_capacity, (size_t)name + 1,
	                             sizeof(*monitor->devices));
	monitor->devices[name] = (struct weir_monitor_device){
		.row = weir_telemetry_device(telemetry, id.data, id.length),
		.last_ns = WEIR_NO_TIME,
	};
	return &monitor->devices[name];
}

/* Dates a time of day so that it is nearest to the last row: the clock may have passed midnight. */
static int64_t nearest_day(int64_t of_day, int64_t last)
{
	int64_t now = of_day + last / NS_PER_DAY * NS_PER_DAY;

	if (now < last - NS_PER_DAY / 2)
		return now + NS_PER_DAY;
	return now > last + NS_PER_DAY / 2 && now >= NS_PER_DAY ? now - NS_PER_DAY : now;
}

static int64_t place_in_time(struct weir_monitor *monitor, struct weir_monitor_device *device,
                             const struct weir_monitor_reading *reading, uint64_t at)
{
	int64_t now = reading->at_ns;

	if (now == WEIR_NO_TIME)
		return now;
	if (monitor->telemetry->no_date && device->last_ns != WEIR_NO_TIME)
		now = nearest_day(now, device->last_ns);
	if (device->last_ns != WEIR_NO_TIME && now < device->last_ns)
		weir_input_warn(monitor->input, WEIR_WARN_CLOCK_BACKWARDS, at, NULL);
	device->last_ns = now < WEIR_MONITOR_LAST_NS ? now : WEIR_MONITOR_LAST_NS;
	return now;
}

/* Keeps every second sample of each device. */
static void thin(struct weir_monitor *monitor, uint64_t at)
{
	struct weir_telemetry *telemetry = monitor->telemetry;
	uint8_t *odd = weir_alloc(telemetry->device_count);
	size_t kept = 0;

	for (size_t i = 0; i < telemetry->count; i++) {
		uint32_t device = telemetry->samples[i].device;

		if (!odd[device])
			telemetry->samples[kept++] = telemetry->samples[i];
		odd[device] ^= 1;
	}
	free(odd);
	telemetry->count = kept;
	monitor->stride *= 2;
	weir_input_warn(monitor->input, WEIR_WARN_THINNED, at, NULL);
}

/* Adds a share to a sum of shares. Returns the bit, and reduces the sum by 1, if it reaches 0.5. */
static uint32_t round_share(double *sum, double share, uint32_t bit)
{
	*sum += share;
	if (*sum < 0.5)
		return 0;
	*sum -= 1;
	return bit;
}

static void fill_sample(struct weir_telemetry_sample *sample, struct weir_monitor_device *device,
                        const struct weir_monitor_reading *reading)
{
	static const uint32_t bits[] = {WEIR_CLOCKS_POWER_CAP, WEIR_CLOCKS_SW_THERMAL};

	sample->device = device->row;
	sample->has_reasons = reading->has_reasons;
	sample->reasons = reading->reasons;
	for (size_t i = 0; i < 2; i++) {
		if (isnan(reading->reason_shares[i]))
			continue;
		sample->has_reasons = true;
		sample->reasons |=
			round_share(&device->reason_shares[i], reading->reason_shares[i], bits[i]);
	}
	for (size_t i = 0; i < WEIR_GAUGE_COUNT; i++)
		sample->value[i] = reading->value[i];
}

/* True if a time is UTC and those of earlier samples are local, or the other way round. The first
 * sample decides for the file. */
static bool is_other_clock(struct weir_telemetry *telemetry,
                           const struct weir_monitor_reading *reading)
{
	if (!telemetry->count && (reading->local || reading->since_1970))
		telemetry->local_time = reading->local;
	return (reading->local && !telemetry->local_time) ||
	       (reading->since_1970 && telemetry->local_time);
}

/* True if the time of a row cannot be used; counts such rows as warnings. */
static bool has_bad_time(struct weir_monitor *monitor, const struct weir_monitor_reading *reading,
                         uint64_t at)
{
	if (!reading->bad_time && reading->at_ns <= WEIR_MONITOR_LAST_NS &&
	    (is_empty(reading) || !is_other_clock(monitor->telemetry, reading)))
		return false;
	weir_input_warn(monitor->input, WEIR_WARN_NO_TIME, at, NULL);
	return true;
}

/* Names the device of a row; notes whether rows without an id have different names. */
static void note_identity(struct weir_monitor *monitor, const struct weir_monitor_device *device,
                          const struct weir_monitor_reading *reading)
{
	const char *name;

	weir_telemetry_name_device(monitor->telemetry, device->row, reading->name.data,
	                           reading->name.length);
	name = monitor->telemetry->devices[device->row].name;
	monitor->has_id |= reading->device.length > 0;
	monitor->mixed_names |=
		reading->name.length && name && !weir_slice_equals(reading->name, name);
}

enum weir_status weir_monitor_add(struct weir_monitor *monitor,
                                  const struct weir_monitor_reading *reading, uint64_t at,
                                  struct weir_error *err)
{
	struct weir_monitor_device *device;
	struct weir_telemetry_sample *sample;
	int64_t now;

	if (has_bad_time(monitor, reading, at))
		return WEIR_OK;
	if (is_empty(reading)) {
		monitor->empty++;
		return WEIR_OK;
	}
	if (has_zero_byte(reading->device) || has_zero_byte(reading->name)) {
		weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, at, NULL);
		return WEIR_OK;
	}
	device = find_device(monitor, reading->device);
	if (!device)
		return weir_fail(err, WEIR_E_LIMIT, "more than %d devices",
		                 WEIR_MAX_TELEMETRY_DEVICES);
	note_identity(monitor, device, reading);
	monitor->telemetry->devices[device->row].is_part = reading->is_part;
	now = place_in_time(monitor, device, reading, at);
	if (now > WEIR_MONITOR_LAST_NS) {
		weir_input_warn(monitor->input, WEIR_WARN_NO_TIME, at, NULL);
		return WEIR_OK;
	}
	if (monitor->telemetry->count == WEIR_MONITOR_MAX_SAMPLES)
		thin(monitor, at);
	if (device->rows++ % monitor->stride)
		return WEIR_OK;
	sample = weir_telemetry_add(monitor->telemetry);
	sample->at_ns = now;
	fill_sample(sample, device, reading);
	return WEIR_OK;
}

/* ---- recognition ---- */

int weir_monitor_header_bits(const struct weir_monitor_field *fields,
                             const struct weir_slice *cells, size_t count, size_t gauges,
                             bool needs_device)
{
	const struct weir_monitor_unit *unit;
	bool device = !needs_device;
	size_t found = 0;
	int bits = 0;

	for (size_t i = 0; i < count; i++) {
		const struct weir_monitor_field *field = weir_monitor_find(fields, cells[i], &unit);

		if (!field)
			continue;
		bits += 8 * (int)strlen(field->name);
		device |= field->kind == WEIR_MONITOR_DEVICE ||
		          field->kind == WEIR_MONITOR_OWN_DEVICE;
		found += field->kind <= WEIR_MONITOR_REASON_SHARE;
	}
	return device && found >= gauges ? bits : -bits;
}

bool weir_monitor_draws_box(struct weir_slice line)
{
	return weir_slice_starts(line, "|") || weir_slice_starts(line, "+-") ||
	       !weir_slice_trim(line).length;
}

int weir_monitor_sniff(const struct weir_monitor_table *table, const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	int bits = 0;

	for (int i = 0; !bits && i < HEAD_LINES && weir_csv_take_line(&rest, &line);) {
		bits = table->recognise(line);
		i += !weir_monitor_draws_box(line);
	}
	return bits > 0 ? bits : 0;
}

int weir_monitor_sniff_log(const struct weir_monitor_table *table, const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;
	int bits = weir_monitor_sniff(table, head, len);

	while (!bits && weir_csv_take_line(&rest, &line))
		bits = table->recognise(line) ? 1 : 0;
	return bits;
}

/* ---- tables ---- */

void weir_monitor_fail(struct weir_monitor *monitor, const char *reason, uint64_t at)
{
	monitor->failure = reason;
	weir_input_warn(monitor->input, WEIR_WARN_DEVICE_ERROR, at, reason);
}

/* True for a number that ends with the unit of a monitor: "12 %", "840 MiB". */
static bool has_unit(struct weir_slice cell)
{
	static const char *const units[] = {"%", "MiB", "MB", "GB", "W", "MHz", "C"};

	if (!cell.length || !isdigit((unsigned char)*cell.data))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (weir_slice_ends(cell, units[i]))
			return true;
	return false;
}

/* True if the file ends inside the last cell of a row: the cell is empty, or it is a number without
 * a unit although numbers before it have one. */
static bool ends_early(const struct weir_csv_row *row)
{
	struct weir_slice last = row->cells[row->count - 1];
	bool units = false;

	if (!row->cut || !last.length)
		return row->cut;
	for (size_t i = 0; i + 1 < row->count; i++)
		units |= has_unit(row->cells[i]);
	return units && isdigit((unsigned char)*last.data) && !has_unit(last);
}

bool weir_monitor_fits(struct weir_monitor *monitor, const struct weir_csv_row *row)
{
	if (!monitor->column_count || !row->count)
		return false;
	if (row->count == monitor->width && !ends_early(row))
		return true;
	if (row->cut && row->count <= monitor->width)
		weir_input_warn(monitor->input, WEIR_WARN_TRUNCATED, row->at,
		                "the last row is cut and left out");
	else
		weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
	return false;
}

size_t weir_monitor_whole(const struct weir_csv_row *row)
{
	return row->count - (row->count && row->cut &&
	                     row->line.data[row->line.length - 1] != ' ' &&
	                     !has_unit(row->cells[row->count - 1]));
}

/* Counts damage of the file itself. */
static void count_damage(struct weir_input *input, const struct weir_csv *csv,
                         const struct weir_source *source)
{
	const struct weir_csv_skipped *skipped = weir_csv_skipped(csv);

	if (skipped->count) {
		weir_input_warn(input, WEIR_WARN_RAGGED_ROW, skipped->first_at,
		                "longer than a row may be");
		input->warnings[WEIR_WARN_RAGGED_ROW].count += skipped->count - 1;
	}
	weir_damage_of_source(input, source);
}

/* Fails because no row has a value: names the fields that all rows lack. */
static enum weir_status fail_empty(const struct weir_monitor *monitor,
                                   const struct weir_monitor_table *table, struct weir_error *err)
{
	struct weir_text text = {0};
	size_t listed = 0;
	enum weir_status status;

	for (size_t i = 0; monitor->empty && i < monitor->column_count; i++) {
		const struct weir_monitor_field *field = monitor->columns[i].field;

		if (field->kind > WEIR_MONITOR_REASON_SHARE || listed == MAX_LISTED)
			continue;
		weir_text_puts(&text, listed++ ? ", " : ": N/A in ");
		if (listed == 1 && monitor->empty > 1)
			weir_text_printf(&text, "all %llu rows for ",
			                 (unsigned long long)monitor->empty);
		else if (listed == 1)
			weir_text_puts(&text, "the only row for ");
		weir_text_puts(&text, field->name);
	}
	if (listed && table->if_empty)
		weir_text_printf(&text, "; %s", table->if_empty);
	status = weir_fail(err, WEIR_E_EMPTY, "no row with a value below the header%s",
	                   listed ? text.data : "");
	weir_text_release(&text);
	return status;
}

/* Fails if there is no sample, and says why. */
static enum weir_status conclude(const struct weir_monitor *monitor,
                                 const struct weir_monitor_table *table, struct weir_error *err)
{
	const struct weir_warning *bad_times = &monitor->input->warnings[WEIR_WARN_NO_TIME];

	if (monitor->telemetry->count)
		return WEIR_OK;
	if (monitor->failure)
		return weir_fail(err, WEIR_E_EMPTY, "no sample: %s", monitor->failure);
	if (!monitor->column_count && table->fields->name)
		return weir_fail(err, WEIR_E_FORMAT, "no header of %s", table->header);
	if (bad_times->count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no row has a time that can be read (the first at byte %llu): "
		                 "expected a date and time such as 2026/01/05 10:00:00.000, or "
		                 "seconds since 1970; remove the column of times to read the rest",
		                 (unsigned long long)bad_times->first_at);
	if (!table->fields->name)
		return weir_fail(err, WEIR_E_EMPTY, "no line of %s", table->header);
	return fail_empty(monitor, table, err);
}

static enum weir_status read_rows(const struct weir_monitor_table *table,
                                  struct weir_source *source, struct weir_monitor *monitor,
                                  struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, table->options);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = table->take(monitor, row, err);
		if (status)
			break;
	}
	if (!status && table->end)
		status = table->end(monitor, err);
	count_damage(monitor->input, csv, source);
	weir_csv_free(csv);
	return status;
}

enum weir_status weir_monitor_read(const struct weir_monitor_table *table,
                                   struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct weir_monitor monitor;
	const char *head, *refusal;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	refusal = table->refuse && !weir_monitor_sniff(table, head, len) ? table->refuse(head, len)
	                                                                 : NULL;
	if (refusal)
		return weir_fail(err, WEIR_E_FORMAT, "%s", refusal);
	weir_monitor_open(&monitor, input, table->fields);
	monitor.context = table->context;
	status = read_rows(table, source, &monitor, err);
	if (!status)
		weir_monitor_divide(&monitor);
	if (!status)
		status = conclude(&monitor, table, err);
	weir_monitor_close(&monitor);
	return status;
}
