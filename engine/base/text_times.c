/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>

#include "engine/base/text.h"

#define NS_PER_S    INT64_C(1000000000)
#define S_PER_DAY   INT64_C(86400)
#define FIRST_YEAR  1678 /* first of the whole years that int64 nanoseconds hold */
#define LAST_YEAR   2261
#define EPOCH_DAYS  719468 /* from 0000-03-01 to 1970-01-01 */
#define DAYS_OF_400 146097 /* in 400 years, after which the calendar repeats */

/* The unread part of the text. */
struct cursor {
	const char *at, *end;
};

static bool take(struct cursor *cursor, char c)
{
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

/* Takes exactly `digits` digits, with a value from low to high. */
static bool take_number(struct cursor *cursor, size_t digits, int64_t low, int64_t high,
                        int64_t *out)
{
	int64_t value = 0;

	if ((size_t)(cursor->end - cursor->at) < digits)
		return false;
	for (size_t i = 0; i < digits; i++, cursor->at++) {
		if (!isdigit((unsigned char)*cursor->at))
			return false;
		value = value * 10 + (*cursor->at - '0');
	}
	*out = value;
	return value >= low && value <= high;
}

static int64_t days_of_month(int64_t year, int64_t month)
{
	static const int64_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (leap && month == 2);
}

/* Returns the days since 1970. Years begin in March here, so that a leap day ends its year:
 * Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil. */
static int64_t days_since_epoch(int64_t year, int64_t month, int64_t day)
{
	int64_t shifted = year - (month <= 2), of_400 = shifted % 400;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return shifted / 400 * DAYS_OF_400 + of_400 * 365 + of_400 / 4 - of_400 / 100 +
	       day_of_year - EPOCH_DAYS;
}

static bool take_date(struct cursor *cursor, int64_t *days)
{
	int64_t year, month, day;

	if (!take_number(cursor, 4, FIRST_YEAR, LAST_YEAR, &year) || !take(cursor, '-') ||
	    !take_number(cursor, 2, 1, 12, &month) || !take(cursor, '-') ||
	    !take_number(cursor, 2, 1, days_of_month(year, month), &day))
		return false;
	*days = days_since_epoch(year, month, day);
	return true;
}

/* Takes the digits after the point, at least one. */
static bool take_fraction(struct cursor *cursor, int64_t *ns)
{
	const char *start = cursor->at;
	int64_t unit = NS_PER_S / 10;

	for (; cursor->at < cursor->end && isdigit((unsigned char)*cursor->at); cursor->at++) {
		*ns += unit * (*cursor->at - '0');
		unit /= 10;
	}
	return cursor->at > start;
}

/* Takes HH:MM, HH:MM:SS or HH:MM:SS.fraction; second 60 is a leap second. */
static bool take_time(struct cursor *cursor, int64_t *seconds, int64_t *ns)
{
	int64_t hour, minute, second = 0;

	if (!take_number(cursor, 2, 0, 23, &hour) || !take(cursor, ':') ||
	    !take_number(cursor, 2, 0, 59, &minute))
		return false;
	if (take(cursor, ':')) {
		if (!take_number(cursor, 2, 0, 60, &second))
			return false;
		if (take(cursor, '.') && !take_fraction(cursor, ns))
			return false;
	}
	*seconds = (hour * 60 + minute) * 60 + second;
	return true;
}

/* Takes an optional zone: "Z", "UTC", "+02:00", "+0200" or "+02", with an optional blank before it.
 */
static bool take_zone(struct cursor *cursor, int64_t *ahead_s)
{
	int64_t hour, minute = 0;
	bool behind;

	*ahead_s = 0;
	if (cursor->at == cursor->end)
		return true;
	take(cursor, ' ');
	if (take(cursor, 'Z'))
		return true;
	if (take(cursor, 'U'))
		return take(cursor, 'T') && take(cursor, 'C');
	behind = take(cursor, '-');
	if (!behind && !take(cursor, '+'))
		return false;
	if (!take_number(cursor, 2, 0, 23, &hour))
		return false;
	if ((take(cursor, ':') || cursor->at < cursor->end) &&
	    !take_number(cursor, 2, 0, 59, &minute))
		return false;
	*ahead_s = (hour * 60 + minute) * 60 * (behind ? -1 : 1);
	return true;
}

bool weir_parse_iso_ns(const char *text, size_t len, int64_t *out_ns)
{
	struct cursor cursor = {text, len > 0 ? text + len : text};
	int64_t days, seconds = 0, ns = 0, ahead_s = 0;

	if (!take_date(&cursor, &days))
		return false;
	if (cursor.at < cursor.end) {
		if (!take(&cursor, 'T') && !take(&cursor, ' '))
			return false;
		if (!take_time(&cursor, &seconds, &ns) || !take_zone(&cursor, &ahead_s))
			return false;
	}
	if (cursor.at != cursor.end)
		return false;
	*out_ns = (days * S_PER_DAY + seconds - ahead_s) * NS_PER_S + ns;
	return true;
}
