/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of integers come back as they were written, and bytes that were not written so are
 * reported as failed, without a read beyond their end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/part/planes.h"
#include "tests/unit/near.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define TOP             (UINT64_C(1) << 63)
#define MOST_VALUES     300
/* Bytes of an integer column before its planes: the prediction and the number of planes. */
#define COLUMN_HEAD 2

static const enum weir_predict predictions[] = {WEIR_PREDICT_NOTHING, WEIR_PREDICT_PREVIOUS,
                                                WEIR_PREDICT_NONZERO};

/* A struct with a member of each width, so that columns have a stride. */
struct row {
	uint8_t one;
	uint16_t two;
	uint32_t four;
	uint64_t eight;
};

static const struct {
	size_t offset, width;
} members[] = {
	{offsetof(struct row, one), 1},
	{offsetof(struct row, two), 2},
	{offsetof(struct row, four), 4},
	{offsetof(struct row, eight), 8},
};

static void pass_member(struct weir_planes *planes, struct row *rows, size_t count, size_t m,
                        enum weir_predict predict)
{
	weir_planes_integers(planes, (char *)rows + members[m].offset, members[m].width,
	                     sizeof(*rows), count, predict);
}

static void expect_back(struct row *rows, size_t count)
{
	struct weir_text bytes = {0};
	struct weir_planes writer = {.out = &bytes}, reader;
	struct row *back = calloc(count + 1, sizeof(*back));

	assert_non_null(back);
	for (size_t p = 0; p < COUNT_OF(predictions); p++) {
		weir_text_clear(&bytes);
		for (size_t m = 0; m < COUNT_OF(members); m++)
			pass_member(&writer, rows, count, m, predictions[p]);
		reader = (struct weir_planes){.in = (uint8_t *)bytes.data, .left = bytes.length};
		for (size_t m = 0; m < COUNT_OF(members); m++)
			pass_member(&reader, back, count, m, predictions[p]);
		assert_false(reader.failed);
		assert_int_equal(reader.left, 0);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(back[i].one, rows[i].one);
			assert_int_equal(back[i].two, rows[i].two);
			assert_int_equal(back[i].four, rows[i].four);
			assert_true(back[i].eight == rows[i].eight);
		}
	}
	free(back);
	weir_text_release(&bytes);
}

static void columns_of_every_width_and_prediction_come_back(void **state)
{
	static const uint64_t special[] = {0,          1,       255, 256,     65535,     65536,
	                                   UINT32_MAX, TOP - 1, TOP, TOP + 1, UINT64_MAX};
	struct row rows[MOST_VALUES];
	uint64_t seed = 7;

	(void)state;
	for (size_t count = 0; count < MOST_VALUES; count = count * 2 + 1)
		for (unsigned kind = 0; kind < 3; kind++) {
			for (size_t i = 0; i < count; i++) {
				uint64_t random = next_number(&seed);
				uint64_t value = kind == 0   ? special[random % COUNT_OF(special)]
				                 : kind == 1 ? random
				                             : i * 1000 + random % 7;

				rows[i] = (struct row){(uint8_t)value, (uint16_t)value,
				                       (uint32_t)value, value};
			}
			expect_back(rows, count);
		}
}

/* The difference 2^63 would have the code of a zero; those beside it have their own. */
static void the_difference_without_a_code_is_written_without_prediction(void **state)
{
	static const struct {
		uint64_t values[3];
		enum weir_predict used;
	} cases[] = {
		{{TOP, 0, 1}, WEIR_PREDICT_NOTHING},
		{{TOP - 1, 0, 1}, WEIR_PREDICT_NONZERO},
		{{TOP + 1, 0, 2}, WEIR_PREDICT_NONZERO},
		{{5, 0, TOP + 5}, WEIR_PREDICT_NOTHING},
		{{5, TOP + 4, 0}, WEIR_PREDICT_NONZERO},
		{{UINT64_MAX, TOP - 1, 0}, WEIR_PREDICT_NOTHING},
		{{0, 0, 0}, WEIR_PREDICT_NONZERO},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct weir_text bytes = {0};
		struct weir_planes writer = {.out = &bytes}, reader;
		uint64_t values[3], back[3];

		memcpy(values, cases[i].values, sizeof(values));
		weir_planes_integers(&writer, values, 8, 8, 3, WEIR_PREDICT_NONZERO);
		assert_int_equal(bytes.data[0], cases[i].used);
		reader = (struct weir_planes){.in = (uint8_t *)bytes.data, .left = bytes.length};
		weir_planes_integers(&reader, back, 8, 8, 3, WEIR_PREDICT_NONZERO);
		assert_false(reader.failed);
		assert_memory_equal(back, cases[i].values, sizeof(back));
		weir_text_release(&bytes);
	}
}

