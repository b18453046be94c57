/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting of input that is often sorted already. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/sort.h"
#include "engine/base/splitmix.h"

#define COUNT 200

static size_t compared;

static int by_value(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	compared++;
	return (a > b) - (a < b);
}

static void any_order_ends_up_sorted(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (size_t round = 0; round < 50; round++) {
		int64_t values[COUNT], expected[COUNT];

		for (size_t i = 0; i < COUNT; i++)
			values[i] = (int64_t)(weir_splitmix64(seed++) % 100);
		memcpy(expected, values, sizeof values);
		qsort(expected, COUNT, sizeof *expected, by_value);
		weir_sort(values, COUNT, sizeof *values, by_value);
		assert_memory_equal(values, expected, sizeof values);
	}
}

static void what_is_in_order_costs_one_pass(void **state)
{
	int64_t values[COUNT];

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		values[i] = (int64_t)(i / 3);
	compared = 0;
	weir_sort(values, COUNT, sizeof *values, by_value);
	assert_int_equal(compared, COUNT - 1);
}

static void the_last_two_out_of_order_are_seen(void **state)
{
	int64_t values[] = {1, 2, 4, 3};

	(void)state;
	weir_sort(values, 4, sizeof *values, by_value);
	assert_int_equal(values[2], 3);
	assert_int_equal(values[3], 4);
}

struct pair {
	int32_t key, arrival;
	int64_t filler;
};

static int by_key(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	return (a->key > b->key) - (a->key < b->key);
}

/* Lists of several ascending runs, of which the last is short, and of equal items. */
static void equal_items_keep_their_order(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (size_t count = 0; count < COUNT; count++) {
		struct pair items[COUNT];
		size_t run = 1 + weir_splitmix64(seed++) % 40;

		for (size_t i = 0; i < count; i++)
			items[i] = (struct pair){(int32_t)(i % run / 2), (int32_t)i, -1};
		weir_sort(items, count, sizeof *items, by_key);
		for (size_t i = 1; i < count; i++) {
			assert_true(items[i - 1].key <= items[i].key);
			assert_true(items[i - 1].key < items[i].key ||
			            items[i - 1].arrival < items[i].arrival);
		}
	}
}

static void nothing_and_one_are_sorted(void **state)
{
	int64_t value = 5;

	(void)state;
	weir_sort(NULL, 0, sizeof value, by_value);
	weir_sort(&value, 1, sizeof value, by_value);
	assert_int_equal(value, 5);
}

/* The first numbers of the published generator from the states 0 and 1234567. */
static void splitmix_gives_the_published_numbers(void **state)
{
	(void)state;
	assert_true(weir_splitmix64(0) == UINT64_C(0xe220a8397b1dcdaf));
	assert_true(weir_splitmix64(1234567) == UINT64_C(6457827717110365317));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splitmix_gives_the_published_numbers),
		cmocka_unit_test(any_order_ends_up_sorted),
		cmocka_unit_test(what_is_in_order_costs_one_pass),
		cmocka_unit_test(the_last_two_out_of_order_are_seen),
		cmocka_unit_test(equal_items_keep_their_order),
		cmocka_unit_test(nothing_and_one_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
