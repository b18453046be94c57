/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/model/run.h"
#include "tests/unit/near.h"

static void a_series_keeps_its_values_in_order(void **state)
{
	struct weir_run *run = weir_run_new();
	char name[] = "decode";

	(void)state;
	for (int i = 0; i < 1000; i++)
		weir_series_push(weir_series_get(&run->stages, name), i * 0.5);
	name[0] = 'x'; /* the name was copied */
	assert_int_equal(run->stages.count, 1);
	assert_int_equal(weir_series_find(&run->stages, "decode")->count, 1000);
	for (int i = 0; i < 1000; i++)
		assert_near(run->stages.items[0].value[i], i * 0.5, 0);
	weir_run_free(run);
}

static void series_are_told_apart_by_name_and_table(void **state)
{
	struct weir_run *run = weir_run_new();

	(void)state;
	weir_series_push(weir_series_get(&run->operators, "decode/aten::mm"), 1);
	weir_series_push(weir_series_get(&run->operators, "decode/aten::bmm"), 2);
	weir_series_push(weir_series_get(&run->metrics, "decode/aten::mm"), 3);
	assert_int_equal(run->operators.count, 2);
	assert_near(weir_series_find(&run->operators, "decode/aten::bmm")->value[0], 2, 0);
	assert_near(weir_series_find(&run->metrics, "decode/aten::mm")->value[0], 3, 0);
	assert_null(weir_series_find(&run->stages, "decode/aten::mm"));
	assert_null(weir_series_find(&run->operators, "decode"));
	weir_run_free(run);
}

static void a_label_replaces_the_one_before(void **state)
{
	struct weir_run *run = weir_run_new();

	(void)state;
	assert_null(weir_run_label(run, "gpu"));
	weir_run_set_label(run, "gpu", "H200");
	weir_run_set_label(run, "commit", "abc");
	weir_run_set_label(run, "gpu", "H100");
	assert_int_equal(run->label_count, 2);
	assert_string_equal(weir_run_label(run, "gpu"), "H100");
	weir_run_set_label(run, "gpu", weir_run_label(run, "gpu"));
	assert_string_equal(weir_run_label(run, "gpu"), "H100");
	weir_run_free(run);
	weir_run_free(NULL);
}

static void a_table_finds_every_series_after_empty_ones_left(void **state)
{
	struct weir_run *run = weir_run_new();
	char name[16];

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct weir_series *series;

		snprintf(name, sizeof name, "s%d", i);
		series = weir_series_get(&run->stages, name);
		if (i % 3)
			weir_series_push(series, i);
	}
	assert_int_equal(weir_series_drop_empty(&run->stages), 2000);
	assert_int_equal(run->stages.count, 2000);
	for (int i = 0; i < 3000; i++) {
		const struct weir_series *series;

		snprintf(name, sizeof name, "s%d", i);
		series = weir_series_find(&run->stages, name);
		assert_true((series != NULL) == (i % 3 != 0));
		assert_true(!series || series->value[0] == i);
	}
	weir_run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_finds_every_series_after_empty_ones_left),
		cmocka_unit_test(a_series_keeps_its_values_in_order),
		cmocka_unit_test(series_are_told_apart_by_name_and_table),
		cmocka_unit_test(a_label_replaces_the_one_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
