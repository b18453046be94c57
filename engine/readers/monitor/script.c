/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads tables of device figures that scripts write (pynvml, pandas), CSV with a header:
 *
 *	timestamp,gpu_id,gpu_util_percent,mem_used_MiB,power_draw_watts,temp_c
 *	2026-01-05 10:00:00,0,97,40536,402.5,61
 *
 * Names of columns are compared as words, without case, separators and the word "gpu". A unit is
 * the last word, or stands in brackets. A table must state the use, the power or the clock of a
 * device. Beside columns of the host (cpu, ram) only columns that name the device count. Times are
 * a date and a clock, a clock, seconds since 1970, or seconds since the start.
 *
 * Columns may have the number of a device: "gpu0_util,gpu1_util", "GPU 0 util (%)". A row then
 * holds a sample of each device.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/monitor/script_date.h"
#include "engine/readers/readers.h"

#define MAX_NAME    48     /* bytes of a column's name; a longer one is not known */
#define MAX_WORDS   8      /* of a column's name */
#define MAX_POWER_W 3000.0 /* of one device */
#define BITS        16     /* of a header: a reader with own names comes first */

static const struct weir_csv_options commas = {.separator = ',', .quotes = true, .trim = true};

#define GAUGE(name, gauge, unit)                                                                   \
	{                                                                                          \
		name, WEIR_MONITOR_GAUGE, gauge, unit                                              \
	}

/* Our names of the fields, to which those of a header are translated. */
static const struct weir_monitor_field fields[] = {
	{"time", WEIR_MONITOR_LOCAL_TIME, 0, NULL},
	{"clock", WEIR_MONITOR_CLOCK, 0, NULL},
	{"elapsed", WEIR_MONITOR_UNIX_TIME, 0, NULL},
	{"device", WEIR_MONITOR_DEVICE, 0, NULL},
	{"name", WEIR_MONITOR_NAME, 0, NULL},
	GAUGE("use", WEIR_GAUGE_UTILIZATION, "%"),
	GAUGE("memory activity", WEIR_GAUGE_MEMORY_ACTIVITY, "%"),
	GAUGE("memory used", WEIR_GAUGE_MEMORY_USED_BYTES, NULL),
	GAUGE("memory total", WEIR_GAUGE_MEMORY_TOTAL_BYTES, NULL),
	GAUGE("power", WEIR_GAUGE_POWER_W, "W"),
	GAUGE("power limit", WEIR_GAUGE_POWER_LIMIT_W, "W"),
	GAUGE("temperature", WEIR_GAUGE_TEMPERATURE_C, "C"),
	GAUGE("memory temperature", WEIR_GAUGE_MEMORY_TEMPERATURE_C, "C"),
	GAUGE("sm clock", WEIR_GAUGE_SM_CLOCK_MHZ, "MHz"),
	GAUGE("memory clock", WEIR_GAUGE_MEMORY_CLOCK_MHZ, "MHz"),
	{NULL, WEIR_MONITOR_GAUGE, 0, NULL},
};

/* ---- names of columns ---- */

#define NEEDS_DEVICE 1u /* the name must have a word for the device */
#define NEEDS_UNIT   2u /* without a unit the figure is not known */
#define SECONDS      4u /* the unit must be one of time */
#define WHOLE        8u /* compared with all words of the name; never of the host */

