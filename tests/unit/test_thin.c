/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/parts/thin.h"
#include "tests/unit/near.h"

#define MOST ((size_t)1024)

/* Returns the kept values of 0, 1, ... count - 1. */
static struct weir_run *thinned(size_t count, bool *dropped)
{
	struct weir_run *run = weir_run_new();
	struct weir_thin thin;

	weir_thin_init(&thin, MOST);
	for (size_t i = 0; i < count; i++)
		weir_thin_add(&thin, (int64_t)i);
	weir_thin_finish(&thin, weir_series_get(&run->stages, "s"));
	*dropped = weir_thin_dropped(&thin);
	weir_thin_release(&thin);
	return run;
}

static void few_samples_are_all_kept(void **state)
{
	static const size_t counts[] = {0, 1, 2, 1000, MOST};

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		bool dropped;
		struct weir_run *run = thinned(counts[i], &dropped);
		const struct weir_series *series = weir_series_find(&run->stages, "s");

		assert_false(dropped);
		assert_int_equal(series->count, counts[i]);
		for (size_t j = 0; j < series->count; j++)
			assert_true(series->value[j] == (double)j);
		weir_run_free(run);
	}
}

static void one_of_each_run_of_samples_is_kept_in_order(void **state)
{
	static const size_t counts[] = {MOST + 1, 2 * MOST - 1, 2 * MOST, 3 * MOST + 5, 77777};

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		bool dropped;
		struct weir_run *run = thinned(counts[i], &dropped);
		const struct weir_series *series = weir_series_find(&run->stages, "s");
		size_t length = 1;

		while (length * MOST < counts[i])
			length *= 2;
		assert_true(dropped);
		assert_int_equal(series->count, (counts[i] + length - 1) / length);
		for (size_t j = 0; j < series->count; j++)
			assert_true(series->value[j] >= (double)(j * length) &&
			            series->value[j] < (double)((j + 1) * length) &&
			            series->value[j] < (double)counts[i]);
		weir_run_free(run);
	}
}

static void a_rhythm_in_the_samples_is_not_kept_in_time_with(void **state)
{
	struct weir_run *run = weir_run_new();
	struct weir_series *series = weir_series_get(&run->stages, "s");
	struct weir_thin thin;
	double sum = 0;

	(void)state;
	weir_thin_init(&thin, 1 << 14);
	for (int i = 0; i < 1 << 18; i++)
		weir_thin_add(&thin, i % 4 == 3 ? 4 : 0);
	weir_thin_finish(&thin, series);
	for (size_t i = 0; i < series->count; i++)
		sum += series->value[i];
	assert_near(sum / (double)series->count, 1, 0.05);
	weir_thin_release(&thin);
	weir_run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_samples_are_all_kept),
		cmocka_unit_test(one_of_each_run_of_samples_is_kept_in_order),
		cmocka_unit_test(a_rhythm_in_the_samples_is_not_kept_in_time_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
