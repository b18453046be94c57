/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/model/telemetry.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/monitor/script_date.h"

#define NS_PER_DAY    (INT64_C(86400) * 1000000000)
#define MAX_CELLS     256
#define DAYS_OF_MONTH 31
#define MONTHS        12

static const struct weir_csv_options commas = {.separator = ',', .quotes = true, .trim = true};

/* Takes a number of up to `most` digits off the text. Returns -1 without a digit. */
static int take_number(struct weir_slice *text, size_t most)
{
	size_t length = 0;
	int value = 0;

	while (length < text->length && length < most && text->data[length] >= '0' &&
	       text->data[length] <= '9')
		value = value * 10 + (text->data[length++] - '0');
	*text = (struct weir_slice){text->data + length, text->length - length};
	return length ? value : -1;
}

static bool take_mark(struct weir_slice *text, char mark)
{
	if (!text->length || *text->data != mark)
		return false;
	*text = (struct weir_slice){text->data + 1, text->length - 1};
	return true;
}

/* A date whose year stands last. */
struct date {
	int first, second, year;
	char mark;
	struct weir_slice clock;
};

static bool parse_date(struct weir_slice text, struct date *date)
{
	int64_t clock_ns;

	date->first = take_number(&text, 2);
	date->mark = text.length ? *text.data : '\0';
	if (date->first < 1 || !date->mark || !strchr("-/.", date->mark) ||
	    !take_mark(&text, date->mark))
		return false;
	date->second = take_number(&text, 2);
	if (date->second < 1 || !take_mark(&text, date->mark))
		return false;
	date->year = take_number(&text, 4);
	if (date->year < 1970 || (!take_mark(&text, ' ') && !take_mark(&text, 'T')))
		return false;
	date->clock = weir_slice_trim(text);
	return weir_monitor_clock(date->clock, &clock_ns);
}

/* Notes the order that a date shows. Returns true if the month is first. */
static bool is_month_first(struct weir_script_dates *dates, const struct date *date)
{
	if (date->mark == '.')
		return false;
	if (date->first > MONTHS || date->second > MONTHS) {
		dates->day_first |= date->first > MONTHS;
		dates->month_first |= date->second > MONTHS;
		return date->second > MONTHS;
	}
	dates->unclear |= date->first != date->second;
	return dates->swapped;
}

bool weir_script_date_take(struct weir_script_dates *dates, struct weir_slice cell,
                           char out[WEIR_SCRIPT_DATE_SIZE])
{
	struct date date;
	int day, month, length;

	if (!parse_date(cell, &date) || (date.first > MONTHS && date.second > MONTHS) ||
	    date.first > DAYS_OF_MONTH || date.second > DAYS_OF_MONTH)
		return false;
	day = is_month_first(dates, &date) ? date.second : date.first;
	month = day == date.first ? date.second : date.first;
	length = snprintf(out, WEIR_SCRIPT_DATE_SIZE, "%04d-%02d-%02dT%.*s", date.year, month, day,
	                  (int)date.clock.length, date.clock.data);
	return length > 0 && length < WEIR_SCRIPT_DATE_SIZE;
}

void weir_script_date_look(struct weir_script_dates *dates, const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[MAX_CELLS];
	char ignored[WEIR_SCRIPT_DATE_SIZE];

	while (weir_csv_take_line(&rest, &line)) {
		size_t count = weir_csv_split(line, &commas, cells, MAX_CELLS);

		for (size_t i = 0; i < count; i++)
			weir_script_date_take(dates, cells[i], ignored);
	}
	dates->swapped = dates->month_first && !dates->day_first;
}

/* Reads the date of a sample with day and month exchanged; dates that have one reading stay. */
static int64_t exchange(int64_t at_ns)
{
	int64_t day_ns = at_ns / NS_PER_DAY * NS_PER_DAY, other_ns;
	char text[40];
	int year, month, day;

	weir_monitor_civil(day_ns / NS_PER_DAY, &year, &month, &day);
	if (day > MONTHS)
		return at_ns;
	snprintf(text, sizeof text, "%04d%02d%02d", year, day, month);
	return weir_monitor_date(weir_slice_of(text), &other_ns) ? other_ns + at_ns - day_ns
	                                                         : at_ns;
}

void weir_script_date_conclude(const struct weir_script_dates *dates, struct weir_input *input)
{
	struct weir_telemetry *telemetry = input->telemetry;

	if (dates->unclear && !dates->day_first && !dates->month_first)
		weir_input_warn(input, WEIR_WARN_ASSUMED_DATE, UINT64_MAX, NULL);
	if (!dates->month_first || dates->day_first || dates->swapped)
		return;
	for (size_t i = 0; i < telemetry->count; i++)
		if (telemetry->samples[i].at_ns != WEIR_NO_TIME)
			telemetry->samples[i].at_ns = exchange(telemetry->samples[i].at_ns);
	/* The order of the rows was judged by dates that were not theirs. */
	input->warnings[WEIR_WARN_CLOCK_BACKWARDS] = (struct weir_warning){0};
}
