/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses cells of device monitors: numbers with and without units, the marks for "no value", times.
 */
#include <math.h>
#include <stdio.h>

#include "engine/base/text.h"
#include "engine/readers/monitor/monitor.h"

enum measure {
	MEASURE_SHARE,
	MEASURE_BYTES,
	MEASURE_POWER,
	MEASURE_CLOCK,
	MEASURE_TEMPERATURE,
	MEASURE_RATE,
	MEASURE_TIME,
	MEASURE_ENERGY,
};

struct weir_monitor_unit {
	const char *name;
	enum measure measure;
	double scale; /* to the unit of the gauges */
};

#define KIB            1024.0
#define FIRST_EPOCH_NS INT64_C(1000000000000000000) /* September 2001 */
#define DATE_AND_CLOCK 19u                          /* bytes of "2026-01-05T10:00:00" */

/* Case matters: mW is not MW. MB of memory means 2^20 bytes in monitors. */
static const struct weir_monitor_unit units[] = {
	{"%", MEASURE_SHARE, 0.01},
	{"ratio", MEASURE_SHARE, 1},
	{"B", MEASURE_BYTES, 1},
	{"bytes", MEASURE_BYTES, 1},
	{"KiB", MEASURE_BYTES, KIB},
	{"KB", MEASURE_BYTES, KIB},
	{"MiB", MEASURE_BYTES, KIB *KIB},
	{"Mib", MEASURE_BYTES, KIB *KIB}, /* hl-smi */
	{"MB", MEASURE_BYTES, KIB *KIB},
	{"GiB", MEASURE_BYTES, KIB *KIB *KIB},
	{"GB", MEASURE_BYTES, KIB *KIB *KIB},
	{"W", MEASURE_POWER, 1},
	{"mW", MEASURE_POWER, 1e-3},
	{"MHz", MEASURE_CLOCK, 1},
	{"Mhz", MEASURE_CLOCK, 1},
	{"GHz", MEASURE_CLOCK, 1e3},
	{"Hz", MEASURE_CLOCK, 1e-6},
	{"C", MEASURE_TEMPERATURE, 1},
	{"c", MEASURE_TEMPERATURE, 1},
	{"\xc2\xb0"
         "C",
         MEASURE_TEMPERATURE, 1},
	{"B/s", MEASURE_RATE, 1},
	{"KB/s", MEASURE_RATE, 1e3},
	{"MB/s", MEASURE_RATE, 1e6},
	{"GB/s", MEASURE_RATE, 1e9},
	{"ns", MEASURE_TIME, 1},
	{"us", MEASURE_TIME, 1e3},
	{"ms", MEASURE_TIME, 1e6},
	{"s", MEASURE_TIME, 1e9},
	{"J", MEASURE_ENERGY, 1},
	{"mJ", MEASURE_ENERGY, 1e-3},
	{"uJ", MEASURE_ENERGY, 1e-6},
	{"kJ", MEASURE_ENERGY, 1e3},
};