/* Names of columns, without the words for a device and without the unit. */
static const struct alias {
	const char *name, *field;
	unsigned flags;
} aliases[] = {
	{"timestamp", "time", WHOLE},
	{"time", "time", WHOLE},
	{"datetime", "time", WHOLE},
	{"date time", "time", WHOLE},
	{"ts", "time", WHOLE},
	{"t", "time", WHOLE},
	{"wall time", "time", WHOLE},
	{"unix time", "time", WHOLE},
	{"timestamp", "time", SECONDS},
	{"ts", "time", SECONDS},
	{"time", "elapsed", SECONDS},
	{"t", "elapsed", SECONDS},
	{"elapsed", "elapsed", SECONDS},
	{"elapsed time", "elapsed", SECONDS},
	{"relative time", "elapsed", SECONDS},
	{"elapsed", "elapsed", WHOLE},
	{"elapsed time", "elapsed", WHOLE},
	{"gpu", "device", WHOLE},
	{"gpu id", "device", WHOLE},
	{"gpu index", "device", WHOLE},
	{"gpu idx", "device", WHOLE},
	{"gpu uuid", "device", WHOLE},
	{"device", "device", WHOLE},
	{"device id", "device", WHOLE},
	{"device index", "device", WHOLE},
	{"index", "device", WHOLE},
	{"uuid", "device", WHOLE},
	{"gpu name", "name", WHOLE},
	{"device name", "name", WHOLE},
	{"name", "name", WHOLE},
	{"utilization", "use", 0},
	{"utilisation", "use", 0},
	{"util", "use", 0},
	{"usage", "use", NEEDS_DEVICE},
	{"use", "use", NEEDS_DEVICE},
	{"load", "use", NEEDS_DEVICE},
	{"busy", "use", NEEDS_DEVICE},
	{"core utilization", "use", NEEDS_DEVICE},
	{"core util", "use", NEEDS_DEVICE},
	{"sm utilization", "use", 0},
	{"sm util", "use", 0},
	{"utilization memory", "memory activity", 0},
	{"utilization mem", "memory activity", 0},
	{"memory used", "memory used", NEEDS_UNIT},
	{"mem used", "memory used", NEEDS_UNIT},
	{"used memory", "memory used", NEEDS_UNIT},
	{"used mem", "memory used", NEEDS_UNIT},
	{"memory usage", "memory used", NEEDS_UNIT},
	{"mem usage", "memory used", NEEDS_UNIT},
	{"memory", "memory used", NEEDS_UNIT},
	{"mem", "memory used", NEEDS_UNIT},
	{"vram used", "memory used", NEEDS_UNIT},
	{"vram usage", "memory used", NEEDS_UNIT},
	{"vram", "memory used", NEEDS_UNIT},
	{"memory total", "memory total", NEEDS_UNIT},
	{"mem total", "memory total", NEEDS_UNIT},
	{"total memory", "memory total", NEEDS_UNIT},
	{"vram total", "memory total", NEEDS_UNIT},
	{"power", "power", 0},
	{"power draw", "power", 0},
	{"power usage", "power", 0},
	{"power used", "power", 0},
	{"power consumption", "power", 0},
	{"average power", "power", 0},
	{"power limit", "power limit", 0},
	{"power cap", "power limit", 0},
	{"temperature", "temperature", 0},
	{"temp", "temperature", 0},
	{"core temp", "temperature", NEEDS_DEVICE},
	{"memory temperature", "memory temperature", 0},
	{"memory temp", "memory temperature", 0},
	{"mem temp", "memory temperature", 0},
	{"temperature memory", "memory temperature", 0},
	{"clock", "sm clock", NEEDS_DEVICE},
	{"core clock", "sm clock", NEEDS_DEVICE},
	{"sm clock", "sm clock", 0},
	{"clock sm", "sm clock", 0},
	{"clocks sm", "sm clock", 0},
	{"graphics clock", "sm clock", 0},
	{"clock graphics", "sm clock", 0},
	{"memory clock", "memory clock", 0},
	{"mem clock", "memory clock", 0},
	{"clock mem", "memory clock", 0},
	{"clocks mem", "memory clock", 0},
};

/* Units as words, and those of monitors. */
static const struct {
	const char *word, *unit;
} units[] = {
	{"pct", "%"},     {"percent", "%"}, {"percentage", "%"},
	{"perc", "%"},    {"mb", "MiB"},    {"mib", "MiB"},
	{"gb", "GiB"},    {"gib", "GiB"},   {"kb", "KiB"},
	{"kib", "KiB"},   {"bytes", "B"},   {"b", "B"},
	{"w", "W"},       {"watt", "W"},    {"watts", "W"},
	{"mw", "mW"},     {"c", "C"},       {"celsius", "C"},
	{"degc", "C"},    {"mhz", "MHz"},   {"ghz", "GHz"},
	{"s", "s"},       {"sec", "s"},     {"secs", "s"},
	{"seconds", "s"}, {"ms", "ms"},     {"msec", "ms"},
	{"us", "us"},     {"ns", "ns"},     {"milliseconds", "ms"},
};

