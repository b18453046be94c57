/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded arguments, one at a time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/roofline/args.h"
#include "tests/unit/near.h"

/* Arguments behind the last one may hold what an earlier operator left there. */
static void arguments_beyond_the_last_one_are_absent(void **state)
{
	struct weir_args args;
	int64_t list[WEIR_MAX_INTS], number;
	size_t count;
	unsigned bits;
	bool flag;

	(void)state;
	assert_true(weir_args_parse(&args, "[[2, 3], [2, 3]]", "[\"float\", \"float\"]",
	                            "[\"True\", \"True\"]"));
	args.items[1].scalar = "1";
	args.items[1].scalar_len = 1;
	assert_non_null(weir_args_at(&args, 1));
	assert_non_null(weir_args_tensor(&args, 1));
	assert_true(weir_args_int(&args, 1, &number) && number == 1);
	assert_true(weir_args_ints(&args, 1, list, &count) && count == 1 && list[0] == 1);
	assert_true(weir_args_bool(&args, 0, &flag) && flag);
	args.count = 1;
	assert_null(weir_args_at(&args, 1));
	assert_null(weir_args_tensor(&args, 1));
	assert_false(weir_args_int(&args, 1, &number));
	assert_false(weir_args_ints(&args, 1, list, &count));
	assert_non_null(weir_args_tensor(&args, 0));
	args.items[1].scalar = "True";
	args.items[1].scalar_len = 4;
	assert_false(weir_args_bool(&args, 1, &flag));
	args.items[1].scalar = "[True, False]";
	args.items[1].scalar_len = 13;
	assert_false(weir_args_flags(&args, 1, &bits));
	args.count = 2;
	assert_true(weir_args_flags(&args, 1, &bits) && bits == 1);
}

static void scalars_are_no_tensors_and_have_no_bytes(void **state)
{
	struct weir_args args;

	(void)state;
	assert_true(weir_args_parse(&args, "[[], [4]]", "[\"float\", \"float\"]", NULL));
	assert_null(weir_args_tensor(&args, 0));
	assert_near(weir_arg_bytes(weir_args_at(&args, 0)), 0, 0);
	assert_near(weir_arg_bytes(weir_args_tensor(&args, 1)), 16, 0);
	assert_near(weir_arg_bytes(NULL), 0, 0);
}

static void codes_of_types_have_two_ends(void **state)
{
	(void)state;
	assert_int_equal(weir_element_of_code(15).dtype, WEIR_DTYPE_BF16);
	assert_int_equal(weir_element_of_code(45).dtype, WEIR_DTYPE_FP4);
	assert_near(weir_element_of_code(-1).width, 0, 0);
	assert_near(weir_element_of_code(1000).width, 0, 0);
	assert_near(weir_element_of_code(46).width, 0, 0);
}

/* ---- sizes ---- */

static bool parses(const char *dims)
{
	struct weir_args args;

	return weir_args_parse(&args, dims, "[\"float\"]", NULL);
}

#define EIGHT "[1, 1, 1, 1, 1, 1, 1, 1]"
#define SIX   EIGHT ", " EIGHT ", " EIGHT ", " EIGHT ", " EIGHT ", " EIGHT