static const enum measure measures[WEIR_GAUGE_COUNT] = {
	[WEIR_GAUGE_UTILIZATION] = MEASURE_SHARE,
	[WEIR_GAUGE_MEMORY_ACTIVITY] = MEASURE_SHARE,
	[WEIR_GAUGE_MEMORY_USED_BYTES] = MEASURE_BYTES,
	[WEIR_GAUGE_MEMORY_TOTAL_BYTES] = MEASURE_BYTES,
	[WEIR_GAUGE_POWER_W] = MEASURE_POWER,
	[WEIR_GAUGE_POWER_LIMIT_W] = MEASURE_POWER,
	[WEIR_GAUGE_SM_CLOCK_MHZ] = MEASURE_CLOCK,
	[WEIR_GAUGE_SM_CLOCK_MAX_MHZ] = MEASURE_CLOCK,
	[WEIR_GAUGE_MEMORY_CLOCK_MHZ] = MEASURE_CLOCK,
	[WEIR_GAUGE_TEMPERATURE_C] = MEASURE_TEMPERATURE,
	[WEIR_GAUGE_MEMORY_TEMPERATURE_C] = MEASURE_TEMPERATURE,
	[WEIR_GAUGE_SM_ACTIVE] = MEASURE_SHARE,
	[WEIR_GAUGE_SM_OCCUPANCY] = MEASURE_SHARE,
	[WEIR_GAUGE_TENSOR_ACTIVE] = MEASURE_SHARE,
	[WEIR_GAUGE_DRAM_ACTIVE] = MEASURE_SHARE,
	[WEIR_GAUGE_TO_HOST_BYTES_PER_S] = MEASURE_RATE,
	[WEIR_GAUGE_FROM_HOST_BYTES_PER_S] = MEASURE_RATE,
	[WEIR_GAUGE_LINK_SENT_BYTES_PER_S] = MEASURE_RATE,
	[WEIR_GAUGE_LINK_RECEIVED_BYTES_PER_S] = MEASURE_RATE,
	[WEIR_GAUGE_POWER_CAPPED_NS] = MEASURE_TIME,
	[WEIR_GAUGE_THERMAL_NS] = MEASURE_TIME,
	[WEIR_GAUGE_ENERGY_J] = MEASURE_ENERGY,
	[WEIR_GAUGE_BOARD_POWER_W] = MEASURE_POWER,
	[WEIR_GAUGE_MEMORY_USED_SHARE] = MEASURE_SHARE,
	[WEIR_GAUGE_ENGINE_ACTIVE] = MEASURE_SHARE,
};

