/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <string.h>

#include "engine/model/telemetry.h"
#include "engine/readers/serverlog/times.h"

#define DAY_NS   (INT64_C(86400) * 1000000000)
#define YEAR_NS  (366 * DAY_NS) /* of 1972 */
#define SEARCHED 256            /* bytes of a line in which its time stands */

/* Forms of times: '0' is a digit, other characters are themselves. */
static const struct form {
	const char *pattern;
	unsigned char order[4]; /* places of year, month, day and hour in the pattern */
	bool year, date;
	bool bracket; /* only behind "[" */
	bool letter;  /* only behind the letter of a level, as in "I0831 18:57:08" */
} forms[] = {
	{"0000-00-00T00:00:00", {0, 5, 8, 11}, true, true, false, false},
	{"0000-00-00 00:00:00", {0, 5, 8, 11}, true, true, false, false},
	{"00/00/0000-00:00:00", {6, 0, 3, 11}, true, true, false, false},
	{"00-00-0000 00:00:00", {6, 0, 3, 11}, true, true, false, false},
	{"00-00 00:00:00", {0, 0, 3, 6}, false, true, false, false},
	{"0000 00:00:00", {0, 0, 2, 5}, false, true, false, true},
	{"00:00:00", {0}, false, false, true, false},
};

struct found {
	enum weir_server_clock clock;
	bool daily;
	int64_t ns;
};

static bool fits(const char *pattern, struct weir_slice text)
{
	size_t length = strlen(pattern);

	if (text.length < length)
		return false;
	for (size_t i = 0; i < length; i++)
		if (pattern[i] == '0' ? !isdigit((unsigned char)text.data[i])
		                      : text.data[i] != pattern[i])
			return false;
	return true;
}

/* Appends the fraction and, if asked for, the zone behind a time. Returns true if it has a zone. */
static bool add_rest(struct weir_slice rest, bool zoned, char *iso, size_t *length)
{
	size_t at = 0;

	if (rest.length > 1 && (rest.data[0] == '.' || rest.data[0] == ',') &&
	    isdigit((unsigned char)rest.data[1])) {
		iso[(*length)++] = '.';
		for (at = 1; at < rest.length && isdigit((unsigned char)rest.data[at]); at++)
			if (at < 10)
				iso[(*length)++] = rest.data[at];
	}
	if (!zoned || at == rest.length)
		return false;
	if (rest.data[at] == 'Z')
		return true;
	rest = (struct weir_slice){rest.data + at, rest.length - at};
	if (!fits("+00:00", rest) && !fits("-00:00", rest))
		return false;
	memcpy(iso + *length, rest.data, 6);
	*length += 6;
	return true;
}

static bool parse_form(const struct form *form, struct weir_slice text, struct found *found)
{
	size_t pattern = strlen(form->pattern), length = 0;
	char iso[64] = "1972-01-01 ";
	bool zoned;

	if (form->year)
		memcpy(iso, text.data + form->order[0], 4);
	if (form->date) {
		memcpy(iso + 5, text.data + form->order[1], 2);
		memcpy(iso + 8, text.data + form->order[2], 2);
	}
	memcpy(iso + 11, text.data + form->order[3], 8);
	length = 19;
	zoned = add_rest((struct weir_slice){text.data + pattern, text.length - pattern},
	                 form->year, iso, &length);
	found->clock = zoned        ? WEIR_SERVER_CLOCK_UNIX
	               : form->year ? WEIR_SERVER_CLOCK_LOCAL
	                            : WEIR_SERVER_CLOCK_YEARLESS;
	found->daily = !form->date;
	return weir_parse_iso_ns(iso, length, &found->ns);
}

/* Parses the time at a place of the line, of which `before` is the byte before. */
static bool parse_at(struct weir_slice text, char before, struct found *found)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if ((!forms[i].bracket || before == '[') &&
		    (!forms[i].letter || (before && strchr("IWEV", before))) &&
		    fits(forms[i].pattern, text) && parse_form(&forms[i], text, found))
			return true;
	return false;
}

/* Finds the first time in a text. */
static bool find_time(struct weir_slice text, struct found *found)
{
	for (size_t i = 0; i < text.length; i++) {
		char before = i ? text.data[i - 1] : '\0';

		if (!isdigit((unsigned char)text.data[i]))
			continue;
		if (parse_at((struct weir_slice){text.data + i, text.length - i}, before, found))
			return true;
		while (i + 1 < text.length && isdigit((unsigned char)text.data[i + 1]))
			i++;
	}
	return false;
}

/* Adds the years or days that passed since the first time of the log. */
static int64_t unwrap(struct weir_serverlog *reading, const struct found *found)
{
	int64_t period = found->daily ? DAY_NS : YEAR_NS;
	int64_t now = found->ns + reading->offset_ns;

	if (found->clock != WEIR_SERVER_CLOCK_YEARLESS)
		return found->ns;
	if (reading->last_ns != INT64_MIN && now < reading->last_ns - period / 2 &&
	    reading->offset_ns < INT64_MAX / 4) {
		reading->offset_ns += period;
		now += period;
	}
	reading->last_ns = now;
	return now;
}

/* Finds the time that Docker adds to a line in JSON. */
static bool find_of_docker(struct weir_slice line, struct found *found)
{
	const char *time;

	if (!weir_slice_starts(line, "{\"log\":\""))
		return false;
	time = weir_slice_find(line, "\"time\":\"");
	return time &&
	       find_time((struct weir_slice){time, (size_t)(line.data + line.length - time)},
	                 found);
}

int64_t weir_serverlog_time(struct weir_serverlog *reading, struct weir_slice stated)
{
	struct weir_slice head = reading->line;
	struct weir_server_log *log = reading->log;
	struct found found = {0}, own;
	bool any;

	head.length = head.length < SEARCHED ? head.length : SEARCHED;
	any = find_of_docker(reading->line, &found) || find_time(head, &found);
	if (stated.length && find_time(stated, &own) && (!any || found.clock <= own.clock)) {
		found = own;
		any = true;
	}
	if (any && log->clock == WEIR_SERVER_CLOCK_NONE) {
		log->clock = found.clock;
		reading->daily = found.daily;
	}
	if (any && found.clock == log->clock && found.daily == reading->daily)
		return unwrap(reading, &found);
	if (log->clock != WEIR_SERVER_CLOCK_NONE)
		weir_input_warn(reading->input, WEIR_WARN_NO_TIME, reading->at, NULL);
	return WEIR_NO_TIME;
}
