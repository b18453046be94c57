/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/pipeline/clock.h"

static void assert_days(const char *from, const char *to, double days)
{
	assert_true(weir_clock_days(from, to) == days);
	assert_true(weir_clock_days(to, from) == -days);
}

/* Computed with Python's datetime. */
static void days_follow_the_calendar(void **state)
{
	(void)state;
	assert_days("2026-11-20T14:00:00Z", "2026-11-20T14:00:00Z", 0);
	assert_days("2026-11-20T14:00:00Z", "2026-11-21T02:00:00Z", 0.5);
	assert_days("2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z", 1);
	assert_days("2027-02-28T00:00:00Z", "2027-03-01T00:00:00Z", 1);
	assert_days("2028-02-28T00:00:00Z", "2028-03-01T00:00:00Z", 2);
	assert_days("1999-12-31T00:00:00Z", "2000-03-01T00:00:00Z", 61);
	assert_days("2100-02-28T00:00:00Z", "2100-03-01T00:00:00Z", 1);
	assert_days("1970-01-01T00:00:00Z", "2026-11-23T00:00:00Z", 20780);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(days_follow_the_calendar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
