/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads `tegrastats` of NVIDIA Jetson: a line per sample, with a name and a value for each figure.
 *
 *	01-05-2026 10:00:00 RAM 1174/3964MB (lfb 3x4MB) SWAP 0/4096MB (cached 0MB) CPU [8%@1479,off]
 *	EMC_FREQ 1%@1600 GR3D_FREQ 45%@76 GPU@25.5C POM_5V_IN 2654/2244 POM_5V_GPU 76/65
 *
 * The time is missing in early versions. Host and device share the memory. The device has the
 * power of its rail, which some boards share with the CPU. The power of the board is the input of
 * the module where it is measured, else the sum of all rails; each rail has its present power and a
 * mean.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/readers.h"

static const struct weir_csv_options blanks = {.separator = ' '};

/* Lines have no columns. */
static const struct weir_monitor_field no_fields[] = {{NULL, WEIR_MONITOR_GAUGE, 0, NULL}};

struct tegrastats {
	bool timed, known; /* the first line has a time; the first line was read */
};

static bool ends(struct weir_slice text, const char *ending)
{
	size_t length = strlen(ending);

	return text.length > length && !memcmp(text.data + text.length - length, ending, length);
}

/* Returns the text between the first and the second mark; empty: not there. */
static struct weir_slice between(struct weir_slice text, char first, char second)
{
	const char *end = text.data + text.length;
	const char *from = text.length ? memchr(text.data, first, text.length) : NULL;
	const char *to = from ? memchr(from, second, (size_t)(end - from)) : NULL;

	return to ? (struct weir_slice){from + 1, (size_t)(to - from - 1)}
	          : (struct weir_slice){"", 0};
}

static double number_of(struct weir_slice text)
{
	double value;

	return text.length && weir_parse_double(text.data, text.length, &value) ? value : NAN;
}

static void set(struct weir_monitor_reading *reading, enum weir_gauge gauge, double value,
                const char *unit)
{
	if (isnan(reading->value[gauge]))
		reading->value[gauge] =
			weir_monitor_convert(gauge, value, weir_monitor_unit(weir_slice_of(unit)));
}

/* Takes "1174/3964MB". */
static void take_memory(struct weir_slice cell, struct weir_monitor_reading *reading)
{
	const char *slash = memchr(cell.data, '/', cell.length);
	struct weir_slice used, total;

	if (!slash || !ends(cell, "MB"))
		return;
	used = (struct weir_slice){cell.data, (size_t)(slash - cell.data)};
	total = (struct weir_slice){slash + 1, cell.length - used.length - 1 - strlen("MB")};
	set(reading, WEIR_GAUGE_MEMORY_USED_BYTES, number_of(used), "MiB");
	set(reading, WEIR_GAUGE_MEMORY_TOTAL_BYTES, number_of(total), "MiB");
}

/* Takes "45%@76", "45%", "45%@[305,0]" or "@[305,0]": the share in use, and the clock, which may be
 * one for each part of the device. */
static void take_engine(struct weir_slice cell, enum weir_gauge share, enum weir_gauge clock,
                        struct weir_monitor_reading *reading)
{
	const char *at = memchr(cell.data, '@', cell.length);
	size_t length = at ? (size_t)(at - cell.data) : cell.length;
	struct weir_slice rest = {cell.data + length, cell.length - length};
	double highest = NAN;

	if (length > 1 && cell.data[length - 1] == '%')
		set(reading, share, number_of((struct weir_slice){cell.data, length - 1}), "%");
	if (rest.length < 2)
		return;
	rest = (struct weir_slice){rest.data + 1, rest.length - 1};
	if (rest.data[0] == '[')
		rest = between(rest, '[', ']');
	while (rest.length) {
		const char *comma = memchr(rest.data, ',', rest.length);
		size_t size = comma ? (size_t)(comma - rest.data) : rest.length;

		highest = fmax(highest, number_of((struct weir_slice){rest.data, size}));
		size += comma != NULL;
		rest = (struct weir_slice){rest.data + size, rest.length - size};
	}
	set(reading, clock, highest, "MHz");
}

