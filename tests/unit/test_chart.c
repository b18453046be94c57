/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes and labels of pictures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/report/drawing/chart.h"
#include "tests/unit/near.h"

static void places_are_shares_of_the_axis_and_stay_on_it(void **state)
{
	const struct weir_axis linear = {.low = 10, .high = 30};
	const struct weir_axis decades = {.low = 1, .high = 10000, .log = true};

	(void)state;
	assert_near(weir_axis_place(&linear, 15), 0.25, 1e-12);
	assert_near(weir_axis_place(&linear, 9), 0, 1e-12);
	assert_near(weir_axis_place(&linear, 31), 1, 1e-12);
	assert_near(weir_axis_place(&decades, 100), 0.5, 1e-12);
	assert_near(weir_axis_place(&decades, 0), 0, 1e-12);
	assert_near(weir_axis_place(&decades, NAN), 0, 1e-12);
}

/* Joins the labels of an axis with blanks. */
static struct weir_text labels_of(struct weir_axis axis, size_t wanted, weir_tick_label *label)
{
	double ticks[WEIR_MAX_TICKS];
	size_t count = weir_axis_ticks(&axis, wanted, ticks);
	struct weir_text text = {0};

	for (size_t i = 0; i < count; i++) {
		weir_text_puts(&text, i ? ", " : "");
		label(ticks[i], &text);
	}
	return text;
}

static void assert_labels(struct weir_axis axis, size_t wanted, weir_tick_label *label,
                          const char *expected)
{
	struct weir_text text = labels_of(axis, wanted, label);

	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void ticks_are_round_and_inside(void **state)
{
	(void)state;
	assert_labels((struct weir_axis){.low = 0, .high = 7802538}, 8, weir_label_duration,
	              "0, 1 ms, 2 ms, 3 ms, 4 ms, 5 ms, 6 ms, 7 ms");
	assert_labels((struct weir_axis){.low = 0, .high = 1000000}, 4, weir_label_duration,
	              "0, 200 us, 400 us, 600 us, 800 us, 1 ms");
	assert_labels((struct weir_axis){.low = 2100, .high = 2900}, 4, weir_label_duration,
	              "2.2 us, 2.4 us, 2.6 us, 2.8 us");
	assert_labels((struct weir_axis){.low = 0.02, .high = 500, .log = true}, 5,
	              weir_label_number, "0.1, 1, 10, 100");
	assert_labels((struct weir_axis){.low = 0.9, .high = 60, .log = true}, 12,
	              weir_label_number, "1, 2, 5, 10, 20, 50");
	assert_labels((struct weir_axis){.low = 1, .high = 1e12, .log = true}, 4, weir_label_number,
	              "1, 1k, 1M, 1G, 1T");
}

static void assert_label(weir_tick_label *label, double value, const char *expected)
{
	struct weir_text text = {0};

	label(value, &text);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void labels_have_no_needless_zeros(void **state)
{
	(void)state;
	assert_label(weir_label_duration, 0, "0");
	assert_label(weir_label_duration, 2500000, "2.5 ms");
	assert_label(weir_label_duration, 20000000, "20 ms");
	assert_label(weir_label_duration, 100e9, "100 s");
	assert_label(weir_label_number, 0.5, "0.5");
	assert_label(weir_label_number, 0.002, "0.002");
	assert_label(weir_label_number, 999, "999");
	assert_label(weir_label_number, 1000, "1k");
	assert_label(weir_label_number, 2e6, "2M");
	assert_label(weir_label_number, 1e-5, "0.00001");
	assert_label(weir_label_figure, 27.44, "27.4");
	assert_label(weir_label_figure, 1999.6, "2000");
	assert_label(weir_label_figure, 0.003119, "0.00312");
	assert_label(weir_label_figure, 0, "0");
}

static void names_in_a_picture_are_escaped(void **state)
{
	struct weir_text title = {0}, out = {0};

	(void)state;
	weir_text_puts(&title, "</title><script>");
	weir_chart_mark("rect", &title, &out);
	assert_string_equal(out.data, "><title>&#60;/title&#62;&#60;script&#62;</title></rect>\n");
	assert_int_equal(title.length, 0);
	weir_text_release(&title);
	weir_text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_shares_of_the_axis_and_stay_on_it),
		cmocka_unit_test(ticks_are_round_and_inside),
		cmocka_unit_test(labels_have_no_needless_zeros),
		cmocka_unit_test(names_in_a_picture_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