/* Words for a device, and of figures of the host. */
static const char *const device_words[] = {"gpu", "device", "nvidia", "cuda", "vram", NULL};
static const char *const host_words[] = {"cpu", "ram", "host", "system", "disk", "swap", NULL};

/* A name of a column, divided. */
struct words {
	char text[2 * MAX_NAME]; /* words in lower case, each with a NUL behind it */
	size_t at[MAX_WORDS], count;
	const char *unit; /* of monitors; NULL: none */
	bool of_device, of_host;
	int device; /* number of the device; -1: none */
};

/* Powers of ten from units of time to nanoseconds. */
static const struct {
	const char *unit;
	int places;
} times[] = {{"s", 9}, {"ms", 6}, {"us", 3}, {"ns", 0}};

/* Returns the power of ten; -1: it is no unit of time. */
static int places_of(const char *unit)
{
	for (size_t i = 0; unit && i < sizeof times / sizeof *times; i++)
		if (strcmp(times[i].unit, unit) == 0)
			return times[i].places;
	return -1;
}

static const char *word(const struct words *words, size_t i)
{
	return words->text + words->at[i];
}

static bool is_one_of(const char *const *list, const char *text)
{
	while (*list && strcmp(*list, text) != 0)
		list++;
	return *list != NULL;
}

static const char *unit_of(const char *text)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(units[i].word, text) == 0)
			return units[i].unit;
	return NULL;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c)
{
	return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

/* Adds a word, with "%" as "pct". Returns false if there are more than a name has. */
static bool add_word(struct words *words, struct weir_slice text, size_t *length)
{
	if (*text.data == '%')
		text = weir_slice_of("pct");
	if (words->count == MAX_WORDS || *length + text.length >= sizeof words->text)
		return false;
	words->at[words->count++] = *length;
	for (size_t i = 0; i < text.length; i++)
		words->text[(*length)++] = lower(text.data[i]);
	words->text[(*length)++] = '\0';
	return true;
}

/* Divides a name at all but letters and digits. Returns false if it is longer than names are. */
static bool split(struct weir_slice cell, struct words *words)
{
	size_t length = 0, end;

	*words = (struct words){.count = 0, .device = -1};
	if (cell.length > MAX_NAME)
		return false;
	for (size_t i = 0; i < cell.length; i = end) {
		end = i + 1;
		if (cell.data[i] != '%' && !is_letter(cell.data[i]))
			continue;
		while (is_letter(cell.data[i]) && end < cell.length && is_letter(cell.data[end]))
			end++;
		if (!add_word(words, (struct weir_slice){cell.data + i, end - i}, &length))
			return false;
	}
	return true;
}

static void remove_word(struct words *words, size_t i)
{
	words->count--;
	memmove(&words->at[i], &words->at[i + 1], (words->count - i) * sizeof words->at[0]);
}

/* Reads a number of at most 4 digits; -1: another text. */
static int number_of(const char *text)
{
	int64_t value;

	return *text >= '0' && *text <= '9' && strlen(text) <= 4 &&
	                       weir_parse_i64(text, strlen(text), &value)
	               ? (int)value
	               : -1;
}

/* Takes the number of a device off a name: "gpu0", "gpu 0". */
static void take_device(struct words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		char *text = words->text + words->at[i];
		size_t length = strcspn(text, "0123456789");
		char digit = text[length];
		int number = digit                  ? number_of(text + length)
		             : i + 1 < words->count ? number_of(word(words, i + 1))
		                                    : -1;

		text[length] = '\0';
		if (number >= 0 && is_one_of(device_words, text)) {
			words->device = number;
			if (!digit)
				remove_word(words, i + 1);
			return;
		}
		text[length] = digit;
	}
}

