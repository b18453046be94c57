/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing of changes that --what-if accepts, and their meaning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/model/what_if.h"
#include "tests/unit/near.h"

static void a_change_is_a_class_and_a_factor(void **state)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"runtime", "CLASS=FACTOR"},
		{"=0", "no such class"},
		{"runtme=0", "did you mean runtime?"},
		{"undetermined=0", "no such class"},
		{"late_sink=0", "did you mean late_sync?"},
		{"a_class_name_that_is_longer_than_any_other=0", "no such class"},
		{"runtime=", "factor"},
		{"runtime=-1", "factor"},
		{"runtime=nan", "factor"},
		{"runtime=1001", "factor"},
		{"runtime=0x", "factor"},
	};
	struct weir_change change;
	struct weir_error err;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(weir_change_parse(wrong[i].text, &change, &err), WEIR_E_USAGE);
		assert_non_null(strstr(err.message, wrong[i].says));
	}
	assert_int_equal(weir_change_parse("memory=0.25", &change, &err), WEIR_OK);
	assert_string_equal(change.class_name, "memory");
	assert_near(change.factor, 0.25, 0);
	assert_int_equal(weir_change_parse("host_sync=2", &change, &err), WEIR_OK);
	assert_int_equal(change.of, WEIR_CHANGE_IDLE);
	assert_string_equal(change.class_name, "host_sync");
	assert_int_equal(weir_change_parse("late_sync=0", &change, &err), WEIR_OK);
	assert_int_equal(change.of, WEIR_CHANGE_PART);
	assert_string_equal(change.class_name, "late_sync");
}

static void the_lateness_of_the_host_is_one_class(void **state)
{
	static const char *const parts[] = {"dispatch=0", "python=0", "host_work=0"};
	struct weir_change compute, late, part;
	struct weir_error err;

	(void)state;
	assert_int_equal(weir_change_parse("host_compute=0", &compute, &err), WEIR_OK);
	assert_int_equal(weir_change_parse("host_late=0", &late, &err), WEIR_OK);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		assert_int_equal(weir_change_parse(parts[i], &part, &err), WEIR_OK);
		assert_int_equal(compute.idles & part.idles, part.idles);
		compute.idles &= ~part.idles;
	}
	assert_int_equal(compute.idles, 0);
	assert_int_equal(late.idles & WEIR_IDLE_BIT(WEIR_IDLE_LAUNCH_LATENCY),
	                 WEIR_IDLE_BIT(WEIR_IDLE_LAUNCH_LATENCY));
	assert_int_equal(late.idles & WEIR_IDLE_BIT(WEIR_IDLE_HOST_IDLE), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_a_class_and_a_factor),
		cmocka_unit_test(the_lateness_of_the_host_is_one_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
