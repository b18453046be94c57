/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "ci/policy/day.h"
#include "engine/base/text.h"

struct day {
	int64_t year, month, day;
};

static int64_t days_of_month(int64_t year, int64_t month)
{
	static const int64_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

static bool read_day(const char *text, struct day *out)
{
	static const char form[] = "dddd-dd-dd";

	for (size_t i = 0; i < sizeof form; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
	return weir_parse_i64(text, 4, &out->year) &&
	       weir_parse_i64(text + strlen("2027-"), 2, &out->month) && out->month >= 1 &&
	       out->month <= 12 && weir_parse_i64(text + strlen("2027-01-"), 2, &out->day) &&
	       out->day >= 1 && out->day <= days_of_month(out->year, out->month);
}

bool weir_day_is_valid(const char *text)
{
	struct day day;

	return read_day(text, &day);
}

bool weir_day_after(const char *day, int days, char out[WEIR_DAY_SIZE])
{
	struct day at;

	if (!read_day(day, &at))
		return false;
	for (; days > 0; days--) {
		if (at.day++ < days_of_month(at.year, at.month))
			continue;
		at.day = 1;
		at.year += at.month == 12;
		at.month = at.month % 12 + 1;
	}
	return at.year <= 9999 &&
	       snprintf(out, WEIR_DAY_SIZE, "%04d-%02d-%02d", (int)at.year % 10000,
	                (int)at.month % 100, (int)at.day % 100) == WEIR_DAY_SIZE - 1;
}