/* Takes the unit, which is the last word but those for a device. */
static void take_unit(struct words *words)
{
	size_t i = words->count;

	while (i > 1 && words->device >= 0 && is_one_of(device_words, word(words, i - 1)))
		i--;
	if (words->count < 2 || !i)
		return;
	words->unit = unit_of(word(words, i - 1));
	if (words->unit)
		remove_word(words, i - 1);
}

/* Takes the number of a device and the unit, and notes what the words mean. */
static void weigh(struct words *words)
{
	take_device(words);
	take_unit(words);
	for (size_t i = 0; i < words->count; i++) {
		words->of_device |= is_one_of(device_words, word(words, i));
		words->of_host |= is_one_of(host_words, word(words, i));
	}
}

/* Joins words with blanks; without those for a device, unless `all`. "vram" stays: it is the memory
 * as well. */
static void join(const struct words *words, bool all, char out[2 * MAX_NAME])
{
	size_t length = 0;

	for (size_t i = 0; i < words->count; i++) {
		const char *text = word(words, i);
		size_t size = strlen(text);

		if (!all && is_one_of(device_words, text) && strcmp(text, "vram") != 0)
			continue;
		if (length)
			out[length++] = ' ';
		memcpy(out + length, text, size);
		length += size;
	}
	out[length] = '\0';
}

static bool fits(const struct alias *alias, const struct words *words, bool beside_host)
{
	bool of_time = places_of(words->unit) >= 0;

	if (alias->flags & WHOLE)
		return !words->unit;
	if (alias->flags & SECONDS)
		return of_time;
	if (of_time || words->of_host)
		return false;
	return (words->of_device || !(beside_host || alias->flags & NEEDS_DEVICE)) &&
	       (words->unit || !(alias->flags & NEEDS_UNIT));
}

/* Finds what a column holds; NULL: it is not known. */
static const struct alias *find_alias(const struct words *words, bool beside_host)
{
	char all[2 * MAX_NAME], rest[2 * MAX_NAME];

	join(words, true, all);
	join(words, false, rest);
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strcmp(aliases[i].flags & WHOLE ? all : rest, aliases[i].name) == 0 &&
		    fits(&aliases[i], words, beside_host))
			return &aliases[i];
	return NULL;
}

/* Our name of a column, "memory used [MiB]"; empty: it is not known. */
struct column {
	char name[MAX_NAME];
	const struct weir_monitor_field *field; /* NULL: not known */
	int device;                             /* number of the device; -1: none */
	int places;                             /* power of ten from a time to ns; -1: not stated */
};

static bool is_of_kind(const struct column *column, enum weir_monitor_kind kind)
{
	return column->field && column->field->kind == kind;
}

static struct column translate(struct weir_slice cell, bool beside_host)
{
	const struct weir_monitor_unit *unit;
	const struct alias *alias = NULL;
	const struct column unknown = {.name = "", .device = -1, .places = -1};
	struct column column = unknown;
	struct words words;

	if (split(cell, &words)) {
		weigh(&words);
		alias = find_alias(&words, beside_host);
	}
	if (!alias)
		return column;
	column.device = words.device;
	column.places = places_of(words.unit);
	if (words.unit && column.places < 0)
		snprintf(column.name, sizeof column.name, "%s [%s]", alias->field, words.unit);
	else
		snprintf(column.name, sizeof column.name, "%s", alias->field);
	column.field = weir_monitor_find(fields, weir_slice_of(column.name), &unit);
	/* A unit of another measure: "mem_used_pct". */
	if (column.field && column.field->kind == WEIR_MONITOR_GAUGE && unit &&
	    !(weir_monitor_convert((enum weir_gauge)column.field->what, 0, unit) >= 0))
		return unknown;
	/* "gpu0" alone names no figure. */
	if (column.device >= 0 && !is_of_kind(&column, WEIR_MONITOR_GAUGE) &&
	    !is_of_kind(&column, WEIR_MONITOR_NAME))
		return unknown;
	return column;
}

/* ---- headers ---- */

struct header {
	struct column columns[WEIR_MONITOR_MAX_COLUMNS];
	size_t count;
	bool wide; /* columns have the number of their device */
};

