/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/library.h"

struct calls {
	double (*cos)(double);
	double (*sqrt)(double);
};

static struct weir_library math(struct calls *calls, const char *const *names)
{
	return (struct weir_library){
		.file = "libm.so.6",
		.package = "libc6",
		.names = names,
		.count = 2,
		.calls = calls,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
}

static void calls_are_those_of_the_library(void **state)
{
	static const char *const names[] = {"cos", "sqrt"};
	struct calls calls = {0};
	struct weir_library library = math(&calls, names);
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_library_load(&library, &err), WEIR_OK);
	assert_true(calls.cos(0) == 1);
	assert_true(calls.sqrt(9) == 3);
}

static void a_loaded_library_is_not_loaded_again(void **state)
{
	static const char *const names[] = {"cos", "sqrt"};
	struct calls calls = {0};
	struct weir_library library = math(&calls, names);

	(void)state;
	assert_int_equal(weir_library_load(&library, NULL), WEIR_OK);
	library.file = "libabsent.so.1";
	assert_int_equal(weir_library_load(&library, NULL), WEIR_OK);
}

static void a_library_that_is_absent_names_its_package(void **state)
{
	static const char *const names[] = {"cos", "sqrt"};
	struct calls calls = {0};
	struct weir_library library = math(&calls, names);
	struct weir_error err = {0};

	(void)state;
	library.file = "libabsent.so.1";
	library.package = "libabsent1";
	assert_int_equal(weir_library_load(&library, &err), WEIR_E_IO);
	assert_non_null(strstr(err.message,
	                       "needs libabsent.so.1, which cannot be loaded: install libabsent1"));
	library.file = "libm.so.6"; /* a failure is not kept */
	assert_int_equal(weir_library_load(&library, &err), WEIR_OK);
}

static void a_library_without_a_call_is_refused(void **state)
{
	static const char *const names[] = {"cos", "no_such_call"};
	struct calls calls = {0};
	struct weir_library library = math(&calls, names);
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_library_load(&library, &err), WEIR_E_IO);
	assert_string_equal(err.message,
	                    "needs another version of libm.so.6, with no_such_call: install libc6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_those_of_the_library),
		cmocka_unit_test(a_loaded_library_is_not_loaded_again),
		cmocka_unit_test(a_library_that_is_absent_names_its_package),
		cmocka_unit_test(a_library_without_a_call_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