/* Takes "GPU@25.5C". A device that is off is at -256 C. */
static void take_temperature(struct weir_slice cell, struct weir_monitor_reading *reading)
{
	static const size_t before = sizeof("GPU@") - 1;
	double value = cell.length > before && ends(cell, "C")
	                       ? number_of((struct weir_slice){cell.data + before,
	                                                       cell.length - before - 1})
	                       : NAN;

	if (value > -100)
		set(reading, WEIR_GAUGE_TEMPERATURE_C, value, "C");
}

/* Parses the power of a rail in mW, "2654/2244" or "2798mW/2798mW"; NAN: it is something else. */
static double rail_of(struct weir_slice cell)
{
	const char *slash = cell.length ? memchr(cell.data, '/', cell.length) : NULL;
	struct weir_slice now, mean;

	if (!slash)
		return NAN;
	now = (struct weir_slice){cell.data, (size_t)(slash - cell.data)};
	mean = (struct weir_slice){slash + 1, cell.length - now.length - 1};
	if (ends(now, "mW") && ends(mean, "mW")) {
		now.length -= strlen("mW");
		mean.length -= strlen("mW");
	}
	return isnan(number_of(mean)) ? NAN : number_of(now);
}

static bool is_input(struct weir_slice name)
{
	return weir_slice_equals(name, "VDD_IN") || weir_slice_equals(name, "POM_5V_IN");
}

/* Returns the name of a rail if it supplies the device, else NULL. */
static const char *device_rail(struct weir_slice name)
{
	static const char *const rails[] = {"VDD_GPU_SOC", "VDD_GPU",        "VDD_SYS_GPU",
	                                    "POM_5V_GPU",  "VDD_CPU_GPU_CV", "GPU"};

	for (size_t i = 0; i < sizeof(rails) / sizeof(rails[0]); i++)
		if (weir_slice_equals(name, rails[i]))
			return rails[i];
	return NULL;
}

/* The power of the rails of a line, in mW; NAN: not stated. */
struct power {
	double input, sum;
	uint32_t rails;     /* of the sum */
	const char *device; /* rail of the device; NULL: not stated */
};

/* Sets the power of the device and adds to that of the board. */
static void take_rail(struct weir_slice name, double rail_mw, struct power *power,
                      struct weir_monitor_reading *reading)
{
	const char *device = device_rail(name);

	if (device && !power->device) {
		set(reading, WEIR_GAUGE_POWER_W, rail_mw, "mW");
		power->device = device;
	}
	if (is_input(name))
		power->input = rail_mw;
	if (is_input(name))
		return;
	power->sum = isnan(power->sum) ? rail_mw : power->sum + rail_mw;
	power->rails++;
}

/* Takes the figures of a line; of one that is cut, rails at its end are missing from the sum.
 * Returns the power of its rails. */
static struct power take_figures(const struct weir_slice *cells, size_t count, bool cut,
                                 struct weir_monitor_reading *reading)
{
	struct power power = {.input = NAN, .sum = NAN};

	for (size_t i = 0; i + 1 < count; i++) {
		struct weir_slice name = cells[i], value = cells[i + 1];
		double rail_mw = rail_of(value);

		if (weir_slice_equals(name, "RAM"))
			take_memory(value, reading);
		else if (weir_slice_equals(name, "GR3D_FREQ") || weir_slice_equals(name, "GR3D"))
			take_engine(value, WEIR_GAUGE_UTILIZATION, WEIR_GAUGE_SM_CLOCK_MHZ,
			            reading);
		else if (weir_slice_equals(name, "EMC_FREQ") || weir_slice_equals(name, "EMC"))
			take_engine(value, WEIR_GAUGE_MEMORY_ACTIVITY, WEIR_GAUGE_MEMORY_CLOCK_MHZ,
			            reading);
		else if (!isnan(rail_mw))
			take_rail(name, rail_mw, &power, reading);
	}
	for (size_t i = 0; i < count; i++)
		if (weir_slice_starts(cells[i], "GPU@") || weir_slice_starts(cells[i], "gpu@"))
			take_temperature(cells[i], reading);
	if (!isnan(power.input) || !cut)
		set(reading, WEIR_GAUGE_BOARD_POWER_W, isnan(power.input) ? power.sum : power.input,
		    "mW");
	return power;
}

