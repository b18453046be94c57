/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convolutions: the size of the output, the place of each argument, and the calls without a
 * model. */
#include <stdlib.h>

#include "tests/unit/near.h"
#include "tests/unit/operators.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* Scalars of aten::convolution. */
#define SCALARS(stride, padding, dilation, transposed, extra, groups)                              \
	"[\"\", \"\", \"\", \"" stride "\", \"" padding "\", \"" dilation "\", \"" transposed      \
	"\", \"" extra "\", \"" groups "\"]"
#define PLAIN SCALARS("[1]", "[0]", "[1]", "False", "[0]", "1")

/* One dimension, one channel, a kernel of 3: two FLOPs and a width of 2 for each. */
static void the_output_is_as_long_as_the_kernel_fits(void **state)
{
	static const struct {
		const char *dims, *scalars;
		double length;
		int in, kernel;
	} rows[] = {
		{"[[1, 1, 3], [1, 1, 3], [], [], [], [], [], [], []]", PLAIN, 1, 3, 3},
		{"[[1, 1, 7], [1, 1, 3], [], [], [], [], [], [], []]",
	         SCALARS("[2]", "[0]", "[1]", "False", "[0]", "1"), 3, 7, 3},
		{"[[1, 1, 8], [1, 1, 3], [], [], [], [], [], [], []]",
	         SCALARS("[2]", "[0]", "[1]", "False", "[0]", "1"), 3, 8, 3},
		{"[[1, 1, 8], [1, 1, 3], [], [], [], [], [], [], []]",
	         SCALARS("[2]", "[1]", "[1]", "False", "[0]", "1"), 4, 8, 3},
		{"[[1, 1, 8], [1, 1, 3], [], [], [], [], [], [], []]",
	         SCALARS("[1]", "[0]", "[3]", "False", "[0]", "1"), 2, 8, 3},
		/* An empty list means the default. */
		{"[[1, 1, 8], [1, 1, 3], [], [], [], [], [], [], []]",
	         SCALARS("[]", "[]", "[]", "False", "[]", "1"), 6, 8, 3},
		{"[[1, 1, 8], [1, 1, 1], [], [], [], [], [], [], []]", PLAIN, 8, 8, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct operator_figures figures = {
			CALL_WITH("aten::convolution", rows[i].dims, "hh-------", rows[i].scalars),
			2 * rows[i].length * rows[i].kernel,
			2 * (rows[i].in + rows[i].kernel + rows[i].length), WEIR_MODEL_HIGH};

		check_operators(&figures, 1);
	}
}

static void a_transposed_convolution_spreads_its_input(void **state)
{
	static const struct operator_figures rows[] = {
		/* (5 - 1) 3 - 2 * 1 + 2 (3 - 1) + 2 + 1 = 17 places; two groups of 3 channels. */
		{CALL_WITH("aten::convolution",
	                   "[[2, 4, 5], [4, 3, 3], [6], [], [], [], [], [], []]", "hhh------",
	                   SCALARS("[3]", "[1]", "[2]", "True", "[2]", "2")),
	         2. * 2 * 4 * 5 * 3 * 3 + 2 * 6 * 17, 2. * (40 + 36 + 2 * 6 * 17 + 6),
	         WEIR_MODEL_HIGH},
		{CALL_WITH("aten::conv_transpose1d",
	                   "[[1, 1, 5], [1, 1, 3], [1], [], [], [], [], []]", "hhh-----",
	                   "[\"\", \"\", \"\", \"[3]\", \"[1]\", \"[2]\", \"1\", \"[2]\"]"),
	         2. * 5 * 3 + 17, 2. * (5 + 3 + 17 + 1), WEIR_MODEL_HIGH},
	};

	(void)state;
	check_operators(rows, COUNT(rows));
}

/* Each operator has its arguments in another order. Length 8, padding 2, stride 3, dilation 4. */
static void every_operator_has_its_own_order(void **state)
{
	static const struct operator_figures rows[] = {
		{CALL_WITH("aten::conv1d", "[[1, 1, 8], [1, 1, 2], [1], [], [], [], []]", "hhh----",
	                   "[\"\", \"\", \"\", \"3\", \"2\", \"4\", \"1\"]"),
	         2. * 3 * 2 + 3, 2. * (8 + 2 + 3 + 1), WEIR_MODEL_HIGH},
		{CALL_WITH("aten::cudnn_convolution", "[[1, 1, 8], [1, 1, 2], [], [], [], []]",
	                   "hh----", "[\"\", \"\", \"2\", \"3\", \"4\", \"1\"]"),
	         2. * 3 * 2, 2. * (8 + 2 + 3), WEIR_MODEL_HIGH},
		{CALL_WITH("aten::cudnn_convolution_add_relu",
	                   "[[1, 1, 8], [1, 1, 2], [1, 1, 3], [], [1], [], [], [], []]",
	                   "hhh-h----",
	                   "[\"\", \"\", \"\", \"\", \"\", \"3\", \"2\", \"4\", \"1\"]"),
	         2. * 3 * 2 + 3, 2. * (8 + 2 + 3 + 3 + 1), WEIR_MODEL_HIGH},
		{CALL_WITH("aten::miopen_convolution",
	                   "[[1, 1, 8], [1, 1, 2], [1], [], [], [], []]", "hhh----",
	                   "[\"\", \"\", \"\", \"2\", \"3\", \"4\", \"1\"]"),
	         2. * 3 * 2 + 3, 2. * (8 + 2 + 3 + 1), WEIR_MODEL_HIGH},
		{CALL_WITH("aten::_slow_conv2d_forward",
	                   "[[1, 1, 8, 8], [1, 1, 2, 2], [], [1], [], []]", "hh-h--",
	                   "[\"\", \"\", \"\", \"\", \"3\", \"2\"]"),
	         2. * 16 * 4 + 16, 2. * (64 + 4 + 16 + 1), WEIR_MODEL_HIGH},
		/* One group per channel: three channels, each of them its own sum. */
		{CALL_WITH("aten::_conv_depthwise2d",
	                   "[[1, 3, 8, 8], [3, 1, 2, 2], [], [3], [], [], []]", "hh-h---",
	                   "[\"\", \"\", \"\", \"\", \"3\", \"2\", \"4\"]"),
	         2. * 3 * 9 * 4 + 27, 2. * (192 + 12 + 27 + 3), WEIR_MODEL_HIGH},
		{CALL_WITH("aten::_conv_depthwise2d",
	                   "[[2, 3, 8, 8], [3, 1, 2, 2], [], [3], [], [], []]", "hh-h---",
	                   "[\"\", \"\", \"\", \"\", \"3\", \"2\", \"4\"]"),
	         2. * 2 * 3 * 9 * 4 + 54, 2. * (384 + 12 + 54 + 3), WEIR_MODEL_HIGH},
		{CALL_WITH("aten::miopen_convolution_transpose",
	                   "[[1, 1, 5], [1, 1, 3], [1], [], [], [], [], []]", "hhh-----",
	                   "[\"\", \"\", \"\", \"1\", \"2\", \"3\", \"2\", \"1\"]"),
	         2. * 5 * 3 + 17, 2. * (5 + 3 + 17 + 1), WEIR_MODEL_HIGH},
		{CALL_WITH("aten::cudnn_convolution_transpose",
	                   "[[1, 1, 5], [1, 1, 3], [], [], [], [], []]", "hh-----",
	                   "[\"\", \"\", \"1\", \"2\", \"3\", \"2\", \"1\"]"),
	         2. * 5 * 3, 2. * (5 + 3 + 16 + 1), WEIR_MODEL_HIGH},
	};

	(void)state;
	check_operators(rows, COUNT(rows));
}

#define SHAPES "[[1, 1, 8], [1, 1, 3], [], [], [], [], [], [], []]"

static void contradictions_are_unknown(void **state)
{
	static const struct operator_call refused[] = {
		CALL_WITH("aten::convolution", "[[], [1, 1, 3], [], [], [], [], [], [], []]",
	                  "hh-------", PLAIN),
		CALL_WITH("aten::convolution", "[[1, 1, 8], [], [], [], [], [], [], [], []]",
	                  "hh-------", PLAIN),
		CALL_WITH("aten::convolution", "[[1, 8], [1, 3], [], [], [], [], [], [], []]",
	                  "hh-------", PLAIN),
		CALL_WITH("aten::convolution",
	                  "[[1, 1, 8, 8, 8, 8], [1, 1, 3, 3, 3, 3], [], [], [], [], [], [], []]",
	                  "hh-------", PLAIN),
		CALL_WITH("aten::convolution",
	                  "[[1, 1, 8], [1, 1, 3, 3], [], [], [], [], [], [], []]", "hh-------",
	                  PLAIN),
		/* A kernel that is longer than the input, or empty. */
		CALL_WITH("aten::convolution", "[[1, 1, 2], [1, 1, 3], [], [], [], [], [], [], []]",
	                  "hh-------", PLAIN),
		CALL_WITH("aten::convolution", "[[1, 1, 2], [1, 1, 0], [], [], [], [], [], [], []]",
	                  "hh-------", PLAIN),
		CALL_WITH("aten::convolution", SHAPES, "hh-------",
	                  SCALARS("[0]", "[0]", "[1]", "False", "[0]", "1")),
		CALL_WITH("aten::convolution", SHAPES, "hh-------",
	                  SCALARS("[1, 1]", "[0]", "[1]", "False", "[0]", "1")),
		CALL_WITH("aten::convolution", SHAPES, "hh-------",
	                  SCALARS("[1]", "[-1]", "[1]", "False", "[0]", "1")),
		CALL_WITH("aten::convolution", SHAPES, "hh-------",
	                  SCALARS("[1]", "[1099511627777]", "[1]", "False", "[0]", "1")),
		CALL_WITH("aten::convolution", SHAPES, "hh-------",
	                  SCALARS("[1]", "[0]", "x", "False", "[0]", "1")),
		CALL_WITH("aten::convolution", SHAPES, "hh-------",
	                  SCALARS("[1]", "[0]", "[1]", "maybe", "[0]", "1")),
		CALL_WITH("aten::convolution", SHAPES, "hh-------",
	                  SCALARS("[1]", "[0]", "[1]", "True", "[-1]", "1")),
		CALL_WITH("aten::convolution", SHAPES, "hh-------",
	                  SCALARS("[1]", "[0]", "[1]", "False", "[0]", "0")),
		CALL_WITH("aten::convolution", SHAPES, "hh-------",
	                  SCALARS("[1]", "[0]", "[1]", "False", "[0]", "x")),
		/* (1 - 1) - 2 * 1 + 0 + 0 + 1 places. */
		CALL_WITH("aten::convolution", "[[1, 1, 1], [1, 1, 1], [], [], [], [], [], [], []]",
	                  "hh-------", SCALARS("[1]", "[1]", "[1]", "True", "[0]", "1")),
		CALL("aten::convolution_backward", "[[], [1, 1, 8], [1, 1, 3]]", "hhh"),
		CALL("aten::convolution_backward", "[[1, 1, 6], [], [1, 1, 3]]", "hhh"),
		CALL("aten::convolution_backward", "[[1, 1, 6], [1, 1, 8], []]", "hhh"),
		CALL("aten::convolution_backward", "[[1, 6], [1, 8], [1, 3]]", "hhh"),
		CALL("aten::convolution_backward", "[[1, 1, 6], [1, 1, 8], [1, 3]]", "hhh"),
		CALL("aten::convolution_backward", "[[1, 6], [1, 1, 8], [1, 1, 3]]", "hhh"),
	};

	(void)state;
	check_refused(refused, COUNT(refused));
}

static void a_padding_may_be_as_large_as_any_dimension(void **state)
{
	static const struct operator_figures rows[] = {
		{CALL_WITH(
			 "aten::convolution", "[[1, 1, 8], [1, 1, 3], [], [], [], [], [], [], []]",
			 "hh-------",
			 SCALARS("[1099511627776]", "[1099511627776]", "[1]", "False", "[0]", "1")),
	         2. * 3 * 3, 2. * (8 + 3 + 3), WEIR_MODEL_HIGH},
	};

	(void)state;
	check_operators(rows, COUNT(rows));
}

#define BACKWARD(transposed, mask)                                                                 \
	"[\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"" transposed "\", \"\", \"\", \"" mask "\"]"
#define BACKWARD_SHAPES "[[2, 4, 6], [2, 3, 8], [4, 3, 3], [], [], [], [], [], [], [], []]"

static void gradients_are_counted_one_by_one(void **state)
{
	double product = 2. * 48 * 3 * 3, moved = 2. * (48 + 48 + 36);
	const struct operator_figures rows[] = {
		{CALL_WITH("aten::convolution_backward", BACKWARD_SHAPES, "hhh--------",
	                   BACKWARD("False", "[True, False, False]")),
	         product, moved, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::convolution_backward", BACKWARD_SHAPES, "hhh--------",
	                   BACKWARD("False", "[False, True, True]")),
	         product + 48, moved + 2. * 48, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::convolution_backward", BACKWARD_SHAPES, "hhh--------",
	                   BACKWARD("False", "[False, False, True]")),
	         48, 2. * 48, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::convolution_backward", BACKWARD_SHAPES, "hhh--------",
	                   BACKWARD("", "[True, True, False]")),
	         2 * product, 2 * moved, WEIR_MODEL_MEDIUM},
		{CALL_WITH("aten::convolution_backward", BACKWARD_SHAPES, "hhh--------",
	                   BACKWARD("False", "")),
	         2 * product, 2 * moved, WEIR_MODEL_MEDIUM},
	};

	(void)state;
	check_operators(rows, COUNT(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_output_is_as_long_as_the_kernel_fits),
		cmocka_unit_test(a_transposed_convolution_spreads_its_input),
		cmocka_unit_test(every_operator_has_its_own_order),
		cmocka_unit_test(contradictions_are_unknown),
		cmocka_unit_test(a_padding_may_be_as_large_as_any_dimension),
		cmocka_unit_test(gradients_are_counted_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
