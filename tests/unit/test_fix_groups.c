/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops whose turns look for their rows: which of them are loops, and what remains of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"

#define BF16  "\"c10::BFloat16\""
#define ONE   "[" BF16 "]"
#define TWO   "[" BF16 ", " BF16 "]"
#define TURNS 16

static struct advice_result result_of(struct advice_step *step, weir_fix_apply *apply)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, apply, &result);
	return result;
}

/* ---- messages along the edges of a graph ---- */

/* Layers in which `rows` of 512 nodes get a message. */
static struct advice_step *messages(const char *add, const char *product)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		advice_step_op(step, "aten::index", "[[512, 1024], []]", ONE,
		               "vectorized_gather_kernel", 4);
		advice_step_op(step, "aten::mm", product, TWO, "nvjet_gemm", 8);
		advice_step_op(step, "aten::index_add_", add,
		               "[" BF16 ", \"Scalar\", \"long int\", " BF16 "]",
		               "index_elementwise_kernel", 4);
	}
	return step;
}

static void layers_that_pass_messages_to_all_nodes_are_no_loop(void **state)
{
	(void)state;
	assert_false(result_of(messages("[[512, 1024], [], [512], [512, 1024]]",
	                                "[[512, 1024], [1024, 1024]]"),
	                       weir_fix_group_the_loop)
	                     .found);
	assert_true(result_of(messages("[[512, 1024], [], [511], [511, 1024]]",
	                               "[[511, 1024], [1024, 1024]]"),
	                      weir_fix_group_the_loop)
	                    .found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_that_pass_messages_to_all_nodes_are_no_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