/* Parses "01-05-2026 10:00:00", or a time that a script put before the line. */
static bool parse_time(struct weir_slice text, struct weir_monitor_reading *reading)
{
	static const char pattern[] = "MM-DD-YYYY ";
	struct weir_slice clock;
	int64_t date_ns, clock_ns;
	char date[8];

	if (text.length > sizeof(pattern) - 1 && text.data[2] == '-' && text.data[5] == '-' &&
	    text.data[10] == ' ') {
		memcpy(date, text.data + 6, 4);
		memcpy(date + 4, text.data, 2);
		memcpy(date + 6, text.data + 3, 2);
		clock = (struct weir_slice){text.data + 11, text.length - 11};
		if (!weir_monitor_date((struct weir_slice){date, sizeof(date)}, &date_ns) ||
		    !weir_monitor_clock(clock, &clock_ns))
			return false;
		reading->at_ns = date_ns + clock_ns;
		reading->local = true;
		return true;
	}
	if (!weir_monitor_time(text, &reading->at_ns, &reading->since_1970))
		return false;
	reading->local = !reading->since_1970;
	return true;
}

/* Returns the start of the figures in a line, "RAM 1/2MB (lfb "; NULL: it is another line. */
static const char *find_figures(struct weir_slice line)
{
	const char *ram = weir_slice_find(line, "RAM ");
	struct weir_slice rest;

	if (!ram || (ram > line.data && ram[-1] != ' '))
		return NULL;
	rest = (struct weir_slice){ram, (size_t)(line.data + line.length - ram)};
	return weir_slice_holds(rest, "MB (lfb ") ? ram : NULL;
}

static int recognise(struct weir_slice line)
{
	static const char *const marks[] = {"SWAP ", "CPU [", "EMC_FREQ ", "GR3D_FREQ ", "GR3D "};
	int bits = 8 * (int)strlen("RAM MB (lfb ");

	if (!find_figures(line))
		return 0;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (weir_slice_holds(line, marks[i]))
			bits += 8 * (int)strlen(marks[i]);
	return bits;
}

/* True for a line with a date alone, which scripts write before they start the tool. */
static bool is_date(struct weir_slice line)
{
	bool since_1970;
	int64_t at_ns;

	return weir_monitor_time(weir_slice_trim(line), &at_ns, &since_1970) ||
	       weir_monitor_time_of_words(line, &at_ns);
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct tegrastats *state = monitor->context;
	const char *figures = find_figures(row->line);
	struct power power;
	size_t whole = weir_monitor_whole(row);
	bool timed;

	if (!figures) {
		if (row->count && !is_date(row->line))
			weir_input_warn(monitor->input,
			                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW,
			                row->at, NULL);
		return WEIR_OK;
	}
	if (whole < row->count)
		weir_input_warn(monitor->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	timed = parse_time(weir_slice_trim((struct weir_slice){row->line.data,
	                                                       (size_t)(figures - row->line.data)}),
	                   &reading);
	if (!state->known) {
		state->timed = timed;
		monitor->telemetry->local_time = timed && reading.local;
	}
	state->known = true;
	if (!state->timed)
		reading.at_ns = WEIR_NO_TIME;
	reading.local &= state->timed;
	reading.since_1970 &= state->timed;
	reading.bad_time = state->timed && !timed;
	power = take_figures(row->cells, whole, whole < row->count, &reading);
	if (!monitor->telemetry->power_rail)
		monitor->telemetry->power_rail = power.device;
	if (isnan(power.input) && power.rails > monitor->telemetry->board_rails)
		monitor->telemetry->board_rails = power.rails;
	return weir_monitor_add(monitor, &reading, row->at, err);
}

static const struct weir_monitor_table table = {
	.fields = no_fields,
	.options = &blanks,
	.take = take_row,
	.recognise = recognise,
	.header = "tegrastats: expected \"RAM 1174/3964MB (lfb 3x4MB) ... GR3D_FREQ 45%\"",
};

static int sniff(const char *head, size_t len)
{
	return weir_monitor_sniff(&table, head, len);
}

static enum weir_status read_tegrastats(struct weir_source *source, struct weir_input *input,
                                        struct weir_error *err)
{
	struct tegrastats state = {0};
	struct weir_monitor_table with_state = table;

	with_state.context = &state;
	return weir_monitor_read(&with_state, source, input, err);
}

const struct weir_reader weir_reader_tegrastats = {
	.name = "tegrastats",
	.title = "tegrastats of NVIDIA Jetson",
	.gives = "telemetry",
	.sniff = sniff,
	.read = read_tegrastats,
};
