/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baselines/codec.h"

#define SALT 42

/* Encodes, decodes and compares bit for bit; returns the size of the blob. */
static size_t assert_lossless(const double *values, size_t count)
{
	double *back = malloc((count + 1) * sizeof(*back));
	struct weir_text blob = {0};
	struct weir_error err = {0};
	size_t size;

	assert_non_null(back);
	assert_int_equal(weir_codec_encode(values, count, SALT, &blob, &err), WEIR_OK);
	assert_int_equal(weir_codec_decode(blob.data, blob.length, SALT, back, count, &err),
	                 WEIR_OK);
	assert_memory_equal(back, values, count * sizeof(*back));
	size = blob.length;
	weir_text_release(&blob);
	free(back);
	return size;
}

#define ASSERT_LOSSLESS(...)                                                                       \
	assert_lossless((const double[]){__VA_ARGS__},                                             \
	                sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void every_double_comes_back_bit_for_bit(void **state)
{
	(void)state;
	ASSERT_LOSSLESS(1, 2, 3);
	ASSERT_LOSSLESS(0);
	ASSERT_LOSSLESS(-0.0, 0.0);
	ASSERT_LOSSLESS(0.1, 0.2, 0.3, 61.2);
	ASSERT_LOSSLESS(-5, 5, -1e15, 1e15);
	ASSERT_LOSSLESS(9007199254740991.0, 9007199254740992.0, 9007199254740994.0);
	ASSERT_LOSSLESS(1e300, DBL_MIN, DBL_MAX, 5e-324, INFINITY, -INFINITY, NAN);
	ASSERT_LOSSLESS(1.0 / 3, 3410000.0000000005);
	ASSERT_LOSSLESS(123456789012345.0, 0.000001); /* no tick holds both */
	assert_lossless(NULL, 0);
}

static void random_series_of_every_kind_come_back(void **state)
{
	uint64_t seed = 88172645463325252u; /* xorshift, Marsaglia 2003 */
	double values[777];

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		for (size_t i = 0; i < 777; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			switch (round % 3) {
			case 0: /* whole nanoseconds */
				values[i] = (double)(seed >> (round % 60));
				break;
			case 1: /* decimals */
				values[i] = (double)(seed % 1000000) / 1000;
				break;
			default: /* any bits */
				memcpy(&values[i], &seed, sizeof(seed));
			}
		}
		assert_lossless(values, 1 + round * 2);
	}
}

static void whole_nanoseconds_take_two_bytes_or_so(void **state)
{
	double values[1000];
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		values[i] = 571234 + (double)(seed >> 50); /* spread over 16 us */
	}
	assert_true(assert_lossless(values, 1000) < 2600);
	for (size_t i = 0; i < 1000; i++)
		values[i] = 112;
	assert_true(assert_lossless(values, 1000) < 60);
}

static void a_damaged_blob_is_never_taken_for_samples(void **state)
{
	double values[64], back[64];
	struct weir_text blob = {0};

	(void)state;
	for (size_t i = 0; i < 64; i++)
		values[i] = (double)(i * i * 37 % 1009);
	assert_int_equal(weir_codec_encode(values, 64, SALT, &blob, NULL), WEIR_OK);
	for (size_t cut = 0; cut < blob.length; cut++)
		assert_int_equal(weir_codec_decode(blob.data, cut, SALT, back, 64, NULL),
		                 WEIR_E_FORMAT);
	for (size_t bit = 0; bit < 8 * blob.length; bit++) {
		blob.data[bit / 8] ^= (char)(1 << bit % 8);
		if (!weir_codec_decode(blob.data, blob.length, SALT, back, 64, NULL))
			assert_memory_equal(back, values, sizeof(values));
		blob.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	weir_text_release(&blob);
}

static void another_number_of_values_is_refused(void **state)
{
	const double ticks[] = {1, 2, 3}, patterns[] = {1.0 / 3, 2.0 / 7, 1e-300};
	const double *const series[] = {ticks, patterns};
	double back[8];

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct weir_text blob = {0};

		assert_int_equal(weir_codec_encode(series[s], 3, SALT, &blob, NULL), WEIR_OK);
		for (size_t count = 0; count < 8; count++)
			assert_int_equal(
				weir_codec_decode(blob.data, blob.length, SALT, back, count, NULL),
				count == 3 ? WEIR_OK : WEIR_E_FORMAT);
		assert_int_equal(weir_codec_decode(blob.data, blob.length, SALT, back,
		                                   (size_t)WEIR_CODEC_MAX_VALUES + 1, NULL),
		                 WEIR_E_FORMAT);
		assert_int_equal(weir_codec_decode(blob.data, blob.length, SALT + 1, back, 3, NULL),
		                 WEIR_E_FORMAT);
		weir_text_release(&blob);
	}
	assert_int_equal(weir_codec_encode(ticks, (size_t)WEIR_CODEC_MAX_VALUES + 1, SALT,
	                                   &(struct weir_text){0}, NULL),
	                 WEIR_E_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_double_comes_back_bit_for_bit),
		cmocka_unit_test(random_series_of_every_kind_come_back),
		cmocka_unit_test(whole_nanoseconds_take_two_bytes_or_so),
		cmocka_unit_test(a_damaged_blob_is_never_taken_for_samples),
		cmocka_unit_test(another_number_of_values_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
