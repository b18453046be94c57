/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places that a mask finds, whose values move to the same places of other tensors: a selection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define INT    "[\"long int\", \"\"]"
#define PICKED "[[32, 128], []]"
#define WRITE  "[[32, 128], [], [512], []]"

/* Moves behind the count of a mask: `write` to a tensor of the sizes `into`, and an operator on the
 * values before that. NULL: none. */
struct moves {
	const char *write, *into, *on_values;
	int count;
};

static struct advice_result moved(const struct moves *moves)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int turn = 0; turn < 4; turn++) {
		advice_step_op(step, "aten::eq", "[[32, 128], []]", INT,
		               "vectorized_elementwise_kernel", 20);
		advice_step_begin(step, "aten::nonzero", "[[32, 128]]", "[\"bool\"]", NULL);
		advice_step_kernel(step, "DeviceSelectSweepKernel", 20, 4);
		advice_step_copy(step, "Memcpy DtoH (Device -> Pinned)", 1);
		advice_step_end(step);
		advice_step_op(step, "aten::copy_", "[[32, 128], [32, 128]]", INT,
		               "vectorized_elementwise_kernel", 20);
		for (int i = 0; i < moves->count; i++) {
			advice_step_op(step, "aten::index", PICKED, INT, "index_elementwise_kernel",
			               20);
			if (moves->on_values)
				advice_step_op(step, moves->on_values, "[[512], []]", INT,
				               strcmp(moves->on_values, "aten::cumsum") == 0
				                       ? "DeviceScanKernel"
				                       : "vectorized_elementwise_kernel",
				               20);
			advice_step_op(step, moves->write, moves->into,
			               "[\"long int\", \"\", \"long int\", \"Scalar\"]",
			               "index_elementwise_kernel", 20);
		}
	}
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_remove_syncs, &result);
	assert_true(result.found);
	return result;
}

/* The comparison, the copy and a selection for each move remain, of 20 us each. */
static void values_that_move_to_their_places_are_selected(void **state)
{
	static const struct moves one = {"aten::index_put_", WRITE, NULL, 1},
				  seven = {"aten::_index_put_impl_", WRITE, NULL, 7};

	(void)state;
	assert_near(moved(&one).after_us, 4 * 3 * 20, 0.05);
	assert_near(moved(&seven).after_us, 4 * 9 * 20, 0.05);
}

/* An operator on the values of the places computes on all elements, which takes as long as memory
 * does if that is more, and the selection by the mask takes as long as its bytes, 2 us at least. */
static void values_that_are_computed_at_their_places_are_selected(void **state)
{
	static const struct moves small = {"aten::index_put_", WRITE, "aten::add", 1};

	(void)state;
	/* The comparison, the copy, the operator, and the selection. */
	assert_near(moved(&small).after_us, 4 * (3 * 20 + 2), 0.05);
}

/* 100 of 10 million elements: p[i, j] += f[i, j]. `between`: in front of the second gather. */
static struct advice_result band(const char *between)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_begin(step, "aten::nonzero", "[[10000, 1000]]", "[\"bool\"]", NULL);
	advice_step_kernel(step, "DeviceSelectSweepKernel", 20, 4);
	advice_step_copy(step, "Memcpy DtoH (Device -> Pinned)", 1);
	advice_step_end(step);
	advice_step_op(step, "aten::index", "[[10000, 1000], []]", "[\"float\", \"\"]",
	               "index_elementwise_kernel", 5);
	if (between)
		advice_step_op(step, between, "[[10000, 1000]]", "[\"float\"]",
		               "vectorized_elementwise_kernel", 5);
	advice_step_op(step, "aten::index", "[[10000, 1000], []]", "[\"float\", \"\"]",
	               "index_elementwise_kernel", 5);
	advice_step_op(step, "aten::add", "[[100], [100], []]",
	               "[\"float\", \"float\", \"Scalar\"]", "vectorized_elementwise_kernel", 2);
	advice_step_op(step, "aten::index_put_", "[[10000, 1000], [], [100], []]",
	               "[\"float\", \"\", \"float\", \"Scalar\"]", "index_elementwise_kernel", 5);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_remove_syncs, &result);
	return result;
}

static void few_places_take_the_bytes_of_all_elements(void **state)
{
	struct advice_result whole = band(NULL), kept = band("aten::exp");

	(void)state;
	/* A sum reads two tensors and writes one, of 40 MB each; a selection reads the mask of 10
	 * MB as well. */
	assert_in_range((int)whole.after_us, (int)(250 / 3.1), (int)(250 / 2.9) + 10);
	assert_true(!kept.found || kept.after_us < 60);
}

/* The count and the gather stay, without the wait. */
static void other_values_are_gathered_as_before(void **state)
{
	static const struct moves cases[] = {
		{"aten::index_put_", WRITE, "aten::cumsum", 1},
		{"aten::index_add_", WRITE, NULL, 1},
		{"aten::index_add_", WRITE, "aten::add", 1},
		{"aten::index_put_", "[[32, 127], [], [512], []]", "aten::add", 1},
		{"aten::index_put_", "[[32, 127], [], [512], []]", NULL, 1},
		{"aten::index_put_", "[[32, 128, 1], [], [512], []]", NULL, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_true(moved(&cases[i]).after_us > 4 * 5 * 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_that_move_to_their_places_are_selected),
		cmocka_unit_test(values_that_are_computed_at_their_places_are_selected),
		cmocka_unit_test(few_places_take_the_bytes_of_all_elements),
		cmocka_unit_test(other_values_are_gathered_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