static void differences_from_another_column_come_back(void **state)
{
	uint64_t starts[] = {0, TOP, UINT64_MAX, 100, 5}, ends[] = {UINT64_MAX, 0, TOP, 107, 5};
	uint64_t back[COUNT_OF(ends)];
	struct weir_text bytes = {0};
	struct weir_planes writer = {.out = &bytes}, reader;

	(void)state;
	weir_planes_from(&writer, ends, starts, COUNT_OF(ends));
	weir_planes_from(&writer, NULL, NULL, 0);
	reader = (struct weir_planes){.in = (uint8_t *)bytes.data, .left = bytes.length};
	weir_planes_from(&reader, back, starts, COUNT_OF(ends));
	weir_planes_from(&reader, NULL, NULL, 0);
	assert_false(reader.failed);
	assert_int_equal(reader.left, 0);
	assert_memory_equal(back, ends, sizeof(ends));
	weir_text_release(&bytes);
}

/* Small differences take one plane, regardless of the size and sign of the values. */
static void steady_columns_take_a_byte_a_row(void **state)
{
	static const struct {
		int64_t step;
		size_t planes;
	} cases[] = {{0, 1}, {127, 1}, {-128, 1}, {128, 2}, {-129, 2}, {40000, 3}};

	(void)state;
	for (size_t c = 0; c < COUNT_OF(cases); c++) {
		struct weir_text bytes = {0};
		struct weir_planes writer = {.out = &bytes};
		int64_t values[100];

		for (size_t i = 0; i < COUNT_OF(values); i++)
			values[i] = (int64_t)i * cases[c].step;
		weir_planes_integers(&writer, values, 8, 8, COUNT_OF(values),
		                     WEIR_PREDICT_PREVIOUS);
		assert_int_equal(bytes.length, COLUMN_HEAD + cases[c].planes * COUNT_OF(values));
		weir_text_release(&bytes);
	}
}

static void cut_columns_fail_and_read_zeros(void **state)
{
	uint32_t values[50], back[50];
	struct weir_text bytes = {0};
	struct weir_planes writer = {.out = &bytes};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(values); i++)
		values[i] = (uint32_t)(i * i * 977);
	weir_planes_integers(&writer, values, 4, 4, COUNT_OF(values), WEIR_PREDICT_NOTHING);
	for (size_t cut = 0; cut < bytes.length; cut++) {
		uint8_t *copy = malloc(cut + 1); /* a separate block shows reads beyond its end */
		struct weir_planes reader = {.in = copy, .left = cut};

		assert_non_null(copy);
		memcpy(copy, bytes.data, cut);
		memset(back, 0xff, sizeof(back));
		weir_planes_integers(&reader, back, 4, 4, COUNT_OF(back), WEIR_PREDICT_NOTHING);
		assert_true(reader.failed);
		assert_int_equal(reader.left, 0);
		for (size_t i = 0; i < COUNT_OF(back); i++)
			assert_int_equal(back[i], 0);
		/* It stays failed: nothing is read after the damage. */
		weir_planes_integers(&reader, back, 4, 4, 1, WEIR_PREDICT_NOTHING);
		assert_true(reader.failed);
		free(copy);
	}
	weir_text_release(&bytes);
}

static bool reads(const uint8_t *bytes, size_t length, size_t count, enum weir_predict predict)
{
	struct weir_planes reader = {.in = bytes, .left = length};
	uint64_t values[4] = {0};

	weir_planes_integers(&reader, values, 8, 8, count, predict);
	return !reader.failed;
}