static bool names_host(const struct weir_slice *cells, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct words words;

		if (!split(cells[i], &words))
			continue;
		weigh(&words);
		if (words.of_host)
			return true;
	}
	return false;
}

/* Leaves out columns without the number of a device, beside those that have one. */
static void leave_out_shared(struct header *header)
{
	header->wide = false;
	for (size_t i = 0; i < header->count; i++)
		header->wide |= header->columns[i].field && header->columns[i].device >= 0;
	for (size_t i = 0; header->wide && i < header->count; i++) {
		struct column *column = &header->columns[i];

		if (column->device < 0 && (is_of_kind(column, WEIR_MONITOR_GAUGE) ||
		                           is_of_kind(column, WEIR_MONITOR_NAME) ||
		                           is_of_kind(column, WEIR_MONITOR_DEVICE)))
			*column = (struct column){.name = "", .device = -1, .places = -1};
	}
}

/* Translates a header. Returns false if the cells do not name figures of a device. */
static bool take_header(const struct weir_slice *cells, size_t count, struct header *header)
{
	bool beside_host, telling = false;
	size_t gauges = 0, others = 0;

	if (count < 2 || count > WEIR_MONITOR_MAX_COLUMNS)
		return false;
	for (size_t i = 0; i < count; i++)
		if (cells[i].length && *cells[i].data >= '0' && *cells[i].data <= '9')
			return false;
	beside_host = names_host(cells, count);
	header->count = count;
	for (size_t i = 0; i < count; i++)
		header->columns[i] = translate(cells[i], beside_host);
	leave_out_shared(header);
	for (size_t i = 0; i < count; i++) {
		const struct weir_monitor_field *field = header->columns[i].field;

		if (!field)
			continue;
		gauges += field->kind == WEIR_MONITOR_GAUGE ? 1 : 0;
		others += field->kind == WEIR_MONITOR_GAUGE || field->kind == WEIR_MONITOR_NAME ? 0
		                                                                                : 1;
		telling |= field->kind == WEIR_MONITOR_GAUGE &&
		           (field->what == WEIR_GAUGE_UTILIZATION ||
		            field->what == WEIR_GAUGE_POWER_W ||
		            field->what == WEIR_GAUGE_SM_CLOCK_MHZ);
	}
	return telling && gauges + (others ? 1 : 0) >= 2;
}

static int recognise(struct weir_slice line)
{
	struct weir_slice cells[WEIR_MONITOR_MAX_CELLS];
	struct header header;
	size_t count = weir_csv_split(line, &commas, cells, WEIR_MONITOR_MAX_CELLS);

	return take_header(cells, count, &header) ? BITS : 0;
}

/* Names the columns that are not known in a warning. */
static void warn_unknown(struct weir_input *input, const struct weir_slice *cells,
                         const struct header *header)
{
	struct weir_text names = {0};
	uint64_t count = 0;

	for (size_t i = 0; i < header->count; i++) {
		if (header->columns[i].field || !cells[i].length)
			continue;
		weir_text_puts(&names, count++ ? ", " : "");
		weir_text_add(&names, cells[i].data, cells[i].length);
	}
	if (count && !input->warnings[WEIR_WARN_UNKNOWN_COLUMN].count) {
		weir_input_warn(input, WEIR_WARN_UNKNOWN_COLUMN, UINT64_MAX, names.data);
		input->warnings[WEIR_WARN_UNKNOWN_COLUMN].count = count;
	}
	weir_text_release(&names);
}

/* ---- rows ---- */

#define MAX_TIMES 4 /* columns of times that are written anew */

/* The header of the table; settled when a row has shown the form of its times. */
struct script {
	struct header header;
	bool settled;
	struct weir_script_dates dates;
	/* The row being read, with times in our form. */
	struct weir_slice cells[WEIR_MONITOR_MAX_COLUMNS];
	char times[MAX_TIMES][WEIR_SCRIPT_DATE_SIZE];
	size_t written; /* of times */
};

