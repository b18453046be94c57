/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instants of ISO 8601 as integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "engine/base/text.h"

#define NS_PER_S INT64_C(1000000000)

static void instants_become_nanoseconds(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {
		{"1970-01-01", 0},
		{"1970-01-01T00:00Z", 0},
		{"1969-12-31T23:59:59.999999999Z", -1},
		{"2025-05-01", 1746057600 * NS_PER_S},
		{"2025-05-01T00:00:00Z", 1746057600 * NS_PER_S},
		{"2025-05-01 00:00:00", 1746057600 * NS_PER_S},
		{"2025-05-01 00:00:00 UTC", 1746057600 * NS_PER_S},
		{"2025-05-01T02:00:00+02:00", 1746057600 * NS_PER_S},
		{"2025-05-01T02:00:00+0200", 1746057600 * NS_PER_S},
		{"2025-05-01T02:00:00 +02", 1746057600 * NS_PER_S},
		{"2025-04-30T18:30:00-05:30", 1746057600 * NS_PER_S},
		{"2025-05-01T00:00:00.25Z", 1746057600 * NS_PER_S + 250000000},
		{"2025-05-01T00:00:00.1234567899Z", 1746057600 * NS_PER_S + 123456789},
		{"2024-02-29T12:00:00Z", 1709208000 * NS_PER_S},
		{"2016-12-31T23:59:60Z", 1483228800 * NS_PER_S},
		{"1678-01-01", -9214560000 * NS_PER_S},
		{"2261-12-31T23:59:59.999999999", 9214646400 * NS_PER_S - 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t ns = 0;

		if (!weir_parse_iso_ns(cases[i].text, strlen(cases[i].text), &ns) ||
		    ns != cases[i].ns)
			fail_msg("\"%s\" gave %lld, expected %lld", cases[i].text, (long long)ns,
			         (long long)cases[i].ns);
	}
}

static void what_is_no_instant_is_refused_whole(void **state)
{
	static const char *const bad[] = {
		"",
		"5/1/25",
		"2025",
		"2025-05",
		"2025-5-1",
		"2025-05-00",
		"2025-00-01",
		"2025-13-01",
		"2025-04-31",
		"2025-02-29",
		"1900-02-29",
		"1677-12-31",
		"2262-01-01",
		"20250501",
		"2025-05-01T",
		"2025-05-01Z",
		"2025-05-01T06",
		"2025-05-01T24:00Z",
		"2025-05-01T06:60Z",
		"2025-05-01T06:00:61Z",
		"2025-05-01T06:00:00.Z",
		"2025-05-01T06:00:00,5Z",
		"2025-05-01T06:00:00 ",
		"2025-05-01T06:00:00Zx",
		"2025-05-01T06:00:00 CET",
		"2025-05-01T06:00:00+2",
		"2025-05-01T06:00:00+02:",
		"2025-05-01T06:00:00+02:60",
		"2025-05-01T06:00:00+02:000",
		" 2025-05-01",
		"-2025-05-01",
		"1746057600",
	};
	int64_t ns = 7;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (weir_parse_iso_ns(bad[i], strlen(bad[i]), &ns))
			fail_msg("\"%s\" was taken", bad[i]);
	assert_false(weir_parse_iso_ns(NULL, 0, &ns)); /* a text that a file left out */
	assert_int_equal(ns, 7);
}

/* The C library breaks days into dates by itself. */
static void every_day_of_the_range_is_itself(void **state)
{
	int64_t last_day = INT64_C(9214646400) / 86400;

	(void)state;
	for (int64_t day = -INT64_C(9214560000) / 86400; day < last_day; day++) {
		time_t seconds = (time_t)(day * 86400);
		struct tm parts;
		char text[64];
		int64_t ns = 0;

		assert_non_null(gmtime_r(&seconds, &parts));
		snprintf(text, sizeof text, "%04d-%02d-%02d", parts.tm_year + 1900,
		         parts.tm_mon + 1, parts.tm_mday);
		if (!weir_parse_iso_ns(text, strlen(text), &ns) || ns != day * 86400 * NS_PER_S)
			fail_msg("%s gave %lld", text, (long long)ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instants_become_nanoseconds),
		cmocka_unit_test(what_is_no_instant_is_refused_whole),
		cmocka_unit_test(every_day_of_the_range_is_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