static void heads_of_columns_that_nobody_wrote_fail(void **state)
{
	static const uint8_t plain[] = {WEIR_PREDICT_NOTHING, 1, 5};
	uint8_t wide[] = {WEIR_PREDICT_NOTHING, 8, 1, 2, 3, 4, 5, 6, 7, 8};
	uint8_t other[] = {WEIR_PREDICT_PREVIOUS, 1, 5};

	(void)state;
	assert_true(reads(plain, sizeof(plain), 1, WEIR_PREDICT_NOTHING));
	assert_true(reads(plain, sizeof(plain), 1, WEIR_PREDICT_PREVIOUS));
	assert_true(reads(other, sizeof(other), 1, WEIR_PREDICT_PREVIOUS));
	assert_false(reads(other, sizeof(other), 1, WEIR_PREDICT_NOTHING));
	assert_false(reads(other, sizeof(other), 1, WEIR_PREDICT_NONZERO));
	other[0] = 3;
	assert_false(reads(other, sizeof(other), 1, WEIR_PREDICT_PREVIOUS));
	assert_true(reads(wide, sizeof(wide), 1, WEIR_PREDICT_NOTHING));
	wide[1] = 9;
	assert_false(reads(wide, sizeof(wide), 1, WEIR_PREDICT_NOTHING));
	wide[1] = 0;
	assert_false(reads(wide, sizeof(wide), 1, WEIR_PREDICT_NOTHING));
	assert_false(reads(wide, sizeof(wide), 0, WEIR_PREDICT_NOTHING));
}

static bool counts(uint64_t count, size_t rest, size_t most, size_t bytes)
{
	struct weir_text text = {0};
	struct weir_planes writer = {.out = &text}, reader;
	size_t value = (size_t)count;
	bool fine;

	weir_planes_count(&writer, &value, 0, 0);
	for (size_t i = 0; i < rest; i++)
		weir_text_add(&text, "", 1);
	reader = (struct weir_planes){.in = (uint8_t *)text.data, .left = text.length};
	weir_planes_count(&reader, &value, most, bytes);
	fine = !reader.failed;
	assert_int_equal(value, fine ? count : 0);
	weir_text_release(&text);
	return fine;
}

static void counts_beyond_the_limit_or_the_bytes_fail(void **state)
{
	(void)state;
	assert_true(counts(10, 0, 10, 0));
	assert_false(counts(11, 0, 10, 0));
	assert_true(counts(10, 30, 10, 3));
	assert_true(counts(10, 39, 10, 3));
	assert_false(counts(10, 29, 10, 3));
	assert_false(counts(UINT64_MAX, 100, SIZE_MAX, 1));
	assert_false(counts(UINT64_MAX / 8 + 1, 100, SIZE_MAX, 8));
	assert_true(counts(0, 0, 0, 1));
}

static void bytes_come_back_or_fail(void **state)
{
	struct weir_text text = {0};
	struct weir_planes writer = {.out = &text}, reader;
	char name[] = "gemm", back[8];

	(void)state;
	weir_planes_bytes(&writer, name, 4);
	reader = (struct weir_planes){.in = (uint8_t *)text.data, .left = text.length};
	weir_planes_bytes(&reader, back, 3);
	assert_memory_equal(back, "gem", 3);
	assert_int_equal(reader.left, 1);
	weir_planes_bytes(&reader, back, 0);
	assert_false(reader.failed);
	weir_planes_bytes(&reader, back, 2);
	assert_true(reader.failed);
	assert_memory_equal(back, "\0\0", 2);
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_every_width_and_prediction_come_back),
		cmocka_unit_test(the_difference_without_a_code_is_written_without_prediction),
		cmocka_unit_test(differences_from_another_column_come_back),
		cmocka_unit_test(steady_columns_take_a_byte_a_row),
		cmocka_unit_test(cut_columns_fail_and_read_zeros),
		cmocka_unit_test(heads_of_columns_that_nobody_wrote_fail),
		cmocka_unit_test(counts_beyond_the_limit_or_the_bytes_fail),
		cmocka_unit_test(bytes_come_back_or_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