/* Decides by a row what a column of times holds. */
static void settle_time(struct column *column, struct weir_slice cell)
{
	const struct weir_monitor_unit *unit;
	int64_t at_ns;
	double seconds;
	bool since_1970;

	if (!is_of_kind(column, WEIR_MONITOR_LOCAL_TIME) ||
	    weir_monitor_time(cell, &at_ns, &since_1970))
		return;
	if (weir_monitor_clock(cell, &at_ns))
		snprintf(column->name, sizeof column->name, "clock");
	else if (weir_parse_double(cell.data, cell.length, &seconds))
		snprintf(column->name, sizeof column->name, "elapsed");
	column->field = weir_monitor_find(fields, weir_slice_of(column->name), &unit);
}

static void bind(struct weir_monitor *monitor, const struct header *header)
{
	struct weir_slice names[WEIR_MONITOR_MAX_COLUMNS];

	for (size_t i = 0; i < header->count; i++)
		names[i] = weir_slice_of(header->columns[i].name);
	weir_monitor_bind(monitor, names, header->count);
}

/* Binds the columns again, when the first row shows the form of the times. */
static void settle(struct weir_monitor *monitor, struct script *script, size_t count)
{
	for (size_t i = 0; i < script->header.count && i < count; i++)
		settle_time(&script->header.columns[i], script->cells[i]);
	bind(monitor, &script->header);
	script->settled = true;
}

/* Writes a time in ms, us or ns as seconds: "1250" as "1.250000000". */
static bool write_seconds(struct weir_slice cell, int places, char out[WEIR_SCRIPT_DATE_SIZE])
{
	const int64_t second = INT64_C(1000000000);
	int64_t ns;

	if (!weir_parse_scaled(cell.data, cell.length, places, &ns) || ns < 0)
		return false;
	snprintf(out, WEIR_SCRIPT_DATE_SIZE, "%lld.%09lld", (long long)(ns / second),
	         (long long)(ns % second));
	return true;
}

/* Copies the cells of a row, with dates in our form. */
static void copy_cells(struct script *script, const struct weir_csv_row *row)
{
	script->written = 0;
	for (size_t i = 0; i < row->count && i < script->header.count; i++) {
		script->cells[i] = row->cells[i];
		if (script->written < MAX_TIMES &&
		    is_of_kind(&script->header.columns[i], WEIR_MONITOR_LOCAL_TIME) &&
		    weir_script_date_take(&script->dates, row->cells[i],
		                          script->times[script->written]))
			script->cells[i] = weir_slice_of(script->times[script->written++]);
	}
}

/* Writes times in other units than seconds as seconds. */
static void scale_times(struct script *script, size_t count)
{
	for (size_t i = 0; i < count && script->written < MAX_TIMES; i++) {
		const struct column *column = &script->header.columns[i];

		if (is_of_kind(column, WEIR_MONITOR_UNIX_TIME) && column->places >= 0 &&
		    column->places < 9 &&
		    write_seconds(script->cells[i], column->places, script->times[script->written]))
			script->cells[i] = weir_slice_of(script->times[script->written++]);
	}
}

/* Adds a sample of one device of a wide table, from its own columns and those of times. */
static enum weir_status add_device(struct weir_monitor *monitor, const struct script *script,
                                   const struct weir_csv_row *row, int device,
                                   struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct weir_slice cells[WEIR_MONITOR_MAX_COLUMNS];
	char id[16];

	for (size_t i = 0; i < row->count; i++) {
		int of = script->header.columns[i].device;

		cells[i] = of >= 0 && of != device ? weir_slice_of("") : script->cells[i];
	}
	snprintf(id, sizeof id, "%d", device);
	reading.device = weir_slice_of(id);
	weir_monitor_take(monitor, cells, weir_monitor_whole(row), row->at, &reading);
	return weir_monitor_add(monitor, &reading, row->at, err);
}