static void sizes_have_their_limits(void **state)
{
	static const char *const accepted[] = {
		"[[1099511627776]]",       /* 2^40 */
		"[[1099511627776, 8192]]", /* 2^53 elements */
		"[[[1099511627776, 4096], [1099511627776, 4096]]]",
		"[" EIGHT "]",
		"[" SIX ", " SIX ", " SIX ", " SIX "]", /* 24 arguments */
		" [ [ 2 , 3 ] ,\n\t[ ]\r] ",
		"[[0]]",
		"[[[9], []]]",
	};
	static const char *const refused[] = {
		"[[1099511627777]]",
		"[[1099511627776, 8193]]",
		"[[[1099511627776, 4096], [1099511627776, 4097]]]",
		"[[1, 1, 1, 1, 1, 1, 1, 1, 1]]",
		"[" SIX ", " SIX ", " SIX ", " SIX ", []]",
		"[[/]]",
		"[[:]]",
		"[[]",
		"[[[]]",
		"[[[2], 3]]",
		"[[2][3]]",
		"[]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++)
		assert_true(parses(accepted[i]));
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		assert_false(parses(refused[i]));
}

static void a_list_keeps_its_totals_and_its_first_sizes(void **state)
{
	struct weir_args args;

	(void)state;
	assert_true(
		weir_args_parse(&args, "[[[2, 3], [5]], [7]]", "[\"TensorList\", \"int\"]", NULL));
	assert_int_equal(args.count, 2);
	assert_int_equal(args.items[0].rank, -1);
	assert_int_equal(args.items[0].list_count, 2);
	assert_near(args.items[0].elements, 11, 0);
	assert_near(args.items[0].distinct, 11, 0);
	assert_int_equal(args.items[0].dims[0], 2);
	assert_int_equal(args.items[0].dims[1], 3);
	assert_true(isnan(args.items[0].element.width));
	assert_non_null(weir_args_at(&args, 0));
	assert_null(weir_args_tensor(&args, 0));
	assert_int_equal(args.items[1].rank, 1);
	assert_int_equal(args.items[1].dims[0], 7);
	assert_false(args.has_scalars);
}

/* ---- strides ---- */

static double distinct(const char *dims, const char *strides)
{
	struct weir_args args;

	assert_true(weir_args_parse(&args, dims, "[\"float\", \"float\"]", NULL));
	weir_args_stride(&args, strides);
	return args.items[0].distinct;
}

static void a_stride_of_zero_repeats_elements(void **state)
{
	(void)state;
	assert_near(distinct("[[4, 3]]", "[[3, 1]]"), 12, 0);
	assert_near(distinct("[[4, 3]]", "[[0, 1]]"), 3, 0);
	assert_near(distinct("[[4, 3]]", "[[0, 0]]"), 1, 0);
	assert_near(distinct("[[1, 3]]", "[[0, 1]]"), 3, 0);
	assert_near(distinct("[[2, 3]]", "[[0, 1]]"), 3, 0);
	assert_near(distinct("[[0, 3]]", "[[0, 1]]"), 0, 0);
	/* Damaged, or not one for each dimension. */
	assert_near(distinct("[[4, 3]]", NULL), 12, 0);
	assert_near(distinct("[[4, 3]]", ""), 12, 0);
	assert_near(distinct("[[4, 3]]", "[[0, 1"), 12, 0);
	assert_near(distinct("[[4, 3]]", "[[0]]"), 12, 0);
	assert_near(distinct("[[4, 3]]", "[[0, 1, 1]]"), 12, 0);
	assert_near(distinct("[[4, 3]]", "[[[0, 1]]]"), 12, 0);
	assert_near(distinct("[[4, 3]]", "[0, 1]"), 12, 0);
	assert_near(distinct("[[], [2]]", "[[], [0]]"), 1, 0);
	assert_near(distinct("[[[4, 3]]]", "[[0, 1]]"), 12, 0);
}

static void windows_that_overlap_share_elements(void **state)
{
	(void)state;
	/* Windows of 4 that begin at every second of 10 elements. */
	assert_near(distinct("[[4, 4]]", "[[2, 1]]"), 10, 0);
	assert_near(distinct("[[4, 4]]", "[[3, 1]]"), 13, 0);
	assert_near(distinct("[[4, 4]]", "[[4, 1]]"), 16, 0); /* beside each other */
	assert_near(distinct("[[4, 4]]", "[[9, 1]]"), 16, 0); /* with gaps */
	assert_near(distinct("[[4, 4]]", "[[1, 1]]"), 7, 0);
	assert_near(distinct("[[0, 4]]", "[[2, 1]]"), 0, 0);
	/* Rows far from each other: the product of the strides says nothing. */
	assert_near(distinct("[[2, 0, 3]]", "[[1099511627776, 1099511627776, 1]]"), 0, 0);
	assert_near(distinct("[[2, 2, 3]]", "[[1099511627776, 0, 1]]"), 6, 0);
	assert_near(distinct("[[2, 2, 2, 3]]", "[[1099511627776, 1099511627775, 0, 1]]"), 12, 0);
}

static void strides_belong_to_the_argument_at_their_position(void **state)
{
	struct weir_args args;

	(void)state;
	assert_true(weir_args_parse(&args, "[[4], [5], [6]]", "[\"int\", \"int\", \"int\"]", NULL));
	weir_args_stride(&args, "[[[1], [2]], [0], [0]]");
	assert_near(args.items[0].distinct, 4, 0);
	assert_near(args.items[1].distinct, 1, 0);
	assert_near(args.items[2].distinct, 1, 0);
}

/* ---- scalars ---- */

static struct weir_args scalar(const char *text)
{
	static char list[256];
	struct weir_args args;

	(void)snprintf(list, sizeof list, "[\"%s\"]", text);
	assert_true(weir_args_parse(&args, "[[]]", "[\"Scalar\"]", list));
	assert_true(args.has_scalars);
	return args;
}

static size_t ints(const char *text, int64_t out[WEIR_MAX_INTS])
{
	struct weir_args args = scalar(text);
	size_t count;

	return weir_args_ints(&args, 0, out, &count) ? count : 99;
}

static void lists_of_integers_have_eight_at_most(void **state)
{
	int64_t out[WEIR_MAX_INTS];

	(void)state;
	assert_int_equal(ints("[]", out), 0);
	assert_int_equal(ints("-7", out), 1);
	assert_int_equal(out[0], -7);
	assert_int_equal(ints("[4, -5]", out), 2);
	assert_int_equal(out[0], 4);
	assert_int_equal(out[1], -5);
	assert_int_equal(ints("[1, 2, 3, 4, 5, 6, 7, 8]", out), 8);
	assert_int_equal(out[7], 8);
	assert_int_equal(ints("[1, 2, 3, 4, 5, 6, 7, 8, 9]", out), 99);
	assert_int_equal(ints("[1, 2", out), 99);
	assert_int_equal(ints("[1, x]", out), 99);
	assert_int_equal(ints("x", out), 99);
	assert_int_equal(ints("", out), 99);
}

static void flags_are_bits_from_the_first_one(void **state)
{
	static const struct {
		const char *text;
		bool known;
		unsigned bits;
	} rows[] = {
		{"[True]", true, 1},
		{"[False, True]", true, 2},
		{"[True, False, True]", true, 5},
		{"[ True , True ]", true, 3},
		{"[True, True, True, True, True, True, True, True]", true, 255},
		{"[True, True, True, True, True, True, True, True, True]", false, 0},
		{"[True", false, 0},
		{"[Tru", false, 0},
		{"[Fals", false, 0},
		{"True", false, 0},
		{"[1]", false, 0},
		{"", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct weir_args args = scalar(rows[i].text);
		unsigned bits;

		assert_int_equal(weir_args_flags(&args, 0, &bits), rows[i].known);
		if (rows[i].known)
			assert_int_equal(bits, rows[i].bits);
	}
}

static void a_flag_is_true_or_false_and_nothing_else(void **state)
{
	static const char *const others[] = {"true", "Tru",    "Truest", "false",
	                                     "Fals", "Falser", "1"};
	bool flag = true;
	struct weir_args args = scalar("False");

	(void)state;
	assert_true(weir_args_bool(&args, 0, &flag));
	assert_false(flag);
	args = scalar("True");
	assert_true(weir_args_bool(&args, 0, &flag));
	assert_true(flag);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		args = scalar(others[i]);
		assert_false(weir_args_bool(&args, 0, &flag));
	}
}

static void numbers_are_read_with_and_without_a_point(void **state)
{
	struct weir_args args;
	double number;

	(void)state;
	assert_true(weir_args_parse(&args, "[[], [], [], []]",
	                            "[\"Scalar\", \"Scalar\", \"Scalar\", \"float\"]",
	                            "[\"0.\", \"-3\", \"True\", \"\"]"));
	assert_true(weir_args_number(&args, 0, &number));
	assert_near(number, 0, 0);
	assert_true(weir_args_number(&args, 1, &number));
	assert_near(number, -3, 0);
	assert_false(weir_args_number(&args, 2, &number));
	assert_false(weir_args_number(&args, 3, &number));
	assert_false(weir_args_number(&args, 4, &number));
}

static void quotes_inside_a_text_are_part_of_it(void **state)
{
	struct weir_args args;
	int64_t number;

	(void)state;
	assert_true(weir_args_parse(&args, "[[], []]", "[\"Scalar\", \"Scalar\"]",
	                            "[\"a\\\"b\", \"5\"]"));
	assert_true(weir_args_int(&args, 1, &number));
	assert_int_equal(number, 5);
	assert_int_equal(args.items[0].scalar_len, 4);
	/* More texts than arguments. */
	assert_true(weir_args_parse(&args, "[[]]", "[\"Scalar\", \"\"]", "[\"5\", \"6\"]"));
	assert_true(weir_args_int(&args, 0, &number));
	assert_int_equal(number, 5);
	/* Damaged scalars are missing, also those before the damage. */
	assert_true(weir_args_parse(&args, "[[]]", "[\"Scalar\"]", "[\"5\", \"6"));
	assert_false(args.has_scalars);
	assert_false(weir_args_int(&args, 0, &number));
	assert_true(weir_args_parse(&args, "[[]]", "[]", "[]"));
	assert_true(args.has_scalars);
	assert_false(weir_args_int(&args, 0, &number));
}

/* ---- types ---- */

static void names_of_types_match_as_a_whole_or_by_their_beginning(void **state)
{
	static const struct {
		const char *name;
		enum weir_dtype dtype;
		double width;
	} rows[] = {
		{"float", WEIR_DTYPE_FP32, 4},
		{"double", WEIR_DTYPE_FP64, 8},
		{"c10::Half", WEIR_DTYPE_FP16, 2},
		{"c10::Float8_e5m2", WEIR_DTYPE_FP8, 1},
		{"long", WEIR_DTYPE_INT, 8},
		{"unsigned long long", WEIR_DTYPE_INT, 8},
		{"short int", WEIR_DTYPE_INT, 2},
		{"unsigned char", WEIR_DTYPE_INT8, 1},
		{"c10::complex<double>", WEIR_DTYPE_FP64, 16},
		{"floa", WEIR_DTYPE_UNKNOWN, 0},
		{"floats", WEIR_DTYPE_UNKNOWN, 0},
		{"c10::Float8", WEIR_DTYPE_UNKNOWN, 0},
		{"", WEIR_DTYPE_UNKNOWN, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct weir_element element =
			weir_element_of_name(rows[i].name, strlen(rows[i].name));

		assert_int_equal(element.dtype, rows[i].dtype);
		assert_near(element.width, rows[i].width, 0);
	}
}

static void the_first_type_in_a_kernel_s_name_decides(void **state)
{
	static const struct {
		const char *kernel;
		enum weir_dtype dtype;
		double width;
	} rows[] = {
		{"copy<OpaqueType<1u>, 2>", WEIR_DTYPE_INT8, 1},
		{"copy<OpaqueType<16u>, 2>", WEIR_DTYPE_FP64, 16},
		{"add<c10::Half, f<float>>", WEIR_DTYPE_FP16, 2},
		{"add<1, g<double>, f<float>>", WEIR_DTYPE_FP64, 8},
		{"add<float4, g<double>>", WEIR_DTYPE_FP64, 8},
		{"add<float>", WEIR_DTYPE_FP32, 4},
		{"plain", WEIR_DTYPE_UNKNOWN, 0},
		{NULL, WEIR_DTYPE_UNKNOWN, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct weir_element element = weir_element_of_kernel(rows[i].kernel);

		assert_int_equal(element.dtype, rows[i].dtype);
		assert_near(element.width, rows[i].width, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_beyond_the_last_one_are_absent),
		cmocka_unit_test(scalars_are_no_tensors_and_have_no_bytes),
		cmocka_unit_test(codes_of_types_have_two_ends),
		cmocka_unit_test(sizes_have_their_limits),
		cmocka_unit_test(a_list_keeps_its_totals_and_its_first_sizes),
		cmocka_unit_test(a_stride_of_zero_repeats_elements),
		cmocka_unit_test(windows_that_overlap_share_elements),
		cmocka_unit_test(strides_belong_to_the_argument_at_their_position),
		cmocka_unit_test(lists_of_integers_have_eight_at_most),
		cmocka_unit_test(flags_are_bits_from_the_first_one),
		cmocka_unit_test(a_flag_is_true_or_false_and_nothing_else),
		cmocka_unit_test(numbers_are_read_with_and_without_a_point),
		cmocka_unit_test(quotes_inside_a_text_are_part_of_it),
		cmocka_unit_test(names_of_types_match_as_a_whole_or_by_their_beginning),
		cmocka_unit_test(the_first_type_in_a_kernel_s_name_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