/* The possible values of a gauge. Others come from -1 printed as unsigned, or from unset fields. */
static const struct {
	double low, high;
} limits[] = {
	[MEASURE_SHARE] = {0, 1.1}, /* measured ratios may exceed 1 slightly */
	[MEASURE_BYTES] = {0, 1e15},  [MEASURE_POWER] = {0, 1e5},
	[MEASURE_CLOCK] = {0, 1e5},   [MEASURE_TEMPERATURE] = {-100, 1000},
	[MEASURE_RATE] = {0, 1e14},   [MEASURE_TIME] = {0, 9e18},
	[MEASURE_ENERGY] = {0, 1e15},
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool weir_monitor_same(struct weir_slice text, const char *name)
{
	size_t i = 0;

	while (i < text.length && name[i] && lower(text.data[i]) == lower(name[i]))
		i++;
	return i == text.length && !name[i];
}

const struct weir_monitor_unit *weir_monitor_unit(struct weir_slice name)
{
	for (size_t i = 0; name.length && i < sizeof(units) / sizeof(units[0]); i++)
		if (*name.data == *units[i].name && weir_slice_equals(name, units[i].name))
			return &units[i];
	return NULL;
}

double weir_monitor_convert(enum weir_gauge gauge, double value,
                            const struct weir_monitor_unit *unit)
{
	enum measure measure = measures[gauge];

	if (unit && unit->measure != measure)
		return NAN;
	/* Divide by 100: 0.01 is not representable, and 55 % must become exactly 0.55. */
	if (unit && measure == MEASURE_SHARE)
		value = unit->scale < 1 ? value / 100 : value;
	else if (unit)
		value *= unit->scale;
	if (!(value >= limits[measure].low && value <= limits[measure].high))
		return NAN;
	return measure == MEASURE_SHARE && value > 1 ? 1 : value;
}

static const char *const missing[] = {"", "-", "N/A", "NA", "nan", "None", "null", NULL};
/* Parts of texts of a device that did not answer. */
static const char *const failures[] = {"Unknown Error", "is lost", "requires reset", "ERR!", NULL};

static enum weir_monitor_cell classify_word(struct weir_slice cell)
{
	for (size_t i = 0; failures[i]; i++)
		if (weir_slice_holds(cell, failures[i]))
			return WEIR_MONITOR_ERROR;
	for (size_t i = 0; missing[i]; i++)
		if (weir_monitor_same(cell, missing[i]))
			return WEIR_MONITOR_MISSING;
	/* rocm-smi gives a reason: "N/A (Secondary die)" on every second die of an MI250X. */
	if (weir_slice_starts(cell, "N/A (") || weir_slice_starts(cell, "N/A, "))
		return WEIR_MONITOR_MISSING;
	return weir_slice_starts(cell, "[") || weir_slice_starts(cell, "<<<") ? WEIR_MONITOR_MISSING
	                                                                      : WEIR_MONITOR_BAD;
}

/*
 * True for DCGM's marks for "no value" (dcgm_structs.h): four consecutive numbers from BLANK to
 * NOT_PERMISSIONED for 32-bit integers and doubles, and sixteen for 64-bit integers, which are
 * equal as doubles.
 */
static bool is_sentinel(double value)
{
	return (value >= 2147483632.0 && value <= 2147483635.0) ||
	       (value >= 140737488355328.0 && value <= 140737488355331.0) ||
	       value >= 9223372036854775792.0;
}

static bool is_number_byte(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
}

static size_t skip_exponent(struct weir_slice cell, size_t at)
{
	size_t end = at + 1;

	if (at >= cell.length || lower(cell.data[at]) != 'e')
		return at;
	end += end < cell.length && (cell.data[end] == '-' || cell.data[end] == '+');
	if (end >= cell.length || cell.data[end] < '0' || cell.data[end] > '9')
		return at;
	while (end < cell.length && cell.data[end] >= '0' && cell.data[end] <= '9')
		end++;
	return end;
}

static size_t skip_blanks(struct weir_slice cell, size_t at)
{
	while (at < cell.length && cell.data[at] == ' ')
		at++;
	return at;
}

/* Passes over the limit in "668 of 1300 MHz". */
static size_t skip_limit(struct weir_slice cell, size_t at)
{
	struct weir_slice rest = {cell.data + at, cell.length - at};
	size_t end;

	if (!weir_slice_starts(rest, "of "))
		return at;
	end = skip_blanks(cell, at + 3);
	if (end >= cell.length || cell.data[end] < '0' || cell.data[end] > '9')
		return at;
	while (end < cell.length && is_number_byte(cell.data[end]))
		end++;
	return skip_blanks(cell, end);
}

enum weir_monitor_cell weir_monitor_number(struct weir_slice cell, double *value,
                                           struct weir_slice *unit)
{
	size_t at = 0;

	*unit = (struct weir_slice){"", 0};
	if (cell.length > 2 && cell.data[0] == '(' && cell.data[cell.length - 1] == ')')
		cell = (struct weir_slice){cell.data + 1, cell.length - 2};
	while (at < cell.length && is_number_byte(cell.data[at]))
		at++;
	at = at ? skip_exponent(cell, at) : 0;
	if (!at || !weir_parse_double(cell.data, at, value))
		return classify_word(cell);
	if (is_sentinel(*value))
		return WEIR_MONITOR_MISSING;
	at = skip_limit(cell, skip_blanks(cell, at));
	*unit = (struct weir_slice){cell.data + at, cell.length - at};
	return WEIR_MONITOR_VALUE;
}

/* Returns the days since 1970-01-01 in the Gregorian calendar (H. Hinnant, chrono-compatible
 * low-level date algorithms, days_from_civil). */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
	int64_t shifted = month <= 2 ? year - 1 : year; /* years begin in March */
	int64_t era = shifted / 400;
	int64_t of_era = shifted - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* Inverts days_from_civil() (civil_from_days, same source). */
void weir_monitor_civil(int64_t days, int *year, int *month, int *day)
{
	int64_t shifted = days + 719468; /* days since March of year 0 */
	int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
	int64_t of_era = shifted - era * 146097;
	int64_t of_400 = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * of_400 + of_400 / 4 - of_400 / 100);
	int64_t from_march = (5 * of_year + 2) / 153;

	*day = (int)(of_year - (153 * from_march + 2) / 5 + 1);
	*month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
	*year = (int)(of_400 + era * 400 + (*month <= 2));
}

/* Collects the digits at the letters of a pattern: "YYYY/MM/DD" and "2026/01/05" give 20260105. */
static bool match_digits(struct weir_slice text, const char *pattern, int64_t *out)
{
	*out = 0;
	if (text.length != strlen(pattern))
		return false;
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];

		if (pattern[i] < 'A') {
			if (c != pattern[i])
				return false;
		} else if (c < '0' || c > '9') {
			return false;
		} else {
			*out = *out * 10 + (c - '0');
		}
	}
	return true;
}