/* Adds a sample of each device of a wide table. */
static enum weir_status add_devices(struct weir_monitor *monitor, const struct script *script,
                                    const struct weir_csv_row *row, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < script->header.count; i++) {
		int device = script->header.columns[i].device;
		size_t first = 0;

		while (script->header.columns[first].device != device)
			first++;
		if (device >= 0 && first == i)
			status = add_device(monitor, script, row, device, err);
	}
	return status;
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct script *script = monitor->context;
	struct weir_monitor_reading reading = weir_monitor_unknown();
	struct header header;

	if (take_header(row->cells, row->count, &header)) {
		script->header = header;
		script->settled = false;
		bind(monitor, &header);
		warn_unknown(monitor->input, row->cells, &header);
		return WEIR_OK;
	}
	if (!script->header.count || !row->count)
		return WEIR_OK;
	copy_cells(script, row);
	if (!script->settled)
		settle(monitor, script, row->count);
	if (!weir_monitor_fits(monitor, row))
		return WEIR_OK;
	scale_times(script, row->count);
	if (script->header.wide)
		return add_devices(monitor, script, row, err);
	weir_monitor_take(monitor, script->cells, weir_monitor_whole(row), row->at, &reading);
	return weir_monitor_add(monitor, &reading, row->at, err);
}

static const struct weir_monitor_table table = {
	.fields = fields,
	.options = &commas,
	.take = take_row,
	.recognise = recognise,
	.header = "a table of figures of a device: time, index of the device, its use in %, power, "
		  "memory",
};

/* True if a column of use has no unit. */
static bool has_bare_use(const struct header *header)
{
	for (size_t i = 0; i < header->count; i++)
		if (strcmp(header->columns[i].name, "use") == 0)
			return true;
	return false;
}

/* Reads use without a unit as a share of 1 if none is above 1 and some are between 0 and 1. */
static void scale_shares(struct weir_telemetry *telemetry)
{
	bool between = false;

	for (size_t i = 0; i < telemetry->count; i++) {
		double use = telemetry->samples[i].value[WEIR_GAUGE_UTILIZATION];

		if (use > 0.01)
			return;
		between |= use > 0 && use < 0.01;
	}
	for (size_t i = 0; between && i < telemetry->count; i++)
		telemetry->samples[i].value[WEIR_GAUGE_UTILIZATION] *= 100;
}

/* Leaves out power that no device draws: the table states another unit than it has. Returns false
 * if samples hold nothing else. */
static bool check_power(struct weir_input *input)
{
	struct weir_telemetry *telemetry = input->telemetry;
	char detail[64];
	bool others = false;
	double most = 0;

	for (size_t i = 0; i < telemetry->count; i++) {
		const double *value = telemetry->samples[i].value;

		most = fmax(most, value[WEIR_GAUGE_POWER_W]);
		for (int gauge = 0; gauge < WEIR_GAUGE_COUNT; gauge++)
			others |= gauge != WEIR_GAUGE_POWER_W && !isnan(value[gauge]);
	}
	if (!(most > MAX_POWER_W))
		return true;
	for (size_t i = 0; i < telemetry->count; i++)
		telemetry->samples[i].value[WEIR_GAUGE_POWER_W] = NAN;
	snprintf(detail, sizeof detail, "power of %.6g W is in another unit", most);
	weir_input_warn(input, WEIR_WARN_INCONSISTENT, UINT64_MAX, detail);
	return others;
}

static int sniff(const char *head, size_t len)
{
	return weir_monitor_sniff(&table, head, len);
}

static enum weir_status read(struct weir_source *source, struct weir_input *input,
                             struct weir_error *err)
{
	struct script script = {.settled = false};
	struct weir_monitor_table own = table;
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	weir_script_date_look(&script.dates, head, len);
	own.context = &script;
	status = weir_monitor_read(&own, source, input, err);
	if (!status)
		weir_script_date_conclude(&script.dates, input);
	if (!status && has_bare_use(&script.header))
		scale_shares(input->telemetry);
	if (!status && !check_power(input))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "power above %.6g W, which no device draws, and no other figure: "
		                 "is it in mW? Name the column power_mw then",
		                 MAX_POWER_W);
	return status;
}

const struct weir_reader weir_reader_gpu_log = {
	.name = "gpu-log",
	.title = "tables of device figures by scripts (pynvml, pandas), as CSV",
	.gives = "telemetry",
	.sniff = sniff,
	.read = read,
};
