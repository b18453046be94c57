/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/text.h"
#include "engine/pipeline/clock.h"

#define SECONDS_PER_DAY 86400.0

static void write_time(char out[WEIR_CLOCK_SIZE], time_t moment)
{
	struct tm parts;

	if (!gmtime_r(&moment, &parts) ||
	    strftime(out, WEIR_CLOCK_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
		memcpy(out, "1970-01-01T00:00:00Z", WEIR_CLOCK_SIZE);
}

static time_t find_now(void)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	int64_t seconds;

	if (fixed && weir_parse_i64(fixed, strlen(fixed), &seconds))
		return (time_t)seconds;
	return time(NULL);
}

void weir_clock_now(char out[WEIR_CLOCK_SIZE])
{
	write_time(out, find_now());
}

void weir_clock_before(char out[WEIR_CLOCK_SIZE], size_t days)
{
	time_t now = find_now(), back = (time_t)days * (time_t)SECONDS_PER_DAY;

	write_time(out, now > back ? now - back : 0);
}

static int64_t number_at(const char *text, size_t at, size_t length)
{
	int64_t number = 0;

	return strlen(text) >= at + length && weir_parse_i64(text + at, length, &number) ? number
	                                                                                 : 0;
}

/* Returns the days since 0000-03-01 in the Gregorian calendar, whose years begin in March here so
 * that the leap day is the last. */
static int64_t day_of(const char *text)
{
	int64_t year = number_at(text, 0, 4), month = number_at(text, 5, 2),
		day = number_at(text, 8, 2);

	year -= month < 3;
	month = (month + 9) % 12;
	return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
}

static int64_t second_of(const char *text)
{
	return number_at(text, 11, 2) * 3600 + number_at(text, 14, 2) * 60 + number_at(text, 17, 2);
}

double weir_clock_days(const char *from, const char *to)
{
	return (double)(day_of(to) - day_of(from)) +
	       (double)(second_of(to) - second_of(from)) / SECONDS_PER_DAY;
}

void weir_clock_today(char out[WEIR_CLOCK_SIZE])
{
	weir_clock_now(out);
	out[10] = '\0';
}