static bool date_of(int64_t digits, int64_t *out_ns)
{
	int64_t year = digits / 10000, month = digits / 100 % 100, day = digits % 100;

	if (year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	*out_ns = days_from_civil(year, month, day) * 86400 * INT64_C(1000000000);
	return true;
}

bool weir_monitor_date(struct weir_slice text, int64_t *out_ns)
{
	int64_t digits;

	return match_digits(text, "YYYYMMDD", &digits) && date_of(digits, out_ns);
}

bool weir_monitor_clock(struct weir_slice text, int64_t *out_ns)
{
	struct weir_slice whole = {text.data, text.length < 8 ? text.length : 8};
	int64_t digits, hour, minute, fraction_ns = 0;

	if (!match_digits(whole, "HH:MM:SS", &digits))
		return false;
	if (text.length > 8 && (text.data[8] != '.' ||
	                        !weir_parse_s_as_ns(text.data + 8, text.length - 8, &fraction_ns) ||
	                        fraction_ns < 0 || fraction_ns > 1000000000))
		return false;
	hour = digits / 10000;
	minute = digits / 100 % 100;
	if (hour > 23 || minute > 59 || digits % 100 > 60)
		return false;
	*out_ns = ((hour * 60 + minute) * 60 + digits % 100) * INT64_C(1000000000) + fraction_ns;
	return true;
}

/* Parses a date by the pattern, a separator and a clock. */
static bool parse_date_and_clock(struct weir_slice text, const char *pattern, char separator,
                                 int64_t *out_ns)
{
	struct weir_slice date = {text.data, text.length < 10 ? text.length : 10};
	int64_t digits, clock_ns;

	if (text.length < DATE_AND_CLOCK || text.data[10] != separator ||
	    !match_digits(date, pattern, &digits) || !date_of(digits, out_ns) ||
	    !weir_monitor_clock((struct weir_slice){text.data + 11, text.length - 11}, &clock_ns))
		return false;
	*out_ns += clock_ns;
	return true;
}

bool weir_monitor_local_time(struct weir_slice text, int64_t *out_ns)
{
	return parse_date_and_clock(text, "YYYY/MM/DD", ' ', out_ns);
}

/* Parses a time since 1970 in seconds, or in ms, us or ns if only that is a date from 2001 on. */
static bool parse_epoch(struct weir_slice text, int64_t *out_ns)
{
	for (int places = 9; places >= 0; places -= 3)
		if (weir_parse_scaled(text.data, text.length, places, out_ns) &&
		    *out_ns >= FIRST_EPOCH_NS && *out_ns <= WEIR_MONITOR_LAST_NS)
			return true;
	return false;
}

/* Parses a date and a clock, with any of the separators that monitors and `date` write. */
static bool parse_any_date(struct weir_slice text, int64_t *out_ns)
{
	return weir_monitor_local_time(text, out_ns) ||
	       parse_date_and_clock(text, "YYYY-MM-DD", ' ', out_ns) ||
	       parse_date_and_clock(text, "YYYY-MM-DD", 'T', out_ns);
}

/* Parses "+08:00", "+0800" or "+08" into the time that this zone is ahead of UTC. */
static bool parse_offset(struct weir_slice text, int64_t *out_ns)
{
	struct weir_slice digits = {text.data + 1, text.length - 1};
	int64_t value, minutes;

	if (match_digits(digits, "HH", &value))
		value *= 100;
	else if (!match_digits(digits, "HH:MM", &value) && !match_digits(digits, "HHMM", &value))
		return false;
	if (value / 100 > 23 || value % 100 > 59)
		return false;
	minutes = value / 100 * 60 + value % 100;
	*out_ns = (text.data[0] == '-' ? -minutes : minutes) * 60 * INT64_C(1000000000);
	return true;
}

/* Parses a date and a clock with a zone (ISO 8601): Z, or the offset from UTC. */
static bool parse_zoned(struct weir_slice text, int64_t *out_ns)
{
	size_t at = DATE_AND_CLOCK;
	int64_t offset_ns = 0;

	while (at < text.length && text.data[at] != '+' && text.data[at] != '-' &&
	       text.data[at] != 'Z' && text.data[at] != 'z')
		at++;
	if (at >= text.length || !parse_any_date((struct weir_slice){text.data, at}, out_ns))
		return false;
	if (lower(text.data[at]) == 'z') {
		if (at + 1 != text.length)
			return false;
	} else if (!parse_offset((struct weir_slice){text.data + at, text.length - at},
	                         &offset_ns)) {
		return false;
	}
	*out_ns -= offset_ns;
	return *out_ns >= 0;
}

bool weir_monitor_time(struct weir_slice text, int64_t *out_ns, bool *since_1970)
{
	*since_1970 = false;
	if (parse_any_date(text, out_ns))
		return true;
	*since_1970 = parse_zoned(text, out_ns) || parse_epoch(text, out_ns);
	return *since_1970;
}

bool weir_monitor_take_before(struct weir_slice *line, char mark, struct weir_slice *out)
{
	const char *at = line->length ? memchr(line->data, mark, line->length) : NULL;
	size_t length = at ? (size_t)(at - line->data) : 0;

	if (!at)
		return false;
	*out = weir_slice_trim((struct weir_slice){line->data, length});
	*line = (struct weir_slice){at + 1, line->length - length - 1};
	return true;
}

/* ---- dates in words ---- */

#define MAX_WORDS 24

static const struct weir_csv_options blanks = {.separator = ' '};

/* Returns 1 to 12 for the name of a month in English; 0: another word. */
static int month_of(struct weir_slice word)
{
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
	                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

	for (int i = 0; i < 12; i++)
		if (weir_slice_starts(word, months[i]) && word.length <= sizeof("September"))
			return i + 1;
	return 0;
}

static int64_t number_in(struct weir_slice word, size_t digits_least, size_t digits_most)
{
	int64_t value;

	for (size_t i = 0; i < word.length; i++)
		if (word.data[i] < '0' || word.data[i] > '9')
			return -1;
	return word.length >= digits_least && word.length <= digits_most &&
	                       weir_parse_i64(word.data, word.length, &value)
	               ? value
	               : -1;
}

/* The parts of a date and time; -1: not found. */
struct parts {
	int64_t month, day, year, clock_ns, afternoon;
};

static void take_word(struct weir_slice word, struct parts *parts)
{
	int month = month_of(word);

	if (month && parts->month < 0)
		parts->month = month;
	else if (parts->clock_ns < 0 && weir_monitor_clock(word, &parts->clock_ns))
		return;
	else if (parts->day < 0 && number_in(word, 1, 2) >= 0)
		parts->day = number_in(word, 1, 2);
	else if (parts->year < 0 && number_in(word, 4, 4) >= 0)
		parts->year = number_in(word, 4, 4);
	else if (weir_monitor_same(word, "AM") || weir_monitor_same(word, "PM"))
		parts->afternoon = weir_monitor_same(word, "PM");
}

bool weir_monitor_time_of_words(struct weir_slice line, int64_t *out_ns)
{
	static const int64_t half_day_ns = INT64_C(43200) * 1000000000;
	struct weir_slice words[MAX_WORDS];
	size_t count = weir_csv_split(line, &blanks, words, MAX_WORDS);
	struct parts parts = {-1, -1, -1, -1, -1};
	char date[32];
	int length;

	for (size_t i = 1; i < count; i++)
		take_word(words[i], &parts);
	if (parts.month < 0 || parts.day < 0 || parts.year < 0 || parts.clock_ns < 0)
		return false;
	if (parts.afternoon >= 0)
		parts.clock_ns = parts.clock_ns % half_day_ns + parts.afternoon * half_day_ns;
	length = snprintf(date, sizeof(date), "%04d%02d%02d", (int)parts.year, (int)parts.month,
	                  (int)parts.day);
	if (!weir_monitor_date((struct weir_slice){date, (size_t)length}, out_ns))
		return false;
	*out_ns += parts.clock_ns;
	return true;
}
