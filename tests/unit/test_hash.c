/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/hash.h"
#include "engine/base/names.h"
#include "engine/base/rowmap.h"

#define COUNT 20000u

static int by_value(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static size_t distinct(uint64_t *values, size_t count)
{
	size_t kinds = count > 0;

	qsort(values, count, sizeof *values, by_value);
	for (size_t i = 1; i < count; i++)
		kinds += values[i] != values[i - 1];
	return kinds;
}

/* Makes a text of 16 bytes whose stable hashes are equal: the second word undoes the
 * first. */
static void make_colliding(uint64_t number, char text[16])
{
	uint64_t hash = 16 * UINT64_C(0x9e3779b97f4a7c15), second;

	hash = (hash ^ number) * UINT64_C(0x9fb21c651e98df25);
	hash ^= hash >> 32;
	second = hash ^ UINT64_C(0x1234567890abcdef);
	memcpy(text, &number, 8);
	memcpy(text + 8, &second, 8);
}

static void texts_chosen_to_collide_are_spread_by_the_key(void **state)
{
	uint64_t *stable = malloc(COUNT * sizeof *stable), *keyed = malloc(COUNT * sizeof *keyed);

	(void)state;
	for (uint64_t i = 0; i < COUNT; i++) {
		char text[16];

		make_colliding(i, text);
		stable[i] = weir_hash_stable(text, 16, 0);
		keyed[i] = weir_hash_text(text, 16, 0) >> 32;
	}
	assert_int_equal(distinct(stable, COUNT), 1);
	assert_true(distinct(keyed, COUNT) > COUNT - 100);
	free(stable);
	free(keyed);
}

/* Numbers that are equal in the bits that a multiplication by a known constant leaves at the top.
 */
static void numbers_chosen_to_collide_are_spread_by_the_key(void **state)
{
	uint64_t *words = malloc(COUNT * sizeof *words), *pairs = malloc(COUNT * sizeof *pairs);
	uint64_t inverse = UINT64_C(0xf1de83e19937733d); /* of 0x9e3779b97f4a7c15 modulo 2^64 */

	(void)state;
	assert_true(inverse * UINT64_C(0x9e3779b97f4a7c15) == 1);
	for (uint64_t i = 0; i < COUNT; i++) {
		words[i] = weir_rowmap_hash(i * inverse);
		pairs[i] = weir_rowmap_hash_pair(i * UINT64_C(0x9fb21c651e98df25), i);
	}
	assert_true(distinct(words, COUNT) > COUNT - 100);
	assert_true(distinct(pairs, COUNT) > COUNT - 100);
	free(words);
	free(pairs);
}

/* Texts of all lengths that differ in one byte. */
static void every_byte_of_a_text_counts(void **state)
{
	char text[40];

	(void)state;
	for (size_t length = 1; length <= sizeof text; length++) {
		uint64_t hash;

		memset(text, 'a', sizeof text);
		hash = weir_hash_text(text, length, 7);
		assert_true(hash != weir_hash_text(text, length - 1, 7));
		assert_true(hash != weir_hash_text(text, length, 8));
		for (size_t at = 0; at < length; at++) {
			text[at] = 'b';
			assert_true(hash != weir_hash_text(text, length, 7));
			text[at] = 'a';
		}
	}
}

/* The ids of names are in order of their appearance, with any key. */
static void ids_of_names_do_not_depend_on_the_key(void **state)
{
	struct weir_names *names = weir_names_new();
	uint32_t first = 0;

	(void)state;
	for (uint64_t i = 0; i < COUNT; i++) {
		char text[16];
		uint32_t id;

		make_colliding(i, text);
		id = weir_names_add(names, text, sizeof text);
		first = i ? first : id;
		assert_int_equal(id, first + i);
	}
	weir_names_free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_chosen_to_collide_are_spread_by_the_key),
		cmocka_unit_test(numbers_chosen_to_collide_are_spread_by_the_key),
		cmocka_unit_test(every_byte_of_a_text_counts),
		cmocka_unit_test(ids_of_names_do_not_depend_on_the_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
