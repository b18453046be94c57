/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of integers in as few bytes as their range needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/narrow.h"
#include "engine/base/splitmix.h"

static unsigned width_of(int64_t least, int64_t most)
{
	const int64_t values[] = {most, least, most, least};
	struct weir_narrow column;
	unsigned width;

	weir_narrow_init(&column, values, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(weir_narrow_at(&column, i), values[i]);
	width = column.width;
	weir_narrow_release(&column);
	return width;
}

static void a_value_takes_the_bytes_of_the_range(void **state)
{
	(void)state;
	assert_int_equal(width_of(7, 7), 0);
	assert_int_equal(width_of(INT64_MIN, INT64_MIN), 0);
	assert_int_equal(width_of(7, 7 + 255), 1);
	assert_int_equal(width_of(7, 7 + 256), 2);
	assert_int_equal(width_of(-1, 65534), 2);
	assert_int_equal(width_of(-1, 65535), 3);
	assert_int_equal(width_of(-1, UINT32_MAX - INT64_C(1)), 4);
	assert_int_equal(width_of(0, UINT32_MAX + INT64_C(1)), 5);
	assert_int_equal(width_of(0, (INT64_C(1) << 56) - 1), 7);
	assert_int_equal(width_of(-1, (INT64_C(1) << 56) - 1), 8);
	assert_int_equal(width_of(INT64_MIN, INT64_MAX), 8);
}

static void random_values_come_back(void **state)
{
	enum { COUNT = 300 };
	int64_t values[COUNT];
	uint64_t random = 5;

	(void)state;
	for (unsigned bits = 1; bits <= 64; bits++) {
		struct weir_narrow column;

		for (size_t i = 0; i < COUNT; i++) {
			random = weir_splitmix64(random);
			values[i] = (int64_t)((random >> (64 - bits)) - bits * UINT64_C(1000));
		}
		weir_narrow_init(&column, values, COUNT);
		assert_int_equal(column.width, (bits + 7) / 8);
		for (size_t i = COUNT; i-- > 0;)
			assert_int_equal(weir_narrow_at(&column, i), values[i]);
		weir_narrow_release(&column);
	}
}

static void an_empty_column_takes_nothing(void **state)
{
	struct weir_narrow column;

	(void)state;
	weir_narrow_init(&column, NULL, 0);
	assert_null(column.bytes);
	assert_int_equal(column.width, 0);
	weir_narrow_release(&column);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_takes_the_bytes_of_the_range),
		cmocka_unit_test(random_values_come_back),
		cmocka_unit_test(an_empty_column_takes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
